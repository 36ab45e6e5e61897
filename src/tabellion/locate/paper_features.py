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


_TYPE_OF = np.full(len(Kind), OTHERS, dtype=np.uint8)  # by the kind of the text
_TYPE_OF[[Kind.LABEL, Kind.PROSE, Kind.MIXED]] = ALPHABETICAL
_TYPE_OF[[Kind.NUMBER, Kind.DATE]] = DIGIT
_TYPE_OF[Kind.EMPTY] = EMPTY


def paper_features(view: CandidateView) -> NDArray[np.float64]:
    """One row a candidate, in the order of PAPER_FEATURES."""
    rows, columns = np.maximum(1, view.rows), np.maximum(1, view.columns)
    across = _covering(view, view.row_line, view.cells("row_span"), len(view.row_owner))
    down = _covering(view, view.column_line, view.cells("column_span"), len(view.column_owner))
    columns_mean, columns_deviation = _moments(across, view.row_owner, rows)
    rows_mean, rows_deviation = _moments(down, view.column_owner, columns)
    length = view.cells("length").astype(np.float64)
    length_mean, square_mean = np.add.reduceat([length, length * length], view.starts, axis=1) / view.count
    length_deviation = np.sqrt(np.maximum(0, square_mean - length_mean * length_mean))
    types = content_types(view)
    by_type = np.bincount(view.of * len(CONTENT_TYPES) + types, minlength=len(view) * len(CONTENT_TYPES))
    length_consistency, type_consistency = _consistency(view, length, types)
    return np.column_stack(
        [
            columns_mean,
            columns_deviation,
            rows_mean,
            rows_deviation,
            length_mean,
            length_deviation,
            length_consistency,
            by_type.reshape(len(view), -1) / view.count[:, None],
            type_consistency,
        ]
    )


def tamed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signed logarithm of each feature, for classifiers that measure distances: lengths run to thousands."""
    return np.asarray(np.sign(rows) * np.log1p(np.abs(rows)))


def content_types(view: CandidateView) -> NDArray[np.uint8]:
    """The content type of each cell: what it holds besides text first, then what the text is."""
    length = view.cells("length")
    types = _TYPE_OF[view.kind]
    types[view.cells("linked") * 2 > length] = HYPERLINK
    types[(view.cells("images") > 0) & (length == 0)] = IMAGE
    types[view.cells("forms") > 0] = FORM
    return types


def _covering(view: CandidateView, line: Ints, span: NDArray[Any], lines: int) -> Floats:
    """How many cells cover each line: those that begin in it or reach into it."""
    begin = np.bincount(line, minlength=lines + 1)
    end = np.bincount(np.minimum(line + np.minimum(span, 1000), lines), minlength=lines + 1)
    return np.cumsum(begin - end)[:-1].astype(np.float64)


def _moments(values: Floats, owner: Ints, counts: Ints) -> tuple[Floats, Floats]:
    mean = np.bincount(owner, weights=values, minlength=len(counts)) / counts
    spread = np.bincount(owner, weights=(values - mean[owner]) ** 2, minlength=len(counts)) / counts
    return mean, np.sqrt(spread)


def _consistency(view: CandidateView, length: Floats, types: NDArray[np.uint8]) -> tuple[Floats, Floats]:
    """How consistent lengths and content types are: the larger of the means over rows and over columns."""
    single = ~view.spanning
    length, types = length[single], types[single]
    by_row = _line_consistency(view.row_line[single], view.row_owner, view.rows, length, types)
    by_column = _line_consistency(view.column_line[single], view.column_owner, view.columns, length, types)
    return np.maximum(by_row[0], by_column[0]), np.maximum(by_row[1], by_column[1])


def _line_consistency(
    line: Ints, owner: Ints, counts: Ints, length: Floats, types: NDArray[np.uint8]
) -> tuple[Floats, Floats]:
    """The mean consistency of the lines of each candidate.

    Of lengths, each cell adds 0.5 less the distance of its length from the mean of its line, at most 1 (section 6.3.1).
    Of content types, each adds 1 where it has the dominant type of its line, else -1 (section 6.3.2).
    """
    lines, width = len(owner), len(CONTENT_TYPES)
    by_type = np.bincount(line * width + types, minlength=lines * width).reshape(lines, width)
    mean = (np.bincount(line, length, lines) / np.maximum(1, by_type.sum(axis=1)))[line]
    near = 0.5 - np.minimum(1.0, np.abs(length - mean) / np.maximum(1e-9, mean))
    same = np.where(types == by_type.argmax(axis=1)[line], 1.0, -1.0)
    near_sum, same_sum = (
        np.bincount(owner, np.bincount(line, told, lines), len(counts)) / np.maximum(1, counts) for told in (near, same)
    )
    return near_sum, same_sum
