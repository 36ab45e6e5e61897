"""The filled rows of a grid as plain arrays, from which all features of rows are computed.

In: a `Grid`. Out: a `RowView`, one entry per row that holds something and one column per column that does. Which
columns carry values is only guessed here, from the kinds of cells; a sheet of text alone has none.

Arrays with one entry per row: shares, distances to other rows, what neighbours have.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from tabellion.model.document import Mark
from tabellion.model.grid import EMPTY, LINK, MISSING, NUMBER, TEXT, Grid
from tabellion.values.date import may_be_years

Column = NDArray[np.float64]
"""One number per row."""

FAR = 12  # distances in rows are told apart up to that


def column(numbers: ArrayLike) -> Column:
    return np.asarray(numbers, dtype=np.float64)


def share(part: NDArray[Any], whole: NDArray[Any] | int) -> Column:
    """A ratio in tenths."""
    return column((10 * part / np.maximum(1, whole)).round())


def at_most(numbers: NDArray[Any], most: float) -> Column:
    return column(np.minimum(numbers, most))


def clipped(numbers: NDArray[Any], most: float) -> Column:
    return column(np.clip(numbers, -most, most))


def next_true(flags: NDArray[np.bool_]) -> Column:
    """How many rows further the next flagged row is; FAR + 1 where there is none within reach.

    >>> next_true(np.array([False, True, False, True, False])).tolist()
    [1.0, 2.0, 1.0, 13.0, 13.0]
    """
    count = len(flags)
    beyond = 2 * count + FAR + 1
    nearest = np.minimum.accumulate(np.where(flags, np.arange(count), beyond)[::-1])[::-1]
    return at_most(np.append(nearest[1:], beyond) - np.arange(count), FAR + 1)


def last_true(flags: NDArray[np.bool_]) -> Column:
    """How many rows back the last flagged row is; FAR + 1 where there is none within reach."""
    return next_true(flags[::-1])[::-1]


def shifted(cells: NDArray[Any], offset: int, beyond: float = -1) -> NDArray[np.float64]:
    """What the row `offset` further has; `beyond` where there is no such row.

    >>> shifted(np.array([1, 2, 3]), 1).tolist(), shifted(np.array([1, 2, 3]), -1).tolist()
    ([2.0, 3.0, -1.0], [-1.0, 1.0, 2.0])
    """
    result = np.full(cells.shape, beyond, dtype=np.float64)
    if abs(offset) < len(cells):
        if offset > 0:
            result[:-offset] = cells[offset:]
        else:
            result[-offset:] = cells[:offset]
    return result


def run_lengths(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each flagged row how many flagged rows stand together with it; nought for the others.

    >>> run_lengths(np.array([True, True, False, True])).tolist()
    [2, 2, 0, 1]
    """
    starts = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=-1))
    lengths = np.diff(np.append(starts, len(flags)))
    return np.where(flags, np.repeat(lengths, lengths), 0)


Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Made = TypeVar("Made")

STUB_YEARS = 0.7  # a leading column with that share of years holds no values
HALF = 0.5
MOSTLY, FEW = 0.6, 0.3  # of a row's numbers; of a sheet's rows
COUNTED = 3  # numbers in a row that may be column numbers


