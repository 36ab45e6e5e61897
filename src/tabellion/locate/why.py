"""Why a candidate of a web page was judged as it was: the features that weighed most.

In: a region. Out: the features in order of their weight, those that speak for a table above nought. Candidates that
were not asked about (too small, for layout by their own word) have one reason each.
"""

from __future__ import annotations

import numpy as np

from tabellion.locate.candidate_view import view_candidates
from tabellion.locate.genuine import DRAWN, GENUINE, worth_a_look
from tabellion.locate.genuine_features import genuine_features
from tabellion.model.region import MarkupRegion
from tabellion.weights import Weights
from tabellion.weights.weighing import weigh_features


def explain_region(region: MarkupRegion, weights: Weights, most: int = 5) -> tuple[tuple[str, float], ...]:
    """The features that weighed most, each with what it added to the log-odds."""
    candidate = region.candidate
    if candidate.kind in ("definitions", "preformatted"):
        return ((f"{candidate.kind} judged by rule", 0.0),)
    if candidate.attributes.get("role", "").lower() in ("presentation", "none"):
        return (("role says that it is for layout", 0.0),)
    if region.number not in worth_a_look(region.page):
        return (("no two rows with a row of two cells", 0.0),)
    row = genuine_features(view_candidates(region.page, [region.number]))
    trees = weights.boosted(GENUINE)
    if region.drawn is not None and weights.share_a_folder(GENUINE, DRAWN):
        trees, row = weights.boosted(DRAWN), np.hstack([row, region.drawn[None]])
    moved = weigh_features(trees, row)[0]
    order = np.argsort(-np.abs(moved))[:most].tolist()
    return tuple((trees.features[number], round(float(moved[number]), 3)) for number in order)
