"""Features of a row as a total: whether its numbers are sums of others, and how it stands to its parts.

In: the view of a sheet's rows and the sums found among them (row_sums.py, which says where it fails). Out: one number a
row and feature.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.label.row_arrays import Column, at_most, share, shifted
from tabellion.label.row_sums import FoundSums, Sums, find_sums
from tabellion.label.row_view import Bools, RowView

Feature = Callable[[RowView], Column]
Direction = Callable[[FoundSums], Sums]

MOST_EVIDENCE = 30  # in half digits
SURE = 2.0  # digits of evidence that make a sum worth counting
HALF = 0.5
COMPARED = 12  # columns looked at for larger numbers
NEARLY_ALL = 0.8
REACH = 8  # neighbours looked at


def after(found: FoundSums) -> Sums:
    return found.after


def before(found: FoundSums) -> Sums:
    return found.before


def better(found: FoundSums) -> Sums:
    return found.after.better(found.before)


def roughly_better(found: FoundSums) -> Sums:
    return found.rough_after.better(found.rough_before)


def found_sums(view: RowView) -> FoundSums:
    return view.once("sums", lambda: find_sums(view.amount[view.valued][:, view.value_columns]))


def on_all_rows(view: RowView, told: NDArray[Any]) -> Column:
    """What is told of the valued rows; nought for the others."""
    result = np.zeros(len(view))
    result[view.valued] = told
    return result


def evidence(which: Direction) -> Feature:
    return lambda view: on_all_rows(view, at_most(np.round(2 * which(found_sums(view)).evidence), MOST_EVIDENCE))


def agreement(which: Direction) -> Feature:
    return lambda view: on_all_rows(view, share(which(found_sums(view)).share, 1))


def parts(which: Direction) -> Feature:
    return lambda view: on_all_rows(view, at_most(which(found_sums(view)).parts, 20))


def known_sum(known: float, feature: Feature) -> Feature:
    """A feature of sums, for which a row that adds up others by formula is as sure as can be."""
    return lambda view: np.where(view.added_up, known, feature(view))


def is_sum(view: RowView, which: Direction) -> Bools:
    return np.asarray((on_all_rows(view, which(found_sums(view)).evidence) >= SURE) | view.added_up)


def look_sums(which: Direction) -> Feature:
    """The share of the valued rows with the same look that are sums."""

    def feature(view: RowView) -> Column:
        _, look = np.unique(view.look_number, return_inverse=True)
        total = np.bincount(look, weights=is_sum(view, which))
        return share(total[look], np.bincount(look, weights=view.valued)[look])

    return feature


def named_as_sum(view: RowView) -> Column:
    """How often a row with the same label is a sum, of the rows with that label."""
    times: dict[str, list[int]] = {}
    for label, found in zip(view.first_labels, is_sum(view, better).tolist(), strict=True):
        counts = times.setdefault(label, [0, 0])
        counts[0] += 1
        counts[1] += found
    return np.array([round(10 * times[label][1] / times[label][0]) for label in view.first_labels], dtype=np.float64)


def part_depth(view: RowView) -> Column:
    """How many totals above a row lies among the parts of."""
    told = found_sums(view).after
    count = len(told.end)
    sure = np.flatnonzero((told.evidence >= SURE) & (told.share >= HALF))
    edges = np.bincount(sure + 1, minlength=count + 1) - np.bincount(told.end[sure], minlength=count + 1)
    return on_all_rows(view, at_most(np.cumsum(edges)[:count], 4))


def shape(view: RowView) -> Column:
    """How a total stands to its parts below: 1, and 1 for another look, 2 for less indent, 4 for a border after."""
    told = found_sums(view).after
    count = len(told.end)
    if not count:
        return np.zeros(len(view))
    first = np.minimum(np.arange(count) + 1, count - 1)
    beyond = np.minimum(told.end, count - 1)
    looks, depth = view.look_number[view.valued], view.indent[view.valued]
    apart = (np.diff(np.flatnonzero(view.valued), prepend=-2) > 1) | (view.gap[view.valued] > 0)
    border = (told.end >= count) | apart[beyond] | (depth[beyond] < depth[first]) | (looks[beyond] == looks)
    told_shape = 1 + (looks[first] != looks) + 2 * (depth[first] > depth) + 4 * border
    return on_all_rows(view, np.where(told.parts > 0, told_shape, 0))


def larger_than(direction: int) -> Feature:
    """How many neighbours in a row have smaller numbers, in nearly all columns."""

    def feature(view: RowView) -> Column:
        amount = view.amount[view.valued][:, view.value_columns][:, :COMPARED]
        run, live = np.zeros(len(amount)), np.ones(len(amount), dtype=bool)
        for offset in range(1, REACH + 1):
            other = shifted(amount, direction * offset, np.nan)
            told = (~np.isnan(other) & ~np.isnan(amount)).sum(axis=1)
            live &= ((amount >= other).sum(axis=1) >= NEARLY_ALL * told) & (told > 0)
            run += live
        return on_all_rows(view, run)

    return feature


TOTAL_FEATURES: dict[str, Feature] = {
    "sum after evidence": evidence(after),
    "sum after share": agreement(after),
    "sum after parts": parts(after),
    "sum after shape": shape,
    "sum before evidence": evidence(before),
    "sum before share": agreement(before),
    "sum before parts": parts(before),
    "sum evidence": known_sum(MOST_EVIDENCE, evidence(better)),
    "sum share": known_sum(10, agreement(better)),
    "rough sum evidence": known_sum(MOST_EVIDENCE, evidence(roughly_better)),
    "rough sum share": known_sum(10, agreement(roughly_better)),
    "look sums after": look_sums(after),
    "look sums before": look_sums(before),
    "named as sum": named_as_sum,
    "part depth": part_depth,
    "larger than next": larger_than(1),
    "larger than last": larger_than(-1),
}
