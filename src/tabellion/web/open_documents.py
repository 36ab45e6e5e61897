"""Documents that are open: read once, looked at and repaired by many, and put away when others are wanted.

In: a library and the name of a table or a document. Out: an `Opened` document, held by one request at a time: its
reading with all corrections that the log has now. A stroke is made as of the state that the client has seen, so that
two people who say different things of one place are in conflict, and nothing is overwritten.
"""

from __future__ import annotations

import atexit
import gc
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from tabellion.errors import LibraryError
from tabellion.library.annotations import annotation_of, keeper
from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.library import Library
from tabellion.library.originals import load_original
from tabellion.library.prepared import View, view_path
from tabellion.library.records import count_logs, documents_by_id, read_logs, table_called, tables_of
from tabellion.library.repairing import Bench, open_bench
from tabellion.library.surface import Surfaces
from tabellion.model.correction import Correction
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.read.pdf.document import PrintedPages
from tabellion.repair.replay import Replayed, Standing
from tabellion.repair.session import Keep, Repair

_ROOM = 6  # documents that lie open
_MOST_PRINTED = 8  # files of PDF that are open to be shown
_MOST_VIEWS = 32  # files of large documents of which the beginning is held
_MOST_CELLS = 4_000_000  # of all that lie open together, but for the last


class Opened:
    """A document that is open."""

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

    def repair(
        self, table_id: str | None, author: str | None, seen: int | None = None, first: Keep | None = None
    ) -> Repair:
        """A table under repair as of what somebody has seen; by default as it is now.

        `first` is told of each stroke and the reading that it gives before it is kept.
        """
        log, keep = self.log or (), self.keep or self.bench.keep
        if first is not None:
            keep = _one_then_other(first, keep)
        if seen is None or seen == len(log):
            return self.bench.repair(table_id, log, author, keep, self._whole.replayed)
        return self.bench.repair(table_id, log[:seen], author, keep)

    def adopt(self, repair: Repair, surfaces: Surfaces | None = None) -> None:
        """Take over what a repair has made of the document, and what was drawn of it already."""
        self._repair, self.log = repair, tuple(repair.log)
        drawn = surfaces is not None and surfaces.extraction is repair.extraction
        self.surfaces = surfaces if drawn else Surfaces(repair.extraction)

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


atexit.register(gc.unfreeze)  # libraries that look at the end whether all was cleared up complain otherwise


def _set_apart() -> None:
    """Clear up once while a document is opened, so that what lies open is not gone through in the midst of a stroke."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def _one_then_other(one: Keep, other: Keep) -> Keep:
    def keep(corrections: Sequence[Correction], replayed: Replayed) -> None:
        one(corrections, replayed)
        other(corrections, replayed)

    return keep


class StoredView(NamedTuple):
    """A table of a large document as it was written to be looked at, which needs not be opened for that."""

    view: View
    document: DocumentRecord
    record: TableRecord
    others: list[TableRecord]
    version: int


class OpenDocuments:
    """What lies open of one library."""

    def __init__(self, library: Library, room: int = _ROOM) -> None:
        self.library, self.room = library, room
        self._views: OrderedDict[Path, View] = OrderedDict()
        self._printed: OrderedDict[str, PrintedPages] = OrderedDict()
        self.printing = threading.Lock()
        self._held: OrderedDict[tuple[str, str], Opened] = OrderedDict()
        self._lock = threading.Lock()

    def stored(self, name: str, annotator: str | None = None) -> StoredView | None:
        """A table of a large document as it is kept; None where it is to be opened, or lies open already."""
        if annotator is not None:
            return None
        with self.library.catalogue.reading() as connection:
            record = table_called(connection, name)
            document = documents_by_id(connection, [record.document_id])[record.document_id]
            if document.segment_id is None or (document.document_id, document.sha256) in self._held:
                return None
            path = view_path(self.library.folder.segments, document.segment_id, document.document_id)
            if path not in self._views and not path.exists():
                return None
            others = tables_of(connection, [record.document_id])
            version = count_logs(connection, [record.document_id]).get(record.document_id, 0)
        try:
            view = self._view(path)
        except (OSError, msgspec.MsgspecError):
            return None  # it is gone or damaged: the document itself is opened
        if not view.holds(record.table_id.rpartition("-")[2]):
            return None
        return StoredView(view, document, record, others, version)

    def _view(self, path: Path) -> View:
        with self._lock:
            if path not in self._views:
                self._views[path] = View(path)
            self._views.move_to_end(path)
            while len(self._views) > _MOST_VIEWS:
                self._views.popitem(last=False)
            return self._views[path]

    def printed(self, document_id: str) -> PrintedPages | None:
        """The pages of a PDF, which need not be understood to be shown; None where it is no PDF."""
        record = self.library.find(document_id)
        if record.medium != "pdf":
            return None
        with self._lock:
            if record.sha256 in self._printed:
                self._printed.move_to_end(record.sha256)
                return self._printed[record.sha256]
        pages = PrintedPages(load_original(self.library.folder.originals, record.sha256))
        with self._lock:
            self._printed[record.sha256] = pages
            while len(self._printed) > _MOST_PRINTED:
                self._printed.popitem(last=False)
        return pages

    def holds(self, document_id: str) -> bool:
        """Whether a document lies open."""
        return any(key[0] == document_id for key in list(self._held))

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
        if document_id not in held:
            raise LibraryError(f"{document_id}: there is no such document in this library")
        opened = self._open(held[document_id])
        with opened.lock:
            with self.library.catalogue.reading() as connection:  # only now: who was before may have made a stroke
                log = read_logs(connection, [document_id]).get(document_id, [])
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
        bench = open_bench(library.folder, library.catalogue, record, library.settle(), library.openers)
        with self._lock:
            opened = self._held.setdefault(key, Opened(bench))
            while len(self._held) > 1 and (len(self._held) > self.room or self._weight() > _MOST_CELLS):
                self._held.popitem(last=False)
        _set_apart()
        return opened

    def _weight(self) -> int:
        return sum(one.document.tuples for one in self._held.values())
