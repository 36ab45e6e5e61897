"""A page of a PDF as pixels, and marks to lay over it, both drawn by PDFium.

In: an open PDF and the number of a page, or marks with boxes in points from the top left of the page as it is shown.
Out: arrays of rows, columns and the three colours. Marks are drawn on white, so that laying them over a page is to
multiply the two. Fails softly: a page that is damaged is white.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pypdfium2.raw as pdfium
from numpy.typing import NDArray

from tabellion.model.place import Box
from tabellion.model.printed import DrawnBox, DrawnLine, DrawnText, Scene

Pixels: TypeAlias = NDArray[np.uint8]
_WHITE = 0xFFFFFFFF
_LETTERS = 7.0  # points of the letters of a mark


class PictureMark(NamedTuple):
    """A rectangle, filled or drawn as a frame, what it stands for, and the letters to print at its top left."""

    box: Box
    colour: str  # #rrggbb
    filled: bool
    said: str
    letters: str = ""


def picture_page(document: Any, number: int, size: tuple[float, float], scale: float) -> Pixels:
    """A page by its number from 1, as it is printed; `size` is its width and height in points."""
    page = pdfium.FPDF_LoadPage(document, number - 1)
    try:
        return _pixels(page, size, scale)
    finally:
        if page:
            pdfium.FPDF_ClosePage(page)


def picture_marks(marks: Sequence[PictureMark], size: tuple[float, float], scale: float) -> Pixels:
    """Marks on a white page, in their order."""
    with _blank_page(size) as (document, page):
        font = pdfium.FPDFText_LoadStandardFont(document, b"Helvetica")
        for mark in marks:
            pdfium.FPDFPage_InsertObject(page, _rectangle(mark, size[1]))
            if mark.letters:
                pdfium.FPDFPage_InsertObject(page, _letters(document, font, mark, size[1]))
        pixels = _pixels(page, size, scale)
        pdfium.FPDFFont_Close(font)
    return pixels


def picture_scene(scene: Scene, scale: float = 2.0) -> Pixels:
    """A drawing as pixels."""
    size = scene.width, scene.height
    with _blank_page(size) as (document, page):
        fonts = [pdfium.FPDFText_LoadStandardFont(document, name) for name in (b"Helvetica", b"Helvetica-Bold")]
        for part in scene.parts:
            if isinstance(part, DrawnBox):
                box = Box(part.left, part.top, part.left + part.width, part.top + part.height)
                pdfium.FPDFPage_InsertObject(page, _rectangle(PictureMark(box, part.colour, True, ""), size[1]))
            elif isinstance(part, DrawnLine):
                pdfium.FPDFPage_InsertObject(page, _polyline(part, size[1]))
            else:
                pdfium.FPDFPage_InsertObject(page, _words(document, fonts[part.bold], part, size[1]))
        pixels = _pixels(page, size, scale)
        for font in fonts:
            pdfium.FPDFFont_Close(font)
    return pixels


def _polyline(line: DrawnLine, height: float) -> Any:
    (x, y), *rest = line.points
    path = pdfium.FPDFPageObj_CreateNewPath(x, height - y)
    for x, y in rest:
        pdfium.FPDFPath_LineTo(path, x, height - y)
    pdfium.FPDFPageObj_SetStrokeColor(path, *bytes.fromhex(line.colour[1:]), 255)
    pdfium.FPDFPageObj_SetStrokeWidth(path, line.width)
    pdfium.FPDFPath_SetDrawMode(path, pdfium.FPDF_FILLMODE_NONE, True)
    return path


def _words(document: Any, font: Any, part: DrawnText, height: float) -> Any:
    words = _text_object(document, font, part.text, part.size, part.colour)
    edges = [ctypes.c_float() for _ in range(4)]
    pdfium.FPDFPageObj_GetBounds(words, *(ctypes.byref(edge) for edge in edges))
    width = edges[2].value - edges[0].value
    x = part.x - {"start": 0.0, "middle": width / 2, "end": width}[part.anchor]
    pdfium.FPDFPageObj_Transform(words, 1, 0, 0, 1, x, height - part.y)
    return words


def _text_object(document: Any, font: Any, said: str, size: float, colour: str) -> Any:
    words = pdfium.FPDFPageObj_CreateTextObj(document, font, size)
    wide = (said + "\0").encode("utf-16-le")
    pdfium.FPDFText_SetText(words, (ctypes.c_ushort * (len(wide) // 2)).from_buffer_copy(wide))
    pdfium.FPDFPageObj_SetFillColor(words, *bytes.fromhex(colour[1:]), 255)
    return words


def _pixels(page: Any, size: tuple[float, float], scale: float) -> Pixels:
    width, height = (max(1, round(side * scale)) for side in size)
    bitmap = pdfium.FPDFBitmap_Create(width, height, 0)
    try:
        pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, _WHITE)
        if page:
            pdfium.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, pdfium.FPDF_ANNOT)
        stride = pdfium.FPDFBitmap_GetStride(bitmap)
        memory = ctypes.cast(
            pdfium.FPDFBitmap_GetBuffer(bitmap), ctypes.POINTER(ctypes.c_ubyte * (stride * height))
        ).contents
        rows = np.frombuffer(memory, dtype=np.uint8).reshape(height, stride)[:, : 4 * width]
        return np.ascontiguousarray(rows.reshape(height, width, 4)[:, :, 2::-1])  # blue comes first in memory
    finally:
        pdfium.FPDFBitmap_Destroy(bitmap)


@contextmanager
def _blank_page(size: tuple[float, float]) -> Iterator[tuple[Any, Any]]:
    document = pdfium.FPDF_CreateNewDocument()
    page = pdfium.FPDFPage_New(document, 0, *size)
    try:
        yield document, page
    finally:
        pdfium.FPDF_ClosePage(page)
        pdfium.FPDF_CloseDocument(document)


def _rectangle(mark: PictureMark, height: float) -> Any:
    left, top, right, bottom = mark.box
    rectangle = pdfium.FPDFPageObj_CreateNewRect(left, height - bottom, right - left, bottom - top)
    set_colour = pdfium.FPDFPageObj_SetFillColor if mark.filled else pdfium.FPDFPageObj_SetStrokeColor
    set_colour(rectangle, *bytes.fromhex(mark.colour[1:]), 255)
    pdfium.FPDFPageObj_SetStrokeWidth(rectangle, 1.0)
    pdfium.FPDFPath_SetDrawMode(
        rectangle, pdfium.FPDF_FILLMODE_WINDING if mark.filled else pdfium.FPDF_FILLMODE_NONE, not mark.filled
    )
    return rectangle


def _letters(document: Any, font: Any, mark: PictureMark, height: float) -> Any:
    letters = _text_object(document, font, mark.letters, _LETTERS, "#000000" if mark.filled else mark.colour)
    below = mark.box.bottom - 3 if mark.filled else mark.box.top - 2
    pdfium.FPDFPageObj_Transform(letters, 1, 0, 0, 1, mark.box.left + (4 if mark.filled else 0), height - below)
    return letters
