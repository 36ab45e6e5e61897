"""The cells of a printed table, from its columns, phrases and rows.

Goes in: the strip with its columns, phrases, the row of each line, and the blocks over several rows. Comes out: cells
with spans and the words in them. Phrases of one row that share a column are one cell.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.columns import Columns
from tabellion.recognise.phrases import Phrase
from tabellion.recognise.printed_text import Strip
from tabellion.recognise.ruled import Block


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
    cells = [cell for row, group in enumerate(groups) for cell in _cells_of_row(row, group)]
    cells += _block_cells(strip, row_of_line, rows, blocks, cells)
    cells.sort(key=lambda c: (c.row, c.column))
    return PrintedCells(tuple(cells), row_of_line, rows, len(columns.columns))


def _block_cells(
    strip: Strip, row_of_line: NDArray[np.int32], rows: int, blocks: list[Block], cells: list[PrintedCell]
) -> list[PrintedCell]:
    """Blocks as cells over the rows whose middle lies in them, as far as those are free."""
    top, bottom = np.full(rows, np.inf), np.full(rows, -np.inf)
    np.minimum.at(top, row_of_line, strip.line_box[:, 1])
    np.maximum.at(bottom, row_of_line, strip.line_box[:, 3])
    middle = (top + bottom) / 2
    taken = {(c.row, k) for c in cells for k in range(c.column, c.column + c.column_span)}
    result: list[PrintedCell] = []
    for block in blocks:
        inside = np.flatnonzero((middle > block.top) & (middle < block.bottom))
        free = [int(r) for r in inside if (int(r), block.column) not in taken]
        if not free:
            base = float(strip.base[block.lines[0][0]])
            free = [int(np.abs(middle - base).argmin())] if rows else []
        if free:
            result.append(PrintedCell(free[0], block.column, free[-1] - free[0] + 1, 1, block.lines))
    return result


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
