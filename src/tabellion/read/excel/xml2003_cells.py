"""The rows and the looks of an Excel 2003 XML worksheet.

In: the attributes of columns and rows, and what cells say. Out: the sheet's cells, merges, widths and what is hidden.
Rows, cells and columns follow one another, or say their place (`ss:Index`); a cell that is merged across takes the
places that it covers. Values are typed as those of an xlsx sheet are. Looks of whole rows and columns count for the
cells that are there. Fails beyond the limits on rows, columns and cells, with an error.

The looks of an Excel 2003 XML workbook: its `Styles` as `Style`s, by their IDs. In: the element `Styles`. Out: looks
and number formats. A style takes the parts that it does not set (font, fill, borders, alignment, number format) from
its parent, that from its own, and all from the style `Default`; a part that is set replaces the whole of the inherited
one, as Excel writes it. A chain of parents that leads back to itself is cut. Fails on patterns, which count by their
colour alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime

import numpy as np
from lxml import etree

from tabellion.model.document import Mark, SheetCells
from tabellion.model.place import Rect
from tabellion.model.style import Style
from tabellion.read.excel.xlsx_cells import CellTyper, join_cells
from tabellion.read.excel.xlsx_parts import DEEPEST_INDENT, Text, real_number
from tabellion.read.excel.xlsx_scan import CELLS_AT_A_TIME, Formula, Gathered, check_edges, whole_number
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.spreadsheet.sheets import BEYOND

SHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"
_ID, _PARENT, _DEFAULT = f"{SHEET}ID", f"{SHEET}Parent", "Default"
_PARTS = tuple(f"{SHEET}{name}" for name in ("Alignment", "Borders", "Font", "Interior", "NumberFormat"))
_SIZE = 10.0  # points of a font that does not say its size
_ALIGN = {
    "Left": "left",
    "Center": "center",
    "CenterAcrossSelection": "center",
    "Right": "right",
    "Fill": "fill",
    "Justify": "justify",
    "Distributed": "justify",
    "JustifyDistributed": "justify",
}
_VERTICAL = {"Top": "top", "Center": "center", "Bottom": "bottom", "Justify": "justify", "Distributed": "distributed"}
_NAMED_FORMATS = {
    "General": None,
    "General Number": None,
    "General Date": "m/d/yyyy h:mm",
    "Long Date": "d-mmm-yyyy",
    "Medium Date": "d-mmm-yy",
    "Short Date": "m/d/yyyy",
    "Long Time": "h:mm:ss AM/PM",
    "Medium Time": "h:mm AM/PM",
    "Short Time": "h:mm",
    "Currency": '"$"#,##0.00',
    "Euro Currency": "[$€-2] #,##0.00",
    "Fixed": "0.00",
    "Standard": "#,##0.00",
    "Percent": "0.00%",
    "Scientific": "0.00E+00",
}
Parts = dict[str, etree._Element]


class WorkbookStyles:
    """Styles in the order of the file, that of unformatted cells first; their numbers by ID."""

    def __init__(self, root: etree._Element | None) -> None:
        elements = list(root.iterfind(f"{SHEET}Style")) if root is not None else []
        self._raw = {element.get(_ID) or "": element for element in elements}
        self._known: dict[str, Parts] = {}
        self.styles = [_style(self._parts(_DEFAULT))]
        self._numbers: dict[str | None, int] = {None: 0, _DEFAULT: 0}
        for name in self._raw:
            if name not in self._numbers:
                self._numbers[name] = len(self.styles)
                self.styles.append(_style(self._parts(name)))

    def number_of(self, name: str | None) -> int:
        """The number of a style; one that is not there looks as the default does."""
        return self._numbers.get(name, 0)

    def _parts(self, name: str) -> Parts:
        """The parts of a style, inherited ones included; each style is looked at once."""
        chain: dict[str, None] = {}
        while name in self._raw and name not in self._known and name not in chain:
            chain[name] = None
            name = self._raw[name].get(_PARENT) or _DEFAULT
        look = self._known.get(name, {})
        for link in reversed(chain):
            own = {str(part.tag): part for part in self._raw[link] if part.tag in _PARTS}
            look = self._known[link] = look | own
        return look


def _style(parts: Parts) -> Style:
    alignment, borders, font, interior, number = map(parts.get, _PARTS)
    drawn = {
        said(border, "Position") for border in _children(borders) if said(border, "LineStyle") not in (None, "None")
    }
    filled = said(interior, "Pattern") not in (None, "None")
    code = said(number, "Format")
    return Style(
        bold=said(font, "Bold") in _ON,
        italic=said(font, "Italic") in _ON,
        underline=said(font, "Underline") not in (None, "None"),
        size=real_number(said(font, "Size"), _SIZE),
        colour=_colour(said(font, "Color")),
        fill=_colour(said(interior, "Color")) if filled else None,
        align=_ALIGN.get(said(alignment, "Horizontal") or ""),
        valign=_VERTICAL.get(said(alignment, "Vertical") or ""),
        indent=min(max(0.0, real_number(said(alignment, "Indent"), 0.0)), DEEPEST_INDENT),
        border_top="Top" in drawn,
        border_bottom="Bottom" in drawn,
        border_left="Left" in drawn,
        border_right="Right" in drawn,
        wrap=said(alignment, "WrapText") in _ON,
        number_format=_NAMED_FORMATS.get(code, code) if code else None,
    )


def said(element: etree._Element | None, name: str) -> str | None:
    """What an element says in an attribute of the spreadsheet's own names."""
    return element.get(SHEET + name) if element is not None else None


def _children(element: etree._Element | None) -> list[etree._Element]:
    return list(element) if element is not None else []


def _colour(value: str | None) -> str | None:
    return value.upper() if value and value.startswith("#") and len(value) == 7 else None


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
