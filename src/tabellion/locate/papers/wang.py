"""Wang's own features of genuine tables.

The layout and content-type features of genuine tables (Wang, thesis chapter 6, sections 6.3.1 and 6.3.2). In:
candidates. Out: fifteen of the sixteen features; the sixteenth, the word group, is learned from words. A cell counts in
every row and column that it covers, as in the paper's pseudo-rendering; consistency is taken over cells that span
nothing.

The words of candidates, for the word group feature (Wang, section 6.3.3).
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.web.views import CandidateView, Floats, Ints, Kind
from tabellion.model.markup import MarkupPage

_WORD = re.compile(r"[^\W\d_]{2,30}")
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s")
_LEAST_STEM = 3


def count_words(page: MarkupPage, number: int) -> Counter[str]:
    """How often each word stands in a candidate, words of one stem together."""
    candidate = page.candidates[number]
    counts: Counter[str] = Counter()
    for text in page.cells.text[candidate.first : candidate.last].tolist():
        counts.update(stem(word) for word in _WORD.findall(text.lower()))
    return counts


def stem(word: str) -> str:
    """A word without its commonest English endings, a light form of the morphing that the paper uses.

    >>> stem("prices"), stem("listed"), stem("is")
    ('pric', 'list', 'is')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word.removesuffix(ending)
    return word


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
    """One row per candidate, in the order of PAPER_FEATURES."""
    lines = _lines(view)
    mean, deviation = _moments(lines)
    length = view.cells.length.astype(np.float64)
    length_mean, square_mean = np.add.reduceat([length, length * length], view.starts, axis=1) / view.count
    length_deviation = np.sqrt(np.maximum(0, square_mean - length_mean * length_mean))
    types = content_types(view)
    by_type = np.bincount(view.of * len(CONTENT_TYPES) + types, minlength=len(view) * len(CONTENT_TYPES))
    consistency = _consistency(lines, ~view.spanning, length, types).max(axis=1)
    return np.column_stack(
        [
            mean[0],
            deviation[0],
            mean[1],
            deviation[1],
            length_mean,
            length_deviation,
            consistency[0],
            by_type.reshape(len(view), -1) / view.count[:, None],
            consistency[1],
        ]
    )


def tamed(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The signed logarithm of each feature, for classifiers that measure distances: lengths run to thousands."""
    return np.asarray(np.sign(rows) * np.log1p(np.abs(rows)))


def content_types(view: CandidateView) -> NDArray[np.uint8]:
    """The content type of each cell: what it holds besides text first, then what the text is."""
    length = view.cells.length
    types = _TYPE_OF[view.kind]
    types[view.cells.linked * 2 > length] = HYPERLINK
    types[(view.cells.images > 0) & (length == 0)] = IMAGE
    types[view.cells.forms > 0] = FORM
    return types


class _Lines(msgspec.Struct, frozen=True, eq=False):
    """The rows of all candidates, and after them the columns."""

    line: Ints  # the row of each cell, then the column of each
    span: Ints  # how many rows, then columns, each takes
    owner: Ints  # the candidate of each row; that of each column, counted on from the last one
    counts: Ints  # how many rows, then columns, each candidate has


def _lines(view: CandidateView) -> _Lines:
    return _Lines(
        line=np.append(view.row_line, view.column_line + len(view.row_owner)),
        span=np.minimum(np.append(view.cells.row_span, view.cells.column_span), 1000),
        owner=np.append(view.row_owner, view.column_owner + len(view)),
        counts=np.maximum(1, np.append(view.rows, view.columns)),
    )


def _moments(lines: _Lines) -> tuple[Floats, Floats]:
    """Of how many cells cover a line: the means over the rows and over the columns of each candidate; deviations."""
    size = len(lines.owner) + 1
    change = np.bincount(lines.line, minlength=size) - np.bincount(lines.line + lines.span, minlength=size)
    covering = change.cumsum()[:-1].astype(np.float64)
    mean = np.bincount(lines.owner, covering, len(lines.counts)) / lines.counts
    spread = np.bincount(lines.owner, (covering - mean[lines.owner]) ** 2, len(lines.counts)) / lines.counts
    return mean.reshape(2, -1), np.sqrt(spread).reshape(2, -1)


def _consistency(lines: _Lines, single: NDArray[np.bool_], length: Floats, types: NDArray[np.uint8]) -> Floats:
    """How consistent lengths, and content types, are: means over the rows and over the columns of each candidate.

    Of lengths, each cell adds 0.5 less the distance of its length from the mean of its line, at most 1 (section 6.3.1).
    Of content types, each adds 1 where it has the dominant type of its line, else -1 (section 6.3.2).
    """
    line = lines.line.reshape(2, -1)[:, single].ravel()
    length, types = np.tile(length[single], 2), np.tile(types[single], 2)
    size, width = len(lines.owner), len(CONTENT_TYPES)
    by_type = np.bincount(line * width + types, minlength=size * width).reshape(size, width)
    mean = (np.bincount(line, length, size) / np.maximum(1, by_type.sum(axis=1)))[line]
    near = 0.5 - np.minimum(1.0, np.abs(length - mean) / np.maximum(1e-9, mean))
    same = np.where(types == by_type.argmax(axis=1)[line], 1.0, -1.0)
    sums = [np.bincount(lines.owner, np.bincount(line, told, size), len(lines.counts)) for told in (near, same)]
    return (np.array(sums) / lines.counts).reshape(2, 2, -1)
