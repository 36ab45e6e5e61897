"""A grid of styled cells: what recognising makes of a region, whatever the medium; and words for what its parts are.

Columnar, since a sheet can have a million cells: one numpy array per property, a small table of distinct styles, and
`cell(row, column)` as a view made on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time, timedelta
from enum import IntEnum
from typing import Any, Literal, TypeVar, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark, Medium
from tabellion.model.place import Issue, Place, Rect, address
from tabellion.model.stated import UNMARKED, SheetMarks, StatedTable
from tabellion.model.style import Style

RowRole = Literal["title", "header", "data", "group", "derived", "note", "blank"]
ROW_ROLES: tuple[RowRole, ...] = get_args(RowRole)
ColumnRole = Literal["stub", "value"]
CellRole = Literal["title", "header", "stub", "group", "value", "derived", "note", "other"]
Orientation = Literal["column", "row", "row-column", "multiple", "none"]
SheetKind = Literal["data frame", "relation", "form", "list", "diagram", "other"]


Made = TypeVar("Made")


class Content(IntEnum):
    """What a cell says, however it is stored: "1,234" stored as text is a NUMBER."""

    EMPTY = 0
    TEXT = 1
    NUMBER = 2
    DATE = 3
    MISSING = 4  # a mark that stands for a missing value: "NA", "(X)", "..", "–"
    LINK = 5
    IMAGE = 6
    FORM = 7


EMPTY, TEXT, NUMBER, DATE, MISSING, LINK = map(int, list(Content)[:6])
"""The members as plain numbers: numpy compares with an enumeration's members five times as slowly."""

_LASTING = frozenset(("home", "covered", "span_at"))  # what is known of a grid whatever its cells say


class Cell(msgspec.Struct, frozen=True):
    """One cell of a grid, made on demand."""

    row: int
    column: int
    text: str
    content: Content
    number: float
    style: Style
    marks: Mark
    row_span: int = 1
    column_span: int = 1


def iso_date(serial: float) -> str:
    """An Excel serial day (1900 epoch) as an ISO date, with the time where there is one.

    >>> iso_date(45000)
    '2023-03-15'
    """
    moment = datetime(1899, 12, 30) + timedelta(days=serial)
    if moment.time() == time():
        return moment.date().isoformat()
    return moment.time().isoformat("seconds") if serial < 1 else moment.isoformat(timespec="seconds")


class GridPart(msgspec.Struct, frozen=True):
    """One place of a table that goes on over several pages, and the rows that stand there, both ends included."""

    place: Place
    rows: tuple[int, int]


