"""A region of a sheet to a dense grid.

In: a region with the sheet's sparse cells. Out: a `Grid` without the sheet's long blank runs (two blank
lines of a run are kept, as a mark of distance), texts read by `values`, spans from merged areas
and texts centred over blank cells.

Merged areas that were written out into each of their cells.

In: the texts of a sheet without merged areas and styles (delimited text). Out: spans. Programs that save a sheet as
text repeat what a merged area says in all its cells: a title stands in every column, a head over each of the columns
that it spans. Told by two signs: a row that says one longer text and nothing else, in neighbouring cells; and, above
the first row of numbers, a text repeated over cells that the next row tells apart, unless a row above it has told all
columns apart: below that stand records.
Fails on areas merged over rows, and on a title that is one short word.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.document import Region, SheetCells, Stored
from tabellion.model.grid import EMPTY, MISSING, NUMBER, TEXT, Content, Grid
from tabellion.model.place import Rect
from tabellion.model.stated import UNMARKED, StatedTable
from tabellion.model.style import PLAIN, Style
from tabellion.values import read_texts
from tabellion.values.number import LOOKED_AT, Conventions, settle_conventions
from tabellion.values.texts import read_plain_numbers

LONG = 12  # letters from which on a text repeated in neighbouring cells is no value
HEAD_ROWS = 20  # filled rows from the top that may be heads
NUMBERS = 0.5  # share of a row's cells that are numbers below which it may be a head

Span = tuple[int, int, int, int]
Texts = NDArray[np.object_]
Contents = NDArray[np.uint8]


def find_written_out(text: Texts, content: Contents) -> list[Span]:
    """Spans (row, column, rows, columns) that repeated texts speak of, in reading order."""
    return sorted({*_lines(text, content), *_heads(text, content)})


def _lines(text: Texts, content: Contents) -> list[Span]:
    """Rows that hold one longer text and nothing else, in two neighbouring cells or more."""
    said = content != EMPTY
    plain = (content == TEXT).sum(axis=1)
    rows = np.flatnonzero((plain > 1) & (plain == said.sum(axis=1)))
    found = []
    for row in rows[_ends_alike(text, said, rows)].tolist():
        columns = np.flatnonzero(said[row])
        first, last = int(columns[0]), int(columns[-1])
        alike = last - first + 1 == len(columns) and len(set(text[row, columns])) == 1
        if alike and len(text[row, first].strip()) >= LONG:
            found.append((row, first, 1, len(columns)))
    return found


def _ends_alike(text: Texts, said: NDArray[np.bool_], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Of some rows, whether their first and last filled cells say the same: asked of all rows at once."""
    first = said[rows].argmax(axis=1)
    last = said.shape[1] - 1 - said[rows, ::-1].argmax(axis=1)
    return np.asarray(text[rows, first] == text[rows, last], dtype=bool)


def _heads(text: Texts, content: Contents) -> list[Span]:
    """Texts above the first row of numbers that are repeated over cells which the next row tells apart."""
    filled = np.flatnonzero((content != EMPTY).any(axis=1))[:HEAD_ROWS].tolist()
    found: list[Span] = []
    for row, below in pairwise(filled):
        said = int((content[row] != EMPTY).sum())
        if (content[row] == NUMBER).sum() >= NUMBERS * said or len(set(text[row].tolist()) - {""}) == content.shape[1]:
            break
        for first, last in _runs(text[row], content[row]):
            under = text[below, first : last + 1].tolist()
            if all(under) and len(set(under)) == len(under):
                found.append((row, first, 1, last - first + 1))
    return found


def _runs(texts: Texts, content: Contents) -> list[tuple[int, int]]:
    """First and last cell of each text that neighbouring cells of a row repeat."""
    same = np.asarray(texts[1:] == texts[:-1], dtype=bool) & (content[1:] == TEXT)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]


BLANK_RUN = 2  # blank rows or columns kept of a longer run
MERGED_BEYOND = 40  # lines beyond the last filled cell that a merged area may add to the grid
STATED_AREA = 1_000_000  # cells that a grid may have for what is stated, however empty it is
THIN = 4  # above that: times the cells that it would have otherwise
_MANY_TEXTS = 200_000  # from which columns of plain numbers are read at once
_HEAD = 20  # rows of such a grid that may be of its head
MERGED_WHOLE = 400  # a merged area over more lines than this says nothing of a table's extent

