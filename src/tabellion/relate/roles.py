"""The role of each cell of a table, and columns that are totals of others.

The role of each cell of a table: title, header, stub, group, value, derived, note, other. In: a nested frame. Out: an
array over the grid of indices into `CELL_ROLES`, 0 where the table has no say. A value is derived if its row or column
is, or if its formula sums others. Cells of the sheet that no table claims go by the role of their row.

Columns that are totals of others: their head says so and their numbers bear it out. In: a nested frame. Out: the value
columns that sum up columns beside them. A head that says "total" is not enough, for the parts may not be there; and
equal numbers are not enough, for they may be so by chance. Fails where the parts are not side by side.

Conservation: what was read is in the output, or an issue says that it is not.

In: the tables of one grid. Out: the same tables; every filled cell of the grid is a value with its tuple, a label of a
header tree (or the head over a stub), a title or a note. Cells that are none of these are named in an issue of the
nearest table, whose confidence falls: no value may vanish while a table claims to be surely right.
It cannot tell a wrong role from a right one; it tells that there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Issue, Mark
from tabellion.model.frame import CellRole, Frame, Nested
from tabellion.model.grid import NUMBER, TEXT, Grid
from tabellion.model.table import Table
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
    numbers = np.where(grid.content[region] == NUMBER, grid.number[region], np.nan)
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
        labels_below = group[:, None] & (grid.content[region] == TEXT)
        value = np.where(summed, _ID["derived"], _ID["value"])
        roles[region] = np.where(labels_below, _ID["group"], value)


NAMED = 5  # lost cells that an issue names; the others it counts
SURE_WITH_LOSS = 0.8  # the most confidence that a table may have which lost a cell

Bools = NDArray[np.bool_]


def conserve_cells(tables: Sequence[Table]) -> list[Table]:
    """The tables of one grid, with what none of them accounts for told by the nearest one."""
    if not tables:
        return []
    lost = find_lost(tables)
    if not lost.any():
        return list(tables)
    owner = _nearest(tables, lost)
    return [_tell(table, lost & (owner == number)) for number, table in enumerate(tables)]


def find_lost(tables: Sequence[Table]) -> Bools:
    """The filled cells of a grid that no table accounts for."""
    grid = tables[0].grid
    told = np.zeros(grid.shape, dtype=bool)
    framed = np.zeros(grid.shape, dtype=bool)
    for table in tables:
        rect = table.frame.rect
        framed[rect.top : rect.bottom + 1, rect.left : rect.right + 1] = True
    for table in tables:
        _account(table, told, framed)
    return np.asarray(grid.filled & ~grid.covered & ~told)


def _account(table: Table, told: Bools, framed: Bools) -> None:
    """Mark the cells that one table accounts for; what stands inside a frame is no title or note of another."""
    frame, nested = table.frame, table.nested
    told[table.tuples.rows, table.tuples.columns] = True
    for tree in (nested.top, nested.left):
        _mark(told, (cell for node in tree.nodes for cell in node.cells))
    if frame.header_rows and frame.stub_columns:
        told[np.ix_(frame.header_rows, frame.stub_columns)] = True
    outside = [row for row, role in enumerate(frame.labels.roles) if role in ("title", "note")]
    lines = [*frame.title_rows, *frame.note_rows, *outside]
    told[lines] |= ~framed[lines]
    if frame.fixes.cells:
        _mark(told, (cell for cell, role in frame.fixes.cells.items() if role != "value"))


def _mark(told: Bools, cells: Iterable[tuple[int, int]]) -> None:
    held = np.array(list(cells), dtype=np.int64).reshape(-1, 2)
    told[held[:, 0], held[:, 1]] = True


def _nearest(tables: Sequence[Table], lost: Bools) -> NDArray[np.intp]:
    """For each lost cell the number of the table that is nearest to it; 0 elsewhere."""
    owner = np.zeros(lost.shape, dtype=np.intp)
    if len(tables) > 1:
        rows, columns = np.nonzero(lost)
        rects = np.array([table.frame.rect for table in tables])
        down = np.maximum(rects[:, 0, None] - rows, rows - rects[:, 2, None]).clip(min=0)
        across = np.maximum(rects[:, 1, None] - columns, columns - rects[:, 3, None]).clip(min=0)
        owner[rows, columns] = (down + across).argmin(axis=0)
    return owner


def _tell(table: Table, lost: Bools) -> Table:
    """The table with an issue that names what is lost beside it, and less sure of itself."""
    rows, columns = np.nonzero(lost)
    if not len(rows):
        return table
    share = len(rows) / max(len(table.tuples) + len(rows), 1)
    confidence = round(min(table.confidence, SURE_WITH_LOSS) * (1 - share), 3)
    nested = msgspec.structs.replace(table.nested, frame=msgspec.structs.replace(table.frame, confidence=confidence))
    issue = Issue("relate", _note(table.grid, rows.tolist(), columns.tolist()), table.place)
    tuples = table.tuples.trusted(confidence)
    return msgspec.structs.replace(table, nested=nested, tuples=tuples, issues=(*table.issues, issue))


def _note(grid: Grid, rows: list[int], columns: list[int]) -> str:
    cells = [grid.address(row, column) for row, column in zip(rows[:NAMED], columns[:NAMED], strict=True)]
    more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
    are = "is" if len(rows) == 1 else "are"
    what = "cell" if len(rows) == 1 else "cells"
    return f"{what} {', '.join(cells)}{more} {are} neither value, label, title nor note"
