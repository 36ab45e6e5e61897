"""A candidate of a web page to a dense grid.

In: a region of a page, whose cells have their slots by the HTML standard. Out: a `Grid` without the rows and columns in
which no cell begins (they have no width in a browser either), with the lines of a row that are really rows parted as
the paper's pseudo-rendering asks (Wang, sections 6.3.1 and 6.6.2), and amounts that are cut into several columns
joined. What spans make too large to hold is cut off with an issue.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content, Grid
from tabellion.model.issue import Issue
from tabellion.model.markup import MarkupCells
from tabellion.model.region import MarkupRegion
from tabellion.recognise.cut_amounts import join_amounts
from tabellion.recognise.preformatted import cut_text
from tabellion.recognise.pseudo_rows import part_rows
from tabellion.recognise.slot_table import SlotTable
from tabellion.values import read_texts

MOST_CELLS = 4_000_000  # cells that a grid may hold: about 200 MB


def recognise_table(region: MarkupRegion) -> Grid:
    """The grid of a candidate."""
    candidate = region.candidate
    if candidate.kind == "preformatted":
        table = cut_text(candidate.text or "")
    else:
        table = _read_slots(region.page.cells, candidate.first, candidate.last)
    table, issues = _cut(table, region)
    return _make_grid(join_amounts(part_rows(table)), region, issues)


def _read_slots(cells: MarkupCells, first: int, last: int) -> SlotTable:
    part = slice(first, last)
    row_of, row = _compact(cells.row[part])
    column_of, column = _compact(cells.column[part])
    row_end = np.searchsorted(row_of, cells.row[part] + cells.row_span[part])
    column_end = np.searchsorted(column_of, cells.column[part] + cells.column_span[part])
    content = np.zeros(last - first, dtype=np.uint8)
    bare = cells.length[part] == 0
    content[bare & (cells.images[part] > 0)] = Content.IMAGE
    content[bare & (cells.forms[part] > 0)] = Content.FORM
    content[(cells.linked[part] * 2 > cells.length[part]) & ~bare] = Content.LINK
    return SlotTable(
        row=row,
        column=column,
        down=(row_end - row).astype(np.int32),
        across=(column_end - column).astype(np.int32),
        text=cells.text[part],
        style=cells.style[part],
        marks=cells.marks[part],
        content=content,
        row_of=row_of,
        column_of=column_of,
    )


def _compact(lines: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The lines in which a cell begins, and for each cell the place of its line among them."""
    kept, at = np.unique(lines, return_inverse=True)
    return kept.astype(np.int32), at.astype(np.int32).ravel()


def _cut(table: SlotTable, region: MarkupRegion) -> tuple[SlotTable, tuple[Issue, ...]]:
    rows, columns = len(table.row_of), len(table.column_of)
    if rows * columns <= MOST_CELLS:
        return table, ()
    kept = max(1, MOST_CELLS // columns)
    note = f"the table takes {rows:,} rows of {columns:,} columns; only the first {kept:,} rows were read"
    return table.first_rows(kept), (Issue("recognise", note, region.place),)


def _make_grid(table: SlotTable, region: MarkupRegion, issues: tuple[Issue, ...]) -> Grid:
    shape = (len(table.row_of), len(table.column_of))
    where = (table.row, table.column)
    text = np.full(shape, "", dtype=object)
    label = np.full(shape, "", dtype=object)
    content = np.zeros(shape, dtype=np.uint8)
    number = np.full(shape, np.nan)
    style = np.zeros(shape, dtype=np.int32)
    indent = np.zeros(shape, dtype=np.float32)
    marks = np.zeros(shape, dtype=np.uint8)
    notes: dict[int, tuple[str, ...]] = {}
    text[where], style[where], marks[where] = table.text, table.style, table.marks
    said = read_texts(table.text.tolist())
    styles = region.page.styles
    own = table.content.tolist()
    for at, (row, column, words) in enumerate(
        zip(table.row.tolist(), table.column.tolist(), table.text.tolist(), strict=True)
    ):
        if not words and not own[at]:
            continue
        saying = said[words]
        kind = saying.content
        if own[at] in (Content.IMAGE, Content.FORM) or (own[at] == Content.LINK and kind == Content.TEXT):
            kind = Content(own[at])
        content[row, column] = kind
        label[row, column] = saying.label
        number[row, column] = saying.number
        indent[row, column] = saying.indent + styles[style[row, column]].indent
        if saying.notes:
            notes[row * shape[1] + column] = saying.notes
    spanning = (table.down > 1) | (table.across > 1)
    spans = np.column_stack([table.row, table.column, table.down, table.across])[spanning]
    return Grid(
        text=text,
        label=label,
        content=content,
        number=number,
        style=style,
        indent=indent,
        marks=marks,
        notes=notes,
        spans=spans.astype(np.int32).reshape(-1, 4),
        styles=styles,
        row_of=table.row_of,
        column_of=table.column_of,
        hidden_rows=np.zeros(shape[0], dtype=bool),
        hidden_columns=np.zeros(shape[1], dtype=bool),
        place=region.place,
        medium="html",
        caption=region.candidate.caption,
        issues=issues,
    )
