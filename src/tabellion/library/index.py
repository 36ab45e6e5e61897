"""The search index: one entry per table, derived from the catalogue and its segments, rebuilt at will.

In: changes of the catalogue. Out: a tantivy index that has caught up with them, of a large library in shards. The index
notes up to which change it goes after it is written; one that a killed process left behind catches up when it is next
opened, and doing a change twice does no harm.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tantivy

from tabellion.errors import LibraryError
from tabellion.library.entries import Entry, build_schema, describe_documents
from tabellion.library.files import Folder, locked, whole_file
from tabellion.library.holdings import DocumentRecord, Holdings, TableRecord, in_parts
from tabellion.library.shards import Shards, has_outgrown, shard_of, shards_for

if TYPE_CHECKING:
    from tabellion.library.catalogue import Catalogue

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
        whole = noted.get("form") == FORM and all((folder / _META).exists() for folder in self.rooms())
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
            self.folder.applied.unlink(missing_ok=True)
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
        self.folder.applied.unlink(missing_ok=True)
        shutil.rmtree(self.folder.index, ignore_errors=True)
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
