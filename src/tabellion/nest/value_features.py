"""What the values of two labels say of their being parent and child: sums and sizes.

In: a view of candidate pairs. Out: one array a feature; -1 where there are no numbers to compare.
"""

from __future__ import annotations

import numpy as np

from tabellion.nest.attributes import Indices, Numbers
from tabellion.nest.pair_features import Feature
from tabellion.nest.pair_view import PairView

CLOSE_ENOUGH = 0.005  # parts may miss their sum by rounding: this share of it
LONGEST_SUM = 20  # parts that are added up one by one until they match
MOST_COLUMNS = 0.8  # share of the value columns in which a sum must hold


def parent_greater(view: PairView) -> Numbers:
    """Share of the value columns in which the parent's number is at least the child's."""
    values = view.attributes.values
    if not values.shape[1]:
        return np.full(len(view.up), -1.0)
    upper, lower = values[view.up], values[view.down]
    known = ~np.isnan(upper) & ~np.isnan(lower)
    more = np.abs(upper) >= np.abs(lower)
    share = more.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(view.is_root | ~known.any(axis=1), -1.0, share)


def adds_up(view: PairView) -> Numbers:
    """Share of the value columns in which the labels of the child's look add up to the parent.

    Those from the parent to the next label of the parent's look are added.
    """
    values, look = view.attributes.values, view.attributes.look
    if not values.shape[1]:
        return np.full(len(view.up), -1.0)
    sums, keys = _running_sums(view)
    following = _next_alike(look)
    end = following[view.up]
    wanted = look[view.down] * (view.count + 1)
    first, last = np.searchsorted(keys, wanted + view.up + 1), np.searchsorted(keys, wanted + end)
    before = view.strand[view.down]
    whole = np.nan_to_num(values)[view.up]
    size = np.abs(whole)
    known = size > 0
    missed = np.abs(sums[last + before] - sums[first + before] - whole)
    match = (missed <= np.maximum(CLOSE_ENOUGH * size, 1e-9)) & known
    share = match.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(view.is_root | ~known.any(axis=1) | (last - first < 2), -1.0, share)


def within_sum(view: PairView) -> Numbers:
    """Whether the child is among the first labels of its look below the parent that together make up the parent.

    0 where such a sum has an end before the child, -1 where there is none.
    """
    values, look = view.attributes.values, view.attributes.look
    if not values.shape[1]:
        return np.full(len(view.up), -1.0)
    sums, keys = _running_sums(view)
    whole = np.nan_to_num(values)[view.up]
    known = (whole != 0) & ~view.is_root[:, None]
    result = np.full(len(view.up), -1.0)
    some = np.flatnonzero(known.any(axis=1))
    up, down, whole, known = view.up[some], view.down[some], whole[some], known[some]
    wanted = look[down] * (view.count + 1)
    first = np.searchsorted(keys, wanted + up + 1)
    rank = np.searchsorted(keys, wanted + down) - first
    end = np.searchsorted(keys, wanted + view.count)
    enough = np.maximum(MOST_COLUMNS * known.sum(axis=1), 1)
    close, before = np.where(known, CLOSE_ENOUGH * np.abs(whole), -1.0), view.strand[down]
    longest = np.zeros(len(some), dtype=np.intp)
    for many in range(2, min(LONGEST_SUM, int((end - first).max(initial=0))) + 1):
        missed = np.abs(sums[np.minimum(first + many, end) + before] - sums[first + before] - whole)
        match = (missed <= close).sum(axis=1) >= enough
        longest[match & (first + many <= end)] = many
    result[some] = np.where(longest == 0, -1.0, rank < longest)
    return result


def _running_sums(view: PairView) -> tuple[Numbers, Indices]:
    """Sums of the values over the labels, look by look, and keys of look and place in that order.

    Each strand is summed on its own, from a row of noughts on: the sums of label k of strand s are in row k + s + 1.
    """
    values, look = view.attributes.values, view.attributes.look

    def order() -> Indices:
        return np.argsort(look, kind="stable")

    by_look = view.once("by look", order)

    def sums() -> Numbers:
        added = np.zeros((view.count + len(view.starts), values.shape[1]))
        known = np.nan_to_num(values[by_look])
        for number, (start, length) in enumerate(zip(view.starts.tolist(), view.lengths.tolist(), strict=True)):
            row = start + number + 1
            np.cumsum(known[start : start + length], axis=0, out=added[row : row + length])
        return added

    return view.once("running sums", sums), look[by_look] * (view.count + 1) + by_look


def _next_alike(look: Indices) -> Indices:
    """For each label the next one of its look, or the end."""
    result = np.full(len(look), len(look), dtype=np.intp)
    order = np.argsort(look, kind="stable")
    same = look[order[:-1]] == look[order[1:]]
    result[order[:-1][same]] = order[1:][same]
    return result


VALUE_FEATURES: list[Feature] = [
    ("parent greater", parent_greater),
    ("adds up", adds_up),
    ("within sum", within_sum),
]
