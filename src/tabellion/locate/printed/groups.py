"""Pieces judged to be of tables, grouped: first into rows, then rows into tables.

Goes in: a page, the chance of each piece to be of a table. Comes out: rows of pieces, and pairs of rows that touch.
What is tied together may still be several tables (`parting`).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.second_look import hull
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage

LIKELY = 0.5
_FARTHEST_MATE = 34.0  # type sizes between two cells of a row
_FARTHEST_ROW = 16.0  # type sizes between two rows of a table


class Row(msgspec.Struct, frozen=True, eq=False):
    """Pieces of one row of a table, from left to right, and the box around them."""

    pieces: tuple[int, ...]
    box: Box


class Link(msgspec.Struct, frozen=True):
    """Two rows that touch: the upper one and the lower one."""

    upper: int
    lower: int


def join_sets(count: int, pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Sets of numbers below `count` that the pairs tie together, each in order."""
    parent = list(range(count))

    def root(i: int) -> int:
        while parent[i] != i:
            parent[i] = parent[parent[i]]
            i = parent[i]
        return i

    for a, b in pairs:
        parent[root(a)] = root(b)
    sets: dict[int, list[int]] = {}
    for i in range(count):
        sets.setdefault(root(i), []).append(i)
    return list(sets.values())


def group_rows(page: PrintedPage, chance: NDArray[np.float64]) -> list[Row]:
    """Likely pieces side by side, with no other piece between them."""
    likely = np.flatnonzero(chance > LIKELY)
    box = page.pieces.box.astype(np.float64)
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    left, top, right, bottom = box.T
    pairs: list[tuple[int, int]] = []
    index = {int(k): n for n, k in enumerate(likely)}
    for n, k in enumerate(likely.tolist()):
        overlap = np.minimum(bottom, bottom[k]) - np.maximum(top, top[k])
        mate = overlap > 0.5 * np.minimum(bottom - top, bottom[k] - top[k])
        gap = left - right[k]
        ahead = np.flatnonzero(mate & (gap > -0.5 * size[k]) & (np.arange(len(left)) != k) & (left > left[k]))
        if not len(ahead):
            continue
        nearest = int(ahead[gap[ahead].argmin()])
        far = gap[nearest] >= _FARTHEST_MATE * size[k]
        if nearest in index and not (far and not _under_one_rule(page, box[k], box[nearest])):
            pairs.append((n, index[nearest]))
    rows = []
    for members in join_sets(len(likely), pairs):
        pieces = sorted((int(likely[m]) for m in members), key=lambda k: float(left[k]))
        rows.append(Row(tuple(pieces), hull(box[pieces])))
    return sorted(rows, key=lambda r: (r.box.top, r.box.left))


def _under_one_rule(page: PrintedPage, left: NDArray[np.float64], right: NDArray[np.float64]) -> bool:
    """Whether a level rule of the page runs over the whole stretch from one piece to another."""
    rules = page.across
    return bool(((rules[:, 0] <= left[0] + 6) & (rules[:, 2] >= right[2] - 6)).any())


def find_links(page: PrintedPage, rows: list[Row]) -> list[Link]:
    """Pairs of rows in which a piece of the lower is the nearest one below a piece of the upper."""
    row_of = {k: n for n, row in enumerate(rows) for k in row.pieces}
    box = page.pieces.box.astype(np.float64)
    base = page.pieces.baseline.astype(np.float64)
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    left, top, right, bottom = box.T
    touching: set[tuple[int, int]] = set()
    for k, n in row_of.items():
        below = (np.minimum(right, right[k]) > np.maximum(left, left[k])) & (base > base[k] + 0.3 * size[k])
        candidates = np.flatnonzero(below)
        candidates = candidates[[row_of.get(int(c)) != n for c in candidates]]
        if not len(candidates):
            continue
        nearest = int(candidates[(top[candidates] - bottom[k]).argmin()])
        if top[nearest] - bottom[k] > _FARTHEST_ROW * size[k]:
            continue
        lower = row_of.get(nearest)
        if lower is not None:
            touching.add((n, lower))
    return [Link(upper, lower) for upper, lower in sorted(touching)]
