"""Lists and answers of a library, one page at a time.

Documents, tables and tuples of a library one page at a time. In: where the page before ended. Out: the next page.
Documents and tables go by their ids, so that what is added or removed meanwhile neither repeats nor hides another; the
tuples of a table go by their place in one state of its document, and a page of a state that is gone is refused.

Answers to one question one page at a time, while others add to the library. In: a search index that may change at any
time, also by other processes. Out: searchers, each of one state of it. Ranks depend on all tables there are, so the
pages of an answer are given from the state that the first one was given from; a state that is neither the newest nor
still held is gone, and the page is refused. A page in another process is of the same state as long as nothing was
written to the index.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import Catalogue, documents, tables
from tabellion.library.files import Folder
from tabellion.library.holdings import DocumentRecord, Holdings, TableRecord
from tabellion.library.index import SearchIndex
from tabellion.library.library import Library
from tabellion.library.records import documents_by_id, table_called
from tabellion.library.search import Searcher

if TYPE_CHECKING:
    import pyarrow as pa

_HELD = 16  # states that are held; each costs the parts of the index that the others do not share
_NEXT = re.compile(r"([0-9]{1,12}\.[0-9]{1,12})\.([0-9]{1,9})")


class GoneError(LibraryError):
    """What was asked for is no longer as it was when its first page was asked for."""


class SearchStates:
    """The searchers of one library, those that were used last."""

    def __init__(self, folder: Folder, holdings: Holdings, index: SearchIndex) -> None:
        self._parts = folder, holdings, index
        self._held: OrderedDict[str, Searcher] = OrderedDict()
        self._lock = Lock()

    def newest(self) -> Searcher:
        """The searcher of the index as it is now."""
        folder, holdings, index = self._parts
        with self._lock:
            state = index.state()
            if state not in self._held:
                searcher = Searcher(folder, holdings, index)
                state = searcher.state
                self._held.setdefault(state, searcher)
            return self._used(state)

    def after(self, place: str) -> tuple[Searcher, int]:
        """The searcher that gave a page, and how many hits come before the next one; `place` is what the page said."""
        match = _NEXT.fullmatch(place)
        if match is None:
            raise LibraryError(f"{place!r} is not where a page ended")
        if match[1] not in self._held:
            self.newest()
        with self._lock:
            if match[1] not in self._held:
                raise GoneError("the library has changed since the page before: begin with the first page")
            return self._used(match[1]), int(match[2])

    def _used(self, state: str) -> Searcher:
        self._held.move_to_end(state)
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return self._held[state]


_HIDDEN = ("table_id", "document_id", "left_columns")  # of the columns of a segment
_LONGEST = 24  # digits of where a page ended
_TABLES_HELD = 64  # tables whose tuples are held for the next page


class TuplesPage(msgspec.Struct, frozen=True):
    """Some tuples of a table; `next` is where the next page begins."""

    table: str
    total: int
    tuples: list[dict[str, Any]]
    next: str | None


def documents_after(catalogue: Catalogue, after: str, limit: int) -> list[DocumentRecord]:
    wanted = select(documents).where(documents.c.document_id > after).order_by(documents.c.document_id).limit(limit)
    with catalogue.reading() as connection:
        return [DocumentRecord(*row[:-1]) for row in connection.execute(wanted)]


def tables_after(catalogue: Catalogue, after: str, limit: int, document: str | None = None) -> list[TableRecord]:
    wanted = select(tables).where(tables.c.table_id > after).order_by(tables.c.table_id).limit(limit)
    if document is not None:
        wanted = wanted.where(tables.c.document_id == document)
    with catalogue.reading() as connection:
        return [TableRecord(*row[:-1]) for row in connection.execute(wanted)]


def tuples_after(library: Library, name: str, after: str | None, limit: int) -> TuplesPage:
    """A page of the tuples of a table; `after` is what the page before said."""
    with library.catalogue.reading() as connection:
        table = table_called(connection, name)
        document = documents_by_id(connection, [table.document_id])[table.document_id]
    first = _place(after, document.sequence) if after else 0
    if not document.segment_id:
        return TuplesPage(table.table_id, 0, [], None)
    held = _tuples(library.folder.segments, document.segment_id, table.table_id)
    rows = held.slice(first, limit).to_pylist()
    last = first + len(rows)
    more = f"{document.sequence}.{last}" if last < held.num_rows else None
    return TuplesPage(table.table_id, held.num_rows, rows, more)


def _place(after: str, sequence: int) -> int:
    of, _, place = after.partition(".")
    if not (of.isascii() and of.isdecimal() and place.isascii() and place.isdecimal() and len(after) < _LONGEST):
        raise LibraryError(f"{after!r} is not where a page ended")
    if int(of) != sequence:
        raise GoneError("the document has changed since the page before: begin with the first page")
    return int(place)


@lru_cache(maxsize=_TABLES_HELD)
def _tuples(segments: Path, segment_id: str, table_id: str) -> pa.Table:
    """The tuples of a table in the order of its rows and columns; segments never change, so they can be held."""
    import pyarrow.compute as pc  # not needed to search

    from tabellion.library.originals import open_segments
    from tabellion.library.reading import SCHEMA

    shown = [field.name for field in SCHEMA if field.name not in _HIDDEN]
    held = open_segments(segments, [segment_id]).to_table(columns=shown, filter=pc.field("table_id") == table_id)
    return held.sort_by([("row", "ascending"), ("column", "ascending")])


def stored_tuple(library: Library, document: DocumentRecord, table_id: str, row: int, column: int) -> Any:
    """One value of a table by its place, as `tuples_after` gives it; None where there is none."""
    import pyarrow.compute as pc

    from tabellion.export.arrow import FIELDS
    from tabellion.library.originals import open_segments

    if not document.segment_id:
        return None
    here = (pc.field("table_id") == table_id) & (pc.field("row") == row) & (pc.field("column") == column)
    shown = [name for name, _ in FIELDS]
    found = open_segments(library.folder.segments, [document.segment_id]).to_table(columns=shown, filter=here)
    return found.slice(0, 1).to_pylist()[0] if found.num_rows else None
