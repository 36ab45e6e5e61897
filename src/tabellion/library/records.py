"""What the catalogue says, as values: documents and tables, read and written in the words of its tables.

In: a connection with a transaction. Out: records. Nothing here decides anything.

What a library holds, in figures, and what it knows of one document. In: a library. Out: facts by name, plain enough to
be printed or written as JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, func, select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import Catalogue, corrections, documents, history, schema_version, segments, tables
from tabellion.library.files import count_bytes
from tabellion.library.holdings import DocumentRecord, ListedDocument, SegmentRecord, TableRecord, in_parts
from tabellion.library.naming import nearest_name

if TYPE_CHECKING:
    from tabellion.library.library import Library


def describe_library(library: Library) -> dict[str, Any]:
    """How much there is of everything, and how much room it takes."""
    with library.catalogue.reading() as connection:

        def count(chosen: Any) -> int:
            return int(connection.execute(select(chosen)).scalar() or 0)

        media = connection.execute(select(documents.c.medium, func.count()).group_by(documents.c.medium)).all()
        facts = {
            "library": library.catalogue.name,
            "files": library.folder.store or str(library.folder.root),
            "schema": schema_version(connection),
            "documents": count(func.count(documents.c.document_id)),
            **{f"documents, {medium}": int(number) for medium, number in sorted(media)},
            "tables": count(func.count(tables.c.table_id)),
            "tuples": count(func.sum(documents.c.tuples)),
            "versions in history": count(func.count(history.c.version)),
            "corrections": count(func.count(corrections.c.correction_id)),
            "segments": count(func.count(segments.c.segment_id)),
            "changes": library.catalogue.last_sequence(connection),
            "changes in the index": max(library.index.applied(), 0),
        }
    rooms = {"originals": library.folder.originals, "segments": library.folder.segments, "index": library.folder.index}
    for name, room in rooms.items():
        facts[f"bytes of {name}"] = count_bytes(room)
    if library.folder.catalogue.exists():
        facts["bytes of catalogue"] = library.folder.catalogue.stat().st_size
    return facts


def describe_document(library: Library, name: str) -> dict[str, Any]:
    """One document with its tables and its history."""
    record = library.find(name)
    with library.catalogue.reading() as connection:
        held = tables_of(connection, [record.document_id])
        mine = select(history).where(history.c.document_id == record.document_id).order_by(history.c.version)
        old = connection.execute(mine).all()
    return {
        "id": record.document_id,
        "source": record.source,
        "address": record.address,
        "medium": record.medium,
        "kind": record.kind,
        "sha256": record.sha256,
        "bytes": record.bytes,
        "title": record.title,
        "language": record.language,
        "added": record.added,
        "version": record.version,
        "tuples": record.tuples,
        "tables": [
            {"name": one.name, "id": one.table_id, "rows": one.rows, "columns": one.columns, "title": one.title}
            for one in held
        ],
        "issues": [{"note": note} for note in json.loads(record.issues)],
        "history": [
            {"version": one.version, "sha256": one.sha256, "added": one.added, "ended": one.ended, "how": one.how}
            for one in old
        ],
    }


def list_documents(connection: Connection) -> list[DocumentRecord]:
    """All documents, in the order of their addresses."""
    return _documents(connection, select(documents).order_by(documents.c.address))


def listed_documents(connection: Connection) -> list[ListedDocument]:
    """All documents, in the same order, with the ids of their tables."""
    ordered = select(tables.c.document_id, tables.c.table_id).order_by(tables.c.document_id, tables.c.number)
    held: dict[str, list[str]] = {}
    for document, table in connection.execute(ordered):
        held.setdefault(document, []).append(table)
    return [
        ListedDocument(
            one.document_id, one.source, one.medium, one.sha256, one.title, one.added, held.get(one.document_id, [])
        )
        for one in list_documents(connection)
    ]


def documents_by_id(connection: Connection, ids: Iterable[str]) -> dict[str, DocumentRecord]:
    found: dict[str, DocumentRecord] = {}
    for some in in_parts(ids):
        for one in _documents(connection, select(documents).where(documents.c.document_id.in_(some))):
            found[one.document_id] = one
    return found


def documents_since(connection: Connection, sequence: int) -> list[DocumentRecord]:
    """The documents that were added or replaced after a change."""
    wanted = select(documents).where(documents.c.sequence > sequence)
    return _documents(connection, wanted.order_by(documents.c.sequence, documents.c.document_id))


def tables_of(connection: Connection, document_ids: Iterable[str]) -> list[TableRecord]:
    """The tables of some documents, in reading order."""
    return list(_tables_where(connection, document_ids, "document_id"))


def tables_by_id(connection: Connection, table_ids: Iterable[str]) -> dict[str, TableRecord]:
    return {one.table_id: one for one in _tables_where(connection, table_ids, "table_id")}


def tables_by_name(connection: Connection, names: Iterable[str]) -> dict[str, TableRecord]:
    return {one.name: one for one in _tables_where(connection, names, "name")}


def table_called(connection: Connection, name: str) -> TableRecord:
    """The table of an id or a name."""
    held = tables_by_id(connection, [name]) or tables_by_name(connection, [name])
    if not held:
        meant = nearest_name(name, connection.execute(select(tables.c.name)).scalars())
        raise LibraryError(f"{name}: there is no such table in this library{meant or '; `tabellion list` names them'}")
    return next(iter(held.values()))


def list_segments(connection: Connection) -> list[SegmentRecord]:
    rows = connection.execute(select(segments).order_by(segments.c.sequence, segments.c.segment_id))
    return [SegmentRecord(*row[:-1]) for row in rows]


def _tables_where(connection: Connection, values: Iterable[str], column: str) -> Iterator[TableRecord]:
    for some in in_parts(values):
        wanted = select(tables).where(tables.c[column].in_(some))
        for row in connection.execute(wanted.order_by(tables.c.document_id, tables.c.number)):
            yield TableRecord(*row[:-1])


def _documents(connection: Connection, wanted: Select[Any]) -> list[DocumentRecord]:
    return [DocumentRecord(*row[:-1]) for row in connection.execute(wanted)]


class CatalogueHoldings:
    """What a search asks of a catalogue, through its own connection."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue

    def sequence(self) -> int:
        with self.catalogue.reading() as connection:
            return self.catalogue.last_sequence(connection)

    def languages(self) -> list[str]:
        with self.catalogue.reading() as connection:
            return sorted(connection.execute(select(documents.c.language).distinct()).scalars())

    def hits(self, table_ids: Sequence[str]) -> tuple[dict[str, TableRecord], dict[str, DocumentRecord]]:
        with self.catalogue.reading() as connection:
            held = tables_by_id(connection, table_ids)
            return held, documents_by_id(connection, {table.document_id for table in held.values()})

    def close(self) -> None:
        """The catalogue closes its own connections."""
