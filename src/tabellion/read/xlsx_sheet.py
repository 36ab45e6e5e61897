"""One worksheet part: its cells, and what stands around them (columns, merges, links)."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from lxml import etree

from tabellion.errors import MalformedError
from tabellion.model.document import Issue, Mark, Sheet, SheetCells
from tabellion.model.place import Place, Rect, address, range_text, rect_at
from tabellion.model.style import Style
from tabellion.read.limits import check_count
from tabellion.read.package import Package, parse_xml
from tabellion.read.xlsx_cells import CellTyper, join_cells
from tabellion.read.xlsx_scan import check_edges, scan_cells, split_sheet, walk_cells
from tabellion.read.xlsx_strings import Text

_EMPTY_DATA = re.compile(r"<((?:\w+:)?)sheetData\b[^>]*>.*</\1sheetData>", re.S)


def read_sheet(
    package: Package,
    part: str,
    name: str,
    styles: Sequence[Style],
    strings: Sequence[Text],
    epoch_1904: bool,
    hidden: bool,
) -> tuple[Sheet, list[Issue]]:
    """A sheet and the doubts met while reading it."""
    xml = package.xml(part)
    issues: list[Issue] = []
    if xml is None:
        issues.append(Issue("read", "the sheet's part is missing from the file; it is empty here", Place(sheet=name)))
        return Sheet(name=name, cells=join_cells([]), hidden=hidden), issues
    typer = CellTyper(styles, strings, epoch_1904)
    cells, hidden_rows = _cells(package, xml, part, typer)
    around = _around(xml, part)
    widths, hidden_columns = _columns(around, package)
    merges = _merges(around, cells, name, issues)
    cells = _linked(around, cells)
    for note, count in typer.problems.items():
        issues.append(Issue("read", f"{count} {note}", Place(sheet=name)))
    if typer.uncached:
        first = address(*typer.uncached[0])
        note = f"{len(typer.uncached)} formulas have no stored result; open and save the file in a spreadsheet program"
        issues.append(Issue("read", note, Place(sheet=name, range=first)))
    sheet = Sheet(
        name=name,
        cells=cells,
        styles=tuple(typer.styles),
        merges=merges,
        hidden_rows=frozenset(hidden_rows),
        hidden_columns=hidden_columns,
        column_widths=widths,
        hidden=hidden,
        epoch_1904=epoch_1904,
    )
    return sheet, issues


def _cells(package: Package, xml: str, part: str, typer: CellTyper) -> tuple[SheetCells, list[int]]:
    """The typed cells and the hidden rows; by pattern where that accounts for all, else by lxml."""
    limits, plain = package.limits, split_sheet(xml)
    for stretches in ([scan_cells(xml, plain)] if plain else []) + [walk_cells(xml, part)]:
        typed: list[SheetCells] = []
        hidden_rows: list[int] = []
        count = 0
        for raw in stretches:
            if raw is None:
                break
            package.deadline.check()
            count += len(raw.row)
            check_count(count, limits.cells, "cells", "cells")
            if raw.row:
                check_edges(max(raw.row) + 1, max(raw.column) + 1, limits.rows, limits.columns)
                typed.append(typer.typed(raw))
            hidden_rows += raw.hidden_rows
        else:
            return join_cells(typed), hidden_rows
    raise MalformedError(f"part {part} cannot be read as a sheet")


def _around(xml: str, part: str) -> etree._Element:
    """The sheet's XML without its cells."""
    plain = split_sheet(xml)
    if plain:
        return parse_xml(plain.before + plain.after, part)
    return parse_xml(_EMPTY_DATA.sub("", xml), part)


def _columns(root: etree._Element, package: Package) -> tuple[dict[int, float], frozenset[int]]:
    """Widths by column and the hidden columns; runs to the end of the sheet are cut at 1,024 columns."""
    widths: dict[int, float] = {}
    hidden: set[int] = set()
    for element in root.iterfind("{*}cols/{*}col"):
        try:
            first, last = int(element.get("min") or 1), int(element.get("max") or 1)
            width = float(element.get("width") or 0)
        except ValueError:
            continue
        span = range(max(0, first - 1), min(last, package.limits.columns, first - 1 + 1024))
        if width:
            widths |= dict.fromkeys(span, width)
        if element.get("hidden") in ("1", "true", "on"):
            hidden.update(span)
    return widths, frozenset(hidden)


def _merges(root: etree._Element, cells: SheetCells, name: str, issues: list[Issue]) -> tuple[Rect, ...]:
    """Merged ranges, none overlapping another and none reaching beyond the used range."""
    bottom = int(cells.row.max()) if len(cells) else 0
    right = int(cells.column.max()) if len(cells) else 0
    found: list[Rect] = []
    for element in root.iterfind("{*}mergeCells/{*}mergeCell"):
        try:
            rect = rect_at(element.get("ref") or "")
        except ValueError:
            issues.append(Issue("read", f"a merged range {element.get('ref')!r} is no range", Place(sheet=name)))
            continue
        if rect.top != rect.bottom or rect.left != rect.right:
            found.append(rect)
    return _tidy(found, bottom, right, name, issues)


def _tidy(found: list[Rect], bottom: int, right: int, name: str, issues: list[Issue]) -> tuple[Rect, ...]:
    kept: list[Rect] = []
    taken: dict[int, list[Rect]] = {}
    for rect in found:
        clipped = Rect(rect.top, rect.left, min(rect.bottom, max(bottom, rect.top)), min(rect.right, max(right, rect.left)))
        rows = range(clipped.top, clipped.bottom + 1)
        if any(r.left <= clipped.right and clipped.left <= r.right for row in rows for r in taken.get(row, ())):
            note = "a merged range overlaps another and was left out"
            issues.append(Issue("read", note, Place(sheet=name, range=range_text(rect))))
            continue
        for row in rows:
            taken.setdefault(row, []).append(clipped)
        kept.append(clipped)
    return tuple(kept)


def _linked(root: etree._Element, cells: SheetCells) -> SheetCells:
    """Cells with a hyperlink are marked."""
    for element in root.iterfind("{*}hyperlinks/{*}hyperlink"):
        try:
            rect = rect_at(element.get("ref") or "")
        except ValueError:
            continue
        inside = (cells.row >= rect.top) & (cells.row <= rect.bottom)
        inside &= (cells.column >= rect.left) & (cells.column <= rect.right)
        cells.marks[inside] |= np.uint8(Mark.LINK)
    return cells
