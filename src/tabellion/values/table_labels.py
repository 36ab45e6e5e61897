"""Tables named in running text ("Table 3", "TABLE III", "Tab. S1"): numbers, captions and whole sentences.

In: a text. Out: every number that is named, as it can be compared, lists and ranges written out. A label has a family
(words for a table in any language are one, exhibits and schedules are others), a number and the letters of parts. Every
pattern is bounded, so the cost is linear. Fails on numbers in words, and on languages that it does not know.

Captions: lines that open with a table's (or a figure's) label. A table's caption is told by its keyword at the start of
a line, as in Liu et al. 2006, section 3, widened to the labels of several languages, to roman numbers and to
"continued". What follows the label tells a caption from a sentence that begins with a mention ("Table 2 shows ...").

Sentences of a running text. In: a text, which may end in the middle of a sentence. Out: its whole sentences and the
rest. Fails on abbreviations that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec

from tabellion.patterns import lazy_pattern
from tabellion.values.vocabulary import either_of, words_for

_CAPTION_NUMBER = r"(?:[A-Z]{0,2}[-.]?\d+(?:[-.–]\d+)*[a-z]?|[IVXLC]{1,6}|[A-Z](?=[.:\s]))"
_TABLE = lazy_pattern(
    rf"\s*(?P<label>(?:supplement\w*\s+|appendix\s+)?(?:{either_of('table', whole=False)}|tab|exhibit|form)"
    rf"[\s\u00a0-]*(?P<number>{_CAPTION_NUMBER}))(?P<rest>.*)",
    re.I | re.S,
)
_FIGURE = lazy_pattern(
    rf"\s*(?P<label>(?:supplement\w*\s+)?{either_of('figure', whole=False)}"
    rf"[\s\u00a0-]*(?P<number>{_CAPTION_NUMBER}))(?P<rest>.*)",
    re.I | re.S,
)
_MENTION = lazy_pattern(r"\s*(?:[),;]|[a-zà-öø-ÿ]{2,}\b)")  # a sentence goes on: "Table 2 shows", "Table 2)"
_CONTINUES = either_of("continued")
_CONTINUED = lazy_pattern(rf"^\W*{_CONTINUES}|[(\[–—-]\s*{_CONTINUES}|\b{_CONTINUES}\W*$", re.I)
_ONLY_CONTINUED = lazy_pattern(rf"\W*{_CONTINUES}\W*", re.I)
_SEPARATOR = lazy_pattern(r"^[\s.:|–—\-]*")

Kind = Literal["table", "figure"]


class Caption(NamedTuple):
    """An opening label: what it labels, the label itself, what follows, whether it says continued."""

    kind: Kind
    label: str
    rest: str
    continued: bool


@lru_cache(maxsize=4096)
def read_caption(text: str) -> Caption | None:
    """The caption that a line opens, or None where it opens none.

    >>> read_caption("Table 2. Effect of dose (continued)")
    Caption(kind='table', label='Table 2', rest='Effect of dose (continued)', continued=True)
    >>> read_caption("Table 2 shows the effect of dose.") is None
    True
    >>> read_caption("Table 3. Growth of the control and of plants under continued stress.").continued
    False
    >>> read_caption("Table 3 continued").continued, read_caption("Table 3 continued to grow") is None
    (True, True)
    >>> read_caption("TABLE IV").label
    'TABLE IV'
    """
    kinds: tuple[tuple[Kind, re.Pattern[str]], ...] = (("table", _TABLE), ("figure", _FIGURE))
    for kind, pattern in kinds:
        match = pattern.match(text)
        if not match:
            continue
        number, rest = match["number"], match["rest"]
        if number.isalpha() and number.islower():
            continue  # "table of", "form a"
        if rest and rest[:1].isalnum():
            continue
        if _MENTION.match(rest) and not (_SEPARATOR.match(rest)[0].strip() or _ONLY_CONTINUED.fullmatch(rest)):  # type: ignore[index]
            continue
        label = " ".join(match["label"].split())
        return Caption(kind, label, _SEPARATOR.sub("", rest).strip(), bool(_CONTINUED.search(rest)))
    return None


def says_more(text: str) -> bool:
    """Whether a text says more than that something is continued.

    >>> says_more("(Continued)"), says_more("Continued growth"), says_more("")
    (False, True, False)
    """
    return text != "" and _ONLY_CONTINUED.fullmatch(text) is None


_END = lazy_pattern(r"(?<=[^\d\s][.!?])[\"”')\]\d,–-]*\s+(?=[\"“(\[]?[A-Z0-9])")
_NO_END = lazy_pattern(
    r"(?:\b(?:Fig|Figs|Tab|Tabs|Eq|Eqs|Ref|Refs|No|Nos|Vol|pp|al|cf|vs|ca|approx|resp|etc|Dr|Prof|Mr|Mrs|St|Inc|Ltd|Co|"
    r"e\.g|i\.e|sp|spp|var|subsp|Suppl|Sect|Sec|Ch|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:^|\s)[A-Z])\.$"
)


def part_sentences(text: str) -> tuple[list[str], str]:
    """The sentences of a text that have ended, and what is left of it.

    >>> part_sentences("See Fig. 3 of Smith et al. It grew. And th")
    (['See Fig. 3 of Smith et al. It grew.'], 'And th')
    """
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if not _NO_END.search(text[start : match.start()]):
            found.append(" ".join(text[start : match.end()].split()))
            start = match.end()
    return found, text[start:]


TABLE_WORDS = r"(?:supplement\w{0,6}\s{1,3}|appendix\s{1,3})?" + either_of("table", "other list", whole=False)
_MENTIONING = frozenset({"en", "de", "fr", "es", "it", "nl", "pt", "no", "sv", "fi", "pl", "ru"})  # in running text
_APART = tuple(word for name in words_for("other list") for word in (name.capitalize(), name.upper()))
_WORDS = (
    rf"(?i:(?P<several>{either_of('tables', languages=_MENTIONING, whole=False)})"
    rf"|{either_of('table', languages=_MENTIONING, whole=False)})"
    rf"|(?P<apart>{'|'.join(_APART)})(?P<more>[sS])?"
)
# How the words begin, and what all labels look like: a page is searched for these far faster than by the pattern.
_STARTS = sorted({word[:3] for word in words_for("table", "tables", languages=_MENTIONING)})
_FORMS = (*(form for start in _STARTS for form in (start, start.capitalize(), start.upper())), *_APART)
_BEGINNINGS = tuple(dict.fromkeys(form.lower() if form.isascii() else form for form in _FORMS))
_LIKELY = lazy_pattern(r"[^\W\d]{3,12}\.?[\s\u00a0-]{0,3}[0-9A-Z№nN]")
_PARTS = r"(?:\s?[,&–-]\s?[a-h](?![A-Za-z0-9]))"
_NUMBER = (
    rf"(?:(?:[A-Z]{{1,2}}[-.]?)?[0-9]{{1,4}}(?:[.][0-9]{{1,3}}){{0,3}}(?:[A-Za-z](?![A-Za-z0-9]){_PARTS}{{0,8}})?"
    r"|(?=[IVXL])(?:XL|L?X{0,3})(?:IX|IV|V?I{0,3})(?![A-Za-z0-9])"
    r"|[A-Z](?![A-Za-z0-9'’]))"
)
_BETWEEN = (
    r"\s{0,3}(?i:,\s{0,3}(?:and|or|und|et|y|e)\s|[,;&]|[-–—]"
    r"|(?:and|or|to|through|und|oder|bis|et|ou|à|y|e|и|до)\s)\s{0,3}"
)
_REPEATED = r"(?:(?i:tables?|tab\.|tabellen?|tableaux?|tablas?)\s{1,3})?"
_LIST = lazy_pattern(
    rf"\b(?P<word>{_WORDS})[\s\u00a0-]{{0,3}}(?:(?i:no|nr|n)[.°º]\s{{0,2}}|№\s{{0,2}})?"
    rf"(?P<list>{_NUMBER}(?:{_BETWEEN}{_REPEATED}{_NUMBER}(?![\w%])){{0,30}})(?!\w)"
)
_ITEM = lazy_pattern(rf"(?<![A-Za-z]){_NUMBER}")
_REPEAT = lazy_pattern(_REPEATED)
_RANGE = lazy_pattern(r"\s{0,3}(?:[-–—]|(?:to|through|bis|à|до)\s)\s{0,3}", re.I)
_COMMA = lazy_pattern(r"\s{0,3},\s{0,3}")
_GOES_ON = lazy_pattern(r"\s{1,3}(?!(?:and|or|to|und|et|y|e|bis)\b)[a-z]")  # "In Table 1, 3 patients": no list
_ASIDE = lazy_pattern(r"(?:supplement\w{0,6}|suppl\.|appendix|annex|extended data|online)\s{1,3}$", re.I)
_ASIDE_LETTERS = 20
_KEY = lazy_pattern(r"([A-Z]{0,2})[-.]?([0-9.]+)([A-Za-z]?)(.*)")
_HYPHEN = lazy_pattern(r"(?<=[0-9])[-–](?=[0-9])")
_MOST_IN_RANGE = 100
_AS_BYTES = ("utf-8", "surrogatepass")
_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50}


class Label(msgspec.Struct, frozen=True):
    """What a table is called: `family` is empty for all words that mean a table."""

    family: str
    number: str
    parts: frozenset[str] = frozenset()

    def names(self, other: Label) -> bool:
        """Whether this label in a text means the table that bears the other one, or a part of it, or all its parts."""
        if (self.family, self.number) != (other.family, other.number):
            return False
        return not self.parts or not other.parts or bool(self.parts & other.parts)


def mentions_table(text: str) -> bool:
    """Whether a text names a table by its number.

    >>> mentions_table("As Table 2 shows, it grew."), mentions_table("The table I set.")
    (True, False)
    """
    # Letters of English alone are made small: one search for both cases, far faster than of all that is written.
    searched = text.lower() if text.isascii() else text.encode(*_AS_BYTES).lower().decode(*_AS_BYTES)
    for beginning in _BEGINNINGS:
        at = searched.find(beginning)
        while at >= 0:
            match = _LIST.match(text, at) if _LIKELY.match(text, at) else None
            if match and _is_label(match):
                return True
            at = searched.find(beginning, at + 1)
    return False


def read_label(name: str) -> Label | None:
    """The label that a table bears; in it a hyphen joins the number of a chapter and that of the table.

    >>> read_label("Table 3-1").number, read_label("TABLE IV").number, read_label("Notes")
    ('3.1', '4', None)
    """
    return next(find_labels(_HYPHEN.sub(".", name)), None)


def find_labels(text: str) -> Iterator[Label]:
    """Every table that a text names, those of ranges too.

    >>> sorted(label.number for label in find_labels("See Tables 1, 3 and 5 to 7, TABLE IV and Table A.2."))
    ['1', '3', '4', '5', '6', '7', 'a2']
    >>> [label.number for label in find_labels("In Table 1, 3 patients")]
    ['1']
    """
    for match in filter(_is_label, _LIST.finditer(text)):
        family = (match["apart"] or "").lower()
        several = bool(match["several"] or match["more"])
        aside = "+" if _ASIDE.search(text[max(0, match.start() - _ASIDE_LETTERS) : match.start()]) else ""
        found: list[tuple[re.Match[str], str]] = []
        for item in _ITEM.finditer(text, match.start("list"), match.end("list")):
            before = text[found[-1][0].end() : item.start()] if found else ""
            if not several and _COMMA.fullmatch(before) and _GOES_ON.match(text, item.end()):
                break
            number, parts = _key(item[0])
            found.append((item, aside + number if number[0].isdigit() else number))
            yield Label(family, found[-1][1], parts)
        for (a, first), (b, last) in pairwise(found):
            between = _REPEAT.sub("", text[a.end() : b.start()])
            if _RANGE.fullmatch(between):
                yield from (Label(family, number) for number in _within(first, last))
            if between in "-–" and f"{a[0]}{b[0]}".isdigit():
                yield Label(family, f"{first}.{last}")  # "Table 3-1" of chapter 3


def _is_label(match: re.Match[str]) -> bool:
    """Whether it is one: in small letters, "the table I saw" names none."""
    return not (match["word"].islower() and len(match["list"]) == 1 and match["list"].isalpha())


def _key(text: str) -> tuple[str, frozenset[str]]:
    """A number as it is compared, roman ones as others, and the letters of its parts.

    >>> _key("A-2")[0], _key("3.1b,d")[0], sorted(_key("3.1b,d")[1]), _key("IX")[0], _key("B")[0]
    ('a2', '3.1', ['b', 'd'], '9', 'b')
    """
    match = _KEY.fullmatch(text)
    if match:
        return match[1].lower() + match[2].strip("."), _letters(match[3].lower(), match[4])
    if set(text) <= set(_VALUES) and text != "L":
        values = [_VALUES[letter] for letter in text]
        after = [*values[1:], 0]
        return str(sum(-v if v < following else v for v, following in zip(values, after, strict=True))), frozenset()
    return text.lower(), frozenset()


def _letters(first: str, more: str) -> frozenset[str]:
    """The letters of the parts that are named: "3b,d", "1a–c"."""
    found = set(first)
    for sign, letter in re.findall(r"([,&–-])\s?([a-h])", more):
        if sign in "–-" and found:
            found.update(chr(code) for code in range(ord(max(found)), ord(letter)))
        found.add(letter)
    return frozenset(found)


def _within(first: str, last: str) -> Iterator[str]:
    """The numbers between two, where they count on: "2" and "5", "S1" and "S4", "2.1" and "2.4"."""
    stems = [re.fullmatch(r"(.*?)(?<![0-9])([0-9]+)", number) for number in (first, last)]
    if stems[0] and stems[1] and stems[0][1] == stems[1][1]:
        start, end = int(stems[0][2]), int(stems[1][2])
        if end - start <= _MOST_IN_RANGE:
            yield from (f"{stems[0][1]}{number}" for number in range(start + 1, end))
