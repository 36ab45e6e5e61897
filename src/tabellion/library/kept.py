"""What a library keeps, as values; and a look at it that needs no more than SQLite.

`Kept` is what a search asks of the catalogue: up to which change it goes, the languages of its documents, and some
tables with their documents. A catalogue in a folder answers through sqlite3 alone, so that neither a search in a fresh
process nor a thousand searches wait for what only writing needs.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Protocol, TypeVar

import msgspec

from tabellion.errors import LibraryError
from tabellion.library.details import Details, Rendered, unpack_details

Status = Literal["added", "unchanged", "replaced"]
_MANY = 500  # values in one IN (...)
Item = TypeVar("Item")


class DocumentRecord(msgspec.Struct, frozen=True):
    """A document of the library."""

    document_id: str
    address: str
    source: str
    medium: str
    kind: str
    sha256: str
    bytes: int
    title: str | None
    authors: str
    language: str
    added: str
    version: int
    sequence: int
    segment_id: str | None
    tables: int
    tuples: int
    issues: str
    rendered: Rendered | None  # how a web page was drawn before it was read


class ListedDocument(msgspec.Struct, frozen=True):
    """A document as it is listed, with the ids of its tables."""

    id: str
    source: str
    medium: str
    sha256: str
    title: str | None
    added: str
    tables: list[str]


class TableRecord(msgspec.Struct, frozen=True):
    """A table of the library."""

    table_id: str
    document_id: str
    number: int
    name: str
    sheet: str | None
    page: int | None
    title: str | None
    caption: str | None
    orientation: str
    rows: int
    columns: int
    genuine: float
    confidence: float
    kind: str | None
    tuples: int
    details: bytes

    def unpack(self) -> Details:
        return unpack_details(self.details)


class SegmentRecord(msgspec.Struct, frozen=True):
    """A segment; `dead` of its rows are of documents that were replaced or removed since."""

    segment_id: str
    rows: int
    bytes: int
    sha256: str
    sequence: int
    dead: int


class AddResult(msgspec.Struct, frozen=True):
    """What became of one document."""

    source: str
    status: Status
    tables: int = 0
    tuples: int = 0


def in_parts(items: Iterable[Item], size: int = _MANY) -> Iterator[list[Item]]:
    """The items some hundred at a time."""
    todo = iter(items)
    while some := list(islice(todo, size)):
        yield some


class Kept(Protocol):
    """What a search asks of a catalogue."""

    def sequence(self) -> int:
        """The number of the last change."""

    def languages(self) -> list[str]:
        """The languages of its documents."""

    def hits(self, table_ids: Sequence[str]) -> tuple[dict[str, TableRecord], dict[str, DocumentRecord]]:
        """Some tables and their documents, by id, in one state."""

    def close(self) -> None: ...


class SqliteKept:
    """What a catalogue of SQLite keeps, read through one connection by whoever's turn it is."""

    def __init__(self, path: Path) -> None:
        self.path, self._turn = path, Lock()
        self._connection: sqlite3.Connection | None = None

    def sequence(self) -> int:
        return self._number("sequence")

    def form(self) -> int:
        """The number of the catalogue's form."""
        return self._number("schema")

    def store(self) -> str | None:
        """The address in object storage that has the files, where they are not in the library's folder."""
        found = self._rows("SELECT value FROM library_facts WHERE name = 'files' AND value LIKE '%://%'")
        return str(found[0][0]) if found else None

    def languages(self) -> list[str]:
        return [language for (language,) in self._rows("SELECT DISTINCT language FROM documents ORDER BY 1")]

    def hits(self, table_ids: Sequence[str]) -> tuple[dict[str, TableRecord], dict[str, DocumentRecord]]:
        tables: dict[str, TableRecord] = {}
        documents: dict[str, DocumentRecord] = {}
        for some in in_parts(table_ids):
            for row in self._rows(f"{_JOINED} ({', '.join('?' * len(some))})", some):
                table = TableRecord(*row[: len(_TABLE)])
                tables[table.table_id] = table
                documents[table.document_id] = DocumentRecord(*row[len(_TABLE) :])
        return tables, documents

    def close(self) -> None:
        with self._turn:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _number(self, name: str) -> int:
        found = self._rows("SELECT value FROM library_facts WHERE name = ?", [name])
        return int(found[0][0]) if found else 0

    def _rows(self, statement: str, given: Sequence[str] = ()) -> list[Any]:
        with self._turn:
            try:
                if self._connection is None:
                    self._connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
                return self._connection.execute(statement, given).fetchall()
            except sqlite3.Error as error:
                raise LibraryError(f"{self.path.parent}: {say_plainly(error)}") from error


_TABLE, _DOCUMENT = TableRecord.__struct_fields__, DocumentRecord.__struct_fields__
_JOINED = (
    f"SELECT {', '.join(f't.{name}' for name in _TABLE)}, {', '.join(f'd.{name}' for name in _DOCUMENT)}"  # noqa: S608
    " FROM tables t JOIN documents d ON d.document_id = t.document_id WHERE t.table_id IN"
)


def is_locked(error: Exception) -> bool:
    """Whether another process holds the catalogue."""
    return "database is locked" in str(getattr(error, "orig", error))


def say_plainly(error: Exception) -> str:
    """What a database says of itself, in one line that says what to do."""
    said = " ".join(str(getattr(error, "orig", error)).split())
    if is_locked(error):
        return "the catalogue is locked by another process; end that process, or try again when it is done"
    if "disk is full" in said or "disk I/O error" in said:
        return f"the disk is full or cannot be written ({said}); what was kept before is unharmed"
    if "malformed" in said or "not a database" in said or "file is encrypted" in said:
        return f"the catalogue is damaged ({said}); restore a backup (`tabellion restore`), or `tabellion rebuild`"
    return said
