"""Excel 2003 XML workbooks (SpreadsheetML; named .xml, and often .xls): sheets with typed, styled cells.

In: bytes; out: `Contents`. Own reader over expat because no library reads this format. Formulas count with the results
that are stored; nothing of the document is ever run. Known to leave out: looks of whole rows and columns beyond the
cells, conditional formats, comments, and colours within a text.

The worksheets of an Excel 2003 XML workbook, event by event: columns, rows, cells and their texts. In: the bytes of a
workbook. Out: calls to the reader of each worksheet. Expat calls back for every element and no tree is built, so that
memory follows the values. Callers refuse documents with a document type beforehand, so there are no entities to expand.
Comments, phonetic texts and page set-ups are left out. Fails where the XML is not well-formed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree

from tabellion.errors import MalformedError, UsageError
from tabellion.model.document import Issue, Sheet
from tabellion.model.place import address
from tabellion.read.excel.xlsx_cells import CellTyper, Looks, Strings
from tabellion.read.excel.xlsx_parts import AS_CELL, BOLD, Text, joined_runs
from tabellion.read.excel.xml2003_cells import SHEET, SHEET_NAME, TYPE, Attributes, SheetReader, WorkbookStyles
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.spreadsheet.package import elements_before, stream_elements, xml_text
from tabellion.read.spreadsheet.sheets import Contents, state_tables, tidy_merges, with_statements

_WORKSHEET, _TABLE, _COLUMN, _ROW, _CELL, _DATA, _RANGE = (
    SHEET_NAME + name for name in ("Worksheet", "Table", "Column", "Row", "Cell", "Data", "NamedRange")
)
_NAME, _MEANS = SHEET_NAME + "Name", SHEET_NAME + "RefersTo"
_VISIBLE = "urn:schemas-microsoft-com:office:excel}Visible"
_MARKUP = "http://www.w3.org/TR/REC-html40}"
_BOLD, _RAISED = _MARKUP + "B", _MARKUP + "Sup"
_NOTHING = Text("")

OpenSheet = Callable[[str | None], SheetReader | None]
CloseSheet = Callable[[SheetReader], None]


class BodyParser:
    """Hands every column, row and cell of every worksheet to the worksheet's reader."""

    def __init__(self, open_sheet: OpenSheet, close_sheet: CloseSheet) -> None:
        self.open_sheet, self.close_sheet = open_sheet, close_sheet
        self.named: list[tuple[str, str]] = []  # names of ranges, and what they refer to
        self._sheet: SheetReader | None = None
        self._skipped = 0  # how deep inside something that is left out
        self._cell: Attributes | None = None
        self._kind: str | None = None
        self._said = _NOTHING
        self._pieces: list[str] | None = None  # inside a text: what it says so far
        self._open: list[str] = []  # inside a text: the elements of rich text
        self._looks: list[tuple[bool, bool]] = []  # of each piece: bold, raised

    def parse(self, xml: bytes) -> None:
        """Go through the whole document."""
        stream_elements(xml, self._start, self._end, self._text)

    def _start(self, name: str, attributes: Attributes) -> None:
        if self._skipped:
            self._skipped += 1
        elif self._pieces is not None:
            self._open.append(name)
        elif self._cell is not None:
            if name == _DATA:
                self._kind, self._pieces, self._looks = attributes.get(TYPE), [], []
            else:
                self._skipped = 1
        elif name == _RANGE:
            self.named.append((attributes.get(_NAME, ""), attributes.get(_MEANS, "")))
        elif self._sheet is None:
            if name == _WORKSHEET:
                self._sheet = self.open_sheet(attributes.get(_NAME))
                self._skipped = int(self._sheet is None)
        elif name == _CELL:
            self._cell, self._kind, self._said = attributes, None, _NOTHING
        elif name == _ROW:
            self._sheet.open_row(attributes)
        elif name == _COLUMN:
            self._sheet.add_column(attributes)
        elif name == _TABLE:
            self._sheet.open_table(attributes)
        elif name == _VISIBLE:
            self._pieces = []

    def _text(self, text: str) -> None:
        if self._pieces is not None and not self._skipped:
            self._pieces.append(text)
            self._looks.append((_BOLD in self._open, _RAISED in self._open))

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif self._open:
            self._open.pop()
        elif self._sheet is None:
            return
        elif self._pieces is not None:
            if name == _VISIBLE:
                self._sheet.hidden = "Hidden" in "".join(self._pieces)
            else:
                self._said = _joined(self._pieces, self._looks)
            self._pieces = None
        elif name == _CELL:
            if self._cell is not None:
                self._sheet.add_cell(self._cell, self._kind, self._said)
                self._cell = None
        elif name == _ROW:
            self._sheet.close_row()
        elif name == _WORKSHEET:
            self.close_sheet(self._sheet)
            self._sheet = None


