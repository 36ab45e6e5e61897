"""A table as a sketch: which labels it has and what its columns are, small enough to keep for every table.

In: a table's details and the texts and values of its cells. Out: a `Sketch`. A set of labels is kept by the smallest of
its hashes (the bottom-k sketch of Cohen and Kaplan 2007): of two large sets the same labels are kept, so what two
sketches share says what the sets share. Small sets, as nearly all are, are kept whole.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence

import msgspec

from tabellion.library.joins.labels import hash_of, plain_label
from tabellion.library.reading import ColumnFacts, Details

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