_CONTENT_OF = np.zeros(8, dtype=np.uint8)
_CONTENT_OF[Stored.TEXT] = Content.TEXT
_CONTENT_OF[Stored.NUMBER] = Content.NUMBER
_CONTENT_OF[Stored.DATE] = Content.DATE
_CONTENT_OF[Stored.BOOLEAN] = Content.TEXT
_CONTENT_OF[Stored.ERROR] = Content.MISSING


def recognise_sheet(region: Region) -> Grid:
    """The grid of a sheet's region."""
    sheet, rect = region.page, region.rect
    cells = percentages_as_shown(sheet.cells, sheet.styles)
    inside = (
        (cells.row >= rect.top)
        & (cells.row <= rect.bottom)
        & (cells.column >= rect.left)
        & (cells.column <= rect.right)
    )
    filled = inside & (cells.stored != Stored.EMPTY)
    merged = _reach(sheet.merges, rect)
    row_of = _kept_lines(cells.row[filled], [(area.top, area.bottom) for area in merged])
    column_of = _kept_lines(cells.column[filled], [(area.left, area.right) for area in merged])
    stated = [one for one in sheet.stated if rect.holds(one.area.top, one.area.left)]
    if stated:
        row_of, column_of = _with_stated(row_of, column_of, stated)
    shape = (len(row_of), len(column_of))

    row_at, row_known = _positions(cells.row, row_of)
    column_at, column_known = _positions(cells.column, column_of)
    keep = inside & row_known & column_known
    where = (row_at[keep], column_at[keep])
    style = np.zeros(shape, dtype=np.int32)
    style[where] = cells.style[keep]
    spans = _spans(sheet.merges + sheet.centred, row_of, column_of)

    keep &= cells.stored != Stored.EMPTY
    where = (row_at[keep], column_at[keep])
    said = _said_by(cells, keep, where, shape)
    if not sheet.merges and sheet.styles == (PLAIN,):
        spans = _restored(said)
    placed = tuple(held for one in stated if (held := one.placed(row_of.tolist(), column_of.tolist())))
    _settle_stated(said, placed, style, sheet.styles)
    indents = np.array([s.indent for s in sheet.styles], dtype=np.float32)
    indent = said.indent + np.where(said.content == EMPTY, 0, indents[style])
    style, styles = _used_styles(style, sheet.styles)
    return Grid(
        text=said.text,
        label=said.label,
        content=said.content,
        number=said.number,
        indent=_with_outline(indent, said.content, row_of, sheet.outline) if sheet.outline else indent,
        marks=said.marks,
        notes=said.notes,
        style=style,
        spans=spans,
        styles=styles,
        row_of=row_of,
        column_of=column_of,
        hidden_rows=np.isin(row_of, np.fromiter(sheet.hidden_rows, dtype=np.int64)),
        hidden_columns=np.isin(column_of, np.fromiter(sheet.hidden_columns, dtype=np.int64)),
        place=region.place,
        medium="spreadsheet",
        stated=placed,
        marked=sheet.marked.placed(row_of.tolist(), column_of.tolist()) if sheet.marked != UNMARKED else UNMARKED,
    )


def _used_styles(style: NDArray[np.int32], styles: tuple[Style, ...]) -> tuple[NDArray[np.int32], tuple[Style, ...]]:
    """The styles of a region, numbered anew: a workbook may have a thousand, and each is looked at again and again."""
    used = np.flatnonzero(np.bincount(style.ravel(), minlength=len(styles)))
    if not len(used) or len(used) == len(styles):
        return style, styles
    number = np.zeros(len(styles), dtype=np.int32)
    number[used] = np.arange(len(used))
    return number[style], tuple(styles[at] for at in used.tolist())


def _with_outline(
    indent: NDArray[np.float32], content: NDArray[np.uint8], row_of: NDArray[np.int32], outline: dict[int, int]
) -> NDArray[np.float32]:
    """Indents with the first label of each row as deep as its row is grouped, where a column has no indents."""
    level = np.array([outline.get(row, 0) for row in row_of.tolist()], dtype=np.float32)
    said = content != EMPTY
    first = said & (np.cumsum(said, axis=1) == 1) & (content == TEXT)
    flat = (indent == 0).all(axis=0)
    return np.where(first & flat[None, :], level[:, None], indent)


