"""The cells of a sheet's XML as raw columns, by one pattern.

Nearly every writer puts out `<c r="B4" s="7" t="s"><v>12</v></c>` without blanks, prefixes or comments. One pattern
reads that several times faster than a parser builds elements (bench/read_xlsx.py). It is trusted only where it accounts
for every tag among the cells; where it does not, the whole sheet is read by `xlsx_walk`, which gives the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.errors import TooLargeError
from tabellion.read.xlsx_strings import Text, inner_text, unescaped

# Six groups: address, style, type, formula, value, inline text.
# No part of the pattern can match in two ways or run past the next cell, so its cost is linear in the XML.
_CELL = re.compile(
    r'<c r="([A-Z]{1,3}+[0-9]{1,7}+)"(?: s="([0-9]{1,6}+)")?+(?: t="([A-Za-z]++)")?+(?: (?:cm|vm|ph)="[0-9]++")*+ ?+'
    r"(?:/>|>(<f(?: [^<>]*+)?+>(?:[^<]*+</f>)?+)?+"
    r"(?:<v>([^<]*+)</v>|<v ?+/>|<is>((?:[^<]++|<(?!/is>|c[ >]))*+)</is>)?+</c>)"
)
_FORMULA = re.compile(r"<f([^>]*)>([^<]*)")
_SHARED = re.compile(r'\bsi="([0-9]+)"')
_ROW = re.compile(r"<row\b([^>]*)>")
_ROW_NUMBER = re.compile(r'\br="([0-9]+)"')
_HIDDEN = re.compile(r'\bhidden="(?:1|true|on)"')
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
