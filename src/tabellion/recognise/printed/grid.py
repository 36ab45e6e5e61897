"""A printed region to a grid: ruled, partly ruled and borderless tables by one way.

Goes in: a region with the parts that go on with it. Comes out: a `Grid` whose columns are told from all parts
together. Where the parts are joined, header rows that a later page repeats are dropped. `recognise_parts` gives one
grid a part, with the same columns.

Printed tables that are read from the right: their first column is the one at the right.

Goes in: a grid as it stands on the page. Comes out: the same grid with its columns in reading order, where most of its
letters are of a script that runs to the left; so a table of a sheet or a web page in such a script has its columns too.
Its stub is then the first column, as everywhere. Boxes stay where they are. Fails on tables whose words are all Latin
though they are laid out from the right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import PrintedRegion
from tabellion.model.grid import EMPTY, Grid, GridPart
from tabellion.model.place import Box
from tabellion.model.printed import Shift
from tabellion.recognise.printed.cells import Looks, PrintedCell, PrintedCells, build_cells, read_looks
from tabellion.recognise.printed.columns import Columns, find_columns
from tabellion.recognise.printed.line_facts import line_facts, widen_phrases
from tabellion.recognise.printed.line_joins import judge_joins
from tabellion.recognise.printed.phrases import find_phrases
from tabellion.recognise.printed.rows import find_blocks, find_rows, without_words
from tabellion.recognise.printed.text import LineRuns, Strip, lay_strip
from tabellion.values import read_texts
from tabellion.values.texts import reads_leftwards
from tabellion.weights import Weights

_BY_CELL = ("text", "label", "content", "number", "style", "indent", "marks")


def in_reading_order(grid: Grid) -> Grid:
    """The grid with its first column at the right, where it is read from there."""
    if not reads_leftwards(map(str, grid.text[grid.filled])):
        return grid
    width = grid.shape[1]
    source = np.arange(grid.text.size).reshape(grid.shape)[:, ::-1].copy()
    spans = grid.spans.copy()
    for span, (row, column, _, across) in zip(spans, grid.spans.tolist(), strict=True):
        first, last = width - column - across, width - 1 - column
        source[row, [first, last]] = source[row, [last, first]]  # the first cell of a span speaks for it
        span[1] = first
    place = {int(old): new for new, old in enumerate(source.ravel())}

    def turned(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])[source]

    return msgspec.structs.replace(
        grid,
        **{name: turned(getattr(grid, name)) for name in _BY_CELL},
        boxes=None if grid.boxes is None else turned(grid.boxes),
        notes={place[at]: notes for at, notes in grid.notes.items()},
        spans=spans[np.lexsort((spans[:, 1], spans[:, 0]))],
    )


_RAISED = str.maketrans("0123456789abcdefpr+-()", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ⁺⁻⁽⁾")
_CAN_BE_RAISED = re.compile(r"[0-9]{1,3}(?:,[0-9]{1,2})*|[a-fpr](?:,[a-fpr])*|[+\-−]?[0-9]{1,3}")
_HYPHENS = "-‐\u00ad"
_RAISED_BIT, _GLUED_BIT = int(Shift.RAISED), int(Shift.GLUED)


class PrintedTable:
    """A table on its way from words to cells; every product of the way can be looked at."""

    def __init__(self, region: PrintedRegion, weights: Weights) -> None:
        self.regions = (region, *region.parts)
        self.strip: Strip = lay_strip([(r.page, r.box) for r in self.regions])
        runs = [LineRuns(self.strip, line) for line in self.strip.lines]
        self.columns: Columns = find_columns(self.strip, runs, weights)
        blocks = find_blocks(self.strip, self.columns)
        lines = without_words(self.strip, {w for b in blocks for line in b.lines for w in line})
        phrases = widen_phrases(lines, self.columns, find_phrases(lines, self.columns, weights), blocks)
        facts = line_facts(lines, self.columns, phrases)
        joins = judge_joins(lines, self.columns, phrases, facts, weights)
        rows = find_rows(lines, self.columns, phrases, facts, joins, weights)
        self.lines: Strip = lines
        self.cells: PrintedCells = build_cells(lines, self.columns, phrases, rows, blocks)

    def part_of_rows(self) -> NDArray[np.int32]:
        """The part that each row stands in."""
        part = np.zeros(self.cells.rows, dtype=np.int32)
        part[self.cells.row_of_line] = self.lines.part
        return part


def recognise_printed(region: PrintedRegion, weights: Weights) -> Grid:
    """The grid of a region, all parts of it as one."""
    return recognise_table_rows(PrintedTable(region, weights))[0]


def recognise_table_rows(table: PrintedTable) -> tuple[Grid, NDArray[np.intp]]:
    """The grid of a table without repeated header rows, and the table's row of each row of the grid."""
    part = table.part_of_rows()
    keep = np.ones(table.cells.rows, dtype=bool)
    keep[_repeated(table, part)] = False
    rows = np.flatnonzero(keep)
    return _make_grid(table, rows, part), rows


def recognise_parts(region: PrintedRegion, weights: Weights) -> list[Grid]:
    """One grid for each part of a region, as printed on its page."""
    table = PrintedTable(region, weights)
    part = table.part_of_rows()
    grids = [_make_grid(table, np.flatnonzero(part == p), part) for p in range(len(table.regions))]
    return [msgspec.structs.replace(grid, continues=k > 0) for k, grid in enumerate(grids)]


