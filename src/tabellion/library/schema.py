"""The tables of the catalogue, the same for SQLite and PostgreSQL.

What a version of them looked like is fixed in `migrations`; this module describes the newest.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

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
)
