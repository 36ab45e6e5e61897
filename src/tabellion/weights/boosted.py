"""Gradient-boosted trees run with numpy, and what weighed most in a judgement.

Trained with LightGBM (extra `train`), kept as plain arrays. The leaf that a row comes to is told by bits. Rows that are
alike are scored once, since a sheet of a million rows has few kinds of rows.

The leaf of every tree that a row comes to, without walking down (QuickScorer: Lucchese et al. 2015, section 3). In: the
nodes of an ensemble of binary trees; then rows of numbers. Out: for each row the sum of the values of its leaves.
Leaves are bits, from left to right. A fork that a row leaves to the right rules out the leaves at its left; the first
leaf that no fork rules out is the one that the row comes to. So all forks are asked at once, in few calls, whatever the
depth of the trees. Fails on trees of more than 64 leaves, with an error.

What weighed most in a judgement of boosted trees. In: trees and the rows they judge. Out: for each row how much each
feature moved its score: at every fork on the way down a tree, the step from the mean of all leaves below to the mean of
those on the side taken is put to the feature asked.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import WeightsError
from tabellion.weights.contract import VERSION, Arrays, read_arrays, write_arrays

_MOST_LEAVES = 64
_CHUNK = 1 << 17  # answers of forks held at a time: they stay close to the processor, and memory is bounded
_EXPONENT_AT, _EXPONENT_BIAS = 23, 127  # where a 32-bit float holds its exponent, and what is added to it


class Exits(msgspec.Struct, frozen=True, eq=False):
    """What the forks of an ensemble ask, and which leaves they rule out; (forks, trees), small trees padded."""

    feature: NDArray[np.intp]
    threshold: NDArray[np.float64]
    left_leaves: NDArray[np.unsignedinteger]  # the bits of the leaves at the left of each fork
    value: NDArray[np.float64]  # (trees, leaves)

    def sums(self, rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
        """Of each row the sums of the values of its leaves: tree t adds to column `t % width`."""
        forks, trees = self.feature.shape
        feature, threshold, value = self.feature.ravel(), self.threshold.ravel(), self.value.ravel()
        first = np.arange(trees) * self.value.shape[1] - _EXPONENT_BIAS
        result = np.empty((len(rows), width))
        step = max(1, _CHUNK // (forks * trees))
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            to_right = (part.take(feature, axis=1) > threshold).reshape(-1, forks, trees)
            ruled_out = np.bitwise_or.reduce(to_right * self.left_leaves, axis=1)
            leaf = ~ruled_out & (ruled_out + 1)  # the lowest bit that is not set; as a float its exponent is its place
            number = (leaf.astype(np.float32).view(np.int32) >> _EXPONENT_AT) + first
            result[start : start + step] = value.take(number).reshape(len(part), -1, width).sum(axis=1)
        return result


def inner_nodes(left: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which nodes are forks: a leaf leads to itself, what pads a small tree to the root."""
    return np.asarray((left > 0) & (left != np.arange(left.shape[1])))


