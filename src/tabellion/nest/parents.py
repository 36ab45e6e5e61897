"""Scores of candidate pairs, and the parents that follow from them.

In: attributes (left) or header cells (top) and learned weights. Out: the parent of each label, -1 at the root, and
how sure that is. `svm` is the paper's way: its candidates, its features, a linear SVM with Platt's sigmoid, its
enforced tree (Chen and Cafarella 2013, section 3.2). `boosted` has more candidates and features, boosted trees, and
reads the left as an outline. Both are linear in the length of a strand; very long ones are read by rules alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tabellion.model.methods import ParentMethod
from tabellion.nest.attributes import Attributes, Indices, Numbers
from tabellion.nest.left_features import LEFT_FEATURES
from tabellion.nest.pair_view import PairView, join_views
from tabellion.nest.papers.chen_candidates import ROOT, climbing_pairs, differing_pairs
from tabellion.nest.papers.chen_pairs import PAPER_LEFT, compute_features, paper_style
from tabellion.nest.rules import climb
from tabellion.nest.spread import HeaderCells
from tabellion.nest.top_features import PAPER_TOP, TOP_FEATURES, Head, TopView, compute_top_features, top_pairs
from tabellion.nest.tree import enforce_tree, outline
from tabellion.weights import Weights

LEFT_WEIGHTS = {"boosted": "left_parents", "svm": "left_parents_paper"}
TOP_WEIGHTS = {"boosted": "top_parents", "svm": "top_parents_paper"}
LEFT_NAMES = {"boosted": tuple(name for name, _ in LEFT_FEATURES), "svm": tuple(name for name, _ in PAPER_LEFT)}
TOP_NAMES = {"boosted": tuple(name for name, _ in TOP_FEATURES), "svm": tuple(name for name, _ in PAPER_TOP)}
LONG = 2_000  # labels; a longer strand lists records and is read by rules alone
BY_RULES = 0.95  # how sure that is


def left_view(attributes: Attributes, method: ParentMethod, ladder: Indices | None = None) -> PairView:
    """The candidate pairs of a strand by one method; the ladder may be given where it is known."""
    ladder = climb(attributes) if ladder is None else ladder
    paper = method == "svm"
    pairs = differing_pairs(paper_style(attributes)) if paper else climbing_pairs(attributes, ladder)
    return PairView(attributes, ladder, pairs)


def left_table(view: PairView, method: ParentMethod) -> Numbers:
    """The features of a strand's pairs by one method."""
    return compute_features(view, PAPER_LEFT if method == "svm" else LEFT_FEATURES)


def left_parents(
    strands: Sequence[Attributes], weights: Weights, method: ParentMethod
) -> Iterator[tuple[Indices, Numbers]]:
    """The parent of each label of each strand; all that need scores are scored together."""
    ladders = [climb(attributes) for attributes in strands]
    views: list[PairView | None] = []
    for attributes, ladder in zip(strands, ladders, strict=True):
        told = _is_plain(attributes, ladder) or len(attributes) > LONG
        views.append(None if told else left_view(attributes, method, ladder))
    open_views = [view for view in views if view]
    scores = left_scores(join_views(open_views), weights, method) if open_views else np.zeros(0)
    decode = enforce_tree if method == "svm" else outline
    first = 0
    for attributes, ladder, view in zip(strands, ladders, views, strict=True):
        if view is None:
            yield ladder, np.full(len(attributes), 1.0 if _is_plain(attributes, ladder) else BY_RULES)
            continue
        last = first + len(view.up)
        yield decode(len(attributes), (view.up, view.down), scores[first:last])
        first = last


def _is_plain(attributes: Attributes, ladder: Indices) -> bool:
    """Whether all labels look alike and none stands under another by the rules."""
    return not attributes.look.any() and bool((ladder == ROOT).all())


def left_scores(view: PairView, weights: Weights, method: ParentMethod) -> Numbers:
    """The score of each pair: a probability by the SVM, log-odds by the boosted trees."""
    if method == "svm":
        return weights.linear(LEFT_WEIGHTS[method], LEFT_NAMES[method]).probabilities(left_table(view, method))
    boosted = weights.boosted(LEFT_WEIGHTS[method], LEFT_NAMES[method])
    return boosted.scores(compute_features(view, LEFT_FEATURES, boosted.asked))[:, 0]


def top_table(view: TopView, method: ParentMethod) -> Numbers:
    """The features of the pairs of heads by one method."""
    return compute_top_features(view, PAPER_TOP if method == "svm" else TOP_FEATURES)


def top_parents(
    heads: Sequence[tuple[HeaderCells, Sequence[int]]], weights: Weights, method: ParentMethod
) -> Iterator[tuple[Indices, Numbers]]:
    """The parent of each header cell of frames with their value columns; all that need scores are scored together."""
    levelled = [Head(cells, values, top_pairs(cells)) for cells, values in heads if cells.level.any()]
    scores = top_scores(TopView(levelled), weights, method) if levelled else np.zeros(0)
    scored = iter(levelled)
    first = 0
    for cells, _ in heads:
        if not cells.level.any():
            yield np.full(len(cells), ROOT, dtype=np.intp), np.ones(len(cells))
            continue
        pairs = next(scored).pairs
        last = first + len(pairs[0])
        yield enforce_tree(len(cells), pairs, scores[first:last])
        first = last


def top_scores(view: TopView, weights: Weights, method: ParentMethod) -> Numbers:
    """The probability of each pair of heads."""
    load = weights.linear if method == "svm" else weights.boosted
    return load(TOP_WEIGHTS[method], TOP_NAMES[method]).probabilities(top_table(view, method))
