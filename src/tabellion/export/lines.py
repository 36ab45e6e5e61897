"""Cells and tuples of a table as JSON, piece by piece.

In: a table. Out: bytes of comma-separated objects, some thousand an item, so that a million tuples never lie in memory
twice. What all tuples of a row or a column share, their paths, is written once and repeated as bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.export.typed import KINDS, typed_values
from tabellion.model.document import Mark
from tabellion.model.grid import Content, Grid
from tabellion.model.place import column_letters
from tabellion.model.table import Path, Tuples
from tabellion.relate import CELL_ROLES

PIECE = 4_000  # objects a piece: a few hundred kilobytes
_encode = msgspec.json.Encoder().encode


def cell_lines(grid: Grid, roles: NDArray[np.uint8]) -> Iterator[bytes]:
    """The cells that have a role, row by row."""
    rows, columns = np.nonzero(roles)
    letters = [column_letters(column) for column in grid.column_of.tolist()]
    row_of, column_of = grid.row_of.tolist(), grid.column_of.tolist()
    spans = {cell: _source_span(grid, cell, span) for cell, span in grid.span_at.items()}
    types = {int(content): name for content, name in KINDS.items()}
    for start in range(0, len(rows), PIECE):
        r, c = rows[start : start + PIECE], columns[start : start + PIECE]
        parts = zip(
            r.tolist(), c.tolist(), grid.text[r, c].tolist(), typed_values(grid, r, c), grid.content[r, c].tolist(),
            roles[r, c].tolist(), (grid.marks[r, c] & Mark.LINK).tolist(), strict=True,
        )  # fmt: skip
        yield b",".join(
            b'{"row":%d,"column":%d,"row_span":%d,"column_span":%d,"text":%b,"value":%b,"type":"%b","role":"%b",'
            b'"address":"%b","box":%b}'
            % (
                row_of[row],
                column_of[column],
                *spans.get((row, column), (1, 1)),
                _encode(text),
                _encode(value),
                b"link" if link and content == Content.TEXT else types[content].encode(),
                (CELL_ROLES[role] or "").encode(),
                f"{letters[column]}{row_of[row] + 1}".encode(),
                _box(grid, row, column),
            )
            for row, column, text, value, content, role, link in parts
        )


def _box(grid: Grid, row: int, column: int) -> bytes:
    """Where the text of a cell is printed, in points to two places."""
    if grid.boxes is None or np.isnan(grid.boxes[row, column, 0]):
        return b"null"
    return b"[%.2f,%.2f,%.2f,%.2f]" % tuple(grid.boxes[row, column].tolist())


def tuple_lines(tuples: Tuples) -> Iterator[bytes]:
    """The tuples in their order."""
    grid = tuples.grid
    letters = [column_letters(column) for column in grid.column_of.tolist()]
    row_of, column_of, width = grid.row_of.tolist(), grid.column_of.tolist(), grid.shape[1]
    units = [_encode(unit) for unit in tuples.units]
    tops = {column: _PathBytes(path) for column, path in tuples.column_paths.items()}
    nothing = _PathBytes(Path())
    confidence = _encode(tuples.confidence)
    last, left = -1, nothing
    for start in range(0, len(tuples), PIECE):
        r, c = tuples.rows[start : start + PIECE], tuples.columns[start : start + PIECE]
        parts = zip(
            r.tolist(), c.tolist(), grid.text[r, c].tolist(), typed_values(grid, r, c),
            tuples.unit_ids[start : start + PIECE].tolist(), strict=True,
        )  # fmt: skip
        piece: list[bytes] = []
        for row, column, text, value, unit in parts:
            if row != last:
                last, left = row, _PathBytes(tuples.row_paths.get(row, Path()))
            top = tops.get(column, nothing)
            own = [tuples.note_texts.get(mark, mark) for mark in grid.notes.get(row * width + column, ())]
            shared = own or left.notes or top.notes
            notes = _encode(list(dict.fromkeys([*own, *left.notes, *top.notes]))) if shared else b"[]"
            piece.append(
                b'{"row":%d,"column":%d,"address":"%b%d","text":%b,"value":%b,"unit":%b,"top":%b,"left":%b,"notes":%b,'
                b'"confidence":%b,"top_cells":%b,"left_cells":%b}'
                % (
                    row_of[row],
                    column_of[column],
                    letters[column].encode(),
                    row_of[row] + 1,
                    _encode(text),
                    _encode(value),
                    units[unit],
                    top.labels,
                    left.labels,
                    notes,
                    confidence,
                    top.cells,
                    left.cells,
                )
            )
        yield b",".join(piece)


class _PathBytes:
    """A path as the JSON that its tuples repeat."""

    __slots__ = ("cells", "labels", "notes")

    def __init__(self, path: Path) -> None:
        self.labels, self.cells, self.notes = _encode(path.labels), _encode(path.cells), path.notes


def _source_span(grid: Grid, cell: tuple[int, int], span: tuple[int, int]) -> tuple[int, int]:
    """A span in the source's rows and columns, of which the grid may leave out blank ones."""
    (row, column), (down, across) = cell, span
    height = int(grid.row_of[row + down - 1]) - int(grid.row_of[row]) + 1
    return height, int(grid.column_of[column + across - 1]) - int(grid.column_of[column]) + 1
