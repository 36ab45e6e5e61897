"""Places of a table as people name them, and operations in words.

In: "B7", "7", "B", "A4:C9", or numbers from 0, and a table. Out: spots and areas with what they say.
"""

from __future__ import annotations

import re
from typing import Literal

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
    Saying,
    SayTable,
    SayText,
    Spot,
    Undo,
    axis_of,
)
from tabellion.model.place import Rect, address, cell_at, column_letters, range_text, rect_at
from tabellion.model.table import Table
from tabellion.repair.places import Places

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
