"""Candidate pairs of top attributes and their features: Table 6 of Chen and Cafarella 2013, and some more.

In: header cells with their reach. Out: pairs (parent -1 is the root) and one array per feature. The paper's filter: a
parent stands in a row above its child.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.nest.attributes import ROOT, Flags, Indices, Numbers, Pairs
from tabellion.nest.spread import NONE, HeaderCells

LEVELS_ABOVE = 4  # header rows above a cell that are searched for its parent


class Head(msgspec.Struct, frozen=True, eq=False):
    """The header cells of a frame over its value columns, with candidate pairs."""

    cells: HeaderCells
    values: Sequence[int]
    pairs: Pairs


class TopView:
    """All candidate pairs of the cells of one head or more.

    `up`, `down`, `levels` (how many its head has), `first_value` and `last_value` have one entry per pair; `column`,
    `last_column`, `level` and `last_level` one per cell. The rows of all heads follow each other in the tables `own`
    and `reach`: those of a pair begin at `base`.
    """

    def __init__(self, heads: Sequence[Head]) -> None:
        cells = [head.cells for head in heads]
        pairs = [len(head.pairs[0]) for head in heads]
        before = list(accumulate((len(one) for one in cells[:-1]), initial=0))
        levels = [len(one.own) for one in cells]
        self.up = np.concatenate([_moved(head.pairs[0], at) for head, at in zip(heads, before, strict=True)])
        self.down = np.concatenate([head.pairs[1] + at for head, at in zip(heads, before, strict=True)])
        self.is_root: Flags = self.up == ROOT
        self.column, self.last_column, self.level, self.last_level = (
            np.concatenate([getattr(one, name) for one in cells])
            for name in ("column", "last_column", "level", "last_level")
        )
        self.own = _stacked([_moved(one.own, at) for one, at in zip(cells, before, strict=True)])
        self.reach = _stacked([_moved(one.reach, at) for one, at in zip(cells, before, strict=True)])
        self.base = np.repeat(list(accumulate(levels[:-1], initial=0)), pairs)
        self.levels = np.repeat(levels, pairs)
        self.first_value = np.repeat([min(head.values, default=0) for head in heads], pairs)
        self.last_value = np.repeat([max(head.values, default=0) for head in heads], pairs)

    def parent(self, values: Indices, root: int = NONE) -> Indices:
        return np.where(self.is_root, root, values[self.up])

    def child(self, values: Indices) -> Indices:
        return np.asarray(values[self.down])


def _moved(cells: Indices, before: int) -> Indices:
    """Numbers of cells of a head among those of all; -1, the root or no cell, stays."""
    return np.where(cells == NONE, NONE, cells + before)


def _stacked(tables: Sequence[Indices]) -> Indices:
    """Tables below each other, filled up to the widest with no cells."""
    width = max(table.shape[1] for table in tables)
    stack = np.full((sum(len(table) for table in tables), width), NONE, dtype=np.intp)
    row = 0
    for table in tables:
        stack[row : row + len(table), : table.shape[1]] = table
        row += len(table)
    return stack


Feature = tuple[str, Callable[[TopView], NDArray[Any]]]


def top_pairs(cells: HeaderCells) -> Pairs:
    """For each cell: the root, and in each row above the cells that stand or speak there or stand nearest."""
    parents: list[int] = []
    children: list[int] = []
    own = cells.own.tolist()
    nearest_left = [_last_before(row) for row in own]
    nearest_right = [_last_before(row[::-1])[::-1] for row in own]
    tables = (own, cells.reach.tolist(), nearest_left, nearest_right)
    for child, (column, level) in enumerate(zip(cells.column.tolist(), cells.level.tolist(), strict=True)):
        rows = range(max(level - LEVELS_ABOVE, 0), level)
        options = {ROOT, *(table[above][column] for above in rows for table in tables)} - {child}
        parents += sorted(options)
        children += [child] * len(options)
    return np.array(parents, dtype=np.intp), np.array(children, dtype=np.intp)


def _last_before(row: list[int]) -> list[int]:
    """For each place of a row the last cell at or before it."""
    last = NONE
    found = []
    for cell in row:
        last = last if cell == NONE else cell
        found.append(last)
    return found


def nothing_right_above(view: TopView) -> Flags:
    level, column = view.child(view.level), view.child(view.column)
    return np.asarray((level == 0) | (view.own[view.base + np.maximum(level - 1, 0), column] == NONE))


def child_uppermost(view: TopView) -> Flags:
    return np.asarray(view.child(view.level) == 0)


def cell_between(view: TopView) -> Flags:
    """In the child's column another cell stands between the two rows."""
    return _count_between(view, view.own) > 0


