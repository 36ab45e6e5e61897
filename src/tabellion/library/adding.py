"""One source for the library: fetched by it or sent to it, read, and kept as original.

In: a path or URL. Out: a `Reading`. Runs in a worker where there are several. Whether a file is what the library has
already is told by its hash, before anything is read. A page that is rendered is kept whole, with its own style sheets,
pictures and fonts, and read from what is kept, so that it is drawn the same when it is read again.

A document that is sent instead of being fetched. In: bytes and a name. Out: what became of them. The name is the
document's own, under the address `sent:NAME`; the same name sent again replaces the document.

A document that is taken out, with all that is kept of it where it is to be forgotten.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from sqlalchemy import delete, select

from tabellion.errors import LibraryError, TabellionError, UsageError
from tabellion.isolated import read_in
from tabellion.library.catalogue import corrections, documents, history
from tabellion.library.files import file_hash, mark_unfinished, take_away
from tabellion.library.holdings import AddResult, DocumentRecord, Rendered, document_address, document_id
from tabellion.library.originals import is_whole, store_original
from tabellion.library.prepared import drop_views
from tabellion.library.reading import Reading, as_stored, read_for_library
from tabellion.library.records import documents_by_id
from tabellion.library.stored_tables import editions_of
from tabellion.library.writing import drop_document, note_end
from tabellion.model.correction import Correction
from tabellion.settings import Settings

if TYPE_CHECKING:
    from tabellion.library.library import Library


SCHEME = "sent://"


class Sent(msgspec.Struct, frozen=True):
    """What became of a document that was sent."""

    document_id: str
    status: str
    tables: int
    tuples: int


def read_sent(address: str, data: bytes, settings: Settings, log: Sequence[Correction], originals: Path) -> Reading:
    """Read a document that was sent, with the corrections that were made of it."""
    return read_for_library(address, address, data, settings, log, editions_of(originals, settings))


def add_sent(library: Library, name: str, data: bytes, settings: Settings = Settings()) -> Sent:
    """Read a document and keep it; a web page is rendered where that is asked for, now or when it was sent before."""
    address = SCHEME + name
    known = library.known([address]).get(address)
    settings = as_stored(library.settle(settings), known.rendered if known else None)
    identity, originals = document_id(address), library.folder.originals
    log = library.corrections([identity]).get(identity, ())
    given = (address, data, settings, log, originals)
    reading = read_in(library.readers, read_sent, *given, limits=settings.limits, name=name)
    with library.writing_documents(settings=settings) as writer:
        store_original(originals, data, hashlib.sha256(data).hexdigest())
        done = [*writer.write(reading), *writer.flush()]
    (result,) = done
    return Sent(identity, result.status, result.tables, result.tuples)


class StoredSource(NamedTuple):
    """What the library has of a source: the hash of its bytes, and what is said where they are unchanged."""

    sha256: str
    result: AddResult
    medium: str
    rendered: Rendered | None


def read_source(
    source: str, originals: Path, settings: Settings, log: Sequence[Correction] = (), known: StoredSource | None = None
) -> Reading:
    """Read a source, with the corrections that were made of it, and keep its bytes."""
    settings = as_stored(settings, known.rendered if known else None)
    data = fetch_original(source, settings)
    settings = msgspec.structs.replace(settings, network=False)  # what the page needs of the web is in it now
    editions = editions_of(originals, settings)
    reading = read_for_library(source, document_address(source), data, settings, log, editions)
    try:
        store_original(originals, data, hashlib.sha256(data).hexdigest())
    except OSError as error:
        raise LibraryError(f"{source}: cannot be kept in {originals} ({error.strerror or error})") from error
    return reading


def is_unchanged(source: str, known: StoredSource, settings: Settings, originals: Path) -> bool:
    """Whether a file has the bytes that are known and kept, and was rendered if it is to be.

    The web must be fetched to know.
    """
    if "://" in source or not is_whole(originals, known.sha256):
        return False
    try:
        if known.medium != "html" or (settings.render == "never" and known.rendered is None):
            return file_hash(Path(source)) == known.sha256
        chosen = as_stored(settings, known.rendered)
        return (
            chosen.render == known.rendered
            and hashlib.sha256(fetch_original(source, chosen)).hexdigest() == known.sha256
        )
    except (OSError, TabellionError):
        return False


def fetch_original(source: str, settings: Settings) -> bytes:
    """The bytes that are kept of a source."""
    from tabellion.read.fetch import fetch_source

    if settings.scripts:
        raise UsageError(f"{source}: a library reads pages again from what it keeps, so their scripts do not run")
    fetched = fetch_source(source, settings.limits, private=settings.private)
    if settings.render == "never":
        return fetched.data
    from tabellion.read.web.saved import whole_page

    return whole_page(fetched, settings.limits, network=settings.network, private=settings.private)


def remove_document(library: Library, name: str, *, forget: bool) -> DocumentRecord | None:
    """Take a document out, and with `forget` all that was kept of it, also where it was taken out before.

    Whoever is killed meanwhile and calls it again ends the same: what is left of the first call is cleared away.
    """
    from tabellion.library.verify import sweep, writing_mark  # which reads documents, as this module does

    sweep(library.folder, library.catalogue)
    past = _past_documents(library, name) if forget else []
    try:
        record = library.find(name)
    except LibraryError:
        if not past:
            raise
        if len(past) > 1:
            note = f"{name}: several documents were called so; name one by its id: {', '.join(past)}"
            raise LibraryError(note) from None
        record = None
    forgotten = [record.document_id] if record else past
    with writing_mark(library.folder):
        if forget:
            mark_unfinished(library.folder, _hashes_of(library, forgotten))  # which will be named by nothing
        if record:
            _end_document(library, record)
        if forget:
            library.index.catch_up(wait=True)  # it learns of removals from the history
            with library.catalogue.writing() as connection:
                for table in (history, corrections):
                    connection.execute(delete(table).where(table.c.document_id.in_(forgotten)))
    if forget:
        sweep(library.folder, library.catalogue, always=True)
        take_away(library.folder.graph)  # made anew when it is next asked
    library.index.catch_up()
    return record


def _end_document(library: Library, record: DocumentRecord) -> None:
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    with library.catalogue.writing() as connection:
        held = documents_by_id(connection, [record.document_id])
        if record.document_id in held:
            sequence = library.catalogue.next_sequence(connection)
            note_end(connection, held[record.document_id], "removed", now, sequence)
            drop_document(connection, held[record.document_id])
    drop_views(library.folder.segments, record.document_id, None)


def _hashes_of(library: Library, document_ids: Sequence[str]) -> list[str]:
    """The hashes of all that was ever kept of some documents."""
    with library.catalogue.reading() as connection:
        wanted = [select(one.c.sha256).where(one.c.document_id.in_(document_ids)) for one in (documents, history)]
        return [str(sha256) for one in wanted for sha256 in connection.execute(one).scalars()]


def _past_documents(library: Library, name: str) -> list[str]:
    """The ids of documents of a name of which the history tells."""
    mine = history.c.document_id.in_([name, document_id(document_address(name))]) | (history.c.source == name)
    with library.catalogue.reading() as connection:
        return list(connection.execute(select(history.c.document_id).where(mine).distinct()).scalars())
