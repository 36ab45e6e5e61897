"""Gradient-boosted trees run with numpy: all trees at once, level by level.

Trained with LightGBM (extra `train`), kept as plain arrays. Rows that are alike are scored once, since
a sheet of a million rows has few kinds of rows.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

_FEW = 64  # rows up to which telling alike ones apart costs more than scoring them
_CHUNK = 1 << 20  # row-tree pairs scored at a time: bounds memory at some tens of megabytes


class Boosted(msgspec.Struct, frozen=True, eq=False, dict=True):
    """An ensemble of binary trees. Node arrays are (trees, nodes); a leaf points to itself.

    Tree t adds to class `t % classes`. With one class the score is a log-odds (binary) or a plain sum (`objective`).
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
        rows = np.ascontiguousarray(rows, dtype=np.float64)
        distinct, where = _distinct(rows) if len(rows) > _FEW else (rows, np.arange(len(rows)))
        trees, nodes = self.feature.shape
        root = np.arange(trees, dtype=np.int64) * nodes
        feature, threshold, value = self.feature.ravel(), self.threshold.ravel(), self.value.ravel()
        child = self._children(root)
        result = np.empty((len(distinct), width))
        step = max(1, _CHUNK // trees)
        for start in range(0, len(distinct), step):
            part = distinct[start : start + step]
            first = np.arange(len(part))[:, None] * part.shape[1]
            node = np.broadcast_to(root, (len(part), trees))
            for _ in range(self.depth):
                seen = part.take(feature.take(node) + first)
                node = child.take(2 * node + (seen > threshold.take(node)))
            result[start : start + step] = value.take(node).reshape(len(part), -1, width).sum(axis=1)
        return result[where]

    @property
    def asked(self) -> frozenset[int]:
        """The numbers of the features that some tree asks for; what the others are does not change a score."""
        memory: dict[str, frozenset[int]] = self.__dict__
        if "asked" not in memory:
            inner = self.left != np.arange(self.left.shape[1])
            memory["asked"] = frozenset(self.feature[inner].tolist())
        return memory["asked"]

    def _children(self, root: NDArray[np.int64]) -> NDArray[np.int64]:
        """Left and right child of each node in turn, by their places among the nodes of all trees; computed once."""
        memory: dict[str, NDArray[np.int64]] = self.__dict__
        if "children" not in memory:
            sides = [self.left + root[:, None], self.right + root[:, None]]
            memory["children"] = np.stack(sides, axis=-1).ravel()
        return memory["children"]

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """(rows, classes) for multiclass; (rows,) the probability of the true class for binary."""
        scores = self.scores(rows)
        if self.objective == "multiclass":
            scores = np.exp(scores - scores.max(axis=1, keepdims=True))
            return np.asarray(scores / scores.sum(axis=1, keepdims=True))
        return 1.0 / (1.0 + np.exp(-scores[:, 0]))


def _distinct(rows: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The distinct rows, and for each row which of them it is.

    Rows are told apart by two random projections: equal rows have equal ones, and that two others share both is as
    likely as a hash collision. Sorting the rows themselves takes ten times as long.
    """
    directions = np.random.default_rng(0).normal(size=(2, rows.shape[1]))
    real, imaginary = (np.einsum("ij,j->i", rows, direction) for direction in directions)
    _, first, where = np.unique(real + 1j * imaginary, return_index=True, return_inverse=True)
    return np.ascontiguousarray(rows[first], dtype=np.float64), where
