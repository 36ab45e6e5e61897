"""Operations as what the stages take: another region, another grid, and the fixes of that grid.

In: operations of one region in the source's rows and columns, in the order in which they were said. Out: what the
stages need. What lies outside a grid has no effect on it.

Grids whose rows, columns and cells people joined or parted. In: a grid and what was said of it. Out: another grid.
Joined lines stand in the first of them and leave the others blank, so that every address stays; a parted line becomes
several of the same address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.correction import (
    Area,
    Axis,
    CutTables,
    FixedColumn,
    FixedCut,
    FixedEdge,
    FixedOrientation,
    FixedTable,
    FixedText,
    Fixes,
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
from tabellion.model.document import Region
from tabellion.model.grid import EMPTY, Content, Grid
from tabellion.model.place import Rect
from tabellion.repair.places import Places
from tabellion.values import read_texts

_LINES = re.compile(r"(?<!\s)\s*\n\s*")
_PIECES = re.compile(r"(?<!\s)\s*\n\s*|\t+| {2,}")
_BY_CELL = ("text", "label", "content", "number", "style", "indent", "marks")


def join_lines(grid: Grid, axis: Axis, first: int, last: int) -> Grid:
    """The lines from the first to the last as one."""
    arrays = {name: getattr(grid, name).copy() for name in ("text", "label", "content", "number")}
    line = _along(axis)
    for across in range(grid.shape[1 if axis == "row" else 0]):
        cells = [line(at, across) for at in range(first, last + 1)]
        filled = [cell for cell in cells if arrays["content"][cell] != EMPTY]
        if not filled:
            continue
        texts = [" ".join(str(arrays[name][cell]) for cell in filled) for name in ("text", "label")]
        alone = filled[0]
        kept = {name: arrays[name][alone] for name in ("content", "number")}
        if len(filled) > 1:
            kept = {"content": np.uint8(Content.TEXT), "number": np.float64(np.nan)}
        for cell in cells:
            arrays["text"][cell] = arrays["label"][cell] = ""
            arrays["content"][cell], arrays["number"][cell] = Content.EMPTY, np.nan
        arrays["text"][cells[0]], arrays["label"][cells[0]] = texts
        arrays["content"][cells[0]], arrays["number"][cells[0]] = kept["content"], kept["number"]
    return msgspec.structs.replace(grid, **arrays)


def part_line(grid: Grid, axis: Axis, at: int) -> Grid:
    """A line whose cells hold several lines of text (columns: pieces with wide blanks between) as so many lines."""
    split = _LINES if axis == "row" else _PIECES
    texts = grid.text[at] if axis == "row" else grid.text[:, at]
    pieces = [split.split(str(text).strip()) if text else [] for text in texts]
    count = max((len(one) for one in pieces), default=1)
    if count < 2:
        return grid
    places = [*range(at + 1), *[at] * (count - 1), *range(at + 1, grid.shape[0 if axis == "row" else 1])]
    grown = _taken(grid, axis, np.array(places, dtype=np.intp), at, count)
    return _write_pieces(grown, axis, at, [list(line) for line in zip_longest(*pieces, fillvalue="")])


def join_cells(grid: Grid, area: Rect) -> Grid:
    """The cells of an area as one."""
    spans = _without(grid, area)
    spans.append((area.top, area.left, area.height, area.width))
    inside = grid.label[area.top : area.bottom + 1, area.left : area.right + 1].ravel()
    said = [str(label) for label in inside if label]
    arrays = {name: getattr(grid, name).copy() for name in ("text", "label", "content", "number")}
    first = next(((r, c) for r, c in _cells(area) if grid.content[r, c] != EMPTY), (area.top, area.left))
    kept = {name: arrays[name][first] for name in arrays}
    for cell in _cells(area):
        arrays["text"][cell] = arrays["label"][cell] = ""
        arrays["content"][cell], arrays["number"][cell] = Content.EMPTY, np.nan
    home = (area.top, area.left)
    for name, value in kept.items():
        arrays[name][home] = value
    if len(said) > 1:
        arrays["text"][home] = arrays["label"][home] = " ".join(said)
        arrays["content"][home], arrays["number"][home] = Content.TEXT, np.nan
    return msgspec.structs.replace(grid, **arrays, spans=np.array(sorted(spans), dtype=np.int32).reshape(-1, 4))


def part_cells(grid: Grid, area: Rect) -> Grid:
    """The merged cells of an area as single cells; the first of each keeps what it says."""
    return msgspec.structs.replace(grid, spans=np.array(_without(grid, area), dtype=np.int32).reshape(-1, 4))


def note_cells(grid: Grid, area: Rect, note: str | None) -> Grid:
    """The filled cells of an area with a note of their own, or with none."""
    notes = dict(grid.notes)
    for row, column in _cells(area):
        flat = row * grid.shape[1] + column
        if note and grid.content[row, column] != EMPTY:
            notes[flat] = (note,)
        else:
            notes.pop(flat, None)
    return msgspec.structs.replace(grid, notes=notes)


def _along(axis: Axis) -> Callable[[int, int], tuple[int, int]]:
    return (lambda at, across: (at, across)) if axis == "row" else (lambda at, across: (across, at))


def _cells(area: Rect) -> list[tuple[int, int]]:
    return [(r, c) for r in range(area.top, area.bottom + 1) for c in range(area.left, area.right + 1)]


def _without(grid: Grid, area: Rect) -> list[tuple[int, int, int, int]]:
    """The spans that do not touch an area."""
    kept = []
    for row, column, down, across in grid.spans.tolist():
        apart = row > area.bottom or column > area.right or row + down <= area.top or column + across <= area.left
        if apart:
            kept.append((row, column, down, across))
    return kept


def _taken(grid: Grid, axis: Axis, places: NDArray[np.intp], at: int, count: int) -> Grid:
    """The grid with one line repeated."""
    side = 0 if axis == "row" else 1
    arrays: dict[str, Any] = {name: np.take(getattr(grid, name), places, axis=side) for name in _BY_CELL}
    lines = {"row": ("row_of", "hidden_rows"), "column": ("column_of", "hidden_columns")}[axis]
    arrays |= {name: getattr(grid, name)[places] for name in lines}
    if grid.boxes is not None:
        arrays["boxes"] = np.take(grid.boxes, places, axis=side)
    spans = grid.spans.copy()
    start, length = spans[:, side], spans[:, side + 2]
    inside = (start <= at) & (start + length > at) & (length > 1)
    spans[inside, side + 2] += count - 1
    spans[start > at, side] += count - 1
    width = grid.shape[1]
    notes: dict[int, tuple[str, ...]] = {}
    for flat, marks in grid.notes.items():
        row, column = divmod(flat, width)
        row, column = (
            (row + (count - 1) * (row > at), column) if side == 0 else (row, column + (count - 1) * (column > at))
        )
        notes[row * (width + (count - 1) * side) + column] = marks
    return msgspec.structs.replace(grid, **arrays, spans=spans, notes=notes)


def _write_pieces(grid: Grid, axis: Axis, at: int, lines: list[list[str]]) -> Grid:
    sayings = read_texts(piece for line in lines for piece in line)
    arrays = {name: getattr(grid, name) for name in ("text", "label", "content", "number")}
    place = _along(axis)
    for offset, line in enumerate(lines):
        for across, piece in enumerate(line):
            cell = place(at + offset, across)
            said = sayings[piece]
            arrays["text"][cell], arrays["label"][cell] = piece, said.label
            arrays["content"][cell] = said.content if piece else Content.EMPTY
            arrays["number"][cell] = said.number if piece else np.nan
    return msgspec.structs.replace(grid, **arrays)


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
