"""Corrections as labelled data: the tables that people repaired, as gold.

In: a library. Out: for each table with a correction in force its frame, the parents of its headers and the roles of its
rows, as they are after the repair: what nobody touched in a table that somebody mended is taken to be right. As JSON
lines for other uses, and as gold frames to learn from.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from tabellion.learn.corpora import assign_folds
from tabellion.learn.sheets.gold import Case
from tabellion.learn.sheets.nest_gold import GoldFrame
from tabellion.learn.sheets.parents import edges_of
from tabellion.library.kept import DocumentRecord
from tabellion.library.library import Library
from tabellion.library.records import list_documents
from tabellion.model.correction import Undo
from tabellion.model.table import Table
from tabellion.repair.places import same_region
from tabellion.repair.session import Repair

CORPUS = "corrections"


class LabelledTable(msgspec.Struct, frozen=True):
    """A repaired table as labelled data; rows and columns are the source's own."""

    source: str
    sha256: str
    sheet: str | None
    range: str | None
    row_roles: dict[int, str]
    left: list[tuple[tuple[int, int], tuple[int, int]]]
    top: list[tuple[tuple[int, int], tuple[int, int]]]
    corrections: int


class Corrected(msgspec.Struct, frozen=True, eq=False):
    """A document with its repaired tables."""

    record: DocumentRecord
    tables: tuple[Table, ...]
    corrections: int


def corrected_documents(library: Library) -> Iterator[Corrected]:
    """The documents of a library that have a correction in force."""
    with library.catalogue.reading() as connection:
        records = list_documents(connection)
    logged = library.logs(record.document_id for record in records)
    held = {document.id: document.tables for document in library.documents()}
    for record in records:
        if record.document_id in logged and held[record.document_id]:
            repair = library.repair(held[record.document_id][0])
            tables = _repaired(repair)
            if tables:
                yield Corrected(record, tables, len(logged[record.document_id]))


def _repaired(repair: Repair) -> tuple[Table, ...]:
    places = [
        one.correction.place
        for one in repair.history
        if one.state == "in force" and not isinstance(one.correction.operation, Undo)
    ]
    tables = repair.extraction.tables
    return tuple(table for table in tables if any(same_region(table.grid.place, place) for place in places))


def label_corrected(corrected: Corrected) -> Iterator[LabelledTable]:
    """The repaired tables of a document as labelled data."""
    for table in corrected.tables:
        grid = table.grid

        def source(cell: tuple[int, int], table: Table = table) -> tuple[int, int]:
            return int(table.grid.row_of[cell[0]]), int(table.grid.column_of[cell[1]])

        trees = {
            side: sorted((source(parent), source(child)) for parent, child in edges_of(tree))
            for side, tree in (("left", table.left), ("top", table.top))
        }
        yield LabelledTable(
            source=corrected.record.source,
            sha256=corrected.record.sha256,
            sheet=table.place.sheet,
            range=table.place.range,
            row_roles={int(grid.row_of[row]): role for row, role in enumerate(table.frame.labels.roles)},
            left=trees["left"],
            top=trees["top"],
            corrections=corrected.corrections,
        )


def corrected_gold(library: Library) -> list[GoldFrame]:
    """The repaired tables of a library to learn from; those of a document share a fold."""
    documents = list(corrected_documents(library))
    folds = assign_folds(CORPUS, (one.record.document_id for one in documents))
    golds: list[GoldFrame] = []
    for one in documents:
        case = Case(
            corpus=CORPUS,
            file=one.record.source,
            path=Path(one.record.source),
            fold=folds[one.record.document_id],
            gold={},
            grids=tuple({id(table.grid): table.grid for table in one.tables}.values()),
        )
        for table in one.tables:
            left, top = ({child: parent for parent, child in edges_of(tree)} for tree in (table.left, table.top))
            golds.append(
                GoldFrame(case, msgspec.structs.replace(table.frame, fixes=type(table.frame.fixes)()), left, top)
            )
    return golds
