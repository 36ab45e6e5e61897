"""Columns to stub and values: which columns label the rows.

In: a block's rows and columns. Out: for each column the probability that it is a stub, and the split that fits best:
stub columns lead; one at the right end extends the left stub (Chen and Cafarella 2013, section 2.1).
Fails where codes are numbers like any other and nothing in the head tells them apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabellion.label.column_features import column_features
from tabellion.model.grid import Grid
from tabellion.weights import Weights

COLUMN_WEIGHTS = "columns"
RIGHT_STUB = 0.9  # a stub at the right end is rare: it must be this sure


def stub_probabilities(
    grid: Grid, header_rows: list[int], body_rows: list[int], columns: list[int], weights: Weights
) -> NDArray[np.float64]:
    """The probability of each column to be a stub."""
    features = column_features(grid, header_rows, body_rows, columns)
    return weights.boosted(COLUMN_WEIGHTS).probabilities(features)


def split_stub(probability: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """Positions of stub and value columns: the most probable leading stub, and a sure one at the right end."""
    sure = np.clip(probability, 1e-6, 1 - 1e-6)
    as_stub, as_value = np.log(sure), np.log(1 - sure)
    fits = np.concatenate([[0.0], np.cumsum(as_stub)]) + np.concatenate([np.cumsum(as_value[::-1])[::-1], [0.0]])
    lead = int(fits.argmax())
    stub = list(range(lead))
    last = len(sure) - 1
    if lead < last and sure[last] > RIGHT_STUB:
        stub.append(last)
    return stub, [c for c in range(len(sure)) if c not in stub]
