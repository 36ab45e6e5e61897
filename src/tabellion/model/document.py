"""What reading gives: a document and its pages.

A page keeps what its medium shows. A sheet's cells are columnar and sparse, since a sheet may
hold two cells a million rows apart; a dense grid is made only where there is something.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum, IntFlag
from typing import Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.markup import MarkupPage, RenderedPage
from tabellion.model.place import Issue as Issue
from tabellion.model.place import Rect
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
