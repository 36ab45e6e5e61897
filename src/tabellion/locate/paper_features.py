"""The layout and content-type features of genuine tables (Wang, thesis chapter 6, sections 6.3.1 and 6.3.2).

In: candidates. Out: fifteen of the sixteen features; the sixteenth, the word group, is in `word_groups`. A cell
counts in every row and column that it covers, as in the paper's pseudo-rendering; consistency is taken over cells
that span nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import CandidateView, Floats, Ints
from tabellion.locate.cell_kinds import Kind

CONTENT_TYPES = ("image", "form", "hyperlink", "alphabetical", "digit", "empty", "others")
IMAGE, FORM, HYPERLINK, ALPHABETICAL, DIGIT, EMPTY, OTHERS = range(7)
PAPER_FEATURES = (
    "columns mean",
    "columns deviation",
    "rows mean",
    "rows deviation",
    "length mean",
    "length deviation",
    "length consistency",
    *(f"{name} share" for name in CONTENT_TYPES),
    "type consistency",
)


def paper_features(view: CandidateView) -> NDArray[np.float64]:
    """One row a candidate, in the order of PAPER_FEATURES."""
    rows, columns = np.maximum(1, view.rows), np.maximum(1, view.columns)
    across = _covering(view, view.row_line, view.cells("row_span"), len(view.row_owner))
    down = _covering(view, view.column_line, view.cells("column_span"), len(view.column_owner))
    columns_mean, columns_deviation = _moments(across, view.row_owner, rows)
    rows_mean, rows_deviation = _moments(down, view.column_owner, columns)
    length = view.cells("length").astype(np.float64)
    length_mean = view.mean(length)
    length_deviation = np.sqrt(np.maximum(0, view.mean(length * length) - length_mean * length_mean))
    types = content_types(view)
    shares = [view.mean(types == number) for number in range(len(CONTENT_TYPES))]
    return np.column_stack(
        [
            columns_mean,
            columns_deviation,
            rows_mean,
            rows_deviation,
            length_mean,
            length_deviation,
            _consistency(view, lambda line, lines: _length_consistency(length, line, lines)),
            *shares,
            _consistency(view, lambda line, lines: _type_consistency(types, line, lines)),
        ]
    )


def tamed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signed logarithm of each feature, for classifiers that measure distances: lengths run to thousands."""
    return np.asarray(np.sign(rows) * np.log1p(np.abs(rows)))


def content_types(view: CandidateView) -> NDArray[np.uint8]:
    """The content type of each cell: what it holds besides text first, then what the text is."""

    def compute() -> NDArray[np.uint8]:
        kind = view.kind
        types = np.full(len(view.of), OTHERS, dtype=np.uint8)
        types[(kind == Kind.LABEL) | (kind == Kind.PROSE) | (kind == Kind.MIXED)] = ALPHABETICAL
        types[(kind == Kind.NUMBER) | (kind == Kind.DATE)] = DIGIT
        types[kind == Kind.EMPTY] = EMPTY
        types[view.cells("linked") * 2 > view.cells("length")] = HYPERLINK
        types[(view.cells("images") > 0) & (view.cells("length") == 0)] = IMAGE
        types[view.cells("forms") > 0] = FORM
        return types

    return view.once("content types", compute)


def _covering(view: CandidateView, line: Ints, span: NDArray[Any], lines: int) -> Floats:
    """How many cells cover each line: those that begin in it or reach into it."""
    begin = np.bincount(line, minlength=lines + 1)
    end = np.bincount(np.minimum(line + np.minimum(span, 1000), lines), minlength=lines + 1)
    return np.cumsum(begin - end)[:-1].astype(np.float64)


def _moments(values: Floats, owner: Ints, counts: Ints) -> tuple[Floats, Floats]:
    mean = np.bincount(owner, weights=values, minlength=len(counts)) / counts
    spread = np.bincount(owner, weights=(values - mean[owner]) ** 2, minlength=len(counts)) / counts
    return mean, np.sqrt(spread)


def _consistency(view: CandidateView, measure: Any) -> Floats:
    """The larger of the mean consistency of rows and of columns."""
    single = ~view.spanning
    found = []
    for line, owner in ((view.row_line, view.row_owner), (view.column_line, view.column_owner)):
        number, value = measure(line[single], single)
        by_line = np.bincount(number, weights=value, minlength=len(owner))
        lines = np.maximum(1, np.bincount(owner, minlength=len(view)))
        found.append(np.bincount(owner, weights=by_line, minlength=len(view)) / lines)
    return np.maximum(*found)


def _length_consistency(length: Floats, line: Ints, single: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """0.5 less the distance of each cell's length from the mean of its line, at most 1 (section 6.3.1)."""
    own = length[single]
    if not len(line):
        return line, own
    count = np.bincount(line)
    mean = np.bincount(line, weights=own) / np.maximum(1, count)
    distance = np.abs(own - mean[line]) / np.maximum(1e-9, mean[line])
    return line, 0.5 - np.minimum(1.0, distance)


def _type_consistency(types: NDArray[np.uint8], line: Ints, single: NDArray[np.bool_]) -> tuple[Ints, Floats]:
    """1 for each cell of the dominant type of its line, -1 for each other (section 6.3.2)."""
    own = types[single].astype(np.int64)
    if not len(line):
        return line, own.astype(np.float64)
    width = len(CONTENT_TYPES)
    counts = np.bincount(line * width + own, minlength=(int(line.max()) + 1) * width).reshape(-1, width)
    return line, np.where(own == counts.argmax(axis=1)[line], 1.0, -1.0)