def percentages_as_shown(cells: SheetCells, styles: tuple[Style, ...]) -> SheetCells:
    """The cells with percentages by what they say: 12.5 where the text is "12.5%", not the fraction that is stored."""
    of_style = np.array(["%" in (style.number_format or "") for style in styles])
    if not of_style.any():
        return cells
    formatted = np.nonzero(of_style[cells.style] & (cells.stored == Stored.NUMBER))[0]
    shown = [cell for cell in formatted.tolist() if str(cells.text[cell]).endswith("%")]
    number = cells.number.copy()
    number[shown] = np.round(number[shown] * 100, 12)  # 0.137 is 13.7 and no hair more
    return msgspec.structs.replace(cells, number=number)


class _Said(NamedTuple):
    """What the cells say, as dense arrays."""

    text: NDArray[np.object_]
    label: NDArray[np.object_]
    content: NDArray[np.uint8]
    number: NDArray[np.float64]
    indent: NDArray[np.float32]
    marks: NDArray[np.uint8]
    notes: dict[int, tuple[str, ...]]


def _said_by(
    cells: SheetCells,
    keep: NDArray[np.bool_],
    where: tuple[NDArray[np.int32], NDArray[np.int32]],
    shape: tuple[int, int],
) -> _Said:
    """Text, label, content, number, indent, marks and notes of the filled cells."""
    slots = where[0].astype(np.intp) * shape[1] + where[1]
    full = len(slots) == shape[0] * shape[1] and bool((slots == np.arange(len(slots))).all())
    at = None if full else slots
    indent = np.zeros(shape, dtype=np.float32)
    text = _laid(cells.text[keep], "", at, shape)
    content = _laid(_CONTENT_OF[cells.stored[keep]], Content.EMPTY, at, shape)
    number = _laid(cells.number[keep], np.nan, at, shape)
    marks = _laid(cells.marks[keep], 0, at, shape)
    label = text.copy()
    notes: dict[int, tuple[str, ...]] = {}
    unread = content == TEXT
    conventions = None
    if unread.sum() > _MANY_TEXTS:
        conventions = _settle_first(text, unread)
        _read_columns(text, content, number, unread, conventions)
    spoken = np.nonzero(unread)
    texts = text[spoken].tolist()
    said = read_texts(texts, conventions)
    places = {one: place for place, one in enumerate(said)}
    of = np.fromiter(map(places.__getitem__, texts), dtype=np.intp, count=len(texts))  # the saying of each cell
    sayings = list(said.values())
    labels = np.empty(len(sayings), dtype=object)
    labels[:] = [one.label for one in sayings]
    label[spoken] = labels[of]
    content[spoken] = np.array([one.content for one in sayings], dtype=np.uint8)[of]
    number[spoken] = np.array([one.number for one in sayings], dtype=np.float64)[of]
    indent[spoken] = np.array([one.indent for one in sayings], dtype=np.float32)[of]
    noted = np.array([bool(one.notes) for one in sayings], dtype=bool)[of]
    for cell in np.flatnonzero(noted).tolist():
        notes[int(spoken[0][cell]) * shape[1] + int(spoken[1][cell])] = sayings[of[cell]].notes
    return _Said(text, label, content, number, indent, marks, notes)


def _laid(values: NDArray[Any], blank: object, at: NDArray[np.intp] | None, shape: tuple[int, int]) -> NDArray[Any]:
    """Values as a grid: each at its flat place, blanks elsewhere; without places, every slot is filled in order."""
    if at is None:
        return values.reshape(shape)
    laid = np.full(shape, blank, dtype=values.dtype)
    laid.reshape(-1)[at] = values
    return laid


def _settle_first(text: NDArray[np.object_], spoken: NDArray[np.bool_]) -> Conventions:
    """The conventions of a long grid by its first texts, which are all that is looked at."""
    first: dict[str, None] = {}
    for row in range(len(text)):
        first.update(dict.fromkeys(text[row, spoken[row]].tolist()))
        if len(first) >= LOOKED_AT:
            break
    return settle_conventions(first)


def _read_columns(
    text: NDArray[np.object_],
    content: NDArray[np.uint8],
    number: NDArray[np.float64],
    unread: NDArray[np.bool_],
    conventions: Conventions,
) -> None:
    """Read the columns of a long grid that hold plain numbers below their head, each at once; they are then read."""
    for column in range(text.shape[1]):
        rows = np.flatnonzero(unread[:, column])
        rows = rows[rows >= _HEAD]
        numbers = read_plain_numbers(text[rows, column].tolist(), conventions) if len(rows) else None
        if numbers is not None:
            number[rows, column], content[rows, column], unread[rows, column] = numbers, Content.NUMBER, False


