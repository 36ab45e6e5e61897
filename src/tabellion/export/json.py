"""Documents as JSON by the output contract: one object a document.

In: an extraction. Out: bytes, as a whole or in pieces. Rows and columns are the source's own, a covered cell is named
by the first cell of its span, and cells of a sheet that no table claims are listed with the sheet's first table.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.export.lines import cell_lines, tuple_lines
from tabellion.model.document import Issue
from tabellion.model.frame import Frame, RowLabels
from tabellion.model.grid import Grid
from tabellion.model.table import Table
from tabellion.model.tree import HeaderTree
from tabellion.pipeline import Extraction
from tabellion.relate import label_cells, label_leftovers

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
    yield b',"tuples":['
    yield from _joined(tuple_lines(table.tuples))
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
    columns = [column for column in frame.stub_columns if not frame.value_columns or column < frame.value_columns[0]]
    if grid.medium != "spreadsheet":
        return len(rows), 0 if frame.keyed else len(columns)
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
