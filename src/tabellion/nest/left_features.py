"""What the boosted scores know of a pair of left attributes beyond the paper's Table 5.

In: a view of candidate pairs. Out: one array a feature. They measure where the paper asks yes or no, and look at the strand as a
whole: how labels of the two looks follow each other everywhere, whether values add up, whether the same words stand
elsewhere under the label before them, and what the ladder (rules alone) says.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tabellion.nest.attributes import Flags, Indices, Numbers
from tabellion.nest.pair_features import PAPER_LEFT, Feature
from tabellion.nest.pair_view import PairView

FAR = 50.0  # distances are cut here, so that long strands look like those learned from
CLOSE_ENOUGH = 0.005  # parts may miss their sum by rounding: this share of it

OF_LABEL = (
    "group", "spanning", "bold_values", "only_total", "starts_all", "of_which", "other", "lower", "open_ended", "gap",
    "border", "formula", "words",
)  # fmt: skip


def _parent(name: str, view: PairView) -> Numbers:
    return view.parent(name)


def _child(name: str, view: PairView) -> Numbers:
    return view.child(name)


def distance(view: PairView) -> Numbers:
    return np.minimum(view.down - view.up, FAR)


def indent_step(view: PairView) -> Numbers:
    return np.where(view.is_root, -99.0, view.child("indent") - view.parent("indent"))


def rank_step(view: PairView) -> Numbers:
    """Steps between the two among the indents that occur at all."""
    rank = np.unique(view.label("indent"), return_inverse=True)[1].ravel().astype(np.float64)
    return np.where(view.is_root, -99.0, rank[view.down] - view.of_parent(rank))


def child_rank(view: PairView) -> Numbers:
    return np.unique(view.label("indent"), return_inverse=True)[1].ravel().astype(np.float64)[view.down]


def child_least_indented(view: PairView) -> Numbers:
    """How far the child is indented beyond the least indented label of the strand."""
    return view.child("indent") - view.label("indent").min(initial=0.0)


def step_from_above(view: PairView) -> Numbers:
    """Indent of the child against the label right above it."""
    return view.child("indent") - view.right_above(view.label("indent"), -1.0)


def looks_alike(view: PairView) -> Flags:
    return (view.parent("look") == view.child("look")) & ~view.is_root


def like_above(view: PairView) -> Flags:
    return np.asarray(view.right_above(view.label("look"), -1.0) == view.child("look"))


def above_is(name: str, view: PairView) -> Numbers:
    return view.right_above(view.label(name))


def like_first_below(view: PairView) -> Flags:
    """The child looks like the label right below the parent, which is its first child if it has any."""
    return np.asarray(view.first_below(view.label("look")) == view.child("look"))


def first_below_like_parent(view: PairView) -> Flags:
    return (view.first_below(view.label("look")) == view.parent("look")) & ~view.is_root


def first_below_step(view: PairView) -> Numbers:
    return view.first_below(view.label("indent")) - view.of_parent(view.label("indent"), -1.0)


def same_fill(view: PairView) -> Flags:
    return (view.parent("fill") == view.child("fill")) & ~view.is_root


def size_step(view: PairView) -> Numbers:
    return np.where(view.is_root, 0.0, view.parent("size") - view.child("size"))


def bold_above_plain(view: PairView) -> Flags:
    return np.asarray(view.parent("bold") > view.child("bold")) & ~view.is_root


def same_first_word(view: PairView) -> Flags:
    return _same_word(view, "first_word")


def same_last_word(view: PairView) -> Flags:
    return _same_word(view, "last_word")


def begins_like_first_below(view: PairView) -> Flags:
    word = _words(view, "first_word")
    return np.asarray(view.first_below(word) == word[view.down])


def least_indent_between(view: PairView) -> Numbers:
    least = view.least_between(view.label("indent")) - view.child("indent")
    return np.minimum(least, FAR)


def parent_looks_between(view: PairView) -> Numbers:
    look = view.attributes.look
    return np.minimum(view.alike_between(look, np.append(look, 0)[view.up]), FAR)


def child_looks_between(view: PairView) -> Numbers:
    return np.minimum(view.alike_between(view.attributes.look, view.attributes.look[view.down]), FAR)


def groups_between(view: PairView) -> Numbers:
    return np.minimum(view.between(view.label("group")), FAR)


def gaps_between(view: PairView) -> Numbers:
    return np.minimum(view.between(view.label("gap") > 0), FAR)


def shallower_before(view: PairView) -> Flags:
    """Some label before the child is indented less than it."""
    least = np.minimum.accumulate(np.concatenate([[np.inf], view.label("indent")]))
    return np.asarray(least[view.down] < view.child("indent"))


def share_of_runs_below(view: PairView) -> Numbers:
    """Of the runs of the child's look, how many begin right below a label of the parent's look."""
    follow, runs = _followings(view)
    parent = np.append(view.attributes.look, len(runs))[view.up]
    child = view.attributes.look[view.down]
    return follow[parent, child] / np.maximum(runs[child], 1)


def share_followed(view: PairView) -> Numbers:
    """Of the labels of the parent's look, how many have one of the child's look right below."""
    follow, runs = _followings(view)
    look = view.attributes.look
    parent = np.append(look, len(runs))[view.up]
    many = np.append(np.bincount(look, minlength=len(runs)), 1)
    return follow[parent, look[view.down]] / np.maximum(many[parent], 1)


def looks_like_parent(view: PairView) -> Numbers:
    look = view.attributes.look
    return np.log2(1.0 + view.of_parent(np.bincount(look)[look]))


def looks_like_child(view: PairView) -> Numbers:
    look = view.attributes.look
    return np.log2(1.0 + np.bincount(look)[look[view.down]])


def parent_look_came_first(view: PairView) -> Flags:
    return view.parent("look") < view.child("look")


def parent_place(view: PairView) -> Numbers:
    return np.minimum(view.up.astype(np.float64), 5.0)


def child_place_from_end(view: PairView) -> Numbers:
    return np.minimum(view.count - 1.0 - view.down, 5.0)


def labels_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), np.log2(1.0 + view.count))


def looks_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), min(float(view.attributes.look.max(initial=0)) + 1, 12.0))


def indents_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), min(float(len(np.unique(view.label("indent")))), 8.0))


def ladder_agrees(view: PairView) -> Flags:
    return np.asarray(view.ladder[view.down] == view.up)


def ladder_depth_step(view: PairView) -> Numbers:
    depth = _ladder_depth(view)
    return depth[view.down] - view.of_parent(depth, -1.0)


def ladder_parent_distance(view: PairView) -> Numbers:
    """How far above the child the ladder sees its parent; 0 for the root."""
    parent = view.ladder[view.down]
    return np.where(parent < 0, 0.0, np.minimum(view.down - parent, FAR))


def parent_greater(view: PairView) -> Numbers:
    """Share of the value columns in which the parent's number is at least the child's."""
    values = view.attributes.values
    if not values.shape[1]:
        return np.full(len(view.up), -1.0)
    upper, lower = values[view.up], values[view.down]
    known = ~np.isnan(upper) & ~np.isnan(lower)
    more = (np.abs(np.nan_to_num(upper)) >= np.abs(np.nan_to_num(lower))) & known
    share = more.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(view.is_root | ~known.any(axis=1), -1.0, share)


def adds_up(view: PairView) -> Numbers:
    """Share of the value columns in which the labels of the child's look, from the parent to the next label of the
    parent's look, add up to the parent."""
    values, look = view.attributes.values, view.attributes.look
    if not values.shape[1]:
        return np.full(len(view.up), -1.0)
    order = np.argsort(look, kind="stable")
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(np.nan_to_num(values[order]), axis=0)])
    keys = look[order] * (view.count + 1) + order
    following = _next_alike(look)
    end = np.append(following, view.count)[view.up]
    wanted = look[view.down] * (view.count + 1)
    first, last = np.searchsorted(keys, wanted + view.up + 1), np.searchsorted(keys, wanted + end)
    whole = values[view.up]
    known = ~np.isnan(whole) & (np.abs(np.nan_to_num(whole)) > 0)
    missed = np.abs(sums[last] - sums[first] - np.nan_to_num(whole))
    match = (missed <= np.maximum(CLOSE_ENOUGH * np.abs(np.nan_to_num(whole)), 1e-9)) & known
    share = match.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    return np.where(view.is_root | ~known.any(axis=1) | (last - first < 2), -1.0, share)


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
    return np.log2(np.append(_times_said(view), 1.0)[view.up])


