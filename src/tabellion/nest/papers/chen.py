"""Candidate pairs of parent and child and their features, by Chen and Cafarella 2013 (section 3.2.1, appendix B).

Candidates. In: the attributes of a strand. Out: two arrays, parent and child of each candidate, sorted by child; parent
-1 is the root. The paper keeps pairs that do not look alike, and of parents that look alike the nearest only; so each
label has a few candidates however long the strand is. For the boosted scores more are needed: labels that look alike
can be parent and child where only words tell, and then the parent may be further off than the nearest.

The features of Table 5, for pairs of left attributes. In: a view of candidate pairs. Out: one array per feature, one
number per pair. Unary features speak of one attribute and are taken for parent and child; binary ones speak of both.
"Style" is what the paper calls so in section 3.2.1: the unary features with font size and indent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.nest.attributes import ROOT, Attributes, Flags, Indices, Numbers, Pairs, looks_of
from tabellion.nest.pair_view import PairView, count_each

STYLES_ABOVE = 8  # distinct looks above a label that are tried, nearest first
STYLES_BELOW = 3  # the same below it: the paper lets a total stand below its parts
ANCESTORS = 8  # labels above on the ladder that are tried


def differing_pairs(style: Indices) -> Pairs:
    """The paper's candidates: unlike styles, the nearest of each style above and below, and the root."""
    parents: list[int] = []
    children: list[int] = []
    above = _nearest_of_each(style.tolist(), STYLES_ABOVE)
    below = _nearest_of_each(style[::-1].tolist(), STYLES_BELOW)
    last = len(style) - 1
    for child, near in enumerate(above):
        options = [p for p in near if style[p] != style[child]]
        options += [last - p for p in below[last - child] if style[last - p] != style[child]]
        parents += [ROOT, *options]
        children += [child] * (len(options) + 1)
    return np.array(parents, dtype=np.intp), np.array(children, dtype=np.intp)


def climbing_pairs(attributes: Attributes, ladder: Indices) -> Pairs:
    """Candidates above each label: the label before it and what that stands under, the nearest of each look, the
    first of each run of such, the nearest label that is said only once, and the root.
    """
    look, text = attributes.look.tolist(), attributes.wording
    rungs = ladder.tolist()
    once = (np.bincount(text, minlength=1)[text] == 1).tolist() if len(text) else []
    run_start = _run_starts(attributes.look).tolist()
    parents: list[int] = []
    children: list[int] = []
    last_once = ROOT
    for child, near in enumerate(_nearest_of_each(look, STYLES_ABOVE)):
        options = {ROOT, last_once, *near, *(run_start[p] for p in near)}
        at, left = child - 1, ANCESTORS
        while at >= 0 and left:
            options.add(at)
            at, left = rungs[at], left - 1
        parents += sorted(options)
        children += [child] * len(options)
        if once[child]:
            last_once = child
    return np.array(parents, dtype=np.intp), np.array(children, dtype=np.intp)


def _nearest_of_each(style: list[int], limit: int) -> list[list[int]]:
    """For each label the nearest earlier one of each style, nearest first, at most `limit`."""
    recent: list[int] = []
    last: dict[int, int] = {}
    found: list[list[int]] = []
    for here, one in enumerate(style):
        found.append([last[s] for s in recent[:limit]])
        if not recent or recent[0] != one:
            if one in recent:
                recent.remove(one)
            recent.insert(0, one)
            del recent[4 * limit :]
        last[one] = here
    return found


def _run_starts(look: Indices) -> Indices:
    """For each label the first of the unbroken run of its look that it stands in."""
    new = np.ones(len(look), dtype=bool)
    new[1:] = look[1:] != look[:-1]
    return np.maximum.accumulate(np.where(new, np.arange(len(look)), 0))


Feature = tuple[str, Callable[[PairView], NDArray[Any]]]

MOST_INDENTS = 12  # distinct indents that are told apart between a pair; deeper ones count as the deepest


def paper_style(attributes: Attributes) -> Indices:
    """The number of each attribute's style in the paper's sense."""
    return looks_of([*(unary(attributes) for _, unary in UNARY), attributes.size, attributes.indent])


def _said(name: str, attributes: Attributes) -> NDArray[Any]:
    return attributes.said(name)


UNARY: list[tuple[str, Callable[[Attributes], NDArray[Any]]]] = [
    ("has underline", lambda a: a.underline),
    ("contains total", partial(_said, "has_total")),
    ("contains colon", partial(_said, "colon")),
    ("is bold", lambda a: a.bold),
    ("is centred", lambda a: a.centred),
    ("is italic", lambda a: a.italic),
    ("is numeric", partial(_said, "numeric")),
    ("is all capitals", partial(_said, "capitals")),
    ("is first", lambda a: a.first),
    ("is last", lambda a: a.last),
]


