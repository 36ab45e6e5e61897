"""What rulings and shading say of the pieces of a page: rules above and below, twins, shading, lattices.

A lattice is a set of rulings that cross one another and so draw the cells of one table, with at least two rows and an
inner upright rule. What stands in one lattice belongs together, what stands in two does not. Goes in: the rulings of a
page. Comes out: its lattices, and features of each piece by name.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage

Columns = dict[str, NDArray[np.float64]]
"""Features by name, one value per piece."""

FAR = 60.0  # what stands for "none near", in type sizes
_TOUCH = 2.5  # points: how far a rule may end before the rule it meets
_APART = 4.0  # points: places of rules closer than this are one
_FEWEST_LEVELS, _FEWEST_UPRIGHTS = 3, 1  # three level rules bound two rows
_MOST_RULES = 3000  # a page with more is a drawing
_SMALLEST = 20.0  # points
_WHOLE_PAGE = 0.97  # of the page's width and height: a frame around everything


class Lattice(msgspec.Struct, frozen=True):
    """Rulings that cross one another: the box around them, the rows and columns that they part."""

    box: Box
    rows: int
    columns: int


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


def find_lattices(page: PrintedPage) -> list[Lattice]:
    """All lattices of a page that lie in no other."""
    across, down = page.across.astype(np.float64), page.down.astype(np.float64)
    if not len(across) or not len(down) or len(across) + len(down) > _MOST_RULES:
        return []
    x, y = (down[:, 0] + down[:, 2]) / 2, (across[:, 1] + across[:, 3]) / 2
    meets = (across[:, None, 0] <= x[None, :] + _TOUCH) & (across[:, None, 2] >= x[None, :] - _TOUCH)
    meets &= (down[None, :, 1] <= y[:, None] + _TOUCH) & (down[None, :, 3] >= y[:, None] - _TOUCH)
    pairs = [(int(a), len(across) + int(d)) for a, d in np.argwhere(meets)]
    result: list[Lattice] = []
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
            box = Box(float(left), float(top), float(right), float(bottom))
            result.append(Lattice(box, _places(y[levels]) - 1, inner + 1))
    return _outermost(result)


def _places(values: NDArray[np.float64]) -> int:
    """How many distinct places there are."""
    return 0 if not len(values) else 1 + int((np.diff(np.sort(values)) > _APART).sum())


def _outermost(lattices: list[Lattice]) -> list[Lattice]:
    """Lattices that lie in no other."""

    def inside(a: Box, b: Box) -> bool:
        return (
            a != b
            and b.left - 1 <= a.left
            and b.top - 1 <= a.top
            and a.right <= b.right + 1
            and a.bottom <= b.bottom + 1
        )

    return [a for a in lattices if not any(inside(a.box, b.box) for b in lattices)]


def lattice_of(boxes: NDArray[np.float64], lattices: Sequence[Lattice]) -> NDArray[np.int64]:
    """For each box the lattice that its middle lies in, or -1."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    result = np.full(len(boxes), -1, dtype=np.int64)
    for k, lattice in enumerate(lattices):
        left, top, right, bottom = lattice.box
        result[(x >= left) & (x <= right) & (y >= top - 1) & (y <= bottom + 1)] = k
    return result


def lattice_features(box: NDArray[np.float64], lattices: Sequence[Lattice]) -> Columns:
    """Rows and columns of the lattice that a piece stands in, and how many pieces stand in each of its cells."""
    inside = lattice_of(box, lattices)
    rows = np.array([0, *(lattice.rows for lattice in lattices)], dtype=np.float64)
    columns = np.array([0, *(lattice.columns for lattice in lattices)], dtype=np.float64)
    held = np.bincount(inside + 1, minlength=len(rows)) / np.maximum(rows * columns, 1)
    held[0] = 0.0
    return {
        "lattice rows": np.minimum(rows, 30)[inside + 1],
        "lattice columns": np.minimum(columns, 15)[inside + 1],
        "lattice pieces": np.minimum(held, 8)[inside + 1],
    }


def rule_features(page: PrintedPage, box: NDArray[np.float64], size: NDArray[np.float64]) -> Columns:
    """Level rules above and below, twins of one length around, upright rules beside, shading behind."""
    left, top, right, bottom = box.T
    x, y = (left + right) / 2, (top + bottom) / 2
    return {
        **_level_rules(page, x, y, size),
        **_upright_rules(page, left, right, y),
        **_shading(page, x, y, size),
    }


