"""How likely a decoded table is entirely right.

In: what was doubtful about it: log probabilities of its cells, of its worst line, of its trees, and the margin over the
next split. Out: a probability, by a logistic curve fitted on publishers left out of training (`learn/interpret`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from tabellion.interpret.decode import DecodedTable

DOUBTS = ("cells in their table", "cells in their zone", "worst line", "margin of the split", "heads", "worst head",
          "rows", "worst row")  # fmt: skip
_UNCALIBRATED = (0.0, 1.0, 1.0, 0.5, 0.0, 1.0, 0.3, 1.0, 0.3)


def rate_tables(tables: Sequence[DecodedTable], calibration: Sequence[float]) -> list[float]:
    """The confidence of each table; `calibration` is the constant and the weight of each doubt."""
    constant, *weights = calibration or _UNCALIBRATED
    return [
        round(
            1 / (1 + exp(-min(50.0, max(-50.0, constant + sum(w * x for w, x in zip(weights, doubts, strict=True)))))),
            4,
        )
        for doubts in map(measure_doubts, tables)
    ]


def measure_doubts(table: DecodedTable) -> tuple[float, ...]:
    """The doubts of a table as the curve takes them: in the order of `DOUBTS`."""
    inside, zone, line, margin, *trees = table.doubts
    return (inside, zone, line, log(1 + max(0.0, margin)), *trees)
