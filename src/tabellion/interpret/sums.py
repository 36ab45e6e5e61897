"""Which rows sum up rows beside them: arithmetic as evidence.

In: a grid and its lines. Out: for each row how many of its numbers are the sum of a run of rows right above it or
right below it, and the run. Chance sums of one small column count little, since a share of the columns must agree; the
network learns what they are worth.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.tokens import Bools, Ints, Tokens
from tabellion.model.grid import NUMBER, Grid

NO_RUN = -9
_LONGEST = 40  # rows of a sum
_MOST_ROWS = 2_000  # of a grid that are looked at
_MOST_COLUMNS = 60
_HALF = 0.5  # share of a row's numbers that must agree


class Sums(msgspec.Struct, frozen=True, eq=False):
    """For each row: the share of its numbers that sum up rows above, or below; the first and last row of that run."""

    above: NDArray[np.float64]
    below: NDArray[np.float64]
    first: Ints
    last: Ints
    parts: Bools


def find_sums(grid: Grid, tokens: Tokens) -> Sums:
    """The sums over the rows of a grid."""
    count = len(tokens.rows)
    above, below = np.zeros(count), np.zeros(count)
    first, last = np.full(count, NO_RUN), np.full(count, NO_RUN)
    parts = np.zeros(count, dtype=bool)
    rows, columns = tokens.rows[:_MOST_ROWS], tokens.columns[:_MOST_COLUMNS]
    inside = np.ix_(rows, columns)
    numeric = (grid.content[inside] == NUMBER) & np.isfinite(grid.number[inside])
    if numeric.sum() > 2:
        numbers = np.where(numeric, grid.number[inside], 0.0)
        used = numeric.any(axis=0)
        numbers, numeric = numbers[:, used], numeric[:, used]
        up, run_up = _shares(numbers, numeric)
        down, run_down = _shares(numbers[::-1], numeric[::-1])
        down, run_down = down[::-1], run_down[::-1]
        lines = np.arange(len(rows))
        above[: len(rows)], below[: len(rows)] = up, down
        ends_above, ends_below = (up >= down) & (up > 0), (down > up)
        first[: len(rows)][ends_above] = (lines - run_up)[ends_above]
        last[: len(rows)][ends_above] = (lines - 1)[ends_above]
        first[: len(rows)][ends_below] = (lines + 1)[ends_below]
        last[: len(rows)][ends_below] = (lines + run_down)[ends_below]
        for row in np.flatnonzero(first != NO_RUN).tolist():
            parts[first[row] : last[row] + 1] = True
    return Sums(above, below, first, last, parts)


def _shares(numbers: NDArray[np.float64], numeric: Bools) -> tuple[NDArray[np.float64], Ints]:
    """For each row the best share of its numbers that sum up the rows right above, and how many rows those are."""
    count = len(numbers)
    total = np.vstack([np.zeros(numbers.shape[1]), np.cumsum(np.where(np.isfinite(numbers), numbers, 0), axis=0)])
    there = np.vstack([np.zeros(numbers.shape[1]), np.cumsum(numeric, axis=0)])
    asked = numeric & (numbers != 0)
    among = asked.sum(axis=1)
    room = np.maximum(np.where(np.abs(numbers - np.round(numbers)) < 1e-9, 0.5, 0.006), 1e-6 * np.abs(numbers))
    best, run = np.zeros(count), np.zeros(count, dtype=np.intp)
    for rows in range(2, min(_LONGEST, count - 1) + 1):
        ends = np.arange(rows, count)
        sums = total[ends] - total[ends - rows]
        several = (there[ends] - there[ends - rows]) > 1
        fits = asked[ends] & several & (np.abs(sums - numbers[ends]) <= room[ends] * np.sqrt(rows))
        share = fits.sum(axis=1) / np.maximum(among[ends], 1)
        share = np.where((share >= _HALF) & (fits.sum(axis=1) > (among[ends] > 2)), share, 0)
        better = share > best[ends]
        best[ends] = np.where(better, share, best[ends])
        run[ends] = np.where(better, rows, run[ends])
    return best, run
