"""Candidate pairs of top attributes and their features: Table 6 of Chen and Cafarella 2013, and some more.

In: header cells with their reach. Out: pairs (parent -1 is the root) and one array a feature. The paper's filter: a
parent stands in a row above its child.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.nest.attributes import Flags, Indices, Numbers
from tabellion.nest.candidates import ROOT, Pairs
from tabellion.nest.spread import NONE, HeaderCells

LEVELS_ABOVE = 4  # header rows above a cell that are searched for its parent


class TopView:
    """All candidate pairs of top attributes; arrays have one entry a pair."""

    def __init__(self, cells: HeaderCells, values: Sequence[int], pairs: Pairs) -> None:
        self.cells = cells
        self.up, self.down = pairs
        self.is_root: Flags = self.up == ROOT
        self.first_value, self.last_value = min(values, default=0), max(values, default=0)
        self.own, self.reach = cells.own, cells.reach

    def parent(self, values: Indices, root: int = NONE) -> Indices:
        return np.where(self.is_root, root, values[self.up])

    def child(self, values: Indices) -> Indices:
        return np.asarray(values[self.down])


Feature = tuple[str, Callable[[TopView], NDArray[Any]]]


def top_pairs(cells: HeaderCells) -> Pairs:
    """For each cell: the root, and in each row above the cells that stand or speak there or stand nearest."""
    parents: list[int] = []
    children: list[int] = []
    nearest_left = _nearest(cells.own)
    nearest_right = _nearest(cells.own[:, ::-1])[:, ::-1]
    for child, (column, level) in enumerate(zip(cells.column.tolist(), cells.level.tolist(), strict=True)):
        options = {ROOT}
        for above in range(level - 1, max(level - 1 - LEVELS_ABOVE, -1), -1):
            for table in (cells.own, cells.reach, nearest_left, nearest_right):
                options.add(int(table[above, column]))
        options.discard(child)
        parents += sorted(options)
        children += [child] * len(options)
    return np.array(parents, dtype=np.intp), np.array(children, dtype=np.intp)


def _nearest(own: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each place the last cell at or before it in its row."""
    at = np.maximum.accumulate(np.where(own != NONE, np.arange(own.shape[1]), -1), axis=1)
    return np.where(at >= 0, np.take_along_axis(own, np.maximum(at, 0), axis=1), NONE)


def nothing_right_above(view: TopView) -> Flags:
    level, column = view.child(view.cells.level), view.child(view.cells.column)
    return np.asarray((level == 0) | (view.own[np.maximum(level - 1, 0), column] == NONE))


def child_uppermost(view: TopView) -> Flags:
    return np.asarray(view.child(view.cells.level) == 0)


def cell_between(view: TopView) -> Flags:
    """In the child's column another cell stands between the two rows."""
    return _count_between(view, view.own) > 0


def parent_covers(view: TopView) -> Flags:
    """The parent, as far as it is merged, lies over the child's first column."""
    column = view.child(view.cells.column)
    covers = (view.parent(view.cells.column) <= column) & (column <= view.parent(view.cells.last_column))
    return covers & ~view.is_root


def parent_left(view: TopView) -> Flags:
    return (view.parent(view.cells.last_column) < view.child(view.cells.column)) & ~view.is_root


def parent_right(view: TopView) -> Flags:
    return (view.parent(view.cells.column) > view.child(view.cells.column)) & ~view.is_root


def parent_right_above(view: TopView) -> Flags:
    return np.asarray(parent_covers(view) & (view.parent(view.cells.last_level) == view.child(view.cells.level) - 1))


def parent_is_root(view: TopView) -> Flags:
    return view.is_root


PAPER_TOP: list[Feature] = [
    ("nothing right above the child", nothing_right_above),
    ("child is uppermost", child_uppermost),
    ("cell in the middle", cell_between),
    ("parent covers the child's column", parent_covers),
    ("parent is at the left", parent_left),
    ("parent is at the right", parent_right),
    ("parent is right above", parent_right_above),
    ("parent is the root", parent_is_root),
]


def parent_reaches(view: TopView) -> Flags:
    """The parent speaks for the child's first column, merged or not."""
    level, column = view.parent(view.cells.last_level, 0), view.child(view.cells.column)
    return np.asarray((view.reach[level, column] == view.up) & ~view.is_root)


def reach_between(view: TopView) -> Flags:
    """Another cell speaks for the child's column between the two rows."""
    return _count_between(view, view.reach) > 0


def reached_at_all(view: TopView) -> Flags:
    """Some cell of a row above speaks for the child's column."""
    levels = np.arange(view.reach.shape[0])[:, None]
    first = np.where(view.reach != NONE, levels, view.reach.shape[0]).min(axis=0, initial=view.reach.shape[0])
    return np.asarray(first[view.child(view.cells.column)] < view.child(view.cells.level))


def levels_apart(view: TopView) -> Numbers:
    apart = view.child(view.cells.level) - view.parent(view.cells.last_level, 0)
    return np.where(view.is_root, 0, apart).astype(np.float64)


def columns_apart(view: TopView) -> Numbers:
    apart = view.child(view.cells.column) - view.parent(view.cells.column, 0)
    return np.where(view.is_root, 0, np.clip(apart, -20, 20)).astype(np.float64)


def child_over_all(view: TopView) -> Flags:
    """The child is one cell over all value columns: a unit, or a heading of the whole."""
    first, last = view.child(view.cells.column), view.child(view.cells.last_column)
    return np.asarray((first <= view.first_value) & (last >= view.last_value) & (last > first))


def child_at_bottom(view: TopView) -> Flags:
    return np.asarray(view.child(view.cells.last_level) == view.own.shape[0] - 1)


def parent_merged(view: TopView) -> Flags:
    return (view.parent(view.cells.last_column) > view.parent(view.cells.column)) & ~view.is_root


def child_merged(view: TopView) -> Flags:
    return np.asarray(view.child(view.cells.last_column) > view.child(view.cells.column))


def child_over_stub(view: TopView) -> Flags:
    return np.asarray(view.child(view.cells.column) < view.first_value)


def parent_over_stub(view: TopView) -> Flags:
    return (view.parent(view.cells.column) < view.first_value) & ~view.is_root


MORE_TOP: list[Feature] = [
    ("parent reaches over the child", parent_reaches),
    ("another reaches between", reach_between),
    ("child is reached at all", reached_at_all),
    ("levels apart", levels_apart),
    ("columns apart", columns_apart),
    ("child lies over all", child_over_all),
    ("child is at the bottom", child_at_bottom),
    ("parent is merged", parent_merged),
    ("child is merged", child_merged),
    ("child is over the stub", child_over_stub),
    ("parent is over the stub", parent_over_stub),
]

TOP_FEATURES: list[Feature] = [*PAPER_TOP, *MORE_TOP]


def compute_top_features(view: TopView, features: Sequence[Feature]) -> Numbers:
    """(pairs, features): every feature of every pair."""
    return np.column_stack([np.asarray(feature(view), dtype=np.float64) for _, feature in features])


def _count_between(view: TopView, table: NDArray[np.intp]) -> Numbers:
    """How many of the rows strictly between parent and child have a cell in the child's column."""
    total = np.concatenate([np.zeros((1, table.shape[1])), np.cumsum(table != NONE, axis=0)])
    column, level = view.child(view.cells.column), view.child(view.cells.level)
    start = np.where(view.is_root, 0, view.parent(view.cells.last_level, -1) + 1)
    return np.asarray(total[level, column] - total[np.minimum(start, level), column])
