"""The rows of an OpenDocument table as typed cells.

The rows of an OpenDocument table as typed cells, repeats kept as runs until the sheet is known. A cell or row that
stands for many (`number-columns-repeated`) is one run here. Runs that hold a value are written out in the end, within
the limits; runs that only have a look are written out as far as values reach, so that a blank run to the end of the
sheet costs nothing.

What an OpenDocument cell holds by its value type: numbers, percentages, dates, times, truths, errors, text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark, SheetCells, Stored
from tabellion.model.place import Rect
from tabellion.patterns import short_pattern
from tabellion.read.excel.xlsx_cells import is_aggregate, join_cells
from tabellion.read.excel.xlsx_scan import check_edges
from tabellion.read.limits import Limits, check_count
from tabellion.read.opendocument.styles import CALC_NAME, OFFICE_NAME, TABLE_NAME, OdsStyles, repeats
from tabellion.read.spreadsheet.sheets import (
    Shown,
    bold_of_runs,
    date_text,
    is_day,
    number_text,
    percent_text,
    twin_style,
    understand_format,
)

_TYPE, _VALUE = OFFICE_NAME + "value-type", OFFICE_NAME + "value"
_CALC_TYPE = CALC_NAME + "value-type"
_DATE, _TIME = OFFICE_NAME + "date-value", OFFICE_NAME + "time-value"
_BOOLEAN, _STRING = OFFICE_NAME + "boolean-value", OFFICE_NAME + "string-value"
_DURATION = re.compile(r"(-)?P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:[.,]\d+)?)S)?)?")
_EPOCH = datetime(1899, 12, 30)
_NAN = float("nan")
_AS_NUMBER, _AS_DATE, _AS_TEXT = int(Stored.NUMBER), int(Stored.DATE), int(Stored.TEXT)
_AS_BOOLEAN, _AS_ERROR, _EMPTY = int(Stored.BOOLEAN), int(Stored.ERROR), int(Stored.EMPTY)


def typed_value(attributes: dict[str, str], text: str, code: str | None) -> tuple[int, float, str]:
    """How a value is stored, its number, and its text; one that cannot be understood is text as it stands."""
    kind = attributes.get(_TYPE)
    if kind is None or kind == "string":
        if attributes.get(_CALC_TYPE) == "error":
            return _AS_ERROR, _NAN, text or "#ERROR!"
        text = text or attributes.get(_STRING, "")
        return (_EMPTY if not text or text.isspace() else _AS_TEXT), _NAN, text
    try:
        return _by_kind(kind, attributes, text, code)
    except (ValueError, KeyError, OverflowError):
        return (_EMPTY if not text or text.isspace() else _AS_TEXT), _NAN, text


def _by_kind(kind: str, attributes: dict[str, str], text: str, code: str | None) -> tuple[int, float, str]:
    match kind:
        case "float" | "currency":
            number = float(attributes[_VALUE])
            return _AS_NUMBER, number, _shown(text) or number_text(number)
        case "percentage":
            number = float(attributes[_VALUE])
            form = understand_format(code)
            shown = percent_text(number, form.places) if form.shown is Shown.PERCENT else ""
            return _AS_NUMBER, number, _shown(text) or shown or number_text(number)
        case "date":
            moment = datetime.fromisoformat(attributes[_DATE].removesuffix("Z"))
            serial = (moment.replace(tzinfo=None) - _EPOCH).total_seconds() / 86400
            return _AS_DATE, serial, _shown(text) or date_text(serial, Shown.DATE)
        case "time":
            serial = _days(attributes[_TIME])
            return _AS_DATE, serial, _shown(text) or date_text(serial, Shown.TIME)
        case "boolean":
            return _AS_BOOLEAN, _NAN, "TRUE" if attributes[_BOOLEAN] == "true" else "FALSE"
        case _:
            raise ValueError(f"an unknown value type: {kind}")


def _shown(text: str) -> str:
    """The text that the file keeps of a number: what its program showed."""
    return " ".join(text.split())


def _days(duration: str) -> float:
    """A duration such as `PT12H30M00S` in days."""
    match = _DURATION.fullmatch(duration)
    if match is None or not any(match.groups()[1:]):
        raise ValueError(f"not a duration: {duration!r}")
    days, hours, minutes = (int(part or 0) for part in match.groups()[1:4])
    seconds = float((match[5] or "0").replace(",", "."))
    total = days + (hours * 3600 + minutes * 60 + seconds) / 86400
    if not is_day(total):
        raise ValueError(f"longer than any date is away: {duration!r}")
    return -total if match[1] else total


_STYLE, _VISIBILITY = TABLE_NAME + "style-name", TABLE_NAME + "visibility"
_DEFAULT_STYLE = TABLE_NAME + "default-cell-style-name"
_COLUMNS, _ROWS = TABLE_NAME + "number-columns-repeated", TABLE_NAME + "number-rows-repeated"
_SPANNED = TABLE_NAME + "number-columns-spanned", TABLE_NAME + "number-rows-spanned"
_FORMULA = TABLE_NAME + "formula"
_HIDDEN = ("collapse", "filter")
_REFERENCE = short_pattern(r"\[[^\]]*?\.?(\$?[A-Z]+\$?[0-9]+)(?::[^\]]*?\.?(\$?[A-Z]+\$?[0-9]+))?\]", longest=8_192)
_STYLED_CELLS = 200_000  # blank cells with a look that are written out, at least; and
_STYLED_SHARE = 4  # this many for each cell with a value
_UNCACHED = int(Mark.UNCACHED)
_MARK_FORMULA, _MARK_AGGREGATE = int(Mark.FORMULA), int(Mark.AGGREGATE)
_MARK_LINK, _MARK_PARTLY_BOLD = int(Mark.LINK), int(Mark.PARTLY_BOLD)

Attributes = dict[str, str]
# row, rows, column, columns, style, stored, number, text, marks
_Run = tuple[int, int, int, int, int, int, float, str, int]


class CellText(NamedTuple):
    """What a cell says; `runs` are empty unless spans look other than the cell."""

    text: str = ""
    runs: tuple[tuple[str, bool | None], ...] = ()
    link: bool = False


class TableReader:
    """Collects the columns, rows and cells of one table in the order of the file."""

    def __init__(self, styles: OdsStyles, limits: Limits) -> None:
        self.styles, self.limits = styles, limits
        self.merges: list[Rect] = []
        self.hidden_columns: set[int] = set()
        self.column_widths: dict[int, float] = {}
        self.uncached: list[tuple[int, int]] = []
        self.last_head: int | None = None  # of the rows that are printed on every page
        self._filled: list[_Run] = []
        self._blank: list[tuple[int, int, int, int, int]] = []
        self._row, self._rows, self._column, self._count = 0, 0, 0, 0
        self._row_style: str | None = None
        self._hidden_rows: list[range] = []
        self._column_starts: list[int] = []
        self._column_styles: list[str | None] = []

    def add_column(self, attributes: Attributes) -> None:
        """Take in a column definition."""
        count = repeats(attributes.get(_COLUMNS))
        self._column_starts.append(self._column)
        self._column_styles.append(attributes.get(_DEFAULT_STYLE))
        span = range(self._column, min(self._column + min(count, 1024), self.limits.columns))
        width = self.styles.column_width(attributes.get(_STYLE))
        if width:
            self.column_widths |= dict.fromkeys(span, width)
        if attributes.get(_VISIBILITY) in _HIDDEN:
            self.hidden_columns.update(span)
        self._column += count

    def open_row(self, attributes: Attributes) -> None:
        """Begin a row, which may stand for many."""
        self._rows = repeats(attributes.get(_ROWS))
        self._row_style = attributes.get(_DEFAULT_STYLE)
        self._column = 0
        if attributes.get(_VISIBILITY) in _HIDDEN:
            self._hidden_rows.append(range(self._row, self._row + self._rows))

    def close_row(self) -> None:
        """End the row."""
        self._row += self._rows

    def end_heads(self) -> None:
        """The rows up to here are printed on every page."""
        self.last_head = self._row - 1

    def add_cell(self, attributes: Attributes, said: CellText | None) -> None:
        """Take in a cell with its text; a cell that a merged area covers has none."""
        row, rows, column = self._row, self._rows, self._column
        columns = repeats(attributes.get(_COLUMNS)) if _COLUMNS in attributes else 1
        self._column += columns
        name = attributes.get(_STYLE) or self._row_style or self._style_of_column(column)
        style = self.styles.number_of(name)
        if said is not None:
            if _SPANNED[0] in attributes or _SPANNED[1] in attributes:
                across, down = (repeats(attributes.get(key)) for key in _SPANNED)
                self.merges.append(Rect(row, column, row + down - 1, column + across - 1))
            if said.text or _TYPE in attributes or _FORMULA in attributes:
                marks, style = self._marks(attributes, said, style)
                stored, number, text = typed_value(attributes, said.text, self.styles.styles[style].number_format)
                if stored or marks & _MARK_FORMULA:
                    self._count += rows * columns
                    check_count(self._count, self.limits.cells, "cells", "cells")
                    check_edges(row + rows, column + columns, self.limits.rows, self.limits.columns)
                    self._filled.append((row, rows, column, columns, style, stored, number, text, marks))
                    return
        if style:
            self._blank.append((row, rows, column, columns, style))

    def _style_of_column(self, column: int) -> str | None:
        at = bisect_right(self._column_starts, column) - 1
        return self._column_styles[at] if at >= 0 else None

    def _marks(self, attributes: Attributes, said: CellText, style: int) -> tuple[int, int]:
        """The marks of a cell, and its style, which bold spans may change."""
        marks = _MARK_LINK if said.link else 0
        formula = attributes.get(_FORMULA)
        if formula is not None:
            marks |= _MARK_FORMULA
            if is_aggregate(_REFERENCE.sub(_plain_reference, formula.split("=", 1)[-1])):
                marks |= _MARK_AGGREGATE
            if _TYPE not in attributes and not said.text:
                marks |= _UNCACHED
                self.uncached.append((self._row, self._column - 1))
        if said.runs:
            own = self.styles.styles[style].bold
            some, not_all = bold_of_runs((piece, own if bold is None else bold) for piece, bold in said.runs)
            if some and not_all:
                marks |= _MARK_PARTLY_BOLD
            elif (some or not_all) and some != own:
                style = twin_style(self.styles.styles, self.styles.twins, style, some)
        return marks, style

    def hidden_rows(self, cells: SheetCells) -> frozenset[int]:
        """The hidden rows as far as values reach."""
        end = int(cells.row.max()) + 1 if len(cells) else 0
        return frozenset(row for run in self._hidden_rows for row in range(run.start, min(run.stop, end)))

    def cells(self) -> SheetCells:
        """All runs written out, in row order."""
        runs = self._filled
        if not runs:
            return join_cells([])
        bottom = max(row + rows for row, rows, *_ in runs)
        right = max(column + columns for _, _, column, columns, *_ in runs)
        budget = max(_STYLED_CELLS, _STYLED_SHARE * self._count)
        for row, rows, column, columns, style in self._blank:
            if row < bottom and column < right:
                height, width = min(rows, bottom - row), min(columns, right - column)
                budget -= height * width
                if budget < 0:
                    break
                runs.append((row, height, column, width, style, _EMPTY, _NAN, "", 0))
        return join_cells([_written_out(runs)])


def _written_out(runs: list[_Run]) -> SheetCells:
    rows, heights, columns, widths, styles, stored, numbers, texts, marks = zip(*runs, strict=True)
    text: NDArray[np.object_] = np.empty(len(runs), dtype=object)
    text[:] = texts
    arrays: list[NDArray[Any]] = [
        np.array(rows, dtype=np.int32),
        np.array(columns, dtype=np.int32),
        text,
        np.array(stored, dtype=np.uint8),
        np.array(numbers, dtype=np.float64),
        np.array(styles, dtype=np.int32),
        np.array(marks, dtype=np.uint8),
    ]
    height, width = np.array(heights, dtype=np.int64), np.array(widths, dtype=np.int64)
    count = height * width
    if int(count.max()) > 1:
        step = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
        arrays = [np.repeat(array, count) for array in arrays]
        across = np.repeat(width, count)
        arrays[0] += (step // across).astype(np.int32)
        arrays[1] += (step % across).astype(np.int32)
    return SheetCells(*arrays)


def _plain_reference(match: re.Match[str]) -> str:
    return f"{match[1]}:{match[2]}" if match[2] else match[1]
