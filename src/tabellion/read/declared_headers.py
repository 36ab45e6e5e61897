"""What the markup itself says of headers: `scope`, `headers` and ARIA's header roles.

In: what the cells of a table declare, and their slots. Out: how many leading rows and columns are headers by the
author's own word; nought where nothing is said. A `headers` attribute speaks of the cells it names: one that stands in
the same rows heads the row, any other the column. Where authors mark some rows only, a column is believed from half of
its cells on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

ROW, COLUMN = "row", "col"
_DIRECTIONS = {"row": ROW, "rowgroup": ROW, "col": COLUMN, "colgroup": COLUMN}
_ROLES = {"rowheader": ROW, "columnheader": COLUMN}
_BELIEVED = 0.5  # the share of its cells that must be row headers for a column to be one

Slot = tuple[int, int, int, int]  # row, column, row span, column span


class Declared(NamedTuple):
    """Leading header rows and columns by the author's word."""

    rows: int = 0
    columns: int = 0


class CellWord(NamedTuple):
    """What one cell declares: its direction as a header, its identifier, and the identifiers of its headers."""

    direction: str | None
    id: str | None
    headers: tuple[str, ...]
    headed: bool = False  # there is a `headers` attribute, be it empty


def read_word(attributes: Mapping[str, str | None]) -> CellWord | None:
    """What the attributes of a cell declare, or None.

    >>> read_word({"scope": "Row"}).direction, read_word({"class": "x"})
    ('row', None)
    """
    said = _DIRECTIONS.get((attributes.get("scope") or "").lower()) or _ROLES.get(attributes.get("role") or "")
    named, headers = attributes.get("id"), tuple((attributes.get("headers") or "").split())
    headed = "headers" in attributes
    return CellWord(said, named, headers, headed) if said or named or headed else None


def declare_headers(words: Mapping[int, CellWord], slots: Sequence[Slot]) -> Declared:
    """The leading rows and columns that are headers, from what cells (by their number) declare."""
    told = {number: word.direction for number, word in words.items() if word.direction and number < len(slots)}
    named = {word.id: number for number, word in words.items() if word.id and number < len(slots)}
    for number, word in words.items():
        for header in word.headers:
            if header in named and number < len(slots) and named[header] != number:
                told.setdefault(named[header], _direction(slots[named[header]], slots[number]))
    if not told:
        return Declared()
    own: dict[int, list[str | None]] = {}
    for number, (row, *_) in enumerate(slots):
        own.setdefault(row, []).append(told.get(number))
    rows = 0
    while rows in own and COLUMN in own[rows] and all(said for said in own[rows][1:]):
        rows += 1
    left: Counter[int] = Counter()
    for number, (row, column, down, _) in enumerate(slots):
        if row >= rows and told.get(number) == ROW:
            left[column] += down
    body = max(1, max(row + down for row, _, down, _ in slots) - rows)
    columns = 0
    while left[columns] >= _BELIEVED * body:
        columns += 1
    return Declared(rows, columns)


def _direction(header: Slot, cell: Slot) -> str:
    return ROW if header[0] <= cell[0] < header[0] + header[2] else COLUMN
