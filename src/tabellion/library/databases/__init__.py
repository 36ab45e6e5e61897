"""Tables of a library as ordinary tables of another database: SQLite, DuckDB or PostgreSQL.

`export.py` says what is written and when, `engines.py` how each of the three takes it, and what the tables mean to dbt
and Datasette.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

DatabaseKind = Literal["sqlite", "duckdb", "postgresql"]
KINDS: tuple[DatabaseKind, ...] = get_args(DatabaseKind)
_ENDINGS: dict[str, DatabaseKind] = {".db": "sqlite", ".sqlite": "sqlite", ".sqlite3": "sqlite", ".duckdb": "duckdb"}
_SCHEMES: dict[str, DatabaseKind] = {"postgres": "postgresql", **{kind: kind for kind in KINDS}}


def database_kind(place: str) -> DatabaseKind | None:
    """The kind of database that a URL or the ending of a file names.

    >>> database_kind("tables.db"), database_kind("postgresql://host/tables"), database_kind("tables.csv")
    ('sqlite', 'postgresql', None)
    """
    scheme, given, _ = place.partition("://")
    return _SCHEMES.get(scheme.partition("+")[0]) if given else _ENDINGS.get(Path(place).suffix.lower())


__all__ = ["KINDS", "DatabaseKind", "database_kind"]
