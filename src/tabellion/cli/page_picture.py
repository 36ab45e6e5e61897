"""Pages of a PDF as an SVG picture, with what was understood drawn over them.

In: an extraction. Out: the pages that hold tables, one below the other: words and rules as printed, each table in a
frame with its id, each cell in the colour of its role. The words are drawn from what was read, so that the picture
also shows what was not.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from tabellion.model.grid import GridPart
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES, label_cells

_COLOURS = {
    "title": "#ffd58a",
    "header": "#7fb2ff",
    "stub": "#a8dcf5",
    "group": "#dcb0ef",
    "value": "#e4e8ec",
    "derived": "#a9e5a2",
    "note": "#d8d2c0",
    "other": "#d0d0d0",
}
_GAP = 24  # points between two pages
_MOST_PAGES = 40  # of a longer document the first ones are drawn


def write_pages(extraction: Extraction, path: Path) -> None:
    """Write the picture."""
    path.write_text("".join(_draw(extraction)), encoding="utf-8")


def _draw(extraction: Extraction) -> Iterator[str]:
    tables: dict[int, list[tuple[Table, GridPart]]] = {}
    for table in extraction.tables:
        for part in table.grid.parts or (GridPart(table.place, (0, table.grid.shape[0] - 1)),):
            tables.setdefault(part.place.page or 0, []).append((table, part))
    pages = [page for page in extraction.document.pages if isinstance(page, PrintedPage) and page.number in tables]
    shown = pages[:_MOST_PAGES]
    width = max((page.width for page in shown), default=300.0)
    height = sum(page.height + _GAP for page in shown) + _GAP
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">\n'
    yield f'<rect width="{width:g}" height="{height:g}" fill="#8a8f94"/>\n'
    top = float(_GAP)
    for page in shown:
        yield f'<g transform="translate({(width - page.width) / 2:g},{top:g})">\n'
        yield f'<rect width="{page.width:g}" height="{page.height:g}" fill="#fff"/>\n'
        for table, part in tables[page.number]:
            yield from _draw_table(table, part)
        yield from _draw_print(page)
        yield "</g>\n"
        top += page.height + _GAP
    yield from _draw_legend()
    yield "</svg>\n"


def _draw_table(table: Table, part: GridPart) -> Iterator[str]:
    """The cells of a table on one page, and a frame around them."""
    grid, roles = table.grid, label_cells(table.nested)
    if grid.boxes is not None:
        for row in range(part.rows[0], part.rows[1] + 1):
            for column in range(grid.shape[1]):
                role = CELL_ROLES[roles[row, column]]
                if role is not None:
                    box = Box(*grid.boxes[row, column].tolist())
                    yield _rect(box, 1.5, f'fill="{_COLOURS[role]}"', f"{role}: {grid.text[row, column]}")
    if part.place.box is not None:
        yield _rect(part.place.box, 4, 'fill="none" stroke="#d0021b" stroke-width="1"', f"table {table.id}")
        left, place_top = part.place.box[0] - 4, part.place.box[1] - 6
        yield f'<text x="{left:.1f}" y="{place_top:.1f}" font-size="7" fill="#d0021b">{escape(table.id)}</text>\n'


def _rect(box: Box, margin: float, look: str, said: str) -> str:
    left, top, right, bottom = box
    place = f'x="{left - margin:.1f}" y="{top - margin:.1f}"'
    size = f'width="{right - left + 2 * margin:.1f}" height="{bottom - top + 2 * margin:.1f}"'
    return f"<rect {place} {size} {look}><title>{escape(said)}</title></rect>\n"


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


def _draw_legend() -> Iterator[str]:
    for number, (role, colour) in enumerate(_COLOURS.items()):
        x = 8 + 52 * number
        yield f'<rect x="{x}" y="6" width="50" height="12" fill="{colour}"/>'
        yield f'<text x="{x + 4}" y="15" font-size="8">{role}</text>\n'
