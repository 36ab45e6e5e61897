"""Linear classifiers and linear-chain conditional random fields run with numpy."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray


class Linear(msgspec.Struct, frozen=True):
    """A linear classifier (an SVM trained with liblinear, say) with Platt's sigmoid for a probability."""

    features: tuple[str, ...]
    weight: tuple[float, ...]
    intercept: float
    slope: float = 1.0
    offset: float = 0.0

    def probabilities(self, rows: NDArray[np.floating]) -> NDArray[np.float64]:
        margin = rows @ np.asarray(self.weight) + self.intercept
        return np.asarray(1.0 / (1.0 + np.exp(-(self.slope * margin + self.offset))))


class Chain(msgspec.Struct, frozen=True):
    """A linear-chain CRF: state weights (features x classes), transitions, start and end weights."""

    features: tuple[str, ...]
    classes: tuple[str, ...]
    state: tuple[tuple[float, ...], ...]
    transition: tuple[tuple[float, ...], ...]
    start: tuple[float, ...]
    end: tuple[float, ...]

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
