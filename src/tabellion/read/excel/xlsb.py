"""Binary Excel workbooks (.xlsb): values and their number formats only, with an issue that says so.

In: bytes; out: `Contents`. python-calamine gives typed values, but no looks, formulas, merged areas or hidden rows; the
number formats, which say how values are shown, are read from the records themselves ([MS-XLSB] 2.4). Calamine holds the
whole rectangle that values span, so the extent of every sheet is checked beforehand.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetTypeEnum, SheetVisibleEnum

from tabellion.errors import EncryptedError, MalformedError, UsageError
from tabellion.model.document import Issue, Sheet, SheetCells, Stored
from tabellion.model.style import PLAIN, Style
from tabellion.read.excel.xlsx_cells import join_cells
from tabellion.read.limits import Limits, check_count
from tabellion.read.spreadsheet.package import Package
from tabellion.read.spreadsheet.sheets import BUILT_IN, Contents, Shown, date_text, number_text
from tabellion.read.spreadsheet.shown_text import number_writer

_NOTE = "this is a binary workbook (.xlsb), of which only values are read: no looks, merged areas or formulas"
_STYLES, _FORMAT, _LOOK, _LOOKS, _LOOKS_END = "xl/styles.bin", 44, 47, 617, 618  # records of the styles
_EPOCH = datetime(1899, 12, 30)
_WORKBOOK, _SHEET_ENTRY = "xl/workbook.bin", 156
_ROW_HEADER, _LAST_CELL_RECORD = 0, 11  # the records of a row, and of the cells of that row
_LEAST_RECORD = 8  # bytes of the place and the look, with which each of these begins
_SHOWN_BY_FORMAT = (Stored.NUMBER, Stored.DATE)
_ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA")


def read_xlsb(data: bytes, limits: Limits, sheet: str | None = None) -> Contents:
    """The sheets of a workbook in their order, or the one that is named."""
    package = Package(data, limits)
    _check_parts(package, limits)
    try:
        names, sheets = _read_sheets(data, package, sheet)
    except PasswordError as error:
        raise EncryptedError("the workbook is protected by a password; save it without one and try again") from error
    except (CalamineError, OSError, ValueError, OverflowError) as error:
        raise MalformedError(f"the binary workbook is damaged ({error})") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how a failed assertion of calamine reaches Python
            raise
        raise MalformedError("the binary workbook is damaged") from error
    return Contents(sheets, names, issues=(Issue("read", _NOTE), *(Issue("read", note) for note in package.notes)))


def _read_sheets(data: bytes, package: Package, only: str | None) -> tuple[tuple[str, ...], tuple[Sheet, ...]]:
    """The names of all worksheets, and those that were asked for."""
    workbook = CalamineWorkbook.from_filelike(io.BytesIO(data))
    kept = [each for each in workbook.sheets_metadata if each.typ == SheetTypeEnum.WorkSheet]
    names = tuple(each.name for each in kept)
    if only is not None and only not in names:
        raise UsageError(f"no sheet named {only!r}; the sheets are: {', '.join(names)}")
    check_count(len(names), package.limits.sheets, "sheets", "sheets")
    codes, parts = _formats(package), _sheet_parts(package)
    styles = (PLAIN, *(Style(number_format=code) for code in dict.fromkeys(filter(None, codes))))
    numbers = {style.number_format: number for number, style in enumerate(styles)}
    style_of_look = [numbers[code] for code in codes]
    sheets = tuple(
        Sheet(
            name=each.name,
            cells=_cells(workbook, each.name, _styled(parts.get(each.name, b""), style_of_look), styles),
            styles=styles,
            hidden=each.visible != SheetVisibleEnum.Visible,
        )
        for each in kept
        if only in (None, each.name)
    )
    return names, sheets


def _formats(package: Package) -> list[str | None]:
    """The format code of each look that cells may have; None where there is none."""
    known: dict[int, str] = dict(BUILT_IN)
    found: list[str | None] = []
    inside = False
    for code, data in _records(package.part(_STYLES) or b""):
        if code == _FORMAT:
            known[int.from_bytes(data[:2], "little")] = _wide_text(data[2:])[0]
        elif code in (_LOOKS, _LOOKS_END):
            inside = code == _LOOKS
        elif code == _LOOK and inside:
            format_code = known.get(int.from_bytes(data[2:4], "little"), "General")
            found.append(None if format_code == "General" else format_code)
    return found


def _sheet_parts(package: Package) -> dict[str, bytes]:
    """The records of each sheet, by its name."""
    related = package.relationships(_WORKBOOK)
    found: dict[str, bytes] = {}
    for code, data in _records(package.part(_WORKBOOK) or b""):
        if code == _SHEET_ENTRY:
            key, rest = _wide_text(data[8:])
            found[_wide_text(rest)[0]] = package.part(related[key].target) or b""
    return found


def _styled(part: bytes, styles: list[int]) -> dict[tuple[int, int], int]:
    """The style of each cell that has a number format."""
    found: dict[tuple[int, int], int] = {}
    row = 0
    for code, data in _records(part) if any(styles) else ():
        if code == _ROW_HEADER:
            row = int.from_bytes(data[:4], "little")
        elif code <= _LAST_CELL_RECORD:
            look = int.from_bytes(data[4:7], "little")
            if look < len(styles) and styles[look]:
                found[row, int.from_bytes(data[:4], "little")] = styles[look]
    return found


def _check_parts(package: Package, limits: Limits) -> None:
    """Refuse what calamine would stumble over: records cut short, sheets that are not there, vast extents."""
    for name in package.names:
        if "worksheets/" in name and name.endswith(".bin") and "binaryindex" not in name:
            package.deadline.check()
            _check_extent(package.part(name) or b"", limits)
    related = package.relationships(_WORKBOOK)
    for code, data in _records(package.part(_WORKBOOK) or b""):
        if code == _SHEET_ENTRY:
            key, rest = _wide_text(data[8:])
            _wide_text(rest)
            if key not in related:
                raise MalformedError("the workbook lists a sheet that is not in the file")


def _wide_text(data: bytes) -> tuple[str, bytes]:
    """A text that is led by its length, and what follows it."""
    end = 4 + 2 * int.from_bytes(data[:4], "little")
    if len(data) < 4 or end > len(data):
        raise MalformedError("a record of the binary workbook is cut short")
    return data[4:end].decode("utf-16-le", errors="replace"), data[end:]


def _records(part: bytes) -> Iterator[tuple[int, bytes]]:
    """The records of a part: a number and a size of seven bits a byte each, then the data."""
    at, end = 0, len(part)
    while at < end:
        code = part[at]
        at += 1
        if code & 0x80 and at < end:
            code = (code & 0x7F) | part[at] << 7
            at += 1
        size = shift = 0
        while at < end and shift < 28:
            piece = part[at]
            at += 1
            size |= (piece & 0x7F) << shift
            shift += 7
            if not piece & 0x80:
                break
        if at + size > end:
            raise MalformedError("a record of the binary workbook is cut short")
        yield code, part[at : at + size]
        at += size


def _check_extent(part: bytes, limits: Limits) -> None:
    """Raise where the rectangle that a sheet's values span is over the limits."""
    row, top, bottom, right = 0, limits.rows, 0, 0
    for code, data in _records(part):
        if code <= _LAST_CELL_RECORD and len(data) < _LEAST_RECORD:  # calamine goes on with what it read before
            raise MalformedError("a record of the binary workbook is cut short")
        if code == _ROW_HEADER:
            row = int.from_bytes(data[:4], "little")
        elif code <= _LAST_CELL_RECORD:
            right = max(right, int.from_bytes(data[:4], "little"))
            top, bottom = min(top, row), max(bottom, row)
    check_count(bottom + 1, limits.rows, "rows", "rows")
    check_count(right + 1, limits.columns, "columns", "columns")
    check_count(max(0, bottom + 1 - top) * (right + 1), limits.cells, "cells", "cells")