def nearest_said_once(view: PairView) -> Flags:
    """The child's words come again elsewhere, the parent's do not, and all between come again."""
    once = _times_said(view) == 1
    return ~once[view.down] & (view.of_parent(once) > 0) & (view.between(once) == 0)


def stands_so_elsewhere(view: PairView) -> Numbers:
    """Of the other labels with the child's words, the share that the ladder hangs as far below their parent as
    this pair is apart; -1 where the words do not come again."""
    text, times = view.attributes.text, _times_said(view)
    apart = np.arange(view.count) - view.ladder
    apart[view.ladder < 0] = 0
    offset = np.where(view.is_root, 0, view.down - view.up)
    width = view.count + 1
    keys, counts = np.unique(text * width + apart, return_counts=True)
    wanted = text[view.down] * width + offset
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    same = np.where(keys[at] == wanted, counts[at], 0) - (apart[view.down] == offset)
    others = times[view.down] - 1
    return np.where(others > 0, same / np.maximum(others, 1), -1.0)


def has_children_elsewhere(view: PairView) -> Numbers:
    """Of the other labels with the parent's words, the share under which the ladder hangs something."""
    text, times = view.attributes.text, _times_said(view)
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


MORE_LEFT: list[Feature] = [
    *((f"parent {name}", partial(_parent, name)) for name in OF_LABEL),
    *((f"child {name}", partial(_child, name)) for name in OF_LABEL),
    *((f"above is {name}", partial(above_is, name)) for name in ("group", "bold", "only_total", "has_total", "colon")),
    ("distance", distance),
    ("indent step", indent_step),
    ("rank step", rank_step),
    ("child rank", child_rank),
    ("child least indented", child_least_indented),
    ("step from above", step_from_above),
    ("looks alike", looks_alike),
    ("like above", like_above),
    ("like first below", like_first_below),
    ("first below like parent", first_below_like_parent),
    ("first below step", first_below_step),
    ("same fill", same_fill),
    ("size step", size_step),
    ("bold above plain", bold_above_plain),
    ("same first word", same_first_word),
    ("same last word", same_last_word),
    ("begins like first below", begins_like_first_below),
    ("least indent between", least_indent_between),
    ("parent looks between", parent_looks_between),
    ("child looks between", child_looks_between),
    ("groups between", groups_between),
    ("gaps between", gaps_between),
    ("shallower before", shallower_before),
    ("share of runs below", share_of_runs_below),
    ("share followed", share_followed),
    ("looks like parent", looks_like_parent),
    ("looks like child", looks_like_child),
    ("parent look came first", parent_look_came_first),
    ("parent place", parent_place),
    ("child place from end", child_place_from_end),
    ("labels in strand", labels_in_strand),
    ("looks in strand", looks_in_strand),
    ("indents in strand", indents_in_strand),
    ("ladder agrees", ladder_agrees),
    ("ladder depth step", ladder_depth_step),
    ("ladder parent distance", ladder_parent_distance),
    ("parent greater", parent_greater),
    ("adds up", adds_up),
    ("numbered below", numbered_below),
    ("child said again", child_said_again),
    ("parent said again", parent_said_again),
    ("nearest said once", nearest_said_once),
    ("stands so elsewhere", stands_so_elsewhere),
    ("has children elsewhere", has_children_elsewhere),
    ("repeats parent words", repeats_parent_words),
]

