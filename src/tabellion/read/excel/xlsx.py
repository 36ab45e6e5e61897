"""Workbooks of the OOXML family (.xlsx, .xlsm): sheets with typed, styled cells.

In: the bytes of a zip package; out: `Contents`. Own reader over zip and XML because no library gives values, styles and
cached formula results at this speed (bench/read_xlsx.py). Nothing of the document is ever run. Known to leave out:
styles of whole rows and columns, conditional formats, drawings, comments and pivot caches.

What a workbook marks on its sheets: lists, pivot tables, filters, named and printed areas, frozen rows. In: the part of
a sheet with what stands around its cells, and the names of the workbook. Out: `SheetMarks`, and how deep rows are
grouped. What is broken marks nothing. Left out: slicers, data validation, and names that are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from lxml import etree

from tabellion.errors import MalformedError, UsageError
from tabellion.model.document import Issue, Mark, Sheet, SheetCells
from tabellion.model.place import Place, Rect, rect_at
from tabellion.model.stated import UNMARKED, MarkedArea, MarkedAs, SheetMarks, StatedTable
from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.read.excel.xlsx_cells import CellTyper, Looks, Strings, join_cells
from tabellion.read.excel.xlsx_parts import Text, read_strings, read_styles
from tabellion.read.excel.xlsx_scan import SheetParts, check_edges, scan_cells, split_sheet, walk_cells, whole_number
from tabellion.read.limits import Limits, check_count
from tabellion.read.spreadsheet.package import Package, Relationship, parse_xml
from tabellion.read.spreadsheet.sheets import BEYOND, Contents, across_areas, state_tables, tidy_merges, with_statements

Named = dict[str, list[str]]
"""Name -> the areas that it stands for on one sheet, without the sheet's own name."""

_MOST_AREAS = 200  # that one sheet may mark; more are made by a program, and say nothing of tables
_REFERENCE = short_pattern(r"(?:'((?:[^']|'')+)'|([^'!,]+))!([^,!']+)(?:,|$)", longest=8_192)
_ROWS = lazy_pattern(r"\$?(\d{1,7}):\$?(\d{1,7})")
_AREA = lazy_pattern(r"\$?[A-Z]{1,3}\$?\d{1,7}:\$?[A-Z]{1,3}\$?\d{1,7}")
_ADDRESS_ROW = lazy_pattern(r"[A-Z]{1,3}(\d{1,7})")
_GROUPED_ROW = lazy_pattern(r'<(?:\w+:)?row\b(?=[^>]*\br="(\d+)")(?=[^>]*\boutlineLevel="([1-7])")')
_PRINT_AREA, _PRINT_TITLES, _BUILT_IN = "_xlnm.Print_Area", "_xlnm.Print_Titles", "_xlnm."
_OFF = ("0", "false")


def read_names(workbook: etree._Element, sheets: Sequence[str]) -> dict[str, Named]:
    """Sheet -> the names that the workbook part gives to areas of it."""
    found: dict[str, Named] = {}
    for element in workbook.iterfind("{*}definedNames/{*}definedName"):
        name = element.get("name") or ""
        for quoted, plain, area in _REFERENCE.findall(element.text or ""):
            sheet = quoted.replace("''", "'") or plain
            if sheet in sheets:
                found.setdefault(sheet, {}).setdefault(name, []).append(area)
    return found


def read_marks(package: Package, part: str, around: etree._Element, named: Mapping[str, list[str]]) -> SheetMarks:
    """The marks of a sheet."""
    areas = [*_related_areas(package, part), *_filters(around), *_named_areas(named)]
    heads = [*_frozen(around), *_printed_heads(named)]
    if len(areas) > _MOST_AREAS:
        areas = []
    return SheetMarks(tuple(dict.fromkeys(areas)), tuple(sorted(set(heads)))) if areas or heads else UNMARKED


def read_outline(xml: str, around: etree._Element) -> dict[int, int]:
    """How deep each row is grouped, where the row that sums a group up stands above it; by default it stands below."""
    settings = around.find("{*}sheetPr/{*}outlinePr")
    if settings is None or settings.get("summaryBelow") not in _OFF:
        return {}
    return {int(row) - 1: int(level) for row, level in _GROUPED_ROW.findall(xml)}