def _level_rules(
    page: PrintedPage, x: NDArray[np.float64], y: NDArray[np.float64], size: NDArray[np.float64]
) -> Columns:
    """How far the rules above and below are, how long, how many lie near; whether twins lie around."""
    count = len(x)
    result: Columns = {name: np.full(count, FAR) for name in ("rule above", "rule below", "twin height")}
    for name in ("rule above long", "rule below long", "rules near", "between twins", "twins"):
        result[name] = np.zeros(count)
    rules = page.across.astype(np.float64)
    rules = rules[(rules[:, 2] - rules[:, 0]) > 12]
    if not len(rules):
        return result
    level = (rules[:, 1] + rules[:, 3]) / 2
    covers = (rules[None, :, 0] <= x[:, None] + 1) & (rules[None, :, 2] >= x[:, None] - 1)
    for name, distance in (("above", y[:, None] - level[None, :]), ("below", level[None, :] - y[:, None])):
        d = np.where(covers & (distance > 0), distance, np.inf)
        at = d.argmin(1)
        value = d[np.arange(count), at]
        known = np.isfinite(value)
        result[f"rule {name}"] = np.where(known, np.minimum(value / size, FAR), FAR)
        result[f"rule {name} long"] = np.where(known, (rules[at, 2] - rules[at, 0]) / page.width, 0)
    close = covers & (np.abs(level[None, :] - y[:, None]) < 15 * size[:, None])
    result["rules near"] = np.minimum(close.sum(1), 15).astype(np.float64)
    _add_twins(rules, level, covers, y, size, result)
    return result


def _add_twins(
    rules: NDArray[np.float64],
    level: NDArray[np.float64],
    covers: NDArray[np.bool_],
    y: NDArray[np.float64],
    size: NDArray[np.float64],
    result: Columns,
) -> None:
    """Whether rules of one length lie above and below a piece: the mark of a three-line table."""
    twin = (np.abs(rules[:, None, 0] - rules[None, :, 0]) < 4) & (np.abs(rules[:, None, 2] - rules[None, :, 2]) < 4)
    long = (rules[:, 2] - rules[:, 0]) > 40
    twin &= long[:, None] & long[None, :]
    over = covers & (level[None, :] < y[:, None])
    under = covers & (level[None, :] > y[:, None])
    pairs = twin.astype(np.float32)  # as a product of matrices: a page has many rules and many pieces
    ups = over & (under.astype(np.float32) @ pairs > 0)
    downs = under & (over.astype(np.float32) @ pairs > 0)
    between = ups.any(1)
    height = np.where(downs, level[None, :], -np.inf).max(1) - np.where(ups, level[None, :], np.inf).min(1)
    result["between twins"] = np.asarray(between, dtype=np.float64)
    result["twins"] = np.minimum(ups.sum(1) + downs.sum(1), 15).astype(np.float64)
    result["twin height"] = np.where(between, np.minimum(height / size, FAR), FAR)


def _upright_rules(
    page: PrintedPage, left: NDArray[np.float64], right: NDArray[np.float64], y: NDArray[np.float64]
) -> Columns:
    """Whether upright rules stand left and right of a piece, and how many at its height."""
    uprights = page.down.astype(np.float64)
    uprights = uprights[(uprights[:, 3] - uprights[:, 1]) > 6]
    x = (uprights[:, 0] + uprights[:, 2]) / 2
    beside = (uprights[None, :, 1] <= y[:, None]) & (uprights[None, :, 3] >= y[:, None])
    return {
        "boxed left": (beside & (x[None, :] <= left[:, None] + 2)).any(1).astype(np.float64),
        "boxed right": (beside & (x[None, :] >= right[:, None] - 2)).any(1).astype(np.float64),
        "uprights near": np.minimum(beside.sum(1), 15).astype(np.float64),
    }


def _shading(page: PrintedPage, x: NDArray[np.float64], y: NDArray[np.float64], size: NDArray[np.float64]) -> Columns:
    """How many fills lie behind a piece, and the height and width of the smallest."""
    fills = page.fills.astype(np.float64)
    inside = (fills[None, :, 0] <= x[:, None]) & (fills[None, :, 2] >= x[:, None])
    inside &= (fills[None, :, 1] <= y[:, None]) & (fills[None, :, 3] >= y[:, None])
    heights = np.where(inside, (fills[:, 3] - fills[:, 1])[None, :], np.inf).min(1, initial=np.inf) / size
    widths = np.where(inside, (fills[:, 2] - fills[:, 0])[None, :], np.inf).min(1, initial=np.inf) / page.width
    return {
        "filled": np.minimum(inside.sum(1), 3).astype(np.float64),
        "fill height": np.where(np.isfinite(heights), np.minimum(heights, FAR), 0),
        "fill width": np.where(np.isfinite(widths), widths, 0),
    }
