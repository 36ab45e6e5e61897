"""Grids whose rows, columns and cells people joined or parted.

In: a grid and what was said of it. Out: another grid. Joined lines stand in the first of them and leave the others
blank, so that every address stays; a parted line becomes several of the same address.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.fixes import Axis
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect
from tabellion.values import read_texts

_LINES = re.compile(r"\s*\n\s*")
_PIECES = re.compile(r"\s*\n\s*|\t+| {2,}")
_BY_CELL = ("text", "label", "content", "number", "style", "indent", "marks")


def join_lines(grid: Grid, axis: Axis, first: int, last: int) -> Grid:
    """The lines from the first to the last as one."""
    arrays = {name: getattr(grid, name).copy() for name in ("text", "label", "content", "number")}
    line = _along(axis)
    for across in range(grid.shape[1 if axis == "row" else 0]):
        cells = [line(at, across) for at in range(first, last + 1)]
        filled = [cell for cell in cells if arrays["content"][cell] != Content.EMPTY]
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
    first = next(((r, c) for r, c in _cells(area) if grid.content[r, c] != Content.EMPTY), (area.top, area.left))
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
        if note and grid.content[row, column] != Content.EMPTY:
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
