"""What the characters of a PDF page look like: which are seen, and signs that a font calls by another name.

A character is seen through the clips that it is drawn through. In: the text objects that PDFium's text page knows, with
the boxes of their characters. Out: which characters are seen. A clip stands in the space of its form. A text that is
drawn several times at one place, each time through another clip, is known to PDFium once: its characters are seen where
any of these clips shows them. Clips are taken as the boxes around them; text that is itself a clip is not looked at.

Old symbol fonts have no Unicode values: their minus stands at the place of the figure 2, their Greek letters at those
of a, b, g. What is extracted then reads "22.88 mg" where "−2.88 µg" is printed. No figure 2 is a flat bar and no m goes
below the line, so the box of the glyph tells: each sign is put right only where its own glyph has the shape of what it
stands for, and no letter or figure has it. Where one Greek letter of a font is told so, its others go by the places
that they share in all such fonts.

Other fonts number their signs as they come, so that they are extracted as control characters, or as letters of
Iceland; of these as well the shape tells: a flat bar is the minus, a ball that stands high the degree.

In: the characters of a page with their fonts. Out: the same, as printed. Only fonts all of whose characters on the page
are such places, or signs, are looked at. Fails where a glyph has the shape of the letter whose place it takes (a lone
gamma), and on signs of one shape: what may be ≤ or ≥ stays unknown. The signs of TeX's mathabx fonts, which are
extracted as accents, are told by the names of those fonts instead.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from tabellion.model.printed import Font
from tabellion.read.pdf.paths import IDENTITY, Matrix, enter_objects
from tabellion.read.pdf.words import LetterBoxes

Bounds = tuple[float, float, float, float]  # left, bottom, right, top
_EVERYWHERE: Bounds = (-1e9, -1e9, 1e9, 1e9)
_MOST_CLIPS, _MOST_POINTS = 8, 64  # of one object, of one clip
_SLACK = 1.0  # points that a character's middle may lie outside
_POINTER = ctypes.c_void_p
_INVISIBLE = 3  # text render mode: neither filled nor stroked
_clip_of: Callable[[int], int | None] = ctypes.CFUNCTYPE(_POINTER, _POINTER)(
    ctypes.cast(pdfium.FPDFPageObj_GetClipPath, _POINTER).value or 0
)


def seen_characters(
    page: Any, owners: Sequence[int], run: NDArray[np.intp], box: NDArray[np.float32]
) -> NDArray[np.bool_]:
    """Whether each character is seen; `run` says which of `owners` (addresses of text objects) it belongs to."""
    kind = pdfium.FPDFText_GetTextObject.restype
    own = [_clip(address, ctypes.cast(address, kind)) for address in owners]
    if not any(clip is not None for clip in own):
        return np.ones(len(run), dtype=bool)
    texts = {
        ctypes.cast(item, _POINTER).value or 0: (item, matrix)
        for item, _, matrix in enter_objects(page, (pdfium.FPDF_PAGEOBJ_TEXT,))
    }
    bounds = [
        _moved(clip, texts[address][1] if address in texts else IDENTITY) if clip else _EVERYWHERE
        for address, clip in zip(owners, own, strict=True)
    ]
    middle = (box[:, :2] + box[:, 2:]) / 2
    seen = _within(middle, np.array(bounds, dtype=np.float64)[run])
    if seen.all():
        return seen
    known = set(owners)
    twins: dict[tuple[int, ...], list[Bounds]] = {}
    for address, (item, matrix) in texts.items():
        if address not in known and pdfium.FPDFTextObj_GetTextRenderMode(item) != _INVISIBLE:
            clip = _clip(address, item)
            twins.setdefault(_place(item, matrix), []).append(_moved(clip, matrix) if clip else _EVERYWHERE)
    for k in np.unique(run[~seen]).tolist() if twins else ():
        item, matrix = texts.get(owners[k], (ctypes.cast(owners[k], kind), IDENTITY))
        for bound in twins.get(_place(item, matrix), ()):
            mine = run == k
            seen[mine] |= _within(middle[mine], np.array([bound]))
    return seen


def _within(middle: NDArray[np.floating], bounds: NDArray[np.float64]) -> NDArray[np.bool_]:
    x, y = middle[:, 0], middle[:, 1]
    left, bottom, right, top = bounds.T
    return np.asarray((x >= left - _SLACK) & (x <= right + _SLACK) & (y >= bottom - _SLACK) & (y <= top + _SLACK))


def _place(item: Any, matrix: Matrix) -> tuple[int, ...]:
    """Where a text object stands, to half a point."""
    sides = [ctypes.c_float() for _ in range(4)]
    pdfium.FPDFPageObj_GetBounds(item, *sides)
    left, bottom, right, top = (side.value for side in sides)
    return tuple(round(2 * side) for side in _moved((left, bottom, right, top), matrix))


def _moved(box: Bounds, matrix: Matrix) -> Bounds:
    """The box around a box of a form, in the space of the page."""
    a, b, c, d, e, f = matrix
    xs = [a * x + c * y + e for x in (box[0], box[2]) for y in (box[1], box[3])]
    ys = [b * x + d * y + f for x in (box[0], box[2]) for y in (box[1], box[3])]
    return min(xs), min(ys), max(xs), max(ys)


def _clip(address: int, item: Any) -> Bounds | None:
    """The box that an object's clips have in common, in the space of its form; None where it has no clip."""
    if not _clip_of(address):
        return None
    clip = pdfium.FPDFPageObj_GetClipPath(item)
    paths = pdfium.FPDFClipPath_CountPaths(clip)
    if paths <= 0:
        return None
    x, y = ctypes.c_float(), ctypes.c_float()
    left, bottom, right, top = _EVERYWHERE
    for k in range(min(paths, _MOST_CLIPS)):
        xs, ys = [], []
        for i in range(max(0, min(pdfium.FPDFClipPath_CountPathSegments(clip, k), _MOST_POINTS))):
            if pdfium.FPDFPathSegment_GetPoint(pdfium.FPDFClipPath_GetPathSegment(clip, k, i), x, y):
                xs.append(x.value)
                ys.append(y.value)
        if xs:
            left, right = max(left, min(xs)), min(right, max(xs))
            bottom, top = max(bottom, min(ys)), min(top, max(ys))
    return left, bottom, right, top


