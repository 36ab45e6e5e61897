"""What the values and the words of two labels say of their being parent and child.

In: a view of candidate pairs. Out: one array per feature; -1 where there are no numbers to compare. Words are compared
here and where the same words come again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tabellion.nest.attributes import ROOT, Flags, Indices, Numbers
from tabellion.nest.pair_view import PairView, count_each
from tabellion.nest.papers.chen import Feature

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
    values = view.attributes.values
    if not values.shape[1]:
        return np.full(len(view.up), -1.0)
    parts = view.once("parts", lambda: _Parts.of(view))
    end = _next_alike(view.attributes.look)[parts.up]
    last = np.searchsorted(parts.keys, parts.look * (view.count + 1) + end)
    whole = parts.whole
    size = np.abs(whole)
    known = size > 0
    missed = np.abs(parts.sums[last + parts.strand] - parts.sums[parts.first + parts.strand] - whole)
    match = (missed <= np.maximum(CLOSE_ENOUGH * size, 1e-9)) & known
    share = match.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    share[(parts.up == ROOT) | ~known.any(axis=1) | (last - parts.first < 2)] = -1.0
    return np.asarray(share[parts.which])


def within_sum(view: PairView) -> Numbers:
    """Whether the child is among the first labels of its look below the parent that together make up the parent.

    0 where such a sum has an end before the child, -1 where there is none.
    """
    if not view.attributes.values.shape[1]:
        return np.full(len(view.up), -1.0)
    parts = view.once("parts", lambda: _Parts.of(view))
    longest = _longest_sums(parts)[parts.which]
    place = view.attributes.look[view.down] * (view.count + 1) + view.down
    rank = np.searchsorted(parts.keys, place) - parts.first[parts.which]
    return np.where(longest == 0, -1.0, rank < longest)


def _longest_sums(parts: _Parts) -> Indices:
    """How many parts one after the other, at most, make up the whole; 0 where none do."""
    longest = np.zeros(len(parts.up), dtype=np.intp)
    known = (parts.whole != 0) & (parts.up != ROOT)[:, None]
    many_parts = np.where(known.any(axis=1), parts.end - parts.first, 0)
    order = np.argsort(-many_parts, kind="stable")
    ends = np.cumsum(np.bincount(many_parts)[::-1])[::-1]  # how many have so many parts or more
    whole, known, start = parts.whole[order], known[order], (parts.first + parts.strand)[order]
    enough = np.maximum(MOST_COLUMNS * known.sum(axis=1), 1)
    close, before = np.where(known, CLOSE_ENOUGH * np.abs(whole), -1.0), parts.sums[start]
    for many in range(2, min(LONGEST_SUM + 1, len(ends))):
        some = slice(ends[many])
        missed = np.abs(parts.sums[start[some] + many] - before[some] - whole[some])
        match = (missed <= close[some]).sum(axis=1) >= enough[some]
        longest[order[some][match]] = many
    return longest


class _Parts(NamedTuple):
    """What may add up to a label: the labels of one look below it. Pairs of one parent and look ask for the same.

    `sums` are running sums of the values, look by look, and `keys` the looks and places in that order. Each strand is
    summed on its own, from a row of noughts on: the sums up to label k of strand s are in row k + s + 1.
    """

    up: Indices
    look: Indices
    first: Indices  # the first part, as a place in `keys`
    end: Indices  # behind the last of that look
    strand: Indices
    whole: Numbers
    which: Indices  # for each pair
    keys: Indices
    sums: Numbers

    @classmethod
    def of(cls, view: PairView) -> _Parts:
        look = view.attributes.look
        by_look = np.argsort(look, kind="stable")
        keys = look[by_look] * (view.count + 1) + by_look
        wanted, pair, which = np.unique(
            look[view.down] * (view.count + 1) + view.up + 1, return_index=True, return_inverse=True
        )
        up, down = view.up[pair], view.down[pair]
        values = np.nan_to_num(view.attributes.values)
        return cls(
            up=up,
            look=look[down],
            first=np.asarray(np.searchsorted(keys, wanted)),
            end=np.searchsorted(keys, (look[down] + 1) * (view.count + 1) - 1),
            strand=view.strand[down],
            whole=values[up],
            which=which.ravel(),
            keys=keys,
            sums=_running_sums(view, values[by_look]),
        )


def _running_sums(view: PairView, values: Numbers) -> Numbers:
    added = np.zeros((view.count + len(view.starts), values.shape[1]))
    for number, (start, length) in enumerate(zip(view.starts.tolist(), view.lengths.tolist(), strict=True)):
        row = start + number + 1
        np.cumsum(values[start : start + length], axis=0, out=added[row : row + length])
    return added


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


def same_first_word(view: PairView) -> Flags:
    return _same_word(view, "first_word")


def same_last_word(view: PairView) -> Flags:
    return _same_word(view, "last_word")


def begins_like_first_below(view: PairView) -> Flags:
    word = _words(view, "first_word")
    return np.asarray(view.first_below(word) == word[view.down])


def numbered_below(view: PairView) -> Numbers:
    """1 where the child's number continues the parent's ("1" and "1.2"), 0 where it does not, -1 without numbers."""
    numberings = [w.numbering for w in view.attributes.wordings]
    which = view.attributes.wording
    if not any(numberings):
        return np.full(len(view.up), -1.0)
    has = np.array([bool(n) for n in numberings], dtype=bool)[which]
    result = np.full(len(view.up), -1.0)
    for pair in np.nonzero(has[view.down] & (view.of_parent(has) > 0))[0].tolist():
        upper, lower = numberings[which[view.up[pair]]], numberings[which[view.down[pair]]]
        result[pair] = float(len(upper) < len(lower) and lower[: len(upper)] == upper)
    return result


def child_said_again(view: PairView) -> Numbers:
    return np.log2(_times_said(view)[view.down])


def parent_said_again(view: PairView) -> Numbers:
    return np.log2(view.of_parent(_times_said(view), 1.0))


def nearest_said_once(view: PairView) -> Flags:
    """The child's words come again elsewhere, the parent's do not, and all between come again."""
    once = _times_said(view) == 1
    return np.asarray(~once[view.down] & (view.of_parent(once) > 0) & (view.between(once) == 0))


def stands_so_elsewhere(view: PairView) -> Numbers:
    """Of the other labels with the child's words, the share that hangs as far below its parent as this pair is apart.

    By the ladder's reading; -1 where the words do not come again.
    """
    text, times = view.attributes.wording, _times_said(view)
    apart = np.arange(view.count) - view.ladder
    apart[view.ladder < 0] = 0
    offset = np.where(view.is_root, 0, view.down - view.up)
    width = view.count + 1
    same = count_each(text * width + apart, text[view.down] * width + offset) - (apart[view.down] == offset)
    others = times[view.down] - 1
    return np.where(others > 0, same / np.maximum(others, 1), -1.0)


def has_children_elsewhere(view: PairView) -> Numbers:
    """Of the other labels with the parent's words, the share under which the ladder hangs something."""
    text, times = view.attributes.wording, _times_said(view)
    parent = np.zeros(view.count, dtype=bool)
    parent[view.ladder[view.ladder >= 0]] = True
    all_parents = np.bincount(text, weights=parent, minlength=1)[text]
    others = times - 1
    share = np.where(others > 0, (all_parents - parent) / np.maximum(others, 1), -1.0)
    return view.of_parent(share, -1.0)


