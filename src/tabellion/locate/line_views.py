"""Rows and columns of candidates seen as lines: how alike the cells of each line are, and how its first cells differ.

In: a `CandidateView`. Out: sums over lines, for the features of genuine tables. Rows that hold nothing, and rows with
one cell over the full width (titles, notes), are no lines here.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import Bools, CandidateView, Floats, Ints
from tabellion.locate.cell_kinds import Kind

KINDS = len(Kind)
_BEYOND = 2**30  # more rows than any table has
CONTENTS = KINDS + 3  # the kinds of text; links, pictures and fields of forms besides


class LineViews(msgspec.Struct, frozen=True, eq=False):
    """What the features of lines need: which cells count, their contents, and which row and column come first."""

    view: CandidateView
    counts: Bools  # cells that show something and do not take the full width
    content: NDArray[np.int64]
    first_row: Ints  # of each candidate: the first row with two or more cells that count
    first_column: Ints

    @property
    def in_first_row(self) -> Bools:
        return self.view.once("in first row", lambda: self.view.cells("row") == self.first_row[self.view.of])

    @property
    def in_first_column(self) -> Bools:
        return self.view.once("in first column", lambda: self.view.cells("column") == self.first_column[self.view.of])

    @property
    def top(self) -> Bools:
        """Cells that count in the first row."""
        return self.view.once("top", lambda: self.counts & self.in_first_row)

    @property
    def below(self) -> Bools:
        """Cells that count below the first row."""
        return self.view.once("below", lambda: self.counts & ~self.in_first_row)

    @property
    def left(self) -> Bools:
        """Cells that count in the first column."""
        return self.view.once("left", lambda: self.counts & self.in_first_column)

    @property
    def beside(self) -> Bools:
        """Cells that count beside the first column."""
        return self.view.once("beside", lambda: self.counts & ~self.in_first_column)

    def agreement(self, line: Ints, owner: Ints, among: Bools) -> Floats:
        """How large the share of the commonest content is in a line of two or more cells; mean over all lines."""
        table = np.bincount(line[among] * CONTENTS + self.content[among], minlength=len(owner) * CONTENTS)
        table = table.reshape(len(owner), CONTENTS)
        total = table.sum(axis=1)
        long = total > 1
        weights = np.sqrt(total) * long
        share = table.max(axis=1) / np.maximum(1, total)
        summed = np.bincount(owner, weights=share * weights, minlength=len(self.view))
        return summed / np.maximum(1e-9, np.bincount(owner, weights=weights, minlength=len(self.view)))

    def mostly(self, line: Ints, owner: Ints, among: Bools, wanted: Bools) -> Floats:
        """The share of lines of two or more cells in which most cells are wanted ones."""
        total = np.bincount(line[among], minlength=len(owner))
        hits = np.bincount(line[among & wanted], minlength=len(owner))
        long = total > 1
        some = np.maximum(1, np.bincount(owner, weights=long, minlength=len(self.view)))
        return np.bincount(owner, weights=(hits > 0.6 * total) & long, minlength=len(self.view)) / some

    def spread(self, line: Ints, owner: Ints, among: Bools) -> Floats:
        """How much the lengths within a line vary beside their mean; mean over all lines."""
        length = self.view.cells("length")[among].astype(np.float64)
        at = line[among]
        total = np.maximum(1, np.bincount(at, minlength=len(owner)))
        mean = np.bincount(at, weights=length, minlength=len(owner)) / total
        square = np.bincount(at, weights=length * length, minlength=len(owner)) / total
        deviation = np.sqrt(np.maximum(0, square - mean * mean)) / (mean + 3)
        long = (np.bincount(at, minlength=len(owner)) > 1).astype(np.float64)
        some = np.maximum(1, np.bincount(owner, weights=long, minlength=len(self.view)))
        return np.bincount(owner, weights=deviation * long, minlength=len(self.view)) / some


def view_lines(view: CandidateView) -> LineViews:
    """The lines of all candidates of a view."""
    wide = view.cells("column_span") >= np.maximum(2, view.columns[view.of])
    counts: Bools = view.filled & ~wide
    content = view.kind.astype(np.int64)
    linked = view.cells("linked") * 2 > view.cells("length")
    content = np.where(linked & (view.cells("length") > 0), KINDS, content)
    content = np.where((view.cells("images") > 0) & (view.cells("length") == 0), KINDS + 1, content)
    content = np.where(view.cells("forms") > 0, KINDS + 2, content)
    pairs = np.bincount(view.row_line[counts], minlength=len(view.row_owner))[view.row_line] > 1
    return LineViews(
        view,
        counts,
        content,
        _least(view, view.cells("row"), counts & pairs),
        _least(view, view.cells("column"), counts),
    )


def _least(view: CandidateView, values: NDArray[np.int32], among: Bools) -> Ints:
    least = np.minimum.reduceat(np.where(among, values, _BEYOND), view.starts)
    return np.where(least == _BEYOND, 0, least).astype(np.int64)
