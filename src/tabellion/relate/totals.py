"""Columns that are totals of others: their head says so and their numbers bear it out.

In: a nested frame. Out: the value columns that sum up columns beside them. A head that says "total" is not enough, for
the parts may not be there; and equal numbers are not enough, for they may be so by chance. Fails where the parts are
not side by side.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content
from tabellion.model.tree import Nested

_SAYS_TOTAL = re.compile(
    r"\b(?:total|totals|all|both|overall|combined|sum|insgesamt|gesamt|summe|ensemble|totale|toutes|tous|suma)\b",
    re.IGNORECASE,
)
_ROUNDING = 0.5  # each part may be rounded to its last digit
_BORNE_OUT = 0.8  # share of rows in which the parts must sum up
_FEWEST_ROWS = 3


def find_total_columns(nested: Nested) -> tuple[int, ...]:
    """The value columns that are derived."""
    frame, grid = nested.frame, nested.frame.grid
    columns = list(frame.value_columns)
    heads = {
        c: " ".join(n.text for node in nested.column_nodes.get(c, ()) for n in nested.top.path(node)) for c in columns
    }
    named = [place for place, column in enumerate(columns) if _SAYS_TOTAL.search(heads[column])]
    if not named or len(columns) < 3:
        return ()
    region = np.ix_(frame.body_rows, columns)
    numbers = np.where(grid.content[region] == Content.NUMBER, grid.number[region], np.nan)
    return tuple(columns[place] for place in named if _sums_up(numbers, place))


def _sums_up(numbers: NDArray[np.float64], place: int) -> bool:
    """Whether a column is the sum of two or more columns right after it, or right before it."""
    after, before = numbers[:, place + 1 :], numbers[:, :place][:, ::-1]
    return _matches(numbers[:, place], after) or _matches(numbers[:, place], before)


def _matches(total: NDArray[np.float64], parts: NDArray[np.float64]) -> bool:
    if parts.shape[1] < 2:
        return False
    known = ~np.isnan(total) & (total != 0) & (~np.isnan(parts)).any(axis=1)
    if known.sum() < _FEWEST_ROWS:
        return False
    total, parts = total[known], parts[known]
    step = _last_digit(total)
    sums = np.nancumsum(parts, axis=1)[:, 1:]
    room = step * _ROUNDING * (np.arange(2, parts.shape[1] + 1)[None, :] + 1)
    return bool(((np.abs(sums - total[:, None]) <= room + 1e-9).mean(axis=0) >= _BORNE_OUT).any())


def _last_digit(numbers: NDArray[np.float64]) -> float:
    """The step that numbers are rounded to: 1 for whole numbers, else a power of ten down to a thousandth."""
    for step in (1.0, 0.1, 0.01):
        if np.allclose(numbers / step, np.round(numbers / step), rtol=0, atol=1e-6):
            return step
    return 0.001