def find_exits(
    feature: NDArray[np.int32],
    threshold: NDArray[np.float64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    value: NDArray[np.float64],
    depth: int,
) -> Exits:
    """What is asked to find the exits of trees of a depth; nodes are (trees, nodes), the root first."""
    fork = inner_nodes(left)
    leaves, first = _leaves_below(fork, left, right, depth)
    most = int(leaves[:, 0].max())
    if most > _MOST_LEAVES:
        raise WeightsError(f"a tree of the weights has {most} leaves; train them with at most {_MOST_LEAVES}")
    tree, node = np.nonzero(fork)
    place = (fork.cumsum(axis=1) - 1)[tree, node]
    shape = (max(1, int(fork.sum(axis=1).max())), len(left))
    asked, limit = np.zeros(shape, dtype=np.intp), np.full(shape, np.inf)
    bits = np.zeros(shape, dtype=np.min_scalar_type((1 << most) - 1))
    asked[place, tree], limit[place, tree] = feature[tree, node], threshold[tree, node]
    at_left = leaves[tree, left[tree, node]].astype(np.uint64)
    bits[place, tree] = ((np.uint64(1) << at_left) - np.uint64(1)) << first[tree, node].astype(np.uint64)
    ends = np.zeros((len(left), most))
    tree, node = np.nonzero(~fork & (first >= 0))
    ends[tree, first[tree, node]] = value[tree, node]
    return Exits(asked, limit, bits, ends)


def _leaves_below(
    fork: NDArray[np.bool_], left: NDArray[np.int32], right: NDArray[np.int32], depth: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of each node how many leaves are below it, and the number of the first of them; -1 for what no row comes to."""
    tree = np.arange(len(left))[:, None]
    leaves = np.ones(left.shape, dtype=np.int64)
    for _ in range(depth):
        leaves = np.where(fork, leaves[tree, left] + leaves[tree, right], 1)
    first = np.full(left.shape, -1, dtype=np.int64)
    first[:, 0] = 0
    for _ in range(depth):
        at = np.nonzero(fork & (first >= 0))
        first[at[0], left[at]] = first[at]
        first[at[0], right[at]] = first[at] + leaves[at[0], left[at]]
    return leaves, first


_FEW = 64  # rows up to which telling alike ones apart costs more than scoring them


class Boosted(msgspec.Struct, frozen=True, eq=False, dict=True):
    """An ensemble of binary trees. Node arrays are (trees, nodes); a leaf points to itself.

    Tree t adds to class `t % classes`. With one class the score is a log-odds (binary) or a plain sum (`objective`).
    A tree has at most 64 leaves.
    """

    features: tuple[str, ...]
    classes: tuple[str, ...]
    objective: str  # binary, multiclass or regression
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    depth: int
    version: int = VERSION

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.features

    @classmethod
    def load(cls, path: Path) -> Boosted:
        about, arrays = read_arrays(path)
        return cls(
            features=tuple(about["features"]),
            classes=tuple(about["classes"]),
            objective=about["objective"],
            depth=about["depth"],
            version=about["version"],
            feature=arrays["feature"].astype(np.int32),
            threshold=arrays["threshold"].astype(np.float64),
            left=arrays["left"].astype(np.int32),
            right=arrays["right"].astype(np.int32),
            value=arrays["value"].astype(np.float64),
        )

    def save(self, path: Path) -> None:
        about = {"features": self.features, "classes": self.classes, "objective": self.objective, "depth": self.depth}
        arrays: Arrays = {
            "feature": self.feature.astype(np.int16),
            "threshold": self.threshold,
            "left": self.left.astype(np.int16),
            "right": self.right.astype(np.int16),
            "value": self.value.astype(np.float32),
        }
        write_arrays(path, about, arrays)

    def scores(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """Raw sums, (rows, classes); one column where the objective is not multiclass."""
        width = len(self.classes) if self.objective == "multiclass" else 1
        if not len(rows):
            return np.zeros((0, width))
        values = np.ascontiguousarray(rows, dtype=np.float64)
        if len(values) <= _FEW:
            return self._exits.sums(values, width)
        distinct, where = _distinct(values)
        return self._exits.sums(distinct, width)[where]

    @property
    def asked(self) -> frozenset[int]:
        """The numbers of the features that some tree asks for; what the others are does not change a score."""
        memory: dict[str, frozenset[int]] = self.__dict__
        if "asked" not in memory:
            memory["asked"] = frozenset(self.feature[inner_nodes(self.left)].tolist())
        return memory["asked"]

    @property
    def _exits(self) -> Exits:
        memory: dict[str, Exits] = self.__dict__
        if "exits" not in memory:
            memory["exits"] = find_exits(self.feature, self.threshold, self.left, self.right, self.value, self.depth)
        return memory["exits"]

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """(rows, classes) for multiclass; (rows,) the probability of the true class for binary."""
        scores = self.scores(rows)
        if self.objective == "multiclass":
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(scores / scores.sum(axis=1, keepdims=True))
        return 1.0 / (1.0 + np.exp(-scores[:, 0]))


def _distinct(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The distinct rows, and for each row which of them it is.

    Rows are told apart by two projections in no order: equal rows have equal ones, and that two others share both is
    as likely as a hash collision. Sorting the rows themselves takes ten times as long. Directions are sines, since
    numpy's random numbers take longer to load than a small sheet to read.
    """
    directions = np.sin(np.arange(1.0, 2 * rows.shape[1] + 1) ** 2).reshape(2, -1)
    real, imaginary = (np.einsum("ij,j->i", rows, direction) for direction in directions)
    _, first, where = np.unique(real + 1j * imaginary, return_index=True, return_inverse=True)
    return rows[first], where


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
