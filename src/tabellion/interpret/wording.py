"""What the text of one cell shows: hashed words and letters, and a few patterns.

In: the text of a cell and what kind of content it is. Out: ids of hashed pieces, and the numbers of the patterns that
hold. Nothing here decides anything; the network learns what a pattern is worth.
"""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import NamedTuple

from tabellion.model.grid import DATE, MISSING, NUMBER

PIECES = 16  # hashed pieces kept of a text
HASHES = 8192  # ids; 0 is no piece
_WORDS = 6  # words of a text that are hashed whole; letters of its beginning fill the other places
_LETTERS = 40  # of a text from which three letters each are hashed

_WORD = re.compile(r"\w+|[^\w\s]")
_DIGIT = re.compile(r"\d")
_DIGITS = re.compile(r"\d+")
_YEAR = re.compile(r"\s*(1[6-9]|20)\d\d\s*(\D{0,3}|[-/–]\s*\d\d(\d\d)?)\s*")
_NUMERIC = re.compile(r"[\s(\-+−–<>~≈*$€£¥]*\d[\d\s.,'’]*(e[+-]?\d+)?\s*[)%*a-z‰]{0,2}\s*", re.I)

_LENGTHS = (3, 6, 12, 20, 32, 50, 90)
_COUNTS = (2, 3, 5, 9, 16)

_PATTERNS: dict[str, re.Pattern[str]] = {
    "total": re.compile(
        r"\b(totals?|sum|sub-?total|grand|net|average|all|insgesamt|zusammen|ensemble|summe|totale|suma|razem|ogółem"
        r"|всего|итого|avg|mean|overall)\b|計|總|总|合计",
        re.I,
    ),
    "total first": re.compile(r"\A((sub-?)?total|grand)", re.I),
    "colon last": re.compile(r":\Z"),
    "stop last": re.compile(r"\.\Z"),
    "bracket first": re.compile(r"\A[(*\[]"),
    "bracket last": re.compile(r"\)\Z"),
    "calendar": re.compile(
        r"\A(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|q[1-4]\b|mon|tue|wed|thu|fri|sat|sun)", re.I
    ),
    "unit": re.compile(
        r"%|\$|€|£|percent|per cent|\bmw\b|mmbtu|\bmcf\b|thousand|million|1[,.]000|number|rate|index|mill\.|usd"
        r"|000s|\bkg\b|\btons?\b|km",
        re.I,
    ),
    "note": re.compile(
        r"\A(source|notes?\b|\*|\d\)|[a-z]\)|fuente|quelle|källa|nota|anm|źródło|fonte|資料|注|\(?\d\)?\s)", re.I
    ),
    "table": re.compile(r"\A(table|tabelle|tabl|cuadro|tabla|tableau|表|tabell|figure|chart)\b", re.I),
    "percent": re.compile(r"%"),
    "numbered": re.compile(r"\A(\d+[.)]|[a-z][.)]|[ivx]+[.)]|\([a-z0-9]+\))\s", re.I),
    "of which": re.compile(
        r"\A(of which|thereof|including|davon|darunter|dont|de los cuales|di cui|в том числе)", re.I
    ),
    "continued": re.compile(r"\b(cont(inue)?d?\.?|continued|suite|forts)\b", re.I),
}

NUMERAL, YEAR, DAY, ABSENT, SIGNS, MIXED, WORDS = range(1, 8)
"""Kinds of texts: a number, a year, a date, a mark for a missing value, signs, letters with digits, words."""

KIND_NAMES = ("empty", "number", "year", "date", "missing", "signs", "mixed", "words")
LENGTH_NAMES = tuple(f"length {n}" for n in range(len(_LENGTHS) + 1))
COUNT_NAMES = tuple(f"words {n}" for n in range(len(_COUNTS) + 1))
PATTERN_NAMES = tuple(_PATTERNS)
CASE_NAMES = ("capitals", "capital first", "small first", "negative", "digits 0", "digits 2", "digits 4", "digits 6")
SCRIPT_NAMES = ("point in it", "east", "beyond latin")
WORDING_NAMES = (*KIND_NAMES, *LENGTH_NAMES, *COUNT_NAMES, *PATTERN_NAMES, *CASE_NAMES, *SCRIPT_NAMES)
"""What `Wording.shows` numbers, in order."""

_AT = {name: number for number, name in enumerate(WORDING_NAMES)}


class Wording(NamedTuple):
    """A text: its kind, the numbers of the names that hold of it, and its hashed pieces."""

    kind: int
    shows: tuple[int, ...]
    pieces: tuple[int, ...]


@lru_cache(maxsize=65_536)
def read_wording(text: str, content: int) -> Wording:
    """What a text shows.

    >>> wording = read_wording("Total, 15 to 24 years:", 1)
    >>> KIND_NAMES[wording.kind], "colon last" in {WORDING_NAMES[at] for at in wording.shows}
    ('mixed', True)
    """
    core = text.strip()[:160]
    kind = _kind(core, content)
    words = _WORD.findall(core.lower())
    shows = [kind]
    shows.append(_AT["length 0"] + sum(len(core) >= edge for edge in _LENGTHS))
    shows.append(_AT["words 0"] + sum(len(words) >= edge for edge in _COUNTS))
    shows += [_AT[name] for name, pattern in _PATTERNS.items() if pattern.search(core)]
    shows += _case(core, kind)
    highest = ord(max(core, default=" "))
    if highest > 0x3FF:
        shows.append(_AT["east" if highest > 0x2FFF else "beyond latin"])
    return Wording(kind, tuple(shows), _pieces(core, kind, words))


def _kind(text: str, content: int) -> int:
    if content == DATE:
        return DAY
    if _YEAR.fullmatch(text):
        return YEAR
    if content == MISSING:
        return ABSENT
    if content == NUMBER or _NUMERIC.fullmatch(text):
        return NUMERAL
    if not any(map(str.isalpha, text)):
        return SIGNS
    return MIXED if any(map(str.isdigit, text)) else WORDS


def _case(text: str, kind: int) -> list[int]:
    found = []
    if kind >= ABSENT:
        if len(text) > 2 and text.isupper():
            found.append(_AT["capitals"])
        elif text[:1].isupper():
            found.append(_AT["capital first"])
        elif text[:1].islower():
            found.append(_AT["small first"])
    if kind in (NUMERAL, YEAR):
        if text[:1] in "-(−":
            found.append(_AT["negative"])
        found.append(_AT["digits 0"] + min(3, len(_DIGIT.findall(text)) // 2))
        if "." in text:
            found.append(_AT["point in it"])
    return found


def _pieces(text: str, kind: int, words: list[str]) -> tuple[int, ...]:
    if kind in (NUMERAL, DAY, SIGNS):
        return (_hash("#" + _DIGITS.sub("0", text)[:12]),)
    plain = [_DIGIT.sub("0", word) if kind != YEAR else "0000" for word in words]
    found = [_hash(word) for word in plain[:_WORDS]]
    if len(plain) > _WORDS:
        found.append(_hash("$" + plain[-1]))
    joined = " ".join(plain)[:_LETTERS]
    for at in range(max(1, len(joined) - 2)):
        if len(found) >= PIECES:
            break
        three = joined[at : at + 3]
        if " " not in three:
            found.append(_hash("^" + three))
    return tuple(found[:PIECES])


def _hash(piece: str) -> int:
    return 1 + zlib.crc32(piece.encode("utf-8", "ignore")) % (HASHES - 1)
