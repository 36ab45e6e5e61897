"""The cells of a sheet's XML as raw columns, by one pattern or by lxml.

Nearly every writer puts out `<c r="B4" s="7" t="s"><v>12</v></c>` without blanks, prefixes or comments. One pattern
reads that several times faster than a parser builds elements (bench/read_xlsx.py). It is trusted only where it accounts
for every tag among the cells; where it does not, the whole sheet is read by lxml, which gives the same columns.

The cells of a sheet's XML by lxml, whatever the XML looks like: prefixes, blanks, comments, absent addresses. The way
for sheets that the pattern does not account for: several times slower, the same columns. Elements are dropped as soon
as they are read, so that memory does not grow with the sheet.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from tabellion.errors import MalformedError, TooLargeError
from tabellion.patterns import lazy_pattern
from tabellion.read.excel.xlsx_parts import Text, element_text, inner_text, unescaped
from tabellion.read.spreadsheet.package import SAFE, broken_part

# Six groups: address, style, type, formula, value, inline text.
# No part of the pattern can match in two ways or run past the next cell, so its cost is linear in the XML.
_CELL = lazy_pattern(
    r'<c r="([A-Z]{1,3}+[0-9]{1,7}+)"(?: s="([0-9]{1,6}+)")?+(?: t="([A-Za-z]++)")?+(?: (?:cm|vm|ph)="[0-9]++")*+ ?+'
    r"(?:/>|>(<f(?: [^<>]*+)?+>(?:[^<]*+</f>)?+)?+"
    r"(?:<v>([^<]*+)</v>|<v ?+/>|<is>((?:[^<]++|<(?!/is>|c[ >]))*+)</is>)?+</c>)"
)
_FORMULA = lazy_pattern(r"<f([^>]*)>([^<]*)")
_SHARED = lazy_pattern(r'\bsi="([0-9]+)"')
_ROW = lazy_pattern(r"<row\b([^>]*)>")
_ROW_NUMBER = lazy_pattern(r'\br="([0-9]+)"')
_HIDDEN = lazy_pattern(r'\bhidden="(?:1|true|on)"')
_STRETCH = 1 << 18  # characters of XML split at a time: the pieces stay in the processor's cache


class Formula(NamedTuple):
    """A formula's text, and the number of the shared formula it belongs to."""

    text: str
    shared: int | None


class RawCells(NamedTuple):
    """Cells as the XML has them, in parallel arrays; formulas and inline texts by index."""

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    style: NDArray[np.int32]
    kind: list[str | None]
    value: list[str | None]
    formula: dict[int, Formula]
    inline: dict[int, Text]
    hidden_rows: list[int]


class _Wholes(dict[str | None, int]):
    """Style numbers, each worked out once; 0 where there is none."""

    def __missing__(self, digits: str | None) -> int:
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
    """The cells, a stretch at a time; None where the pattern does not account for a stretch.

    Splitting at the pattern gives one flat list, of which every seventh entry is what stands between two cells: it
    must be row tags and nothing else.
    """
    at, wholes = parts.start, _Wholes()
    while at < parts.end:
        cut = xml.find("</row>", min(at + _STRETCH, parts.end), parts.end)
        cut = parts.end if cut < 0 else cut + len("</row>")
        stretch = xml[at:cut]
        split = _CELL.split(stretch)
        between = "".join(split[::7])
        hidden = _hidden_rows(between)
        if hidden is None or between.count("<") != between.count("<row") + between.count("</row>"):
            yield None
            return
        formulas, values, inlines = split[4::7], split[5::7], split[6::7]
        if "&" in stretch or "_x" in stretch:
            values = [unescaped(v) if v else v for v in values]
        row, column = _positions(split[1::7])
        yield RawCells(
            row=row,
            column=column,
            style=np.fromiter(map(wholes.__getitem__, split[2::7]), dtype=np.int32, count=len(row)),
            kind=split[3::7],
            value=values,
            formula={i: _formula(f) for i, f in enumerate(formulas) if f} if any(formulas) else {},
            inline={i: inner_text(t) for i, t in enumerate(inlines) if t} if any(inlines) else {},
            hidden_rows=hidden,
        )
        at = cut


