"""How far each header cell reaches over the columns, merged or not.

In: a frame. Out: the cells of its header rows and, for each row and column, which cell speaks there. A merged cell
reaches as far as it is merged. One that is not merged but has headers below reaches to the next cell of its row, and
never beyond the cell above it; where columns at its left would be left without a header, the row is read as centred,
and its cells share the columns evenly or by mirror. Over a sum, with its parts in the columns right behind it, it ends
with these: what follows is another matter ("Total"). A cell with nothing below reaches over its own column only.
Fails where a row is partly left-aligned and partly centred.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.frame import Frame
from tabellion.model.grid import NUMBER
from tabellion.nest.attributes import Indices
from tabellion.nest.pieces import find_pieces
from tabellion.nest.stub import part_head

NONE = -1
CLOSE_ENOUGH = 0.002  # parts may miss their sum by rounding: this share of it
LEAST_PARTS = 2  # columns that add up to another
LEAST_ROWS = 3  # in which they do
MOST_ROWS = 0.8  # of the rows that have a sum
ADDED_ROWS = 200  # rows looked at
LEAST_WITH_WIDE = 3  # header rows where one can stand below others and above others


class HeaderCells(msgspec.Struct, frozen=True, eq=False):
    """The header cells of a frame, row by row in the order of their meaning, outermost first.

    `level` is the place of the cell's row in that order. `own` and `reach` give for each level and grid column the
    cell that stands there (merged areas count whole) and the cell that speaks there, or -1. `more` are the rows on
    which a phrase goes on that is written over several.
    """

    rows: tuple[int, ...]
    row: Indices
    column: Indices
    level: Indices
    last_level: Indices
    last_column: Indices
    own: NDArray[np.intp]
    reach: NDArray[np.intp]
    more: dict[int, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.row)


def spread_headers(frame: Frame) -> HeaderCells:
    """The header cells with their reach."""
    grid, rect = frame.grid, frame.rect
    rows = _by_meaning(frame)
    place = {row: level for level, row in enumerate(rows)}
    own = np.full((len(rows), grid.shape[1]), NONE, dtype=np.intp)
    cells: list[list[int]] = []
    pieces = find_pieces(frame, rows)
    number: dict[tuple[int, int], int] = {}
    more: dict[int, tuple[int, ...]] = {}
    for level, row in enumerate(rows):
        for column in grid.filled[row, : rect.right + 1].nonzero()[0].tolist():
            down, across = grid.span_at.get((row, column), (1, 1))
            last = level if down == 1 else max(place[r] for r in range(row, row + down) if r in place)
            if column + across <= rect.left:
                continue
            begins = number.get(pieces.get((row, column), (row, column)), len(cells))
            number[row, column] = begins
            if begins < len(cells):
                first, more[begins] = cells[begins][2], (*more.get(begins, ()), row)
                cells[begins][3] = last
            else:
                first = level
                cells.append([row, column, level, last, column + across - 1])
            own[first : last + 1, column : column + across] = begins
    table = np.array(cells, dtype=np.intp).reshape(-1, 5)
    row_of, column_of, level_of, last_level, last_column = table.T
    return HeaderCells(
        rows=rows,
        row=row_of,
        column=column_of,
        level=level_of,
        last_level=last_level,
        last_column=last_column,
        own=own,
        reach=_reach(frame, own) if len(rows) > 1 else own,
        more=more,
    )


def _by_meaning(frame: Frame) -> tuple[int, ...]:
    """Header rows, outermost first: a row of one cell over all values, below others and above others, comes first."""
    grid, values = frame.grid, list(frame.value_columns)
    rows = [row for row in part_head(frame)[0] if grid.filled[row].any() or grid.covered[row].any()]
    if len(rows) < LEAST_WITH_WIDE:
        return tuple(rows)
    above = [row for row in rows if values and grid.filled[row, values].any()][:-1]
    wide = [row for row in above[1:] if _is_wide(frame, row) and not _is_wide(frame, rows[0])]
    return (*wide, *(row for row in rows if row not in wide))


def _is_wide(frame: Frame, row: int) -> bool:
    """Whether one merged cell of this row lies over all value columns, and over more than one."""
    grid, values = frame.grid, frame.value_columns
    homes = distinct(grid.home[row, list(values)])
    home = int(homes[0]) if len(homes) == 1 and len(values) > 1 else NONE
    return home // grid.shape[1] == row and bool(grid.filled.ravel()[home])


def _reach(frame: Frame, own: NDArray[np.intp]) -> NDArray[np.intp]:
    first = min(frame.value_columns, default=frame.rect.left)
    levels, width = own.shape
    reach = own.copy()
    below = np.zeros(width, dtype=bool)
    filled_below = np.zeros((levels, width), dtype=bool)
    for level in range(levels - 1, -1, -1):
        filled_below[level] = below
        below = below | (own[level] != NONE)
    for level in range(levels - 1):
        upper = reach[:level]
        for start, end in _stretches(own[level], filled_below[level], upper, first):
            _share(reach[level], own[level], start, end)
            _end_with_sums(frame, reach[level], own[level], start, end)
    return reach


def _end_with_sums(frame: Frame, reach: NDArray[np.intp], own: NDArray[np.intp], start: int, end: int) -> None:
    """Let a cell over a sum and its parts, in the columns right behind it, reach no further than these."""
    column = start
    while column <= end:
        last = column
        while last < end and reach[last + 1] == reach[column]:
            last += 1
        if own[column] != NONE and reach[column] == own[column] and last - column > LEAST_PARTS:
            reach[_last_part(frame, column, last) + 1 : last + 1] = NONE
        column = last + 1


def _last_part(frame: Frame, first: int, last: int) -> int:
    """The last of the columns that add up to the first, each row for itself; the last of all where none do."""
    grid, rows = frame.grid, list(frame.body_rows[:ADDED_ROWS])
    numbers = np.where(grid.content[rows, first : last + 1] == NUMBER, grid.number[rows, first : last + 1], np.nan)
    whole, sums = numbers[:, :1], np.nancumsum(numbers[:, 1:], axis=1)
    told = np.abs(whole) > 0
    match = (np.abs(sums - whole) <= CLOSE_ENOUGH * np.abs(whole)) & told
    holds = match.sum(axis=0) >= max(MOST_ROWS * told.sum(), LEAST_ROWS)
    ends = np.flatnonzero(holds[LEAST_PARTS - 1 :]) + LEAST_PARTS
    return first + int(ends[0]) if len(ends) else last


def _stretches(
    own: NDArray[np.intp], filled_below: NDArray[np.bool_], upper: NDArray[np.intp], first: int
) -> list[tuple[int, int]]:
    """Runs of columns that cells of this row may reach over: headers below, one cell above, nothing merged here."""
    width = len(own)
    wide = np.zeros(width, dtype=bool)
    wide[1:] |= (own[1:] == own[:-1]) & (own[1:] != NONE)
    wide[:-1] |= wide[1:]
    free = filled_below & ~wide
    free[:first] = False
    joined = free[1:] & free[:-1] & (upper[:, 1:] == upper[:, :-1]).all(axis=0)
    runs: list[tuple[int, int]] = []
    column = 0
    while column < width:
        end = column
        if free[column]:
            while end + 1 < width and joined[end]:
                end += 1
            runs.append((column, end))
        column = end + 1
    return runs


def _share(reach: NDArray[np.intp], own: NDArray[np.intp], start: int, end: int) -> None:
    """Deal the columns from start to end out to the cells that stand among them."""
    heads = [column for column in range(start, end + 1) if own[column] != NONE]
    if not heads:
        return
    starts = heads if heads[0] == start else _even(heads, start, end) or _mirrored(heads, start)
    for head, low, high in zip(heads, starts, [*starts[1:], end + 1], strict=True):
        reach[low:high] = own[head]


def _even(heads: list[int], start: int, end: int) -> list[int] | None:
    """Blocks of one width, where each cell stands in its own block at the same place."""
    width, rest = divmod(end + 1 - start, len(heads))
    starts = [start + k * width for k in range(len(heads))]
    offsets = {head - low for head, low in zip(heads, starts, strict=True)}
    return starts if rest == 0 and len(offsets) == 1 and 0 <= min(offsets) < width else None


def _mirrored(heads: list[int], start: int) -> list[int]:
    """Blocks in which each cell stands in the middle, the first at the given start."""
    starts = [start]
    for head, following in pairwise(heads):
        end = 2 * head - starts[-1]
        starts.append(min(max(end, head) + 1, following))
    return starts
