"""The leaf of every tree that a row comes to, without walking down (QuickScorer: Lucchese et al. 2015, section 3).

In: the nodes of an ensemble of binary trees; then rows of numbers. Out: for each row the sum of the values of its
leaves. Leaves are bits, from left to right. A fork that a row leaves to the right rules out the leaves at its left;
the first leaf that no fork rules out is the one that the row comes to. So all forks are asked at once, in few calls,
whatever the depth of the trees. Fails on trees of more than 64 leaves, with an error.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import WeightsError

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
