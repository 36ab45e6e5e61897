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
from tabellion.model.markup import Candidate, MarkupPage

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Made = TypeVar("Made")

MOST_CELLS = 20_000  # cells of a candidate that are looked at: more rows of the same do not change the judgement


class CandidateView(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The wanted candidates of a page, numbered from 0, and the numbers of their cells in the page."""

    page: MarkupPage
    wanted: NDArray[np.intp]
    at: NDArray[np.intp]  # numbers of the cells
    of: NDArray[np.intp]  # the candidate of each cell

    def __len__(self) -> int:
        return len(self.wanted)

    def once(self, name: str, compute: Callable[[], Made]) -> Made:
        """Compute a thing once for this view."""
        memory: dict[str, Made] = self.__dict__
        try:
            return memory[name]
        except KeyError:
            memory[name] = made = compute()
            return made

    def cells(self, name: str) -> NDArray[Any]:
        """One property of the cells."""
        return self.once(f"cells {name}", lambda: np.asarray(getattr(self.page.cells, name)[self.at]))

    @property
    def candidates(self) -> list[Candidate]:
        return self.once("candidates", lambda: [self.page.candidates[number] for number in self.wanted.tolist()])

    @property
    def kind(self) -> NDArray[np.uint8]:
        return self.once("kind", lambda: tell_kinds(self.cells("text").tolist()))

    @property
    def filled(self) -> Bools:
        """Cells that show something: text, a picture, a field."""

        def compute() -> Bools:
            besides = self.cells("images") + self.cells("forms") + self.cells("nested")
            return np.asarray((self.kind > 0) | (besides > 0))

        return self.once("filled", compute)

    @property
    def spanning(self) -> Bools:
        return self.once("spanning", lambda: (self.cells("row_span") > 1) | (self.cells("column_span") > 1))

    @property
    def heading(self) -> Bools:
        return self.once("heading", lambda: (self.cells("marks") & int(Mark.HEADING)) > 0)

    @property
    def rows(self) -> Ints:
        """How many rows each candidate has."""
        return self.once("rows", lambda: self._sizes("row", "row_span"))

    @property
    def columns(self) -> Ints:
        return self.once("columns", lambda: self._sizes("column", "column_span"))

    def _sizes(self, line: str, span: str) -> Ints:
        ends = self.cells(line) + np.minimum(self.cells(span), 1000)
        return np.maximum.reduceat(ends, self.starts).astype(np.int64)

    @property
    def row_line(self) -> Ints:
        """The number of each cell's first row among the rows of all candidates."""
        return self.once("row line", lambda: _offsets(self.rows)[self.of] + self.cells("row"))

    @property
    def column_line(self) -> Ints:
        return self.once("column line", lambda: _offsets(self.columns)[self.of] + self.cells("column"))

    @property
    def row_owner(self) -> Ints:
        """The candidate of each row."""
        return self.once("row owner", lambda: np.repeat(np.arange(len(self)), self.rows))

    @property
    def column_owner(self) -> Ints:
        return self.once("column owner", lambda: np.repeat(np.arange(len(self)), self.columns))

    @property
    def starts(self) -> NDArray[np.intp]:
        """The first cell of each candidate; every one has some."""
        return self.once("starts", lambda: np.flatnonzero(np.diff(self.of, prepend=-1)))

    @property
    def count(self) -> Floats:
        return self.once("count", lambda: np.bincount(self.of, minlength=len(self)).astype(np.float64))

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
    sizes = np.array([min(each.last - each.first, MOST_CELLS) for each in chosen], dtype=np.intp)
    firsts = np.array([each.first for each in chosen], dtype=np.intp)
    of = np.repeat(np.arange(len(chosen)), sizes)
    within = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return CandidateView(page, np.array(wanted, dtype=np.intp), np.repeat(firsts, sizes) + within, of)


def _sums(groups: Ints, values: NDArray[Any], count: int) -> Floats:
    return np.bincount(groups, weights=values, minlength=count).astype(np.float64, copy=False)


def _offsets(sizes: Ints) -> Ints:
    return np.asarray(np.cumsum(sizes) - sizes)
