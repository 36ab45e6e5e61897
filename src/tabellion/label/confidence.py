"""How sure the reading of a frame is: one calibrated probability.

In: a frame with the probabilities that row and column labelling left. Out: the probability that the whole reading
(extent, headers, paths) is right, by a logistic regression that was fitted on cross-validated readings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import ROW_ROLES, Frame
from tabellion.weights import Weights

CONFIDENCE_WEIGHTS = "confidence"
SIGNALS = ("rows", "doubtful rows", "head", "edges", "columns", "least column", "size", "head rows", "stub columns")

_BODY = [ROW_ROLES.index(role) for role in ("data", "group", "derived")]
_HEAD = [ROW_ROLES.index("header")]
_OUTSIDE = [ROW_ROLES.index("title"), ROW_ROLES.index("note")]


def confidence_signals(frame: Frame, stub: NDArray[np.float64]) -> NDArray[np.float64]:
    """What speaks for and against a reading; `stub` holds the probability of each column to be a stub."""
    probability = frame.labels.probability
    body = probability[np.ix_(frame.body_rows, _BODY)].sum(axis=1)
    head = probability[np.ix_(frame.header_rows, _HEAD)].sum(axis=1) if frame.header_rows else np.zeros(1)
    outside = [*frame.title_rows[-2:], *frame.note_rows[:2]]
    edge = np.concatenate([body[:2], body[-2:], probability[np.ix_(outside, _OUTSIDE)].sum(axis=1), [1.0]])
    column = np.maximum(stub, 1 - stub)
    sure = np.clip([body.mean(), 1 - (body < 0.8).mean(), head.min(), edge.min(), column.mean(), column.min()], 1e-3, 1)
    size = [np.log(len(frame.body_rows)), len(frame.header_rows), len(frame.stub_columns)]
    return np.array([*np.log(sure), *size])


def rate_confidence(frame: Frame, stub: NDArray[np.float64], weights: Weights) -> float:
    """The probability that the reading of a frame is right."""
    signals = confidence_signals(frame, stub)
    return round(float(weights.linear(CONFIDENCE_WEIGHTS).probabilities(signals[None, :])[0]), 3)
