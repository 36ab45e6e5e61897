"""A table as it is looked at: what has to be drawn around its cells, and what is known of one cell.

In: a table of an extraction. Out: plain values. Rows and columns are the source's own, from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.library.holdings import DocumentRecord, TableRecord, name_source
from tabellion.library.surface import Roles, Surfaces, describe_pages, describe_sheet
from tabellion.model.document import Sheet
from tabellion.model.frame import HeaderTree
from tabellion.model.grid import Grid
from tabellion.model.table import Path, Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES

MOST_NODES = 5_000  # of a tree, at once
_MOST_ISSUES = 200
_MOST_FACTS = 1_000  # of a list of the metadata


def describe_table(table: Table, extraction: Extraction, surfaces: Surfaces, source: str) -> dict[str, Any]:
    """All that has to be drawn around the cells of a table; the catalogue's own facts come from `named`."""
    grid, frame = table.grid, table.frame
    sheet = surfaces.sheet(table.place.sheet) if grid.medium == "spreadsheet" else None
    return {
        "title": table.title,
        "place": msgspec.to_builtins(table.place),
        "orientation": table.orientation,
        "genuine": table.genuine,
        "confidence": table.confidence,
        "frame": list(grid.source_rect(frame.rect)),
        "rows": int(grid.row_of[-1]) + 1,
        "columns": int(grid.column_of[-1]) + 1,
        "header_rows": [int(grid.row_of[row]) for row in frame.header_rows],
        "stub_columns": [int(grid.column_of[column]) for column in frame.stub_columns],
        "row_roles": _runs(grid, frame.labels.roles),
        "top": _nodes(table.top, grid),
        "left": _nodes(table.left, grid),
        "nodes": [len(table.top.nodes), len(table.left.nodes)],
        "row_nodes": _nearest(table.tuples.rows, table.nested.row_nodes, grid.row_of),
        "column_nodes": _nearest(table.tuples.columns, table.nested.column_nodes, grid.column_of),
        "tuples": len(table.tuples),
        "issues": [msgspec.to_builtins(issue) for issue in extraction.issues[:_MOST_ISSUES]],
        "rejected": [msgspec.to_builtins(one) for one in extraction.rejected[:_MOST_ISSUES]],
        "metadata": _short(msgspec.to_builtins(name_source(table.metadata, source))),
        "sheet": describe_sheet(sheet) if isinstance(sheet, Sheet) else None,
        "pages": describe_pages(table, extraction),
    }


def _short(facts: Any) -> Any:
    """Facts whose lists are no longer than anybody looks at."""
    if isinstance(facts, dict):
        return {name: _short(one) for name, one in facts.items()}
    return facts[:_MOST_FACTS] if isinstance(facts, list) else facts


def named(document: DocumentRecord, record: TableRecord, version: int) -> dict[str, Any]:
    """What the catalogue says of a table and its document; `version` is how many corrections the reading has."""
    return {
        "id": record.table_id,
        "name": record.name,
        "document": record.document_id,
        "source": document.source,
        "document_title": document.title,
        "medium": document.medium,
        "version": version,
    }


def describe_sibling(record: TableRecord, frame: Sequence[int] | None, place: Any) -> dict[str, Any]:
    """Another table of the document, and where it stands."""
    return {
        "id": record.table_id, "name": record.name, "title": record.title, "sheet": record.sheet, "page": record.page,
        "confidence": record.confidence, "tuples": record.tuples, "frame": frame, "place": place,
    }  # fmt: skip


def describe_cell(table: Table, roles: Roles, home: tuple[int, int]) -> dict[str, Any]:
    """What is known of one cell: its value with its paths, or the header that it is and the values under it."""
    return {
        "row": int(table.grid.row_of[home[0]]),
        "column": int(table.grid.column_of[home[1]]),
        "address": table.grid.address(*home),
        "text": str(table.grid.text[home]),
        "role": CELL_ROLES[roles.role[home]],
        "tuple": _tuple(table, home),
        "header": _header(table, home),
    }


def _nodes(tree: HeaderTree, grid: Grid) -> list[dict[str, Any]]:
    return [
        {
            "id": node.id,
            "text": node.text,
            "parent": node.parent,
            "cells": [[int(grid.row_of[row]), int(grid.column_of[column])] for row, column in node.cells],
            "probability": round(node.probability, 3),
        }
        for node in tree.nodes[:MOST_NODES]
    ]


def _nearest(held: NDArray[np.int32], nodes: Mapping[int, Sequence[int]], source: NDArray[np.int32]) -> list[list[int]]:
    """The rows or columns with values, each with the ids of its nearest headers: what lights up when one is chosen."""
    return [[int(source[line]), *nodes.get(line, ())] for line in np.unique(held)[:MOST_NODES].tolist()]


def _runs(grid: Grid, roles: Sequence[str]) -> list[tuple[int, int, str]]:
    """The roles of rows as runs of the source's rows: first, last, role."""
    found: list[tuple[int, int, str]] = []
    for row, role in zip(grid.row_of.tolist(), roles, strict=True):
        if found and found[-1][2] == role and found[-1][1] == row - 1:
            found[-1] = (found[-1][0], row, role)
        else:
            found.append((row, row, role))
    return found


def _tuple(table: Table, home: tuple[int, int]) -> dict[str, Any] | None:
    tuples = table.tuples
    found = np.flatnonzero((tuples.rows == home[0]) & (tuples.columns == home[1]))
    return msgspec.to_builtins(tuples[int(found[0])]) if len(found) else None


def _header(table: Table, home: tuple[int, int]) -> dict[str, Any] | None:
    """The header that a cell is, the values under it by their rows and columns, and its path."""
    for side, tree in (("left", table.left), ("top", table.top)):
        for node in tree.nodes:
            if home in node.cells:
                own = {(int(table.grid.row_of[row]), int(table.grid.column_of[column])) for row, column in node.cells}
                paths = table.tuples.row_paths if side == "left" else table.tuples.column_paths
                lines = [line for line, path in paths.items() if _names(path, own)]
                mine = np.isin(table.tuples.rows if side == "left" else table.tuples.columns, lines)
                return {
                    "side": side,
                    "id": node.id,
                    "path": [one.text for one in tree.path(node.id)],
                    "rows": runs_of(table.grid.row_of[np.unique(table.tuples.rows[mine])].tolist()),
                    "columns": runs_of(table.grid.column_of[np.unique(table.tuples.columns[mine])].tolist()),
                    "values": int(mine.sum()),
                    "probability": round(node.probability, 3),
                }
    return None


def _names(path: Path, own: set[tuple[int, int]]) -> bool:
    return any(cell in own for cell in path.cells)


def runs_of(numbers: list[int]) -> list[list[int]]:
    """Numbers as runs, both ends included."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs
