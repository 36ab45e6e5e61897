"""What people look at and mend, for whoever draws it: a table with its trees, its cells, one cell's facts, strokes.

In: the `OpenDocuments`. Out: plain values. Rows and columns are the source's own, from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from tabellion.errors import LibraryError, RepairError
from tabellion.library.description import describe_cell, describe_sibling, describe_table, named
from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.library import Library
from tabellion.library.paging import stored_tuple
from tabellion.library.records import tables_of
from tabellion.library.surface import MOST_CELLS, Surfaces, Window
from tabellion.model.correction import Correction, Saying, Undo, read_operation
from tabellion.model.grid import Content
from tabellion.model.place import Rect, address
from tabellion.model.table import Table
from tabellion.repair.lookalikes import Scope
from tabellion.repair.places import describe
from tabellion.repair.replay import Replayed, Standing
from tabellion.repair.session import Repair
from tabellion.values.texts import read_text
from tabellion.web.open_documents import OpenDocuments, Opened, StoredView

_MOST_PIXELS = 12_000_000


class Shown(msgspec.Struct, frozen=True):
    """What a client looks at while it makes a stroke: a table, and a part of its sheet or page."""

    table: str
    area: Rect


Tell = Callable[[dict[str, Any]], None]
"""Told what a stroke gives, before it is kept: the version, and reading and cells of what the client looks at."""


class Looking:
    """Answers about what is looked at."""

    def __init__(self, library: Library) -> None:
        self.library, self.open = library, OpenDocuments(library)

    def reading(self, name: str, annotator: str | None = None) -> dict[str, Any]:
        """A table as it is read now, with all that has to be drawn around it but the cells."""
        if kept := self.open.stored(name, annotator):
            return describe_stored(kept)
        with self.open.table(name, annotator) as (opened, record):
            with self.library.catalogue.reading() as connection:
                others = tables_of(connection, [record.document_id])
            return _whole(opened.document, opened.version, opened.drawn(), record, others)

    def cells(self, name: str, wanted: Rect, annotator: str | None = None) -> Window:
        """The cells of a part of the sheet, or of the table in other media."""
        if kept := self.open.stored(name, annotator):
            return kept.view.window(_number(kept.record), wanted, MOST_CELLS)
        with self.open.table(name, annotator) as (opened, record):
            return opened.drawn().window(opened.table(record.table_id), wanted)

    def cell(self, name: str, row: int, column: int, annotator: str | None = None) -> dict[str, Any]:
        """What is known of one cell: its value with its paths, or the header that it is and the values under it."""
        if kept := self.open.stored(name, annotator):
            return describe_stored_cell(self.library, kept, row, column)
        with self.open.table(name, annotator) as (opened, record):
            table = opened.table(record.table_id)
            roles = opened.drawn().roles(table.grid)
            home = roles.home(row, column)
            if home is None:
                raise LibraryError(f"{row}, {column}: there is no such cell in {record.name}")
            return describe_cell(table, roles, home)

    def corrections(self, document: str, annotator: str | None = None) -> dict[str, Any]:
        """All that was said of a document, in turn."""
        if annotator is None and not self.open.holds(document):
            self.library.find(document)
            if not self.library.corrections([document]).get(document):  # who only looks needs no document that is read
                return {"version": 0, "corrections": []}
        with self.open.document(document, annotator) as opened:
            return {"version": opened.version, "corrections": [_standing(one) for one in opened.history]}

    def correct(
        self,
        name: str,
        operations: Sequence[Any],
        author: str | None,
        seen: int | None,
        annotator: str | None = None,
        shown: Shown | None = None,
        tell: Tell | None = None,
    ) -> dict[str, Any]:
        """Make strokes, all or none, as of what the author has seen; those of an annotator are theirs alone."""
        with self.open.table(name, annotator) as (opened, record):
            drawing = _Drawing(self.library, opened, shown, tell)
            repair = opened.repair(record.table_id, author, seen, drawing.told)
            made = repair.apply_all([repair.worded(_saying(one)) for one in operations])
            return drawing.made(repair, made)

    def preview(self, name: str, operations: Sequence[Any], author: str | None) -> list[str]:
        """What strokes would change, in words."""
        with self.open.table(name) as (opened, record):
            repair = opened.repair(record.table_id, author)
            return repair.preview([repair.worded(_saying(one)) for one in operations])

    def undo(
        self,
        document: str,
        ids: Sequence[str],
        author: str | None,
        annotator: str | None = None,
        shown: Shown | None = None,
        tell: Tell | None = None,
    ) -> dict[str, Any]:
        """Take corrections back, all or none, the last first; of an undoing: bring back what it undid."""
        with self.open.document(document, annotator) as opened:
            drawing = _Drawing(self.library, opened, shown, tell)
            repair = opened.repair(None, author, first=drawing.told)
            return drawing.made(repair, repair.undo_all(ids))

    def alike(self, name: str, correction: str | None, scope: Scope, annotator: str | None = None) -> dict[str, Any]:
        """The same correction wherever the same look recurs."""
        with self.open.table(name, annotator) as (opened, record):
            found = opened.repair(record.table_id, None).look_alikes(correction, scope)
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
        shown: Shown | None = None,
        tell: Tell | None = None,
    ) -> dict[str, Any]:
        """Make the proposals after a correction, but for some by their number."""
        with self.open.table(name, annotator) as (opened, record):
            drawing = _Drawing(self.library, opened, shown, tell)
            repair = opened.repair(record.table_id, author, first=drawing.told)
            wanted = [one for at, one in enumerate(repair.look_alikes(correction, scope)) if at not in without]
            return drawing.made(repair, repair.accept(wanted, correction))

    def picture(self, document: str, page: int, scale: float) -> bytes:
        """A printed page as PNG."""
        from tabellion.export.chart import encode_png

        pages = self.open.printed(document)
        if pages is None or page not in pages.numbers:
            raise LibraryError(f"page {page}: there is no such printed page in {self.library.find(document).source}")
        with self.open.printing:
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


class _Drawing:
    """What a stroke gives, drawn for who looks at it: first as it is read again, then as it is kept."""

    def __init__(self, library: Library, opened: Opened, shown: Shown | None, tell: Tell | None) -> None:
        self.library, self.opened, self.shown, self.tell = library, opened, shown, tell
        self._surfaces: Surfaces | None = None
        self._told: dict[str, Any] | None = None

    def told(self, corrections: Sequence[Correction], replayed: Replayed) -> None:
        """Draw a reading that is not kept yet: that takes longer than to read it."""
        if self.tell is None:
            return
        self._surfaces, self._told = Surfaces(replayed.extraction), None
        version = len(replayed.standings)
        if reading := self._reading(version, self._surfaces):
            self._told = reading
            self.tell({"version": version, "reading": reading, "cells": self._cells(self._surfaces)})

    def made(self, repair: Repair, made: Iterable[Correction]) -> dict[str, Any]:
        """What there is once it is kept; what was told already and is still so is left out."""
        opened = self.opened
        opened.adopt(repair, self._surfaces)
        ids = {one.id for one in made}
        answer: dict[str, Any] = {
            "version": opened.version,
            "corrections": [_standing(one) for one in opened.history if one.correction.id in ids],
            "tables": [f"{opened.document.document_id}-{table.id}" for table in opened.extraction.tables],
        }
        reading = self._reading(opened.version, opened.drawn())
        if reading is None or reading == self._told:
            return answer
        return answer | {"reading": reading, "cells": self._cells(opened.drawn())}

    def _reading(self, version: int, surfaces: Surfaces) -> dict[str, Any] | None:
        """The table that is looked at; None where it is gone, or an annotator's own, which no catalogue knows."""
        if self.shown is None or _table_of(surfaces, self.shown.table) is None:
            return None
        with self.library.catalogue.reading() as connection:
            others = tables_of(connection, [self.opened.document.document_id])
        record = next((one for one in others if one.table_id == self.shown.table), None)
        return _whole(self.opened.document, version, surfaces, record, others) if record else None

    def _cells(self, surfaces: Surfaces) -> Window | None:
        table = self.shown and _table_of(surfaces, self.shown.table)
        return surfaces.window(table, self.shown.area) if self.shown and table else None


