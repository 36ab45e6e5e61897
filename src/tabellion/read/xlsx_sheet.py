"""One worksheet part: its cells, and what stands around them (columns, merges, links)."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from lxml import etree

from tabellion.errors import MalformedError
from tabellion.model.document import Issue, Mark, Sheet, SheetCells
from tabellion.model.place import Place, Rect, rect_at
from tabellion.read.limits import check_count
from tabellion.read.merges import BEYOND, tidy_merges
from tabellion.read.package import Package, parse_xml
from tabellion.read.xlsx_cells import CellTyper, Looks, Strings, join_cells
from tabellion.read.xlsx_scan import SheetParts, check_edges, scan_cells, split_sheet
from tabellion.read.xlsx_walk import walk_cells

_DATA = re.compile(r"<((?:\w+:)?)sheetData\b[^<>]*>")
_WIDEST = 1000.0  # letters; spreadsheet programs stop at 255
_ON = ("1", "true", "on")


class Workbook(NamedTuple):
    """What all sheets of a workbook share."""

    package: Package
    looks: Looks
    strings: Strings
    epoch_1904: bool


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
        hidden_rows=frozenset(hidden_rows),
        hidden_columns=hidden_columns,
        column_widths=widths,
        hidden=hidden,
        epoch_1904=workbook.epoch_1904,
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