def _related_areas(package: Package, part: str) -> Iterator[MarkedArea]:
    """The lists and pivot tables, which are parts of their own."""
    if part.rpartition("/")[0] + "/_rels/" + part.rpartition("/")[2] + ".rels" not in package:
        return
    for relationship in package.relationships(part).values():
        if relationship.kind not in ("table", "pivotTable") or relationship.external:
            continue
        try:
            root = package.tree(relationship.target)
        except MalformedError:
            continue
        if root is None:
            continue
        if relationship.kind == "table":
            heads = whole_number(root.get("headerRowCount"), 1)
            totals = whole_number(root.get("totalsRowCount"), 0)
            yield from _area("table", root.get("ref"), heads, 0, totals)
        elif (place := root.find("{*}location")) is not None:
            heads, stubs = (whole_number(place.get(key), 1) for key in ("firstDataRow", "firstDataCol"))
            yield from _area("pivot", place.get("ref"), heads, stubs)


def _area(
    kind: MarkedAs, reference: str | None, heads: int = 0, stubs: int = 0, totals: int = 0
) -> Iterator[MarkedArea]:
    try:
        area = rect_at((reference or "").replace("$", ""))
    except ValueError:
        return
    if area.height > heads + totals and area.width > 1 and min(heads, stubs, totals) >= 0:
        yield MarkedArea(kind, area, heads, stubs, totals)


def _filters(around: etree._Element) -> Iterator[MarkedArea]:
    for element in around.iterfind("{*}autoFilter"):
        yield from _area("filter", element.get("ref"), 1)


def _named_areas(named: Mapping[str, list[str]]) -> Iterator[MarkedArea]:
    """Ranges with names of their own, and what is printed."""
    for name, references in named.items():
        if name == _PRINT_AREA or not name.startswith(_BUILT_IN):
            for reference in references:
                if _AREA.fullmatch(reference):
                    yield from _area("print" if name == _PRINT_AREA else "name", reference)


def _frozen(around: etree._Element) -> Iterator[int]:
    """The last row that stays in view."""
    for view in around.iterfind("{*}sheetViews/{*}sheetView"):
        pane = view.find("{*}pane")
        if pane is None or pane.get("state") not in ("frozen", "frozenSplit"):
            continue
        rows = whole_number((pane.get("ySplit") or "").partition(".")[0], 0)
        first = _ADDRESS_ROW.fullmatch(view.get("topLeftCell") or "")
        if rows > 0:
            yield rows - 1 + (int(first[1]) - 1 if first else 0)


def _printed_heads(named: Mapping[str, list[str]]) -> Iterator[int]:
    """The last row that is printed on every page."""
    for reference in named.get(_PRINT_TITLES, ()):
        rows = _ROWS.fullmatch(reference)
        if rows:
            yield int(rows[2]) - 1


_DATA = lazy_pattern(r"<((?:\w+:)?)sheetData\b[^<>]*>")
_WIDEST = 1000.0  # letters; spreadsheet programs stop at 255
_ON = ("1", "true", "on")


class Workbook(NamedTuple):
    """What all sheets of a workbook share."""

    package: Package
    looks: Looks
    strings: Strings
    epoch_1904: bool
    names: Mapping[str, Mapping[str, list[str]]] = {}  # sheet -> name -> the areas that it names there


def read_sheet(workbook: Workbook, part: str, name: str, hidden: bool) -> tuple[Sheet, list[Issue]]:
    """A sheet and the doubts met while reading it."""
    xml = workbook.package.xml(part)
    issues: list[Issue] = []
    if xml is None:
        issues.append(Issue("read", "the sheet's part is missing from the file; it is empty here", Place(sheet=name)))
        return Sheet(name=name, cells=join_cells([]), hidden=hidden), issues
    plain = split_sheet(xml)
    cells, hidden_rows, typer = _cells(workbook, xml, plain, part)
    around = parse_xml(plain.before + plain.after if plain else _without_cells(xml), part)
    right = int(cells.column.max()) if len(cells) else 0
    widths, hidden_columns = _columns(around, right + BEYOND)
    merges = _merges(around, cells, name, issues)
    _mark_links(around, cells)
    issues.extend(typer.issues(name))
    sheet = Sheet(
        name=name,
        cells=cells,
        styles=tuple(typer.styles),
        merges=merges,
        centred=across_areas(cells, typer.styles, merges),
        hidden_rows=frozenset(hidden_rows),
        hidden_columns=hidden_columns,
        column_widths=widths,
        hidden=hidden,
        epoch_1904=workbook.epoch_1904,
        marked=read_marks(workbook.package, part, around, workbook.names.get(name, {})),
        outline=read_outline(xml, around),
    )
    return sheet, issues


