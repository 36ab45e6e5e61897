"""What people look at and mend, for whoever draws it: a table with its trees, its cells, one cell's facts, strokes.

In: the documents on a `Desk`. Out: plain values. Rows and columns are the source's own, from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from tabellion.errors import LibraryError, RepairError
from tabellion.library.library import Library
from tabellion.library.reading import name_source
from tabellion.library.records import TableRecord, tables_of
from tabellion.model.correction import Correction, Saying, Undo
from tabellion.model.document import Sheet
from tabellion.model.grid import Grid
from tabellion.model.place import Rect
from tabellion.model.table import Path, Table
from tabellion.model.tree import HeaderTree
from tabellion.read.pdf.document import PrintedPages
from tabellion.relate import CELL_ROLES
from tabellion.repair.as_json import read_operation
from tabellion.repair.lookalikes import Scope
from tabellion.repair.places import describe
from tabellion.repair.replay import Standing
from tabellion.web.desk import Desk, Opened
from tabellion.web.surface import Window, describe_pages, describe_sheet

MOST_NODES = 5_000  # of a tree, at once
_MOST_ISSUES = 200
_MOST_PIXELS = 12_000_000


class Looking:
    """Answers about what is looked at."""

    def __init__(self, library: Library) -> None:
        self.library, self.desk = library, Desk(library)

    def reading(self, name: str, annotator: str | None = None) -> dict[str, Any]:
        """A table as it is read now, with all that has to be drawn around it but the cells."""
        with self.desk.table(name, annotator) as (opened, record):
            table = opened.table(record.table_id)
            with self.library.catalogue.reading() as connection:
                others = tables_of(connection, [record.document_id])
            return _describe(opened, record, table) | {"tables": [_sibling(opened, one) for one in others]}

    def cells(self, name: str, wanted: Rect, annotator: str | None = None) -> Window:
        """The cells of a part of the sheet, or of the table in other media."""
        with self.desk.table(name, annotator) as (opened, record):
            return opened.drawn().window(opened.table(record.table_id), wanted)

    def cell(self, name: str, row: int, column: int, annotator: str | None = None) -> dict[str, Any]:
        """What is known of one cell: its value with its paths, or the header that it is and the values under it."""
        with self.desk.table(name, annotator) as (opened, record):
            table = opened.table(record.table_id)
            roles = opened.drawn().roles(table.grid)
            home = roles.home(row, column)
            if home is None:
                raise LibraryError(f"{row}, {column}: there is no such cell in {record.name}")
            return {
                "row": int(table.grid.row_of[home[0]]),
                "column": int(table.grid.column_of[home[1]]),
                "address": table.grid.address(*home),
                "text": str(table.grid.text[home]),
                "role": CELL_ROLES[roles.role[home]],
                "tuple": _tuple(table, home),
                "header": _header(table, home),
            }

    def corrections(self, document: str, annotator: str | None = None) -> dict[str, Any]:
        """All that was said of a document, in turn."""
        with self.desk.document(document, annotator) as opened:
            return {"version": opened.version, "corrections": [_standing(one) for one in opened.history]}

    def correct(
        self, name: str, operations: Sequence[Any], author: str | None, seen: int | None, annotator: str | None = None
    ) -> dict[str, Any]:
        """Make strokes, all or none, as of what the author has seen; those of an annotator are theirs alone."""
        with self.desk.table(name, annotator) as (opened, record):
            repair = opened.repair(record.table_id, author, seen)
            made = repair.say_all([repair.worded(_saying(one)) for one in operations])
            return self._made(opened, repair.log, made)

    def preview(self, name: str, operations: Sequence[Any], author: str | None) -> list[str]:
        """What strokes would change, in words."""
        with self.desk.table(name) as (opened, record):
            repair = opened.repair(record.table_id, author)
            return repair.preview([repair.worded(_saying(one)) for one in operations])

    def undo(
        self, document: str, ids: Sequence[str], author: str | None, annotator: str | None = None
    ) -> dict[str, Any]:
        """Take corrections back, the last first; of an undoing: bring back what it undid."""
        with self.desk.document(document, annotator) as opened:
            repair = opened.repair(None, author)
            made = [repair.undo(one) for one in reversed(ids)]
            return self._made(opened, repair.log, made)

    def alike(self, name: str, correction: str | None, scope: Scope, annotator: str | None = None) -> dict[str, Any]:
        """The same correction wherever the same look recurs."""
        with self.desk.table(name, annotator) as (opened, record):
            found = opened.repair(record.table_id, None).alike(correction, scope)
            return {
                "proposals": [
                    {
                        "place": msgspec.to_builtins(one.place),
                        "operation": msgspec.to_builtins(one.operation),
                        "words": describe(one.operation),
                    }
                    for one in found
                ],
                "sheets": len({(one.place.sheet, one.place.page, one.place.table_index) for one in found}),
            }

    def accept(
        self,
        name: str,
        correction: str,
        scope: Scope,
        without: Sequence[int],
        author: str | None,
        annotator: str | None = None,
    ) -> dict[str, Any]:
        """Make the proposals after a correction, but for some by their number."""
        with self.desk.table(name, annotator) as (opened, record):
            repair = opened.repair(record.table_id, author)
            wanted = [one for at, one in enumerate(repair.alike(correction, scope)) if at not in without]
            made = repair.accept(wanted, correction)
            return self._made(opened, repair.log, made)

    def picture(self, document: str, page: int, scale: float) -> bytes:
        """A printed page as PNG."""
        from tabellion.export.png import encode_png

        with self.desk.document(document) as opened:
            pages = opened.extraction.document.pages
            if not isinstance(pages, PrintedPages) or page not in pages.numbers:
                raise LibraryError(f"page {page}: there is no such printed page in {opened.document.source}")
            size = pages.page(page)
            scale = min(scale, (_MOST_PIXELS / max(1.0, size.width * size.height)) ** 0.5)
            pixels = pages.picture(page, scale)
        return b"".join(encode_png([pixels], pixels.shape[1], pixels.shape[0]))

    def markup(self, document: str) -> str:
        """A saved web page as text."""
        from tabellion.library.originals import load_original
        from tabellion.read.web.page import open_page

        record = self.library.find(document)
        if record.medium != "html":
            raise LibraryError(f"{record.source}: there is no such web page; it is a {record.medium}")
        return open_page(load_original(self.library.folder.originals, record.sha256)).text

    def _made(self, opened: Opened, log: Sequence[Correction], made: Iterable[Correction]) -> dict[str, Any]:
        opened.renew(log)
        ids = {one.id for one in made}
        return {
            "version": opened.version,
            "corrections": [_standing(one) for one in opened.history if one.correction.id in ids],
            "tables": [f"{opened.document.document_id}-{table.id}" for table in opened.extraction.tables],
        }


def _saying(raw: Any) -> Saying:
    said = read_operation(raw)
    if isinstance(said, Undo):
        raise RepairError("undo goes by the document's address: POST /documents/{document}/undo")
    return said


def _describe(opened: Opened, record: TableRecord, table: Table) -> dict[str, Any]:
    grid, frame, extraction = table.grid, table.frame, opened.extraction
    sheet = opened.drawn().sheet(table.place.sheet) if grid.medium == "spreadsheet" else None
    metadata = name_source(table.metadata, opened.document.source)
    return {
        "id": record.table_id,
        "name": record.name,
        "document": record.document_id,
        "source": opened.document.source,
        "document_title": opened.document.title,
        "medium": opened.document.medium,
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
        "tuples": len(table.tuples),
        "issues": [msgspec.to_builtins(issue) for issue in extraction.issues[:_MOST_ISSUES]],
        "rejected": [msgspec.to_builtins(one) for one in extraction.rejected[:_MOST_ISSUES]],
        "metadata": msgspec.to_builtins(metadata),
        "sheet": describe_sheet(sheet) if isinstance(sheet, Sheet) else None,
        "pages": describe_pages(table, extraction),
        "version": opened.version,
    }


def _sibling(opened: Opened, record: TableRecord) -> dict[str, Any]:
    try:
        table = opened.table(record.table_id)
    except LibraryError:
        frame, place = None, {}
    else:
        frame, place = list(table.grid.source_rect(table.frame.rect)), msgspec.to_builtins(table.place)
    return {
        "id": record.table_id, "name": record.name, "title": record.title, "sheet": record.sheet, "page": record.page,
        "confidence": record.confidence, "tuples": record.tuples, "frame": frame, "place": place,
    }  # fmt: skip


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
                    "rows": _lines(table.grid.row_of[np.unique(table.tuples.rows[mine])].tolist()),
                    "columns": _lines(table.grid.column_of[np.unique(table.tuples.columns[mine])].tolist()),
                    "values": int(mine.sum()),
                    "probability": round(node.probability, 3),
                }
    return None


def _names(path: Path, own: set[tuple[int, int]]) -> bool:
    return any(cell in own for cell in path.cells)


def _lines(numbers: list[int]) -> list[list[int]]:
    """Numbers as runs, both ends included."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return runs


def _standing(one: Standing) -> dict[str, Any]:
    correction = one.correction
    return {
        "id": correction.id,
        "words": describe(correction.operation),
        "operation": msgspec.to_builtins(correction.operation),
        "place": msgspec.to_builtins(correction.place),
        "author": correction.author,
        "made": correction.made,
        "like": correction.like,
        "state": one.state,
        "note": one.note,
    }
