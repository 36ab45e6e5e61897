"""Pages of a PDF as a PNG picture, as they are printed, with what was understood drawn over them.

In: an extraction. Out: the pages that hold tables, one below the other, at 144 dots an inch; fewer where a page is so
large that its picture would not fit in memory. Pages are drawn and written one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tabellion.cli.drawing.pages_svg import BEHIND, GAP, mark_legend, mark_pages
from tabellion.export.png import encode_png
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

    path.write_bytes(b"".join(encode_png(strips(), width, height, _BEHIND)))


_BEHIND = tuple(bytes.fromhex(BEHIND[1:]))


def _multiplied(page: Pixels, marks: Pixels) -> Pixels:
    """Marks laid over a page as a marker pen does."""
    return (page.astype(np.uint16) * marks // 255).astype(np.uint8)
