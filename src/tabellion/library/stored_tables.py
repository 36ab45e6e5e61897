"""Tables taken out of a library whole, with header trees and cells, to be published.

In: names of tables or documents. Out: extractions with the tables asked for, made from the stored originals, one
document at a time. Fails where a document is read otherwise now than when it was added: `tabellion rebuild` mends that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tabellion.errors import LibraryError
from tabellion.library.corrections import editions_of
from tabellion.library.holdings import DocumentRecord
from tabellion.library.library import Library
from tabellion.library.originals import load_original
from tabellion.library.reading import as_stored, naming, under_name
from tabellion.library.records import documents_by_id, list_documents, tables_by_id, tables_by_name
from tabellion.pipeline import Extraction, Settings
from tabellion.repair.replay import extract_repaired


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
