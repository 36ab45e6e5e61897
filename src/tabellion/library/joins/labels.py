"""Labels in one form, so that the same thing is found to be the same however it is written.

In: a label. Out: its plain form: without note marks, case, accents and punctuation, a year by its number, a place by
one of its names. Fails on synonyms that no list says, and takes a code of two letters for a state of the United
States where it could be a country too.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files

from tabellion.values.marks import split_marks

_NOT_WORD = re.compile(r"[\W_]+")
_TRAILING_MARK = re.compile(r"(?<=\w)\s*(?:[(\[]\s*(?:\d{1,2}|[a-z])\s*[)\]]|\s\d{1,2}[/)])\s*$|[:.]+$")
_SHORT_YEAR = re.compile(r"['’‘`](\d\d)$")
_YEARS = re.compile(r"((?:1[5-9]|20)\d\d)(?: ?(?:to|through)? ?((?:1[5-9]|20)?\d\d))?")
_AROUND_YEAR = frozenset({"fy", "cy", "ay", "year", "years", "fiscal", "calendar", "yr", "in", "the", "est", "prel"})
_GLUED_YEAR = re.compile(r"(?:fy|cy|ay|yr)((?:1[5-9]|20)\d\d)")
_IDLE = frozenset({"total", "the", "all"})  # say nothing beside another word
_CENTURY = 40  # '39 is 2039, '40 is 1940


@lru_cache(maxsize=500_000)
def plain_label(text: str) -> str:
    r"""A label in its one form; empty where it says nothing.

    >>> plain_label("Calif. (2)"), plain_label("CALIFORNIA"), plain_label("U.S.")
    ('california', 'california', 'united states')
    >>> plain_label("FY 2001"), plain_label("2001 \\1"), plain_label("'01"), plain_label("2001/02")
    ('2001', '2001', '2001', '2001 2002')
    >>> plain_label("White, total"), plain_label("Côte d'Ivoire")
    ('white', 'ivory coast')
    """
    label = _TRAILING_MARK.sub("", split_marks(text.strip())[0])
    if short := _SHORT_YEAR.fullmatch(label.strip()):
        return f"{'20' if int(short[1]) < _CENTURY else '19'}{short[1]}"
    words = _words(label)
    plain = " ".join(words)
    year = _year(words)
    if year:
        return year
    known = _places()
    if plain in known:
        return known[plain]
    telling = [word for word in words if word not in _IDLE]
    plain = " ".join(telling) or plain
    return known.get(plain, plain)


def label_hash(label: str) -> int:
    """A plain label as a number of 32 bits, the same everywhere."""
    return int.from_bytes(hashlib.blake2b(label.encode("utf-8", "replace"), digest_size=4).digest(), "little")


@lru_cache(maxsize=500_000)
def hash_of(text: str) -> int:
    """The number of a label as it is written; 0 where it says nothing."""
    plain = plain_label(text)
    return label_hash(plain) or 1 if plain else 0


def _words(text: str) -> list[str]:
    flat = unicodedata.normalize("NFKD", text.casefold().replace("&", " and "))
    letters = "".join(letter for letter in flat if not unicodedata.combining(letter))
    return _NOT_WORD.sub(" ", letters.replace(".", "") if _is_dotted(letters) else letters).split()


def _is_dotted(text: str) -> bool:
    """Whether the dots are those of an abbreviation such as U.S."""
    return bool(re.fullmatch(r"(?:[a-z]\.\s?)+[a-z]?\.?", text.strip()))


def _year(words: list[str]) -> str | None:
    """A year, or two of them where a label says a span."""
    kept = " ".join(word for word in words if word not in _AROUND_YEAR)
    kept = _GLUED_YEAR.sub(r"\1", kept)
    found = _YEARS.fullmatch(kept)
    if not found:
        return None
    first, last = found[1], found[2]
    if not last:
        return first
    return f"{first} {last if len(last) == 4 else first[:2] + last}"


@cache
def _places() -> dict[str, str]:
    """Every name of a place, and the one that stands for all."""
    found: dict[str, str] = {}
    for line in files("tabellion.library.joins").joinpath("places.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names = [" ".join(_words(name)) for name in line.split(";")]
            for name in names:
                found.setdefault(name, names[0])
    return found
