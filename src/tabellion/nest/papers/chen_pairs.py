"""The features of Table 5 of Chen and Cafarella 2013 (appendix B), for pairs of left attributes.

In: a view of candidate pairs. Out: one array per feature, one number per pair. Unary features speak of one attribute
and are taken for parent and child; binary ones speak of both. "Style" is what the paper calls so in section 3.2.1: the
unary features with font size and indent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.nest.attributes import Attributes, Flags, Indices, Numbers, looks_of
from tabellion.nest.pair_view import PairView, count_each

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
