"""Linear classifiers, chains, kernels and word groups run with numpy.

A linear-chain conditional random field; a support vector machine with a radial basis function kernel, trained with
scikit-learn; and what words say of genuine tables (Wang, thesis chapter 6, section 6.3.3).

`WordGroups`. In: the words of a table with their counts. Out: the word group feature in its vector-space form (equation
6.3), its naive Bayes form (6.11, as a logarithm: the product of many words leaves every number behind) and its weighted
nearest-neighbour form (6.12).
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.weights.contract import VERSION, read_arrays, read_struct, write_arrays, write_struct


class Kernel(msgspec.Struct, frozen=True, eq=False):
    """Support vectors of scaled rows, and Platt's sigmoid for a probability."""

    features: tuple[str, ...]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    vectors: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    intercept: float
    gamma: float
    slope: float = 1.0
    offset: float = 0.0
    version: int = VERSION

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.features

    @classmethod
    def load(cls, path: Path) -> Kernel:
        about, arrays = read_arrays(path)
        return cls(features=tuple(about.pop("features")), **arrays, **about)

    def save(self, path: Path) -> None:
        about = {name: getattr(self, name) for name in ("features", "intercept", "gamma", "slope", "offset")}
        write_arrays(path, about, {name: getattr(self, name) for name in ("mean", "scale", "vectors", "coefficients")})

    def scores(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        """The distance of each row from the border between the classes."""
        scaled = (rows - self.mean) / self.scale
        square = (scaled**2).sum(axis=1)[:, None] + (self.vectors**2).sum(axis=1)[None] - 2 * scaled @ self.vectors.T
        return np.asarray(np.exp(-self.gamma * np.maximum(0, square)) @ self.coefficients + self.intercept)

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(1.0 / (1.0 + np.exp(-(self.slope * self.scores(rows) + self.offset))))


class Linear(msgspec.Struct, frozen=True):
    """A linear classifier (an SVM trained with liblinear, say) with Platt's sigmoid for a probability."""

    features: tuple[str, ...]
    weight: tuple[float, ...]
    intercept: float
    slope: float = 1.0
    offset: float = 0.0
    version: int = VERSION

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.features

    @classmethod
    def load(cls, path: Path) -> Linear:
        return read_struct(path, cls)

    def save(self, path: Path) -> None:
        write_struct(path, self)

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        margin = rows @ np.asarray(self.weight) + self.intercept
        return np.asarray(1.0 / (1.0 + np.exp(-(self.slope * margin + self.offset))))


class Chain(msgspec.Struct, frozen=True):
    """A linear-chain CRF: state weights (features x classes), transitions, start and end weights.

    Its features are noughts and ones; `inputs` are the numbers that they are made from.
    """

    inputs: tuple[str, ...]
    features: tuple[str, ...]
    classes: tuple[str, ...]
    state: tuple[tuple[float, ...], ...]
    transition: tuple[tuple[float, ...], ...]
    start: tuple[float, ...]
    end: tuple[float, ...]
    version: int = VERSION

    @classmethod
    def load(cls, path: Path) -> Chain:
        return read_struct(path, cls)

    def save(self, path: Path) -> None:
        write_struct(path, self)

    def emissions(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        return np.asarray(rows @ np.asarray(self.state))

    def decode(self, emission: NDArray[np.float64]) -> NDArray[np.intp]:
        """The most probable sequence of classes (Viterbi)."""
        transition = np.asarray(self.transition)
        count = len(emission)
        if not count:
            return np.zeros(0, dtype=np.intp)
        back = np.zeros(emission.shape, dtype=np.intp)
        score = emission[0] + np.asarray(self.start)
        for i in range(1, count):
            options = score[:, None] + transition
            back[i] = options.argmax(axis=0)
            score = options.max(axis=0) + emission[i]
        path = np.zeros(count, dtype=np.intp)
        path[-1] = int((score + np.asarray(self.end)).argmax())
        for i in range(count - 1, 0, -1):
            path[i - 1] = back[i, path[i]]
        return path

    def marginals(self, emission: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of each class at each place (forward-backward in logarithms)."""
        transition = np.asarray(self.transition)
        count, width = emission.shape
        if not count:
            return np.zeros((0, width))
        ahead, behind = np.zeros(emission.shape), np.zeros(emission.shape)
        ahead[0] = emission[0] + np.asarray(self.start)
        for i in range(1, count):
            ahead[i] = _log_sum(ahead[i - 1][:, None] + transition, axis=0) + emission[i]
        behind[-1] = np.asarray(self.end)
        for i in range(count - 2, -1, -1):
            behind[i] = _log_sum(transition + (emission[i + 1] + behind[i + 1])[None, :], axis=1)
        total = ahead + behind
        return np.asarray(np.exp(total - _log_sum(total, axis=1)[:, None]))


def _log_sum(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    top = values.max(axis=axis, keepdims=True)
    return np.asarray(np.log(np.exp(values - top).sum(axis=axis)) + np.squeeze(top, axis=axis))


FORMS = ("word group, vector space", "word group, naive Bayes", "word group, nearest neighbours")
_NEIGHBOURS = 15  # the paper names no number
_ONLY_GENUINE = 10.0  # the value where no word speaks for layout (equation 6.3)


class WordGroups(msgspec.Struct, frozen=True, eq=False):
    """Weights of words for genuine and for layout tables, their clusters, and the tables they were counted in."""

    words: tuple[str, ...]
    genuine: NDArray[np.float64]  # equation 6.1
    layout: NDArray[np.float64]  # equation 6.2
    cluster: NDArray[np.int32]
    odds: NDArray[np.float64]  # of each cluster: the logarithm of equation 6.4 over 6.5
    prior: float  # the logarithm of the ratio of genuine to layout tables
    tables: NDArray[np.float32]  # one row per table seen: counts of clusters, scaled to length 1
    labels: NDArray[np.float32]  # 1 for genuine, -1 for layout

    inputs: tuple[str, ...] = FORMS  # the forms that are told, in order: what goes in are words
    version: int = VERSION

    @classmethod
    def load(cls, path: Path) -> WordGroups:
        about, arrays = read_arrays(path)
        told: dict[str, Any] = {"inputs": tuple(about.get("features", ())), "version": about["version"]}
        return cls(tuple(about["words"]), prior=about["prior"], **told, **arrays)

    def save(self, path: Path) -> None:
        names = ("genuine", "layout", "cluster", "odds", "tables", "labels")
        about = {"words": self.words, "prior": self.prior, "features": self.inputs}
        write_arrays(path, about, {name: getattr(self, name) for name in names})

    def tell(self, tables: list[Counter[str]]) -> NDArray[np.float64]:
        """One row per table, in the order of FORMS."""
        place = {word: at for at, word in enumerate(self.words)}
        found = np.zeros((len(tables), len(FORMS)))
        for row, counts in zip(found, tables, strict=True):
            known = [(place[word], count) for word, count in counts.items() if word in place]
            at = np.array([number for number, _ in known], dtype=np.intp)
            times = np.array([count for _, count in known], dtype=np.float64)
            row[0] = self._vector_space(at, times)
            row[1] = self.prior + float(self.odds[self.cluster[at]] @ times)
            row[2] = self._nearest(at, times)
        return found

    def _vector_space(self, at: NDArray[np.intp], times: NDArray[np.float64]) -> float:
        speaks, against = (_cosine(weights[at], times) for weights in (self.genuine, self.layout))
        if against:
            return speaks / against
        return _ONLY_GENUINE if speaks else 1.0

    def _nearest(self, at: NDArray[np.intp], times: NDArray[np.float64]) -> float:
        vector = np.bincount(self.cluster[at], weights=times, minlength=self.tables.shape[1])
        length = float(np.linalg.norm(vector))
        if not length or not len(self.tables):
            return 0.0
        likeness = self.tables @ (vector / length)
        nearest = np.argsort(-likeness)[:_NEIGHBOURS]
        total = float(likeness[nearest].sum())
        return float((likeness[nearest] * self.labels[nearest]).sum()) / total if total else 0.0


def _cosine(weights: NDArray[np.float64], times: NDArray[np.float64]) -> float:
    length = float(np.linalg.norm(weights))
    return float(times @ weights) / length if length else 0.0