def adjacent(view: PairView) -> Flags:
    return np.asarray(np.abs(view.down - view.up) == 1) & ~view.is_root


def indent_equal(view: PairView) -> Flags:
    return np.asarray(view.parent("indent") == view.child("indent")) & ~view.is_root


def styles_adjacent(view: PairView) -> Flags:
    """Somewhere in the region an attribute of the parent's style stands right above one of the child's."""
    style = _style(view)
    width = int(style.max(initial=0)) + 1
    upper, lower = np.flatnonzero(~view.attributes.last), np.flatnonzero(~view.attributes.first)
    seen = count_each(style[upper] * width + style[lower], style[view.up] * width + style[view.down])
    return (seen > 0) & ~view.is_root


def child_smaller(view: PairView) -> Flags:
    return np.asarray(view.child("size") < view.parent("size")) & ~view.is_root


def child_deeper(view: PairView) -> Flags:
    return np.asarray(view.child("indent") > view.parent("indent")) & ~view.is_root


def child_below(view: PairView) -> Flags:
    return np.asarray(view.down > view.up) & ~view.is_root


def child_like_first(view: PairView) -> Flags:
    style = _style(view)
    return np.asarray(style[view.down] == style[view.start])


def blank_between(view: PairView) -> Flags:
    gaps = view.between(view.label("gap")) + view.child("gap")
    return (gaps > 0) & ~view.is_root


def indent_inside_between(view: PairView) -> Flags:
    return _indent_between(view, lambda at, low, high: (at > low) & (at < high))


def indent_larger_between(view: PairView) -> Flags:
    return _indent_between(view, lambda at, low, high: at > high)


def indent_less_between(view: PairView) -> Flags:
    return _indent_between(view, lambda at, low, high: at < low)


def other_style_between(view: PairView) -> Flags:
    style = _style(view)
    parent, child = view.kind_of_parent(style, -1), style[view.down]
    alike = view.alike_between(style, child) + np.where(parent == child, 0, view.alike_between(style, parent))
    return (view.between(np.ones(view.count)) > alike) & ~view.is_root


def total_between(view: PairView) -> Flags:
    return (view.between(view.label("has_total")) > 0) & ~view.is_root


def parent_is_root(view: PairView) -> Flags:
    return view.is_root


BINARY: list[Feature] = [
    ("pair is adjacent", adjacent),
    ("indent is equal", indent_equal),
    ("styles are adjacent in the region", styles_adjacent),
    ("child's font is smaller", child_smaller),
    ("child's indent is greater", child_deeper),
    ("child stands below", child_below),
    ("child's style is the first attribute's", child_like_first),
    ("blank in the middle", blank_between),
    ("indent between the pair's in the middle", indent_inside_between),
    ("indent larger than the pair's in the middle", indent_larger_between),
    ("indent less than the pair's in the middle", indent_less_between),
    ("other style in the middle", other_style_between),
    ("total in the middle", total_between),
    ("parent is the root", parent_is_root),
]


def _unary_of_parent(unary: Callable[[Attributes], NDArray[Any]], view: PairView) -> Numbers:
    return view.of_parent(unary(view.attributes))


def _unary_of_child(unary: Callable[[Attributes], NDArray[Any]], view: PairView) -> NDArray[Any]:
    return np.asarray(unary(view.attributes)[view.down])


PAPER_LEFT: list[Feature] = [
    *((f"parent {name}", partial(_unary_of_parent, unary)) for name, unary in UNARY),
    *((f"child {name}", partial(_unary_of_child, unary)) for name, unary in UNARY),
    *BINARY,
]


def compute_features(view: PairView, features: Sequence[Feature], asked: Collection[int] | None = None) -> Numbers:
    """(pairs, features): every feature of every pair, or only those whose numbers are asked for; nought for others."""
    table = np.zeros((len(features), len(view.up)))
    for number, (_, feature) in enumerate(features):
        if asked is None or number in asked:
            table[number] = feature(view)
    return table.T


def _style(view: PairView) -> Indices:
    def compute() -> Indices:
        style = paper_style(view.attributes)
        return style + view.strand * (int(style.max(initial=0)) + 1)

    return view.once("paper style", compute)


def _indent_between(view: PairView, test: Callable[[float, Numbers, Numbers], Flags]) -> Flags:
    """Whether a label between the pair has an indent for which the test holds."""
    parent, child = view.parent("indent"), view.child("indent")
    low, high = np.minimum(parent, child), np.maximum(parent, child)
    found = np.zeros(len(view.up), dtype=bool)
    for at in sorted(set(view.label("indent").tolist()))[:MOST_INDENTS]:
        found |= test(at, low, high) & view.once(f"between {at}", partial(_stands_between, view, at))
    return found & ~view.is_root


def _stands_between(view: PairView, indent: float) -> Flags:
    return np.asarray(view.between(view.label("indent") == indent) > 0)
