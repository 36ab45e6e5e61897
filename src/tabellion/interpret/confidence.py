"""How likely a decoded table is entirely right.

In: what was doubtful about it: probabilities of its cells, of its worst line, of its trees, and the margin over the
next split. Out: a probability, by a logistic curve fitted on publishers left out of training (`learn/interpret`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from tabellion.interpret.decode import DecodedTable

DOUBTS = ("cells in their table", "cells in their zone", "worst line", "margin of the split", "heads", "worst head",
          "rows", "worst row")  # fmt: skip
_UNCALIBRATED = (-5.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0)
_FAR = 50.0  # log odds that are as good as certain


def rate_tables(tables: Sequence[DecodedTable], calibration: Sequence[float]) -> list[float]:
    """The confidence of each table; `calibration` is the constant and the weight of each doubt."""
    constant, *weights = calibration or _UNCALIBRATED
    odds = [
        constant + sum(weight * doubt for weight, doubt in zip(weights, measure_doubts(table), strict=True))
        for table in tables
    ]
    return [round(1 / (1 + exp(-min(_FAR, max(-_FAR, one)))), 4) for one in odds]


def measure_doubts(table: DecodedTable) -> tuple[float, ...]:
    """The doubts of a table as the curve takes them, in the order of `DOUBTS`: probabilities, the margin as a log."""
    inside, zone, line, margin, *trees = table.doubts
    return (exp(inside), exp(zone), exp(line), log(1 + max(0.0, margin)), *map(exp, trees))
