"""Pages of a PDF as a picture, SVG or PNG, with what was understood drawn over them.

In: an extraction. Out: the pages that hold tables, one below the other: words and rules as printed, each table in a
frame with its id, each cell in the colour of its role. The words are drawn from what was read, so that the picture also
shows what was not.

What is drawn over the pages of a PDF: each table in a frame with its id, each cell in the colour of its role. In: an
extraction. Out: the pages that hold tables, and the marks of each, whatever picture they are drawn in. Fails to mark
cells whose text has no place on the page, such as those of scanned tables.

As PNG they are drawn as they are printed, one below the other, at 144 dots an inch; fewer where a page is so
large that its picture would not fit in memory. Pages are drawn and written one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np

from tabellion.export.chart import encode_png
from tabellion.model.grid import GridPart
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.read.pdf.document import PrintedPages
from tabellion.read.pdf.picture import PictureMark, Pixels, picture_marks
from tabellion.relate import CELL_ROLES, label_cells

COLOURS = {
    "title": "#ffd58a",
    "header": "#7fb2ff",
    "stub": "#a8dcf5",
    "group": "#dcb0ef",
    "value": "#e4e8ec",
    "derived": "#a9e5a2",
    "note": "#d8d2c0",
    "other": "#d0d0d0",
}
GAP = 24  # points between two pages
FRAME = "#d0021b"
BEHIND = "#8a8f94"  # the colour behind the pages
_MOST_PAGES = 40  # of a longer document the first ones are drawn


def mark_pages(extraction: Extraction) -> list[tuple[PrintedPage, list[PictureMark]]]:
    """The pages that hold tables, with their marks; of a long document the first ones."""
    tables: dict[int, list[tuple[Table, GridPart]]] = {}
    for table in extraction.tables:
        for part in table.grid.parts or (GridPart(table.place, (0, table.grid.shape[0] - 1)),):
            tables.setdefault(part.place.page or 0, []).append((table, part))
    pages = [page for page in extraction.document.pages if isinstance(page, PrintedPage) and page.number in tables]
    return [
        (page, [mark for table, part in tables[page.number] for mark in _mark_table(table, part)])
        for page in pages[:_MOST_PAGES]
    ]


def mark_legend() -> list[PictureMark]:
    """The colours and what they stand for, to be put above the first page."""
    return [
        PictureMark(Box(8 + 52 * number, 6, 58 + 52 * number, 18), colour, True, role, role)
        for number, (role, colour) in enumerate(COLOURS.items())
    ]


def _mark_table(table: Table, part: GridPart) -> Iterator[PictureMark]:
    """The cells of a table on one page, and a frame around them."""
    grid, roles = table.grid, label_cells(table.nested)
    if grid.boxes is not None:
        for row in range(part.rows[0], part.rows[1] + 1):
            for column in range(grid.shape[1]):
                role = CELL_ROLES[roles[row, column]]
                if role is not None:
                    box = Box(*grid.boxes[row, column].tolist())
                    said = f"{role}: {grid.text[row, column]}"
                    if box.left == box.left:  # a cell without print has no box
                        yield PictureMark(_wider(box, 1.5), COLOURS[role], True, said)
    if part.place.box is not None:
        yield PictureMark(_wider(part.place.box, 4), FRAME, False, f"table {table.id}", table.id)


def _wider(box: Box, margin: float) -> Box:
    return Box(box.left - margin, box.top - margin, box.right + margin, box.bottom + margin)


def write_svg(extraction: Extraction, path: Path) -> None:
    """Write the picture."""
    path.write_text("".join(_draw(extraction)), encoding="utf-8")


def _draw(extraction: Extraction) -> Iterator[str]:
    shown = mark_pages(extraction)
    width = max((page.width for page, _ in shown), default=300.0)
    height = sum(page.height + GAP for page, _ in shown) + GAP
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">\n'
    yield f'<rect width="{width:g}" height="{height:g}" fill="{BEHIND}"/>\n'
    top = float(GAP)
    for page, marks in shown:
        yield f'<g transform="translate({(width - page.width) / 2:g},{top:g})">\n'
        yield f'<rect width="{page.width:g}" height="{page.height:g}" fill="#fff"/>\n'
        yield from map(_draw_mark, marks)
        yield from _draw_print(page)
        yield "</g>\n"
        top += page.height + GAP
    yield from map(_draw_mark, mark_legend())
    yield "</svg>\n"


def _draw_mark(mark: PictureMark) -> str:
    left, top, right, bottom = mark.box
    place = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    look = f'fill="{mark.colour}"' if mark.filled else f'fill="none" stroke="{mark.colour}" stroke-width="1"'
    drawn = f"<rect {place} {look}><title>{escape(mark.said)}</title></rect>\n"
    if mark.letters:
        x, y = (left + 4, bottom - 3) if mark.filled else (left, top - 2)
        colour = "#000" if mark.filled else mark.colour
        drawn += f'<text x="{x:.1f}" y="{y:.1f}" font-size="7" fill="{colour}">{escape(mark.letters)}</text>\n'
    return drawn


def _draw_print(page: PrintedPage) -> Iterator[str]:
    """Rules and words as they lie on the page; sideways text too."""
    for left, top, right, bottom in (*page.across.tolist(), *page.down.tolist()):
        across = max(right - left, 0.4), max(bottom - top, 0.4)
        yield f'<rect x="{left:.1f}" y="{top:.1f}" width="{across[0]:.1f}" height="{across[1]:.1f}" fill="#444"/>\n'
    for view in (page, *page.sideways):
        words = view.words
        for text, box, base, size, font in zip(
            words.text.tolist(), words.box.tolist(), words.baseline.tolist(), words.size.tolist(),
            words.font.tolist(), strict=True,
        ):  # fmt: skip
            weight = ' font-weight="bold"' if view.fonts[font].bold else ""
            place = f'x="{box[0]:.1f}" y="{base:.1f}" textLength="{max(box[2] - box[0], 0.1):.1f}"'
            turned = f' transform="{_turned(view)}"' if view.turn else ""
            yield (
                f'<text {place} lengthAdjust="spacingAndGlyphs" font-size="{size:.1f}"{weight}{turned}>'
                f"{escape(text)}</text>\n"
            )


def _turned(view: PrintedPage) -> str:
    """How a view of sideways text lies on its page."""
    places = {90: f"translate(0,{view.width:g}) rotate(-90)", 270: f"translate({view.height:g},0) rotate(90)"}
    return places.get(view.turn, f"translate({view.width:g},{view.height:g}) rotate(180)")


_SCALE = 2.0  # pixels a point
_LONGEST_SIDE = 5_000.0  # pixels of a page
_NARROWEST = 430.0  # points, so that the legend fits


def write_png(extraction: Extraction, path: Path) -> None:
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
