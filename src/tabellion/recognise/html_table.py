"""A candidate of a web page to a dense grid.

In: a region of a page, whose cells have their slots by the HTML standard. Out: a `Grid` without the rows and columns in
which no cell begins (they have no width in a browser either), with the lines of a row that are really rows parted as
the paper's pseudo-rendering asks (Wang, sections 6.3.1 and 6.6.2), and amounts that are cut into several columns
joined. What spans make too large to hold is cut off with an issue.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content, Grid
from tabellion.model.issue import Issue
from tabellion.model.markup import Candidate, MarkupCells
from tabellion.model.region import MarkupRegion
from tabellion.model.stated import Stated
from tabellion.model.style import PLAIN
from tabellion.recognise.cut_amounts import join_amounts
from tabellion.recognise.preformatted import cut_text
from tabellion.recognise.pseudo_rows import part_rows
from tabellion.recognise.slot_table import SlotTable
from tabellion.values import read_texts
from tabellion.values.saying import Saying

_REFERENCE = re.compile(r"(\[\w{1,3}\])\s*$")
_WORDS = (Content.TEXT, Content.LINK)
_FIGURES = (Content.NUMBER, Content.DATE)
_MANY_WORDS = 2  # times as many words as figures make a column one of words
MOST_CELLS = 4_000_000  # cells that a grid may hold: about 200 MB


def recognise_table(region: MarkupRegion) -> Grid:
    """The grid of a candidate."""
    candidate = region.candidate
    if candidate.kind == "preformatted":
        table = cut_text(candidate.text or "")
    else:
        table = _read_slots(region.page.cells, candidate)
    table, issues = _cut(table, region)
    if candidate.stated is None:
        table = join_amounts(part_rows(table))
    return _make_grid(table, region, issues)


def _read_slots(cells: MarkupCells, candidate: Candidate) -> SlotTable:
    part = slice(candidate.first, candidate.last)
    row_of, row = _compact(cells.row[part])
    column_of, column = _compact(cells.column[part])
    row_end = np.searchsorted(row_of, cells.row[part] + cells.row_span[part])
    column_end = np.searchsorted(column_of, cells.column[part] + cells.column_span[part])
    content = np.zeros(len(row), dtype=np.uint8)
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
        declared_headers=candidate.declared_headers,
        box=None if cells.box is None else cells.box[part],
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
    texts = table.text.tolist()
    said = _with_loose_references(read_texts(set(texts)))
    sayings = [said[text] for text in texts]
    content = np.array([saying.content for saying in sayings], dtype=np.uint8)
    number = np.array([saying.number for saying in sayings], dtype=np.float64)
    if region.candidate.stated:
        for cell, exact in region.candidate.exact.items():
            if cell < len(content) and content[cell] == Content.NUMBER:
                number[cell] = exact
    own = table.content
    content = np.where((own == Content.LINK) & (content == Content.TEXT), own, content)
    content = np.where((own == Content.IMAGE) | (own == Content.FORM), own, content)
    used, own_style = np.unique(table.style, return_inverse=True)
    styles = tuple(region.page.styles[number] for number in used.tolist()) or (PLAIN,)
    style = own_style.astype(np.int32).ravel()
    led = np.array([saying.indent for saying in sayings], dtype=np.float32)
    told = content != Content.EMPTY
    indent = np.where(told, led + np.array([style.indent for style in styles], dtype=np.float32)[style], 0)
    flat = (table.row.astype(np.int64) * shape[1] + table.column).tolist()
    notes = {at: saying.notes for at, saying in zip(flat, sayings, strict=True) if saying.notes}
    spanning = (table.down > 1) | (table.across > 1)
    spans = np.column_stack([table.row, table.column, table.down, table.across])[spanning]
    return Grid(
        text=_spread(shape, where, table.text, ""),
        label=_spread(shape, where, [saying.label for saying in sayings], ""),
        content=_lay_out(shape, where, _words_in_columns(content, table), 0),
        number=_lay_out(shape, where, number, np.nan),
        style=_lay_out(shape, where, style, 0),
        indent=_lay_out(shape, where, indent.astype(np.float32), 0),
        marks=_lay_out(shape, where, table.marks, 0),
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
        declared_headers=table.declared_headers,
        found=region.candidate.kind,
        boxes=None if table.box is None else _lay_out_boxes(shape, where, table.box),
        stated=_stated(region, table),
        issues=issues,
    )


def _stated(region: MarkupRegion, table: SlotTable) -> tuple[Stated, ...]:
    """What the markup states of the table, in the lines of its grid."""
    stated = region.candidate.stated
    placed = stated.placed(table.row_of.tolist(), table.column_of.tolist()) if stated else None
    return (placed,) if placed else ()


def _with_loose_references(said: dict[str, Saying]) -> dict[str, Saying]:
    """What texts say, but "Sales [4]" keeps its bracket where no text of the table is a note that begins with it."""
    marked = {text: match[1] for text, saying in said.items() if saying.notes and (match := _REFERENCE.search(text))}
    for text, mark in marked.items():
        if said[text].content == Content.TEXT and not any(other.startswith(mark) for other in said):
            said[text] = msgspec.structs.replace(said[text], label=" ".join(text.split()), notes=())
    return said


def _words_in_columns(content: NDArray[np.uint8], table: SlotTable) -> NDArray[np.uint8]:
    """What cells hold, but a mark for a missing value is a word where its column holds words: NA may be Namibia."""
    missing = content == Content.MISSING
    if not missing.any():
        return content
    width = len(table.column_of)
    words = np.bincount(table.column[np.isin(content, _WORDS)], minlength=width)
    figures = np.bincount(table.column[np.isin(content, _FIGURES)], minlength=width)
    spelled = np.array([text.strip().isalpha() for text in table.text.tolist()])
    among_words = (words > _MANY_WORDS * (figures + 1))[table.column]
    return np.where(missing & spelled & among_words, np.uint8(Content.TEXT), content)


def _lay_out(
    shape: tuple[int, int], where: tuple[NDArray[np.int32], NDArray[np.int32]], values: NDArray[Any], empty: float
) -> NDArray[Any]:
    """Values of cells as a dense array."""
    laid = np.full(shape, empty, dtype=values.dtype)
    laid[where] = values
    return laid


def _lay_out_boxes(
    shape: tuple[int, int], where: tuple[NDArray[np.int32], NDArray[np.int32]], boxes: NDArray[np.float32]
) -> NDArray[np.float32]:
    laid = np.full((*shape, 4), np.nan, dtype=np.float32)
    laid[where] = boxes
    return laid


def _spread(
    shape: tuple[int, int],
    where: tuple[NDArray[np.int32], NDArray[np.int32]],
    texts: Sequence[str] | NDArray[np.object_],
    empty: str,
) -> NDArray[np.object_]:
    laid = np.full(shape, empty, dtype=object)
    laid[where] = texts
    return laid
