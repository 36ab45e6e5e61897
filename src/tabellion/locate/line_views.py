"""Rows and columns of candidates seen as lines: how alike the cells of each line are, and how its first cells differ.

In: a `CandidateView`. Out: sums over lines, for the features of genuine tables. Rows that hold nothing, and rows with
one cell over the full width (titles, notes), are no lines here.
"""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import Bools, CandidateView, Floats, Ints
from tabellion.locate.cell_kinds import Kind

KINDS = len(Kind)
_BEYOND = 2**30  # more rows than any table has
CONTENTS = KINDS + 3  # the kinds of text; links, pictures and fields of forms besides
COLUMNS_BELOW, ROWS_BESIDE, COLUMNS, ROWS = range(4)
"""The lines that are told of: columns below the first row, rows beside the first column, and all of both."""


class Alike(msgspec.Struct, frozen=True, eq=False):
    """How alike the cells of the lines of each candidate are; the first axis is COLUMNS_BELOW, ROWS_BESIDE, ..."""

    agreement: Floats  # how large the share of the commonest content is in a line of two or more cells, on average
    spread: Floats  # how much the lengths within such a line vary beside their mean, on average
    mostly: Floats  # wanted × ...: the share of such lines in which most cells are wanted ones


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

    def tell_alike(self, wanted: NDArray[np.bool_]) -> Alike:
        """How alike the cells of lines are; `wanted`, sets × cells, are those that `mostly` asks for."""
        view, tables = self.view, len(self.view)
        rows, columns = (view.row_line, view.row_owner), (view.column_line, view.column_owner)
        cells, lines, owners, before = [], [], [], 0
        for place, (part, (line, owner)) in enumerate(
            zip((self.below, self.beside, self.counts, self.counts), (columns, rows, columns, rows), strict=True)
        ):
            cells.append(part.nonzero()[0])
            lines.append(line[cells[-1]] + before)
            owners.append(owner + place * tables)
            before += len(owner)
        cell, at, owner = np.concatenate(cells), np.concatenate(lines), np.concatenate(owners)
        total = np.bincount(at, minlength=before)
        some, long = np.maximum(1, total), total > 1
        weights = np.sqrt(total) * long

        def over_lines(values: NDArray[Any]) -> Floats:
            """The sums over the lines of each candidate."""
            return np.asarray(np.bincount(owner, values, 4 * tables).reshape(4, tables), dtype=np.float64)

        by_content = np.bincount(at * CONTENTS + self.content[cell], minlength=before * CONTENTS)
        common = by_content.reshape(before, CONTENTS).max(axis=1)
        length = view.cells.length[cell].astype(np.float64)
        middle, square = np.bincount(at, length, before) / some, np.bincount(at, length * length, before) / some
        deviation = np.sqrt(np.maximum(0, square - middle * middle)) / (middle + 3)
        hits = [np.bincount(at[each], minlength=before) > 0.6 * total for each in wanted[:, cell]]
        longs = np.maximum(1, over_lines(long))
        return Alike(
            agreement=over_lines(common / some * weights) / np.maximum(1e-9, over_lines(weights)),
            spread=over_lines(deviation * long) / longs,
            mostly=np.array([over_lines(each & long) for each in hits]) / longs,
        )


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
