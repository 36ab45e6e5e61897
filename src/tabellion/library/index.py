"""The search index: one entry per table, derived from the catalogue and its segments, rebuilt at will.

In: changes of the catalogue. Out: a tantivy index that has caught up with them. The index notes up to which change it
goes after it is written; one that a killed process left behind catches up when it is next opened, and doing a change
twice does no harm.

The index of a large library is in shards: documents are spread over several indexes by their hash, and all of them are
searched together. All tables of a document lie in one shard, so each shard is a sample of the library: words are about
as rare in each as in all, and scores are compared as they are (Elasticsearch does the same). The number of shards is
settled when an index is made anew; one that a library has outgrown is made anew in more. Fails where few documents
share rare words: scores of different shards then differ by a little.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
import struct
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import tantivy

from tabellion.errors import LibraryError
from tabellion.library.entries import Entry, build_schema, describe_documents
from tabellion.library.files import Folder, locked, take_away, whole_file
from tabellion.library.holdings import DocumentRecord, Holdings, TableRecord, in_parts

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

    from tabellion.library.catalogue import Catalogue


Made = TypeVar("Made")
_DOCUMENTS = 250_000  # of a shard: some hundred megabytes, which are merged in seconds
_MOST = 16  # shards; more are only more to ask
_OUTGROWN = 4  # times as many shards as there are, from which an index is made anew
_BUCKETS = 1_000  # asked of each shard, so that what is common in all is among them: years, kinds
_APART = 2**32  # between the parts of two shards in the numbers of parts


def shards_for(documents: int) -> int:
    """How many shards the index of so many documents has.

    >>> shards_for(1_000), shards_for(500_000), shards_for(10_000_000)
    (1, 2, 16)
    """
    wanted, shards = -(-documents // _DOCUMENTS), 1
    while shards < min(wanted, _MOST):
        shards *= 2
    return shards


def has_outgrown(shards: int, documents: int) -> bool:
    """Whether the index of so many documents had better be made anew, in more shards."""
    return shards_for(documents) >= _OUTGROWN * shards


def shard_of(document_id: str, shards: int) -> int:
    """The shard in which all tables of a document lie."""
    return zlib.crc32(document_id.encode()) % shards if shards > 1 else 0


class Address(NamedTuple):
    """Where an entry lies: its shard, and the place there."""

    shard: int
    place: tantivy.DocAddress

    @property
    def segment_ord(self) -> int:
        return self.shard * _APART + int(self.place.segment_ord)

    @property
    def doc(self) -> int:
        return int(self.place.doc)


class Hits(NamedTuple):
    """The best entries with their scores."""

    hits: list[tuple[float, Address]]


class Shards:
    """Indexes that are one."""

    def __init__(self, indexes: Sequence[tantivy.Index]) -> None:
        self.indexes = indexes
        self.schema = indexes[0].schema

    def reload(self) -> None:
        for index in self.indexes:
            index.reload()

    def searcher(self) -> Together:
        return Together([index.searcher() for index in self.indexes])


class Together:
    """Searchers that are asked as one; where there are several cores, at the same time."""

    def __init__(self, searchers: Sequence[tantivy.Searcher]) -> None:
        self._searchers = searchers
        self._threads: ThreadPoolExecutor | None = None
        if (cores := min(len(searchers), os.cpu_count() or 1)) > 1:
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(cores)

    @property
    def num_docs(self) -> int:
        return sum(one.num_docs for one in self._searchers)

    def doc_freq(self, field: str, value: object) -> int:
        return sum(one.doc_freq(field, value) for one in self._searchers)

    def doc(self, address: Address) -> tantivy.Document:
        return self._searchers[address.shard].doc(address.place)

    def search(self, query: tantivy.Query, limit: int = 10, count: bool = True, offset: int = 0) -> Hits:
        """The best entries of all shards, in the order of their scores."""
        if len(self._searchers) == 1:
            answer = self._searchers[0].search(query, limit, count=count, offset=offset)
            return Hits([(score, Address(0, place)) for score, place in answer.hits])
        found = self._ask(lambda one: one.search(query, limit + offset, count=count))
        lists = [[(score, Address(shard, at)) for score, at in one.hits] for shard, one in enumerate(found)]
        merged = heapq.merge(*lists, key=lambda hit: float(hit[0]), reverse=True)
        return Hits(list(islice(merged, offset, limit + offset)))

    def aggregate(self, query: tantivy.Query, wanted: dict[str, Any]) -> dict[str, Any]:
        """Counts by terms, added up over all shards, the commonest first."""
        if len(self._searchers) == 1:
            return dict(self._searchers[0].aggregate(query, wanted))
        asked = {
            name: {"terms": one["terms"] | {"size": max(_BUCKETS, one["terms"]["size"])}}
            for name, one in wanted.items()
        }
        answers = self._ask(lambda one: one.aggregate(query, asked))
        return {name: _added(answers, name, one["terms"]["size"]) for name, one in wanted.items()}

    def _ask(self, question: Callable[[tantivy.Searcher], Made]) -> list[Made]:
        if self._threads is None:
            return [question(one) for one in self._searchers]
        return list(self._threads.map(question, self._searchers))


def _added(answers: Sequence[dict[str, Any]], name: str, size: int) -> dict[str, Any]:
    counts: Counter[Any] = Counter()
    for answer in answers:
        for bucket in answer[name]["buckets"]:
            counts[bucket["key"]] += int(bucket["doc_count"])
    return {"buckets": [{"key": key, "doc_count": count} for key, count in counts.most_common(size)]}


_META = "meta.json"
_MAGIC = 1337  # what ends a file of tantivy
FORM = 6  # of the index; one of another form is made anew
_HEAP = 64 * 2**20  # bytes that the writer collects before it writes a part of the index
_LEAST_HEAP = 16 * 2**20  # bytes; of several shards at once each collects less
_TOGETHER = 200  # documents whose tables are held at once
_LONG_WAIT = 600.0  # seconds that one writer waits for another
Described = tuple[str, list[DocumentRecord], list[TableRecord]]
Describe = Callable[[str, list[DocumentRecord], list[TableRecord]], list[Entry]]
Spread = Callable[[Describe, Iterable[Described]], Iterable[list[Entry]]]


class IndexFolder:
    """The index of one library as it is on the disk."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._open: Shards | None = None
        self._opened_at: tuple[Path, ...] = ()
        self._seen: dict[Path, tuple[tuple[int, int, int], dict[str, Any]]] = {}

    def applied(self) -> int:
        """Up to which change the index goes; -1 where there is none, or one of another form."""
        noted = self._noted()
        whole = noted.get("form") == FORM and all((folder / _META).is_file() for folder in self.rooms())
        return int(noted["sequence"]) if whole else -1

    def rooms(self) -> tuple[Path, ...]:
        """The folders of its shards; where there is one, the folder of the index itself."""
        return _rooms(self.folder.index, int(self._noted().get("shards", 1)))

    def _noted(self) -> dict[str, Any]:
        noted = self._read(self.folder.applied)
        whole = {type(noted.get("sequence")), type(noted.get("shards", 1))} == {int}
        return noted if whole else {}

    def state(self) -> str:
        """What tells the index as it is on the disk from what it was: the change it goes up to, and its last commit."""
        commit = sum(int(self._read(room / _META).get("opstamp", 0)) for room in self.rooms())
        return f"{max(0, self.applied())}.{commit}"

    def _read(self, path: Path) -> dict[str, Any]:
        """A small file of JSON, read again only where it was written anew; nothing where it cannot be read."""
        try:
            stat = path.stat()
            written = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
            if path not in self._seen or self._seen[path][0] != written:
                held = json.loads(path.read_bytes())
                self._seen[path] = written, held if isinstance(held, dict) else {}
            return self._seen[path][1]
        except (OSError, ValueError):
            return {}

    def damage(self) -> Iterator[str]:
        """The files of the index that are not as they were written, by the checksums at their ends."""
        if not (noted := self._noted()):
            return
        rooms = self.rooms()
        if noted.get("meta") not in (None, _hash_meta(rooms)):
            yield _META
        for room in rooms:
            for path in sorted(one for one in room.iterdir() if one.is_file() and one.name != _META):
                if not path.name.startswith(".") and not _fits_checksum(path.read_bytes()):
                    yield str(path.relative_to(self.folder.index))

    def open(self) -> Shards:
        """The index as it is on the disk now."""
        if self._open is None or self._opened_at != self.rooms():
            self._opened_at = self.rooms()
            self._open = Shards([tantivy.Index(build_schema(), path=str(room)) for room in self._opened_at])
        self._open.reload()
        return self._open