def _cells(
    workbook: Workbook, xml: str, plain: SheetParts | None, part: str
) -> tuple[SheetCells, list[int], CellTyper]:
    """The typed cells, the hidden rows and what typed them; by pattern where that accounts for all, else by lxml."""
    limits = workbook.package.limits
    for stretches in ([scan_cells(xml, plain)] if plain else []) + [walk_cells(xml, part)]:
        typer = CellTyper(workbook.looks, workbook.strings, workbook.epoch_1904)
        typed: list[SheetCells] = []
        hidden_rows: list[int] = []
        count = 0
        for raw in stretches:
            if raw is None:
                break
            workbook.package.deadline.check()
            count += len(raw.row)
            check_count(count, limits.cells, "cells", "cells")
            if len(raw.row):
                if raw.row.min() < 0 or raw.column.min() < 0:
                    raise MalformedError(f"part {part} has a cell above row 1")
                check_edges(int(raw.row.max()) + 1, int(raw.column.max()) + 1, limits.rows, limits.columns)
                typed.append(typer.typed(raw))
            hidden_rows += raw.hidden_rows
        else:
            return join_cells(typed), hidden_rows, typer
    raise MalformedError(f"part {part} cannot be read as a sheet")


def _without_cells(xml: str) -> str:
    """The sheet's XML less what is inside `sheetData`, under whatever prefix."""
    start = _DATA.search(xml)
    end = xml.rfind(f"</{start[1]}sheetData>") if start else -1
    return xml[: start.end()] + xml[end:] if start and end >= start.end() else xml


def _columns(root: etree._Element, last_column: int) -> tuple[dict[int, float], frozenset[int]]:
    """Widths by column and the hidden columns, as far as there is something to see."""
    widths: dict[int, float] = {}
    hidden: set[int] = set()
    for element in root.iterfind("{*}cols/{*}col"):
        try:
            first, last = int(element.get("min") or 1) - 1, int(element.get("max") or 1) - 1
            width = float(element.get("width") or 0)
        except ValueError:
            continue
        if first > last_column:
            continue
        span = range(max(0, first), min(last, last_column) + 1)
        if 0 < width < _WIDEST:
            widths.update(dict.fromkeys(span, width))
        if element.get("hidden") in _ON:
            hidden.update(span)
    return widths, frozenset(hidden)


def _merges(root: etree._Element, cells: SheetCells, name: str, issues: list[Issue]) -> tuple[Rect, ...]:
    """Merged ranges, made tidy; what is no range becomes an issue."""
    found: list[Rect] = []
    for element in root.iterfind("{*}mergeCells/{*}mergeCell"):
        try:
            found.append(rect_at(element.get("ref") or ""))
        except ValueError:
            issues.append(Issue("read", f"a merged range {element.get('ref')!r} is no range", Place(sheet=name)))
    return tidy_merges(found, cells, name, issues)


def _mark_links(root: etree._Element, cells: SheetCells) -> None:
    """Mark the cells that have a hyperlink."""
    for element in root.iterfind("{*}hyperlinks/{*}hyperlink"):
        try:
            rect = rect_at(element.get("ref") or "")
        except ValueError:
            continue
        first, last = np.searchsorted(cells.row, (rect.top, rect.bottom + 1))
        columns = cells.column[first:last]
        cells.marks[first:last][(columns >= rect.left) & (columns <= rect.right)] |= np.uint8(Mark.LINK)


def read_statements(workbook: etree._Element) -> dict[str, tuple[StatedTable, ...]]:
    """Sheet -> the tables that the names of a workbook part state there."""
    elements = workbook.iterfind("{*}definedNames/{*}definedName")
    return state_tables((element.get("name") or "", element.text or "") for element in elements)


_TRUE = ("1", "true", "on")


