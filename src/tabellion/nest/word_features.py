"""What the words of two labels say of their being parent and child, here and where the same words come again.

In: a view of candidate pairs. Out: one array per feature.
"""

from __future__ import annotations

import numpy as np

from tabellion.nest.attributes import Flags, Indices, Numbers
from tabellion.nest.pair_view import PairView, count_each
from tabellion.nest.papers.chen_pairs import Feature


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
