"""Scores of candidate pairs, and the parents that follow from them.

In: attributes (left) or header cells (top) and learned weights. Out: the parent of each label, -1 at the root, and
how sure that is. `svm` is the paper's way: its candidates, its features, a linear SVM with Platt's sigmoid, its
enforced tree (Chen and Cafarella 2013, section 3.2). `boosted` has more candidates and features, boosted trees, and
reads the left as an outline. Both are linear in the length of a strand; very long ones are read by rules alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from tabellion.errors import WeightsError
from tabellion.nest.attributes import Attributes, Indices, Numbers
from tabellion.nest.candidates import ROOT, climbing_pairs, differing_pairs
from tabellion.nest.ladder import climb
from tabellion.nest.left_features import LEFT_FEATURES
from tabellion.nest.pair_features import PAPER_LEFT, compute_features, paper_style
from tabellion.nest.pair_view import PairView
from tabellion.nest.spread import HeaderCells
from tabellion.nest.top_features import PAPER_TOP, TOP_FEATURES, TopView, compute_top_features, top_pairs
from tabellion.nest.tree import enforce_tree, outline
from tabellion.weights import Weights

Method = Literal["boosted", "svm"]

LEFT_WEIGHTS = {"boosted": "left_parents", "svm": "left_parents_paper"}
TOP_WEIGHTS = {"boosted": "top_parents", "svm": "top_parents_paper"}
LONG = 2_000  # labels; a longer strand lists records and is read by rules alone
BY_RULES = 0.95  # how sure that is


def left_view(attributes: Attributes, method: Method, ladder: Indices | None = None) -> PairView:
    """The candidate pairs of a strand by one method; the ladder may be given where it is known."""
    ladder = climb(attributes) if ladder is None else ladder
    paper = method == "svm"
    pairs = differing_pairs(paper_style(attributes)) if paper else climbing_pairs(attributes, ladder)
    return PairView(attributes, ladder, pairs)


def left_table(view: PairView, method: Method) -> Numbers:
    """The features of a strand's pairs by one method."""
    return compute_features(view, PAPER_LEFT if method == "svm" else LEFT_FEATURES)


def left_parents(attributes: Attributes, weights: Weights, method: Method) -> tuple[Indices, Numbers]:
    """The parent of each label of a strand."""
    ladder = climb(attributes)
    plain = not attributes.look.any() and (ladder == ROOT).all()
    if plain or len(attributes) > LONG:
        return ladder, np.full(len(attributes), 1.0 if plain else BY_RULES)
    view = left_view(attributes, method, ladder)
    decode = enforce_tree if method == "svm" else outline
    return decode(len(attributes), (view.up, view.down), left_scores(view, weights, method))


def left_scores(view: PairView, weights: Weights, method: Method) -> Numbers:
    """The score of each pair of a strand: a probability by the SVM, log-odds by the boosted trees."""
    if method == "svm":
        linear = weights.linear(LEFT_WEIGHTS[method])
        _check(linear.features, PAPER_LEFT, LEFT_WEIGHTS[method])
        return linear.probabilities(left_table(view, method))
    boosted = weights.boosted(LEFT_WEIGHTS[method])
    _check(boosted.features, LEFT_FEATURES, LEFT_WEIGHTS[method])
    return boosted.scores(compute_features(view, LEFT_FEATURES, boosted.asked))[:, 0]


def top_table(view: TopView, method: Method) -> Numbers:
    """The features of a header's pairs by one method."""
    return compute_top_features(view, PAPER_TOP if method == "svm" else TOP_FEATURES)


def top_parents(cells: HeaderCells, values: Sequence[int], weights: Weights, method: Method) -> tuple[Indices, Numbers]:
    """The parent of each header cell."""
    if not cells.level.any():
        return np.full(len(cells), ROOT, dtype=np.intp), np.ones(len(cells))
    pairs = top_pairs(cells)
    return enforce_tree(len(cells), pairs, top_scores(TopView(cells, values, pairs), weights, method))


def top_scores(view: TopView, weights: Weights, method: Method) -> Numbers:
    """The probability of each pair of a header."""
    paper = method == "svm"
    scores = weights.linear(TOP_WEIGHTS[method]) if paper else weights.boosted(TOP_WEIGHTS[method])
    _check(scores.features, PAPER_TOP if paper else TOP_FEATURES, TOP_WEIGHTS[method])
    return scores.probabilities(top_table(view, method))


def _check(learned: tuple[str, ...], features: Sequence[tuple[str, object]], name: str) -> None:
    """Weights of other features would score nonsense without a word."""
    if learned != tuple(feature for feature, _ in features):
        raise WeightsError(f"the weights {name} are of another version: `make train` makes them anew")
