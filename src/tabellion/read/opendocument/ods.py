"""OpenDocument spreadsheets (.ods, .fods): sheets with typed, styled cells.

In: bytes; out: `Contents`. Known to leave out: conditional styles, drawings, comments, the text of covered cells, and
looks of blank cells beyond the values.

The body of an OpenDocument spreadsheet, event by event: tables, rows, cells and their texts. Expat calls back for every
element and no tree is built, which is several times faster than elements of lxml, and memory follows the values.
Callers refuse documents with a document type beforehand, so there are no entities to expand. Text is paragraphs joined
by line breaks; comments, drawings and nested tables are left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
from lxml import etree

from tabellion.errors import EncryptedError, HostileError, MalformedError, UsageError
from tabellion.model.document import Issue, Sheet
from tabellion.model.place import Place, address, rect_at
from tabellion.model.stated import UNMARKED, MarkedArea, SheetMarks
from tabellion.patterns import short_pattern
from tabellion.read.encoding import decode_text
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.opendocument.cells import Attributes, CellText, TableReader
from tabellion.read.opendocument.styles import (
    DUBLIN,
    META,
    OFFICE,
    OFFICE_NAME,
    TABLE_NAME,
    TEXT_NAME,
    OdsStyles,
    repeats,
)
from tabellion.read.spreadsheet.package import Package, elements_before, stream_elements
from tabellion.read.spreadsheet.sheets import Contents, tidy_merges

_TABLE, _ROW, _COLUMN = TABLE_NAME + "table", TABLE_NAME + "table-row", TABLE_NAME + "table-column"
_CELL, _COVERED, _SHAPES = TABLE_NAME + "table-cell", TABLE_NAME + "covered-table-cell", TABLE_NAME + "shapes"
_CELLS = (_CELL, _COVERED)
_HEADER_ROWS, _RANGES = TABLE_NAME + "table-header-rows", (TABLE_NAME + "database-range", TABLE_NAME + "named-range")
_AREA = short_pattern(
    r"\$?(?:'((?:[^']|'')+)'|([^'.]+))\.(\$?[A-Z]{1,3}\$?\d{1,7}):[^:]*?\.(\$?[A-Z]{1,3}\$?\d{1,7})", longest=8_192
)
_MOST_RANGES = 200  # of a document; more are made by a program, and say nothing of tables
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
        self.ranges: list[Attributes] = []  # that are filtered or have a name
        self.nested = 0  # tables inside others

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
                self.nested += name == _TABLE
            elif name not in _LISTS:
                self._looks = []
        elif self._table is None:
            if name == _TABLE:
                self._table = self.open_table(attributes)
                self._skipped = int(self._table is None)
            elif name in _RANGES:
                self.ranges.append(attributes)
        elif name in _CELLS:
            self._cell, self._covered = attributes, name == _COVERED
        elif name == _ROW:
            self._table.open_row(attributes)
        elif name == _COLUMN:
            self._table.add_column(attributes)
        elif name in (_SHAPES, _TABLE):
            self._skipped = 1
            self.nested += name == _TABLE

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
        elif name == _HEADER_ROWS:
            self._table.end_heads()
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


_STYLES, _AUTOMATIC, _META = f"{OFFICE}styles", f"{OFFICE}automatic-styles", f"{OFFICE}meta"
_BODY = f"{OFFICE}body"


def read_ods(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a spreadsheet in their order, or the one that is named."""
    if not data.startswith(b"PK"):
        return _read_flat(data, limits, sheet)
    package = Package(data, limits)
    if b"encryption-data" in (package.part("META-INF/manifest.xml") or b""):
        raise EncryptedError("the spreadsheet is protected by a password; save it without one and try again")
    content = package.xml("content.xml")
    if content is None:
        raise MalformedError("the package has no content.xml; the file is damaged or is no spreadsheet")
    known = {tag: _element(package, part, tag) for part, tag in (("styles.xml", _STYLES), ("meta.xml", _META))}
    contents = _read_content(content.encode(), known, limits, sheet)
    notes = tuple(Issue("read", note) for note in package.notes)
    return msgspec.structs.replace(contents, issues=contents.issues + notes)


def _read_flat(data: bytes, limits: Limits, sheet: str | None) -> Contents:
    """One XML file that holds what a package has in parts."""
    text = decode_text(data).text.lstrip()
    if text.startswith("<?xml"):
        text = text[text.find("?>") + 2 :]
    if "<!DOCTYPE" in text:
        raise HostileError("the file has a document type (entities), which a spreadsheet never has")
    return _read_content(text.encode(), {}, limits, sheet)


