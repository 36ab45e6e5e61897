"""How the catalogue came to look as it does: numbered steps, run once each, in one transaction.

In: a connection with an open transaction. Out: the catalogue in its newest form. A step is SQL as it was when it was
released and is never changed afterwards; a library from a newer tabellion than this one is refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, inspect, text

from tabellion.errors import LibraryError

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

STEPS: tuple[Sequence[str], ...] = (_FIRST, _ORDERED_CORRECTIONS, _RENDERED)
NEWEST = len(STEPS)


def schema_version(connection: Connection) -> int:
    """The last step that was run on this catalogue; 0 where there is none."""
    if not inspect(connection).has_table("library_facts"):
        return 0
    found = connection.execute(text("SELECT value FROM library_facts WHERE name = 'schema'")).scalar()
    return int(found or 0)


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
