"""The record stream of an old workbook (BIFF 2 to 8), read by xlrd without what tables do not need.

xlrd knows every record of every version, but keeps no formulas, prints warnings, and gives up on a workbook for a
broken comment, name or drawing in it. Here its two classes are narrowed: names, comments and drawings are skipped,
cells come as one flat list, formula records are kept for `biff_formulas`, and nothing is printed.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from xlrd.biffh import XL_WORKBOOK_GLOBALS, XL_WORKSHEET, XLRDError
from xlrd.book import SUPPORTED_VERSIONS, Book
from xlrd.sheet import Sheet

from tabellion.errors import EncryptedError
from tabellion.model.place import Rect

_HEAD = Struct("<HH")
_RANGE = Struct("<HHHH")
_FORMULA_RECORDS = frozenset((0x0006, 0x0206, 0x0406, 0x04BC))  # formulas of BIFF 2 to 8, and shared formulas
_MOST_ROWS, _MOST_COLUMNS = 65_536, 256


# A cell record: row, column, xlrd's type (None for a number), value, index of its extended format.
BiffCell = tuple[int, int, int | None, Any, int]


class Silence:
    """A log that nothing is written to."""

    def write(self, text: str) -> int:
        return len(text)


class BiffSheet(Sheet):  # type: ignore[misc]  # xlrd has no types
    """One sheet's records: `cells` in the order of the file, `links` the ranges that hold hyperlinks."""

    def __init__(self, book: BiffBook, position: int, name: str, number: int) -> None:
        super().__init__(book, position, name, number)
        self.cells: list[BiffCell] = []
        self.links: list[Rect] = []
        keep = self.cells.append
        self.put_cell = lambda *cell: keep(cell)

    def handle_hlink(self, data: bytes) -> None:
        top, bottom, left, right = _RANGE.unpack_from(data)
        self.links.append(Rect(top, left, bottom, right))

    def _skip(self, *_: object) -> None:
        """Left out: it says nothing about a table, and its records are often broken."""

    handle_obj = handle_txo = handle_note = handle_quicktip = handle_feat11 = handle_msodrawingetc = _skip
    tidy_dimensions = update_cooked_mag_factors = _skip

    def merged_areas(self) -> list[Rect]:
        """Merged areas that lie on the sheet."""
        areas = [Rect(top, left, bottom - 1, right - 1) for top, bottom, left, right in self.merged_cells]
        return [a for a in areas if 0 <= a.top <= a.bottom < _MOST_ROWS and 0 <= a.left <= a.right < _MOST_COLUMNS]


class BiffBook(Book):  # type: ignore[misc]  # xlrd has no types
    """A workbook's global records: fonts, formats, looks, shared texts, and where each sheet starts."""

    def __init__(self) -> None:
        super().__init__()
        self._position: int = 0
        self.formulas: list[tuple[int, bytes]] = []

    def get_record_parts(self) -> tuple[int, int, bytes]:
        position, memory = self._position, self.mem
        code, length = _HEAD.unpack_from(memory, position)
        position += 4
        self._position = end = position + length
        data = memory[position:end]
        if code in _FORMULA_RECORDS:
            self.formulas.append((code, data))
        return code, length, data

    def get_sheet(self, sh_number: int, update_pos: bool = True) -> BiffSheet:
        if update_pos:
            self._position = self._sh_abs_posn[sh_number]
        self.getbof(XL_WORKSHEET)
        sheet = BiffSheet(self, self._position, self._sheet_names[sh_number], sh_number)
        self.formulas = []
        sheet.read(self)
        sheet.formulas = self.formulas
        self._sheet_list[sh_number] = sheet
        return sheet

    def handle_filepass(self, data: bytes) -> None:
        raise EncryptedError("the workbook is protected by a password; save it without one and try again")

    def _skip(self, *_: object) -> None:
        """Left out: names, links to other workbooks and checks of colours say nothing about a table."""

    handle_name = handle_externname = handle_externsheet = handle_supbook = handle_country = _skip
    names_epilogue = palette_epilogue = handle_writeaccess = _skip


def open_stream(stream: bytes, with_looks: bool) -> BiffBook:
    """The globals of a record stream; its sheets are read one by one with `read_biff_sheet`."""
    book = BiffBook()
    book.biff2_8_load(file_contents=stream, logfile=Silence(), formatting_info=with_looks, ragged_rows=True)
    version = book.getbof(XL_WORKBOOK_GLOBALS)
    if version not in SUPPORTED_VERSIONS:
        raise XLRDError(f"BIFF version {version} is not known")
    book.biff_version = version
    if version <= 40:
        book.fake_globals_get_sheet()
    else:
        book.parse_globals()
        if version != 45:
            book._sheet_list = [None] * len(book._sheet_names)
    return book


def read_biff_sheet(book: BiffBook, number: int) -> BiffSheet:
    """One sheet of a workbook; in the oldest versions it was read together with the globals."""
    sheet: BiffSheet | None = book._sheet_list[number]
    return sheet if sheet is not None else book.get_sheet(number)
