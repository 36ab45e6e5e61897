"""The catalogue of a library: its connection, its tables, and how older ones are brought up to date.

The catalogue's connection: SQLite in WAL mode in the library's folder, or PostgreSQL by URL, with the same code. In: a
place. Out: transactions. Readers never wait; writers take turns, so the number that each change gets (`sequence`) grows
in the order in which changes become visible.

How the catalogue came to look as it does: numbered steps, run once each, in one transaction. In: a connection with an
open transaction. Out: the catalogue in its newest form. A step is SQL as it was when it was released and is never
changed afterwards; a library from a newer tabellion than this one is refused.

The tables of the catalogue, the same for SQLite and PostgreSQL. They are described as the newest version has them; what
older ones looked like is in the steps. The last column of each is its row's seal.
"""

from __future__ import annotations

import getpass
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError, OperationalError

from tabellion.errors import LibraryError, MissingExtraError
from tabellion.library.files import Folder, say_nothing_here
from tabellion.library.holdings import NEWEST, decode_held, is_locked, say_plainly

_FIRST: Sequence[str] = (
    "CREATE TABLE library_facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE segments (segment_id TEXT PRIMARY KEY, rows BIGINT NOT NULL, bytes BIGINT NOT NULL,"
    " sha256 TEXT NOT NULL, sequence BIGINT NOT NULL, dead BIGINT NOT NULL)",
    "CREATE TABLE documents (document_id TEXT PRIMARY KEY, address TEXT NOT NULL UNIQUE, source TEXT NOT NULL,"
    " medium TEXT NOT NULL, kind TEXT NOT NULL, sha256 TEXT NOT NULL, bytes BIGINT NOT NULL, title TEXT,"
    " authors TEXT NOT NULL, language TEXT NOT NULL, added TEXT NOT NULL, version INTEGER NOT NULL,"
    " sequence BIGINT NOT NULL, segment_id TEXT, tables INTEGER NOT NULL, tuples BIGINT NOT NULL,"
    " issues TEXT NOT NULL)",
    "CREATE INDEX documents_sequence ON documents (sequence)",
    "CREATE TABLE tables (table_id TEXT PRIMARY KEY, document_id TEXT NOT NULL, number INTEGER NOT NULL,"
    " name TEXT NOT NULL UNIQUE, sheet TEXT, page INTEGER, title TEXT, caption TEXT, orientation TEXT NOT NULL,"
    " rows INTEGER NOT NULL, columns INTEGER NOT NULL, genuine DOUBLE PRECISION NOT NULL,"
    " confidence DOUBLE PRECISION NOT NULL, kind TEXT, tuples BIGINT NOT NULL, details {bytes} NOT NULL)",
    "CREATE INDEX tables_document ON tables (document_id)",
    "CREATE TABLE history (document_id TEXT NOT NULL, version INTEGER NOT NULL, address TEXT NOT NULL,"
    " source TEXT NOT NULL, sha256 TEXT NOT NULL, added TEXT NOT NULL, ended TEXT NOT NULL, how TEXT NOT NULL,"
    " tables INTEGER NOT NULL, tuples BIGINT NOT NULL, sequence BIGINT NOT NULL, UNIQUE (document_id, version))",
    "CREATE INDEX history_sequence ON history (sequence)",
    "CREATE TABLE corrections (correction_id TEXT PRIMARY KEY, document_id TEXT NOT NULL, made TEXT NOT NULL,"
    " author TEXT, sequence BIGINT NOT NULL, body TEXT NOT NULL)",
    "CREATE INDEX corrections_document ON corrections (document_id)",
    "INSERT INTO library_facts VALUES ('sequence', '0')",
)

_ORDERED_CORRECTIONS: Sequence[str] = ("ALTER TABLE corrections ADD COLUMN place INTEGER NOT NULL DEFAULT 0",)

_RENDERED: Sequence[str] = ("ALTER TABLE documents ADD COLUMN rendered TEXT",)

_SEALED: Sequence[str] = tuple(
    statement
    for name, key in (
        ("documents", "document_id"),
        ("tables", "table_id"),
        ("segments", "segment_id"),
        ("history", "document_id"),
        ("corrections", "correction_id"),
    )
    for statement in (
        f"ALTER TABLE {name} ADD COLUMN seal TEXT",
        f"CREATE INDEX {name}_unsealed ON {name} ({key}) WHERE seal IS NULL",
    )
)

# what an unfinished run has done already: its batches, each with the segment that holds its tuples and its counts
_RUNS: Sequence[str] = (
    "CREATE TABLE batches (run_id TEXT NOT NULL, batch_id TEXT NOT NULL, segment_id TEXT, report TEXT NOT NULL,"
    " PRIMARY KEY (run_id, batch_id))",
)

