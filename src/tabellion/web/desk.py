"""Documents that are open: read once, looked at and repaired by many, and put away when others are wanted.

In: a library and the name of a table or a document. Out: an `Opened` document, held by one request at a time: its
reading with all corrections that the log has now. A stroke is made as of the state that the client has seen, so that
two people who say different things of one place are in conflict, and nothing is overwritten.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tabellion.errors import LibraryError
from tabellion.library.annotations import annotation_of, keeper
from tabellion.library.corrections import read_logs
from tabellion.library.library import Library
from tabellion.library.records import DocumentRecord, TableRecord, documents_by_id, table_called
from tabellion.library.repairing import Bench, open_bench
from tabellion.model.correction import Correction
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.repair.replay import Standing
from tabellion.repair.session import Keep, Repair
from tabellion.web.surface import Surfaces

_ROOM = 6  # documents that lie open
_MOST_CELLS = 4_000_000  # of all that lie open together, but for the last


class Opened:
    """A document on the desk."""

    def __init__(self, bench: Bench) -> None:
        self.bench, self.lock = bench, threading.Lock()
        self.log: tuple[Correction, ...] | None = None
        self.keep: Keep | None = None  # where strokes go, where that is not the library
        self.surfaces: Surfaces | None = None
        self._repair: Repair | None = None

    @property
    def document(self) -> DocumentRecord:
        return self.bench.document

    @property
    def extraction(self) -> Extraction:
        return self._whole.extraction

    @property
    def history(self) -> Sequence[Standing]:
        return self._whole.history

    @property
    def version(self) -> int:
        """How many corrections there are: what a client has seen."""
        return len(self.log or ())

    def table(self, table_id: str) -> Table:
        wanted = table_id.rpartition("-")[2]
        for table in self.extraction.tables:
            if table.id == wanted:
                return table
        raise LibraryError(f"{table_id}: there is no such table any more")

    def repair(self, table_id: str | None, author: str | None, seen: int | None = None) -> Repair:
        """A table under repair as of what somebody has seen; by default as it is now."""
        log = self.log or ()
        return self.bench.repair(table_id, log if seen is None else log[:seen], author, self.keep)

    def renew(self, log: Sequence[Correction]) -> None:
        """Read it with the corrections that there are now."""
        if self.log is None or tuple(log) != self.log:
            self._repair = self.bench.repair(None, log)
            self.log = tuple(log)
            self.surfaces = Surfaces(self._repair.extraction)

    def drawn(self) -> Surfaces:
        assert self.surfaces is not None  # noqa: S101 - renewed before it is handed out
        return self.surfaces

    @property
    def _whole(self) -> Repair:
        assert self._repair is not None  # noqa: S101 - renewed before it is handed out
        return self._repair


class Desk:
    """What lies open of one library."""

    def __init__(self, library: Library, room: int = _ROOM) -> None:
        self.library, self.room = library, room
        self._held: OrderedDict[tuple[str, str], Opened] = OrderedDict()
        self._lock = threading.Lock()

    @contextmanager
    def table(self, name: str, annotator: str | None = None) -> Iterator[tuple[Opened, TableRecord]]:
        """The document of a table by its name or id, and what the catalogue says of the table."""
        with self.library.catalogue.reading() as connection:
            record = table_called(connection, name)
        with self.document(record.document_id, annotator) as opened:
            yield opened, record

    @contextmanager
    def document(self, document_id: str, annotator: str | None = None) -> Iterator[Opened]:
        """A document by its id, as it is now, or as an annotator sees it; others wait."""
        with self.library.catalogue.reading() as connection:
            held = documents_by_id(connection, [document_id])
            log = read_logs(connection, [document_id]).get(document_id, [])
        if document_id not in held:
            raise LibraryError(f"{document_id}: there is no such document in this library")
        opened = self._open(held[document_id])
        with opened.lock:
            opened.keep = None
            if annotator is not None:
                folder = self.library.folder
                opened.keep = keeper(folder, document_id, annotator, len(log))
                log = [*log, *annotation_of(folder, document_id, annotator).corrections]
            opened.renew(log)
            yield opened

    def _open(self, record: DocumentRecord) -> Opened:
        key = (record.document_id, record.sha256)
        with self._lock:
            if key in self._held:
                self._held.move_to_end(key)
                return self._held[key]
        library = self.library
        bench = open_bench(library.folder, library.catalogue, record, library.settle())
        with self._lock:
            opened = self._held.setdefault(key, Opened(bench))
            while len(self._held) > 1 and (len(self._held) > self.room or self._weight() > _MOST_CELLS):
                self._held.popitem(last=False)
            return opened

    def _weight(self) -> int:
        return sum(one.document.tuples for one in self._held.values())