def parent_covers(view: TopView) -> Flags:
    """The parent, as far as it is merged, lies over the child's first column."""
    column = view.child(view.column)
    covers = (view.parent(view.column) <= column) & (column <= view.parent(view.last_column))
    return covers & ~view.is_root


def parent_left(view: TopView) -> Flags:
    return (view.parent(view.last_column) < view.child(view.column)) & ~view.is_root


def parent_right(view: TopView) -> Flags:
    return (view.parent(view.column) > view.child(view.column)) & ~view.is_root


def parent_right_above(view: TopView) -> Flags:
    return np.asarray(parent_covers(view) & (view.parent(view.last_level) == view.child(view.level) - 1))


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
    level, column = view.parent(view.last_level, 0), view.child(view.column)
    return np.asarray((view.reach[view.base + level, column] == view.up) & ~view.is_root)


def reach_between(view: TopView) -> Flags:
    """Another cell speaks for the child's column between the two rows."""
    return _count_between(view, view.reach) > 0


def reached_at_all(view: TopView) -> Flags:
    """Some cell of a row above speaks for the child's column."""
    return _count_before(view, view.reach, view.child(view.level)) > 0


def levels_apart(view: TopView) -> Numbers:
    apart = view.child(view.level) - view.parent(view.last_level, 0)
    return np.where(view.is_root, 0, apart).astype(np.float64)


def columns_apart(view: TopView) -> Numbers:
    apart = view.child(view.column) - view.parent(view.column, 0)
    return np.where(view.is_root, 0, np.clip(apart, -20, 20)).astype(np.float64)


def child_over_all(view: TopView) -> Flags:
    """The child is one cell over all value columns: a unit, or a heading of the whole."""
    first, last = view.child(view.column), view.child(view.last_column)
    return np.asarray((first <= view.first_value) & (last >= view.last_value) & (last > first))


def child_at_bottom(view: TopView) -> Flags:
    return np.asarray(view.child(view.last_level) == view.levels - 1)


def parent_merged(view: TopView) -> Flags:
    return (view.parent(view.last_column) > view.parent(view.column)) & ~view.is_root


def child_merged(view: TopView) -> Flags:
    return np.asarray(view.child(view.last_column) > view.child(view.column))


def child_over_stub(view: TopView) -> Flags:
    return np.asarray(view.child(view.column) < view.first_value)


def parent_over_stub(view: TopView) -> Flags:
    return (view.parent(view.column) < view.first_value) & ~view.is_root


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


def _count_between(view: TopView, table: NDArray[np.intp]) -> Indices:
    """How many of the rows strictly between parent and child have a cell in the child's column."""
    level = view.child(view.level)
    start = np.where(view.is_root, 0, view.parent(view.last_level, -1) + 1)
    return _count_before(view, table, level) - _count_before(view, table, np.minimum(start, level))


def _count_before(view: TopView, table: NDArray[np.intp], level: Indices) -> Indices:
    """How many rows of a pair's head before a level have a cell in the child's column."""
    total = np.zeros((len(table) + 1, table.shape[1]), dtype=np.intp)
    np.cumsum(table != NONE, axis=0, out=total[1:])
    column = view.child(view.column)
    return np.asarray(total[view.base + level, column] - total[view.base, column])