def _cells(workbook: Any, name: str, styled: Mapping[tuple[int, int], int], styles: Sequence[Style]) -> SheetCells:
    rows = workbook.get_sheet_by_name(name).to_python(skip_empty_area=False)
    found = [
        (row, column, *_typed(value))
        for row, values in enumerate(rows)
        for column, value in enumerate(values)
        if value != ""
    ]
    found = [cell for cell in found if cell[4]]
    if not found:
        return join_cells([])
    row_numbers, columns, texts, numbers, stored = zip(*found, strict=True)
    style = [styled.get(cell, 0) for cell in zip(row_numbers, columns, strict=True)]
    text = np.empty(len(found), dtype=object)
    text[:] = [
        number_writer(styles[look].number_format)(number) if look and kind in _SHOWN_BY_FORMAT else said
        for said, number, kind, look in zip(texts, numbers, stored, style, strict=True)
    ]
    return SheetCells(
        row=np.array(row_numbers, dtype=np.int32),
        column=np.array(columns, dtype=np.int32),
        text=text,
        stored=np.array(stored, dtype=np.uint8),
        number=np.array(numbers, dtype=np.float64),
        style=np.array(style, dtype=np.int32),
        marks=np.zeros(len(found), dtype=np.uint8),
    )


def _typed(value: object) -> tuple[str, float, int]:
    """Text, number and how it is stored, of a value as calamine gives it."""
    nan = float("nan")
    if isinstance(value, bool):
        return ("TRUE" if value else "FALSE"), nan, Stored.BOOLEAN
    if isinstance(value, int | float):
        return number_text(float(value)), float(value), Stored.NUMBER
    if isinstance(value, datetime | date):
        moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        serial = (moment - _EPOCH).total_seconds() / 86400
        return date_text(serial, Shown.DATE), serial, Stored.DATE
    if isinstance(value, time | timedelta):
        span = value if isinstance(value, timedelta) else datetime.combine(_EPOCH, value) - _EPOCH
        serial = span.total_seconds() / 86400
        return date_text(serial, Shown.TIME), serial, Stored.DATE
    text = str(value)
    if text in _ERRORS:
        return text, nan, Stored.ERROR
    return text, nan, Stored.EMPTY if text.isspace() or not text else Stored.TEXT
