"""Excel 2003 XML workbooks (SpreadsheetML; named .xml, and often .xls): sheets with typed, styled cells.

In: bytes; out: `Contents`. Own reader over expat because no library reads this format. Formulas count with the results
that are stored; nothing of the document is ever run. Known to leave out: looks of whole rows and columns beyond the
cells, conditional formats, comments, and colours within a text.
"""

from __future__ import annotations

import re

from lxml import etree

from tabellion.errors import MalformedError, UsageError
from tabellion.model.document import Issue, Sheet
from tabellion.model.place import address
from tabellion.read.contents import Contents
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.merges import tidy_merges
from tabellion.read.package import xml_text
from tabellion.read.spreadsheetml_body import BodyParser
from tabellion.read.spreadsheetml_cells import SheetReader
from tabellion.read.spreadsheetml_styles import SHEET, WorkbookStyles
from tabellion.read.xlsx_cells import CellTyper, Looks, Strings
from tabellion.read.xlsx_names import state_tables, with_statements
from tabellion.read.xml_parts import elements_before

_OFFICE, _EXCEL = "{urn:schemas-microsoft-com:office:office}", "{urn:schemas-microsoft-com:office:excel}"
_FACTS, _SETTINGS = f"{_OFFICE}DocumentProperties", f"{_EXCEL}ExcelWorkbook"
_STYLES, _WORKSHEET = f"{SHEET}Styles", f"{SHEET}Worksheet"
_AREA = re.compile(r"!R(\d{1,7})C(\d{1,5})(?::R(\d{1,7})C(\d{1,5}))?(?=,|$)")


def read_spreadsheetml(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a workbook in their order, or the one that is named."""
    notes: list[str] = []
    xml = xml_text(data, "the file", notes).encode("utf-8", "replace")
    head = elements_before(xml, (_FACTS, _SETTINGS, _STYLES), _WORKSHEET)
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
