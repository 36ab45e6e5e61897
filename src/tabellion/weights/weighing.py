"""What weighed most in a judgement of boosted trees.

In: trees and the rows they judge. Out: for each row how much each feature moved its score: at every fork on the way
down a tree, the step from the mean of all leaves below to the mean of those on the side taken is put to the feature
asked.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabellion.weights.boosted import Boosted


def weigh_features(trees: Boosted, rows: NDArray[np.floating]) -> NDArray[np.float64]:
    """(rows, features): what each feature added to the score of each row. Of binary trees only."""
    means = _means(trees)
    count = len(trees.feature)
    each = np.arange(count)
    found = np.zeros((len(rows), len(trees.features)))
    for moved, row in zip(found, np.asarray(rows, dtype=np.float64), strict=True):
        node = np.zeros(count, dtype=np.intp)
        for _ in range(trees.depth):
            asked = trees.feature[each, node]
            below = row[asked] <= trees.threshold[each, node]
            after = np.where(below, trees.left[each, node], trees.right[each, node])
            np.add.at(moved, asked, means[each, after] - means[each, node])
            node = after
    return found


def _means(trees: Boosted) -> NDArray[np.float64]:
    """For each node the mean of the leaves below it, each side of a fork counting the same."""
    means = trees.value.copy()
    each = np.arange(len(means))[:, None]
    fork = trees.left != np.arange(trees.left.shape[1])[None, :]
    for _ in range(trees.depth):
        middle = (means[each, trees.left] + means[each, trees.right]) / 2
        means = np.where(fork, middle, means)
    return np.asarray(means)
