"""TupleBuilder: one tuple for each value of the value region (Chen and Cafarella 2013, section 3.3, algorithm 2).

In: a frame with its header trees, the notes of its sheet. Out: `Tuples`, columnar. A value is a number, a date or a
text of the value region; marks for missing values are none, nor is a lone letter or sign in a column of numbers. On a
web page, where "-" and "n/a" are words among others, they are values all the same, typed as missing. A value without
any header is kept all the same. Fails where a column of numbers uses single letters as codes.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.model.grid import Content
from tabellion.model.table import Tuples
from tabellion.model.tree import Nested
from tabellion.relate.paths import Paths
from tabellion.relate.units import find_units
from tabellion.values import is_missing_mark

_LONGEST_MARK = 24
_NUMERIC_SHARE = 0.6  # a column is of numbers if they are at least this share of what it says
_EMPTY, _TEXT, _NUMBER = int(Content.EMPTY), int(Content.TEXT), int(Content.NUMBER)  # plain, as numpy likes them
_IS_VALUE = np.array([content not in (Content.EMPTY, Content.MISSING) for content in Content])


def build_tuples(nested: Nested, note_texts: Mapping[str, str]) -> Tuples:
    """The tuples of a frame, row by row."""
    frame, grid = nested.frame, nested.frame.grid
    rows, columns = np.nonzero(value_cells(nested))
    row_paths = Paths(grid, nested.left, nested.row_nodes, note_texts)
    column_paths = Paths(grid, nested.top, nested.column_nodes, note_texts)
    kept_columns = {column: column_paths[column] for column in nested.column_nodes}
    unit_ids, units = find_units(frame, rows, columns, row_paths, column_paths)
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
    )


def value_cells(nested: Nested) -> NDArray[np.bool_]:
    """Which cells of the grid hold a value."""
    frame, grid = nested.frame, nested.frame.grid
    found = np.zeros(grid.shape, dtype=bool)
    if frame.stated:
        for cell in frame.stated.values:
            found[cell] = True
        return found
    if not frame.body_rows or not frame.value_columns:
        return found
    region = (np.asarray(frame.body_rows)[:, None], np.asarray(frame.value_columns))
    content = grid.content[region]
    web = grid.medium == "html"
    held = content != _EMPTY if web else _IS_VALUE[content] & ~_lone_marks(frame, content)
    found[region] = held & ~grid.covered[region] if len(grid.spans) else held
    for group in _group_rows(frame):
        found[group] &= grid.content[group] != _TEXT
    for tree in (nested.top, nested.left):
        for node in tree.nodes:
            for cell in node.cells:
                found[cell] = False
    for (row, column), role in frame.fixes.cells.items():
        if frame.rect.holds(row, column):
            found[row, column] = role in ("value", "derived") and bool(grid.filled[row, column])
    return found


def _group_rows(frame: Frame) -> list[int]:
    """Rows that label the rows below them: a text in their value columns is part of that label."""
    return [row for row in frame.body_rows if frame.labels.roles[row] == "group"]


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
