"""The rows of an Excel 2003 XML worksheet as typed cells.

In: the attributes of columns and rows, and what cells say. Out: the sheet's cells, merges, widths and what is hidden.
Rows, cells and columns follow one another, or say their place (`ss:Index`); a cell that is merged across takes the
places that it covers. Values are typed as those of an xlsx sheet are. Looks of whole rows and columns count for the
cells that are there. Fails beyond the limits on rows, columns and cells, with an error.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime

import numpy as np

from tabellion.model.document import Mark, SheetCells
from tabellion.model.place import Rect
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.merges import BEYOND
from tabellion.read.spreadsheetml_styles import SHEET, WorkbookStyles
from tabellion.read.xlsx_cells import CellTyper, join_cells
from tabellion.read.xlsx_scan import Formula, check_edges
from tabellion.read.xlsx_strings import Text
from tabellion.read.xlsx_styles import real_number
from tabellion.read.xlsx_walk import CELLS_AT_A_TIME, Gathered, whole_number

SHEET_NAME = SHEET[1:]  # expat puts a bracket between namespace and name only
TYPE = SHEET_NAME + "Type"
_INDEX, _SPAN, _HIDDEN, _STYLE = (SHEET_NAME + name for name in ("Index", "Span", "Hidden", "StyleID"))
_ACROSS, _DOWN, _FORMULA, _LINK = (SHEET_NAME + name for name in ("MergeAcross", "MergeDown", "Formula", "HRef"))
_WIDTH, _TOP, _LEFT = (SHEET_NAME + name for name in ("Width", "TopCell", "LeftCell"))
_ON = ("1", "true", "True")
_KINDS = {"Number": "n", "DateTime": "d", "Boolean": "b", "Error": "e"}
_TIME = "1899-12-31T"  # the day that Excel gives to a time without one
_REFERENCE = re.compile(r"\bR(?:\[-?\d+\]|\d+)?C(?:\[-?\d+\]|\d+)?(?![\w(])")
_LONGEST_FORMULA = 8192
_LINKED = np.uint8(Mark.LINK)

Attributes = dict[str, str]


class SheetReader(Gathered):
    """Collects the columns, rows and cells of one worksheet in the order of the file."""

    def __init__(self, styles: WorkbookStyles, typer: CellTyper, limits: Limits, deadline: Deadline) -> None:
        super().__init__()
        self.typer = typer
        self.merges: list[Rect] = []
        self.hidden = False
        self._styles, self._limits, self._deadline = styles, limits, deadline
        self._typed: list[SheetCells] = []
        self._links: list[int] = []
        self._count = 0
        self._row, self._rows, self._first, self._column = 0, 1, 0, 0
        self._table_style: str | None = None
        self._row_style: str | None = None
        self._hidden_rows: list[range] = []
        self._columns: list[tuple[range, Attributes]] = []
        self._column_starts: list[int] = []

    def open_table(self, attributes: Attributes) -> None:
        """Begin the table, which may lie off the sheet's first cell."""
        self._row = max(1, whole_number(attributes.get(_TOP), 1)) - 1
        self._first = self._column = max(1, whole_number(attributes.get(_LEFT), 1)) - 1
        self._table_style = attributes.get(_STYLE)

    def add_column(self, attributes: Attributes) -> None:
        """Take in a column definition, which may stand for many."""
        first = max(_place(attributes, self._column), self._column)  # columns stand in order, or are faulty
        self._column = first + 1 + max(0, whole_number(attributes.get(_SPAN), 0))
        self._columns.append((range(first, self._column), attributes))
        self._column_starts.append(first)

    def open_row(self, attributes: Attributes) -> None:
        """Begin a row, which may stand for many."""
        self._row = _place(attributes, self._row)
        self._rows = 1 + max(0, whole_number(attributes.get(_SPAN), 0))
        self._column = self._first
        self._row_style = attributes.get(_STYLE)
        if attributes.get(_HIDDEN) in _ON:
            first = max(self._row, self._hidden_rows[-1].stop) if self._hidden_rows else self._row
            self._hidden_rows.append(range(first, self._row + self._rows))

    def close_row(self) -> None:
        """End the row."""
        self._row += self._rows

    def add_cell(self, attributes: Attributes, kind: str | None, said: Text) -> None:
        """Take in a cell with what it says."""
        row, column = self._row, _place(attributes, self._column)
        self._column = column + 1
        if _ACROSS in attributes or _DOWN in attributes:
            across, down = (max(0, whole_number(attributes.get(key), 0)) for key in (_ACROSS, _DOWN))
            self.merges.append(Rect(row, column, row + down, column + across))
            self._column += across
        check_edges(row + 1, column + 1, self._limits.rows, self._limits.columns)
        at = len(self.row)
        value, code = said.text, _KINDS.get(kind or "", "str" if kind or said.text else "n")
        if code == "d" and value.startswith(_TIME):
            value, code = _time(value), "n"
        formula = attributes.get(_FORMULA)
        if formula:
            self.formula[at] = Formula(_REFERENCE.sub("A1", formula[:_LONGEST_FORMULA].lstrip("=")), None)
        if attributes.get(_LINK):
            self._links.append(at)
        if said.bold:
            self.inline[at] = said
        name = attributes.get(_STYLE) or self._row_style or self._style_of_column(column) or self._table_style
        self.row.append(row)
        self.column.append(column)
        self.style.append(self._styles.number_of(name))
        self.kind.append(code)
        self.value.append(value)
        if at + 1 >= CELLS_AT_A_TIME:
            self._type_cells()

    def _style_of_column(self, column: int) -> str | None:
        at = bisect_right(self._column_starts, column) - 1
        return self._columns[at][1].get(_STYLE) if at >= 0 and column in self._columns[at][0] else None

    def _type_cells(self) -> None:
        self._deadline.check()
        raw = self.taken()
        self._count += len(raw.row)
        check_count(self._count, self._limits.cells, "cells", "cells")
        typed = self.typer.typed(raw)
        typed.marks[self._links] |= _LINKED
        self._links = []
        self._typed.append(typed)

    def cells(self) -> SheetCells:
        """All cells, in row order."""
        self._type_cells()
        return join_cells(self._typed)

    def hidden_rows_of(self, cells: SheetCells) -> frozenset[int]:
        """The hidden rows as far as values reach."""
        end = int(cells.row.max()) + 1 if len(cells) else 0
        return frozenset(row for run in self._hidden_rows for row in range(run.start, min(run.stop, end)))

    def columns_of(self, cells: SheetCells) -> tuple[dict[int, float], frozenset[int]]:
        """Widths in letters, as Excel counts them, and the hidden columns, as far as there is something to see."""
        end = (int(cells.column.max()) if len(cells) else 0) + BEYOND
        widths: dict[int, float] = {}
        hidden: set[int] = set()
        for columns, attributes in self._columns:
            span = range(columns.start, min(columns.stop, end))
            points = real_number(attributes.get(_WIDTH), 0.0)
            if points:
                widths |= dict.fromkeys(span, max(0.0, (points / 0.75 - 5) / 7))
            if attributes.get(_HIDDEN) in _ON:
                hidden.update(span)
        return widths, frozenset(hidden)


def _place(attributes: Attributes, following: int) -> int:
    """Where a row, column or cell stands, from 0: after the one before where it does not say."""
    said = whole_number(attributes.get(_INDEX), 0)
    return said - 1 if said > 0 else following


def _time(value: str) -> str:
    """A time of day as the share of a day, which is how sheets keep it."""
    try:
        moment = datetime.fromisoformat(value.removesuffix("Z")).replace(tzinfo=None)
    except ValueError:
        return value
    return repr((moment - datetime(1899, 12, 31)).total_seconds() / 86400)