def _element(package: Package, part: str, tag: str) -> etree._Element | None:
    """An element of a part that may be absent or broken; the sheets can be read without it."""
    try:
        root = package.tree(part)
    except MalformedError:
        package.notes.append(f"part {part} is broken and was left out")
        return None
    return root.find(tag) if root is not None else None


def _read_content(xml: bytes, known: dict[str, etree._Element | None], limits: Limits, only: str | None) -> Contents:
    known |= elements_before(xml, (_STYLES, _AUTOMATIC, _META), _BODY)
    styles = OdsStyles(known.get(_STYLES), known.get(_AUTOMATIC))
    sheets: list[Sheet] = []
    names: list[str] = []
    hidden: list[bool] = []
    issues: list[Issue] = []

    def open_table(attributes: Attributes) -> TableReader | None:
        names.append(attributes.get(f"{TABLE_NAME}name") or f"Sheet{len(names) + 1}")
        check_count(len(names), limits.sheets, "sheets", "sheets")
        hidden.append(styles.hides_sheet(attributes.get(f"{TABLE_NAME}style-name")))
        return TableReader(styles, limits) if only in (None, names[-1]) else None

    def close_table(table: TableReader) -> None:
        sheets.append(_sheet(table, names[-1], hidden[-1], issues))

    parser = BodyParser(styles, Deadline(limits), open_table, close_table)
    parser.parse(xml)
    if only is not None and only not in names:
        raise UsageError(f"no sheet named {only!r}; the sheets are: {', '.join(names)}")
    if parser.nested:
        issues.append(Issue("read", f"tables inside the cells of others were left out: {parser.nested:,}"))
    title, authors = _document_facts(known.get(_META))
    return Contents(_with_ranges(sheets, parser.ranges), tuple(names), title, authors, tuple(issues))


def _with_ranges(sheets: list[Sheet], ranges: list[Attributes]) -> tuple[Sheet, ...]:
    """The sheets with the areas on them that are filtered or have a name."""
    marked: dict[str, list[MarkedArea]] = {}
    for attributes in ranges if len(ranges) <= _MOST_RANGES else ():
        filtered = attributes.get(f"{TABLE_NAME}target-range-address")
        match = _AREA.fullmatch(filtered or attributes.get(f"{TABLE_NAME}cell-range-address") or "")
        if match is None:
            continue
        area = rect_at(f"{match[3]}:{match[4]}".replace("$", ""))
        headed = attributes.get(f"{TABLE_NAME}contains-header") != "false"
        one = MarkedArea("filter", area, int(headed)) if filtered else MarkedArea("name", area)
        if headed and area.height > 1 and area.width > 1:
            marked.setdefault(match[1] or match[2], []).append(one)
    return tuple(
        msgspec.structs.replace(sheet, marked=SheetMarks(tuple(marked[sheet.name]), sheet.marked.heads))
        if sheet.name in marked
        else sheet
        for sheet in sheets
    )


def _sheet(table: TableReader, name: str, hidden: bool, issues: list[Issue]) -> Sheet:
    cells = table.cells()
    if table.uncached:
        note = "formulas have no stored result; open and save the file in a spreadsheet program"
        place = Place(sheet=name, range=address(*table.uncached[0]))
        issues.append(Issue("read", f"{len(table.uncached)} {note}", place))
    return Sheet(
        name=name,
        cells=cells,
        styles=tuple(table.styles.styles),
        merges=tidy_merges(table.merges, cells, name, issues),
        hidden_rows=table.hidden_rows(cells),
        hidden_columns=frozenset(table.hidden_columns),
        column_widths=table.column_widths,
        hidden=hidden,
        marked=SheetMarks(heads=(table.last_head,)) if table.last_head is not None else UNMARKED,
    )


def _document_facts(meta: etree._Element | None) -> tuple[str | None, tuple[str, ...]]:
    """Title and author, where they are said."""
    if meta is None:
        return None, ()
    title = (meta.findtext(f"{DUBLIN}title") or "").strip() or None
    author = (meta.findtext(f"{META}initial-creator") or meta.findtext(f"{DUBLIN}creator") or "").strip()
    return title, (author,) if author else ()