def _positions(addresses: list[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Rows and columns from 0 of many A1 addresses at once, letter by letter."""
    if not addresses:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    letters = np.frombuffer(("\n".join(addresses) + "\n").encode(), dtype=np.uint8)
    ends = np.flatnonzero(letters == 10)
    at = np.concatenate(([0], ends[:-1] + 1))
    column, row = np.zeros(len(at), dtype=np.int32), np.zeros(len(at), dtype=np.int32)
    letter = letters[at]
    while (alphabetic := letter >= 65).any():
        column = np.where(alphabetic, column * 26 + letter - 64, column)
        at = at + alphabetic
        letter = letters[at]
    while (digit := letter >= 48).any():
        row = np.where(digit, row * 10 + letter - 48, row)
        at = at + digit
        letter = letters[at]
    return row - 1, column - 1


def _hidden_rows(tags: str) -> list[int] | None:
    """The hidden rows among row tags; None where one of them does not say its number."""
    if ' hidden="' not in tags:
        return []
    numbers = [_ROW_NUMBER.search(m[1]) for m in _ROW.finditer(tags) if _HIDDEN.search(m[1])]
    return [int(number[1]) - 1 for number in numbers if number] if all(numbers) else None


def _formula(found: str) -> Formula:
    match = _FORMULA.match(found)
    if match is None:
        return Formula("", None)
    shared = _SHARED.search(match[1])
    return Formula(unescaped(match[2] or ""), int(shared[1]) if shared else None)


def check_edges(rows: int, columns: int, row_limit: int, column_limit: int) -> None:
    """Raise where a cell lies beyond the limits; `rows` and `columns` count from 1."""
    if rows > row_limit:
        raise TooLargeError(f"a cell lies in row {rows:,}, over the limit of {row_limit:,}; raise Limits.rows")
    if columns > column_limit:
        raise TooLargeError(
            f"a cell lies in column {columns:,}, over the limit of {column_limit:,}; raise Limits.columns"
        )


CELLS_AT_A_TIME = 1 << 13
_FARTHEST = 1 << 30  # a row, column or style beyond all limits, whatever number the XML has


def walk_cells(xml: str, name: str) -> Iterator[RawCells]:
    """The cells, some thousands at a time."""
    walked = _Walked()
    tags = ("{*}row", "{*}c")
    try:
        for event, element in _events(xml, tags):
            is_row = element.tag.endswith("row")
            if event == "start":
                if is_row:
                    walked.begin_row(element)
                continue
            if not is_row:
                walked.add(element)
                if len(walked.row) >= CELLS_AT_A_TIME:
                    yield walked.taken()
            _drop(element)
    except etree.XMLSyntaxError as error:
        raise broken_part(name, error) from error
    yield walked.taken()


def _events(xml: str, tags: tuple[str, ...]) -> Iterator[tuple[str, etree._Element]]:
    source = io.BytesIO(xml.encode("utf-8", "replace"))
    return iter(etree.iterparse(source, events=("start", "end"), tag=tags, encoding="utf-8", **SAFE))


def _drop(element: etree._Element) -> None:
    """Free an element and those before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


class Gathered:
    """Cells gathered one by one, handed over some thousands at a time."""

    def __init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self.row: list[int] = []
        self.column: list[int] = []
        self.style: list[int] = []
        self.kind: list[str | None] = []
        self.value: list[str | None] = []
        self.formula: dict[int, Formula] = {}
        self.inline: dict[int, Text] = {}
        self.hidden_rows: list[int] = []

    def taken(self) -> RawCells:
        """What was gathered since the last time."""
        row, column, style = (np.array(a, dtype=np.int32) for a in (self.row, self.column, self.style))
        raw = RawCells(row, column, style, self.kind, self.value, self.formula, self.inline, self.hidden_rows)
        self._empty()
        return raw


class _Walked(Gathered):
    """Cells gathered element by element."""

    def __init__(self) -> None:
        super().__init__()
        self.at_row, self.at_column = -1, -1

    def begin_row(self, element: etree._Element) -> None:
        """A row follows the one before where it does not say its number."""
        self.at_row, self.at_column = whole_number(element.get("r"), self.at_row + 2) - 1, -1
        if element.get("hidden") in ("1", "true", "on"):
            self.hidden_rows.append(self.at_row)

    def add(self, cell: etree._Element) -> None:
        """A cell follows the one before where it does not say its address."""
        address = cell.get("r")
        self.at_column += 1
        if address:
            letters = address.rstrip("0123456789")
            self.at_column = _column(letters)
            self.at_row = whole_number(address[len(letters) :], self.at_row + 1) - 1
        at = len(self.row)
        self.row.append(self.at_row)
        self.column.append(self.at_column)
        self.style.append(whole_number(cell.get("s"), 0))
        self.kind.append(cell.get("t"))
        value = ""
        for child in cell:
            match str(child.tag).rpartition("}")[2]:
                case "v":
                    value = unescaped(child.text or "", entities=False)
                case "f":
                    shared = child.get("si")
                    self.formula[at] = Formula(child.text or "", whole_number(shared, 0) if shared else None)
                case "is":
                    self.inline[at] = element_text(child)
        self.value.append(value)


def _column(letters: str) -> int:
    """A column from 0 by its letters."""
    if not (letters.isalpha() and letters.isascii() and len(letters) <= 3):
        raise MalformedError(f"a cell has an address that begins with {letters[:20]!r}")
    column = 0
    for letter in letters.upper():
        column = column * 26 + ord(letter) - 64
    return column - 1


def whole_number(text: str | None, otherwise: int) -> int:
    """A number that the XML gives, kept within reason; `otherwise` where it gives none."""
    try:
        return max(-_FARTHEST, min(int(text), _FARTHEST)) if text else otherwise
    except ValueError:
        return otherwise
