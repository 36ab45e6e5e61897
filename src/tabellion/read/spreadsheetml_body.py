"""The worksheets of an Excel 2003 XML workbook, event by event: columns, rows, cells and their texts.

In: the bytes of a workbook. Out: calls to the reader of each worksheet. Expat calls back for every element and no tree
is built, so that memory follows the values. Callers refuse documents with a document type beforehand, so there are no
entities to expand. Comments, phonetic texts and page set-ups are left out. Fails where the XML is not well-formed.
"""

from __future__ import annotations

from collections.abc import Callable

from tabellion.read.spreadsheetml_cells import SHEET_NAME, TYPE, Attributes, SheetReader
from tabellion.read.xlsx_strings import AS_CELL, BOLD, Text, joined_runs
from tabellion.read.xml_parts import stream_elements

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
