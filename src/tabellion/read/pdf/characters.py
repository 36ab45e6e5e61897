"""The characters of a PDF page as arrays, straight from PDFium, put right where fonts say too little.

PDFium is called once for each property of each character, and writes into numpy memory, so that a page of 5,000
characters takes some ten milliseconds. What belongs to a text object (font, size, weight, colour, clip) is asked once
per object. Blanks that PDFium makes up are left out: words are told by geometry (`words`). Left out as well: text that
is clipped away (publishers' second layers) and, where a page has other text, text that is drawn invisibly.

Accents that are set as characters of their own, put on the letter they are printed over. Old fonts have no "ú": a
document prints "u" and a spacing acute at one place, in either order. In: the characters of a view. Out: the same with
the letter composed and the accent taken out.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections import deque
from collections.abc import Callable
from itertools import repeat
from math import atan2, degrees, hypot
from typing import Any

import msgspec
import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from tabellion.model.printed import Font
from tabellion.read.pdf.glyphs import Shape, glyph_shape, mend_signs, seen_characters
from tabellion.read.pdf.words import LetterBoxes

_COMBINING = {
    0xB4: "\u0301", 0x60: "\u0300", 0xA8: "\u0308", 0x2C6: "\u0302", 0x5E: "\u0302", 0x2DC: "\u0303", 0x7E: "\u0303",
    0xB8: "\u0327", 0x2DA: "\u030a", 0x2C7: "\u030c", 0x2D8: "\u0306", 0x2DD: "\u030b", 0x2D9: "\u0307",
}  # fmt: skip
_NOTHING = 0x200B
_DOTLESS = {0x131: "i", 0x237: "j"}
_OVERLAP = 0.4  # of the accent's width that must lie over the letter


def compose_accents(letters: LetterBoxes) -> LetterBoxes:
    """The characters with composed letters."""
    at = np.flatnonzero(np.isin(letters.code, list(_COMBINING)))
    if not len(at):
        return letters
    code = letters.code.copy()
    for i in at.tolist():
        shares = {k: _share(letters, i, k) for k in (i - 1, i + 1) if 0 <= k < len(code)}
        best = max(shares, key=lambda k: shares[k], default=None)
        if best is None or shares[best] < _OVERLAP:
            continue
        letter = _DOTLESS.get(int(code[best])) or chr(int(code[best]))
        composed = unicodedata.normalize("NFC", letter + _COMBINING[int(letters.code[i])])
        if letter.isalpha() and len(composed) == 1:
            code[best], code[i] = ord(composed), _NOTHING
    return msgspec.structs.replace(letters, code=code)


def _share(letters: LetterBoxes, accent: int, letter: int) -> float:
    """How much of the accent's width lies over the letter."""
    a, b = letters.box[accent], letters.box[letter]
    if abs(float(letters.baseline[accent] - letters.baseline[letter])) > 0.6 * float(letters.size[letter]):
        return 0.0
    return float(min(a[2], b[2]) - max(a[0], b[0])) / max(float(a[2] - a[0]), 0.1)


_POINTER = ctypes.c_void_p
_INVISIBLE = 3  # text render mode: neither filled nor stroked
_FILLED_AND_STROKED = 2  # how a bold face is often faked
_FLAG_FIXED, _FLAG_ITALIC, _FLAG_FORCE_BOLD = 1, 1 << 6, 1 << 18
_BOLD_WEIGHT = 600
_BOLD_NAMES = ("bold", "black", "heavy", "semibold", "demi", "-bd", "-blk", "medi")
_ITALIC_NAMES = ("italic", "oblique", "-it", "slanted", "kursiv")
_BLANKS = (0x20, 0x0A, 0x0D)
UNMAPPED = 0.3  # share of text without Unicode values from which on it is no text, but a guess
_UNKNOWN = 0xFFFD
_LOW_BITS = (1 << 21) - 1
_FARTHEST = 2.0**40  # half points; a damaged file may say any number
_UPRIGHT = 1.0  # degrees
_UNMAPPED_PROBE = 40  # characters of a font that are asked whether they have a Unicode value
_LETTER_SHARES = np.array([
    85, 13, 32, 46, 148, 12, 18, 30, 70, 4, 6, 45, 27, 75, 63, 22, 7, 66, 73, 70, 43, 13, 12, 2, 9, 5,
])  # fmt: skip  # of a to z among a thousand letters: the mean of English, French, German and Spanish
_LIKE_LANGUAGE = 0.78  # cosine with these shares: prose has .83 to .98, letters at other letters' places .3 to .7
_FEWEST_LETTERS = 25
_TEX_PLACES = dict(zip((11, 12, 13, 14, 15, 27, 28, 29, 30, 31), 2 * (0xFB00, 0xFB01, 0xFB02, 0xFB03, 0xFB04),
                       strict=True)) | {16: 0x201C, 17: 0x201D, 21: 0x2013, 22: 0x2014}  # fmt: skip


