"""From text to the terms that are searched for: words by their stem, numbers by what they say.

In: text and its language. Out: terms, with their places where they are needed for highlights. The same code makes the
terms of tables and of questions, so "1,234.5" finds 1234.5 and a plural its singular. Fails on scripts without blanks
between words, where a run of letters is one term.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import tantivy

_TERM = re.compile(r"\d+(?:[.,'’ \u00a0\u202f]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_SEPARATORS = re.compile(r"[.,'’ \u00a0\u202f]")
_SPACED = re.compile(r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?:[.,]\d+)?")
BREAK = "¶"  # stands between two labels, so that a phrase does not cross from one into the next
_LONGEST = 60  # letters of a term


class Term(NamedTuple):
    """A term and where it stands in its text."""

    term: str
    start: int
    end: int


def find_terms(text: str, language: str) -> Iterator[Term]:
    """The terms of a text, in order.

    >>> [t.term for t in find_terms("Smoking rates: 1,234.5 or 1234.5", "english")]
    ['smoke', 'rate', '1234.5', 'or', '1234.5']
    """
    for match in _TERM.finditer(text):
        word = match[0]
        if word[0].isdigit():
            if " " in word or "\u00a0" in word or "\u202f" in word:
                yield from _spaced_numbers(word, match.start())
            else:
                yield Term(plain_number(word), match.start(), match.end())
        else:
            yield Term(stem(word, language), match.start(), match.end())


def terms(text: str, language: str) -> list[str]:
    return [found.term for found in find_terms(text, language)]


def is_number(term: str) -> bool:
    return term[:1].isdigit()


@lru_cache(maxsize=100_000)
def plain_number(written: str) -> str:
    """A number without the separators of its thousands; what could be both is taken for them.

    >>> plain_number("1,234.5"), plain_number("1.234,5"), plain_number("12.5"), plain_number("1,234")
    ('1234.5', '1234.5', '12.5', '1234')
    """
    parts = _SEPARATORS.split(written)
    if len(parts) == 1:
        return written[:_LONGEST]
    last = parts[-1]
    kinds = set(_SEPARATORS.findall(written))
    grouped = len(last) == 3 and len(parts[0]) <= 3 and parts[0] != "0" and (len(kinds) == 1)
    whole = "".join(parts if grouped else parts[:-1])
    return (whole if grouped else f"{whole}.{last}")[:_LONGEST]


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a word without accents and capitals."""
    flat = unicodedata.normalize("NFKD", word.casefold().replace("’", "'"))
    plain = "".join(letter for letter in flat if not unicodedata.combining(letter)).removesuffix("'s").replace("'", "")
    # a stemmer expects the accents of its language, so it sees the word with them
    found = _analyzer(language).analyze(word.casefold())
    if len(found) != 1:
        return plain[:_LONGEST]
    flat = unicodedata.normalize("NFKD", found[0])
    return "".join(letter for letter in flat if not unicodedata.combining(letter))[:_LONGEST]


@cache
def _analyzer(language: str) -> tantivy.TextAnalyzer:
    builder = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace())
    return builder.filter(tantivy.Filter.lowercase()).filter(tantivy.Filter.stemmer(language)).build()


def _spaced_numbers(run: str, start: int) -> Iterator[Term]:
    """Digits with blanks between them: one number where they stand in threes, else several."""
    if _SPACED.fullmatch(run):
        yield Term(plain_number(run), start, start + len(run))
        return
    for match in re.finditer(r"[^ \u00a0\u202f]+", run):
        yield Term(plain_number(match[0]), start + match.start(), start + match.end())
