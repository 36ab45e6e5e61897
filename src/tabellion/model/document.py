"""What reading and locating give: a document with its pages, and the regions of them where a table may be.

A page keeps what its medium shows. A sheet's cells are columnar and sparse, since a sheet may hold two cells a million
rows apart; a dense grid is made only where there is something. A region says how sure it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, IntFlag
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.markup import Candidate, MarkupPage, RenderedPage
from tabellion.model.place import Box, Place, Rect
from tabellion.model.place import Issue as Issue
from tabellion.model.printed import PrintedPage
from tabellion.model.stated import UNMARKED, SheetMarks, StatedTable
from tabellion.model.style import PLAIN, Style

Medium = Literal["spreadsheet", "html", "pdf"]


class Stored(IntEnum):
    """How a cell's value is stored in its source."""

    EMPTY = 0
    TEXT = 1
    NUMBER = 2
    DATE = 3
    BOOLEAN = 4
    ERROR = 5


class Mark(IntFlag):
    """What else the source says of a cell."""

    NONE = 0
    FORMULA = 1
    AGGREGATE = 2  # a formula that sums or averages others: SUM, SUBTOTAL, AVERAGE, A1+A2...
    PARTLY_BOLD = 4  # rich text of which only a part is bold
    LINK = 8
    UNCACHED = 16  # a formula whose result is not stored
    HEADING = 32  # the markup says that it is a header: <th>, role=columnheader or rowheader
    IN_HEAD = 64  # in a <thead>
    IN_FOOT = 128  # in a <tfoot>


class SheetCells(msgspec.Struct, frozen=True, eq=False):
    """The cells of a sheet in row order: parallel arrays, one entry per cell that has a value or a style.

    `text` is what a reader of the sheet sees (numbers and dates by their format where that is cheap,
    else the shortest exact form); `number` is the number, or the date as an Excel serial day, or NaN.
    """

    row: NDArray[np.int32]
    column: NDArray[np.int32]
    text: NDArray[np.object_]
    stored: NDArray[np.uint8]
    number: NDArray[np.float64]
    style: NDArray[np.int32]
    marks: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.row)


class Sheet(msgspec.Struct, frozen=True, eq=False):
    """One sheet of a spreadsheet, or the whole of a delimited file."""

    name: str | None
    cells: SheetCells
    styles: tuple[Style, ...] = (PLAIN,)
    merges: tuple[Rect, ...] = ()
    centred: tuple[Rect, ...] = ()  # texts centred over blank cells: not merged, but to be read so
    hidden_rows: frozenset[int] = frozenset()
    hidden_columns: frozenset[int] = frozenset()
    column_widths: dict[int, float] = {}
    hidden: bool = False
    epoch_1904: bool = False
    stated: tuple[StatedTable, ...] = ()  # tables that the names of its ranges state
    marked: SheetMarks = UNMARKED
    outline: dict[int, int] = {}  # row -> how deep it is grouped, where groups stand below the row that sums them up


Page: TypeAlias = Sheet | MarkupPage | RenderedPage | PrintedPage


class Document(msgspec.Struct, frozen=True, eq=False):
    """A document as it was read, with what is known of it as a whole."""

    source: str
    medium: Medium
    kind: str  # the format by content: xlsx, xls, ods, xlsb, spreadsheetml, csv, html, mhtml, pdf
    sha256: str
    pages: Sequence[Page]  # those of a PDF are read when they are asked for
    title: str | None = None
    authors: tuple[str, ...] = ()
    issues: tuple[Issue, ...] = ()


LIKELY = 0.5  # the probability from which a region counts as a table


class Region(msgspec.Struct, frozen=True, eq=False):
    """A part of a page that may hold tables; `rect` is in the sheet's own rows and columns."""

    page: Sheet
    place: Place
    rect: Rect
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()


class Surroundings(msgspec.Struct, frozen=True):
    """What belongs to a printed table and stands outside it; `pieces` are those of the page that it takes up."""

    caption: str | None = None
    position: Literal["above", "below"] | None = None
    label: str | None = None
    continued: bool = False
    notes: tuple[str, ...] = ()
    pieces: frozenset[int] = frozenset()
    caption_pieces: frozenset[int] = frozenset()
    page_columns: int | None = None


NO_SURROUNDINGS = Surroundings()


PrintedKind = Literal["text", "figure", "contents"]


class PrintedRegion(msgspec.Struct, frozen=True, eq=False):
    """A part of a printed page that may be a table; `box` is in the page's view, `place` on the page as it lies.

    `parts` holds the regions on the pages that follow which go on with the same table.
    """

    page: PrintedPage
    place: Place
    box: Box
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()
    parts: tuple[PrintedRegion, ...] = ()
    about: Surroundings = NO_SURROUNDINGS
    kind: PrintedKind = "text"  # what it is if it is no table
    seen: NDArray[np.float64] | None = None  # what it was judged by


class MarkupRegion(msgspec.Struct, frozen=True, eq=False):
    """A candidate of a web page, and the probability that it is a table of data."""

    page: MarkupPage
    place: Place
    number: int
    genuine: float = 1.0
    issues: tuple[Issue, ...] = ()
    drawn: NDArray[np.float64] | None = None  # what was seen of it on a rendered page, where it was judged by that too

    @property
    def candidate(self) -> Candidate:
        return self.page.candidates[self.number]


AnyRegion: TypeAlias = Region | PrintedRegion | MarkupRegion
