"""Linear classifiers and linear-chain conditional random fields run with numpy.

A support vector machine with a radial basis function kernel, run with numpy. Trained with scikit-learn.
"""

from __future__ import annotations

from pathlib import Path

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