_MATHABX = str.maketrans("`´ˆ˜¨˝˚˘¯“”„«»‰ďě012:;pqrs{8", "+−×÷·°∗±∓=≡∼≈≃≠≤≥°′″†‡()[]/∞")
_SIGNS = ((re.compile(r"(?:TeX-)?matha\d*", re.I), _MATHABX),)
_MOST_PLACES = 14  # different characters on a page, in a font of signs
_GREEK = dict(zip(map(ord, "abgdezhiklmnprstyDSW"), "αβγδεζηικλμνπρστυΔΣΩ", strict=True))
_BLANKS = (0x20, 0x0A, 0x0D, 0xA0)


class Shape(NamedTuple):
    """The box of a glyph in type sizes, from the baseline up."""

    width: float
    bottom: float
    top: float

    @property
    def height(self) -> float:
        return self.top - self.bottom

    def is_square(self) -> bool:
        """Nearly as wide as high and lower than a figure, as crosses are."""
        return 0.78 < self.width / max(self.height, 0.01) < 1.12 and self.height < 0.66 and self.bottom > -0.05

    def is_flat(self) -> bool:
        return self.height < 0.3 * self.width

    def is_angle(self) -> bool:
        """Wide, and between the line and the height of a figure, as < and > are."""
        return 0.4 < self.width < 0.72 and -0.03 < self.bottom < 0.15 and 0.45 < self.top < 0.64

    def descends(self) -> bool:
        return self.bottom < -0.15

    def is_minus(self) -> bool:
        """A bar in the middle, longer than a hyphen."""
        return self.width > 0.5 and self.height < 0.1 and 0.1 < self.bottom < 0.4

    def is_round(self, low: float, high: float) -> bool:
        """As wide as high, within sizes."""
        return low <= self.width <= high and 0.93 < self.width / max(self.height, 0.01) < 1.07

    def is_asterisk(self) -> bool:
        """Small, and somewhat higher than wide, as the asterisk between the line and the height of letters is."""
        return 0.33 < self.width < 0.5 and 0.8 < self.width / max(self.height, 0.01) < 0.92 and 0 < self.bottom < 0.15

    def is_bracket(self) -> bool:
        """Narrow, from below the line to above all letters."""
        return self.width < 0.38 and self.bottom < -0.1 and self.height > 0.8


