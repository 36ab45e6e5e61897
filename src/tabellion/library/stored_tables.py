"""Documents of a library read again with their corrections, and the log that those are kept in.

The log lies in the catalogue: appended to, never changed. It goes by the document's address, so that it outlives new
editions, rebuilding and removal. Places of corrections are found again by the texts of the edition that they were made
in, which is kept as an original.

Tables taken out whole, with header trees and cells, to be published. In: names of tables or documents. Out: extractions
with the tables asked for, made from the stored originals, one document at a time. Fails where a document is read
otherwise now than when it was added: `tabellion rebuild` mends that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

import msgspec
from sqlalchemy import Connection, func, insert, select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import corrections
from tabellion.library.holdings import DocumentRecord, in_parts
from tabellion.library.library import Library
from tabellion.library.originals import load_original
from tabellion.library.reading import as_stored, naming, under_name
from tabellion.library.records import documents_by_id, list_documents, tables_by_id, tables_by_name
from tabellion.model.correction import Correction
from tabellion.pipeline import Extraction, Settings, read_source
from tabellion.repair.editions import Edition
from tabellion.repair.replay import Editions, extract_repaired
from tabellion.repair.rereading import Rereading
from tabellion.weights import Weights


def editions_of(originals: Path, settings: Settings) -> Editions:
    """The texts of editions by their hash, as far as their originals are kept."""

    @cache
    def edition(sha256: str) -> Edition | None:
        try:
            data = load_original(originals, sha256)
        except LibraryError:
            return None
        return Rereading(read_source(data, settings, Weights(settings.weights)), settings).edition()

    return edition


def read_logs(connection: Connection, document_ids: Iterable[str]) -> dict[str, list[Correction]]:
    """The corrections of some documents, of those that have any."""
    c = corrections.c
    found: dict[str, list[Correction]] = {}
    for some in in_parts(document_ids):
        wanted = select(c.document_id, c.body).where(c.document_id.in_(some))
        for document_id, body in connection.execute(wanted.order_by(c.sequence, c.place)):
            found.setdefault(document_id, []).append(msgspec.json.decode(body, type=Correction))
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


def stored_extractions(
    library: Library, names: Sequence[str] = (), settings: Settings = Settings()
) -> Iterator[Extraction]:
    """The tables of these names or ids, or all of these documents; without a name, everything."""
    if not names:
        with library.catalogue.reading() as connection:
            everything = list_documents(connection)
        for record in everything:
            yield extract_stored(library, record, settings)
        return
    for record, wanted in named_documents(library, names):
        extraction = extract_stored(library, record, settings)
        if wanted is not None:
            extraction = _choose(extraction, record, wanted)
        yield extraction


def knows(library: Library, name: str) -> bool:
    """Whether a name is that of a table or a document of the library."""
    try:
        return bool(named_documents(library, [name]))
    except LibraryError:
        return False


def extract_stored(library: Library, record: DocumentRecord, settings: Settings = Settings()) -> Extraction:
    """A document of the library read from its original, with its corrections, under the name it was added by."""
    settings, originals = as_stored(library.settle(settings), record.rendered), library.folder.originals
    log = library.logs([record.document_id]).get(record.document_id, ())
    data = load_original(originals, record.sha256)
    with naming(record.source):
        found = extract_repaired(data, settings, log, editions_of(originals, settings))
    return under_name(found, record.source)


def named_documents(library: Library, names: Sequence[str]) -> list[tuple[DocumentRecord, set[str] | None]]:
    """The documents that the names mean, each once, with the tables asked for; None: all of them."""
    found: dict[str, tuple[DocumentRecord, set[str] | None]] = {}
    with library.catalogue.reading() as connection:
        tables = {**tables_by_id(connection, names), **tables_by_name(connection, names)}
        records = documents_by_id(connection, {table.document_id for table in tables.values()})
    for name in names:
        if name not in tables:
            record = library.find(name)
            found[record.document_id] = (record, None)
            continue
        table = tables[name]
        _, chosen = found.setdefault(table.document_id, (records[table.document_id], set()))
        if chosen is not None:
            chosen.add(table.table_id)
    return list(found.values())


def _choose(extraction: Extraction, record: DocumentRecord, wanted: set[str]) -> Extraction:
    tables = {f"{record.document_id}-{table.id}": table for table in extraction.tables}
    if missing := sorted(wanted - set(tables)):
        raise LibraryError(f"{', '.join(missing)}: the stored document is read otherwise now; run `tabellion rebuild`")
    return msgspec.structs.replace(extraction, tables=tuple(tables[one] for one in tables if one in wanted))
