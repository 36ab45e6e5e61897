"""Rows and columns of candidates seen as lines: how alike the cells of each line are, and how its first cells differ.

In: a `CandidateView`. Out: sums over lines, for the features of genuine tables. Rows that hold nothing, and rows with
one cell over the full width (titles, notes), are no lines here.
"""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import Bools, CandidateView, Floats, Ints
from tabellion.locate.cell_kinds import Kind

Axis = Literal["row", "column"]
Part = Literal["counts", "top", "below", "left", "beside"]
KINDS = len(Kind)
_BEYOND = 2**30  # more rows than any table has
CONTENTS = KINDS + 3  # the kinds of text; links, pictures and fields of forms besides


class _Lines(msgspec.Struct, frozen=True, eq=False):
    """The cells of a part by the lines that they are in."""

    among: Bools
    at: Ints  # the line of each of the cells
    owner: Ints  # the candidate of each line
    total: Ints  # how many of the cells each line has
    long: Bools  # the lines of two or more of them
    longs: Floats  # how many of those each candidate has, at least one


class LineViews(msgspec.Struct, frozen=True, eq=False):
    """What the features of lines need: which cells count, their contents, and which of them are in first lines.

    The first row of a candidate is the first with two or more cells that count; the first column has one.
    """

    view: CandidateView
    content: Ints
    counts: Bools  # cells that show something and do not take the full width
    in_first_column: Bools
    top: Bools  # cells that count in the first row
    below: Bools
    left: Bools  # cells that count in the first column
    beside: Bools

    def _lines(self, axis: Axis, part: Part) -> _Lines:
        def compute() -> _Lines:
            view, among = self.view, getattr(self, part)
            is_row = axis == "row"
            line, owner = (view.row_line, view.row_owner) if is_row else (view.column_line, view.column_owner)
            at = line[among]
            total = np.bincount(at, minlength=len(owner))
            long = total > 1
            return _Lines(among, at, owner, total, long, np.maximum(1, np.bincount(owner, long, len(view))))

        return self.view.once(f"{axis} {part}", compute)

    def agreement(self, axis: Axis, part: Part) -> Floats:
        """How large the share of the commonest content is in a line of two or more cells; mean over all lines."""
        lines = self._lines(axis, part)
        size = len(lines.owner)
        table = np.bincount(lines.at * CONTENTS + self.content[lines.among], minlength=size * CONTENTS)
        weights = np.sqrt(lines.total) * lines.long
        share = table.reshape(size, CONTENTS).max(axis=1) / np.maximum(1, lines.total)
        summed = np.bincount(lines.owner, share * weights, len(self.view))
        return summed / np.maximum(1e-9, np.bincount(lines.owner, weights, len(self.view)))

    def mostly(self, axis: Axis, part: Part, wanted: Bools) -> Floats:
        """The share of lines of two or more cells in which most cells are wanted ones."""
        lines = self._lines(axis, part)
        hits = np.bincount(lines.at[wanted[lines.among]], minlength=len(lines.owner))
        return np.bincount(lines.owner, (hits > 0.6 * lines.total) & lines.long, len(self.view)) / lines.longs

    def spread(self, axis: Axis, part: Part) -> Floats:
        """How much the lengths within a line vary beside their mean; mean over all lines."""
        lines = self._lines(axis, part)
        length = self.view.cells.length[lines.among].astype(np.float64)
        total = np.maximum(1, lines.total)
        mean = np.bincount(lines.at, length, len(lines.owner)) / total
        square = np.bincount(lines.at, length * length, len(lines.owner)) / total
        deviation = np.sqrt(np.maximum(0, square - mean * mean)) / (mean + 3)
        return np.bincount(lines.owner, deviation * lines.long, len(self.view)) / lines.longs


def view_lines(view: CandidateView) -> LineViews:
    """The lines of all candidates of a view."""
    wide = view.cells.column_span >= np.maximum(2, view.columns)[view.of]
    counts: Bools = view.filled & ~wide
    length = view.cells.length
    content = view.kind.astype(np.int64)
    content[(view.cells.linked * 2 > length) & (length > 0)] = KINDS
    content[(view.cells.images > 0) & (length == 0)] = KINDS + 1
    content[view.cells.forms > 0] = KINDS + 2
    pairs = np.bincount(view.row_line[counts], minlength=len(view.row_owner))[view.row_line] > 1
    in_first_row = view.cells.row == _least(view, view.cells.row, counts & pairs)
    in_first_column = view.cells.column == _least(view, view.cells.column, counts)
    return LineViews(
        view=view,
        content=content,
        counts=counts,
        in_first_column=in_first_column,
        top=counts & in_first_row,
        below=counts & ~in_first_row,
        left=counts & in_first_column,
        beside=counts & ~in_first_column,
    )


def _least(view: CandidateView, values: NDArray[np.int32], among: Bools) -> Ints:
    """For each cell the least value among some cells of its candidate."""
    least = np.minimum.reduceat(np.where(among, values, _BEYOND), view.starts)
    least[least == _BEYOND] = 0
    return np.asarray(least[view.of])
