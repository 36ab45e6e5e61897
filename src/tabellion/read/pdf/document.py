"""PDF documents: pages of words, rulings, shading and images, read page by page with PDFium.

Goes in: bytes. Comes out: a `Document` whose pages are read when they are asked for, so that a document of a
thousand pages needs the memory of a few. Pages without text (scans), fonts without Unicode values, pages cut
short are issues. An owner password is no hindrance; a user password is asked for, and is kept nowhere; a file PDFium
cannot open is an error. PDFium is not safe for threads: every call of it is made under one lock.
"""

from __future__ import annotations

import atexit
import ctypes
import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any, overload

import msgspec
import numpy as np
import pypdfium2  # noqa: F401  # initialises the library
import pypdfium2.raw as pdfium

from tabellion.errors import EncryptedError, MalformedError, TruncatedError, UsageError
from tabellion.model.document import Issue
from tabellion.model.place import Box, Place
from tabellion.model.printed import MOST_PIECES, Font, PrintedPage
from tabellion.read.limits import Limits, check_count
from tabellion.read.pdf.characters import (
    UNMAPPED,
    Characters,
    FontTable,
    compose_accents,
    read_characters,
)
from tabellion.read.pdf.front import read_authors, read_front
from tabellion.read.pdf.glyphs import mend_symbols
from tabellion.read.pdf.paths import NO_PATHS, Paths, Space, join_rulings, read_paths, turn_boxes, turn_points
from tabellion.read.pdf.picture import Pixels, picture_page
from tabellion.read.pdf.pieces import join_pieces, stand_up_heads
from tabellion.read.pdf.words import NO_LETTERS, LetterBoxes, read_words, strip_leaders

_PDFIUM = threading.RLock()
_PAGES_HELD = 4  # pages kept in memory after they were read
_SIDEWAYS = 40  # so many characters set sideways are a view of their own
_FEWEST_SIDEWAYS = 4  # letters that may be heads of columns
_HEAD_OVER_HEELS = 180  # degrees: such text is no head of an upright table
_STRAIGHT = 8.0  # degrees that text may lean and still count as set along the page
_LETTER_PAPER = (612.0, 792.0)  # the size given to a page that cannot be read
_LONGEST_SIDE = 20_000.0  # points: larger pages are left out (5 m are 14,173 points)


class PrintedContents(msgspec.Struct, frozen=True, eq=False):
    """The pages of a PDF, and what is known of the document as a whole."""

    pages: PrintedPages
    title: str | None
    authors: tuple[str, ...]


def read_pdf(
    data: bytes, limits: Limits, wanted: tuple[int, int] | None = None, password: str | None = None
) -> PrintedContents:
    """Open a PDF; with `wanted`, only the pages from the first to the last number."""
    pages = PrintedPages(data, password=password)
    if wanted is not None:
        numbers = range(wanted[0], min(wanted[1], pages.page_count) + 1)
        if not numbers:
            raise UsageError(f"no page {wanted[0]}: the PDF has {pages.page_count} pages")
        pages.numbers = tuple(numbers)
    check_count(len(pages), limits.pages, "pages", "pages")
    title, authors = read_front(pages.page(1), pages.metadata("Title"), pages.metadata("Author"))
    if title and not authors and pages.page_count > 1:
        authors = read_authors(pages.page(2), title, pages.metadata("Author"))
    return PrintedContents(pages, title, authors)