LEFT_FEATURES: list[Feature] = [*PAPER_LEFT, *MORE_LEFT]


def _words(view: PairView, name: str) -> Indices:
    return view.once(f"words {name}", lambda: np.unique(view.attributes.said(name), return_inverse=True)[1].ravel())


def _same_word(view: PairView, name: str) -> Flags:
    word = _words(view, name)
    return np.asarray(np.append(word, -1)[view.up] == word[view.down])


def _followings(view: PairView) -> tuple[Numbers, Numbers]:
    """(looks + 1, looks): how often a look begins right below another (the last row: at the very top), and runs."""

    def compute() -> Numbers:
        look = view.attributes.look
        many = int(look.max(initial=0)) + 1
        table = np.zeros((many + 1, many))
        above = np.concatenate([[many], look[:-1]])
        new = above != look
        np.add.at(table, (above[new], look[new]), 1)
        return table

    table = view.once("followings", compute)
    return table, table.sum(axis=0)


def _ladder_depth(view: PairView) -> Numbers:
    def compute() -> Numbers:
        depth = [0] * view.count
        for here, parent in enumerate(view.ladder.tolist()):
            depth[here] = 0 if parent < 0 else depth[parent] + 1
        return np.array(depth, dtype=np.float64)

    return view.once("ladder depth", compute)


def _next_alike(look: Indices) -> Indices:
    """For each label the next one of its look, or the end."""
    result = np.full(len(look), len(look), dtype=np.intp)
    order = np.argsort(look, kind="stable")
    same = look[order[:-1]] == look[order[1:]]
    result[order[:-1][same]] = order[1:][same]
    return result


def _times_said(view: PairView) -> Numbers:
    text = view.attributes.text
    return view.once("times said", lambda: np.bincount(text, minlength=1)[text].astype(np.float64))
