"""Which characters of a page are seen through the clips that they are drawn through.

Goes in: the text objects that PDFium's text page knows, with the boxes of their characters. Comes out: which characters
are seen. A clip stands in the space of its form. A text that is drawn several times at one place, each time through
another clip, is known to PDFium once: its characters are seen where any of these clips shows them. Clips are taken as
the boxes around them; text that is itself a clip is not looked at.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from tabellion.read.pdf.paths import IDENTITY, Matrix, enter_objects

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
