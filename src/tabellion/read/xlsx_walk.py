"""The cells of a sheet's XML by lxml, whatever the XML looks like: prefixes, blanks, comments, absent addresses.

The way of `xlsx_scan` for the sheets that its pattern does not account for: several times slower, the same columns.
Elements are dropped as soon as they are read, so that memory does not grow with the sheet.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
from lxml import etree

from tabellion.errors import MalformedError
from tabellion.read.package import SAFE, broken_part
from tabellion.read.xlsx_scan import Formula, RawCells
from tabellion.read.xlsx_strings import Text, element_text, unescaped

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