def _joined(pieces: list[str], looks: list[tuple[bool, bool]]) -> Text:
    """A text and the kinds of its runs; a run without the bold element looks as its cell does."""
    if not any(bold or raised for bold, raised in looks):
        return Text("".join(pieces))
    kinds = 0
    for piece, (bold, _) in zip(pieces, looks, strict=True):
        if piece and not piece.isspace():
            kinds |= BOLD if bold else AS_CELL
    return Text(joined_runs(pieces, [raised for _, raised in looks]), kinds)


_OFFICE, _EXCEL = "{urn:schemas-microsoft-com:office:office}", "{urn:schemas-microsoft-com:office:excel}"
_FACTS, _SETTINGS = f"{_OFFICE}DocumentProperties", f"{_EXCEL}ExcelWorkbook"
_STYLES, _WORKSHEETS_AT = f"{SHEET}Styles", f"{SHEET}Worksheet"
_AREA = re.compile(r"!R(\d{1,7})C(\d{1,5})(?::R(\d{1,7})C(\d{1,5}))?(?=,|$)")


def read_spreadsheetml(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a workbook in their order, or the one that is named."""
    notes: list[str] = []
    xml = xml_text(data, "the file", notes).encode("utf-8", "replace")
    head = elements_before(xml, (_FACTS, _SETTINGS, _STYLES), _WORKSHEETS_AT)
    styles = WorkbookStyles(head.get(_STYLES))
    looks, strings, deadline = Looks(styles.styles), Strings(()), Deadline(limits)
    settings = head.get(_SETTINGS)
    epoch_1904 = settings is not None and settings.find(f"{_EXCEL}Date1904") is not None
    names: list[str] = []
    sheets: list[Sheet] = []
    issues = [Issue("read", note) for note in notes]

    def open_sheet(name: str | None) -> SheetReader | None:
        names.append(name or f"Sheet{len(names) + 1}")
        check_count(len(names), limits.sheets, "sheets", "sheets")
        if sheet not in (None, names[-1]):
            return None
        return SheetReader(styles, CellTyper(looks, strings, epoch_1904), limits, deadline)

    def close_sheet(reader: SheetReader) -> None:
        sheets.append(_sheet(reader, names[-1], epoch_1904, issues))

    body = BodyParser(open_sheet, close_sheet)
    body.parse(xml)
    if not names:
        raise MalformedError("the workbook has no worksheet; the file is damaged or made by a faulty program")
    if sheet is not None and sheet not in names:
        raise UsageError(f"no sheet named {sheet!r}; the sheets are: {', '.join(names)}")
    stated = state_tables((name, _AREA.sub(_plain_area, means.lstrip("="))) for name, means in body.named)
    title, authors = _document_facts(head.get(_FACTS))
    return Contents(with_statements(sheets, stated), tuple(names), title, authors, tuple(issues))


def _sheet(reader: SheetReader, name: str, epoch_1904: bool, issues: list[Issue]) -> Sheet:
    cells = reader.cells()
    widths, hidden_columns = reader.columns_of(cells)
    issues.extend(reader.typer.issues(name))
    return Sheet(
        name=name,
        cells=cells,
        styles=tuple(reader.typer.styles),
        merges=tidy_merges(reader.merges, cells, name, issues),
        hidden_rows=reader.hidden_rows_of(cells),
        hidden_columns=hidden_columns,
        column_widths=widths,
        hidden=reader.hidden,
        epoch_1904=epoch_1904,
    )


def _plain_area(match: re.Match[str]) -> str:
    """An area such as `R1C1:R3C4` by the letters of its columns."""
    row, column, *end = (int(number) - 1 if number else -1 for number in match.groups())
    first = address(row, column) if min(row, column) >= 0 else ""
    return f"!{first}:{address(*end)}" if first and min(end) >= 0 else f"!{first}"


def _document_facts(facts: etree._Element | None) -> tuple[str | None, tuple[str, ...]]:
    """Title and author, where they are said."""
    if facts is None:
        return None, ()
    title, author = ((facts.findtext(f"{_OFFICE}{name}") or "").strip() for name in ("Title", "Author"))
    return title or None, (author,) if author else ()