# what else a document holds: forms, lists and what was judged to be no table, how many of each
_OTHERS: Sequence[str] = ("ALTER TABLE documents ADD COLUMN others TEXT",)

STEPS: tuple[Sequence[str], ...] = (_FIRST, _ORDERED_CORRECTIONS, _RENDERED, _SEALED, _RUNS, _OTHERS)


catalogue = MetaData()

facts = Table(
    "library_facts",
    catalogue,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

segments = Table(
    "segments",
    catalogue,
    Column("segment_id", Text, primary_key=True),
    Column("rows", BigInteger, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("dead", BigInteger, nullable=False),
    Column("seal", Text),
)

documents = Table(
    "documents",
    catalogue,
    Column("document_id", Text, primary_key=True),
    Column("address", Text, nullable=False, unique=True),
    Column("source", Text, nullable=False),
    Column("medium", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("title", Text),
    Column("authors", Text, nullable=False),
    Column("language", Text, nullable=False),
    Column("added", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("sequence", BigInteger, nullable=False, index=True),
    Column("segment_id", Text),
    Column("tables", Integer, nullable=False),
    Column("tuples", BigInteger, nullable=False),
    Column("issues", Text, nullable=False),
    Column("rendered", Text),
    Column("others", Text),
    Column("seal", Text),
)

tables = Table(
    "tables",
    catalogue,
    Column("table_id", Text, primary_key=True),
    Column("document_id", Text, nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("name", Text, nullable=False, unique=True),
    Column("sheet", Text),
    Column("page", Integer),
    Column("title", Text),
    Column("caption", Text),
    Column("orientation", Text, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("columns", Integer, nullable=False),
    Column("genuine", Float, nullable=False),
    Column("confidence", Float, nullable=False),
    Column("kind", Text),
    Column("tuples", BigInteger, nullable=False),
    Column("details", LargeBinary, nullable=False),
    Column("seal", Text),
)

history = Table(
    "history",
    catalogue,
    Column("document_id", Text, nullable=False),
    Column("version", Integer, nullable=False),
    Column("address", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("added", Text, nullable=False),
    Column("ended", Text, nullable=False),
    Column("how", Text, nullable=False),
    Column("tables", Integer, nullable=False),
    Column("tuples", BigInteger, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("seal", Text),
    UniqueConstraint("document_id", "version", name="history_version"),
    Index("history_sequence", "sequence"),
)

corrections = Table(
    "corrections",
    catalogue,
    Column("correction_id", Text, primary_key=True),
    Column("document_id", Text, nullable=False, index=True),
    Column("made", Text, nullable=False),
    Column("author", Text),
    Column("sequence", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Column("place", Integer, nullable=False),  # among those of the same change
    Column("seal", Text),
)

batches = Table(
    "batches",
    catalogue,
    Column("run_id", Text, primary_key=True),
    Column("batch_id", Text, primary_key=True),
    Column("segment_id", Text),
    Column("report", Text, nullable=False),
)


def schema_version(connection: Connection) -> int:
    """The last step that was run on this catalogue; 0 where there is none."""
    if not inspect(connection).has_table("library_facts"):
        return 0
    found = connection.execute(select(facts.c.value).where(facts.c.name == "schema")).scalar()
    if not (isinstance(found, str) and found.isdecimal() and int(found)):
        said = "has no version" if found is None else f"has version {found}"
        raise LibraryError(
            f"the catalogue is damaged (it {said}); `tabellion rebuild`, or `tabellion restore` a backup"
        )
    return int(found)


def migrate(connection: Connection) -> int:
    """Run the steps that are missing; returns how many there were."""
    version = schema_version(connection)
    if version > NEWEST:
        raise LibraryError(f"this library is of version {version}, made by a newer tabellion; this one knows {NEWEST}")
    binary = "BYTEA" if connection.dialect.name == "postgresql" else "BLOB"
    for step in STEPS[version:]:
        for statement in step:
            connection.exec_driver_sql(statement.replace("{bytes}", binary))
    if version < NEWEST:
        connection.execute(text("DELETE FROM library_facts WHERE name = 'schema'"))
        connection.execute(text("INSERT INTO library_facts VALUES ('schema', :version)"), {"version": str(NEWEST)})
    return NEWEST - version


_PATIENCE = 60.0  # seconds that a writer of SQLite waits for its turn
_SOON = 1_000  # milliseconds after which it is said that it waits
_ANSWERS_WITHIN = 30  # seconds that PostgreSQL may take until a connection stands
FILES = "files"  # the fact that says where the files of a library in PostgreSQL are


class Catalogue:
    """Transactions on one catalogue."""

    def __init__(self, folder: Folder | None, url: str | None = None) -> None:
        """The catalogue in a folder, or at the URL of a PostgreSQL database; `tell` hears that a writer waits."""
        self.tell: Callable[[str], None] = lambda _: None
        self.engine = connect_postgresql(url) if url else self._connect_sqlite(folder or Folder(Path()))
        # a writer of PostgreSQL must see what the one before it wrote while it waited
        self._writing = {"isolation_level": "READ COMMITTED"} if url else {}
        from tabellion.library import sealing  # which knows the tables above

        self._sealing = sealing
        sealing.watch_seals(self.engine)
        self.name = make_url(url).render_as_string(hide_password=True) if url else str(folder.root if folder else "")

    def is_empty(self) -> bool:
        """Whether there is no library here yet."""
        with self.reading() as connection:
            return schema_version(connection) == 0

    def prepare(self, *, create: bool) -> None:
        """Bring the catalogue to its newest form; an empty one is made only with `create`."""
        with self.reading() as connection:
            version = schema_version(connection)
        if version == 0 and not create:
            raise LibraryError(say_nothing_here(self.name))
        if version != NEWEST:
            with self.writing() as connection:
                migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the catalogue."""
        with self._speaking_plainly(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that no other writer disturbs; it is visible as a whole or not at all."""
        with self._speaking_plainly(), self.engine.connect() as plain:
            connection = plain.execution_options(write=True, **self._writing)
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    # any writer, the first one too, waits here for the one before it
                    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('tabellion library'))")
                yield connection
                if self._sealing.wrote_sealed(connection) and schema_version(connection) == NEWEST:
                    self._sealing.seal_rows(connection)

    def fact(self, name: str) -> str | None:
        """What the catalogue says of its library."""
        with self.reading() as connection:
            return connection.execute(select(facts.c.value).where(facts.c.name == name)).scalar()

    def set_fact(self, name: str, value: str) -> None:
        with self.writing() as connection:
            connection.execute(delete(facts).where(facts.c.name == name))
            connection.execute(insert(facts).values(name=name, value=value))

    def next_sequence(self, connection: Connection) -> int:
        """The number of the change that this transaction makes."""
        number = self.last_sequence(connection) + 1
        connection.execute(update(facts).where(facts.c.name == "sequence").values(value=str(number)))
        return number

    def last_sequence(self, connection: Connection) -> int:
        return decode_held(
            connection.execute(select(facts.c.value).where(facts.c.name == "sequence")).scalar_one(), int
        )

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _speaking_plainly(self) -> Iterator[None]:
        """What a database says of itself, in one line."""
        try:
            yield
        except (DatabaseError, sqlite3.DatabaseError, UnicodeDecodeError) as error:  # the last: a message names damage
            raise LibraryError(f"{self.name}: {say_plainly(error)}") from error

    def _connect_sqlite(self, folder: Folder) -> Engine:
        engine = create_engine(f"sqlite:///{folder.catalogue}")

        @event.listens_for(engine, "connect")
        def prepare(connection: sqlite3.Connection, _: Any) -> None:
            connection.isolation_level = None  # transactions begin where we say so, below
            connection.execute(f"PRAGMA busy_timeout = {_SOON}")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            if connection.get_execution_options().get("write"):
                self._take_turn(connection)
            else:
                connection.exec_driver_sql("BEGIN")

        return engine

    def _take_turn(self, connection: Connection) -> None:
        """Begin to write once no other process does; that it waits is said."""
        until, waits = time.monotonic() + _PATIENCE, False
        while True:
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            except OperationalError as error:
                if not is_locked(error) or time.monotonic() >= until:
                    raise
                if not waits:
                    self.tell(f"{self.name}: another process is writing to this library; waiting for it")
                    waits = True
            else:
                return


def connect_postgresql(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise LibraryError(f"not the URL of a PostgreSQL database ({error})") from None
    if parsed.get_backend_name() == "postgres":
        parsed = parsed.set(drivername="postgresql")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+pg8000")
    if not parsed.username:  # as psql does
        parsed = parsed.set(username=os.environ.get("PGUSER") or getpass.getuser())
    try:
        engine = create_engine(parsed, isolation_level="REPEATABLE READ", pool_pre_ping=True)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise MissingExtraError("pg8000 is not installed: pip install 'tabellion[library]'") from error

    @event.listens_for(engine, "do_connect")
    def connect(dialect: Any, _: Any, given: list[Any], named: dict[str, Any]) -> Any:
        try:
            connection = dialect.connect(*given, **{"timeout": _ANSWERS_WITHIN, **named})
        except TimeoutError as error:
            raise LibraryError(f"{parsed.host}: no answer within {_ANSWERS_WITHIN} seconds") from error
        connection._usock.settimeout(None)  # a statement takes as long as it takes
        return connection

    return engine
