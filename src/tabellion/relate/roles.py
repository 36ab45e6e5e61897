"""The role of each cell of a table, and columns that are totals of others.

The role of each cell of a table: title, header, stub, group, value, derived, note, other. In: a nested frame. Out: an
array over the grid of indices into `CELL_ROLES`, 0 where the table has no say. A value is derived if its row or column
is, or if its formula sums others. Cells of the sheet that no table claims go by the role of their row.

Columns that are totals of others: their head says so and their numbers bear it out. In: a nested frame. Out: the value
columns that sum up columns beside them. A head that says "total" is not enough, for the parts may not be there; and
equal numbers are not enough, for they may be so by chance. Fails where the parts are not side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark
from tabellion.model.frame import CellRole, Frame
from tabellion.model.grid import Content
from tabellion.model.tree import Nested
from tabellion.values.vocabulary import lexicon

_ROUNDING = 0.5  # each part may be rounded to its last digit
_BORNE_OUT = 0.8  # share of rows in which the parts must sum up
_FEWEST_ROWS = 3


def find_total_columns(nested: Nested) -> tuple[int, ...]:
    """The value columns that are derived."""
    frame, grid = nested.frame, nested.frame.grid
    columns = list(frame.value_columns)
    heads = {
        c: " ".join(n.text for node in nested.column_nodes.get(c, ()) for n in nested.top.path(node)) for c in columns
    }
    says_total = lexicon("total", "all").within
    named = [place for place, column in enumerate(columns) if says_total(heads[column])]
    if not named or len(columns) < 3:
        return ()
    region = np.ix_(frame.body_rows, columns)
    numbers = np.where(grid.content[region] == Content.NUMBER, grid.number[region], np.nan)
    return tuple(columns[place] for place in named if _sums_up(numbers, place))


def _sums_up(numbers: NDArray[np.float64], place: int) -> bool:
    """Whether a column is the sum of two or more columns right after it, or right before it."""
    after, before = numbers[:, place + 1 :], numbers[:, :place][:, ::-1]
    return _matches(numbers[:, place], after) or _matches(numbers[:, place], before)


def _matches(total: NDArray[np.float64], parts: NDArray[np.float64]) -> bool:
    if parts.shape[1] < 2:
        return False
    known = ~np.isnan(total) & (total != 0) & (~np.isnan(parts)).any(axis=1)
    if known.sum() < _FEWEST_ROWS:
        return False
    total, parts = total[known], parts[known]
    step = _last_digit(total)
    sums = np.nancumsum(parts, axis=1)[:, 1:]
    room = step * _ROUNDING * (np.arange(2, parts.shape[1] + 1)[None, :] + 1)
    return bool(((np.abs(sums - total[:, None]) <= room + 1e-9).mean(axis=0) >= _BORNE_OUT).any())


def _last_digit(numbers: NDArray[np.float64]) -> float:
    """The step that numbers are rounded to: 1 for whole numbers, else a power of ten down to a thousandth."""
    for step in (1.0, 0.1, 0.01):
        if np.allclose(numbers / step, np.round(numbers / step), rtol=0, atol=1e-6):
            return step
    return 0.001


CELL_ROLES: tuple[CellRole | None, ...] = (None, *get_args(CellRole))
_ID = {role: np.uint8(number) for number, role in enumerate(CELL_ROLES)}
_BY_ROW: dict[str, CellRole] = {"title": "title", "note": "note"}


def label_cells(nested: Nested) -> NDArray[np.uint8]:
    """The roles of the cells that belong to one table; empty and covered cells have none."""
    frame, grid = nested.frame, nested.frame.grid
    roles = np.zeros(grid.shape, dtype=np.uint8)
    roles[list(frame.title_rows)] = _ID["title"]
    roles[list(frame.note_rows)] = _ID["note"]
    _label_frame(frame, roles, find_total_columns(nested))
    for node in nested.top.nodes:
        for cell in node.cells:
            roles[cell] = _ID["header"]
    for node in nested.left.nodes:
        for cell in node.cells:
            if roles[cell] in (_ID["value"], _ID["derived"]):
                roles[cell] = _ID["group"]
    for cell, role in frame.fixes.cells.items():
        roles[cell] = _ID[role] if roles[cell] else roles[cell]
    return np.where(grid.filled, roles, np.uint8(0))


def label_leftovers(tables: Sequence[NDArray[np.uint8]], frame: Frame) -> NDArray[np.uint8]:
    """The roles of the cells of a grid that none of its tables claims."""
    grid = frame.grid
    by_row = np.array([_ID[_BY_ROW.get(role, "other")] for role in frame.labels.roles], dtype=np.uint8)
    free = grid.filled & ~np.logical_or.reduce([roles > 0 for roles in tables])
    return np.where(free, by_row[:, None], np.uint8(0))


def _label_frame(frame: Frame, roles: NDArray[np.uint8], totals: tuple[int, ...]) -> None:
    grid, rect, row_roles = frame.grid, frame.rect, frame.labels.roles
    inside = slice(rect.left, rect.right + 1)
    for row in range(rect.top, rect.bottom + 1):
        roles[row, inside] = _ID[_BY_ROW.get(row_roles[row], "other")]
    roles[list(frame.header_rows), inside] = _ID["header"]
    if not frame.body_rows:
        return
    body, stub, values = list(frame.body_rows), list(frame.stub_columns), list(frame.value_columns)
    group = np.array([row_roles[row] == "group" for row in body])
    derived = np.array([row_roles[row] == "derived" for row in body])
    if stub:
        roles[np.ix_(body, stub)] = np.where(group, _ID["group"], _ID["stub"])[:, None]
    if values:
        region = np.ix_(body, values)
        summed = derived[:, None] | np.isin(values, totals)[None, :] | ((grid.marks[region] & Mark.AGGREGATE) > 0)
        labels_below = group[:, None] & (grid.content[region] == Content.TEXT)
        value = np.where(summed, _ID["derived"], _ID["value"])
        roles[region] = np.where(labels_below, _ID["group"], value)
