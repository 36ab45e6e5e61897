"""What the boosted scores know of a pair of left attributes beyond the paper's Table 5.

In: a view of candidate pairs. Out: one array per feature. They measure where the paper asks yes or no, and look at the
strand as a whole: how labels of the two looks follow each other everywhere, and what the ladder (rules alone) says;
values and words have modules of their own. `LEFT_FEATURES` is the whole list.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from tabellion.nest.attributes import ROOT, Flags, Indices, Numbers
from tabellion.nest.content_features import VALUE_FEATURES, WORD_FEATURES
from tabellion.nest.pair_view import PairView, count_each
from tabellion.nest.papers.chen import PAPER_LEFT, Feature

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
    return np.asarray(np.minimum(view.down - view.above, FAR))


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
    least = np.minimum.reduceat(view.label("indent"), view.starts)
    return np.asarray(view.child("indent") - np.minimum(view.of_strand(least), 0.0))


def step_from_above(view: PairView) -> Numbers:
    """Indent of the child against the label right above it."""
    return view.child("indent") - view.right_above(view.label("indent"), -1.0)


def looks_alike(view: PairView) -> Flags:
    return np.asarray((_parent_look(view) == _child_look(view)) & ~view.is_root)


def like_above(view: PairView) -> Flags:
    return np.asarray(view.right_above(view.label("look"), -1.0) == view.child("look"))


def above_is(name: str, view: PairView) -> Numbers:
    return view.right_above(view.label(name))


def like_first_below(view: PairView) -> Flags:
    """The child looks like the label right below the parent, which is its first child if it has any."""
    return np.asarray(view.first_below(view.label("look")) == view.child("look"))


def first_below_like_parent(view: PairView) -> Flags:
    return np.asarray((view.first_below(view.label("look")) == _parent_look(view)) & ~view.is_root)


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
    return np.minimum(view.alike_between(view.attributes.look, _parent_look(view)), FAR)


def child_looks_between(view: PairView) -> Numbers:
    return np.minimum(view.alike_between(view.attributes.look, _child_look(view)), FAR)


def groups_between(view: PairView) -> Numbers:
    return np.minimum(view.between(view.label("group")), FAR)


def gaps_between(view: PairView) -> Numbers:
    return np.minimum(view.between(view.label("gap") > 0), FAR)


def shallower_before(view: PairView) -> Flags:
    """Some label before the child is indented less than it."""
    rank = _ranks(view) - view.strand * (view.count + 1.0)
    least = np.minimum.accumulate(rank)
    return view.right_above(least, np.inf) < rank[view.down]


def share_of_runs_below(view: PairView) -> Numbers:
    """Of the runs of the child's look, how many begin right below a label of the parent's look."""
    look = view.attributes.look
    runs = np.bincount(look[_opens_run(view)], minlength=1)
    return np.asarray(_followed(view) / np.maximum(runs[_child_look(view)], 1))


def share_followed(view: PairView) -> Numbers:
    """Of the labels of the parent's look, how many have one of the child's look right below."""
    return _followed(view) / view.of_parent(_times_seen(view), 1.0)


def looks_like_parent(view: PairView) -> Numbers:
    return np.log2(1.0 + view.of_parent(_times_seen(view)))


def looks_like_child(view: PairView) -> Numbers:
    return np.log2(1.0 + _times_seen(view)[view.down])


def parent_look_came_first(view: PairView) -> Flags:
    return np.asarray(_parent_look(view) < _child_look(view))


def parent_place(view: PairView) -> Numbers:
    return np.asarray(np.minimum(view.above - view.start, 5.0))


def child_place_from_end(view: PairView) -> Numbers:
    return np.asarray(np.minimum(view.start + view.of_strand(view.lengths) - 1.0 - view.down, 5.0))


def labels_in_strand(view: PairView) -> Numbers:
    return np.log2(1.0 + view.of_strand(view.lengths))


def looks_in_strand(view: PairView) -> Numbers:
    return _many_in_strand(view, view.label("look") - view.label("look")[view.starts][view.strand], 12.0)


def indents_in_strand(view: PairView) -> Numbers:
    return _many_in_strand(view, _ranks(view), 8.0)


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
    above = np.where(view.ladder == ROOT, _looks(view), look[view.ladder])
    return _count_looks(view, above, look) / _times_seen(view)[view.down]


def nearest_group(view: PairView) -> Flags:
    """The parent is the nearest row without values above the child."""
    return np.asarray((view.parent("group") > 0) & (view.between(view.label("group")) == 0) & ~view.is_root)


def groups_in_strand(view: PairView) -> Numbers:
    groups = np.bincount(view.strand, weights=view.label("group"))
    return view.of_strand(groups / view.lengths)


def group_above(view: PairView) -> Flags:
    """Some row above the child has no values."""
    before = np.cumsum(view.label("group")) - view.label("group")
    return np.asarray(before[view.down] > before[view.start])


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


def _parent_look(view: PairView) -> Indices:
    """The look of the parent; the root is as good as the first label."""
    look = view.attributes.look
    return view.once("look of parent", lambda: view.kind_of_parent(look, look[view.start]))


def _child_look(view: PairView) -> Indices:
    return view.once("look of child", lambda: view.attributes.look[view.down])


def _looks(view: PairView) -> int:
    """How many looks there are: the number of the next one, which stands for that of the root."""
    return int(view.attributes.look.max(initial=-1)) + 1


def _times_seen(view: PairView) -> Numbers:
    """How often the look of each label occurs."""
    look = view.attributes.look
    return view.once("times seen", lambda: np.bincount(look, minlength=1)[look].astype(np.float64))


def _opens_run(view: PairView) -> Flags:
    """Labels that do not look like the one right above them."""
    look = view.attributes.look
    return view.once("opens run", lambda: view.attributes.first | (look != np.roll(look, 1)))


def _followed(view: PairView) -> Indices:
    """How often a run of the child's look begins right below a label of the parent's (the root: at the very top)."""

    def compute() -> Indices:
        look, opens = view.attributes.look, _opens_run(view)
        above = np.where(view.attributes.first, _looks(view), np.roll(look, 1))
        return _count_looks(view, above[opens], look[opens])

    return view.once("followed", compute)


def _count_looks(view: PairView, above: Indices, below: Indices) -> Indices:
    """How often the looks of parent and child occur among pairs of looks."""
    many = _looks(view) + 1
    wanted = view.kind_of_parent(view.attributes.look, many - 1) * many + _child_look(view)
    return count_each(above * many + below, wanted)


def _many_in_strand(view: PairView, numbers: Numbers, most: float) -> Numbers:
    """The highest number of the strand and one more."""
    highest = np.maximum.reduceat(numbers, view.starts)
    return np.asarray(np.minimum(view.of_strand(highest) + 1.0, most))


def _ranks(view: PairView) -> Numbers:
    """The place of each label's indent among the indents that occur in its strand."""

    def compute() -> Numbers:
        indent = np.unique(view.label("indent"), return_inverse=True)[1].ravel()
        place = np.unique(view.strand * (view.count + 1) + indent, return_inverse=True)[1].ravel()
        least = np.minimum.reduceat(place, view.starts)
        return np.asarray(place - least[view.strand], dtype=np.float64)

    return view.once("ranks", compute)


def _ladder_depth(view: PairView) -> Numbers:
    def compute() -> Numbers:
        depth = [0] * view.count
        for here, parent in enumerate(view.ladder.tolist()):
            depth[here] = 0 if parent < 0 else depth[parent] + 1
        return np.array(depth, dtype=np.float64)

    return view.once("ladder depth", compute)