class RowView(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Rows × columns of a grid that hold something; blank ones are left out, `gap` says where."""

    grid: Grid
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, cells: NDArray[Any]) -> NDArray[Any]:
        """The part of an array of the grid's cells that this view shows."""
        return np.asarray(cells[np.ix_(self.rows, self.columns)])

    def once(self, name: str, compute: Callable[[], Made]) -> Made:
        """Compute a thing once for this view."""
        memory: dict[str, Made] = self.__dict__
        if name not in memory:
            memory[name] = compute()
        return memory[name]

    def look(self, name: str) -> NDArray[Any]:
        """One property of the style of every cell."""
        return self.once(f"look {name}", lambda: self.grid.by_style(name)[self.style])

    @property
    def style(self) -> NDArray[np.int32]:
        return self.once("style", lambda: self.of(self.grid.style))

    @property
    def content(self) -> NDArray[np.uint8]:
        return self.once("content", lambda: self.of(self.grid.content))

    @property
    def filled(self) -> Bools:
        return self.once("filled", lambda: self.content != EMPTY)

    @property
    def held(self) -> Ints:
        """How many cells of each row are filled."""
        return self.once("held", lambda: self.filled.sum(axis=1))

    @property
    def number(self) -> Bools:
        return self.once("number", lambda: self.content == NUMBER)

    @property
    def text(self) -> Bools:
        return self.once("text", lambda: (self.content == TEXT) | (self.content == LINK))

    @property
    def missing(self) -> Bools:
        return self.once("missing", lambda: self.content == MISSING)

    @property
    def amount(self) -> Floats:
        """The numbers; NaN where a cell holds none."""
        return self.once("amount", lambda: np.where(self.number, self.of(self.grid.number), np.nan))

    @property
    def year(self) -> Bools:
        """Numbers that may be years."""
        return self.once("year", lambda: may_be_years(self.amount))

    @property
    def added_up(self) -> Bools:
        """Rows whose numbers are mostly formulas that add up others, in a sheet where few rows are such."""

        def compute() -> Bools:
            formulas = (self.number & ((self.of(self.grid.marks) & Mark.AGGREGATE) != 0)).sum(axis=1)
            found = np.asarray((formulas > 0) & (formulas >= MOSTLY * self.number.sum(axis=1)))
            return np.asarray(found & (found.mean() < FEW))

        return self.once("added up", compute)

    @property
    def indent(self) -> Floats:
        """The indent of the first filled cell of each row."""
        return self.once("indent", lambda: self.first_of(self.of(self.grid.indent)).astype(np.float64))

    @property
    def first(self) -> NDArray[np.intp]:
        """The column of the first filled cell of each row."""
        return self.once("first", lambda: self.filled.argmax(axis=1))

    @property
    def last(self) -> NDArray[np.intp]:
        """The column of the last filled cell of each row."""
        return self.once("last", lambda: self.filled.shape[1] - 1 - self.filled[:, ::-1].argmax(axis=1))

    def first_of(self, cells: NDArray[Any]) -> NDArray[Any]:
        """For each row what an array says of its first filled cell."""
        return np.asarray(cells[np.arange(len(self)), self.first])

    @property
    def first_texts(self) -> list[str]:
        """The first text of each row."""
        return self.once("first texts", lambda: self.first_of(self.of(self.grid.text)).tolist())

    @property
    def first_labels(self) -> list[str]:
        """The same without leaders and note marks."""
        return self.once("first labels", lambda: self.first_of(self.of(self.grid.label)).tolist())

    @property
    def look_number(self) -> Floats:
        """A number for the look of the first cell: weight, slant, size, alignment, colours and indent."""

        def compute() -> Floats:
            seen: dict[tuple[object, ...], int] = {}
            looks = [(s.bold, s.italic, s.underline, s.size, s.align, s.colour, s.fill) for s in self.grid.styles]
            numbers = np.array([seen.setdefault(look, len(seen)) for look in looks])
            return np.asarray(numbers[self.first_of(self.style)] * 1000 + np.minimum(999, 2 * self.indent))

        return self.once("look number", compute)

    @property
    def look_kind(self) -> NDArray[np.intp]:
        """The same as numbers from nought on."""
        return self.once("look kind", lambda: np.unique(self.look_number, return_inverse=True)[1])

    @property
    def stub_only(self) -> Bools:
        """Rows that fill nothing from the first value column on."""

        def compute() -> Bools:
            columns = np.flatnonzero(self.value_columns)
            return np.asarray(self.last < (columns[0] if len(columns) else 1))

        return self.once("stub only", compute)

    @property
    def gap(self) -> Ints:
        """Blank rows of the source before each row; nought for the first."""

        def compute() -> Ints:
            filled = np.flatnonzero(self.grid.filled.any(axis=1))
            at = self.grid.row_of[filled].astype(np.int64)
            gaps = np.diff(at, prepend=at[:1] - 1) - 1
            return np.asarray(gaps[np.searchsorted(filled, self.rows)])

        return self.once("gap", compute)

    @property
    def value_columns(self) -> Bools:
        """Columns that hold numbers, not the stub: from the first one on in which most rows with numbers have one."""

        def compute() -> Bools:
            some = self.number.any(axis=1)
            told = (self.number | self.missing)[some].sum(axis=0)
            filled = np.maximum(1, self.filled[some].sum(axis=0))
            years = self.year[some].sum(axis=0)
            holds: Bools = np.asarray(told > HALF * filled)
            stub_years = np.asarray(years > STUB_YEARS * filled)
            leading = np.cumsum(holds & ~stub_years) == 0
            return np.asarray(holds & ~(leading & stub_years))

        return self.once("value columns", compute)

    @property
    def value(self) -> Bools:
        """Numbers and missing marks outside the stub."""
        return self.once("value", lambda: (self.number | self.missing) & self.value_columns)

    @property
    def counting(self) -> Bools:
        """Rows that number the columns: three numbers or more, each one more than the last."""

        def compute() -> Bools:
            numbers = self.number.sum(axis=1)
            last = np.where(self.number, self.amount, -np.inf)
            reached = np.maximum.accumulate(last, axis=1)
            steps = self.number[:, 1:] & (self.amount[:, 1:] == reached[:, :-1] + 1)
            return np.asarray((numbers >= COUNTED) & (steps.sum(axis=1) == numbers - 1))

        return self.once("counting", compute)

    @property
    def valued(self) -> Bools:
        """Rows with numbers outside the stub; years alone or column numbers only below others: above they are heads."""

        def compute() -> Bools:
            numbers = self.number & self.value_columns
            plain = (numbers & ~self.year).any(axis=1) & ~self.counting
            return np.asarray(plain | (numbers.any(axis=1) & np.logical_or.accumulate(plain)))

        return self.once("valued", compute)

    @property
    def spans(self) -> NDArray[np.int32]:
        """Spans by row: (n, 4) of view row, column, rows, columns of the grid; those that start in a filled row."""

        def compute() -> NDArray[np.int32]:
            at = np.full(self.grid.shape[0], -1)
            at[self.rows] = np.arange(len(self))
            spans = self.grid.spans.copy()
            spans[:, 0] = at[spans[:, 0]]
            return spans[spans[:, 0] >= 0]

        return self.once("spans", compute)


def view_rows(grid: Grid) -> RowView:
    """The filled rows and columns of a grid."""
    filled = grid.filled
    return RowView(grid, np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0)))


