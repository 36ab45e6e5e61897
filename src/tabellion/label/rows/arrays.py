"""Arrays with one entry a row: shares, distances to other rows, what neighbours have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Column = NDArray[np.float64]
"""One number a row."""

FAR = 12  # distances in rows are told apart up to that


def column(numbers: ArrayLike) -> Column:
    return np.asarray(numbers, dtype=np.float64)


def share(part: NDArray[Any], whole: NDArray[Any] | int) -> Column:
    """A ratio in tenths."""
    return column(np.round(10 * part / np.maximum(1, whole)))


def at_most(numbers: NDArray[Any], most: float) -> Column:
    return column(np.minimum(numbers, most))


def clipped(numbers: NDArray[Any], most: float) -> Column:
    return column(np.clip(numbers, -most, most))


def next_true(flags: NDArray[np.bool_]) -> Column:
    """How many rows further the next flagged row is; FAR + 1 where there is none within reach.

    >>> next_true(np.array([False, True, False, True, False])).tolist()
    [1.0, 2.0, 1.0, 13.0, 13.0]
    """
    count = len(flags)
    beyond = 2 * count + FAR + 1
    nearest = np.minimum.accumulate(np.where(flags, np.arange(count), beyond)[::-1])[::-1]
    return at_most(np.append(nearest[1:], beyond) - np.arange(count), FAR + 1)


def last_true(flags: NDArray[np.bool_]) -> Column:
    """How many rows back the last flagged row is; FAR + 1 where there is none within reach."""
    return next_true(flags[::-1])[::-1]


def shifted(cells: NDArray[Any], offset: int, beyond: float = -1) -> NDArray[np.float64]:
    """What the row `offset` further has; `beyond` where there is no such row.

    >>> shifted(np.array([1, 2, 3]), 1).tolist(), shifted(np.array([1, 2, 3]), -1).tolist()
    ([2.0, 3.0, -1.0], [-1.0, 1.0, 2.0])
    """
    result = np.full(cells.shape, beyond, dtype=np.float64)
    if abs(offset) < len(cells):
        if offset > 0:
            result[:-offset] = cells[offset:]
        else:
            result[-offset:] = cells[:offset]
    return result


def run_lengths(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each flagged row how many flagged rows stand together with it; nought for the others.

    >>> run_lengths(np.array([True, True, False, True])).tolist()
    [2, 2, 0, 1]
    """
    starts = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=-1))
    lengths = np.diff(np.append(starts, len(flags)))
    return np.where(flags, np.repeat(lengths, lengths), 0)
