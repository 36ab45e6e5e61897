"""What an OOXML workbook marks on its sheets: lists, pivot tables, filters, named and printed areas, frozen rows.

In: the part of a sheet with what stands around its cells, and the names of the workbook. Out: `SheetMarks`, and how
deep rows are grouped. What is broken marks nothing. Left out: slicers, data validation, and names that are computed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lxml import etree

from tabellion.errors import MalformedError
from tabellion.model.place import rect_at
from tabellion.model.stated import UNMARKED, MarkedArea, MarkedAs, SheetMarks
from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.read.excel.xlsx_scan import whole_number
from tabellion.read.spreadsheet.package import Package

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
