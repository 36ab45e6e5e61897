"""What the markup of a web table declares: its headers, or the whole table.

What the markup itself says of headers: `scope`, `headers` and ARIA's header roles. In: what the cells of a table
declare, and their slots. Out: how many leading rows and columns are headers by the author's own word; nought where
nothing is said. A title over the whole width may stand above them. A `headers` attribute speaks of the cells it names:
one that stands in the same rows heads the row, any other the column. Where authors mark some rows only, a column is
believed from half of its cells on.

A table that its markup states in full: every header has an `id` and a `scope`, every value names its `headers`. In:
what the cells of a table declare, their slots, which of them say something, and the sections of its rows. Out: the
`StatedTable`, or None where the markup leaves something open, as most does: a cell that says something and is neither a
header nor names its own. A header's own `headers` name what it stands under; where no header has any, the order in
which values name them tells. A header of a row that is under one of a column is a field too, whose text names the row.
Rows of the foot are notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from tabellion.model.markup import Section
from tabellion.model.place import Rect
from tabellion.model.stated import StatedHeader, StatedTable, finds_roots

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
    field: bool = False  # `data-field`, as our own pages say it: a header that is a value too


_SILENT = CellWord(None, None, ())


def read_word(attributes: Mapping[str, str | None]) -> CellWord | None:
    """What the attributes of a cell declare, or None.

    >>> read_word({"scope": "Row"}).direction, read_word({"class": "x"})
    ('row', None)
    """
    said = _DIRECTIONS.get((attributes.get("scope") or "").lower()) or _ROLES.get(attributes.get("role") or "")
    named, headers = attributes.get("id"), tuple((attributes.get("headers") or "").split())
    headed = "headers" in attributes
    return CellWord(said, named, headers, headed, "data-field" in attributes) if said or named or headed else None


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
    slots_of: Counter[int] = Counter()  # how many columns the cells that begin in a row take
    for number, (row, _, _, across) in enumerate(slots):
        own.setdefault(row, []).append(told.get(number))
        slots_of[row] += across
    width = max(column + across for _, column, _, across in slots)
    titles = 0
    while own.get(titles) == [None] and slots_of[titles] == width > 1:  # one cell over the whole width names the table
        titles += 1
    rows = titles
    while rows in own and COLUMN in own[rows] and all(said for said in own[rows][1:]):
        rows += 1
    rows = rows if rows > titles else 0
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


_MOSTLY = 0.5  # the share of the cells below the head that must speak where no header says what it stands under


def state_table(
    words: Mapping[int, CellWord], slots: Sequence[Slot], sections: bytes, texts: Sequence[str]
) -> StatedTable | None:
    """The table that the markup states; `texts` is what the cells say."""
    if not words:
        return None
    heads = {word.id: number for number, word in words.items() if word.id and word.direction and number < len(slots)}
    values = [number for number, word in words.items() if word.headed and not word.direction and number < len(slots)]
    named = {header for number in values for header in words[number].headers}
    if not values or not named <= set(heads):
        return None
    rows = {slots[number][0] for number in range(len(slots))}
    body = [row for row in sorted(rows) if _section(sections, row) == Section.BODY]
    below = [number for number, slot in enumerate(slots) if _section(sections, slot[0]) == Section.BODY]
    told = set(heads.values())
    if any(texts[number] for number in below if number not in told and not (words.get(number) or _SILENT).headed):
        return None
    nested = not heads or any(words[number].headed for number in told)
    if not nested and len(values) + sum(number in told for number in below) < _MOSTLY * len(below):
        return None
    above = {name for name, number in heads.items() if words[number].direction == COLUMN}
    rows_told = [number for number in told if words[number].direction == ROW]
    keys = [number for number in rows_told if words[number].field or above & set(words[number].headers)]
    fields = [*values, *sorted(keys)]
    sides = {side: _Side(words, heads, fields, slots, side) for side in (COLUMN, ROW)}
    columns = sorted({slots[number][1] for number in values})
    valued = {slots[number][0] for number in fields}
    return StatedTable(
        area=Rect(0, 0, max(rows), max(slot[1] + slot[3] - 1 for slot in slots)),
        header_rows=tuple(row for row in sorted(rows) if _section(sections, row) == Section.HEAD),
        body_rows=tuple(body),
        stub_columns=tuple(column for column in sorted({slot[1] for slot in slots}) if column not in columns),
        value_columns=tuple(columns),
        values=frozenset(slots[number][:2] for number in fields),
        top=tuple(sides[COLUMN].headers),
        left=tuple(sides[ROW].headers),
        column_headers=sides[COLUMN].nearest,
        row_headers=sides[ROW].nearest,
        note_rows=tuple(row for row in sorted(rows) if _section(sections, row) == Section.FOOT),
        group_rows=tuple(row for row in body if row not in valued),
        keyed=bool(keys),
    )


class _Side:
    """The headers of one direction, and the nearest of each line."""

    def __init__(
        self,
        words: Mapping[int, CellWord],
        heads: Mapping[str, int],
        values: Sequence[int],
        slots: Sequence[Slot],
        direction: str,
    ) -> None:
        mine = {name: number for name, number in heads.items() if words[number].direction == direction}
        own = {number: name for name, number in mine.items()}
        lists = {number: [one for one in words[number].headers if one in mine] for number in values}
        for number, names in lists.items():
            names += [own[number]] if number in own else []  # a key names its own row
        parents = _parents(words, mine, list(lists.values()))
        place = {name: at for at, name in enumerate(mine)}
        self.headers = [
            StatedHeader((slots[number][:2],), place.get(parents.get(name, ""))) for name, number in mine.items()
        ]
        self.nearest: dict[int, tuple[int, ...]] = {}
        again: dict[str, int] = {}
        for number, names in lists.items():
            line = slots[number][1 if direction == COLUMN else 0]
            if line in self.nearest:
                continue
            above = {parents[one] for one in names if one in parents}
            found: list[int] = []
            here = set(names)
            for one in names:
                if one in above:
                    continue
                if one in parents and parents[one] not in here:  # it stands alone here
                    if one not in again:
                        again[one] = len(self.headers)
                        self.headers.append(StatedHeader((slots[mine[one]][:2],)))
                    found.append(again[one])
                else:
                    found.append(place[one])
            self.nearest[line] = tuple(found)


def _parents(words: Mapping[int, CellWord], mine: Mapping[str, int], lists: Sequence[Sequence[str]]) -> dict[str, str]:
    """What each header stands under."""
    said = {name: [one for one in words[number].headers if one in mine] for name, number in mine.items()}
    found = {name: names[-1] for name, names in said.items() if names and names[-1] != name}
    if not any(words[number].headed for number in mine.values()):
        for names in lists:
            for above, one in pairwise(names):
                if above != one:
                    found.setdefault(one, above)
    return found if finds_roots(found) else {}


def _section(sections: bytes, row: int) -> int:
    return sections[row] if row < len(sections) else Section.BODY