class SearchIndex(IndexFolder):
    """The index of one library, which follows its catalogue."""

    def __init__(self, folder: Folder, catalogue: Catalogue, holdings: Holdings) -> None:
        super().__init__(folder)
        self.catalogue, self.holdings = catalogue, holdings

    def catch_up(self, *, wait: bool = False, spread: Spread | None = None) -> bool:
        """Bring the index to the state of the catalogue; False where another process is at it.

        `spread(describe, parts)` describes the entries of all parts, in turn, where it is not to be done here.
        """
        if self.applied() == self.holdings.sequence():
            return True
        with locked(self.folder.index_lock, wait=_LONG_WAIT if wait else 0.0) as mine:
            if mine:
                try:
                    self._apply(spread=spread)
                except (ValueError, OSError) as error:
                    raise LibraryError(
                        f"{self.folder.index}: the index cannot be written ({error}); the library itself is unharmed"
                    ) from error
            return mine

    def rebuild(self, shards: int | None = None) -> None:
        """Throw the index away and make it anew; in so many shards, or as many as its documents need."""
        with locked(self.folder.index_lock, wait=_LONG_WAIT) as mine:
            if not mine:
                raise LibraryError(f"{self.folder.index}: another process has been writing the index for too long")
            take_away(self.folder.applied)
            self._apply(shards)

    def _apply(self, shards: int | None = None, spread: Spread | None = None) -> None:
        from sqlalchemy import func, select

        from tabellion.library.catalogue import documents as stored
        from tabellion.library.catalogue import history
        from tabellion.library.records import documents_since

        since = self.applied()
        with self.catalogue.reading() as connection:
            target = self.catalogue.last_sequence(connection)
            count = connection.execute(select(func.count()).select_from(stored)).scalar() or 0
            if since >= 0 and has_outgrown(len(self.rooms()), count):
                since = -1
            changed = documents_since(connection, since)
            gone = connection.execute(select(history.c.document_id).where(history.c.sequence > since)).scalars().all()
        rooms = self.rooms() if since >= 0 else self._make_rooms(shards or shards_for(count))
        heap, schema = max(_LEAST_HEAP, _HEAP // len(rooms)), build_schema()
        writers = [tantivy.Index(schema, path=str(room)).writer(heap, 1) for room in rooms]
        try:
            for writer in writers:
                writer.garbage_collect_files()  # what one left that was killed would be in the way
            if since >= 0:
                for document_id in {*gone, *(document.document_id for document in changed)}:
                    writers[shard_of(document_id, len(rooms))].delete_documents_by_term("document_id", document_id)
            for entries in (spread or _in_turn)(describe_documents, self._to_describe(changed)):
                for entry in entries:
                    made = tantivy.Document.from_dict(entry, schema)
                    writers[shard_of(str(entry["document_id"]), len(rooms))].add_document(made)
            for writer in writers:
                writer.commit()
            for writer in writers:
                writer.wait_merging_threads()
        finally:
            writers.clear()
        with whole_file(self.folder.applied) as part:
            noted = {"form": FORM, "sequence": target, "meta": _hash_meta(rooms), "shards": len(rooms)}
            part.write_text(json.dumps(noted))

    def _make_rooms(self, shards: int) -> tuple[Path, ...]:
        """Empty folders for so many shards; whatever was there is thrown away."""
        self._open = None
        take_away(self.folder.applied)
        take_away(self.folder.index)
        rooms = _rooms(self.folder.index, shards)
        for room in rooms:
            room.mkdir(parents=True)
        return rooms

    def _to_describe(self, changed: list[DocumentRecord]) -> Iterator[Described]:
        """What `describe_documents` is given, some documents at a time."""
        from tabellion.library.records import tables_of

        for some in in_parts(changed, _TOGETHER):
            with self.catalogue.reading() as connection:
                tables = tables_of(connection, [document.document_id for document in some])
            yield str(self.folder.segments), some, tables


def _rooms(folder: Path, shards: int) -> tuple[Path, ...]:
    return (folder,) if shards == 1 else tuple(folder / f"{number:02}" for number in range(shards))


def _hash_meta(rooms: Iterable[Path]) -> str:
    return hashlib.sha256(b"".join((room / _META).read_bytes() for room in rooms)).hexdigest()


def _in_turn(describe: Describe, parts: Iterable[Described]) -> Iterator[list[Entry]]:
    return (describe(*part) for part in parts)


def _fits_checksum(data: bytes) -> bool:
    """Whether a file of tantivy has the checksum that its footer says: JSON, its length, and a number of its own."""
    try:
        length, magic = struct.unpack("<II", data[-8:])
        said = json.loads(data[-8 - length : -8])["crc"]
    except (struct.error, ValueError, KeyError, TypeError):
        return False
    return bool(magic == _MAGIC and zlib.crc32(data[: -8 - length]) == said)