def read_xlsx(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a workbook in their order, or the one that is named."""
    return read_workbook(Package(data, limits), limits, sheet)


def read_workbook(package: Package, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of an opened package."""
    part = _workbook_part(package)
    root = package.tree(part)
    if root is None:
        raise MalformedError("the workbook part is missing; the file is damaged")
    related = package.relationships(part)
    targets = _sheet_parts(root, related, package)
    check_count(len(targets), limits.sheets, "sheets", "sheets")
    names = tuple(name for name, _, _ in targets)
    if sheet is not None:
        if sheet not in names:
            raise UsageError(f"no sheet named {sheet!r}; the sheets are: {', '.join(names)}")
        targets = [t for t in targets if t[0] == sheet]
    properties = root.find("{*}workbookPr")
    epoch_1904 = properties is not None and properties.get("date1904") in _TRUE
    issues: list[Issue] = []
    styles = read_styles(package, _related(related, "styles", package), _related(related, "theme", package), issues)
    strings = _strings(package, _related(related, "sharedStrings", package))
    named = read_names(root, names)
    workbook = Workbook(package, Looks(styles), Strings(strings), epoch_1904, named)
    sheets = with_statements(_read_sheets(workbook, targets, issues), read_statements(root))
    title, authors = _document_facts(package)
    issues.extend(Issue("read", note) for note in package.notes)
    return Contents(sheets, names, title, authors, tuple(issues))


def _read_sheets(workbook: Workbook, targets: list[tuple[str, str, bool]], issues: list[Issue]) -> tuple[Sheet, ...]:
    """The sheets; one that is broken is left out, with a word on it, where others can be read."""
    sheets: list[Sheet] = []
    failed: MalformedError | None = None
    for name, target, hidden in targets:
        try:
            sheet, notes = read_sheet(workbook, target, name, hidden)
        except MalformedError as error:
            failed = failed or error
            issues.append(Issue("read", f"the sheet was left out: {error}", Place(sheet=name)))
        else:
            sheets.append(sheet)
            issues.extend(notes)
    if failed and not sheets:
        raise failed
    return tuple(sheets)


def _workbook_part(package: Package) -> str:
    for relationship in package.relationships("").values():
        if relationship.kind == "officeDocument" and relationship.target in package:
            return relationship.target
    for name in ("xl/workbook.xml", "workbook.xml"):
        if name in package:
            return name
    raise MalformedError("the package has no workbook part; the file is damaged or is no workbook")


def _related(related: dict[str, Relationship], kind: str, package: Package) -> str | None:
    """The part of a kind; by its usual name where the relationship is missing."""
    for relationship in related.values():
        if relationship.kind == kind and relationship.target in package:
            return relationship.target
    usual = {"styles": "xl/styles.xml", "sharedStrings": "xl/sharedStrings.xml", "theme": "xl/theme/theme1.xml"}[kind]
    return usual if usual in package else None


def _sheet_parts(
    root: etree._Element, related: dict[str, Relationship], package: Package
) -> list[tuple[str, str, bool]]:
    """Name, part and whether it is hidden, of every worksheet in workbook order; chart sheets are left out."""
    found: list[tuple[str, str, bool]] = []
    for number, element in enumerate(root.iterfind("{*}sheets/{*}sheet"), 1):
        name = element.get("name") or f"Sheet{number}"
        key = next((str(v) for k, v in element.items() if str(k).endswith("}id") or k == "id"), None)
        relationship = related.get(key) if key else None
        if relationship is not None and relationship.kind not in ("worksheet",):
            continue
        part = relationship.target if relationship is not None else f"xl/worksheets/sheet{number}.xml"
        found.append((name, part, element.get("state") in ("hidden", "veryHidden")))
    return found


def _strings(package: Package, part: str | None) -> list[Text]:
    xml = package.xml(part) if part else None
    return read_strings(xml, part) if xml and part else []


def _document_facts(package: Package) -> tuple[str | None, tuple[str, ...]]:
    """Title and authors from the core properties, where they are there and readable."""
    try:
        root = package.tree("docProps/core.xml")
    except MalformedError:
        root = None
    if root is None:
        return None, ()
    title = (root.findtext("{*}title") or "").strip() or None
    creators = (root.findtext("{*}creator") or "").split(";")
    return title, tuple(name.strip() for name in creators if name.strip())
