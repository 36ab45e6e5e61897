"""Documents, cells and tuples as JSON by the output contract.

In: an extraction. Out: bytes, as a whole or in pieces. Rows and columns are the source's own, a covered cell is named
by the first cell of its span, and cells of a sheet that no table claims are listed with the sheet's first table.

Cells and tuples of a table as JSON, piece by piece. In: a table. Out: bytes of comma-separated objects, some thousand
per item, so that a million tuples never lie in memory twice. What all tuples of a row or a column share, their paths,
is written once and repeated as bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.export.columns import KINDS, typed_values, value_boxes, value_pages
from tabellion.model.document import Issue, Mark
from tabellion.model.frame import Frame, HeaderTree, RowLabels
from tabellion.model.grid import Content, Grid
from tabellion.model.place import column_letters
from tabellion.model.table import Path, Quantity, Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES, label_cells, label_leftovers, name_left_levels, name_top_levels

PIECE = 4_000  # objects per piece: a few hundred kilobytes


def cell_lines(grid: Grid, roles: NDArray[np.uint8]) -> Iterator[bytes]:
    """The cells that have a role, row by row."""
    rows, columns = np.nonzero(roles)
    letters = [column_letters(column) for column in grid.column_of.tolist()]
    row_of, column_of = grid.row_of.tolist(), grid.column_of.tolist()
    spans = {cell: _source_span(grid, cell, span) for cell, span in grid.span_at.items()}
    types = {int(content): name for content, name in KINDS.items()}
    hidden_row, hidden_column = grid.hidden_rows.tolist(), grid.hidden_columns.tolist()
    for start in range(0, len(rows), PIECE):
        r, c = rows[start : start + PIECE], columns[start : start + PIECE]
        parts = zip(
            r.tolist(), c.tolist(), grid.text[r, c].tolist(), typed_values(grid, r, c), grid.content[r, c].tolist(),
            roles[r, c].tolist(), (grid.marks[r, c] & Mark.LINK).tolist(), strict=True,
        )  # fmt: skip
        yield b",".join(
            b'{"row":%d,"column":%d,"row_span":%d,"column_span":%d,"text":%b,"value":%b,"type":"%b","role":"%b",'
            b'"address":"%b","box":%b%b}'
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
                b',"hidden":true' if hidden_row[row] or hidden_column[column] else b"",
            )
            for row, column, text, value, content, role, link in parts
        )


def _box(grid: Grid, row: int, column: int) -> bytes:
    """Where the text of a cell is printed, in points to two places."""
    if grid.boxes is None or np.isnan(grid.boxes[row, column, 0]):
        return b"null"
    return b"[%.2f,%.2f,%.2f,%.2f]" % tuple(grid.boxes[row, column].tolist())


def tuple_lines(table: Table) -> Iterator[bytes]:
    """The tuples in their order; on a page that is printed or drawn each with its place there."""
    tuples, grid = table.tuples, table.tuples.grid
    drawn = grid.boxes is not None
    places = iter(zip(value_pages(table), value_boxes(table), strict=True)) if drawn else None
    letters = [column_letters(column) for column in grid.column_of.tolist()]
    row_of, column_of, width = grid.row_of.tolist(), grid.column_of.tolist(), grid.shape[1]
    units = [_encode(unit) for unit in tuples.units]
    tops = {column: _PathBytes(path) for column, path in tuples.column_paths.items()}
    nothing, quantities = _PathBytes(Path()), tuples.quantities
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
                b'"confidence":%b,"top_cells":%b,"left_cells":%b%b%b}'
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
                    _spread(quantities[row * width + column]) if row * width + column in quantities else b"",
                    b',"page":%b,"box":%b' % tuple(map(_encode, next(places))) if places else b"",
                )
            )
        yield b",".join(piece)


def _spread(quantity: Quantity) -> bytes:
    """How far a value can be off: the fields that its text gives."""
    said = {name: held for name, held in quantity._asdict().items() if name != "value" and held is not None}
    return b"," + _encode(said)[1:-1] if said else b""


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


FORMAT = 1  # of the output contract; it changes only by adding fields
_encode = msgspec.json.Encoder().encode


def to_json(extraction: Extraction, *, every: bool = False) -> bytes:
    """One document as one JSON object, without a line break; `every` lists rejected candidates too."""
    return b"".join(json_pieces(extraction, every=every))


def json_pieces(extraction: Extraction, *, every: bool = False) -> Iterator[bytes]:
    """The same in pieces, for documents with very many tuples."""
    document = extraction.document
    head = {
        "format": FORMAT,
        "source": document.source,
        "medium": document.medium,
        "sha256": document.sha256,
        "title": document.title,
        "authors": document.authors,
    }
    yield _encode(head)[:-1] + b',"tables":['
    claimed = claim_cells(extraction.tables)
    for number, (table, roles) in enumerate(zip(extraction.tables, claimed, strict=True)):
        yield b"," if number else b""
        yield from table_pieces(table, roles)
    yield b"]"
    if every:
        yield b',"rejected":' + _encode(extraction.rejected)
    yield b',"issues":' + _encode([_issue(issue) for issue in extraction.issues]) + b"}"


def error_json(source: str, kind: str, note: str) -> bytes:
    """The object of a document that could not be read.

    >>> error_json("a.xlsx", "truncated", "a.xlsx: the file ends too early")[-70:]
    b'"error":{"kind":"truncated","note":"a.xlsx: the file ends too early"}}'
    """
    return _encode(
        {
            "format": FORMAT,
            "source": source,
            "medium": None,
            "sha256": None,
            "title": None,
            "authors": [],
            "tables": [],
            "issues": [],
            "error": {"kind": kind, "note": note},
        }
    )


def table_pieces(table: Table, roles: NDArray[np.uint8] | None = None) -> Iterator[bytes]:
    """One table as a JSON object; `roles` where its cells are more than its own (`claim_cells`)."""
    frame, grid = table.frame, table.grid
    header_rows, header_columns = count_headers(frame)
    head: dict[str, object] = {
        "id": table.id,
        "place": table.place,
        "genuine": table.genuine,
        "confidence": table.confidence,
        "orientation": table.orientation,
        "rows": _extent(grid.row_of),
        "columns": _extent(grid.column_of),
        "header_rows": header_rows,
        "header_columns": header_columns,
    }
    if grid.found:
        head["found"] = grid.found
    if grid.parts:
        head["parts"] = [{**msgspec.to_builtins(part.place), "rows": part.rows} for part in grid.parts]
    if table.continues:
        head["continues"] = table.continues
    yield _encode(head)[:-1] + b',"cells":['
    yield from _joined(cell_lines(grid, label_cells(table.nested) if roles is None else roles))
    yield b'],"row_roles":' + _encode(spread_roles(frame.labels))
    yield b',"top":' + _encode(_nodes(table.top, grid)) + b',"left":' + _encode(_nodes(table.left, grid))
    names = {"left_names": name_left_levels(table.nested), "top_names": name_top_levels(table.nested)}
    yield b"," + _encode(names)[1:-1]
    yield b',"tuples":['
    yield from _joined(tuple_lines(table))
    yield b'],"metadata":' + _encode(table.metadata) + b"}"


def claim_cells(tables: tuple[Table, ...]) -> list[NDArray[np.uint8]]:
    """The roles of each table's cells; the first table of a grid also has those that no table claims."""
    claimed = [label_cells(table.nested) for table in tables]
    seen: set[int] = set()
    for number, table in enumerate(tables):
        if id(table.grid) in seen:
            continue
        seen.add(id(table.grid))
        alike = [roles for other, roles in zip(tables, claimed, strict=True) if other.grid is table.grid]
        claimed[number] = claimed[number] + label_leftovers(alike, table.frame)
    return claimed


