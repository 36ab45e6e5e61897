"""The cells of a printed table, from its columns, phrases and rows.

Goes in: the strip with its columns, phrases and the chance of each line to go on with the row above. Comes out: cells
with spans and the words in them. Phrases of one row that share a column are one cell. Where rulings part most
columns between two rows but leave some open, the open cells span both rows.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.printed import Shift
from tabellion.recognise.columns import Columns
from tabellion.recognise.line_joins import LineFacts
from tabellion.recognise.phrases import Phrase
from tabellion.recognise.printed_text import Strip

_LIKELY = 0.5
_COLUMN_RULED = 0.6  # of a column's width: a rule this long parts its cells


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
    strip: Strip, columns: Columns, phrases: list[list[Phrase]], facts: LineFacts, joins: NDArray[np.float64]
) -> PrintedCells:
    """Cells from rows of lines and phrases of columns."""
    row_of_line = np.concatenate(([0], np.cumsum(joins <= _LIKELY))).astype(np.int32)
    rows = int(row_of_line[-1]) + 1
    groups: list[list[tuple[int, Phrase]]] = [[] for _ in range(rows)]
    for k, line in enumerate(phrases):
        groups[row_of_line[k]].extend((k, p) for p in line)
    cells = [cell for row, group in enumerate(groups) for cell in _cells_of_row(row, group)]
    cells = _span_rows(strip, columns, cells, row_of_line, rows)
    return PrintedCells(tuple(cells), row_of_line, rows, len(columns.columns))


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


def _span_rows(
    strip: Strip, columns: Columns, cells: list[PrintedCell], row_of_line: NDArray[np.int32], rows: int
) -> list[PrintedCell]:
    """Join cells over rows where the rule between the rows leaves their column out."""
    open_below = _open_below(strip, columns, row_of_line, rows)
    at = {(c.row, c.column): c for c in cells}
    taken: set[tuple[int, int]] = set()
    result: list[PrintedCell] = []
    for row in range(rows):
        for column in range(len(columns.columns)):
            if (row, column) in taken or not open_below[row, column]:
                continue
            last = row
            while last + 1 < rows and open_below[last, column]:
                last += 1
            stack = [at[r, column] for r in range(row, last + 1) if (r, column) in at]
            spread = {c.column_span for c in stack}
            if not stack or spread != {1}:
                continue
            lines = tuple(line for c in stack for line in c.lines)
            taken.update((r, column) for r in range(row, last + 1))
            result.append(PrintedCell(row, column, last - row + 1, 1, lines))
    result += [c for c in cells if (c.row, c.column) not in taken]
    return sorted(result, key=lambda c: (c.row, c.column))


def _open_below(strip: Strip, columns: Columns, row_of_line: NDArray[np.int32], rows: int) -> NDArray[np.bool_]:
    """For each row and column whether the rule under the row stops short of the column."""
    width = len(columns.columns)
    result = np.zeros((rows, width), dtype=bool)
    if not len(strip.across) or width < 2:
        return result
    left, right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    bounds = [left, *columns.separators, right]
    y = (strip.across[:, 1] + strip.across[:, 3]) / 2
    for row in range(rows - 1):
        upper, lower = np.flatnonzero(row_of_line == row), np.flatnonzero(row_of_line == row + 1)
        if strip.part[upper[-1]] != strip.part[lower[0]]:
            continue
        top = float(strip.line_base[upper].min())
        bottom = float(strip.line_base[lower].max())
        rules = strip.across[(y > top - 0.1 * strip.em) & (y < bottom - 0.2 * strip.em)]
        if not len(rules):
            continue
        ruled = np.array(
            [_covered(rules, a, b) >= _COLUMN_RULED * (b - a) for a, b in zip(bounds, bounds[1:], strict=False)]
        )
        if ruled.any() and not ruled.all():
            result[row] = ~ruled
    return result


def _covered(rules: NDArray[np.float32], low: float, high: float) -> float:
    total, reach = 0.0, low
    for a, b in sorted((float(r[0]), float(r[2])) for r in rules):
        a, b = max(a, reach), min(b, high)
        if b > a:
            total += b - a
            reach = b
    return total


def cell_text(strip: Strip, cell: PrintedCell) -> str:
    """The text of a cell: its lines joined by blanks, words parted at the end of a line put together again."""
    text = ""
    for line in cell.lines:
        part = "".join(
            strip.text[w] if not n or strip.shift[w] & Shift.GLUED else f" {strip.text[w]}" for n, w in enumerate(line)
        )
        if len(text) > 1 and text[-1] in "-‐" and text[-2].isalpha() and part[:1].islower():
            text += part
        else:
            text = f"{text} {part}" if text else part
    return text
