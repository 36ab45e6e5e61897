"""What the boosted scores know of a pair of left attributes beyond the paper's Table 5.

In: a view of candidate pairs. Out: one array a feature. They measure where the paper asks yes or no, and look at the
strand as a whole: how labels of the two looks follow each other everywhere, and what the ladder (rules alone) says;
values and words have modules of their own. `LEFT_FEATURES` is the whole list.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tabellion.nest.attributes import Flags, Numbers
from tabellion.nest.pair_features import PAPER_LEFT, Feature
from tabellion.nest.pair_view import PairView
from tabellion.nest.value_features import VALUE_FEATURES
from tabellion.nest.word_features import WORD_FEATURES

FAR = 50.0  # distances are cut here, so that long strands look like those learned from

OF_LABEL = (
    *("group", "spanning", "bold_values", "raised", "only_total", "starts_total", "starts_all", "of_which", "other"),
    *("lower", "open_ended", "gap", "border", "formula", "words"),
)


def _parent(name: str, view: PairView) -> Numbers:
    return view.parent(name)


def _child(name: str, view: PairView) -> Numbers:
    return view.child(name)


def distance(view: PairView) -> Numbers:
    return np.asarray(np.minimum(view.down - view.up, FAR))


def indent_step(view: PairView) -> Numbers:
    return np.where(view.is_root, -99.0, view.child("indent") - view.parent("indent"))


def rank_step(view: PairView) -> Numbers:
    """Steps between the two among the indents that occur at all."""
    rank = _ranks(view)
    return np.where(view.is_root, -99.0, rank[view.down] - view.of_parent(rank))


def child_rank(view: PairView) -> Numbers:
    return _ranks(view)[view.down]


def child_least_indented(view: PairView) -> Numbers:
    """How far the child is indented beyond the least indented label of the strand."""
    return np.asarray(view.child("indent") - view.label("indent").min(initial=0.0))


def step_from_above(view: PairView) -> Numbers:
    """Indent of the child against the label right above it."""
    return view.child("indent") - view.right_above(view.label("indent"), -1.0)


def looks_alike(view: PairView) -> Flags:
    return np.asarray((view.parent("look") == view.child("look")) & ~view.is_root)


def like_above(view: PairView) -> Flags:
    return np.asarray(view.right_above(view.label("look"), -1.0) == view.child("look"))


def above_is(name: str, view: PairView) -> Numbers:
    return view.right_above(view.label(name))


def like_first_below(view: PairView) -> Flags:
    """The child looks like the label right below the parent, which is its first child if it has any."""
    return np.asarray(view.first_below(view.label("look")) == view.child("look"))


def first_below_like_parent(view: PairView) -> Flags:
    return np.asarray((view.first_below(view.label("look")) == view.parent("look")) & ~view.is_root)


def first_below_step(view: PairView) -> Numbers:
    return view.first_below(view.label("indent")) - view.of_parent(view.label("indent"), -1.0)


def same_fill(view: PairView) -> Flags:
    return np.asarray((view.parent("fill") == view.child("fill")) & ~view.is_root)


def size_step(view: PairView) -> Numbers:
    return np.where(view.is_root, 0.0, view.parent("size") - view.child("size"))


def bold_above_plain(view: PairView) -> Flags:
    return np.asarray(view.parent("bold") > view.child("bold")) & ~view.is_root


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
    return np.asarray(follow[parent, child] / np.maximum(runs[child], 1))


def share_followed(view: PairView) -> Numbers:
    """Of the labels of the parent's look, how many have one of the child's look right below."""
    follow, runs = _followings(view)
    look = view.attributes.look
    parent = np.append(look, len(runs))[view.up]
    many = np.append(np.bincount(look, minlength=len(runs)), 1)
    return np.asarray(follow[parent, look[view.down]] / np.maximum(many[parent], 1))


def looks_like_parent(view: PairView) -> Numbers:
    look = view.attributes.look
    return np.log2(1.0 + view.of_parent(np.bincount(look)[look]))


def looks_like_child(view: PairView) -> Numbers:
    look = view.attributes.look
    return np.asarray(np.log2(1.0 + np.bincount(look)[look[view.down]]))


def parent_look_came_first(view: PairView) -> Flags:
    return view.parent("look") < view.child("look")


def parent_place(view: PairView) -> Numbers:
    return np.minimum(view.up.astype(np.float64), 5.0)


def child_place_from_end(view: PairView) -> Numbers:
    return np.asarray(np.minimum(view.count - 1.0 - view.down, 5.0))


def labels_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), np.log2(1.0 + view.count))


def looks_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), min(float(view.attributes.look.max(initial=0)) + 1, 12.0))


def indents_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), min(_ranks(view).max(initial=-1.0) + 1.0, 8.0))


def ladder_agrees(view: PairView) -> Flags:
    return np.asarray(view.ladder[view.down] == view.up)


def ladder_depth_step(view: PairView) -> Numbers:
    depth = _ladder_depth(view)
    return depth[view.down] - view.of_parent(depth, -1.0)


def ladder_parent_distance(view: PairView) -> Numbers:
    """How far above the child the ladder sees its parent; 0 for the root."""
    parent = view.ladder[view.down]
    return np.where(parent < 0, 0.0, np.minimum(view.down - parent, FAR))


def ladder_looks_agree(view: PairView) -> Numbers:
    """Of the labels of the child's look, the share that the ladder hangs under the parent's look."""
    look = view.attributes.look
    many = int(look.max(initial=0)) + 1
    above = np.append(look, many)[view.ladder]
    table = np.zeros((many + 1, many))
    np.add.at(table, (above, look), 1)
    share = table / np.maximum(table.sum(axis=0), 1)
    return np.asarray(share[np.append(look, many)[view.up], look[view.down]])


def nearest_group(view: PairView) -> Flags:
    """The parent is the nearest row without values above the child."""
    return np.asarray((view.parent("group") > 0) & (view.between(view.label("group")) == 0) & ~view.is_root)


def groups_in_strand(view: PairView) -> Numbers:
    return np.full(len(view.up), float(view.label("group").mean()) if view.count else 0.0)


def group_above(view: PairView) -> Flags:
    """Some row above the child has no values."""
    before = np.concatenate([[0.0], np.cumsum(view.label("group"))])
    return np.asarray(before[view.down] > 0)


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
    ("ladder looks agree", ladder_looks_agree),
    ("nearest group", nearest_group),
    ("groups in strand", groups_in_strand),
    ("group above", group_above),
]

LEFT_FEATURES: list[Feature] = [*PAPER_LEFT, *MORE_LEFT, *VALUE_FEATURES, *WORD_FEATURES]


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


def _ranks(view: PairView) -> Numbers:
    """The place of each label's indent among the indents that occur."""

    def compute() -> Numbers:
        return np.unique(view.label("indent"), return_inverse=True)[1].ravel().astype(np.float64)

    return view.once("ranks", compute)


def _ladder_depth(view: PairView) -> Numbers:
    def compute() -> Numbers:
        depth = [0] * view.count
        for here, parent in enumerate(view.ladder.tolist()):
            depth[here] = 0 if parent < 0 else depth[parent] + 1
        return np.array(depth, dtype=np.float64)

    return view.once("ladder depth", compute)