class Grid(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Rows and columns of cells with spans.

    `text` is empty for cells covered by a span: the span's first cell speaks for all (`home`).
    `row_of` and `column_of` give the source's own indices (a sheet's), so that long empty runs
    need not be held. `indent` is the one number of DESIGN: style indent, leading blanks, dots
    and dashes together. `label` is the text as a label: trimmed of those leaders and note marks.
    """

    text: NDArray[np.object_]
    label: NDArray[np.object_]
    content: NDArray[np.uint8]
    number: NDArray[np.float64]
    style: NDArray[np.int32]
    indent: NDArray[np.float32]
    marks: NDArray[np.uint8]
    notes: dict[int, tuple[str, ...]]  # flat cell index -> note marks found in the text
    spans: NDArray[np.int32]  # (n, 4): row, column, row span, column span
    styles: tuple[Style, ...]
    row_of: NDArray[np.int32]
    column_of: NDArray[np.int32]
    hidden_rows: NDArray[np.bool_]
    hidden_columns: NDArray[np.bool_]
    place: Place
    medium: Medium = "spreadsheet"
    caption: str | None = None  # what the source calls the table, outside its cells
    found: str | None = None  # how a table of a web page was found: table, aria, definitions, preformatted, boxes
    stated: tuple[StatedTable, ...] = ()  # the tables that the source itself states, in the grid's lines
    marked: SheetMarks = UNMARKED  # areas that a workbook marks, in the grid's lines
    declared_headers: tuple[int, int] = (0, 0)  # leading header rows and columns that the source declares
    caption_position: Literal["above", "below"] = "above"
    footnotes: tuple[str, ...] = ()  # below the table, outside its cells
    issues: tuple[Issue, ...] = ()
    boxes: NDArray[np.float32] | None = None  # (rows, columns, 4): where each cell's text is printed; NaN where none is
    page_columns: int | None = None  # how many columns the text of its page is set in
    continues: bool = False  # whether it goes on with the grid before it, on the page before
    parts: tuple[GridPart, ...] = ()  # the places of a table that goes on over several pages

    @property
    def undeclared(self) -> bool:
        """Whether no markup says what a cell is: in print, and where a page was read by how it is drawn or set."""
        return self.medium == "pdf" or self.found in ("boxes", "preformatted")

    @property
    def shape(self) -> tuple[int, int]:
        return self.text.shape[0], self.text.shape[1]

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Where there is something to read (covered cells are not filled)."""
        return self._once("filled", lambda: self.content != EMPTY)

    @property
    def said(self) -> NDArray[np.bool_]:
        """Where something is said: what a filled span covers included."""
        return self._once("said", lambda: np.asarray(self.content.ravel()[self.home] != EMPTY))

    @property
    def home(self) -> NDArray[np.int32]:
        """For each cell the flat index of the first cell of its span (its own where it has none)."""

        def compute() -> NDArray[np.int32]:
            rows, columns = self.shape
            home = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
            for row, column, down, across in self.spans.tolist():
                home[row : row + down, column : column + across] = row * columns + column
            return home

        return self._once("home", compute)

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Cells that a span covers and that are not its first."""
        rows, columns = self.shape
        return self._once(
            "covered",
            lambda: self.home != np.arange(rows * columns, dtype=np.int32).reshape(rows, columns),
        )

    @property
    def span_at(self) -> dict[tuple[int, int], tuple[int, int]]:
        """First cell of a span -> (row span, column span)."""
        return self._once("span_at", lambda: {(r, c): (d, a) for r, c, d, a in self.spans.tolist()})

    def by_style(self, name: str) -> NDArray[Any]:
        """One property of each of the distinct styles, as an array."""
        return self._once(f"by style {name}", lambda: np.array([getattr(s, name) for s in self.styles]))

    def look(self, name: str) -> NDArray[Any]:
        """One property of the style of every cell as an array: `grid.look("bold")`."""
        return self._once(f"look {name}", lambda: self.by_style(name)[self.style])

    def cell(self, row: int, column: int) -> Cell:
        down, across = self.span_at.get((row, column), (1, 1))
        return Cell(
            row=row,
            column=column,
            text=self.text[row, column],
            content=Content(int(self.content[row, column])),
            number=float(self.number[row, column]),
            style=self.styles[self.style[row, column]],
            marks=Mark(int(self.marks[row, column])),
            row_span=down,
            column_span=across,
        )

    def value(self, row: int, column: int) -> float | int | str | None:
        """The typed value of a cell: a number, an ISO date, a text, or None where it is missing."""
        content, number = self.content[row, column], float(self.number[row, column])
        if content == Content.NUMBER:
            return int(number) if number.is_integer() and abs(number) < 2**53 else number
        if content == Content.DATE:
            return iso_date(number) if number == number else str(self.text[row, column])
        if content in (Content.EMPTY, Content.MISSING):
            return None
        return str(self.label[row, column])

    def address(self, row: int, column: int) -> str:
        """The cell's A1 address in its source."""
        return address(int(self.row_of[row]), int(self.column_of[column]))

    def source_rect(self, rect: Rect) -> Rect:
        """A rectangle of this grid in the source's own rows and columns."""
        return Rect(
            int(self.row_of[rect.top]),
            int(self.column_of[rect.left]),
            int(self.row_of[rect.bottom]),
            int(self.column_of[rect.right]),
        )

    def blanked(self, outside: NDArray[np.bool_]) -> Grid:
        """The grid with nothing in some cells; rows, columns and looks stay, and what is known of them."""
        made = msgspec.structs.replace(
            self,
            content=np.where(outside, np.uint8(EMPTY), self.content),
            text=np.where(outside, "", self.text),
            label=np.where(outside, "", self.label),
        )
        known = {name: told for name, told in self.__dict__.items() if name in _LASTING or name.startswith("by style")}
        made.__dict__.update(known)
        return made

    def _once(self, name: str, compute: Callable[[], Made]) -> Made:
        memory: dict[str, Made] = self.__dict__
        if name not in memory:
            memory[name] = compute()
        return memory[name]
