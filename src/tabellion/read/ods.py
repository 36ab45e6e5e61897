"""OpenDocument spreadsheets (.ods, and .fods, which is one XML file): sheets with typed, styled cells.

In: bytes; out: `Contents`. Known to leave out: conditional styles, drawings, comments, the text of covered cells, and
looks of blank cells beyond the values.
"""

from __future__ import annotations

import msgspec
from lxml import etree

from tabellion.errors import EncryptedError, HostileError, MalformedError, UsageError
from tabellion.model.document import Issue, Sheet
from tabellion.model.place import Place, address
from tabellion.read.contents import Contents
from tabellion.read.encoding import decode_text
from tabellion.read.limits import Deadline, Limits, check_count
from tabellion.read.merges import tidy_merges
from tabellion.read.ods_body import BodyParser
from tabellion.read.ods_cells import Attributes, TableReader
from tabellion.read.ods_names import DUBLIN, META, OFFICE, TABLE_NAME
from tabellion.read.ods_styles import OdsStyles
from tabellion.read.package import Package
from tabellion.read.xml_parts import elements_before

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

    BodyParser(styles, Deadline(limits), open_table, close_table).parse(xml)
    if only is not None and only not in names:
        raise UsageError(f"no sheet named {only!r}; the sheets are: {', '.join(names)}")
    title, authors = _document_facts(known.get(_META))
    return Contents(tuple(sheets), tuple(names), title, authors, tuple(issues))


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
    )


def _document_facts(meta: etree._Element | None) -> tuple[str | None, tuple[str, ...]]:
    """Title and author, where they are said."""
    if meta is None:
        return None, ()
    title = (meta.findtext(f"{DUBLIN}title") or "").strip() or None
    author = (meta.findtext(f"{META}initial-creator") or meta.findtext(f"{DUBLIN}creator") or "").strip()
    return title, (author,) if author else ()
