"""Old Excel workbooks (.xls, BIFF 2 to 8): sheets with typed, styled cells.

In: bytes; out: `Contents`. xlrd reads the records (complete looks, all versions); it does not keep formulas, so that
cells are marked as formulas and aggregates from the formula records themselves (`biff`). A sheet whose looks are broken
is read again without them, with an issue. Known to leave out: looks of whole rows and columns, conditional formats,
comments, charts.

The looks of an old workbook: one `Style` an extended format (XF), equal ones only once.

The compound file (OLE2) that wraps an old workbook: its record stream, and title and author of the document. In: bytes;
out: a `Compound`. A file without the wrapper (Excel 2 to 4) is its own record stream. A broken chain of sectors is
followed as far as it goes, with a note.
"""

from __future__ import annotations

from struct import error as StructError  # noqa: N812
from struct import unpack_from
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from xlrd.biffh import XLRDError, error_text_from_code
from xlrd.compdoc import SIGNATURE, CompDoc, CompDocError

from tabellion.errors import EncryptedError, MalformedError, TruncatedError, UsageError
from tabellion.model.arrays import distinct
from tabellion.model.document import Issue, Mark, Sheet, SheetCells, Stored
from tabellion.model.place import Place
from tabellion.model.stated import UNMARKED, SheetMarks
from tabellion.model.style import PLAIN, Style
from tabellion.read.excel.biff import BiffBook, BiffSheet, Silence, formula_marks, open_stream, read_biff_sheet
from tabellion.read.excel.xlsx_cells import join_cells
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.spreadsheet.sheets import (
    BUILT_IN,
    Contents,
    Shown,
    across_areas,
    bold_of_runs,
    tidy_merges,
    twin_style,
    understand_format,
)
from tabellion.read.spreadsheet.shown_text import number_writer

_ACROSS = (None, "left", "center", "right", "fill", "justify", "center", "justify")
_DOWN = ("top", "center", None, "justify", "justify")  # bottom is where text stands anyhow
_CENTRED_ACROSS = 6
_DEFAULT_LOOK = 15  # the extended format of cells that nobody formatted
_BOLD_WEIGHT = 600


class Looks(NamedTuple):
    """The distinct styles, that of unformatted cells first, and the style of each extended format."""

    styles: tuple[Style, ...]
    style_of_look: NDArray[np.int32]


def read_looks(book: BiffBook) -> Looks:
    """The looks of a workbook, or of its only sheet in the oldest versions."""
    looks = [_style(book, look) for look in book.xf_list]
    first = looks[_DEFAULT_LOOK] if len(looks) > _DEFAULT_LOOK else PLAIN
    known: dict[Style, int] = {first: 0}
    of_look = [known.setdefault(style, len(known)) for style in looks]
    return Looks(tuple(known), np.array(of_look or [0], dtype=np.int32))


def is_bold(font: Any) -> bool:
    """Whether a font of xlrd's is bold: by weight, or by a flag in the oldest versions."""
    return bool(font.weight >= _BOLD_WEIGHT if font.weight else font.bold)


def _style(book: BiffBook, look: Any) -> Style:
    alignment, border, background = look.alignment, look.border, look.background
    fonts = book.font_list
    font = fonts[look.font_index] if look.font_index < len(fonts) else None
    return Style(
        bold=font is not None and is_bold(font),
        italic=font is not None and bool(font.italic),
        underline=font is not None and bool(font.underline_type or font.underlined),
        size=font.height / 20 if font is not None and font.height else PLAIN.size,
        colour=_colour(book, font.colour_index) if font is not None else None,
        fill=_colour(book, background.pattern_colour_index) if background.fill_pattern else None,
        align=_ACROSS[alignment.hor_align],
        valign=_DOWN[alignment.vert_align] if alignment.vert_align < len(_DOWN) else None,
        indent=float(alignment.indent_level),
        border_top=bool(border.top_line_style),
        border_bottom=bool(border.bottom_line_style),
        border_left=bool(border.left_line_style),
        border_right=bool(border.right_line_style),
        wrap=bool(alignment.text_wrapped),
        across=alignment.hor_align == _CENTRED_ACROSS,
        number_format=_format_code(book, look.format_key),
    )


def _colour(book: BiffBook, index: int) -> str | None:
    rgb = book.colour_map.get(index)
    return "#{:02X}{:02X}{:02X}".format(*rgb) if rgb else None


