"""How the catalogue came to look as it does: numbered steps of SQL.

A step is SQL as it was when it was released and is never changed afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence

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

STEPS: tuple[Sequence[str], ...] = (_FIRST, _ORDERED_CORRECTIONS, _RENDERED, _SEALED, _RUNS)
NEWEST = len(STEPS)
