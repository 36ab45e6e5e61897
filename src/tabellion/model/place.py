"""Where a thing is in its source, and the A1 addresses of spreadsheets.

A doubt or a partial failure, as data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import msgspec

_ADDRESS = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d{1,7})")


class Box(NamedTuple):
    """A rectangle on a page as a reader sees it: points for PDF, CSS pixels for a rendered page."""

    left: float
    top: float
    right: float
    bottom: float


class Rect(NamedTuple):
    """A rectangle of cells, both ends included: first row, first column, last row, last column."""

    top: int
    left: int
    bottom: int
    right: int

    @property
    def height(self) -> int:
        return self.bottom - self.top + 1

    @property
    def width(self) -> int:
        return self.right - self.left + 1

    def meets(self, other: Rect) -> bool:
        """Whether the two have a cell in common."""
        return (
            self.top <= other.bottom
            and other.top <= self.bottom
            and self.left <= other.right
            and other.left <= self.right
        )

    def holds(self, row: int, column: int) -> bool:
        return self.top <= row <= self.bottom and self.left <= column <= self.right


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place in a source; the fields that apply to the medium are set."""

    page: int | None = None
    sheet: str | None = None
    range: str | None = None
    box: Box | None = None
    path: str | None = None
    table_index: int | None = None


def column_letters(column: int) -> str:
    """The letters of a column counted from 0.

    >>> column_letters(0), column_letters(27)
    ('A', 'AB')
    """
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def address(row: int, column: int) -> str:
    """The A1 address of a cell counted from 0.

    >>> address(23, 1)
    'B24'
    """
    return f"{column_letters(column)}{row + 1}"


def cell_at(text: str) -> tuple[int, int]:
    """Row and column, from 0, of an A1 address.

    >>> cell_at("B24")
    (23, 1)
    """
    match = _ADDRESS.fullmatch(text.strip())
    if not match:
        raise ValueError(f"not an A1 address: {text!r}")
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def range_text(rect: Rect) -> str:
    """The A1 range of a rectangle.

    >>> range_text(Rect(3, 0, 47, 19))
    'A4:T48'
    """
    return f"{address(rect.top, rect.left)}:{address(rect.bottom, rect.right)}"


def rect_at(text: str) -> Rect:
    """The rectangle of an A1 range.

    >>> rect_at("A4:T48")
    Rect(top=3, left=0, bottom=47, right=19)
    """
    first, _, last = text.partition(":")
    (top, left), (bottom, right) = cell_at(first), cell_at(last or first)
    return Rect(min(top, bottom), min(left, right), max(top, bottom), max(left, right))


def common_share(one: Rect, other: Rect) -> float:
    """How much two rectangles have in common, of all that either covers.

    >>> common_share(Rect(0, 0, 1, 1), Rect(1, 0, 2, 1))
    0.3333333333333333
    """
    height = min(one.bottom, other.bottom) - max(one.top, other.top) + 1
    width = min(one.right, other.right) - max(one.left, other.left) + 1
    both = max(height, 0) * max(width, 0)
    return both / (one.height * one.width + other.height * other.width - both)


class Issue(msgspec.Struct, frozen=True):
    """An uncertain point or a partial failure: stage, place, note."""

    stage: str
    note: str
    place: Place | None = None
