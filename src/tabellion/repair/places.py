"""Places of a table: as people name them, in the source, and in a grid.

Places of a source in the rows and columns of a grid, and back. In: spots and areas in the source's own rows and
columns. Out: the same in a grid's, or None where the grid does not hold them. A grid leaves out long blank runs of a
sheet, so the two differ.

Places of a table as people name them, and operations in words. In: "B7", "7", "B", "A4:C9", or numbers from 0, and a
table. Out: spots and areas with what they say.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import RepairError
from tabellion.model.correction import (
    Area,
    CutTables,
    GiveCellRole,
    GiveColumnRole,
    GiveRowRole,
    JoinCells,
    JoinLines,
    MoveEdge,
    MoveHeader,
    Orient,
    PartLine,
    Said,
    SameLabel,
    Saying,
    SayTable,
    SayText,
    Spot,
    Undo,
    axis_of,
)
from tabellion.model.grid import Grid
from tabellion.model.place import Place, Rect, address, cell_at, column_letters, range_text, rect_at
from tabellion.model.table import Table

_LONGEST = 120  # letters of a label that a place keeps
_APART = 2.0  # points by which two boxes of one region may differ


def region_place(place: Place) -> Place:
    """The part of a place that names a region: a sheet, an element of a page, a box of a printed page."""
    return msgspec.structs.replace(place, range=None)


def same_region(one: Place, other: Place) -> bool:
    """Whether two places are of the same sheet, element, or box."""
    if (one.sheet, one.page, one.table_index) != (other.sheet, other.page, other.table_index):
        return False
    if one.box and other.box:
        return all(abs(a - b) <= _APART for a, b in zip(one.box, other.box, strict=True))
    return one.path == other.path


def _first_places(lines: NDArray[np.int32]) -> dict[int, int]:
    """Line of the source -> the first place that it has in the grid."""
    return dict(zip(lines[::-1].tolist(), range(len(lines) - 1, -1, -1), strict=True))


class Places:
    """The rows and columns of a source in one grid."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._row, self._column = _first_places(grid.row_of), _first_places(grid.column_of)

    def row(self, row: int | None) -> int | None:
        return None if row is None else self._row.get(row)

    def column(self, column: int | None) -> int | None:
        return None if column is None else self._column.get(column)

    def cell(self, spot: Spot) -> tuple[int, int] | None:
        """The grid's cell at a spot; of a merged area its first."""
        row, column = self.row(spot.row), self.column(spot.column)
        if row is None or column is None:
            return None
        home = int(self.grid.home[row, column])
        return divmod(home, self.grid.shape[1])

    def rect(self, area: Rect) -> Rect | None:
        """The part of an area that the grid holds."""
        rows = np.flatnonzero((self.grid.row_of >= area.top) & (self.grid.row_of <= area.bottom))
        columns = np.flatnonzero((self.grid.column_of >= area.left) & (self.grid.column_of <= area.right))
        if not len(rows) or not len(columns):
            return None
        return Rect(int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1]))

    def spot(self, row: int | None = None, column: int | None = None) -> Spot:
        """The source's cell, row or column of the grid's, with what it says."""
        return Spot(
            None if row is None else int(self.grid.row_of[row]),
            None if column is None else int(self.grid.column_of[column]),
            self.words(row, column),
        )

    def area(self, rect: Rect) -> Area:
        """The source's area of the grid's, with the first words in it."""
        source = self.grid.source_rect(rect)
        inside = self.grid.label[rect.top : rect.bottom + 1, rect.left : rect.right + 1]
        return Area(*source, text=_first(inside.ravel()))

    def words(self, row: int | None, column: int | None) -> str:
        if row is not None and column is not None:
            return _short(self.grid.label[row, column])
        if row is not None:
            return _first(self.grid.label[row])
        return _first(self.grid.label[:, column]) if column is not None else ""


def _first(labels: np.ndarray[tuple[int, ...], np.dtype[np.object_]]) -> str:
    return next((_short(label) for label in labels if label), "")


def _short(label: object) -> str:
    return " ".join(str(label).split())[:_LONGEST]


_ROW = re.compile(r"[1-9]\d{0,6}")
_COLUMN = re.compile(r"[A-Za-z]{1,3}")


