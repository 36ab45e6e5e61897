"""The body of an OpenDocument spreadsheet, event by event: tables, rows, cells and their texts.

Expat calls back for every element and no tree is built, which is several times faster than elements of lxml, and
memory follows the values. Callers refuse documents with a document type beforehand, so there are no entities to
expand. Text is paragraphs joined by line breaks; comments, drawings and nested tables are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from tabellion.read.limits import Deadline
from tabellion.read.ods_cells import Attributes, CellText, TableReader
from tabellion.read.ods_names import OFFICE_NAME, TABLE_NAME, TEXT_NAME, repeats
from tabellion.read.ods_styles import OdsStyles
from tabellion.read.xml_parts import stream_elements

_TABLE, _ROW, _COLUMN = TABLE_NAME + "table", TABLE_NAME + "table-row", TABLE_NAME + "table-column"
_CELL, _COVERED, _SHAPES = TABLE_NAME + "table-cell", TABLE_NAME + "covered-table-cell", TABLE_NAME + "shapes"
_CELLS = (_CELL, _COVERED)
_P, _H, _S, _TAB, _BREAK = (TEXT_NAME + name for name in ("p", "h", "s", "tab", "line-break"))
_LISTS = (TEXT_NAME + "list", TEXT_NAME + "list-item")
_HOLDERS = (_P, _H, *_LISTS)
_SPAN, _LINK, _STYLE, _BLANKS = TEXT_NAME + "span", TEXT_NAME + "a", TEXT_NAME + "style-name", TEXT_NAME + "c"
_LEFT_OUT = (OFFICE_NAME + "annotation", OFFICE_NAME + "annotation-end", TEXT_NAME + "note", TEXT_NAME + "ruby-text")
_WHITE = re.compile(r"[ \t\r\n]+")
_MOST_BLANKS = 1000  # that one `text:s` may stand for
_CHECK_EVERY = 1024  # rows between two looks at the clock
_NOTHING = CellText()

OpenTable = Callable[[Attributes], TableReader | None]
CloseTable = Callable[[TableReader], None]


class BodyParser:
    """Hands every column, row and cell of every table to the table's reader."""

    def __init__(self, styles: OdsStyles, deadline: Deadline, open_table: OpenTable, close_table: CloseTable) -> None:
        self.styles, self.deadline = styles, deadline
        self.open_table, self.close_table = open_table, close_table
        self._table: TableReader | None = None
        self._skipped = 0  # how deep inside something that is left out
        self._cell: Attributes | None = None
        self._covered = False
        self._runs: list[tuple[str, bool | None]] = []
        self._looks: list[bool | None] | None = None  # inside a paragraph: whether each open span is bold
        self._link = False
        self._rows = 0

    def parse(self, xml: bytes) -> None:
        """Go through the whole document."""
        stream_elements(xml, self._start, self._end, self._text)

    def _start(self, name: str, attributes: Attributes) -> None:
        if self._skipped:
            self._skipped += 1
        elif self._looks is not None:
            self._start_in_paragraph(name, attributes)
        elif self._cell is not None:
            if self._covered or name not in _HOLDERS:
                self._skipped = 1
            elif name not in _LISTS:
                self._looks = []
        elif self._table is None:
            if name == _TABLE:
                self._table = self.open_table(attributes)
                self._skipped = int(self._table is None)
        elif name in _CELLS:
            self._cell, self._covered = attributes, name == _COVERED
        elif name == _ROW:
            self._table.open_row(attributes)
        elif name == _COLUMN:
            self._table.add_column(attributes)
        elif name in (_SHAPES, _TABLE):
            self._skipped = 1

    def _start_in_paragraph(self, name: str, attributes: Attributes) -> None:
        looks = self._looks or []
        look = looks[-1] if looks else None
        if name in _LEFT_OUT:
            self._skipped = 1
            return
        if name == _S:
            self._add(" " * min(repeats(attributes.get(_BLANKS)), _MOST_BLANKS), look)
        elif name == _TAB:
            self._add("\t", look)
        elif name == _BREAK:
            self._add("\n", look)
        elif name == _SPAN:
            own = self.styles.bold_span(attributes.get(_STYLE))
            look = look if own is None else own
        elif name == _LINK:
            self._link = True
        looks.append(look)
        self._looks = looks

    def _text(self, text: str) -> None:
        if self._looks is not None and not self._skipped:
            if "\n" in text or "  " in text or "\t" in text:
                text = _WHITE.sub(" ", text)
            if text.startswith(" ") and (not self._runs or self._runs[-1][0] == "\n"):
                text = text[1:]
            self._add(text, self._looks[-1] if self._looks else None)

    def _add(self, text: str, look: bool | None) -> None:
        self._runs.append((text, look))

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        elif self._looks:
            self._looks.pop()
        elif self._looks is not None:
            self._looks = None
            self._runs.append(("\n", None))
        elif self._table is None:
            return
        elif name in _CELLS:
            if self._cell is not None:
                self._table.add_cell(self._cell, None if self._covered else self._said())
                self._cell = None
        elif name == _ROW:
            self._table.close_row()
            self._rows += 1
            if not self._rows % _CHECK_EVERY:
                self.deadline.check()
        elif name == _TABLE:
            self.close_table(self._table)
            self._table = None

    def _said(self) -> CellText:
        """The text collected since the cell began; each paragraph has left a line break at its end."""
        runs = self._runs
        if not runs:
            return _NOTHING
        self._runs = []
        link, self._link = self._link, False
        if len(runs) == 2 and runs[0][1] is None:
            return CellText(runs[0][0], (), link)
        text = "".join([piece for piece, _ in runs])[:-1]
        rich = any(bold is not None for _, bold in runs)
        return CellText(text, tuple(runs) if rich else (), link)
