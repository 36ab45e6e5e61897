"""The catalogue's connection: SQLite in WAL mode in the library's folder, or PostgreSQL by URL, with the same code.

In: a place. Out: transactions. Readers never wait; writers take turns, so the number that each change gets
(`sequence`) grows in the order in which changes become visible.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, select, update
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError, ProgrammingError

from tabellion.errors import LibraryError, MissingExtraError
from tabellion.library.folder import Folder
from tabellion.library.migrations import NEWEST, migrate, schema_version
from tabellion.library.schema import facts

_PATIENCE = 60_000  # milliseconds that a writer of SQLite waits for its turn


class Catalogue:
    """Transactions on one catalogue."""

    def __init__(self, folder: Folder, url: str | None = None) -> None:
        self.engine = _connect_postgresql(url) if url else _connect_sqlite(folder)
        # a writer of PostgreSQL must see what the one before it wrote while it waited
        self._writing = {"isolation_level": "READ COMMITTED"} if url else {}
        self.name = make_url(url).render_as_string(hide_password=True) if url else str(folder.root)

    def prepare(self, *, create: bool) -> None:
        """Bring the catalogue to its newest form; an empty one is made only with `create`."""
        with self.reading() as connection:
            version = schema_version(connection)
        if version == 0 and not create:
            raise LibraryError(f"{self.name}: there is no library here; `tabellion add` makes one")
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

    def next_sequence(self, connection: Connection) -> int:
        """The number of the change that this transaction makes."""
        number = self.last_sequence(connection) + 1
        connection.execute(update(facts).where(facts.c.name == "sequence").values(value=str(number)))
        return number

    def last_sequence(self, connection: Connection) -> int:
        return int(connection.execute(select(facts.c.value).where(facts.c.name == "sequence")).scalar_one())

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def _speaking_plainly(self) -> Iterator[None]:
        """What a database says of itself, in one line."""
        try:
            yield
        except (OperationalError, ProgrammingError) as error:
            raise LibraryError(f"{self.name}: {_plain(error)}") from error


def _plain(error: DBAPIError) -> str:
    said = " ".join(str(error.orig).split())
    if "disk is full" in said or "disk I/O error" in said:
        return f"the disk is full or cannot be written ({said}); what was kept before is unharmed"
    return said


def _connect_sqlite(folder: Folder) -> Engine:
    engine = create_engine(f"sqlite:///{folder.catalogue}")

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # transactions begin where we say so, below
        connection.execute(f"PRAGMA busy_timeout = {_PATIENCE}")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        write = connection.get_execution_options().get("write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _connect_postgresql(url: str) -> Engine:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise LibraryError(f"not the URL of a PostgreSQL database ({error})") from None
    if parsed.get_backend_name() == "postgres":
        parsed = parsed.set(drivername="postgresql")
    if parsed.drivername == "postgresql":
        parsed = parsed.set(drivername="postgresql+pg8000")
    try:
        return create_engine(parsed, isolation_level="REPEATABLE READ")
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise MissingExtraError("pg8000 is not installed: pip install 'tabellion[library]'") from error
