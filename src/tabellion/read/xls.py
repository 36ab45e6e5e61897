"""Old Excel workbooks (.xls, BIFF 2 to 8): sheets with typed, styled cells.

In: bytes; out: `Contents`. xlrd reads the records (complete looks, all versions); it does not keep formulas, so that
cells are marked as formulas and aggregates from the formula records themselves (`biff_formulas`). A sheet whose looks
are broken is read again without them, with an issue. Known to leave out: looks of whole rows and columns, conditional
formats, comments, charts.
"""

from __future__ import annotations

from struct import error as StructError  # noqa: N812
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xlrd.biffh import XLRDError, error_text_from_code

from tabellion.errors import MalformedError, TruncatedError, UsageError
from tabellion.model.document import Issue, Mark, Sheet, SheetCells, Stored
from tabellion.model.place import Place
from tabellion.model.style import Style
from tabellion.read.biff import BiffBook, BiffSheet, open_stream, read_biff_sheet
from tabellion.read.biff_formulas import formula_marks
from tabellion.read.compound import open_compound
from tabellion.read.contents import Contents
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.merges import tidy_merges
from tabellion.read.number_format import Shown, date_text, number_text, percent_text, understand_format
from tabellion.read.rich_text import bold_of_runs, twin_style
from tabellion.read.xls_styles import Looks, is_bold, read_looks
from tabellion.read.xlsx_cells import join_cells

_BROKEN = (XLRDError, StructError, AssertionError, LookupError, ValueError, TypeError, RecursionError)
_DAYS_1904 = 1462
_TEXT, _BOOLEAN, _ERROR, _BLANK = 1, 4, 5, 6


