"""What a library keeps, as values: documents, tables with their details, segments; and a look at it by SQLite alone.

`Holdings` is what a search asks of the catalogue: up to which change it goes, the languages of its documents,
and some tables with their documents. A catalogue in a folder answers through sqlite3 alone, so that neither a search in
a fresh process nor a thousand searches wait for what only writing needs.

What the catalogue holds of a table beside the fields that are asked for all the time, and how it is packed there. In
and out: `Details`. Nothing here needs more than to be read, so that a search answers at once.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path, PurePath
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import msgspec

from tabellion.errors import LibraryError, SourceMissingError
from tabellion.model.place import Place
from tabellion.model.table import Metadata

if TYPE_CHECKING:
    from tabellion.values.periods import ThingKind
else:
    ThingKind = str  # whose words need much that a search does not

# how details mostly look: with it a small table takes half the room. Libraries depend on every letter of it
_DAMAGED = "the catalogue is damaged ({}); `tabellion verify` shows where, `tabellion rebuild` repairs what it can"
Held = TypeVar("Held")
_COMMON = (
    b'years":[1990,1995,1998,1999,2000,2001,2002,2003,2004,2005,2006,2007,2008,2009,2010,2011,2012],"stub_words":['
    b'"Total","Male","Female","Other","All","Number","Percent","United States","Year"'
    b'{"column":1,"name":"total","path":["Total"],"number":true,"unit":"%"},{"column":2,"name":"number_percent","path":['
    b'"Number","Percent"],"number":true,"unit":null},{"column":0,"name":"label","path":[],"number":false,"unit":null},'
    b'{"place":{"sheet":"Sheet1","range":"A1:F20"},"stub":[{"column":0,"name":"label","path":[],"number":false,"unit":'
    b'null}],"columns":[],"metadata":{"environment":{"document_type":"xlsx","document_address":"","document_name":'
    b'".xlsx","document_authors":[],"page_number":null,"page_columns":null,"start":"A1"},"frame":{"outer_ruling":"none"'
    b'},"affiliated":{"index_number":"Table 1","caption":null,"caption_position":"above","footnotes":[],"references":['
    b']},"layout":{"width":null,"length":null,"rows":10,"columns":5,"stub_separator":"none","boxhead_separator":"none",'
    b'"column_widths":null,"row_heights":null,"column_headers":[],"row_headers":[],"alignment":["left","right","right",'
    b'"right","right","center"]},"content":{"cells":100,"filled":100},"type":{"kind":"numerical"}},"left_depth":1,"'
)


Rendered = Literal["always", "auto"]
WORDS_KEPT = 4_000  # letters of stub words kept for search and highlights; the rest is in the segment


class ColumnFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column of a table as it is laid out: its place in the source, its name for SQL, its labels.

    Of a column of the stub `level` says which label it holds of those that a row has in that place, from 1 on;
    0, in libraries of older form: the nearest.
    """

    column: int
    name: str
    path: tuple[str, ...] = ()
    number: bool = False
    unit: str | None = None
    level: int = 0
    kind: ThingKind | None = None  # what its labels are, where that is certain


class Details(msgspec.Struct, frozen=True):
    """What is kept of a table beside the fields that are asked for all the time."""

    place: Place
    stub: tuple[ColumnFacts, ...]
    columns: tuple[ColumnFacts, ...]
    metadata: Metadata
    left_depth: int = 0
    years: tuple[int, ...] = ()
    stub_words: tuple[str, ...] = ()
    rows_are_tuples: bool = False  # whether no row holds two tuples: one column of values, and no key among the values

    @property
    def header_words(self) -> tuple[str, ...]:
        """The labels over the columns, each once."""
        return tuple(dict.fromkeys(label for column in self.columns for label in column.path))

    @property
    def all_heads(self) -> tuple[str, ...]:
        """The same with the heads of the stub."""
        return tuple(dict.fromkeys((*(label for one in self.stub for label in one.path), *self.header_words)))

    @property
    def is_cut(self) -> bool:
        """Whether there may be more labels before the rows than `stub_words` has."""
        return sum(map(len, self.stub_words)) > WORDS_KEPT // 2


def document_address(source: str) -> str:
    """What makes a document the same one next time: its URL, or its absolute path."""
    try:
        return source if "://" in source else os.path.realpath(source)  # which, unlike pathlib, takes links in a circle
    except ValueError:  # it holds a zero byte
        raise SourceMissingError(f"{source!r}: no such file") from None


