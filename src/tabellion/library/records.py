"""What the catalogue says, as values: documents and tables, the log of corrections, and where the files are.

In: a connection with a transaction. Out: records. Nothing here decides anything.

What a library holds, in figures, and what it knows of one document. In: a library. Out: facts by name, plain enough to
be printed or written as JSON.

The log is appended to, never changed. It goes by the document's address, so that it outlives new editions, rebuilding
and removal.

The files lie in the folder of the library, in another one, or in object storage. In: a catalogue, and what the caller
names. Out: the folder with its paths, or the address of the store. The catalogue keeps what was named first, so that a
library is opened by its place alone. The index is made where it is used: of a library in PostgreSQL and object storage,
each machine has one of its own.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Select, func, select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import (
    FILES,
    Catalogue,
    corrections,
    documents,
    history,
    schema_version,
    segments,
    tables,
)
from tabellion.library.files import Folder, count_bytes, is_address
from tabellion.library.holdings import (
    DocumentRecord,
    ListedDocument,
    SegmentRecord,
    TableRecord,
    decode_held,
    in_parts,
)
from tabellion.library.naming import nearest_name

if TYPE_CHECKING:
    from tabellion.library.library import Library

import msgspec
from sqlalchemy import insert

from tabellion.model.correction import Correction


def files_of(catalogue: Catalogue, given: str | None, *, create: bool) -> Folder:
    """The folder of a library in PostgreSQL: the one that is given, else the one that the catalogue names."""
    if catalogue.is_empty() and create and not given:
        raise LibraryError(f"{catalogue.name}: a library in PostgreSQL needs a folder for its files: --files DIR")
    catalogue.prepare(create=create)
    known = catalogue.fact(FILES)
    if is_address(given or known or ""):
        folder = Folder(own_files(catalogue.name), store_of(catalogue, given))
        folder.make()
        return folder
    if given is None:
        if known is None:
            raise LibraryError(f"{catalogue.name}: where the files of this library are is not known: name --files DIR")
        if not Path(known).is_dir():
            raise LibraryError(f"{catalogue.name}: its files are in {known}, which is not here: name --files DIR")
        return Folder(Path(known))
    folder = Folder(Path(given).absolute())
    if create or known is None:
        folder.make()
        if known != str(folder.root):
            catalogue.set_fact(FILES, str(folder.root))
    elif not folder.segments.is_dir():
        raise LibraryError(f"{given}: the files of this library are not here; the catalogue names {known}")
    return folder


def store_of(catalogue: Catalogue, given: str | None) -> str | None:
    """The address in object storage that has the originals and segments of a library, where it has one."""
    known = catalogue.fact(FILES)
    if given is None or not is_address(given):
        return known if known and is_address(known) else None
    given = given.rstrip("/")
    if known is None:
        with catalogue.reading() as connection:
            filled = connection.execute(select(documents.c.document_id).limit(1)).first()
        if filled:
            raise LibraryError(f"{catalogue.name}: the files of this library are in its folder; copy it to another one")
        catalogue.set_fact(FILES, given)
    elif known != given:
        raise LibraryError(f"{catalogue.name}: the files of this library are in {known}, not in {given}")
    return given


def own_files(name: str) -> Path:
    """Where this user's machine keeps the index of a library that is in PostgreSQL and object storage."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "tabellion" / "libraries" / hashlib.sha256(name.encode()).hexdigest()[:16]


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
        "issues": [{"note": note} for note in decode_held(record.issues, list[str])],
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
        raise LibraryError(
            f"{name}: there is no such table in this library{meant or '; `tabellion search` names them'}"
        )
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


def read_logs(connection: Connection, document_ids: Iterable[str]) -> dict[str, list[Correction]]:
    """The corrections of some documents, of those that have any."""
    c = corrections.c
    found: dict[str, list[Correction]] = {}
    for some in in_parts(document_ids):
        wanted = select(c.document_id, c.body).where(c.document_id.in_(some))
        for document_id, body in connection.execute(wanted.order_by(c.sequence, c.place)):
            found.setdefault(document_id, []).append(decode_held(body, Correction))
    return found


def count_logs(connection: Connection, document_ids: Iterable[str]) -> dict[str, int]:
    """How many corrections some documents have, of those that have any."""
    c = corrections.c
    found: dict[str, int] = {}
    for some in in_parts(document_ids):
        wanted = select(c.document_id, func.count()).where(c.document_id.in_(some)).group_by(c.document_id)
        found.update((document_id, int(count)) for document_id, count in connection.execute(wanted))
    return found


def append_log(connection: Connection, document_id: str, said: Sequence[Correction], sequence: int) -> None:
    """Add corrections of a document."""
    rows = [
        {
            "correction_id": one.id,
            "document_id": document_id,
            "made": one.made,
            "author": one.author,
            "sequence": sequence,
            "place": number,
            "body": msgspec.json.encode(one).decode(),
        }
        for number, one in enumerate(said)
    ]
    if rows:
        connection.execute(insert(corrections), rows)