def repeats_parent_words(view: PairView) -> Numbers:
    """Share of the parent's words that a child which is a total says again: "Total physical sciences"."""
    labels = view.attributes.wordings
    total = np.array([w.has_total for w in labels], dtype=bool)[view.attributes.wording]
    result = np.zeros(len(view.up))
    for pair in np.nonzero(total[view.down] & ~view.is_root)[0].tolist():
        upper = set(labels[view.attributes.wording[view.up[pair]]].stems)
        lower = set(labels[view.attributes.wording[view.down[pair]]].stems)
        result[pair] = len(upper & lower) / max(len(upper), 1)
    return result


def _words(view: PairView, name: str) -> Indices:
    return view.once(f"words {name}", lambda: np.unique(view.attributes.said(name), return_inverse=True)[1].ravel())


def _same_word(view: PairView, name: str) -> Flags:
    word = _words(view, name)
    return np.asarray(view.kind_of_parent(word, -1) == word[view.down])


def _times_said(view: PairView) -> Numbers:
    text = view.attributes.wording
    return view.once("times said", lambda: np.bincount(text, minlength=1)[text].astype(np.float64))


WORD_FEATURES: list[Feature] = [
    ("same first word", same_first_word),
    ("same last word", same_last_word),
    ("begins like first below", begins_like_first_below),
    ("numbered below", numbered_below),
    ("child said again", child_said_again),
    ("parent said again", parent_said_again),
    ("nearest said once", nearest_said_once),
    ("stands so elsewhere", stands_so_elsewhere),
    ("has children elsewhere", has_children_elsewhere),
    ("repeats parent words", repeats_parent_words),
]