class PrintedPages(Sequence[PrintedPage]):
    """The pages of an open PDF, each read when it is asked for; the last few are held."""

    def __init__(self, data: bytes, numbers: Sequence[int] | None = None, password: str | None = None) -> None:
        self._data = data  # PDFium reads from this memory as long as the document is open
        self._opened: Any = None
        self._fonts = FontTable()
        self._held: OrderedDict[int, PrintedPage] = OrderedDict()
        with _PDFIUM:
            self._open(password)
            self.page_count = pdfium.FPDF_GetPageCount(self._document)
        if self.page_count <= 0:
            raise MalformedError("the PDF has no pages")
        self.numbers = tuple(n for n in (numbers or range(1, self.page_count + 1)) if 1 <= n <= self.page_count)

    def __reduce__(self) -> tuple[Any, ...]:
        """From one process to another as bytes, which are opened there when a page is asked for."""
        return _closed_pages, (self._data, self.numbers, self.page_count)

    def _open(self, password: str | None) -> None:
        secret = None if password is None else password.encode()
        self._opened = pdfium.FPDF_LoadMemDocument64(self._data, len(self._data), secret)
        if not self._opened:
            raise _why_not(self._data, password)
        _CLOSING.add(weakref.finalize(self, _close, self._opened, self._data))

    @property
    def _document(self) -> Any:
        if self._opened is None:
            with _PDFIUM:
                self._open(None)
        return self._opened

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> PrintedPage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[PrintedPage]: ...
    def __getitem__(self, index: int | slice) -> PrintedPage | Sequence[PrintedPage]:
        if isinstance(index, slice):
            return [self.page(n) for n in self.numbers[index]]
        return self.page(self.numbers[index])

    def page(self, number: int) -> PrintedPage:
        """A page by its number from 1."""
        with _PDFIUM:
            if number not in self._held:
                self._held[number] = self._read(number)
                while len(self._held) > _PAGES_HELD:
                    self._held.popitem(last=False)
            self._held.move_to_end(number)
            return self._held[number]

    def metadata(self, key: str) -> str | None:
        """An entry of the document's information: Title, Author, Producer."""
        with _PDFIUM:
            length = pdfium.FPDF_GetMetaText(self._document, key.encode(), None, 0)
            if length <= 2:
                return None
            buffer = ctypes.create_string_buffer(length)
            pdfium.FPDF_GetMetaText(self._document, key.encode(), buffer, length)
        return buffer.raw[: length - 2].decode("utf-16-le", "replace").strip() or None

    def language(self) -> str | None:
        """The language the document states, as `en-GB`."""
        with _PDFIUM:
            length = pdfium.FPDFCatalog_GetLanguage(self._document, None, 0)
            if length <= 2:
                return None
            buffer = (ctypes.c_ushort * (length // 2))()
            pdfium.FPDFCatalog_GetLanguage(self._document, buffer, length)
        return bytes(buffer)[: length - 2].decode("utf-16-le", "replace").strip() or None

    def links(self, number: int) -> list[tuple[str, Box]]:
        """The addresses that a page links to, each with its box as shown."""
        with _PDFIUM:
            page = pdfium.FPDF_LoadPage(self._document, number - 1)
            if not page:
                return []
            try:
                return list(_links(self._document, page, _space_of(page)))
            finally:
                pdfium.FPDF_ClosePage(page)

    def picture(self, number: int, scale: float) -> Pixels:
        """A page as it is printed, in pixels."""
        page = self.page(number)
        with _PDFIUM:
            return picture_page(self._document, number, (page.width, page.height), scale)

    def _read(self, number: int) -> PrintedPage:
        page = pdfium.FPDF_LoadPage(self._document, number - 1)
        if not page:
            issue = Issue("read", "the page is damaged and was left out", Place(page=number))
            return _view(number, NO_LETTERS, 0, _LETTER_PAPER, NO_PATHS, (), (issue,))
        try:
            return self._read_loaded(page, number)
        finally:
            pdfium.FPDF_ClosePage(page)

    def _read_loaded(self, page: Any, number: int) -> PrintedPage:
        space = _space_of(page)
        width, height = space.size
        if max(width, height) > _LONGEST_SIDE:
            note = f"the page is {width:.0f} by {height:.0f} points, over {_LONGEST_SIDE:.0f}, and was left out"
            return _view(number, NO_LETTERS, 0, space.size, NO_PATHS, (), (Issue("read", note, Place(page=number)),))
        text_page = pdfium.FPDFText_LoadPage(page)
        try:
            characters = read_characters(page, text_page, self._fonts)
        finally:
            pdfium.FPDFText_ClosePage(text_page)
        paths = read_paths(page, space)
        fonts = tuple(self._fonts.fonts)
        by_turn = _letters_by_turn(characters, space)
        page_view = _view(number, by_turn[0], 0, space.size, paths, fonts, _doubts(characters, paths, number))
        sideways: list[PrintedPage] = []
        for turn, letters in by_turn.items():
            if turn and len(letters.code) >= (_SIDEWAYS if turn == _HEAD_OVER_HEELS else _FEWEST_SIDEWAYS):
                page_view, view = stand_up_heads(page_view, _view(number, letters, turn, space.size, paths, fonts))
                if view is not None and view.words.letters.sum() >= _SIDEWAYS:
                    sideways.append(view)
        crowded = tuple(_crowded(view) for view in (page_view, *sideways) if len(view.pieces) > MOST_PIECES)
        return msgspec.structs.replace(page_view, sideways=tuple(sideways), issues=page_view.issues + crowded)


def _closed_pages(data: bytes, numbers: tuple[int, ...], page_count: int) -> PrintedPages:
    """The pages of a PDF that is opened once one of them is asked for."""
    pages = PrintedPages.__new__(PrintedPages)
    pages._data, pages._opened, pages._fonts, pages._held = data, None, FontTable(), OrderedDict()
    pages.numbers, pages.page_count = numbers, page_count
    return pages


_CLOSING: set[weakref.finalize[Any, Any]] = set()


def _close(document: Any, data: bytes) -> None:
    """Close a document; its bytes are handed over so that they live until then."""
    with _PDFIUM:
        pdfium.FPDF_CloseDocument(document)
        _CLOSING.difference_update([one for one in _CLOSING if not one.alive])


@atexit.register  # after pypdfium2 has registered its own: PDFium ends last, and no document may be closed after that
def _close_all() -> None:
    for closing in list(_CLOSING):
        closing()


def _space_of(page: Any) -> Space:
    rect = pdfium.FS_RECTF()
    pdfium.FPDF_GetPageBoundingBox(page, rect)
    return Space(rect.left, rect.bottom, rect.right, rect.top, (pdfium.FPDFPage_GetRotation(page) % 4) * 90)


def _links(document: Any, page: Any, space: Space) -> Iterator[tuple[str, Box]]:
    position, link, rect = ctypes.c_int(0), pdfium.FPDF_LINK(), pdfium.FS_RECTF()
    while pdfium.FPDFLink_Enumerate(page, position, link):
        action = pdfium.FPDFLink_GetAction(link)
        length = pdfium.FPDFAction_GetURIPath(document, action, None, 0) if action else 0
        if length <= 1 or not pdfium.FPDFLink_GetAnnotRect(link, rect):
            continue
        buffer = ctypes.create_string_buffer(length)
        pdfium.FPDFAction_GetURIPath(document, action, buffer, length)
        box = space.shown_boxes(np.array([[rect.left, rect.bottom, rect.right, rect.top]]))[0].tolist()
        yield buffer.raw[: length - 1].decode("utf-8", "replace"), Box(*box)


def _doubts(characters: Characters, paths: Paths, number: int) -> tuple[Issue, ...]:
    """What a reader of the page must be told."""
    notes: list[str] = []
    if not len(characters.code):
        if len(paths.images):
            notes.append("the page is a scan without text: have its text recognised first (OCR), then read it again")
        elif len(paths.drawings):
            notes.append("the page has drawings but no text: nothing can be read from it")
    if characters.unmapped > UNMAPPED:
        how = "given as \ufffd" if characters.unknown else "read by the codes of its characters"
        notes.append(f"{characters.unmapped:.0%} of the text is in fonts without Unicode values: {how}")
    if paths.cut_short:
        notes.append("the page has too many paths: rulings may be missing")
    return tuple(Issue("read", note, Place(page=number)) for note in notes)


def _crowded(view: PrintedPage) -> Issue:
    """What is said of a page on which tables are not looked for."""
    note = f"the page has {len(view.pieces):,} pieces of text, over {MOST_PIECES:,}: tables were not looked for"
    return Issue("locate", note, Place(page=view.number))


def _letters_by_turn(characters: Characters, space: Space) -> dict[int, LetterBoxes]:
    """The characters by how far the page must be turned to read them; slanted ones (watermarks) are left out."""
    angle = np.array([r.angle for r in characters.runs], dtype=np.float64)[characters.run] - space.rotation
    quarter = np.round(angle / 90).astype(np.int64)
    straight = np.abs(angle - quarter * 90) <= _STRAIGHT
    turn = (quarter % 4) * 90
    box = space.shown_boxes(characters.box)
    x, y = space.shown(characters.origin[:, 0], characters.origin[:, 1])
    width, height = space.size
    middle = (box[:, :2] + box[:, 2:]) / 2
    on_page = (middle[:, 0] >= 0) & (middle[:, 0] <= width) & (middle[:, 1] >= 0) & (middle[:, 1] <= height)
    run = characters.run
    size = np.array([r.size for r in characters.runs], dtype=np.float32)[run]
    font = np.array([r.font for r in characters.runs], dtype=np.int32)[run]
    colour = np.array([r.colour for r in characters.runs], dtype=np.uint32)[run]
    result: dict[int, LetterBoxes] = {}
    for quarter_turn in (0, 90, 180, 270):
        chosen = straight & on_page & (turn == quarter_turn)
        result[quarter_turn] = LetterBoxes(
            code=characters.code[chosen],
            box=turn_boxes(box[chosen], quarter_turn, width, height),
            baseline=turn_points(x[chosen], y[chosen], quarter_turn, width, height)[1],
            size=np.maximum(size[chosen], 0.5),
            font=font[chosen],
            colour=colour[chosen],
            parted=characters.parted[chosen],
        )
    return result


def _view(
    number: int,
    letters: LetterBoxes,
    turn: int,
    size: tuple[float, float],
    paths: Paths,
    fonts: tuple[Font, ...],
    issues: tuple[Issue, ...] = (),
) -> PrintedPage:
    """One view of a page: its words and pieces, and all that is drawn, turned alike."""
    width, height = size
    across, down = (paths.across, paths.down) if turn in (0, 180) else (paths.down, paths.across)
    letters, typed = strip_leaders(compose_accents(mend_symbols(letters, fonts)))
    words, pieces = join_pieces(read_words(letters))
    across = turn_boxes(across, turn, width, height)
    if len(typed):
        across = join_rulings(np.vstack([across, typed]), axis=0)
    shown = (height, width) if turn in (90, 270) else (width, height)
    return PrintedPage(
        number=number,
        width=shown[0],
        height=shown[1],
        words=words,
        pieces=pieces,
        fonts=fonts,
        across=across,
        down=turn_boxes(down, turn, width, height),
        fills=turn_boxes(paths.fills, turn, width, height),
        fill_colours=paths.fill_colours,
        images=turn_boxes(paths.images, turn, width, height),
        drawings=turn_boxes(paths.drawings, turn, width, height),
        turn=turn,
        issues=issues,
    )


def _why_not(data: bytes, password: str | None) -> Exception:
    code = pdfium.FPDF_GetLastError()
    if code == pdfium.FPDF_ERR_PASSWORD:
        if password is not None:
            return EncryptedError("the password does not open the PDF")
        return EncryptedError("the PDF asks for a password: give it with --password (in Python: password=)")
    if code == pdfium.FPDF_ERR_SECURITY:
        return EncryptedError("the PDF is protected in a way that cannot be opened")
    if b"%%EOF" not in data[-2048:]:
        return TruncatedError("the PDF ends too early: its end is missing")
    return MalformedError("the PDF is damaged and cannot be opened")
