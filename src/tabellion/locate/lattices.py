"""Lattices: rulings that cross one another and so draw the cells of one table.

Goes in: the rulings of a page. Comes out: boxes around each set of crossing rules with at least two rows and two
columns (or one inner upright rule). What stands in one lattice belongs together, what stands in two does not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.table_groups import join_sets
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage

_TOUCH = 2.5  # points: how far a rule may end before the rule it meets
_APART = 4.0  # points: places of rules closer than this are one
_FEWEST_LEVELS, _FEWEST_UPRIGHTS = 3, 1  # three level rules bound two rows
_MOST_RULES = 3000  # a page with more is a drawing
_SMALLEST = 20.0  # points
_WHOLE_PAGE = 0.97  # of the page's width and height: a frame around everything


def find_lattices(page: PrintedPage) -> list[Box]:
    """The boxes of all lattices of a page."""
    across, down = page.across.astype(np.float64), page.down.astype(np.float64)
    if not len(across) or not len(down) or len(across) + len(down) > _MOST_RULES:
        return []
    x, y = (down[:, 0] + down[:, 2]) / 2, (across[:, 1] + across[:, 3]) / 2
    meets = (across[:, None, 0] <= x[None, :] + _TOUCH) & (across[:, None, 2] >= x[None, :] - _TOUCH)
    meets &= (down[None, :, 1] <= y[:, None] + _TOUCH) & (down[None, :, 3] >= y[:, None] - _TOUCH)
    pairs = [(int(a), len(across) + int(d)) for a, d in np.argwhere(meets)]
    result: list[Box] = []
    for members in join_sets(len(across) + len(down), pairs):
        levels = [m for m in members if m < len(across)]
        uprights = [m - len(across) for m in members if m >= len(across)]
        if _places(y[levels]) < _FEWEST_LEVELS or _places(x[uprights]) < _FEWEST_UPRIGHTS:
            continue
        left = min(across[levels, 0].min(), down[uprights, 0].min())
        right = max(across[levels, 2].max(), down[uprights, 2].max())
        top = min(across[levels, 1].min(), down[uprights, 1].min())
        bottom = max(across[levels, 3].max(), down[uprights, 3].max())
        inner = _places(x[uprights][(x[uprights] > left + _APART) & (x[uprights] < right - _APART)])
        whole = right - left > _WHOLE_PAGE * page.width and bottom - top > _WHOLE_PAGE * page.height
        if inner and min(right - left, bottom - top) > _SMALLEST and not whole:
            result.append(Box(float(left), float(top), float(right), float(bottom)))
    return _outermost(result)


def _places(values: NDArray[np.float64]) -> int:
    """How many distinct places there are."""
    return 0 if not len(values) else 1 + int((np.diff(np.sort(values)) > _APART).sum())


def _outermost(boxes: list[Box]) -> list[Box]:
    """Boxes that lie in no other."""

    def inside(a: Box, b: Box) -> bool:
        return (
            a != b
            and b.left - 1 <= a.left
            and b.top - 1 <= a.top
            and a.right <= b.right + 1
            and a.bottom <= b.bottom + 1
        )

    return [a for a in boxes if not any(inside(a, b) for b in boxes)]


def lattice_of(boxes: NDArray[np.float64], lattices: list[Box]) -> NDArray[np.int64]:
    """For each box the lattice that its middle lies in, or -1."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    result = np.full(len(boxes), -1, dtype=np.int64)
    for k, (left, top, right, bottom) in enumerate(lattices):
        result[(x >= left) & (x <= right) & (y >= top - 1) & (y <= bottom + 1)] = k
    return result
