"""Conservation: what was read is in the output, or an issue says that it is not.

In: the tables of one grid. Out: the same tables; every filled cell of the grid is a value with its tuple, a label of a
header tree (or the head over a stub), a title or a note. Cells that are none of these are named in an issue of the
nearest table, whose confidence falls: no value may vanish while a table claims to be surely right.
It cannot tell a wrong role from a right one; it tells that there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Issue
from tabellion.model.grid import Grid
from tabellion.model.table import Table

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