def _repeated(table: PrintedTable, part: NDArray[np.int32]) -> list[int]:
    """Rows at the top of a later part that say again what the first part begins with."""
    texts: dict[int, dict[int, str]] = {}
    for cell in table.cells.cells:
        texts.setdefault(cell.row, {})[cell.column] = _fold(cell_text(table.strip, cell))
    first = np.flatnonzero(part == 0)
    found: list[int] = []
    for p in range(1, len(table.regions)):
        for at, row in enumerate(np.flatnonzero(part == p).tolist()):
            head = texts.get(int(first[at]), {}) if at < len(first) else {}
            mine = texts.get(row, {})
            same = sum(mine.get(c) == t for c, t in head.items())
            if not head or not mine or same < 0.7 * max(len(head), len(mine)):
                break
            found.append(row)
    return found


def _fold(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum()) or text


def cell_text(strip: Strip, cell: PrintedCell) -> str:
    """The text of a cell; raised marks as superscripts, words parted at the end of a line put together again."""
    text = ""
    for line in cell.lines:
        part = ""
        for n, word in enumerate(words_in_order(strip, line)):
            said = strip.text[word]
            if strip.shift[word] & _RAISED_BIT and n and _CAN_BE_RAISED.fullmatch(said):
                said = said.replace("−", "-").translate(_RAISED)
            part += said if not n or strip.shift[word] & _GLUED_BIT else f" {said}"
        broken = len(text) > 1 and text[-1] in _HYPHENS and text[-2].isalpha() and part[:1].islower()
        text = f"{text}{part}" if broken or not text else f"{text} {part}"
    return text


def words_in_order(strip: Strip, line: Sequence[int]) -> list[int]:
    """The words of a line as they are read: from the right where most letters are of such a script.

    Words and numbers of other scripts that stand side by side in such a line keep their order.
    """
    if not reads_leftwards(strip.text[word] for word in line):
        return list(line)
    leftwards = [reads_leftwards([strip.text[word]]) for word in line]
    runs = groupby(zip(line, leftwards, strict=True), key=lambda one: one[1])
    kept = [[word for word, _ in run] if not left else [word for word, _ in run][::-1] for left, run in runs]
    return [word for run in reversed(kept) for word in run]


def _make_grid(table: PrintedTable, rows: NDArray[np.intp], part: NDArray[np.int32]) -> Grid:
    """The grid of some rows of a table."""
    strip = table.strip
    at = {int(r): k for k, r in enumerate(rows)}
    shape = (len(rows), table.cells.columns)
    cells = [c for c in table.cells.cells if c.row in at]
    text = np.full(shape, "", dtype=object)
    label = np.full(shape, "", dtype=object)
    content = np.zeros(shape, dtype=np.uint8)
    number = np.full(shape, np.nan)
    boxes = np.full((*shape, 4), np.nan, dtype=np.float32)
    notes: dict[int, tuple[str, ...]] = {}
    spans: list[tuple[int, int, int, int]] = []
    said = [cell_text(strip, c) for c in cells]
    sayings = read_texts(set(said))
    indents = np.zeros(shape, dtype=np.float32)
    for cell, words in zip(cells, said, strict=True):
        saying = sayings[words]
        k = at[cell.row], cell.column
        text[k], label[k], content[k], number[k] = words, saying.label, saying.content, saying.number
        indents[k] = saying.indent
        boxes[k] = _upright(table, cell)
        if saying.notes:
            notes[k[0] * shape[1] + k[1]] = saying.notes
        down = sum(r in at for r in range(cell.row, cell.row + cell.row_span))
        if down > 1 or cell.column_span > 1:
            spans.append((*k, down, cell.column_span))
    looks: Looks = read_looks(table.lines, table.columns, table.cells)
    style = looks.style[rows] if len(rows) else np.zeros(shape, dtype=np.int32)
    indents += np.where(content == EMPTY, 0, looks.indent[rows])
    places = _places(table, part, rows)
    shown = [table.regions[p] for p in dict.fromkeys(part[rows].tolist())]
    about = next((region.about for region in shown if region.about.caption), None)
    return Grid(
        text=text,
        label=label,
        content=content,
        number=number,
        style=style,
        indent=indents,
        marks=np.zeros(shape, dtype=np.uint8),
        notes=notes,
        spans=np.array(sorted(spans), dtype=np.int32).reshape(-1, 4),
        styles=looks.styles,
        row_of=np.arange(shape[0], dtype=np.int32),
        column_of=np.arange(shape[1], dtype=np.int32),
        hidden_rows=np.zeros(shape[0], dtype=bool),
        hidden_columns=np.zeros(shape[1], dtype=bool),
        place=places[0].place,
        page_columns=shown[0].about.page_columns if shown else None,
        caption=about.caption if about else None,
        caption_position=(about and about.position) or "above",
        footnotes=tuple(dict.fromkeys(line for region in shown for line in region.about.notes)),
        medium="pdf",
        boxes=boxes,
        parts=places if len(places) > 1 else (),
    )


def _upright(table: PrintedTable, cell: PrintedCell) -> Box:
    """Where a cell is printed, on its page as it lies."""
    strip, words = table.strip, cell.words
    part = int(strip.part_of[words[0]])
    dx, dy = strip.shifts[part]
    left, top = strip.box[words, :2].min(axis=0)
    right, bottom = strip.box[words, 2:].max(axis=0)
    box = Box(float(left - dx), float(top - dy), float(right - dx), float(bottom - dy))
    return table.regions[part].page.upright_box(box)


def _places(table: PrintedTable, part: NDArray[np.int32], rows: NDArray[np.intp]) -> tuple[GridPart, ...]:
    """The parts that the rows stand in, in order, each with its rows in the grid."""
    found = []
    for p in dict.fromkeys(part[rows].tolist()):
        mine = np.flatnonzero(part[rows] == p)
        found.append(GridPart(table.regions[p].place, (int(mine[0]), int(mine[-1]))))
    return tuple(found) or (GridPart(table.regions[0].place, (0, 0)),)
