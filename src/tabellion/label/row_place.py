"""Features of where a row stands: blank rows around it, rows of heads and of values before and after it.

Counted from other rows, never from the top of the sheet: how many rows a title takes is a habit of one office.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tabellion.label.row_arrays import Column, at_most, column, last_true, next_true, run_lengths, share, shifted
from tabellion.label.row_view import Bools, RowView

Feature = Callable[[RowView], Column]

HEAD_SHARE = 4  # tenths of the value columns with something that is no value make a row of heads
DENSE_QUANTILE = 0.9  # what the fullest rows fill


def headed(view: RowView) -> Bools:
    """Rows with texts or dates where columns hold values."""

    def compute() -> Bools:
        other = (view.filled & ~view.number & ~view.missing & view.value_columns).sum(axis=1)
        return np.asarray(share(other, int(view.value_columns.sum())) >= HEAD_SHARE)

    return view.once("headed", compute)


def dense(view: RowView) -> Bools:
    """Rows that fill at least half of what the fullest rows fill."""

    def compute() -> Bools:
        filled = view.filled.sum(axis=1)
        return np.asarray(2 * filled >= np.quantile(filled, DENSE_QUANTILE))

    return view.once("dense", compute)


def gap_before(view: RowView) -> Column:
    return at_most(view.gap, 3)


def gap_after(view: RowView) -> Column:
    return shifted(gap_before(view), 1, 3)


def last_gap(view: RowView) -> Column:
    return column(np.where(view.gap > 0, 0, last_true(view.gap > 0)))


def valued_before(view: RowView) -> Column:
    return at_most(np.cumsum(view.valued) - view.valued, 3)


def valued_after(view: RowView) -> Column:
    return at_most(view.valued.sum() - np.cumsum(view.valued), 3)


def valued_around(reach: int) -> Feature:
    """Valued rows among the next rows (the last ones where `reach` is negative)."""
    offsets = range(1, reach + 1) if reach > 0 else range(reach, 0)
    return lambda view: column(sum(shifted(view.valued, offset, 0) for offset in offsets))


def head_before_values(view: RowView) -> Column:
    """Whether a row of heads comes before the next row of values."""
    return column(next_true(headed(view)) < next_true(view.valued))


PLACE_FEATURES: dict[str, Feature] = {
    "gap before": gap_before,
    "gap after": gap_after,
    "next gap": lambda view: next_true(view.gap > 0),
    "last gap": last_gap,
    "next valued": lambda view: next_true(view.valued),
    "last valued": lambda view: last_true(view.valued),
    "next dense": lambda view: next_true(dense(view)),
    "last dense": lambda view: last_true(dense(view)),
    "next headed": lambda view: next_true(headed(view)),
    "last headed": lambda view: last_true(headed(view)),
    "head before values": head_before_values,
    "valued before": valued_before,
    "valued after": valued_after,
    "valued in next 4": valued_around(4),
    "valued in last 4": valued_around(-4),
    "stub only run": lambda view: at_most(run_lengths(view.stub_only), 6),
}
