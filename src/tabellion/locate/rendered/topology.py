"""The topology of boxes: which rows and columns they take (VENTex, sections 4 and 5.1), by their projections.

In: the boxes of the cells of a frame. Out: for each its first row and column and how many it takes. From the narrowest
to the widest, a cell joins the one column that its projection meets, begins a new one where it meets none, and spans
where it meets several. Rows and columns in which all cells are empty are purged and the structure is closed again. The
double topological grid of the paper (`papers.ventex`) does the same from borders; projections are taken because cells
that overlap in part, as words of running text do, then fall together instead of making columns.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.rendered import Boxes

Ints = NDArray[np.int32]
MARGIN = 3.0  # rule 6: borders within so many pixels are one


class Topology(msgspec.Struct, frozen=True, eq=False):
    """Rows and columns of cells; `kept` says which cells are left after cleaning, the other arrays are of those."""

    kept: NDArray[np.intp]
    row: Ints
    column: Ints
    down: Ints
    across: Ints
    rows: int
    columns: int
    overlaps: int  # cells that share a slot with an earlier one

    def __len__(self) -> int:
        return len(self.kept)


def find_topology(boxes: Boxes, filled: NDArray[np.bool_], columns: Sequence[int] | None = None) -> Topology:
    """The rows and columns of cells, spacers purged.

    `filled` says which cells show something; `columns` gives the columns where they do not follow from the boxes.
    """
    row, down = _tracks(boxes[:, 1], boxes[:, 3])
    if columns is None:
        column, across = _tracks(boxes[:, 0], boxes[:, 2])
    else:
        column, across = np.array(columns, dtype=np.int32), np.ones(len(columns), dtype=np.int32)
    row, down, kept_rows = _clean(row, down, filled)
    column, across, kept_columns = _clean(column, across, filled)
    left = np.flatnonzero((down > 0) & (across > 0))
    return settle_topology(left, row[left], column[left], down[left], across[left], kept_rows, kept_columns)


def settle_topology(
    kept: NDArray[np.intp], row: Ints, column: Ints, down: Ints, across: Ints, rows: int, columns: int
) -> Topology:
    """The topology of the cells that are left, in reading order."""
    order = np.lexsort((column, row))
    row, column, down, across = row[order], column[order], down[order], across[order]
    return Topology(
        kept=kept[order],
        row=row,
        column=column,
        down=down,
        across=across,
        rows=rows,
        columns=columns,
        overlaps=_count_overlaps(row, column, down, across),
    )


def trimmed(low: NDArray[np.float32], high: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Intervals a little shorter, so that those which touch or share a border do not overlap."""
    trim = np.minimum(MARGIN / 2, (high - low) / 4)
    return low + trim, high - trim


def _tracks(low: NDArray[np.float32], high: NDArray[np.float32]) -> tuple[Ints, Ints]:
    """For each interval the first track it takes, and how many."""
    starts, ends = trimmed(low, high)
    lows: list[float] = []  # of the tracks, which stay apart and in order
    highs: list[float] = []
    for at in np.argsort(high - low, kind="stable").tolist():
        start, end = float(starts[at]), float(ends[at])
        first_met, last_met = bisect_right(highs, start), bisect_left(lows, end) - 1
        if first_met > last_met:
            lows.insert(first_met, start)
            highs.insert(first_met, end)
        elif first_met == last_met:
            lows[first_met], highs[first_met] = min(lows[first_met], start), max(highs[first_met], end)
    track_low, track_high = np.array(lows), np.array(highs)
    first = np.searchsorted(track_high, starts, side="right")
    last = np.searchsorted(track_low, ends, side="left") - 1
    first = np.minimum(first, len(track_low) - 1)
    return first.astype(np.int32), np.maximum(1, last - first + 1).astype(np.int32)


def _clean(first: Ints, count: Ints, filled: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """Tracks without those in which no filled cell begins; cells that lay in such alone take none."""
    tracks = int((first + count).max(initial=0))
    used = np.zeros(tracks + 1, dtype=bool)
    used[first[filled]] = True
    before = np.concatenate([[0], np.cumsum(used[:tracks])])
    end = np.minimum(first + count, tracks)
    left = before[end] - before[first]
    return before[first].astype(np.int32), left.astype(np.int32), int(before[-1])


def _count_overlaps(row: Ints, column: Ints, down: Ints, across: Ints) -> int:
    taken: set[tuple[int, int]] = set()
    overlaps = 0
    for r, c, d, a in zip(row.tolist(), column.tolist(), down.tolist(), across.tolist(), strict=True):
        slots = [(i, j) for i in range(r, r + d) for j in range(c, c + a)]
        overlaps += any(slot in taken for slot in slots)
        taken.update(slots)
    return overlaps