def _table_of(surfaces: Surfaces, table_id: str) -> Table | None:
    wanted = table_id.rpartition("-")[2]
    return next((table for table in surfaces.extraction.tables if table.id == wanted), None)


def _saying(raw: Any) -> Saying:
    said = read_operation(raw)
    if isinstance(said, Undo):
        raise RepairError("undo goes by the document's address: POST /documents/{document}/undo")
    return said


def _whole(
    document: DocumentRecord, version: int, surfaces: Surfaces, record: TableRecord, others: Sequence[TableRecord]
) -> dict[str, Any]:
    """A reading with the other tables of its document."""
    table = _table_of(surfaces, record.table_id)
    if table is None:
        raise LibraryError(f"{record.name}: there is no such table any more")
    here = {one.id: one for one in surfaces.extraction.tables}
    siblings = []
    for one in others:
        other = here.get(_number(one))
        frame = list(other.grid.source_rect(other.frame.rect)) if other else None
        siblings.append(describe_sibling(one, frame, msgspec.to_builtins(other.place) if other else {}))
    described = describe_table(table, surfaces.extraction, surfaces, document.source)
    return described | named(document, record, version) | {"tables": siblings}


def _number(record: TableRecord) -> str:
    """The id of a table within its document."""
    return record.table_id.rpartition("-")[2]


def describe_stored(kept: StoredView) -> dict[str, Any]:
    """A table of a large document, as `reading` gives it."""
    frames, places = kept.view.tables.frames, kept.view.tables.places
    siblings = [describe_sibling(one, frames.get(_number(one)), places.get(_number(one), {})) for one in kept.others]
    described = kept.view.describe(_number(kept.record))
    return described | named(kept.document, kept.record, kept.version) | {"tables": siblings}


def describe_stored_cell(library: Library, kept: StoredView, row: int, column: int) -> dict[str, Any]:
    """A cell of a large document, as `cell` gives it."""
    table = _number(kept.record)
    cell = kept.view.cell(table, row, column)
    if cell is None:
        raise LibraryError(f"{row}, {column}: there is no such cell in {kept.record.name}")
    stored = stored_tuple(library, kept.document, kept.record.table_id, row, column)
    if stored and stored["value"] is None and read_text(stored["text"]).content != Content.MISSING:
        stored["value"] = stored["text"]  # the segment holds numbers alone
    return {
        "row": row,
        "column": column,
        "address": address(row, column),
        "text": cell.text,
        "role": cell.role,
        "tuple": stored and stored | kept.view.paths(table, row, column),
        "header": kept.view.header(table, row, column),
    }


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