def _restored(said: _Said) -> NDArray[np.int32]:
    """The spans of merged areas that were written out; the cells that they cover say nothing any more."""
    spans = find_written_out(said.text, said.content)
    for row, column, _, across in spans:
        covered = (row, slice(column + 1, column + across))
        said.text[covered] = said.label[covered] = ""
        said.content[covered], said.indent[covered] = Content.EMPTY, 0
        for flat in range(row * said.text.shape[1] + column + 1, row * said.text.shape[1] + column + across):
            said.notes.pop(flat, None)
    return np.array(spans, dtype=np.int32).reshape(-1, 4)


def _reach(merges: tuple[Rect, ...], rect: Rect) -> list[Rect]:
    """Merged areas that start inside the region, cut where they run far beyond it."""
    return [
        Rect(
            area.top,
            area.left,
            min(area.bottom, rect.bottom + MERGED_BEYOND),
            min(area.right, rect.right + MERGED_BEYOND),
        )
        for area in merges
        if rect.holds(area.top, area.left)
    ]


def _kept_lines(used: NDArray[np.int32], merged: list[tuple[int, int]]) -> NDArray[np.int32]:
    """The source's lines that a grid holds: used and merged ones, and up to two blank ones of a run."""
    if not len(used):
        return np.zeros(0, dtype=np.int32)
    there = np.zeros(int(used.max()) + 1, dtype=bool)  # lines are small numbers, which spares sorting
    there[used] = True
    lines = np.flatnonzero(there)
    covered = [np.arange(first, last + 1) for first, last in set(merged) if last - first <= MERGED_WHOLE]
    if covered:
        lines = distinct(np.concatenate([lines, *covered]))
    if lines[-1] - lines[0] >= len(lines):
        blanks = [lines[:-1][np.diff(lines) > step] + step for step in range(1, BLANK_RUN + 1)]
        lines = distinct(np.concatenate([lines, *blanks]))
    return lines.astype(np.int32)


def _settle_stated(
    said: _Said, stated: tuple[StatedTable, ...], style: NDArray[np.int32], styles: tuple[Style, ...]
) -> None:
    """What is stated to be a value is one: a picture where there is no text, a word where it is formatted as text."""
    for cell in (cell for one in stated for cell in one.values):
        if not said.text[cell]:
            said.content[cell] = Content.IMAGE
        elif said.content[cell] == MISSING and styles[style[cell]].number_format == "@":
            said.content[cell] = Content.TEXT


def _with_stated(
    row_of: NDArray[np.int32], column_of: NDArray[np.int32], stated: list[StatedTable]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The lines with those that statements name, unless that would make a grid of mostly nothing."""
    rows = np.union1d(row_of, [row for one in stated for row in (*one.header_rows, *one.body_rows)])
    columns = np.union1d(column_of, [c for one in stated for c in (*one.stub_columns, *one.value_columns)])
    if len(rows) * len(columns) > max(STATED_AREA, THIN * len(row_of) * len(column_of)):
        return row_of, column_of
    return rows.astype(np.int32), columns.astype(np.int32)


def _positions(lines: NDArray[np.int32], kept: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """For each source line its place in the grid, and whether it has one."""
    if not len(kept):
        return np.zeros(len(lines), dtype=np.int32), np.zeros(len(lines), dtype=bool)
    places = np.full(int(max(kept[-1], lines.max(initial=0))) + 1, -1, dtype=np.int32)
    places[kept] = np.arange(len(kept), dtype=np.int32)
    at = places[lines]
    return at, at >= 0


def _spans(merges: tuple[Rect, ...], row_of: NDArray[np.int32], column_of: NDArray[np.int32]) -> NDArray[np.int32]:
    """Merged areas in the grid's own lines; what lies outside the grid is cut off."""
    found = []
    for area in merges:
        top, bottom = np.searchsorted(row_of, area.top), np.searchsorted(row_of, area.bottom, side="right")
        left, right = np.searchsorted(column_of, area.left), np.searchsorted(column_of, area.right, side="right")
        starts_here = top < len(row_of) and left < len(column_of) and row_of[top] == area.top
        if starts_here and column_of[left] == area.left and (bottom - top > 1 or right - left > 1):
            found.append((int(top), int(left), int(bottom - top), int(right - left)))
    return np.array(sorted(found), dtype=np.int32).reshape(-1, 4)
