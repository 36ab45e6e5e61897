"""Operations as what the stages take: another region, another grid, and the fixes of that grid.

In: operations of one region in the source's rows and columns, in the order in which they were said. Out: what the
stages need. What lies outside a grid has no effect on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

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
    axis_of,
)
from tabellion.model.fixes import (
    FixedColumn,
    FixedCut,
    FixedEdge,
    FixedOrientation,
    FixedTable,
    FixedText,
    Fixes,
)
from tabellion.model.grid import Grid
from tabellion.model.place import Rect
from tabellion.model.region import Region
from tabellion.repair.places import Places
from tabellion.repair.regrid import join_cells, join_lines, note_cells, part_cells, part_line


def mend_region(region: Region, operations: Iterable[Saying]) -> Region:
    """A region of a sheet with the edges that were given to it."""
    sides = region.rect._asdict()
    for said in operations:
        if isinstance(said, MoveEdge) and said.of == "region":
            line = said.to.row if said.side in ("top", "bottom") else said.to.column
            if line is not None:
                sides[said.side] = line
    return msgspec.structs.replace(region, rect=Rect(**sides)) if sides != region.rect._asdict() else region


def mend_grid(grid: Grid, operations: Sequence[Saying]) -> Grid:
    """A grid with its lines and cells joined and parted, and its cells noted."""
    for said in operations:
        places = Places(grid)
        if isinstance(said, JoinLines) and said.to:
            axis = axis_of(said.first)
            first, last = (
                places.row(spot.row) if axis == "row" else places.column(spot.column)
                for spot in (said.first, said.last)
            )
            if first is not None and last is not None and first < last:
                grid = join_lines(grid, axis, first, last)
        elif isinstance(said, PartLine) and said.to:
            axis = axis_of(said.line)
            line = places.row(said.line.row) if axis == "row" else places.column(said.line.column)
            grid = grid if line is None else part_line(grid, axis, line)
        elif isinstance(said, JoinCells) and (area := places.rect(said.area.rect)):
            grid = join_cells(grid, area) if said.to else part_cells(grid, area)
        elif isinstance(said, SayText) and said.what == "note" and (area := _line_of(places, said.area)):
            grid = note_cells(grid, area, said.to)
    return grid


def _line_of(places: Places, area: Area) -> Rect | None:
    """An area that is a cell or a part of one line; a larger one means a table."""
    found = places.rect(area.rect)
    return found if found and 1 in (found.height, found.width) else None


def fixes_of(grid: Grid, operations: Sequence[Saying], *, follow: bool = True) -> Fixes:
    """What is given of a grid."""
    collected = _Collected(Places(grid))
    for said in operations:
        collected.take(said)
    return collected.fixes(follow)


class _Collected:
    """Fixes as they are gathered."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.held: dict[str, Any] = {"rows": {}, "cells": {}, "left": {}, "top": {}}

    def fixes(self, follow: bool) -> Fixes:
        return Fixes(**self.held, follow=follow)

    def take(self, said: Saying) -> None:
        match said:
            case GiveRowRole():
                self._key("rows", self.places.row(said.row.row), said.to)
            case GiveCellRole():
                self._key("cells", self.places.cell(said.cell), said.to)
            case MoveHeader():
                parent = None if said.to is None else self.places.cell(said.to)
                if said.to is None or parent is not None:
                    self._key(said.side, self.places.cell(said.header), parent)
            case GiveColumnRole():
                column = self.places.column(said.column.column)
                if column is not None:
                    self._about("columns", said.table.rect, lambda table: FixedColumn(table, column, said.to))
            case MoveEdge(of="frame"):
                down = said.side in ("top", "bottom")
                line = self.places.row(said.to.row) if down else self.places.column(said.to.column)
                if line is not None:
                    self._about("edges", said.table.rect, lambda table: FixedEdge(table, said.side, line))
            case CutTables():
                axis = axis_of(said.at)
                at = self.places.row(said.at.row) if axis == "row" else self.places.column(said.at.column)
                if at is not None:
                    self._add("cuts", FixedCut(axis, at, said.to))
            case Orient():
                self._about("orientations", said.table.rect, lambda table: FixedOrientation(table, said.to))
            case SayTable():
                self._about("tables", said.table.rect, lambda table: FixedTable(table, said.to))
            case SayText():
                self._about("texts", said.area.rect, lambda area: FixedText(said.what, area, said.to))
            case _:
                pass  # the grid itself was mended

    def _key(self, name: str, key: Any, value: Any) -> None:
        if key is not None:
            self.held[name].pop(key, None)
            self.held[name][key] = value

    def _about(self, name: str, area: Rect, make: Callable[[Rect], Any]) -> None:
        if (rect := self.places.rect(area)) is not None:
            self._add(name, make(rect))

    def _add(self, name: str, one: Any) -> None:
        self.held[name] = (*self.held.get(name, ()), one)
