"""Whether a text is, begins with or has a word of some meaning, in any language that `values.words` lists.

Every stage asks here, so that the same table says the same in every medium. In: a text and meanings ("total"). Out: yes
or no, or a pattern for any of the words. Fails on languages that are not listed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from tabellion.patterns import lazy_pattern
from tabellion.values.words import WORDS, Meaning

_WORD = lazy_pattern(r"[^\W_]+")
_MARKS_BEFORE = lazy_pattern(r"[\W_]+")
_MARKS_AROUND = " \t\n.:：;,*†‡()[]（）–—-/\\\"'"
_UNSPACED = (("\u3040", "\u30ff"), ("\u3400", "\u9fff"), ("\uac00", "\ud7af"))  # kana, Chinese characters, hangul


class Lexicon:
    """All words of some meanings, in all languages or in some."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = frozenset(words)
        unspaced = {word for word in self.words if _is_unspaced(word)}
        self._anywhere = tuple(sorted(word for word in unspaced if len(word) > 1))  # 計 is also in 統計, statistics
        self._single = frozenset(word for word in self.words if _WORD.fullmatch(word)).difference(self._anywhere)
        self._phrases = tuple(sorted(self.words.difference(self._single, self._anywhere)))
        self._begun = frozenset(word for phrase in self._phrases for word in _FIRST.findall(phrase)[:1])
        """The first words of the phrases: a text without one of these has none of them."""

    def fills(self, text: str) -> bool:
        """Whether a text is one of the words and nothing else, marks and case aside.

        >>> lexicon("of which").fills("Of which:"), lexicon("of which").fills("Of which women")
        (True, False)
        """
        small = text.lower().strip()
        return small in self.words or small.strip(_MARKS_AROUND) in self.words

    def opens(self, text: str) -> bool:
        """Whether a text begins with one of the words, marks before it aside.

        >>> total, table = lexicon("total"), lexicon("table")
        >>> total.opens("– Total costs"), total.opens("Totally new"), table.opens("表1")
        (True, False, True)
        """
        small = text.lower()
        if not small[:1].isalnum():
            marks = _MARKS_BEFORE.match(small)
            small = small[marks.end() :] if marks else small
        first = _FIRST.match(small)
        letters = first[0] if first else ""
        if letters in self._single or small.startswith(self._anywhere):
            return True
        return letters in self._begun and any(_is_whole(small, 0, phrase) for phrase in self._phrases)

    def within(self, text: str) -> bool:
        """Whether a text has one of the words in it.

        >>> total = lexicon("total")
        >>> total.within("Costs, total"), total.within("男女合計"), total.within("統計"), total.within("Sumac")
        (True, True, False, False)
        """
        small = text.lower()
        return self.among(small, _WORD.findall(small))

    def among(self, small: str, words: Sequence[str]) -> bool:
        """The same of a text in small letters that was parted into words already."""
        if not self._single.isdisjoint(words):
            return True
        if not self._begun.isdisjoint(words) and any(_has_whole(small, phrase) for phrase in self._phrases):
            return True
        return not small.isascii() and any(part in small for part in self._anywhere)


_FIRST = lazy_pattern(r"[^\W\d_]+")


def _is_unspaced(word: str) -> bool:
    """Whether a word is of a script without spaces."""
    return not word.isascii() and any(first <= letter <= last for letter in word for first, last in _UNSPACED)


def _has_whole(text: str, phrase: str) -> bool:
    at = text.find(phrase)
    while at >= 0:
        if _is_whole(text, at, phrase):
            return True
        at = text.find(phrase, at + 1)
    return False


def _is_whole(text: str, at: int, phrase: str) -> bool:
    """Whether a phrase stands at a place of a text, and no word goes on before or after it."""
    if not text.startswith(phrase, at):
        return False
    end = at + len(phrase)
    before, after = text[at - 1 : at] if at else "", text[end : end + 1]
    return not before.isalnum() and not (phrase[-1].isalnum() and after.isalnum())


def words_for(*meanings: Meaning, languages: frozenset[str] | None = None) -> tuple[str, ...]:
    """The words of some meanings, each once, the longest first.

    >>> words_for("unit", languages=frozenset({"de", "fr"}))
    ('maßeinheit', 'einheiten', 'einheit', 'unités', 'unité')
    """
    found = {
        word.strip()
        for meaning in meanings
        for language, words in WORDS[meaning].items()
        if languages is None or language in languages
        for word in words.split(",")
    }
    return tuple(sorted(found, key=lambda word: (-len(word), word)))


@cache
def lexicon(*meanings: Meaning, languages: frozenset[str] | None = None) -> Lexicon:
    """The lexicon of some meanings, made once."""
    return Lexicon(words_for(*meanings, languages=languages))


def either_of(*meanings: Meaning, languages: frozenset[str] | None = None, whole: bool = True) -> str:
    r"""A pattern for any of the words; with `whole`, no word of a script with spaces goes on after it.

    '(?:table(?!\\w)|tab\\.|表)'
    '(?:table(?!\\\\w)|tab\\\\.|表)'
    """
    words = words_for(*meanings, languages=languages)
    return f"(?:{'|'.join(_pattern(word, whole=whole) for word in words)})"


def _pattern(word: str, *, whole: bool) -> str:
    """One word as a pattern; blanks in it may be of any kind."""
    ends = whole and word[-1].isalnum() and not _is_unspaced(word)
    return re.escape(word).replace(r"\ ", r"\s") + (r"(?!\w)" if ends else "")
