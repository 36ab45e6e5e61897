"""Pages of a PDF as a PNG picture, as they are printed, with what was understood drawn over them.

In: an extraction. Out: the pages that hold tables, one below the other, at 144 dots an inch; fewer where a page is so
large that its picture would not fit in memory. Pages are drawn and written one after the other. PNG is written by hand:
rows of pixels in a zlib stream are all that is needed, and no library for pictures has to be installed.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from tabellion.cli.drawing.pages_svg import BEHIND, GAP, mark_legend, mark_pages
from tabellion.pipeline import Extraction
from tabellion.read.pdf.document import PrintedPages
from tabellion.read.pdf.picture import Pixels, picture_marks

_SCALE = 2.0  # pixels a point
_LONGEST_SIDE = 5_000.0  # pixels of a page
_NARROWEST = 430.0  # points, so that the legend fits


def write_pages(extraction: Extraction, path: Path) -> None:
    """Write the picture."""
    shown = mark_pages(extraction)
    longest = max((max(page.width, page.height) for page, _ in shown), default=1.0)
    scale = min(_SCALE, _LONGEST_SIDE / longest)
    widest = max([_NARROWEST, *(page.width for page, _ in shown)])
    width, gap = round(widest * scale), round(GAP * scale)
    height = gap + sum(round(page.height * scale) + gap for page, _ in shown)
    pages = extraction.document.pages

    def strips() -> Iterator[Pixels]:
        yield picture_marks(mark_legend(), (widest, GAP), scale)
        for page, marks in shown:
            size = page.width, page.height
            if isinstance(pages, PrintedPages):
                yield _multiplied(pages.picture(page.number, scale), picture_marks(marks, size, scale))
            yield np.full((gap, 1, 3), _BEHIND, dtype=np.uint8)

    path.write_bytes(b"".join(encode_png(strips(), width, height)))


_BEHIND = tuple(bytes.fromhex(BEHIND[1:]))


def _multiplied(page: Pixels, marks: Pixels) -> Pixels:
    """Marks laid over a page as a marker pen does."""
    return (page.astype(np.uint16) * marks // 255).astype(np.uint8)


def encode_png(strips: Iterable[Pixels], width: int, height: int) -> Iterator[bytes]:
    """The bytes of a picture that is made of strips, each in the middle of its rows."""
    yield b"\x89PNG\r\n\x1a\n"
    yield _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    packer = zlib.compressobj(6)
    for strip in strips:
        rows = np.empty((strip.shape[0], 1 + 3 * width), dtype=np.uint8)
        rows[:, 0] = 0  # rows are stored as they are
        pixels = rows[:, 1:].reshape(strip.shape[0], width, 3)
        pixels[:] = _BEHIND
        left = max(0, width - strip.shape[1]) // 2
        pixels[:, left : left + strip.shape[1]] = strip[:, :width]
        packed = packer.compress(rows.tobytes())
        if packed:
            yield _chunk(b"IDAT", packed)
    yield _chunk(b"IDAT", packer.flush())
    yield _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