def _format_code(book: BiffBook, key: int) -> str | None:
    known = book.format_map.get(key)
    code = (known.format_str if known is not None else None) or BUILT_IN.get(key)
    return None if not code or code.lower() == "general" else code


_BROKEN_CONTAINER = (
    CompDocError,
    StructError,
    IndexError,
    AssertionError,
    ArithmeticError,
    UnicodeDecodeError,
    RecursionError,
    MemoryError,
)
_TITLE, _AUTHOR, _CODE_PAGE = 2, 4, 1
_TEXT_TYPES = {30: "bytes", 31: "utf-16-le"}


class Compound(msgspec.Struct, frozen=True):
    """What the wrapper holds."""

    stream: bytes
    title: str | None = None
    author: str | None = None
    notes: tuple[str, ...] = ()


def open_compound(data: bytes) -> Compound:
    """The record stream of a workbook, with the facts of the document."""
    if not data.startswith(SIGNATURE):
        return Compound(data)
    notes: tuple[str, ...] = ()
    try:
        stream, facts = _streams(data, tolerant=False)
    except _BROKEN_CONTAINER:
        try:
            stream, facts = _streams(data, tolerant=True)
        except _BROKEN_CONTAINER as error:
            raise TruncatedError(
                f"the file is cut short or its sectors are broken ({error}); fetch it again"
            ) from error
        notes = ("the file's chain of sectors is broken; parts of the workbook may be missing",)
    title, author = _facts(facts)
    return Compound(stream, title, author, notes)


def _streams(data: bytes, tolerant: bool) -> tuple[bytes, bytes | None]:
    container = CompDoc(data, logfile=Silence(), ignore_workbook_corruption=tolerant)
    for name in ("Workbook", "Book"):
        memory, start, length = container.locate_named_stream(name)
        if memory:
            try:
                facts = container.get_named_stream("\x05SummaryInformation")
            except _BROKEN_CONTAINER:
                facts = None
            return bytes(memory[start : start + length]), facts
    if container.get_named_stream("EncryptedPackage") is not None:
        raise EncryptedError("the workbook is protected by a password; save it without one and try again")
    raise MalformedError("this OLE container holds no workbook")


def _facts(data: bytes | None) -> tuple[str | None, str | None]:
    """Title and author from the summary property set; nothing where it is broken."""
    if not data:
        return None, None
    try:
        (section,) = unpack_from("<I", data, 44)
        _, count = unpack_from("<II", data, section)
        places = dict(unpack_from("<II", data, section + 8 + 8 * i) for i in range(min(count, 64)))
        code_page = 1252
        if _CODE_PAGE in places:
            (code_page,) = unpack_from("<H", data, section + places[_CODE_PAGE] + 4)
        found = [_text(data, section + places[key], code_page) if key in places else None for key in (_TITLE, _AUTHOR)]
    except (StructError, LookupError, ValueError):
        return None, None
    return found[0], found[1]


def _text(data: bytes, at: int, code_page: int) -> str | None:
    kind, length = unpack_from("<II", data, at)
    if kind not in _TEXT_TYPES:
        return None
    raw = data[at + 8 : at + 8 + length * (2 if kind == 31 else 1)]
    special = {65001: "utf-8", 1200: "utf-16-le", 10000: "mac_roman"}
    encoding = "utf-16-le" if kind == 31 else special.get(code_page, f"cp{code_page}")
    return raw.decode(encoding, errors="replace").split("\x00")[0].strip() or None


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
    merges = tidy_merges(records.merged_areas(), cells, name, issues)
    return Sheet(
        name=name,
        cells=cells,
        styles=tuple(styles),
        merges=merges,
        centred=across_areas(cells, styles, merges),
        hidden_rows=frozenset(row for row, info in records.rowinfo_map.items() if info.hidden),
        hidden_columns=frozenset(column for column, info in columns if info.hidden),
        column_widths={column: info.width / 256 for column, info in columns},
        hidden=bool(records.visibility),
        epoch_1904=bool(book.datemode),
        marked=SheetMarks(heads=(frozen - 1,)) if (frozen := records.frozen_rows()) else UNMARKED,
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
        styles = self.style[at]
        for style in distinct(styles).tolist():
            mine = np.array(at)[styles == style]
            form = self.formats[style]
            if form.shown is Shown.DATE:
                self.number[mine] += self.shift
            if form.shown in (Shown.DATE, Shown.TIME):
                self.stored[mine] = Stored.DATE
            self.text[mine] = list(map(number_writer(self.styles[style].number_format), self.number[mine].tolist()))

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
