"""How one grid writes: decimal sign, order of dates, brackets for negatives, numbered notes.

In: all texts of a grid. Out: its conventions, each settled by those texts that leave no doubt. A grid that gives no
evidence is read as English: "1,234" is a thousand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Literal

import msgspec

from tabellion.patterns import lazy_pattern, short_pattern

LOOKED_AT = 20_000  # distinct texts are enough evidence; more would only cost time
_RARE = 0.1  # "12,5" beside many "1,234": below this share it is a slip, not the custom
_KEPT = 1 << 15  # short texts whose evidence is kept: the tables of a site say the same again and again
_LONGEST = 24  # no number that settles anything is longer

_DIGIT = lazy_pattern(r"\d")
_COMMA_DECIMAL = lazy_pattern(
    r"(?:\d{1,3}(?:[\s.]\d{3})*|\d+),(?:\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+|\d{1,3}(?:[\s.]\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}"
)
_DOT_DECIMAL = lazy_pattern(
    r"(?:\d{1,3}(?:[\s,]\d{3})*|\d*)\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+|\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}"
)
_COMMA_THOUSAND = lazy_pattern(r"[1-9]\d{0,2},\d{3}")
_BRACKETED = short_pattern(r"\(\s*[$€£]?\s*(\d[\d.,\s]*)\)")
_SCALE = lazy_pattern(r"\d{1,2}|(?:1[6-9]|20)\d\d|10{2,}|1(?:[,.\s]0{3})+")
_TRIM = short_pattern(r"^[\s$€£+\-−–—(]+|[\s%€£)*rpeE]+$")
_SLASHED = lazy_pattern(r"\s*(\d{1,2})[/.\-](\d{1,2})[/.\-](?:\d{4}|\d\d)\b")
_NOTE = lazy_pattern(r"\s*+[(\[\\/]?\s*+(\d{1,2})\s?[)\]\\./:]*+\s*+(?=[^\W\d]).{12,}", re.DOTALL)
_NOTE_NUMBER = lazy_pattern(r"\s*(?:(\d{1,2})\s?[.)/\\]\s*|(\d{1,2})\s+)")


class Conventions(msgspec.Struct, frozen=True):
    """How the texts of one grid are written. `day_first` is None where no date settles it."""

    decimal: Literal[".", ","] = "."
    brackets: bool = False  # "(5)" is -5 here
    day_first: bool | None = None
    numbered: frozenset[str] = frozenset()  # numbers that notes of the grid begin with


ENGLISH = Conventions()


def settle_conventions(texts: Iterable[str]) -> Conventions:
    """What the texts of a grid agree on.

    >>> settle_conventions(["1,234", "0,5", "12,7"]).decimal
    ','
    """
    comma = dot = thousand = day = month = 0
    brackets = False
    numbered = set[str]()
    for found in filter(None, map(_find_evidence, islice(texts, LOOKED_AT))):
        comma += found.comma
        dot += found.dot
        thousand += found.thousand
        day += found.day
        month += found.month
        brackets = brackets or found.brackets
        if found.note:
            numbered.add(found.note)
    return Conventions(
        decimal="," if comma > max(dot, _RARE * thousand) else ".",
        brackets=brackets,
        day_first=None if day == month else day > month,
        numbered=frozenset(numbered),
    )


class _Evidence(msgspec.Struct, frozen=True, gc=False):
    """What one text tells of the conventions of its grid."""

    comma: bool = False
    dot: bool = False
    thousand: bool = False
    brackets: bool = False
    day: bool = False
    month: bool = False
    note: str | None = None  # the number of the note that it begins or names


def _find_evidence(text: str) -> _Evidence | None:
    if len(text) <= _LONGEST:
        return _read_evidence(text)
    note = _NOTE.match(text)
    return _Evidence(note=note[1]) if note else None


@lru_cache(maxsize=_KEPT)
def _read_evidence(text: str) -> _Evidence | None:
    """The evidence of a short text."""
    if not _DIGIT.search(text):
        return None
    digits = _TRIM.sub("", text) if "," in text or "." in text else ""
    bracketed = _BRACKETED.fullmatch(text.strip()) if "(" in text else None
    dated = _SLASHED.match(text)
    note = _NOTE_NUMBER.fullmatch(text) or _NOTE.match(text)
    found = _Evidence(
        comma=bool(_COMMA_DECIMAL.fullmatch(digits)),
        dot=bool(_DOT_DECIMAL.fullmatch(digits)),
        thousand=bool(_COMMA_THOUSAND.fullmatch(digits)),
        brackets=bool(bracketed and not _SCALE.fullmatch(bracketed[1].strip())),
        day=bool(dated and int(dated[1]) > 12),
        month=bool(dated and int(dated[2]) > 12),
        note=next(group for group in note.groups() if group) if note else None,
    )
    return found if found != _NOTHING else None


_NOTHING = _Evidence()
