"""Documents that are sent to a library instead of being fetched by it.

In: bytes and a name. Out: what became of them. The name is the document's own, under the address `sent:NAME`; the same
name sent again replaces the document.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tabellion.isolated import read_in
from tabellion.library.corrections import editions_of
from tabellion.library.details import document_id
from tabellion.library.library import Library
from tabellion.library.originals import store_original
from tabellion.library.reading import Reading, as_stored, read_for_library
from tabellion.model.correction import Correction
from tabellion.settings import Settings

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
    log = library.logs([identity]).get(identity, ())
    given = (address, data, settings, log, originals)
    reading = read_in(library.readers, read_sent, *given, limits=settings.limits, name=name)
    with library.writing_documents(settings=settings) as writer:
        store_original(originals, data, hashlib.sha256(data).hexdigest())
        done = [*writer.write(reading), *writer.flush()]
    (result,) = done
    return Sent(identity, result.status, result.tables, result.tuples)
