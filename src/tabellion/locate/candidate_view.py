"""The candidates of a page as plain arrays, which all features of genuine tables are computed from.

In: a page and which of its candidates are wanted. Out: a `CandidateView`, with lines (rows, columns) numbered over all
wanted candidates, so that one call sums up all rows of all tables. Cells that span several rows count in each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.cell_kinds import tell_kinds
from tabellion.model.document import Mark
from tabellion.model.markup import Candidate, MarkupCells, MarkupPage

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Made = TypeVar("Made")

_HEADING = int(Mark.HEADING)
_WIDEST = 1000  # lines that a span takes at most, here
MOST_CELLS = 20_000  # cells of a candidate that are looked at: more rows of the same do not change the judgement


class CandidateView(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The wanted candidates of a page, numbered from 0; each has some cells."""

    page: MarkupPage
    wanted: list[int]
    of: Ints  # the candidate of each cell
    starts: Ints  # the first cell of each candidate
    count: Floats  # how many cells each has
    cells: MarkupCells  # those of the wanted candidates
    kind: NDArray[np.uint8]
    filled: Bools  # cells that show something: text, a picture, a field
    spanning: Bools
    heading: Bools
    rows: Ints  # how many each candidate has
    columns: Ints
    row_line: Ints  # the number of each cell's first row among the rows of all candidates
    column_line: Ints
    row_owner: Ints  # the candidate of each row
    column_owner: Ints

    def __len__(self) -> int:
        return len(self.wanted)

    @property
    def candidates(self) -> list[Candidate]:
        return [self.page.candidates[number] for number in self.wanted]

    def once(self, name: str, compute: Callable[[], Made]) -> Made:
        """Compute a thing once for this view."""
        memory: dict[str, Made] = self.__dict__
        try:
            return memory[name]
        except KeyError:
            memory[name] = made = compute()
            return made

    def by_row(self, values: NDArray[Any]) -> Floats:
        """The sum over the cells of each row, by the row they begin in."""
        return _sums(self.row_line, values, len(self.row_owner))

    def by_column(self, values: NDArray[Any]) -> Floats:
        return _sums(self.column_line, values, len(self.column_owner))

    def of_rows(self, values: NDArray[Any]) -> Floats:
        """The sum over the rows of each candidate."""
        return _sums(self.row_owner, values, len(self))

    def of_columns(self, values: NDArray[Any]) -> Floats:
        return _sums(self.column_owner, values, len(self))


def view_candidates(page: MarkupPage, wanted: list[int]) -> CandidateView:
    """A view of some candidates of a page."""
    chosen = [page.candidates[number] for number in wanted]
    sizes = np.array([min(each.last - each.first, MOST_CELLS) for each in chosen], dtype=np.int64)
    firsts = np.array([each.first for each in chosen], dtype=np.int64)
    starts = sizes.cumsum() - sizes
    each = np.arange(len(chosen))
    of = np.repeat(each, sizes)
    cells = page.cells.take((firsts - starts)[of] + np.arange(len(of)))
    kind = tell_kinds(cells.text.tolist())
    rows = np.maximum.reduceat(cells.row + np.minimum(cells.row_span, _WIDEST), starts).astype(np.int64)
    columns = np.maximum.reduceat(cells.column + np.minimum(cells.column_span, _WIDEST), starts).astype(np.int64)
    return CandidateView(
        page=page,
        wanted=wanted,
        of=of,
        starts=starts,
        count=sizes.astype(np.float64),
        cells=cells,
        kind=kind,
        filled=(kind > 0) | (cells.images + cells.forms + cells.nested > 0),
        spanning=(cells.row_span > 1) | (cells.column_span > 1),
        heading=(cells.marks & _HEADING) > 0,
        rows=rows,
        columns=columns,
        row_line=(rows.cumsum() - rows)[of] + cells.row,
        column_line=(columns.cumsum() - columns)[of] + cells.column,
        row_owner=np.repeat(each, rows),
        column_owner=np.repeat(each, columns),
    )


def _sums(groups: Ints, values: NDArray[Any], count: int) -> Floats:
    return np.bincount(groups, weights=values, minlength=count).astype(np.float64, copy=False)
