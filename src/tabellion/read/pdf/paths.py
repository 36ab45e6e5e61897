"""The paths and images of a PDF page (rulings, filled rectangles, drawings), and the page as a reader sees it.

In: a loaded page. Out: boxes in the page as shown. Thin rectangles and straight strokes along the page are rulings
(joined where they touch or are dashed); filled rectangles are shading; all else (curves, slanted lines) is drawing.
Forms are entered. A page with more paths than `_MOST_PATHS` is read up to there, and says so.

`Space` leads from the space of a PDF page to the page as shown, `turn_boxes` to views of sideways text.
"""

from __future__ import annotations

import ctypes
from collections.abc import Container, Iterator
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

Boxes = NDArray[np.float32]


class Space(msgspec.Struct, frozen=True):
    """The visible box of a page in its own coordinates (y upwards) and its rotation in degrees clockwise."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height as shown."""
        width, height = self.right - self.left, self.top - self.bottom
        return (height, width) if self.rotation in (90, 270) else (width, height)

    def shown(
        self, x: NDArray[np.floating], y: NDArray[np.floating]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Points as shown: origin at the top left, y downwards."""
        across, up = x - self.left, y - self.bottom
        width, height = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            across, down = up, across
        elif self.rotation == 180:
            across, down = width - across, up
        elif self.rotation == 270:
            across, down = height - up, width - across
        else:
            down = height - up
        return across.astype(np.float32), down.astype(np.float32)

    def shown_boxes(self, corners: NDArray[np.floating]) -> Boxes:
        """Boxes given by two opposite corners (x, y, x, y) as shown."""
        if not len(corners):
            return np.zeros((0, 4), dtype=np.float32)
        x0, y0 = self.shown(corners[:, 0], corners[:, 1])
        x1, y1 = self.shown(corners[:, 2], corners[:, 3])
        return ordered(np.column_stack([x0, y0, x1, y1]))


def ordered(boxes: Boxes) -> Boxes:
    """Boxes with left before right and top before bottom."""
    low, high = np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])
    return np.column_stack([low, high]).astype(np.float32)


def turn_points(
    x: NDArray[np.floating], y: NDArray[np.floating], turn: int, width: float, height: float
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Points of a shown page of `width` and `height` in the view turned clockwise by `turn`."""
    if turn == 90:
        x, y = height - y, x
    elif turn == 180:
        x, y = width - x, height - y
    elif turn == 270:
        x, y = y, width - x
    return x.astype(np.float32), y.astype(np.float32)


def turn_boxes(boxes: Boxes, turn: int, width: float, height: float) -> Boxes:
    """Boxes of a shown page in the view turned clockwise by `turn`."""
    if not turn or not len(boxes):
        return boxes
    x0, y0 = turn_points(boxes[:, 0], boxes[:, 1], turn, width, height)
    x1, y1 = turn_points(boxes[:, 2], boxes[:, 3], turn, width, height)
    return ordered(np.column_stack([x0, y0, x1, y1]))


_MOST_PATHS = 20_000
_MOST_SEGMENTS = 4_000  # of one path
_DEEPEST_FORM = 8
_THIN = 3.0  # points: a filled rectangle no higher than this is a ruling
_SLANT = 0.02  # rise over run of a line that still counts as level
_WHITE = 0xFFFFFF
_LINE, _BEZIER, _MOVE = pdfium.FPDF_SEGMENT_LINETO, pdfium.FPDF_SEGMENT_BEZIERTO, pdfium.FPDF_SEGMENT_MOVETO

_DRAWN = (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE)

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


class Paths(msgspec.Struct, frozen=True, eq=False):
    """What is drawn on a page besides text, as shown."""

    across: Boxes
    down: Boxes
    fills: Boxes
    fill_colours: NDArray[np.uint32]
    images: Boxes
    drawings: Boxes
    cut_short: bool = False


_NONE = np.zeros((0, 4), dtype=np.float32)
NO_PATHS = Paths(_NONE, _NONE, _NONE, np.zeros(0, dtype=np.uint32), _NONE, _NONE)


class _Found:
    """What the walk over the objects of a page collects, in the page's own space."""

    def __init__(self) -> None:
        self.strokes: list[tuple[float, float, float, float]] = []  # x0, y0, x1, y1 of level and upright lines
        self.faint: list[tuple[float, float, float, float]] = []  # the same, drawn in white
        self.fills: list[tuple[float, float, float, float]] = []
        self.colours: list[int] = []
        self.images: list[tuple[float, float, float, float]] = []
        self.drawings: list[tuple[float, float, float, float]] = []


def read_paths(page: Any, space: Space) -> Paths:
    """Rulings, shading, images and drawings of a loaded page."""
    found = _Found()
    cut_short = False
    for count, (item, kind, matrix) in enumerate(enter_objects(page, _DRAWN)):
        if count >= _MOST_PATHS:
            cut_short = True
            break
        if kind == pdfium.FPDF_PAGEOBJ_PATH:
            _add_path(item, matrix, found)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            _add_image(item, matrix, found)
        else:
            found.drawings.append(_unit_square(matrix))
    fills = space.shown_boxes(np.array(found.fills, dtype=np.float64).reshape(-1, 4))
    colours = np.array(found.colours, dtype=np.uint32)
    strokes = space.shown_boxes(np.array(found.strokes, dtype=np.float64).reshape(-1, 4))
    faint = space.shown_boxes(np.array(found.faint, dtype=np.float64).reshape(-1, 4))
    if len(faint) and len(fills):
        strokes = np.vstack([strokes, faint[_inside(faint, fills)]])
    width, height = strokes[:, 2] - strokes[:, 0], strokes[:, 3] - strokes[:, 1]
    return Paths(
        across=join_rulings(strokes[width >= height], axis=0),
        down=join_rulings(strokes[height >= width], axis=1),
        fills=fills,
        fill_colours=colours,
        images=space.shown_boxes(np.array(found.images, dtype=np.float64).reshape(-1, 4)),
        drawings=space.shown_boxes(np.array(found.drawings, dtype=np.float64).reshape(-1, 4)),
        cut_short=cut_short,
    )


def enter_objects(page: Any, kinds: Container[int]) -> Iterator[tuple[Any, int, Matrix]]:
    """The objects of some kinds on a page and in the forms on it, each with the matrix of its form."""
    for i in range(max(0, pdfium.FPDFPage_CountObjects(page))):
        yield from _enter(pdfium.FPDFPage_GetObject(page, i), IDENTITY, kinds, 0)


def _enter(item: Any, matrix: Matrix, kinds: Container[int], depth: int) -> Iterator[tuple[Any, int, Matrix]]:
    kind = pdfium.FPDFPageObj_GetType(item)
    if kind == pdfium.FPDF_PAGEOBJ_FORM:
        if depth < _DEEPEST_FORM:
            inner = _times(_matrix_of(item), matrix)
            for i in range(max(0, pdfium.FPDFFormObj_CountObjects(item))):
                yield from _enter(pdfium.FPDFFormObj_GetObject(item, i), inner, kinds, depth + 1)
    elif kind in kinds:
        yield item, kind, matrix


def _matrix_of(item: Any) -> Matrix:
    m = pdfium.FS_MATRIX()
    if not pdfium.FPDFPageObj_GetMatrix(item, m):
        return IDENTITY
    return m.a, m.b, m.c, m.d, m.e, m.f


def _times(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def _unit_square(matrix: Matrix) -> tuple[float, float, float, float]:
    a, b, c, d, e, f = matrix
    xs, ys = (e, e + a, e + c, e + a + c), (f, f + b, f + d, f + b + d)
    return min(xs), min(ys), max(xs), max(ys)


def _add_image(item: Any, matrix: Matrix, found: _Found) -> None:
    box = _unit_square(_times(_matrix_of(item), matrix))
    width, height = box[2] - box[0], box[3] - box[1]
    if min(width, height) <= _THIN and max(width, height) > 4 * _THIN:
        found.strokes.append(box)
    else:
        found.images.append(box)


def _add_path(item: Any, matrix: Matrix, found: _Found) -> None:
    fill_mode, stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(item, fill_mode, stroked)
    filled = fill_mode.value != pdfium.FPDF_FILLMODE_NONE
    if not filled and not stroked.value:
        return
    count = pdfium.FPDFPath_CountSegments(item)
    if count <= 1:
        return
    at = _times(_matrix_of(item), matrix)
    outlines, curved = _outlines(item, min(count, _MOST_SEGMENTS), at)
    pen = 0.0
    if stroked.value:
        width = ctypes.c_float()
        pdfium.FPDFPageObj_GetStrokeWidth(item, width)
        pen = max(width.value * (abs(at[0] * at[3] - at[1] * at[2]) ** 0.5), 0.1)
    fill = _colour(item, pdfium.FPDFPageObj_GetFillColor) if filled else None
    stroke = _colour(item, pdfium.FPDFPageObj_GetStrokeColor) if stroked.value else None
    if curved and not stroke:
        found.drawings.append(_hull([p for outline in outlines for p in outline]))
        return
    for outline in outlines:
        _add_outline(outline, curved, fill, stroke, pen, found)


def _outlines(item: Any, count: int, m: Matrix) -> tuple[list[list[tuple[float, float]]], bool]:
    """The outlines of a path, each a list of corners (closed ones end where they began), and whether any is curved."""
    x, y = ctypes.c_float(), ctypes.c_float()
    outlines: list[list[tuple[float, float]]] = []
    curved = False
    for i in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(item, i)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = (m[0] * x.value + m[2] * y.value + m[4], m[1] * x.value + m[3] * y.value + m[5])
        if kind == _MOVE or not outlines:
            outlines.append([point])
        else:
            outlines[-1].append(point)
        curved |= kind == _BEZIER
        if pdfium.FPDFPathSegment_GetClose(segment):
            outlines[-1].append(outlines[-1][0])
    return [o for o in outlines if len(o) > 1], curved


def _colour(item: Any, ask: Any) -> int | None:
    """The colour as 0xRRGGBB; None where it is not seen."""
    red, green, blue, alpha = ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
    if not ask(item, red, green, blue, alpha) or alpha.value == 0:
        return None
    return red.value << 16 | green.value << 8 | blue.value


def _hull(points: list[tuple[float, float]]) -> tuple[float, float, float, float]:
    xs, ys = [p[0] for p in points], [p[1] for p in points]
    return min(xs), min(ys), max(xs), max(ys)


def _add_outline(
    outline: list[tuple[float, float]],
    curved: bool,
    fill: int | None,
    stroke: int | None,
    pen: float,
    found: _Found,
) -> None:
    hull = _hull(outline)
    width, height = hull[2] - hull[0], hull[3] - hull[1]
    straight = [_level(a, b) for a, b in pairwise(outline)]
    if fill is not None and not curved:
        lines = found.faint if fill == _WHITE else found.strokes
        if min(width, height) <= _THIN:
            if all(straight):
                lines.append(hull)
            return
        if len(outline) <= 6 and all(straight):
            if fill != _WHITE:
                found.fills.append(hull)
                found.colours.append(fill)
        elif stroke is None:
            found.drawings.append(hull)
    if stroke is None:
        return
    lines = found.faint if stroke == _WHITE else found.strokes
    if not all(straight) and (curved or len(outline) > 2 or not any(straight)):
        found.drawings.append(hull)
        if not curved:
            return
    half = pen / 2
    for (x0, y0), (x1, y1), level in zip(outline, outline[1:], straight, strict=False):
        if level and pen <= _THIN * 2:
            across = abs(x1 - x0) >= abs(y1 - y0)
            dx, dy = (0.0, half) if across else (half, 0.0)
            lines.append((min(x0, x1) - dx, min(y0, y1) - dy, max(x0, x1) + dx, max(y0, y1) + dy))
        elif level and stroke != _WHITE:
            found.fills.append((min(x0, x1) - half, min(y0, y1) - half, max(x0, x1) + half, max(y0, y1) + half))
            found.colours.append(stroke)


def _level(a: tuple[float, float], b: tuple[float, float]) -> bool:
    """Whether a line runs along the page (or is a point)."""
    width, height = abs(a[0] - b[0]), abs(a[1] - b[1])
    return min(width, height) <= max(_SLANT * max(width, height), 0.05)


def _inside(boxes: Boxes, fills: Boxes) -> NDArray[np.bool_]:
    """Boxes whose middle lies in (or at the edge of) some filled rectangle."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    result = np.zeros(len(boxes), dtype=bool)
    for left, top, right, bottom in fills.tolist():
        result |= (x >= left - 1.5) & (x <= right + 1.5) & (y >= top - 1.5) & (y <= bottom + 1.5)
    return result


def join_rulings(boxes: Boxes, axis: int, *, touch: float = 2.2, beside: float = 1.2, shortest: float = 6.0) -> Boxes:
    """Level (axis 0) or upright (axis 1) lines, joined where they touch end to end or are drawn twice.

    `touch`: gap between two dashes or two cells' borders; `beside`: how far two parallel lines may be apart to be
    one; what stays shorter than `shortest` is dropped.
    """
    if not len(boxes):
        return np.zeros((0, 4), dtype=np.float32)
    low, high, near, far = (0, 2, 1, 3) if axis == 0 else (1, 3, 0, 2)
    middle = (boxes[:, near] + boxes[:, far]) / 2
    order = np.argsort(middle, kind="stable")
    level = np.concatenate(([0], np.cumsum(np.diff(middle[order]) > beside)))
    order = order[np.lexsort((boxes[order, low], level))]
    level = np.sort(level)
    joined: list[list[float]] = []
    last = -1
    for at, box in zip(level.tolist(), boxes[order].tolist(), strict=True):
        if at == last and box[low] <= joined[-1][high] + touch:
            current = joined[-1]
            current[high] = max(current[high], box[high])
            current[near], current[far] = min(current[near], box[near]), max(current[far], box[far])
        else:
            joined.append(box)
        last = at
    result = np.array(joined, dtype=np.float32)
    return result[result[:, high] - result[:, low] >= shortest]
