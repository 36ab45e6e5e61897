"""Header cells by clustering each column in two (Davulcu, Vadrevu, Nagarajan: OntoMiner 2005, section 4.2.2).

In: a `WebView`, whose spans are repeated in all their cells as the paper's cleaner does. Out: `HeaderLines`. The
first cell is a header; so is every cell that clusters with it in its column, and every cell that clusters with a
header in its row. A line of nothing but headers, almost, is a header line. Fails, as the paper says, where the looks
and shapes of headers and data are alike; the weights of the features, which the paper does not give, are set by hand.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabellion.label.pages.headers import HeaderLines
from tabellion.label.pages.view import DATE, EMPTY, FILL, LABEL, LONG, NUMBER, YEAR, WebView

_WEIGHTS = np.array([2.0, 1.0, 0.5, 0.5, 2.0, 2.0, 0.5, 0.5, 0.5, 1.5])  # as in _cell_features
_ONE_CLUSTER = 1.0  # the mean distance from the centre under which a line is one cluster
_MOSTLY = 0.9  # the share of headers that makes a line a header line
_ROUNDS = 10


def cluster_headers(view: WebView) -> HeaderLines:
    """The header lines of a table by the paper's clustering."""
    if min(view.kind.shape, default=0) < 1 or not view.kind.size:
        return HeaderLines(0, 0)
    cells = _cell_features(view)
    filled = view.kind != EMPTY
    first = _cluster(cells[:, 0])
    header = np.zeros(view.kind.shape, dtype=bool)
    for row in np.flatnonzero(first == first[0]).tolist():
        own = _cluster(cells[row])
        header[row] = own == own[0]
    if header[filled].all():
        return HeaderLines(0, 0)
    return HeaderLines(_leading(header, filled), _leading(header.T, filled.T))


def _cell_features(view: WebView) -> NDArray[np.float64]:
    """The paper's kinds of features: syntactic, semantic, statistical and special signs (no parts of speech)."""
    kind = view.kind
    features = [
        view.trait("bold"),
        view.trait("italic"),
        view.trait("capital"),
        view.trait("linked"),
        np.isin(kind, (NUMBER, YEAR)),
        kind == DATE,
        np.minimum(1.0, view.trait("length") / 60),
        kind == LABEL,
        kind == LONG,
        view.codes[FILL] > 0,
    ]
    stacked: NDArray[np.float64] = np.stack([np.asarray(each, dtype=np.float64) for each in features], axis=-1)
    return np.asarray(stacked * _WEIGHTS)


def _cluster(cells: NDArray[np.float64]) -> NDArray[np.int64]:
    """The cluster of each cell of a line: one for all where they lie close together, else two by k-means."""
    centre = cells.mean(axis=0)
    distance = np.linalg.norm(cells - centre, axis=1)
    if len(cells) < 2 or distance.mean() < _ONE_CLUSTER:
        return np.zeros(len(cells), dtype=np.int64)
    centres = np.stack([cells[0], cells[np.linalg.norm(cells - cells[0], axis=1).argmax()]])
    chosen = np.zeros(len(cells), dtype=np.int64)
    for _ in range(_ROUNDS):
        chosen = np.linalg.norm(cells[:, None] - centres[None], axis=2).argmin(axis=1)
        for number in (0, 1):
            if (chosen == number).any():
                centres[number] = cells[chosen == number].mean(axis=0)
    return chosen


def _leading(header: NDArray[np.bool_], filled: NDArray[np.bool_]) -> int:
    count = 0
    for row, there in zip(header, filled, strict=True):
        if not there.any() or row[there].mean() < _MOSTLY:
            break
        count += 1
    return count if count < len(header) else 0