def document_id(address: str) -> str:
    """A short name of a document that depends on nothing but its address."""
    return hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def pack_details(details: Details) -> bytes:
    """Details as they lie in the catalogue: JSON, packed with what all details have in common left out."""
    packer = zlib.compressobj(9, zdict=_COMMON)
    return packer.compress(msgspec.json.encode(details)) + packer.flush()


def unpack_details(packed: bytes) -> Details:
    unpacker = zlib.decompressobj(zdict=_COMMON)
    try:
        said = unpacker.decompress(packed) + unpacker.flush()
    except (zlib.error, TypeError) as error:  # the last: text where bytes belong
        raise LibraryError(_DAMAGED.format(error)) from error
    return decode_held(said, Details)


def decode_held(said: str | bytes, kind: type[Held]) -> Held:
    """What a row of the catalogue says; one line where it is no longer what was written."""
    try:
        return msgspec.json.decode(said, type=kind)
    except (msgspec.DecodeError, UnicodeError, TypeError) as error:
        raise LibraryError(_DAMAGED.format(error)) from error


def name_source(metadata: Metadata, source: str) -> Metadata:
    """With the name of a document that was read from its bytes."""
    name: dict[str, Any] = {"document_address": source, "document_name": PurePath(source).name or None}
    return msgspec.structs.replace(metadata, environment=msgspec.structs.replace(metadata.environment, **name))


Status = Literal["added", "unchanged", "replaced"]
NEWEST = 6  # form of the catalogue, as many as it has steps; here, since a search asks for it before all else
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
    others: str | None = None  # what it holds beside tables, by kind


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

    @property
    def titles(self) -> list[str]:
        """What the table is called: its caption, and its title where that says something else."""
        caption, title = self.caption or "", self.title or ""
        return [one for one in (caption, "" if title in caption else title) if one]


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


class Holdings(Protocol):
    """What a search asks of a catalogue."""

    def sequence(self) -> int:
        """The number of the last change."""

    def languages(self) -> list[str]:
        """The languages of its documents."""

    def hits(self, table_ids: Sequence[str]) -> tuple[dict[str, TableRecord], dict[str, DocumentRecord]]:
        """Some tables and their documents, by id, in one state."""

    def close(self) -> None: ...


class SqliteHoldings:
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
        return decode_held(found[0][0], int) if found else 0

    def _rows(self, statement: str, given: Sequence[str] = ()) -> list[Any]:
        with self._turn:
            try:
                if self._connection is None:
                    self._connection = sqlite3.connect(self.path, isolation_level=None, check_same_thread=False)
                return self._connection.execute(statement, given).fetchall()
            except (sqlite3.Error, UnicodeDecodeError) as error:
                raise LibraryError(f"{self.path.parent}: {say_plainly(error)}") from error


_TABLE, _DOCUMENT = TableRecord.__struct_fields__, DocumentRecord.__struct_fields__
_JOINED = (
    f"SELECT {', '.join(f't.{name}' for name in _TABLE)}, {', '.join(f'd.{name}' for name in _DOCUMENT)}"  # noqa: S608
    " FROM tables t JOIN documents d ON d.document_id = t.document_id WHERE t.table_id IN"
)


def is_locked(error: Exception) -> bool:
    """Whether another process holds the catalogue."""
    return "database is locked" in str(getattr(error, "orig", error))


_SIGNS_OF_DAMAGE = (
    "malformed",
    "not a database",
    "file is encrypted",
    "no such column",
    "no such table",
    "duplicate column",
)


def say_plainly(error: Exception) -> str:
    """What a database says of itself, in one line that says what to do."""
    said = " ".join(str(getattr(error, "orig", error)).split())
    if is_locked(error):
        return "the catalogue is locked by another process; end that process, or try again when it is done"
    if "disk is full" in said or "disk I/O error" in said:
        return f"the disk is full or cannot be written ({said}); what was kept before is unharmed"
    if isinstance(error, UnicodeDecodeError) or any(one in said for one in _SIGNS_OF_DAMAGE):
        return f"the catalogue is damaged ({said}); restore a backup (`tabellion restore`), or `tabellion rebuild`"
    if "unable to open" in said:
        return f"the catalogue cannot be opened ({said}): look who may read it and its folder; `tabellion rebuild`"
    return said