def read_xls(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a workbook in their order, or the one that is named."""
    deadline = Deadline(limits)
    compound = open_compound(data)
    issues = [Issue("read", note) for note in compound.notes]
    book = _open_book(compound.stream, issues)
    names = tuple(book._sheet_names)
    if sheet is not None and sheet not in names:
        raise UsageError(f"no sheet named {sheet!r}; the sheets are: {', '.join(names)}")
    check_count(len(names), limits.sheets, "sheets", "sheets")
    looks = read_looks(book)
    sheets: list[Sheet] = []
    failed: list[Exception] = []
    count = 0
    for number, name in enumerate(names):
        if sheet is not None and name != sheet:
            continue
        deadline.check()
        try:
            source, records = _read_records(book, compound.stream, number, issues)
        except _BROKEN as error:
            failed.append(error)
            issues.append(Issue("read", f"the sheet is damaged and could not be read ({error})", Place(sheet=name)))
            continue
        count += len(records.cells)
        check_count(count, limits.cells, "cells", "cells")
        sheets.append(_sheet(source, records, looks if source is book else read_looks(source), issues))
    if failed and not sheets:
        raise TruncatedError(f"no sheet of the workbook can be read ({failed[0]}); fetch the file again")
    authors = (compound.author,) if compound.author else ()
    return Contents(tuple(sheets), names, compound.title, authors, tuple(issues))


def _open_book(stream: bytes, issues: list[Issue]) -> BiffBook:
    try:
        return open_stream(stream, with_looks=True)
    except _BROKEN as error:
        first = error
    try:
        book = open_stream(stream, with_looks=False)
    except XLRDError as error:
        if "end of file" in str(error):
            raise TruncatedError(f"the workbook ends too early ({error}); fetch the file again") from first
        raise MalformedError(f"the workbook is damaged ({error})") from first
    except _BROKEN as error:
        raise TruncatedError(f"the workbook ends too early or is damaged ({error}); fetch the file again") from first
    issues.append(Issue("read", f"the workbook's looks are damaged ({first}); it was read without them"))
    return book


def _read_records(book: BiffBook, stream: bytes, number: int, issues: list[Issue]) -> tuple[BiffBook, BiffSheet]:
    """A sheet's records and the workbook they belong to: one without looks, where those are damaged."""
    try:
        return book, read_biff_sheet(book, number)
    except _BROKEN as error:
        if not book.formatting_info:
            raise
        plain = open_stream(stream, with_looks=False)
        records = read_biff_sheet(plain, number)
        note = f"the sheet's looks are damaged ({error}); it was read without them"
        issues.append(Issue("read", note, Place(sheet=records.name)))
        return plain, records


def _sheet(book: BiffBook, records: BiffSheet, looks: Looks, issues: list[Issue]) -> Sheet:
    styles = list(looks.styles)
    cells = _cells(book, records, styles, looks.style_of_look)
    name = str(records.name)
    columns = records.colinfo_map.items()
    return Sheet(
        name=name,
        cells=cells,
        styles=tuple(styles),
        merges=tidy_merges(records.merged_areas(), cells, name, issues),
        hidden_rows=frozenset(row for row, info in records.rowinfo_map.items() if info.hidden),
        hidden_columns=frozenset(column for column, info in columns if info.hidden),
        column_widths={column: info.width / 256 for column, info in columns},
        hidden=bool(records.visibility),
        epoch_1904=bool(book.datemode),
    )


def _cells(book: BiffBook, records: BiffSheet, styles: list[Style], style_of_look: NDArray[np.int32]) -> SheetCells:
    """The flat list of records as typed columns."""
    if not records.cells:
        return join_cells([])
    rows, columns, kinds, values, looks = zip(*records.cells, strict=True)
    look = np.array(looks, dtype=np.int64)
    style = style_of_look[np.where((look >= 0) & (look < len(style_of_look)), look, 0)]
    typed = _Typed(len(rows), styles, style, _DAYS_1904 if book.datemode else 0)
    by_kind: dict[int | None, list[int]] = {}
    for i, kind in enumerate(kinds):
        by_kind.setdefault(kind, []).append(i)
    for kind, at in by_kind.items():
        typed.fill(kind, at, [values[i] for i in at])
    marks, runs_of = formula_marks(records.formulas, book.biff_version), records.rich_text_runlist_map
    if marks or runs_of:
        for i, cell in enumerate(zip(rows, columns, strict=True)):
            typed.marks[i] = marks.get(cell, Mark.NONE)
            if cell in runs_of:
                typed.embolden(i, runs_of[cell], book)
    cells = SheetCells(
        np.array(rows, dtype=np.int32),
        np.array(columns, dtype=np.int32),
        typed.text,
        typed.stored,
        typed.number,
        typed.style.astype(np.int32),
        typed.marks,
    )
    for area in records.links:
        inside = (cells.row >= area.top) & (cells.row <= area.bottom)
        inside &= (cells.column >= area.left) & (cells.column <= area.right)
        cells.marks[inside] |= np.uint8(Mark.LINK)
    return join_cells([cells])


class _Typed:
    """Columns of typed cells in the making."""

    def __init__(self, count: int, styles: list[Style], style: NDArray[np.int32], shift: int) -> None:
        self.text: NDArray[np.object_] = np.full(count, "", dtype=object)
        self.stored = np.zeros(count, dtype=np.uint8)
        self.number = np.full(count, np.nan)
        self.marks = np.zeros(count, dtype=np.uint8)
        self.styles, self.style, self.shift = styles, style, shift
        self.twins: dict[tuple[int, bool], int] = {}
        self.formats = [understand_format(s.number_format) for s in styles]
        shown = [f.shown not in (Shown.NUMBER, Shown.TEXT) for f in self.formats]
        self.special = np.array(shown, dtype=bool)[style]

    def fill(self, kind: int | None, at: list[int], values: list[Any]) -> None:
        """Put in the values of the cells of one kind."""
        if kind is None:
            self._fill_numbers(at, values)
        elif kind == _TEXT:
            self.text[at] = values
            self.stored[at] = [Stored.EMPTY if not v or v.isspace() else Stored.TEXT for v in values]
        elif kind == _BOOLEAN:
            self.text[at] = ["TRUE" if v else "FALSE" for v in values]
            self.stored[at] = Stored.BOOLEAN
        elif kind == _ERROR:
            self.text[at] = [error_text_from_code.get(v, "#ERROR!") for v in values]
            self.stored[at] = Stored.ERROR

    def _fill_numbers(self, at: list[int], values: list[float]) -> None:
        self.number[at] = values
        self.stored[at] = Stored.NUMBER
        self.text[at] = list(map(number_text, values))
        for i in np.array(at)[self.special[at]].tolist():
            form, value = self.formats[self.style[i]], float(self.number[i])
            if form.shown is Shown.PERCENT:
                self.text[i] = percent_text(value, form.places)
                continue
            if form.shown is Shown.DATE:
                self.number[i] = value = value + self.shift
            self.stored[i] = Stored.DATE
            self.text[i] = date_text(value, form.shown)

    def embolden(self, i: int, runs: list[tuple[int, int]], book: BiffBook) -> None:
        """Mark a text of which a part is bold; one that is bold throughout, or not at all, has that style."""
        text, own, fonts = self.text[i], self.styles[self.style[i]].bold, book.font_list
        ends = [start for start, _ in runs[1:]] + [len(text)]
        pieces = [(text[: runs[0][0]], own)]
        for (start, font), end in zip(runs, ends, strict=True):
            pieces.append((text[start:end], is_bold(fonts[font]) if font < len(fonts) else own))
        some, not_all = bold_of_runs(pieces)
        if some and not_all:
            self.marks[i] |= Mark.PARTLY_BOLD
        elif (some or not_all) and some != own:
            self.style[i] = twin_style(self.styles, self.twins, int(self.style[i]), some)