Told = tuple[str, str, Callable[[Shape], bool]]  # the place, the sign that stands there, how its glyph is known
_BY_SHAPE: tuple[Told, ...] = (
    ("2", "−", Shape.is_flat),
    ("6", "±", Shape.is_square),
    ("1", "+", Shape.is_square),
    ("3", "×", Shape.is_square),
    ("5", "=", lambda shape: shape.height < 0.6 * shape.width and shape.bottom > 0.05),
    (",", "<", Shape.is_angle),
    (".", ">", Shape.is_angle),
    ("#", "≤", lambda shape: shape.is_angle() and shape.bottom > 0.02),
    ("$", "≥", lambda shape: shape.is_angle() and shape.bottom > 0.02),
    (",", "∼", lambda shape: shape.is_flat() and shape.width > 0.4),
    ("u", "°", lambda shape: shape.bottom > 0.35),
    ("m", "μ", Shape.descends),
    ("b", "β", lambda shape: shape.descends() and shape.top > 0.6),
    ("x", "χ", lambda shape: shape.descends() and shape.top < 0.6),
    ("a", "α", lambda shape: shape.width > 1.08 * shape.height and not shape.descends()),
    ("1", "Δ", lambda shape: shape.width > 0.55 and shape.height > 0.66 and shape.bottom > -0.05),
    ("þ", "+", lambda shape: shape.is_round(0.55, 0.8)),
    ("¼", "=", lambda shape: shape.height < 0.6 * shape.width and shape.bottom > 0.05),
    ("ð", "(", Shape.is_bracket),
    ("Þ", ")", Shape.is_bracket),
)
_UNNAMED = (*range(0x09), *range(0x0E, 0x20))  # control characters, which are not printed
_OF_UNNAMED: tuple[tuple[str, Callable[[Shape], bool]], ...] = (
    ("−", Shape.is_minus),
    ("·", lambda shape: shape.is_round(0.07, 0.16) and 0.15 < shape.bottom < 0.3),
    ("•", lambda shape: shape.is_round(0.3, 0.45) and 0 < shape.bottom < 0.15),
    ("°", lambda shape: shape.is_round(0.2, 0.45) and shape.bottom > 0.3),
    ("×", lambda shape: shape.is_round(0.4, 0.52) and -0.03 < shape.bottom < 0.1),
    ("±", lambda shape: shape.is_round(0.645, 0.675) and abs(shape.bottom) < 0.006),
    ("∗", Shape.is_asterisk),
)
_PLACES = frozenset(map(ord, (place for place, _, _ in _BY_SHAPE))) | frozenset(_GREEK)


def mend_signs(
    code: NDArray[np.uint32], font: NDArray[np.integer], shape_of: Callable[[int], Shape]
) -> NDArray[np.uint32]:
    """The characters of a page as printed; `shape_of` measures the glyph of one. Fonts below 0 are passed over."""
    found = code
    for number in np.unique(font[font >= 0]).tolist():
        mine = np.flatnonzero((font == number) & ~np.isin(code, _BLANKS))
        places, first = np.unique(code[mine], return_index=True)
        if len(places) > _MOST_PLACES or any(chr(place).isalnum() for place in set(places.tolist()) - _PLACES):
            continue
        asked = {place: int(at) for place, at in zip(places.tolist(), mine[first], strict=True) if place in _PLACES}
        signs = _signs_of({place: shape_of(at) for place, at in asked.items()})
        unnamed = mine[np.isin(code[mine], _UNNAMED)]
        found = found.copy() if (signs or len(unnamed)) and found is code else found
        for place, sign in signs.items():
            found[mine[code[mine] == place]] = ord(sign)
        for at in unnamed.tolist():  # fonts of one name may number their signs differently
            found[at] = ord(_unnamed_sign(shape_of(at))) or found[at]
    return found


def _unnamed_sign(shape: Shape) -> str:
    """The sign that has a shape; a null where none or several have it."""
    return next((sign for sign, known in _OF_UNNAMED if known(shape)), "\0")


def _signs_of(shapes: dict[int, Shape]) -> dict[int, str]:
    """The signs that stand at the places of a font."""
    told = {ord(place): sign for place, sign, known in _BY_SHAPE if ord(place) in shapes and known(shapes[ord(place)])}
    if any(place in _GREEK and sign in _GREEK.values() for place, sign in told.items()):
        told = {place: _GREEK[place] for place in shapes if place in _GREEK} | told
    return told


def glyph_shape(text_page: int, number: int, size: float, baseline: float) -> Shape:
    """The shape of one character of a page by PDFium."""
    box = [ctypes.c_double() for _ in range(4)]
    pdfium.FPDFText_GetCharBox(text_page, number, *map(ctypes.byref, box))  # left, right, bottom, top
    left, right, bottom, top = (edge.value for edge in box)
    scale = max(size, 0.1)
    return Shape((right - left) / scale, (bottom - baseline) / scale, (top - baseline) / scale)


def mend_symbols(letters: LetterBoxes, fonts: Sequence[Font]) -> LetterBoxes:
    """The characters with the signs of TeX's symbol fonts as they look."""
    code = letters.code
    for number, font in enumerate(fonts):
        for name, signs in _SIGNS:
            if name.fullmatch(font.name):
                code = code.copy() if code is letters.code else code
                for place, sign in signs.items():
                    code[(letters.font == number) & (letters.code == place)] = sign
    return letters if code is letters.code else msgspec.structs.replace(letters, code=np.asarray(code))