def spread_roles(labels: RowLabels) -> list[str]:
    """The role of every row of the source from its first: rows that the grid leaves out are blank."""
    roles = ["blank"] * (int(labels.grid.row_of[-1]) + 1)
    for row, role in zip(labels.grid.row_of.tolist(), labels.roles, strict=True):
        roles[row] = role
    return roles


def count_headers(frame: Frame) -> tuple[int, int]:
    """How many leading rows and columns of the frame, in its source, are headers; blank ones count in a sheet only."""
    grid, rect = frame.grid, frame.rect
    rows = [row for row in frame.header_rows if not frame.body_rows or row < frame.body_rows[0]]
    columns = [column for column in frame.stub_columns if not frame.fields or column < frame.fields[0]]
    if grid.medium != "spreadsheet":
        return len(rows), len(columns)
    down = int(grid.row_of[max(rows)] - grid.row_of[rect.top]) + 1 if rows else 0
    return down, int(grid.column_of[max(columns)] - grid.column_of[rect.left]) + 1 if columns else 0


def _nodes(tree: HeaderTree, grid: Grid) -> list[dict[str, object]]:
    return [
        {
            "id": node.id,
            "text": node.text,
            "parent": node.parent,
            "cells": [_source(grid, *cell) for cell in node.cells],
        }
        for node in tree.nodes
    ]


def _source(grid: Grid, row: int, column: int) -> tuple[int, int]:
    home_row, home_column = divmod(int(grid.home[row, column]), grid.shape[1])
    return int(grid.row_of[home_row]), int(grid.column_of[home_column])


def _issue(issue: Issue) -> dict[str, object]:
    return {"stage": issue.stage, "place": issue.place, "note": issue.note}


def _extent(lines: NDArray[np.int32]) -> int:
    return int(lines[-1]) - int(lines[0]) + 1 if len(lines) else 0


def _joined(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for number, piece in enumerate(pieces):
        yield b"," + piece if number else piece
