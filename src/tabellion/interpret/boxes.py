"""Where the tables of a grid are: rectangles that do not overlap and together hold the most.

In: what the network says of the tokens. Out: boxes, each with how sure its cells are in it. A table is the cells that
point to one first cell; each adds the log odds of being in that table, and of all rectangles the one with the largest
sum is exact.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.targets import GROUP, HEAD, JOIN, LEVEL, STUB, TABLE_FIRST, VALUE
from tabellion.interpret.tokens import Bools

Line = int
Floats = NDArray[np.float64]

OF_TABLE = (HEAD, LEVEL, JOIN, STUB, GROUP, VALUE)
LEAST = 1e-4  # the least and one less the most that a probability counts
FEWEST = 2  # tokens of a table


class Box(NamedTuple):
    """A rectangle of lines, both ends included."""

    top: Line
    left: Line
    bottom: Line
    right: Line

    def holds(self, row: Line, column: Line) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right


class Probabilities(NamedTuple):
    """What the network says of the tokens, and where they are."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    roles: Floats  # logs
    pointers: Floats
    flags: Floats


def find_boxes(known: Probabilities, kept: Bools) -> list[tuple[Box, float]]:
    """Rectangles that together hold the most: each token adds the log odds of being in its table."""
    shares, inside = _memberships(known)
    gains = []
    for share in shares.T:
        odds = np.clip(share / np.maximum(shares.sum(axis=1), 1e-9) * inside, LEAST, 1 - LEAST)
        gains.append(np.log(odds) - np.log(1 - odds))
    lines = np.flatnonzero(kept)
    row_at = np.searchsorted(lines, known.rows)
    width = int(known.columns.max()) + 1
    fields = []
    for gain in gains:
        field = np.zeros((len(lines), width))
        np.add.at(field, (row_at, known.columns), gain)
        fields.append(field)
    free = np.ones((len(lines), width), dtype=bool)
    found: list[tuple[Box, float]] = []
    best = [best_rectangle(field) for field in fields]
    while best:
        at = max(range(len(best)), key=lambda number: best[number][0])
        total, (top, left, bottom, right) = best[at]
        if total <= 0:
            break
        members = (row_at >= top) & (row_at <= bottom) & (known.columns >= left) & (known.columns <= right)
        if members.sum() >= FEWEST:
            free[top : bottom + 1, left : right + 1] = False
            odds = 1 / (1 + np.exp(-gains[at][members]))
            found.append((Box(int(lines[top]), left, int(lines[bottom]), right), float(np.log(odds).mean())))
            for number, field in enumerate(fields):
                if not free[_slices(best[number][1])].all():
                    field[~free] = -1e3
        fields.pop(at), gains.pop(at), best.pop(at)
        best = [
            one if free[_slices(one[1])].all() else best_rectangle(field)
            for one, field in zip(best, fields, strict=True)
        ]
    return found


def _slices(box: Box) -> tuple[slice, slice]:
    return slice(box.top, box.bottom + 1), slice(box.left, box.right + 1)


def _memberships(known: Probabilities) -> tuple[Floats, Floats]:
    """How likely each token is in each table, by the first cells pointed to; and that it is in one at all.

    A first cell that itself points to an earlier one is of that one's table.
    """
    pointer = known.pointers[TABLE_FIRST]
    to, none = pointer[:, 1:], pointer[:, 0]
    in_role = np.exp(np.logaddexp.reduce(known.roles[:, list(OF_TABLE)], axis=1))
    inside = np.clip((1 - none + in_role) / 2, LEAST, 1 - LEAST)
    best = to.argmax(axis=1)
    root = np.arange(len(best))
    for token in range(len(best)):
        at = token
        while best[at] < at:
            at = int(best[at])
        root[token] = at
    mass = to.sum(axis=0)
    roots = sorted({int(root[token]) for token in np.flatnonzero(mass > 0.5)})
    place = {token: at for at, token in enumerate(roots)}
    shares = np.zeros((len(best), len(roots)))
    for token in range(len(best)):
        if int(root[token]) in place:
            shares[:, place[int(root[token])]] += to[:, token]
    return shares[:, shares.sum(axis=0) > FEWEST], inside


def best_rectangle(field: Floats) -> tuple[float, Box]:
    """The rectangle with the largest sum, and the sum; the smallest of equal ones.

    >>> best_rectangle(np.array([[-1.0, 2, -9], [3, 1, -9]]))
    (5.0, Box(top=0, left=0, bottom=1, right=1))
    """
    positive = field > 0
    if not positive.any():
        return 0.0, Box(0, 0, 0, 0)
    rows, columns = np.flatnonzero(positive.any(axis=1)), np.flatnonzero(positive.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    part = field[top : rows[-1] + 1, left : columns[-1] + 1]
    sums = np.vstack([np.zeros(part.shape[1]), np.cumsum(part, axis=0)])
    best, box = 0.0, Box(0, 0, 0, 0)
    for start in range(len(part)):
        across = np.cumsum(sums[start + 1 :] - sums[start], axis=1)
        before = np.minimum.accumulate(np.hstack([np.zeros((len(across), 1)), across[:, :-1]]), axis=1)
        gain = across - before
        at = int(gain.argmax())
        end, last = divmod(at, gain.shape[1])
        if gain[end, last] > best + 1e-9:
            best = float(gain[end, last])
            low = np.hstack([[0.0], across[end, :-1]])[: last + 1]
            first = int(low.argmin())
            box = Box(top + start, left + first, top + start + end, left + last)
    return best, box
