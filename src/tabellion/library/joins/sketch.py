"""A table as a small sketch of its labels and columns, by which partners are found.

In: a table's details and the texts and values of its cells. Out: a `Sketch`. A set of labels is kept by the smallest of
its hashes (the bottom-k sketch of Cohen and Kaplan 2007): of two large sets the same labels are kept, so what two
sketches share says what the sets share. Small sets, as nearly all are, are kept whole.

Labels in one form, so that the same thing is found to be the same however it is written. In: a label. Out: its plain
form: without note marks, case, accents and punctuation, a time by its ISO code, a place by one of its names. Fails on
synonyms that no list says, and takes a code of two letters for a state of the United States where it could be a country
too.
"""

from __future__ import annotations

import hashlib
import math
import re
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from tabellion.library.holdings import ColumnFacts, Details
from tabellion.patterns import short_pattern
from tabellion.values.periods import known_places, plain_words, read_period
from tabellion.values.texts import split_marks

_NOT_WORD = re.compile(r"[\W_]+")
_TRAILING_MARK = short_pattern(r"(?<=\w)\s*(?:[(\[]\s*(?:\d{1,2}|[a-z])\s*[)\]]|\s\d{1,2}[/)])\s*$|[:.]+$")
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
    >>> plain_label("White, total"), plain_label("Côte d'Ivoire"), plain_label("1st quarter 2009")
    ('white', 'ivory coast', '2009-q1')
    """
    label = _TRAILING_MARK.sub("", split_marks(text.strip())[0])
    if short := _SHORT_YEAR.fullmatch(label.strip()):
        return f"{'20' if int(short[1]) < _CENTURY else '19'}{short[1]}"
    words = plain_words(label)
    plain = " ".join(words)
    year = _year(words)
    if year:
        return year
    if place := _place(plain):
        return place
    period = read_period(label)
    if period and period.kind != "year" and period.start:
        return period.code.casefold()
    telling = [word for word in words if word not in _IDLE]
    plain = " ".join(telling) or plain
    return _place(plain) or plain


def _place(words: str) -> str | None:
    """The one name of a place that has several."""
    found = known_places().get(words)
    return " ".join(plain_words(found[0].name)) if found else None


def label_hash(label: str) -> int:
    """A plain label as a number of 32 bits, the same everywhere."""
    return int.from_bytes(hashlib.blake2b(label.encode("utf-8", "replace"), digest_size=4).digest(), "little")


@lru_cache(maxsize=500_000)
def hash_of(text: str) -> int:
    """The number of a label as it is written; 0 where it says nothing."""
    plain = plain_label(text)
    return label_hash(plain) or 1 if plain else 0


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


MOST = 256  # hashes kept of a set
_FEW = 2  # labels below which a column of words is no key
_LONGEST = 80  # letters of a text that can be a label
_TELLING = 4  # letters of a word of a caption that says what a table is about
_FINE = 100  # parts of a power of ten that a magnitude is kept in


class ColumnSketch(msgspec.Struct, frozen=True, array_like=True):
    """A column of values: its own label, what is in it, and between which powers of ten its middle half lies."""

    head: int
    number: bool
    unit: int
    low: int | None = None
    high: int | None = None
    decimals: int = 0
    labels: bytes = b""


class Sketch(msgspec.Struct, frozen=True, array_like=True):
    """A table: labels of its rows, labels of its columns, the label over the stub, and its columns.

    Where its rows are called by numbers, `span` holds the least and the greatest. `caption` holds the words over it.
    """

    left: bytes
    top: bytes
    stub: int
    columns: tuple[ColumnSketch, ...]
    caption: bytes = b""
    span: tuple[int, int] | None = None


class Cells(msgspec.Struct):
    """Texts and values of a table's cells with the columns that they stand in."""

    texts: list[str] = []
    columns: list[int] = []
    values: list[float | None] = []


_decode = msgspec.msgpack.Decoder(Sketch).decode


def sketch_table(details: Details, cells: Cells, caption: str = "") -> Sketch:
    """The sketch of a table."""
    held: dict[int, Cells] = {}
    for text, column, value in zip(cells.texts, cells.columns, cells.values, strict=True):
        one = held.setdefault(column, Cells([], [], []))
        one.texts.append(text)
        one.values.append(value)
    return Sketch(
        left=pack_hashes(map(hash_of, details.stub_words)),
        top=pack_hashes(map(hash_of, details.header_words)),
        stub=hash_of(details.stub[0].path[-1]) if details.stub and details.stub[0].path else 0,
        columns=tuple(_column(column, held.get(column.column, Cells())) for column in details.columns),
        caption=pack_hashes(hash_of(word) for word in caption.split() if len(word) >= _TELLING),
        span=_span(details.stub_words),
    )


def pack_sketch(sketch: Sketch) -> bytes:
    return msgspec.msgpack.encode(sketch)


def unpack_sketch(packed: bytes) -> Sketch:
    return _decode(packed)


def pack_hashes(hashes: Iterable[int]) -> bytes:
    """The smallest hashes of a set, each in four bytes."""
    return array("I", sorted(set(hashes) - {0})[:MOST]).tobytes()


def unpack_hashes(packed: bytes) -> frozenset[int]:
    found = array("I")
    found.frombytes(packed)
    return frozenset(found)


def tokens(packed: Sequence[bytes]) -> str:
    """Hashes as words for the index."""
    return " ".join(f"{one:x}" for one in sorted(frozenset[int]().union(*map(unpack_hashes, packed))))


def _column(facts: ColumnFacts, cells: Cells) -> ColumnSketch:
    low, high = _magnitudes(cells.values) if facts.number else (None, None)
    words: set[str] = set()
    if not facts.number:
        words = {text for text, value in zip(cells.texts, cells.values, strict=True) if value is None}
    elif _are_years(cells.values):
        words = set(cells.texts)
    labels = pack_hashes(hash_of(text) for text in words if len(text) <= _LONGEST) if len(words) >= _FEW else b""
    head = hash_of(facts.path[-1]) if facts.path else 0
    unit = hash_of(facts.unit) if facts.unit else 0
    return ColumnSketch(head, facts.number, unit, low, high, _decimals(cells.texts) if facts.number else 0, labels)


def _decimals(texts: Sequence[str]) -> int:
    """How many digits after the point most values have."""
    counts = sorted(len(text.rpartition(".")[2].rstrip("% ")) if "." in text else 0 for text in texts)
    return counts[len(counts) // 2] if counts else 0


def _span(labels: Sequence[str]) -> tuple[int, int] | None:
    numbers = [int(plain) for label in labels if (plain := plain_label(label)).isdecimal() and len(plain) < 10]
    return (min(numbers), max(numbers)) if len(numbers) >= max(_FEW, 0.7 * len(labels)) else None


def _are_years(values: Sequence[float | None]) -> bool:
    return all(value is not None and 1500 <= value < 2100 and value == int(value) for value in values)


def _magnitudes(values: Sequence[float | None]) -> tuple[int | None, int | None]:
    sizes = sorted(abs(value) for value in values if value and math.isfinite(value))
    if not sizes:
        return None, None
    low, high = sizes[len(sizes) // 4], sizes[(3 * len(sizes)) // 4]
    return round(math.log10(low) * _FINE), round(math.log10(high) * _FINE)
