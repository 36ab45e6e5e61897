"""The cells of a sheet's XML as raw columns, by pattern where the XML is as programs write it, else by lxml.

Nearly every writer puts out `<c r="B4" s="7" t="s"><v>12</v></c>` without blanks, prefixes or comments. One pattern
reads a megabyte of that at a time, several times faster than a parser builds elements (bench/read_xlsx.py). The
pattern is trusted only where it accounts for every cell of the stretch; where it does not, the whole sheet is walked
with lxml, which gives the same columns.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from tabellion.errors import MalformedError, TooLargeError
from tabellion.read.package import SAFE
from tabellion.read.xlsx_strings import Text, element_text, inner_text, unescaped

_CELL = re.compile(
    r'<c r="([A-Z]+)([0-9]+)"(?: s="([0-9]+)")?(?: t="([A-Za-z]+)")?(?: (?:cm|vm|ph)="[0-9]+")*'
    r"(?:/>|>(<f(?: [^>]*)?/>|<f(?: [^>]*)?>[^<]*</f>)?"
    r"(?:<v(?: [^>]*)?>([^<]*)</v>|<v/>|<is>(.*?)</is>)?</c>)",
    re.S,
)
_FORMULA = re.compile(r"<f((?: [^>]*?)?)/?>(?:([^<]*)</f>)?", re.S)
_SHARED = re.compile(r'\bsi="([0-9]+)"')
_ROW = re.compile(r"<row\b([^>]*)>")
_ROW_NUMBER = re.compile(r'\br="([0-9]+)"')
_HIDDEN = re.compile(r'\bhidden="(?:1|true|on)"')
_STRETCH = 1 << 20  # characters of XML held as columns at a time: keeps the peak some tens of megabytes above the XML


class Formula(NamedTuple):
    """A formula's text, and the number of the shared formula it belongs to."""

    text: str
    shared: int | None


class RawCells(NamedTuple):
    """Cells as the XML has them, in parallel lists; formulas and inline texts by index."""

    row: list[int]
    column: list[int]
    style: list[int]
    kind: list[str]
    value: list[str]
    formula: dict[int, Formula]
    inline: dict[int, Text]
    hidden_rows: list[int]


class _Columns(dict[str, int]):
    """Column letters to column number, each worked out once."""

    def __missing__(self, letters: str) -> int:
        column = 0
        for letter in letters:
            column = column * 26 + ord(letter) - 64
        self[letters] = column - 1
        return column - 1


class _Wholes(dict[str, int]):
    def __missing__(self, digits: str) -> int:
        self[digits] = value = int(digits or 0)
        return value


class SheetParts(NamedTuple):
    """A sheet's XML split at its cells."""

    before: str
    start: int
    end: int
    after: str


def split_sheet(xml: str) -> SheetParts | None:
    """Where the cells are, or None where the XML is not of the plain kind."""
    start, end = xml.find("<sheetData>"), xml.rfind("</sheetData>")
    if start < 0 or end < 0:
        empty = xml.find("<sheetData/>")
        if empty < 0:
            return None
        return SheetParts(xml[:empty], empty, empty, xml[empty + len("<sheetData/>") :])
    if xml.find("<!", start, end) >= 0:
        return None
    return SheetParts(xml[:start], start + len("<sheetData>"), end, xml[end + len("</sheetData>") :])


def scan_cells(xml: str, parts: SheetParts) -> Iterator[RawCells | None]:
    """The cells, a stretch at a time; None where the pattern does not account for a stretch."""
    at, columns, wholes = parts.start, _Columns(), _Wholes()
    while at < parts.end:
        cut = xml.find("</row>", min(at + _STRETCH, parts.end), parts.end)
        cut = parts.end if cut < 0 else cut + len("</row>")
        found = _CELL.findall(xml, at, cut)
        if len(found) != xml.count("<c", at, cut):
            yield None
            return
        hidden: list[int] = []
        if xml.find(' hidden="', at, cut) >= 0:
            rows = [m[1] for m in _ROW.finditer(xml, at, cut) if _HIDDEN.search(m[1])]
            numbers = [_ROW_NUMBER.search(row) for row in rows]
            if not all(numbers):
                yield None
                return
            hidden = [int(number[1]) - 1 for number in numbers if number]
        if found:
            letters, digits, styles, kinds, formulas, values, inlines = zip(*found, strict=True)
            yield RawCells(
                row=[int(d) - 1 for d in digits],
                column=[columns[c] for c in letters],
                style=[wholes[s] for s in styles],
                kind=list(kinds),
                value=[unescaped(v) if "&" in v or "_x" in v else v for v in values],
                formula={i: _formula(f) for i, f in enumerate(formulas) if f},
                inline={i: inner_text(t) for i, t in enumerate(inlines) if t},
                hidden_rows=hidden,
            )
        elif hidden:
            yield RawCells([], [], [], [], [], {}, {}, hidden)
        at = cut


def _formula(found: str) -> Formula:
    match = _FORMULA.match(found)
    if match is None:
        return Formula("", None)
    shared = _SHARED.search(match[1])
    return Formula(unescaped(match[2] or ""), int(shared[1]) if shared else None)


def walk_cells(xml: str, name: str) -> Iterator[RawCells]:
    """The cells by lxml, whatever the XML looks like: prefixes, blanks, comments, absent addresses."""
    raw, row = RawCells([], [], [], [], [], {}, {}, []), -1
    events = etree.iterparse(io.BytesIO(xml.encode()), events=("end",), tag="{*}row", **SAFE)
    try:
        for _, element in events:
            row = _whole(element.get("r"), row + 2) - 1
            if element.get("hidden") in ("1", "true", "on"):
                raw.hidden_rows.append(row)
            _walk_row(element, row, raw)
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
            if len(raw.row) > _STRETCH // 64:
                yield raw
                raw = RawCells([], [], [], [], [], {}, {}, [])
    except etree.XMLSyntaxError as error:
        raise MalformedError(f"part {name} is not well-formed XML ({error.msg})") from error
    yield raw


def _walk_row(element: etree._Element, row: int, raw: RawCells) -> None:
    column, columns = -1, _Columns()
    for cell in element.iterfind("{*}c"):
        address = cell.get("r")
        if address:
            letters = address.rstrip("0123456789").upper()
            if not letters.isalpha() or not letters.isascii():
                raise MalformedError(f"a cell in row {row + 1} has the address {address!r}")
            column = columns[letters]
            row = _whole(address[len(letters) :], row + 1) - 1
        else:
            column += 1
        at = len(raw.row)
        raw.row.append(row)
        raw.column.append(column)
        raw.style.append(_whole(cell.get("s"), 0))
        raw.kind.append(cell.get("t") or "")
        value = ""
        for child in cell:
            match etree.QName(child).localname:
                case "v":
                    value = unescaped(child.text or "")
                case "f":
                    shared = child.get("si")
                    raw.formula[at] = Formula(child.text or "", _whole(shared, 0) if shared else None)
                case "is":
                    raw.inline[at] = element_text(child)
        raw.value.append(value)


def _whole(text: str | None, otherwise: int) -> int:
    try:
        return int(text) if text else otherwise
    except ValueError:
        return otherwise


def check_edges(rows: int, columns: int, row_limit: int, column_limit: int) -> None:
    """Raise where a cell lies beyond the limits."""
    if rows > row_limit:
        raise TooLargeError(f"a cell lies in row {rows:,}, over the limit of {row_limit:,}; raise Limits.rows")
    if columns > column_limit:
        raise TooLargeError(f"a cell lies in column {columns:,}, over the limit of {column_limit:,}; raise Limits.columns")
