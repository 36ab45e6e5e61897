"""The cells of a printed table, and how they look.

The cells of a printed table, from its columns, phrases and rows. In: the strip with its columns, phrases, the row of
each line, and the blocks over several rows. Out: cells with spans and the words in them. Phrases of one row that share
a column are one cell.

How the cells of a printed table look: type, shading, alignment, rules at their sides, indent. In: a strip with its
columns and cells. Out: a style for every cell of the grid, and the indent of each in type sizes: how far its text
begins right of the outermost text of a column that is set flush left.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.model.style import PLAIN, Style
from tabellion.recognise.printed.columns import Column, Columns
from tabellion.recognise.printed.line_facts import count_head_lines, ruled_between
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.rows import Block
from tabellion.recognise.printed.text import Strip


class PrintedCell(msgspec.Struct, frozen=True):
    """A cell with the words in it, line by line."""

    row: int
    column: int
    row_span: int
    column_span: int
    lines: tuple[tuple[int, ...], ...]

    @property
    def words(self) -> list[int]:
        return [w for line in self.lines for w in line]


class PrintedCells(msgspec.Struct, frozen=True, eq=False):
    """All cells of a table, and the row of each line."""

    cells: tuple[PrintedCell, ...]
    row_of_line: NDArray[np.int32]
    rows: int
    columns: int


def build_cells(
    strip: Strip, columns: Columns, phrases: list[list[Phrase]], row_of_line: NDArray[np.int32], blocks: list[Block]
) -> PrintedCells:
    """Cells from rows of lines, phrases of columns and blocks over several rows."""
    rows = int(row_of_line[-1]) + 1 if len(row_of_line) else 0
    groups: list[list[tuple[int, Phrase]]] = [[] for _ in range(rows)]
    for k, line in enumerate(phrases):
        groups[row_of_line[k]].extend((k, p) for p in line)
    cells = {(cell.row, cell.column): cell for row, group in enumerate(groups) for cell in _cells_of_row(row, group)}
    _add_blocks(strip, row_of_line, rows, blocks, cells)
    head = count_head_lines(strip, phrases, ruled_between(strip))
    _span_centred(strip, row_of_line, head, len(columns.columns), cells)
    widen_lone(cells, len(columns.columns))
    whole = tuple(sorted(cells.values(), key=lambda c: (c.row, c.column)))
    return PrintedCells(whole, row_of_line, rows, len(columns.columns))


def _add_blocks(
    strip: Strip,
    row_of_line: NDArray[np.int32],
    rows: int,
    blocks: list[Block],
    cells: dict[tuple[int, int], PrintedCell],
) -> None:
    """Add blocks as cells over the rows whose middle lies in them, as far as those are free.

    Where none is, what the block says joins the nearest cell of its column: no cell hides another.
    """
    top, bottom = np.full(rows, np.inf), np.full(rows, -np.inf)
    np.minimum.at(top, row_of_line, strip.line_box[:, 1])
    np.maximum.at(bottom, row_of_line, strip.line_box[:, 3])
    middle = (top + bottom) / 2
    owner = {
        (row, column): place
        for place, cell in cells.items()
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    }
    for block in blocks if rows else ():
        inside = np.flatnonzero((middle > block.top) & (middle < block.bottom)).tolist()
        free = _first_run([row for row in inside if (row, block.column) not in owner])
        if free:
            place = (free[0], block.column)
            cells[place] = PrintedCell(*place, len(free), 1, block.lines)
            owner.update(dict.fromkeys(((row, block.column) for row in free), place))
            continue
        nearest = int(np.abs(middle - float(strip.base[block.lines[0][0]])).argmin())
        place = owner.get((nearest, block.column), (nearest, block.column))
        there = cells.get(place)
        if there is None:
            cells[place] = PrintedCell(*place, 1, 1, block.lines)
            owner[place] = place
        else:
            lines = sorted((*there.lines, *block.lines), key=lambda line: float(strip.base[line[0]]))
            cells[place] = msgspec.structs.replace(there, lines=tuple(lines))


_LEADING_COLUMNS = 3  # in which names of several rows are looked for
_CENTRED_OFF = 0.3  # of the usual step from row to row, that a name may be off the middle of its rows
_FEWEST_NAMED = 3  # rows that a name must stand over where it is the only one


def _span_centred(
    strip: Strip,
    row_of_line: NDArray[np.int32],
    head: int,
    columns: int,
    cells: dict[tuple[int, int], PrintedCell],
) -> None:
    """Let names that are centred against their rows stand over all of them.

    Where nothing is ruled, a name in the middle of its rows looks as if it stood in one of them. Names are told to be
    centred where one after the other, from the first row to the last, is in the middle of the rows up to the next.
    """
    if head >= len(row_of_line):
        return
    first, last = int(row_of_line[head]), int(row_of_line[-1])
    held = Counter(cell.row for cell in cells.values())
    for column in range(min(_LEADING_COLUMNS, columns - 1)):
        over = {cell.row: cell for cell in cells.values() if cell.column <= column < cell.column + cell.column_span}
        words = [strip.text[cell.words[0]] for row, cell in over.items() if row >= first]
        if 2 * sum(any(map(str.isalpha, word)) for word in words) < len(words):
            break
        alone = (row for row, cell in over.items() if row >= first and cell.column_span > 1 and held[row] == 1)
        for before, after in pairwise((first - 1, *sorted(alone), last + 1)):
            _span_stretch(
                strip,
                column,
                {row: over[row] for row in range(before + 1, after) if row in over},
                range(before + 1, after),
                cells,
            )


def _span_stretch(
    strip: Strip,
    column: int,
    names: dict[int, PrintedCell],
    rows: range,
    cells: dict[tuple[int, int], PrintedCell],
) -> None:
    """The same for the rows between two texts that stand alone."""
    if not names or rows[0] in names or any(name.row_span > 1 for name in names.values()):
        return
    words: dict[int, list[int]] = {row: [] for row in rows}
    for cell in cells.values():
        if cell.row in words and cell.column > column and cell.row_span == 1:
            words[cell.row] += cell.words
    if not all(words.values()):
        return
    middle = {row: sum(_extent(strip, held)) / 2 for row, held in words.items()}
    off = _CENTRED_OFF * float(median(np.diff(list(middle.values()))))
    spans: dict[int, tuple[int, int]] = {}
    start = rows[0]
    for row, limit in pairwise((*names, rows[-1] + 1)):
        wanted = sum(_extent(strip, names[row].words)) / 2
        end = min(range(row, limit), key=lambda k: abs((middle[start] + middle[k]) / 2 - wanted))
        if start > row or abs((middle[start] + middle[end]) / 2 - wanted) > off:
            return
        spans[row] = start, end
        start = end + 1
    if start <= rows[-1] or (len(names) == 1 and len(rows) < _FEWEST_NAMED):
        return
    for row, (begin, end) in spans.items():
        if names[row].column_span == 1:
            del cells[row, column]
            cells[begin, column] = msgspec.structs.replace(names[row], row=begin, row_span=end - begin + 1)


def _extent(strip: Strip, words: list[int]) -> tuple[float, float]:
    """Where words begin and end, from above."""
    return float(strip.box[words, 1].min()), float(strip.box[words, 3].max())


def widen_lone(cells: dict[tuple[int, int], PrintedCell], columns: int) -> None:
    """Let a text that is alone in its row, begins at the left and runs beyond its column stand over all columns."""
    held = Counter(row for cell in cells.values() for row in range(cell.row, cell.row + cell.row_span))
    for place, cell in cells.items():
        if held[cell.row] == 1 and cell.row_span == 1 and cell.column == 0 and cell.column_span > 1:
            cells[place] = msgspec.structs.replace(cell, column_span=columns)


def _first_run(rows: list[int]) -> list[int]:
    """The rows that follow the first one without a gap.

    >>> _first_run([2, 3, 4, 7])
    [2, 3, 4]
    """
    return [row for k, row in enumerate(rows) if row == rows[0] + k]


def _cells_of_row(row: int, group: list[tuple[int, Phrase]]) -> list[PrintedCell]:
    """Phrases of a row, those that share a column as one cell."""
    merged: list[tuple[int, int, list[tuple[int, Phrase]]]] = []
    for item in sorted(group, key=lambda kp: (kp[1].first, kp[1].last)):
        first, last = item[1].first, item[1].last
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last), [*merged[-1][2], item])
        else:
            merged.append((first, last, [item]))
    result: list[PrintedCell] = []
    for first, last, items in merged:
        items.sort(key=lambda kp: (kp[0], kp[1].first))
        lines: dict[int, tuple[int, ...]] = {}
        for k, phrase in items:
            lines[k] = lines.get(k, ()) + phrase.words
        result.append(PrintedCell(row, first, 1, last - first + 1, tuple(lines.values())))
    return result


_MOSTLY = 0.5
_USUAL = 0.05  # what speaks for the usual side where texts share both edges
_RULED = 0.6  # of a cell's side
_LEAST_INDENT = 0.35  # type sizes: smaller offsets are chance
_MOST_INDENT = 12.0
_LEVELS = 0.6  # share of a column's texts that begin at one of a few places where it is set flush left


class Looks(msgspec.Struct, frozen=True, eq=False):
    """The style number of each cell, the styles, the indents."""

    style: NDArray[np.int32]
    styles: tuple[Style, ...]
    indent: NDArray[np.float32]


def read_looks(strip: Strip, columns: Columns, cells: PrintedCells) -> Looks:
    """The look of every cell."""
    shape = (cells.rows, cells.columns)
    known: dict[Style, int] = {PLAIN: 0}
    style = np.zeros(shape, dtype=np.int32)
    indent = np.zeros(shape, dtype=np.float32)
    above, beside = _rules(strip, columns, cells)
    aligned = [_alignment(c) for c in columns.columns]
    lefts = _flush_left(strip, columns, cells)
    em = max(strip.em, 1.0)
    left, bold, italic = strip.box[:, 0].tolist(), strip.bold.tolist(), strip.italic.tolist()
    filled: set[tuple[int, int]] = set()
    for cell in cells.cells:
        words = cell.words
        filled.add((cell.row, cell.column))
        bottom, right = cell.row + cell.row_span - 1, cell.column + cell.column_span - 1
        offset = 0.0
        if cell.column in lefts and cell.column_span == 1:
            first = min(left[word] for word in cell.lines[0])
            offset = (first - lefts[cell.column]) / em
            offset = min(offset, _MOST_INDENT) if offset > _LEAST_INDENT else 0.0
        indent[cell.row, cell.column] = offset
        look = Style(
            bold=sum(bold[word] for word in words) / len(words) > _MOSTLY,
            italic=sum(italic[word] for word in words) / len(words) > _MOSTLY,
            size=round(median(strip.size[words]), 1),
            colour=f"#{int(strip.colour[words[0]]):06x}",
            fill=_fill(strip, words),
            align="center" if cell.column_span > 1 else aligned[cell.column],
            border_top=bool(above[cell.row, cell.column]),
            border_bottom=bool(above[bottom + 1, cell.column]),
            border_left=bool(beside[cell.row, cell.column]),
            border_right=bool(beside[cell.row, right + 1]),
            wrap=len(cell.lines) > 1,
        )
        style[cell.row, cell.column] = known.setdefault(look, len(known))
    empty = np.ones(shape, dtype=bool)
    empty[tuple(np.array(sorted(filled)).T)] = False
    sides = np.stack([above[:-1], above[1:], beside[:, :-1], beside[:, 1:]], axis=-1)[empty]
    of_sides: dict[tuple[bool, ...], int] = {}
    for edges in map(tuple, np.unique(sides, axis=0).tolist()):
        look = Style(border_top=edges[0], border_bottom=edges[1], border_left=edges[2], border_right=edges[3])
        of_sides[edges] = known.setdefault(look, len(known))
    style[empty] = [of_sides[edges] for edges in map(tuple, sides.tolist())]
    return Looks(style, tuple(known), indent)


def _alignment(column: Column) -> str:
    """How a column is set."""
    shares = (column.left_share, "left"), (column.right_share, "right"), (column.middle_share, "center")
    usual = "right" if column.numeric > _MOSTLY else "left"
    return max(shares, key=lambda s: s[0] + (_USUAL if s[1] == usual else 0.0))[1]


def _flush_left(strip: Strip, columns: Columns, cells: PrintedCells) -> dict[int, float]:
    """The outermost left edge of each column whose texts begin at few places."""
    edges: dict[int, list[float]] = {}
    left = strip.box[:, 0].tolist()
    for cell in cells.cells:
        if cell.column_span == 1:
            edges.setdefault(cell.column, []).append(min(left[word] for word in cell.lines[0]))
    result: dict[int, float] = {}
    for column, values in edges.items():
        steps = np.round(np.array(values) / (0.4 * strip.em))
        _, counts = np.unique(steps, return_counts=True)
        if np.sort(counts)[-3:].sum() >= _LEVELS * len(values) and _alignment(columns.columns[column]) == "left":
            result[column] = min(values)
    return result


def _rules(strip: Strip, columns: Columns, cells: PrintedCells) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Whether a rule runs above each cell and at the left of each; one row and one column more for the last ones."""
    above = np.zeros((cells.rows + 1, cells.columns), dtype=bool)
    beside = np.zeros((cells.rows, cells.columns + 1), dtype=bool)
    left, right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    bounds = [left, *columns.separators, right]
    starts, ends = np.array(bounds[:-1]), np.array(bounds[1:])
    top = np.full(cells.rows, np.inf)
    bottom = np.full(cells.rows, -np.inf)
    np.minimum.at(top, cells.row_of_line, strip.line_box[:, 1])
    np.maximum.at(bottom, cells.row_of_line, strip.line_box[:, 3])
    y = (strip.across[:, 1] + strip.across[:, 3]) / 2
    for row in range(-1, cells.rows):
        low = bottom[row] - 0.3 * strip.em if row >= 0 else top[0] - strip.em
        high = top[row + 1] + 0.3 * strip.em if row + 1 < cells.rows else bottom[row] + strip.em
        rules = strip.across[(y > low) & (y < high)]
        over = np.minimum(rules[:, 2:3], ends) - np.maximum(rules[:, 0:1], starts)
        above[row + 1] = (over > _RULED * (ends - starts)).any(axis=0)
    x = (strip.down[:, 0] + strip.down[:, 2]) / 2
    slack = 1.2 * strip.em
    for k, bound in enumerate(bounds):
        near = strip.down[np.abs(x - bound) < slack]
        over = np.minimum(near[:, None, 3], bottom[None, :]) - np.maximum(near[:, None, 1], top[None, :])
        beside[:, k] = (over > _RULED * np.maximum(bottom - top, 1.0)[None, :]).any(axis=0)
    return above, beside


def _fill(strip: Strip, words: list[int]) -> str | None:
    """Whether a cell is shaded; the strip does not keep colours apart."""
    if not len(strip.fills):
        return None
    x = float(strip.box[words, 0].min() + strip.box[words, 2].max()) / 2
    y = float(strip.box[words, 1].min() + strip.box[words, 3].max()) / 2
    f = strip.fills
    return "shaded" if bool(((f[:, 0] < x) & (f[:, 2] > x) & (f[:, 1] < y) & (f[:, 3] > y)).any()) else None