LONG = 20_000  # filled rows from which on the inside of a relation is not looked at row by row
ENDS = 1000  # rows at both ends that are
ROUND = 3  # rows around one that is unlike the others
COMMON = 0.005  # share of the rows that are of one kind from which on it is common
RELATION = 0.98  # share of the rows that are of common kinds in a relation


def without_likes(view: RowView) -> RowView:
    """Of a long relation the rows at both ends, and those inside that are unlike their fellows, with their neighbours.

    Rows are alike that hold the same kinds of cells in the same columns. A long sheet with rows between that are unlike
    (groups, blank lines) is looked at as a whole.
    """
    count = len(view)
    if count <= LONG:
        return view
    code = np.zeros(count, dtype=np.uint64)
    for kinds in view.content.T:
        code = code * np.uint64(31) + kinds
    _, kind, counts = np.unique(code, return_inverse=True, return_counts=True)
    likes = counts[kind.ravel()] >= COMMON * count
    usual = likes & (view.gap == 0) & (view.filled.sum(axis=1) > 1)
    if usual.mean() < RELATION:
        return view
    odd = ~usual
    odd[:ENDS] = odd[-ENDS:] = True
    near = np.convolve(odd, np.ones(2 * ROUND + 1), mode="same") > 0
    return RowView(view.grid, view.rows[near], view.columns)
