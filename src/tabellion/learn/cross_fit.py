"""Trees that stand on the judgement of other trees: what the second sees must be what the first says of the unseen.

In: examples by document, each with its fold. Out: trees over all of them, and for each document what trees that have
not seen its fold say of it. Chains of judges (a first look, a second look, a decision over both) are trained so.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.learn.boosting import BoostingSettings, train_boosted
from tabellion.weights.boosted import Boosted

_PARTS = 3  # trees are trained so many times more, each time without a part of the folds


class Examples(msgspec.Struct, frozen=True, eq=False):
    """The examples of one document: what is seen, what is true, whether that is known; `weight` of each example."""

    fold: int
    rows: NDArray[np.floating]
    true: NDArray[np.bool_]
    known: NDArray[np.bool_]
    weight: float | NDArray[np.floating] = 1.0


def fit_trees(examples: Sequence[Examples], features: Sequence[str], settings: BoostingSettings) -> Boosted:
    """Trees over all known examples."""
    rows = np.concatenate([e.rows[e.known] for e in examples])
    labels = np.concatenate([e.true[e.known] for e in examples]).astype(np.int64)
    weights = np.concatenate([np.broadcast_to(e.weight, len(e.rows))[e.known] for e in examples])
    return train_boosted(rows, labels, features, ("no", "yes"), weights, settings)


class Across(msgspec.Struct, frozen=True, eq=False):
    """Trees over all examples, and trees that have each left out a part of the folds."""

    trees: Boosted
    without: tuple[Boosted, ...]

    def unseen(self, fold: int) -> Boosted:
        """Trees that have not seen a fold."""
        return self.without[fold % _PARTS]

    def say(self, examples: Sequence[Examples]) -> list[NDArray[np.float64]]:
        """The probabilities of each document's examples by trees that have not seen it."""
        return [self.unseen(e.fold).probabilities(e.rows) for e in examples]


def fit_across(examples: Sequence[Examples], features: Sequence[str], settings: BoostingSettings) -> Across:
    """Trees over all examples, and those that have not seen a part of them."""
    without = [
        fit_trees([e for e in examples if e.fold % _PARTS != part], features, settings) for part in range(_PARTS)
    ]
    return Across(fit_trees(examples, features, settings), tuple(without))
