"""Gradient-boosted trees run with numpy: all forks of all trees at once.

Trained with LightGBM (extra `train`), kept as plain arrays. The leaf that a row comes to is told by bits (`exits`).
Rows that are alike are scored once, since a sheet of a million rows has few kinds of rows.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.weights.exits import Exits, find_exits, inner_nodes

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

    @classmethod
    def load(cls, path: Path) -> Boosted:
        with np.load(path, allow_pickle=False) as arrays:
            about = msgspec.json.decode(arrays["about"].tobytes())
            return cls(
                features=tuple(about["features"]),
                classes=tuple(about["classes"]),
                objective=about["objective"],
                depth=about["depth"],
                feature=arrays["feature"].astype(np.int32),
                threshold=arrays["threshold"].astype(np.float64),
                left=arrays["left"].astype(np.int32),
                right=arrays["right"].astype(np.int32),
                value=arrays["value"].astype(np.float64),
            )

    def save(self, path: Path) -> None:
        about = {
            "features": self.features,
            "classes": self.classes,
            "objective": self.objective,
            "depth": self.depth,
        }
        np.savez_compressed(
            path,
            about=np.frombuffer(msgspec.json.encode(about), dtype=np.uint8),
            feature=self.feature.astype(np.int16),
            threshold=self.threshold,
            left=self.left.astype(np.int16),
            right=self.right.astype(np.int16),
            value=self.value.astype(np.float32),
        )

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

    Rows are told apart by two random projections: equal rows have equal ones, and that two others share both is as
    likely as a hash collision. Sorting the rows themselves takes ten times as long.
    """
    directions = np.random.default_rng(0).normal(size=(2, rows.shape[1]))
    real, imaginary = (np.einsum("ij,j->i", rows, direction) for direction in directions)
    _, first, where = np.unique(real + 1j * imaginary, return_index=True, return_inverse=True)
    return rows[first], where
