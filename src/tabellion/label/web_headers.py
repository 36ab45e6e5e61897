"""How many leading rows and columns of a web table are headers: learned, or as OntoMiner tells it.

In: a `WebView`. Out: `HeaderLines`. The learned method asks of each leading row, then of each leading column, whether
it is a header, and stops at the first that is not. The trees see the line itself, its neighbours, the first line of
the other direction and the shape of the table. What the markup declares by `scope` or `headers` is believed. Fails
where only the meaning of the words can tell.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.web_features import LINE_FEATURES, SHAPE_FEATURES, shape_features, side_features
from tabellion.label.web_view import EMPTY, WebView
from tabellion.weights import Weights

HeaderMethod = Literal["boosted", "ontominer"]
ROWS, COLUMNS = "web_header_rows", "web_header_columns"  # names of the weights
PRINTED_ROWS = "printed_header_rows"
MOST_ROWS, MOST_COLUMNS = 4, 3  # header lines that are asked for
_LOOKS = ("heading", "bold", "fill")  # traits that make a column stand out
_ALIKE = 0.9  # the share of cells that must agree
ROW_LIMIT, COLUMN_LIMIT = 0.5, 0.35  # probabilities from which a line is a header; set on the folds

ROW_FEATURES: tuple[str, ...] = (
    *(f"row {name}" for name in LINE_FEATURES),
    *(f"next row {name}" for name in LINE_FEATURES),
    *(f"last row {name}" for name in LINE_FEATURES),
    *(f"first column {name}" for name in LINE_FEATURES),
    *SHAPE_FEATURES,
    "place",
)
COLUMN_FEATURES: tuple[str, ...] = (
    *(f"column {name}" for name in LINE_FEATURES),
    *(f"next column {name}" for name in LINE_FEATURES),
    *(f"last column {name}" for name in LINE_FEATURES),
    *(f"first row {name}" for name in LINE_FEATURES),
    *(f"second row {name}" for name in LINE_FEATURES),
    *SHAPE_FEATURES,
    "place",
)


class HeaderLines(msgspec.Struct, frozen=True):
    """How many leading rows and columns are headers, and how sure each count is."""

    rows: int
    columns: int
    sure: float = 1.0


def find_headers(view: WebView, weights: Weights) -> HeaderLines:
    """The header lines of a table by the learned trees."""
    rows, columns = header_examples(view)
    if not len(rows) or not len(columns):
        return HeaderLines(0, 0, 0.0)
    name = PRINTED_ROWS if view.grid.medium == "pdf" else ROWS
    found = decide_headers(weights.boosted(name).probabilities(rows), weights.boosted(COLUMNS).probabilities(columns))
    declared = view.grid.declared_headers
    rows_said = int((view.grid.row_of[view.rows] < declared[0]).sum())
    columns_said = int((view.grid.column_of[view.columns] < declared[1]).sum())
    down = min(rows_said or found.rows, len(view.rows) - 1)
    down = _with_spans(view, down)
    across = min(columns_said or found.columns or _standing_out(view, down), len(view.columns) - 1)
    return HeaderLines(down, across, found.sure)


def _with_spans(view: WebView, rows: int) -> int:
    """Header rows, and those that a cell of the last one reaches into: no cell is header and value at once."""
    while 0 < rows < len(view.home) - 1 and (view.home[rows - 1] == view.home[rows])[view.kind[rows] != EMPTY].any():
        rows += 1
    return rows


def _standing_out(view: WebView, rows: int) -> int:
    """Leading columns whose cells have the look of the header row, which no other cell of the body has.

    The table type told by style (VENTex, section 5.2): bold, filled or marked as the header above, they name the rows.
    """
    filled = view.kind != EMPTY
    body = filled[rows:]
    if not rows or body.shape[0] < 2:
        return 0
    for look in _LOOKS:
        marked = view.trait(look) > 0
        if not marked[rows - 1][filled[rows - 1]].all():
            continue
        count = 0
        while count < body.shape[1] - 1:
            column = marked[rows:, count][body[:, count]]
            if len(column) and column.mean() < _ALIKE:
                break
            count += 1
        rest = body[:, count:]
        if body[:, :count].any() and rest.any() and marked[rows:, count:][rest].mean() <= 1 - _ALIKE:
            return count
    return 0


def decide_headers(rows: NDArray[np.float64], columns: NDArray[np.float64]) -> HeaderLines:
    """The header lines from the probability of each leading row and column."""
    down, sure_down = _leading(rows, ROW_LIMIT)
    across, sure_across = _leading(columns, COLUMN_LIMIT)
    return HeaderLines(down, across, sure_down * sure_across)


def header_examples(view: WebView) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What the trees see of each leading row and of each leading column."""
    if not view.kind.size:
        return np.zeros((0, len(ROW_FEATURES))), np.zeros((0, len(COLUMN_FEATURES)))
    down, across = side_features(view, turned=False), side_features(view, turned=True)
    shape = np.array(shape_features(view))
    nothing = np.zeros(len(LINE_FEATURES))

    def line(side: NDArray[np.float64], at: int) -> NDArray[np.float64]:
        return side[at] if 0 <= at < len(side) else nothing

    rows = [
        np.concatenate([line(down, at), line(down, at + 1), line(down, at - 1), line(across, 0), shape, [at]])
        for at in range(min(MOST_ROWS, len(down)))
    ]
    columns = [
        np.concatenate(
            [line(across, at), line(across, at + 1), line(across, at - 1), line(down, 0), line(down, 1), shape, [at]]
        )
        for at in range(min(MOST_COLUMNS, len(across)))
    ]
    return np.array(rows), np.array(columns)


def _leading(odds: NDArray[np.float64], limit: float) -> tuple[int, float]:
    """How many leading lines are headers, and the probability that just those are."""
    count, sure = 0, 1.0
    for value in odds.tolist():
        if value < limit:
            return count, sure * (1 - value)
        count, sure = count + 1, sure * value
    return count, sure