class Characters(msgspec.Struct, frozen=True, eq=False):
    """The characters of a page in content order, in the page's own space (origin at the bottom left)."""

    code: NDArray[np.uint32]
    box: NDArray[np.float32]  # left, top, right, bottom; the advance wide, ascent to descent high
    origin: NDArray[np.float64]
    parted: NDArray[np.bool_]  # PDFium sees a blank before it, though none is drawn
    run: NDArray[np.int32]  # index into `runs`: characters of one text object
    runs: tuple[Run, ...]
    unmapped: float  # share of the text in fonts without Unicode values
    unknown: bool  # that text is given as unknown signs: too much of it to be let pass, and its codes spell nothing


class Run(msgspec.Struct, frozen=True):
    """What the characters of one text object have in common."""

    font: int
    size: float
    colour: int
    angle: float  # degrees counter-clockwise


def _prototype(function: Any, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The same PDFium function with plain addresses as arguments, which is several times as fast to call."""
    address = ctypes.cast(function, _POINTER).value or 0
    return ctypes.CFUNCTYPE(result, *arguments)(address)


_INT, _UINT = ctypes.c_int, ctypes.c_uint
_unicode = _prototype(pdfium.FPDFText_GetUnicode, _UINT, _POINTER, _INT)
_object_of = _prototype(pdfium.FPDFText_GetTextObject, ctypes.c_size_t, _POINTER, _INT)
_loose_box = _prototype(pdfium.FPDFText_GetLooseCharBox, _INT, _POINTER, _INT, _POINTER)
_tight_box = _prototype(pdfium.FPDFText_GetCharBox, _INT, _POINTER, _INT, _POINTER, _POINTER, _POINTER, _POINTER)
_origin = _prototype(pdfium.FPDFText_GetCharOrigin, _INT, _POINTER, _INT, _POINTER, _POINTER)
_COLOUR = (_UINT * 4)()  # red, green, blue, alpha, as PDFium writes them; PDFium is called by one thread at a time
_COLOUR_PLACES = tuple(ctypes.addressof(_COLOUR) + 4 * k for k in range(4))
_render_mode = _prototype(pdfium.FPDFTextObj_GetTextRenderMode, _INT, _POINTER)
_matrix = _prototype(pdfium.FPDFText_GetMatrix, _INT, _POINTER, _INT, _POINTER)
_font_size = _prototype(pdfium.FPDFText_GetFontSize, ctypes.c_double, _POINTER, _INT)
_font_of = _prototype(pdfium.FPDFTextObj_GetFont, ctypes.c_size_t, _POINTER)
_colour_of = _prototype(pdfium.FPDFPageObj_GetFillColor, _INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
_map_error = _prototype(pdfium.FPDFText_HasUnicodeMapError, _INT, _POINTER, _INT)


class FontTable:
    """The fonts of a document, each described once."""

    def __init__(self) -> None:
        self.fonts: list[Font] = []
        self._index: dict[Font, int] = {}
        self._by_handle: dict[tuple[int, bool], int] = {}

    def number(self, text_object: int, stroked: bool) -> int:
        """The number of a text object's font; the object is given by its address."""
        handle = _font_of(text_object)
        if not handle:
            return self._add(Font("unknown"))
        key = (handle, stroked)
        if key not in self._by_handle:
            font = ctypes.cast(handle, pdfium.FPDFTextObj_GetFont.restype)
            self._by_handle[key] = self._add(_describe_font(font, stroked))
        return self._by_handle[key]

    def forget_handles(self) -> None:
        """Handles are good for one page only: PDFium may give the next page's font the same address."""
        self._by_handle.clear()

    def _add(self, font: Font) -> int:
        if font not in self._index:
            self._index[font] = len(self.fonts)
            self.fonts.append(font)
        return self._index[font]


def _describe_font(handle: Any, stroked: bool) -> Font:
    buffer = ctypes.create_string_buffer(256)
    length = pdfium.FPDFFont_GetBaseFontName(handle, buffer, 256)
    name = buffer.raw[: max(0, min(length, 256) - 1)].decode("utf-8", "replace")
    if len(name) > 7 and name[6] == "+":
        name = name[7:]
    lower = name.lower()
    flags = max(0, pdfium.FPDFFont_GetFlags(handle))
    bold = (
        stroked
        or any(word in lower for word in _BOLD_NAMES)
        or bool(flags & _FLAG_FORCE_BOLD)
        or pdfium.FPDFFont_GetWeight(handle) >= _BOLD_WEIGHT
    )
    italic = bool(flags & _FLAG_ITALIC) or any(word in lower for word in _ITALIC_NAMES)
    return Font(name, bold, italic, bool(flags & _FLAG_FIXED))


def read_characters(page: Any, text_page: Any, fonts: FontTable) -> Characters:
    """All characters of a loaded page that a reader can see."""
    handle = ctypes.cast(text_page, _POINTER).value or 0
    count = max(0, pdfium.FPDFText_CountChars(text_page))
    same = repeat(handle)
    code = np.fromiter(map(_unicode, same, range(count)), dtype=np.uint32, count=count)
    owner = np.fromiter(map(_object_of, same, range(count)), dtype=np.uint64, count=count)
    drawn = np.flatnonzero(owner != 0)
    box = np.zeros((count, 4), dtype=np.float32)
    origin = np.zeros((count, 2), dtype=np.float64)
    each, places = drawn.tolist(), 16 * drawn
    deque(map(_loose_box, same, each, (box.ctypes.data + places).tolist()), maxlen=0)  # for what they write
    x = (origin.ctypes.data + places).tolist()
    deque(map(_origin, same, each, x, (origin.ctypes.data + 8 + places).tolist()), maxlen=0)
    _mend_flat_boxes(handle, box, drawn)
    owners, first, run = np.unique(owner[drawn], return_index=True, return_inverse=True)
    runs: list[Run] = []
    keep_run = np.ones(len(owners), dtype=bool)
    hidden = np.zeros(len(owners), dtype=bool)
    matrix = pdfium.FS_MATRIX()
    matrix_at = ctypes.addressof(matrix)
    for k, (address, at) in enumerate(zip(owners.tolist(), drawn[first].tolist(), strict=True)):
        mode = _render_mode(address)
        hidden[k] = mode == _INVISIBLE
        _matrix(handle, at, matrix_at)
        size = _font_size(handle, at) * hypot(matrix.c, matrix.d)
        angle = degrees(atan2(matrix.b, matrix.a))
        font = fonts.number(address, mode == _FILLED_AND_STROKED)
        runs.append(Run(font, abs(size), _fill_colour(address), angle))
    if hidden.any() and not hidden.all():
        keep_run &= ~hidden
    visible = keep_run[run] & seen_characters(page, owners.tolist(), run, box[drawn])
    unmapped = _unmapped(handle, drawn, run, runs)
    share = float(unmapped.mean()) if len(drawn) else 0.0
    by_code = code[drawn[unmapped]]
    unknown = share > UNMAPPED and not spells_words(by_code)
    code[drawn[unmapped]] = _UNKNOWN if unknown else [_TEX_PLACES.get(c, c) for c in by_code.tolist()]
    fonts.forget_handles()
    code[drawn] = _as_printed(text_page, code, origin, drawn, run, runs)
    _join_halves(code, drawn, visible)
    visible &= _drawn_first(code[drawn], origin[drawn], run, visible)
    chosen = drawn[visible]
    made_up = np.cumsum((owner == 0) & np.isin(code, _BLANKS))
    parted = np.diff(made_up[chosen], prepend=0) > 0
    return Characters(
        code[chosen], box[chosen], origin[chosen], parted, run[visible].astype(np.int32), tuple(runs), share, unknown
    )


def spells_words(code: NDArray[np.uint32]) -> bool:
    """Whether characters without Unicode values are read right by their codes: their letters come as often as in
    the languages of Europe. TeX's bitmap fonts say nothing of their letters, but keep them at the places of ASCII;
    fonts that were cut down number theirs as they come.

    >>> spells_words(np.frombuffer(b"Of the subjects who died of other causes many more would have", np.uint8))
    True
    >>> spells_words(np.frombuffer(b"Ur gvr khqylsgk evf cxlc fr fgvly spbkrk hpde hfyl efbzc vpil", np.uint8))
    False
    """
    lower = (code | 0x20) - ord("a")
    letters = np.bincount(lower[(code > 0x40) & (code < 0x80) & (lower < 26)].astype(np.intp), minlength=26)
    if letters.sum() < _FEWEST_LETTERS:
        return False
    length = float(np.linalg.norm(letters) * np.linalg.norm(_LETTER_SHARES))
    return float(letters @ _LETTER_SHARES) / length > _LIKE_LANGUAGE


def _as_printed(
    text_page: Any,
    code: NDArray[np.uint32],
    origin: NDArray[np.float64],
    drawn: NDArray[np.intp],
    run: NDArray[np.intp],
    runs: list[Run],
) -> NDArray[np.uint32]:
    """The characters that are drawn, with signs as their glyphs look; turned text is left as it is."""
    font = np.array([r.font if abs(r.angle) < _UPRIGHT else -1 for r in runs], dtype=np.int64)[run]

    def shape_of(at: int) -> Shape:
        number = int(drawn[at])
        return glyph_shape(text_page, number, runs[run[at]].size, float(origin[number, 1]))

    return mend_signs(code[drawn], font, shape_of)


def _drawn_first(
    code: NDArray[np.uint32], origin: NDArray[np.float64], run: NDArray[np.intp], visible: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Characters but those that another text object has drawn at the same place before."""
    at = np.flatnonzero(visible)
    first = np.ones(len(code), dtype=bool)
    if not len(at):
        return first
    x, y = np.round(np.clip(np.nan_to_num(2 * origin[at].T), -_FARTHEST, _FARTHEST)).astype(np.int64)
    place = (code[at].astype(np.int64) << 42) + ((x & _LOW_BITS) << 21) + (y & _LOW_BITS)  # one number is sorted faster
    _, earliest, of = np.unique(place, return_index=True, return_inverse=True)
    earliest = earliest[of.reshape(-1)]
    first[at] = (earliest == np.arange(len(at))) | (run[at] == run[at[earliest]])
    return first


def _join_halves(code: NDArray[np.uint32], drawn: NDArray[np.intp], visible: NDArray[np.bool_]) -> None:
    """Characters beyond the basic plane, which PDFium gives as two halves of UTF-16: the first becomes the whole
    character, the second is left out. A half without its other one is an unknown sign.
    """
    high = drawn[(code[drawn] >= 0xD800) & (code[drawn] < 0xDC00)]
    low = (code >= 0xDC00) & (code < 0xE000)
    first = high[high + 1 < len(code)]
    first = first[low[first + 1]]
    code[first] = 0x10000 + ((code[first] - 0xD800) << 10) + (code[first + 1] - 0xDC00)
    visible &= ~np.isin(drawn, first + 1)
    code[drawn[(code[drawn] >= 0xD800) & (code[drawn] < 0xE000)]] = _UNKNOWN


def _mend_flat_boxes(handle: int, box: NDArray[np.float32], drawn: NDArray[np.intp]) -> None:
    """Fonts that state no ascent have boxes without height: their glyphs' own boxes are taken."""
    flat = drawn[(box[drawn, 1] - box[drawn, 3]) < 0.1]
    tight = np.zeros(4, dtype=np.float64)
    at = tight.ctypes.data
    for i in flat.tolist():
        _tight_box(handle, i, at, at + 8, at + 16, at + 24)  # left, right, bottom, top
        box[i, 1], box[i, 3] = tight[3], tight[2]
        if box[i, 2] - box[i, 0] < 0.1:
            box[i, 0], box[i, 2] = tight[0], tight[1]


def _fill_colour(text_object: int) -> int:
    if not _colour_of(text_object, *_COLOUR_PLACES):
        return 0
    red, green, blue, _ = _COLOUR
    return red << 16 | green << 8 | blue


def _unmapped(handle: int, drawn: NDArray[np.intp], run: NDArray[np.intp], runs: list[Run]) -> NDArray[np.bool_]:
    """The characters set in fonts most of whose probed characters have no Unicode value."""
    font = np.array([r.font for r in runs], dtype=np.int32)[run]
    bad = np.zeros(len(drawn), dtype=bool)
    for number in np.unique(font).tolist():
        mine = drawn[font == number]
        probe = mine[:: max(1, len(mine) // _UNMAPPED_PROBE)].tolist()
        if 2 * sum(_map_error(handle, i) == 1 for i in probe) > len(probe):
            bad |= font == number
    return bad
