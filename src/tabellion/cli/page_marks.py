"""What is drawn over the pages of a PDF: each table in a frame with its id, each cell in the colour of its role.

In: an extraction. Out: the pages that hold tables, and the marks of each, whatever picture they are drawn in. Fails to
mark cells whose text has no place on the page, such as those of scanned tables.
"""

from __future__ import annotations

from collections.abc import Iterator

from tabellion.model.grid import GridPart
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.read.pdf_picture import PictureMark
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