class Named:
    """The places of one table."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._places = Places(table.grid)

    @property
    def table(self) -> Area:
        return self._places.area(self._table.frame.rect)

    def row(self, row: str | int) -> Spot:
        """A row by its number in the source from 0, by the number that a sheet shows, or by one of its cells."""
        if isinstance(row, str):
            text = row.strip()
            row = int(text) - 1 if _ROW.fullmatch(text) else _cell(text)[0]
        place = self._places.row(row)
        if place is None:
            raise RepairError(f"row {row + 1} is not part of this table's sheet")
        return self._places.spot(row=place)

    def column(self, column: str | int) -> Spot:
        """A column by its number in the source from 0, by its letters, or by one of its cells."""
        if isinstance(column, str):
            text = column.strip()
            column = _cell(f"{text}1" if _COLUMN.fullmatch(text) else text)[1]
        place = self._places.column(column)
        if place is None:
            raise RepairError(f"column {column_letters(column)} is not part of this table's sheet")
        return self._places.spot(column=place)

    def line(self, row: str | int | None, column: str | int | None) -> Spot:
        if (row is None) == (column is None):
            raise RepairError("name a row or a column")
        return self.row(row) if row is not None else self.column(column or 0)

    def cell(self, cell: str) -> Spot:
        row, column = _cell(cell)
        found = self._places.cell(Spot(row, column))
        if found is None:
            raise RepairError(f"{cell} is not part of this table's sheet")
        return self._places.spot(*found)

    def header(self, cell: str, side: Literal["left", "top"] | None = None) -> Spot:
        """A header by any of its cells: its first cell."""
        row, column = _cell(cell)
        at = self._places.cell(Spot(row, column))
        for name in (side,) if side else ("left", "top"):
            for node in (self._table.left if name == "left" else self._table.top).nodes:
                if at in node.cells:
                    return self._places.spot(*node.cells[0])
        raise RepairError(f"{cell} is no header of this table; give it, or its row, a role first")

    def side_of(self, cell: str) -> Literal["left", "top"]:
        """The tree that a header is in."""
        row, column = _cell(cell)
        at = self._places.cell(Spot(row, column))
        if any(at in node.cells for node in self._table.left.nodes):
            return "left"
        if any(at in node.cells for node in self._table.top.nodes):
            return "top"
        raise RepairError(f"{cell} is no header of this table; give it, or its row, a role first")

    def area(self, area: str) -> Area:
        try:
            rect = rect_at(area)
        except ValueError as error:
            raise RepairError(str(error)) from None
        found = self._places.rect(rect)
        if found is None:
            raise RepairError(f"{area} is not part of this table's sheet")
        words = self._places.area(found).text
        return Area(*rect, text=words)

    def worded(self, said: Said) -> Said:
        """An operation with the words that stand at its places; a header is named by its first cell."""
        changed: dict[str, object] = {}
        for name in said.__struct_fields__:
            value = getattr(said, name)
            if isinstance(value, Area):
                changed[name] = Area(*value.rect, text=self.area(range_text(value.rect)).text)
            elif isinstance(value, Spot) and isinstance(said, MoveHeader):
                changed[name] = self.header(address(value.row or 0, value.column or 0), said.side)
            elif isinstance(value, Spot) and value.row is not None and value.column is not None:
                changed[name] = self.cell(address(value.row, value.column))
            elif isinstance(value, Spot):
                changed[name] = self.line(value.row, value.column)
        return msgspec.structs.replace(said, **changed)


def _cell(text: str) -> tuple[int, int]:
    try:
        return cell_at(text)
    except ValueError as error:
        raise RepairError(str(error)) from None


def describe(said: Saying | Undo) -> str:
    """An operation in a few words.

    >>> describe(GiveRowRole(Spot(row=3, text="Year"), to="header", was="title"))
    "row 4 'Year': title to header"
    """
    match said:
        case Undo():
            return f"undo {said.correction}"
        case MoveHeader():
            return f"{said.side} header {_where(said.header)}: {_under(said.was)} to {_under(said.to)}"
        case GiveRowRole():
            return f"{_where(said.row)}: {said.was} to {said.to}"
        case GiveColumnRole():
            return f"{_where(said.column)}: {said.was} to {said.to}"
        case GiveCellRole():
            return f"{_where(said.cell)}: {said.was} to {said.to}"
        case MoveEdge():
            was = _where(said.was) if said.was else "?"
            return f"{said.side} edge of the {said.of} {_range(said.table.rect)}: {was} to {_where(said.to)}"
        case CutTables():
            return f"{'split' if said.to else 'merge'} tables before {_where(said.at)}"
        case JoinLines():
            verb = "merge" if said.to else "do not merge"
            return f"{verb} {axis_of(said.first)}s {_where(said.first)} to {_where(said.last)}"
        case PartLine():
            return f"{'split' if said.to else 'do not split'} {_where(said.line)}"
        case JoinCells():
            return f"{'merge' if said.to else 'split'} cells {_range(said.area.rect)}"
        case Orient():
            return f"orientation of {_range(said.table.rect)}: {said.was} to {said.to}"
        case SayTable():
            return f"{_range(said.table.rect)} is {'a' if said.to else 'no'} table"
        case SayText():
            return f"{said.what} of {_range(said.area.rect)}: {said.was!r} to {said.to!r}"
        case SameLabel():
            return f"label {said.label!r}: the same as {said.to!r}"


def _where(spot: Spot) -> str:
    if spot.row is not None and spot.column is not None:
        named = address(spot.row, spot.column)
    elif spot.row is not None:
        named = f"row {spot.row + 1}"
    else:
        named = f"column {column_letters(spot.column or 0)}"
    return f"{named} {spot.text!r}" if spot.text else named


def _under(spot: Spot | None) -> str:
    return "under none" if spot is None else f"under {_where(spot)}"


def _range(rect: Rect) -> str:
    return range_text(rect)
