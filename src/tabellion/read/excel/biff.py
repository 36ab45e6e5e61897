"""The records of an old workbook (BIFF 2 to 8), formulas among them.

The record stream of an old workbook (BIFF 2 to 8), read by xlrd without what tables do not need. xlrd knows every
record of every version, but keeps no formulas, prints warnings, and gives up on a workbook for a broken comment, name
or drawing in it. Here its two classes are narrowed: names, comments and drawings are skipped, cells come as one flat
list, formula records are kept, and nothing is printed.

Which cells of an old workbook hold formulas, and which of those sum or average others. In: formula records of a sheet
in file order; out: marks by cell. A formula is kept in the file as tokens in postfix order; they are walked by their
sizes, and nothing is computed. A formula with a token of unknown size is a formula like any other, but never an
aggregate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from struct import Struct, unpack_from
from struct import error as StructError  # noqa: N812
from typing import Any

from xlrd.biffh import XL_WORKBOOK_GLOBALS, XL_WORKSHEET, XLRDError
from xlrd.book import SUPPORTED_VERSIONS, Book
from xlrd.formula import szdict
from xlrd.sheet import Sheet

from tabellion.errors import EncryptedError
from tabellion.model.document import Mark
from tabellion.model.place import Rect

_SHARED = 0x04BC
_PLACE = Struct("<HH")
_ADD, _DIVIDE, _PAREN, _TEXT, _ATTRIBUTE, _WHOLE = 0x03, 0x06, 0x15, 0x17, 0x19, 0x1E
_FIXED_FUNCTION, _FUNCTION, _REFERENCES = 0x21, 0x22, frozenset((0x24, 0x2C, 0x3A))
_SUM_FLAG, _CHOOSE_FLAG = 0x10, 0x04
# COUNT SUM AVERAGE COUNTA SUMPRODUCT SUBTOTAL SUMIF COUNTIF AVERAGEA
_AGGREGATES = frozenset((0, 4, 5, 169, 228, 344, 345, 346, 361))


def formula_marks(records: Iterable[tuple[int, bytes]], version: int) -> dict[tuple[int, int], Mark]:
    """The marks of each cell that holds a formula; `version` is xlrd's number of the BIFF version."""
    marks: dict[tuple[int, int], Mark] = {}
    shared: dict[tuple[int, int], Mark] = {}
    waiting: list[tuple[tuple[int, int], tuple[int, int]]] = []
    last = (0, 0)
    for code, data in records:
        try:
            if code == _SHARED:
                shared[last] = _mark(_tokens(data, 8), version)
                continue
            last = row, column = _PLACE.unpack_from(data)
            tokens = _formula_tokens(data, version)
        except StructError:
            continue
        marks[row, column] = Mark.FORMULA
        if tokens[:1] == b"\x01" and len(tokens) >= 5:
            first_row, first_column = _PLACE.unpack_from(tokens, 1)
            waiting.append(((row, column), (first_row, first_column)))
        else:
            marks[row, column] = _mark(tokens, version)
    for cell, first in waiting:
        marks[cell] = shared.get(first, Mark.FORMULA)
    return marks


def _formula_tokens(data: bytes, version: int) -> bytes:
    """The tokens of a formula record: what stands before them differs by version."""
    if version < 30:
        length = data[16] if len(data) > 16 else 0
        return data[17 : 17 + length]
    return _tokens(data, 20 if version >= 50 else 16)


def _tokens(data: bytes, at: int) -> bytes:
    (length,) = unpack_from("<H", data, at)
    return data[at + 2 : at + 2 + length]


def _mark(tokens: bytes, version: int) -> Mark:
    sums, additions = False, 0
    only_additions = True
    before = 0
    for token, data in _walk(tokens, version):
        if token < 0:
            return Mark.FORMULA
        if token == _ATTRIBUTE and data[1] & _SUM_FLAG:
            sums = True
        elif token == _FUNCTION and len(data) >= 3:
            number = data[2] if version < 40 else int.from_bytes(data[2:4], "little") & 0x7FFF
            sums = sums or number in _AGGREGATES
            only_additions = False
        elif token == _FIXED_FUNCTION and len(data) >= 2:
            number = data[1] if version < 40 else int.from_bytes(data[1:3], "little")
            sums = sums or number in _AGGREGATES
            only_additions = False
        elif token == _ADD:
            additions += 1
        elif token == _DIVIDE:
            only_additions = only_additions and before == _WHOLE
        elif token not in _REFERENCES and token not in (_PAREN, _ATTRIBUTE, _WHOLE):
            only_additions = False
        before = token
    aggregate = sums or (additions > 0 and only_additions)
    return Mark.FORMULA | Mark.AGGREGATE if aggregate else Mark.FORMULA


def _walk(tokens: bytes, version: int) -> Iterator[tuple[int, bytes]]:
    """Each token without its class, and its bytes; -1 where one is of unknown size."""
    sizes = szdict[version]
    wide = 1 if version >= 80 else 0
    at = 0
    while at < len(tokens):
        opcode = tokens[at]
        token = opcode if opcode < 0x20 else (opcode & 0x1F) | 0x20
        size = sizes[token & 0x3F]
        if token == _TEXT and at + 1 < len(tokens):
            letters = tokens[at + 1]
            size = 2 + letters
            if wide and at + 2 < len(tokens):
                size = 3 + letters * (2 if tokens[at + 2] & 1 else 1)
        elif token == _ATTRIBUTE and at + 1 < len(tokens):
            size = 4 if version >= 30 else 3
            if tokens[at + 1] & _CHOOSE_FLAG:
                (cases,) = unpack_from("<H", tokens, at + 2)
                size += 2 * (cases + 1)
        if size <= 0:
            yield -1, b""
            return
        yield token, tokens[at : at + size]
        at += size


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

    def frozen_rows(self) -> int:
        """How many rows stay in view when the sheet is scrolled."""
        return int(self.horz_split_pos) if self.has_pane_record and self.panes_are_frozen else 0


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
