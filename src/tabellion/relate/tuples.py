"""One tuple for each value, with its paths and its unit (Chen and Cafarella 2013, section 3.3, algorithm 2).

In: a frame with its header trees, the notes of its sheet. Out: `Tuples`, columnar. Every filled cell of the value
region has a tuple, and so has every cell of a key, which is a field besides. The value of a mark for a missing one is
null; so is that of a lone letter or sign in a column of numbers. A number that is not plain (`32.5 ± 0.6`, `<0.05`) is
a number, and a `Quantity` says how far it can be off. A value without any header is kept all the same. Fails where a
column of numbers uses single letters as codes.

`Paths` are the labels of a row or a column, from the outermost to the nearest, made when they are asked for: a relation
of a million rows would otherwise hold a million paths that nobody may ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame, HeaderNode, HeaderTree, Nested
from tabellion.model.grid import Content, Grid
from tabellion.model.table import Path, Quantity, Tuples
from tabellion.relate.units import find_units
from tabellion.values import is_missing_mark
from tabellion.values.conventions import settle_conventions
from tabellion.values.number import read_quantities, suspects_quantity

_KEPT = 5_000  # lines whose paths are remembered; of longer tables the last one is: values are read row by row


class Paths(Mapping[int, Path]):
    """Line of the grid -> path."""

    def __init__(
        self, grid: Grid, tree: HeaderTree, nearest: Mapping[int, tuple[int, ...]], note_texts: Mapping[str, str]
    ) -> None:
        self.grid, self.tree, self.nearest, self.note_texts = grid, tree, nearest, note_texts
        self._held: dict[int, Path] = {}

    def __getitem__(self, line: int) -> Path:
        path = self._held.get(line)
        if path is None:
            if len(self.nearest) > _KEPT:
                self._held.clear()
            path = self._held[line] = self._build(self.nearest[line])
        return path

    def __iter__(self) -> Iterator[int]:
        return iter(self.nearest)

    def __len__(self) -> int:
        return len(self.nearest)

    def roots(self, lines: Iterable[int]) -> list[HeaderNode] | None:
        """The one node of each line, where no line has more and none stands under another: a plain list of names."""
        nodes, nearest = self.tree.nodes, self.nearest
        held = [nearest.get(line, ()) for line in lines]
        if any(len(one) != 1 for one in held):
            return None
        found = [nodes[one[0]] for one in held]
        return None if any(node.parent is not None or len(node.cells) != 1 for node in found) else found

    def nodes(self, line: int) -> list[HeaderNode]:
        """The nodes that label a line: each branch outermost first, branches in the order of their columns."""
        branches = (self.tree.path(node) for node in self.nearest.get(line, ()))
        return list({node.id: node for branch in branches for node in branch}.values())

    def _build(self, nearest: tuple[int, ...]) -> Path:
        if len(nearest) == 1:
            nodes = list(self.tree.path(nearest[0]))
        else:
            nodes = list({node.id: node for one in nearest for node in self.tree.path(one)}.values())
        return Path(
            labels=tuple(node.text for node in nodes),
            cells=tuple(self._source(*node.cells[0]) for node in nodes if node.cells),
            notes=tuple(self.note_texts.get(mark, mark) for node in nodes for mark in self._marks(node)),
        )

    def _marks(self, node: HeaderNode) -> tuple[str, ...]:
        if not self.grid.notes:
            return node.notes
        width = self.grid.shape[1]
        written = (mark for row, column in node.cells for mark in self.grid.notes.get(row * width + column, ()))
        return tuple(dict.fromkeys((*node.notes, *written)))

    def _source(self, row: int, column: int) -> tuple[int, int]:
        return int(self.grid.row_of[row]), int(self.grid.column_of[column])


_LONGEST_MARK = 24
_NUMERIC_SHARE = 0.6  # a column is of numbers if they are at least this share of what it says
_EMPTY, _TEXT, _NUMBER, _MISSING = map(int, (Content.EMPTY, Content.TEXT, Content.NUMBER, Content.MISSING))


def build_tuples(nested: Nested, note_texts: Mapping[str, str]) -> Tuples:
    """The tuples of a frame, row by row."""
    frame, quantities = nested.frame, find_quantities(nested.frame)
    grid = _with_missing(frame, _with_numbers(frame.grid, quantities))
    rows, columns = np.nonzero(value_cells(nested))
    row_paths = Paths(grid, nested.left, nested.row_nodes, note_texts)
    column_paths = Paths(grid, nested.top, nested.column_nodes, note_texts)
    kept_columns = {column: column_paths[column] for column in nested.column_nodes}
    unit_ids, units = find_units(frame, grid, rows, columns, row_paths, column_paths)
    return Tuples(
        grid=grid,
        rows=rows.astype(np.int32),
        columns=columns.astype(np.int32),
        row_paths=row_paths,
        column_paths=kept_columns,
        unit_ids=unit_ids,
        units=units,
        confidence=frame.confidence,
        note_texts=note_texts,
        quantities=quantities,
    )


def find_quantities(frame: Frame) -> dict[int, Quantity]:
    """The numbers of the value region that are not plain, by flat cell; each column is told by all that it says."""
    grid, width = frame.grid, frame.grid.shape[1]
    if not frame.body_rows or not frame.value_columns:
        return {}
    body = np.asarray(frame.body_rows)
    texts = {column: body[grid.content[body, column] == _TEXT] for column in frame.value_columns}
    suspected = [
        column for column, rows in texts.items() if any(map(suspects_quantity, set(grid.text[rows, column].tolist())))
    ]
    if not suspected:
        return {}
    region = grid.text[np.ix_(body, np.asarray(frame.value_columns))]
    conventions = settle_conventions(dict.fromkeys(region.ravel().tolist()))
    found: dict[int, Quantity] = {}
    for column in suspected:
        rows = texts[column]
        said = read_quantities(grid.text[rows, column].tolist(), conventions)
        for row in rows.tolist() if said else ():
            if (quantity := said.get(grid.text[row, column])) is not None:
                found[row * width + column] = quantity
    return found


def _with_numbers(grid: Grid, quantities: Mapping[int, Quantity]) -> Grid:
    """The grid in which numbers that are not plain are numbers."""
    numbers = {cell: quantity.value for cell, quantity in quantities.items() if quantity.value is not None}
    if not numbers:
        return grid
    content, number = grid.content.copy(), grid.number.copy()
    at = np.unravel_index(list(numbers), grid.shape)
    content[at], number[at] = _NUMBER, list(numbers.values())
    return msgspec.structs.replace(grid, content=content, number=number)


def value_cells(nested: Nested) -> NDArray[np.bool_]:
    """Which cells of the grid hold a value."""
    frame, grid = nested.frame, nested.frame.grid
    found = np.zeros(grid.shape, dtype=bool)
    if frame.stated:
        for cell in frame.stated.values:
            found[cell] = True
        return found
    if not frame.body_rows or not frame.fields:
        return found
    region = (np.asarray(frame.body_rows)[:, None], np.asarray(frame.fields))
    held = grid.content[region] != _EMPTY
    found[region] = held & ~grid.covered[region] if len(grid.spans) else held
    for group in _group_rows(frame):
        found[group] &= grid.content[group] != _TEXT
    key = {column for column in frame.fields if column in frame.stub_columns}
    parents = {node.parent for node in nested.left.nodes}
    for tree in (nested.top, nested.left):
        said = ((cell, node.id) for node in tree.nodes for cell in node.cells)
        labels = [cell for cell, node in said if cell[1] not in key or node in parents]
        if labels:
            found[tuple(np.array(labels, dtype=np.intp).T)] = False
    for (row, column), role in frame.fixes.cells.items():
        if frame.rect.holds(row, column):
            found[row, column] = role in ("value", "derived") and bool(grid.filled[row, column])
    return found


def _group_rows(frame: Frame) -> list[int]:
    """Rows that label the rows below them: a text in their value columns is part of that label."""
    return [row for row in frame.body_rows if frame.labels.roles[row] == "group"]


def _with_missing(frame: Frame, grid: Grid) -> Grid:
    """The grid of a frame in which lone letters and signs among numbers are missing values."""
    if not frame.body_rows or not frame.value_columns:
        return grid
    region = (np.asarray(frame.body_rows)[:, None], np.asarray(frame.value_columns))
    marks = _lone_marks(frame, grid.content[region])
    if not marks.any():
        return grid
    content = grid.content.copy()
    content[region] = np.where(marks, _MISSING, content[region])
    return msgspec.structs.replace(grid, content=content)


def _lone_marks(frame: Frame, content: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Texts of the value region that stand for a missing value, given that their column is of numbers."""
    grid = frame.grid
    marks = np.zeros(content.shape, dtype=bool)
    numbers = (content == _NUMBER).sum(axis=0)
    for j in np.nonzero(numbers)[0].tolist():
        column = frame.value_columns[j]
        texts = np.nonzero(content[:, j] == _TEXT)[0].tolist()
        lone = [i for i in texts if _looks_like_mark(grid.text[frame.body_rows[i], column])]
        if numbers[j] >= _NUMERIC_SHARE * (numbers[j] + len(texts) - len(lone)):
            marks[lone, j] = True
    return marks


def _looks_like_mark(text: str) -> bool:
    return len(text) <= _LONGEST_MARK and is_missing_mark(text, strict=False)
