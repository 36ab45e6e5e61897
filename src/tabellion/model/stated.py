"""What a source itself states of a table: its parts, its headers and which stands under which, its values.

A page states it by `id`, `headers` and `scope`, a workbook by the names of its ranges. Rows and columns are the
source's own until the statement is placed on a grid.

A workbook also marks areas for other ends than to be read: lists that can be sorted and filtered, pivot tables, what is
printed, what stays in view. `SheetMarks` holds those; they are evidence, and mostly not the whole truth.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Literal, TypeVar

import msgspec

from tabellion.model.place import Rect

CellPlace = tuple[int, int]
Node = TypeVar("Node", bound=Hashable)


def finds_roots(parents: Mapping[Node, Node]) -> bool:
    """Whether the way up from everything ends somewhere; a source may state nonsense.

    >>> finds_roots({"a": "b", "b": "c"}), finds_roots({"a": "b", "b": "a"})
    (True, False)
    """
    safe: set[Node] = set()
    for start in parents:
        way: dict[Node, None] = {}
        at: Node | None = start
        while at is not None and at not in safe:
            if at in way:
                return False
            way[at] = None
            at = parents.get(at)
        safe.update(way)
    return True


class StatedHeader(msgspec.Struct, frozen=True):
    """A header: its cells, the first of which identifies it, and the place of its parent among the headers."""

    cells: tuple[CellPlace, ...]
    parent: int | None = None


class StatedTable(msgspec.Struct, frozen=True):
    """A table as it is stated. `area` holds all of it, with title and notes; `row_headers` gives the nearest."""

    area: Rect
    header_rows: tuple[int, ...]
    body_rows: tuple[int, ...]
    stub_columns: tuple[int, ...]
    value_columns: tuple[int, ...]
    values: frozenset[CellPlace]
    top: tuple[StatedHeader, ...] = ()
    left: tuple[StatedHeader, ...] = ()
    column_headers: dict[int, tuple[int, ...]] = {}
    row_headers: dict[int, tuple[int, ...]] = {}
    title_rows: tuple[int, ...] = ()
    note_rows: tuple[int, ...] = ()
    group_rows: tuple[int, ...] = ()
    total_rows: tuple[int, ...] = ()
    keyed: bool = False

    def placed(self, row_of: Sequence[int], column_of: Sequence[int]) -> StatedTable | None:
        """The same in the lines of a grid; lines that it leaves out are blank. None where a header is not on it."""
        row_at = {row: at for at, row in enumerate(row_of)}
        column_at = {column: at for at, column in enumerate(column_of)}

        def cell(place: CellPlace) -> CellPlace | None:
            row, column = row_at.get(place[0]), column_at.get(place[1])
            return None if row is None or column is None else (row, column)

        def headers(given: tuple[StatedHeader, ...]) -> tuple[StatedHeader, ...]:
            return tuple(StatedHeader(_known(map(cell, one.cells)), one.parent) for one in given)

        top, left = headers(self.top), headers(self.left)
        if not all(one.cells for one in (*top, *left)):
            return None
        rows = {name: _lines(getattr(self, name), row_at) for name in _ROWS}
        columns = {name: _lines(getattr(self, name), column_at) for name in _COLUMNS}
        return msgspec.structs.replace(
            self,
            top=top,
            left=left,
            values=frozenset(_known(map(cell, self.values))),
            column_headers={column_at[line]: held for line, held in self.column_headers.items() if line in column_at},
            row_headers={row_at[line]: held for line, held in self.row_headers.items() if line in row_at},
            **rows,
            **columns,
        )


_ROWS = ("header_rows", "body_rows", "title_rows", "note_rows", "group_rows", "total_rows")
_COLUMNS = ("stub_columns", "value_columns")


def _known(cells: Iterable[CellPlace | None]) -> tuple[CellPlace, ...]:
    return tuple(cell for cell in cells if cell is not None)


def _lines(lines: tuple[int, ...], at: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(at[line] for line in lines if line in at)


MarkedAs = Literal["table", "pivot", "filter", "name", "print"]


class MarkedArea(msgspec.Struct, frozen=True):
    """An area of a sheet, what it is marked as, and how many of its first lines are heads, where that is told.

    `table` is a list made by the spreadsheet program's own command, `filter` the area of drop-down filters.
    """

    kind: MarkedAs
    area: Rect
    header_rows: int = 0
    header_columns: int = 0
    total_rows: int = 0


class SheetMarks(msgspec.Struct, frozen=True):
    """Areas that a sheet marks; `heads` are the last rows of those that stay in view or are printed on every page."""

    areas: tuple[MarkedArea, ...] = ()
    heads: tuple[int, ...] = ()

    def placed(self, row_of: Sequence[int], column_of: Sequence[int]) -> SheetMarks:
        """The same in the lines of a grid; areas without a line on it are left out."""
        areas = [
            msgspec.structs.replace(
                marked,
                area=Rect(rows[0], columns[0], rows[-1], columns[-1]),
                header_rows=sum(row_of[row] < marked.area.top + marked.header_rows for row in rows),
                header_columns=sum(column_of[at] < marked.area.left + marked.header_columns for at in columns),
                total_rows=sum(row_of[row] > marked.area.bottom - marked.total_rows for row in rows),
            )
            for marked in self.areas
            if (rows := _within(row_of, marked.area.top, marked.area.bottom))
            and (columns := _within(column_of, marked.area.left, marked.area.right))
        ]
        heads = sorted({upto[-1] for head in self.heads if (upto := _within(row_of, 0, head))})
        return SheetMarks(tuple(areas), tuple(heads))


def _within(lines: Sequence[int], first: int, last: int) -> list[int]:
    """The places of the lines of a grid that lie between two of the source's."""
    return [place for place, line in enumerate(lines) if first <= line <= last]


UNMARKED = SheetMarks()
