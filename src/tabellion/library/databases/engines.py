"""The databases that tables are written to: SQLite, DuckDB and PostgreSQL. Start with `open_database`.

In: a path or URL. Out: an open `Database`. Lists are JSON where a database has no lists (SQLite), and its comments
stand in the statement that made the table, which it keeps. DuckDB checks foreign keys before a transaction ends, so
that no document could be replaced in one: it gets none.

`write_description` says what the tables mean, for the programs that show and transform them. In: a database that was
written here. Out: a text, `sources` for dbt as YAML or metadata for Datasette as JSON, with the title and source of
each table and the labels and unit of each column.
"""

from __future__ import annotations

import io
import json
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar, Literal

import duckdb
import msgspec
import pyarrow as pa
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from tabellion.errors import LibraryError
from tabellion.library.catalogue import connect_postgresql
from tabellion.library.databases import DatabaseKind, database_kind
from tabellion.library.databases.target import EXPORTS, MEANINGS, Database, Shape
from tabellion.library.relations import quoted

_TOGETHER = 50_000  # rows that are sent at once


class SQLite(Database):
    """A file of SQLite, as Datasette and sqlite-utils know it: foreign keys, and full-text search over `tables`."""

    kind = "sqlite"
    widest = 8 * 1_990  # SQLite takes 2,000 columns
    types: ClassVar[dict[str, str]] = {"string": "TEXT", "int": "INTEGER", "double": "REAL", "timestamp": "TEXT"}
    faults = (sqlite3.Error,)

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        with self.speaking_plainly():
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
            self.execute("PRAGMA foreign_keys = ON")

    def begin(self) -> None:
        self.execute("BEGIN IMMEDIATE")

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()

    def create(self, shape: Shape) -> None:
        """The same with comments in the statement, which is kept as it is written."""
        columns = [f"{quoted(one.name)} {self.sql_type(one.type)}" for one in shape.columns]
        comments = [one.comment for one in shape.columns]
        parts = self._parts(shape)[len(columns) :]
        if shape.name == "tables":  # full-text search goes by a number that stays what it is
            columns, comments = ["number INTEGER PRIMARY KEY", *columns], ["for tables_fts", *comments]
            parts[0] = parts[0].replace("PRIMARY KEY", "UNIQUE")
        lines = [_said(shape.comment)]
        lines += [f"  {column},{_said(comment)}" for column, comment in zip(columns, comments, strict=True)]
        keys = ",\n  ".join(parts)
        self.execute("\n".join([f"CREATE TABLE {quoted(shape.name)} ({lines[0]}", *lines[1:], f"  {keys}", ")"]))
        if shape.name == "tables":
            self._search_tables()

    def insert(self, table: str, rows: pa.Table) -> None:
        names = ", ".join(map(quoted, rows.column_names))
        marks = ", ".join("?" * rows.num_columns)
        for batch in rows.to_batches(_TOGETHER):
            columns = [map(_sqlite_value, column.to_pylist()) for column in batch.columns]
            self._connection.executemany(
                f"INSERT INTO {quoted(table)} ({names}) VALUES ({marks})",  # noqa: S608 - known names
                zip(*columns, strict=True),
            )

    def names(self) -> set[str]:
        return {name for (name,) in self.execute("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')")}

    def columns_of(self, table: str) -> list[tuple[str, str]]:
        return [(row[1], row[2].lower()) for row in self.execute(f"PRAGMA table_info({quoted(table)})")]

    def empty(self, shape: Shape, *, there: bool) -> None:
        self.execute(f"DROP TABLE IF EXISTS {quoted(shape.name)}")
        self.create(shape)

    def sql_type(self, kind: pa.DataType) -> str:
        return "TEXT" if pa.types.is_list(kind) else super().sql_type(kind)

    def _read(self, values: Iterable[Any], kind: pa.DataType) -> list[Any]:
        if pa.types.is_list(kind):
            return [None if value is None else json.loads(value) for value in values]
        if pa.types.is_timestamp(kind):
            return [None if value is None else datetime.fromisoformat(value) for value in values]
        return list(values)

    def close(self) -> None:
        self._connection.close()

    def _search_tables(self) -> None:
        """Full-text search that follows `tables` by triggers, under the names that Datasette looks for."""
        fields = ("title", "caption", "labels")
        old, new = (", ".join(f"{side}.{name}" for name in fields) for side in ("old", "new"))
        held = ", ".join(fields)
        self.execute(
            f"CREATE VIRTUAL TABLE tables_fts USING fts5({held}, content='tables', content_rowid='number', "
            "tokenize='porter unicode61')"
        )
        into = f"INSERT INTO tables_fts (rowid, {held}) VALUES (new.number, {new});"  # noqa: S608 - known names
        gone = f"INSERT INTO tables_fts (tables_fts, rowid, {held}) VALUES ('delete', old.number, {old});"  # noqa: S608
        self.execute(f"CREATE TRIGGER tables_ai AFTER INSERT ON tables BEGIN {into} END")
        self.execute(f"CREATE TRIGGER tables_ad AFTER DELETE ON tables BEGIN {gone} END")
        self.execute(f"CREATE TRIGGER tables_au AFTER UPDATE ON tables BEGIN {gone} {into} END")


class DuckDB(Database):
    """A file of DuckDB."""

    kind = "duckdb"
    types: ClassVar[dict[str, str]] = {
        "string": "VARCHAR", "int": "BIGINT", "double": "DOUBLE", "timestamp": "TIMESTAMP",
    }  # fmt: skip
    faults = (duckdb.Error,)

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        with self.speaking_plainly():
            self._connection = duckdb.connect(path)

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(sql).fetchall()

    def insert(self, table: str, rows: pa.Table) -> None:
        self._connection.register("_rows", rows)
        try:
            self.execute(f"INSERT INTO {quoted(table)} BY NAME SELECT * FROM _rows")  # noqa: S608 - a known name
        finally:
            self._connection.unregister("_rows")

    def names(self) -> set[str]:
        return {
            name
            for (name,) in self.execute(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
            )
        }

    def close(self) -> None:
        self._connection.close()

    def _foreign(self, shape: Shape) -> list[str]:
        return []


class PostgreSQL(Database):
    """A schema of a PostgreSQL database: `?schema=NAME` in its URL, else the first of its search path."""

    kind = "postgresql"
    longest = 63
    widest = 7_900  # a row must fit into one page of 8 kB
    types: ClassVar[dict[str, str]] = {
        "string": "TEXT", "int": "BIGINT", "double": "DOUBLE PRECISION", "timestamp": "TIMESTAMP",
    }  # fmt: skip

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except (ArgumentError, ValueError) as error:
            raise LibraryError(f"not the URL of a PostgreSQL database ({error})") from None
        schema = parsed.query.get("schema")
        parsed = parsed.difference_update_query(["schema"])
        super().__init__(make_url(url).render_as_string(hide_password=True))
        self._engine = connect_postgresql(parsed.render_as_string(hide_password=False))
        driver: Any = self._engine.dialect.dbapi
        self.faults = (DBAPIError, driver.Error)  # type: ignore[misc]
        with self.speaking_plainly(TypeError, ValueError, OSError):  # of what else the URL says
            self._raw = self._engine.raw_connection()
            self._cursor = self._raw.cursor()
            driven: Any = self._raw.driver_connection
            driven.autocommit = True  # transactions begin where we say so
            if schema:
                self.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(str(schema))}")
                self.execute(f"SET search_path TO {quoted(str(schema))}")

    def begin(self) -> None:
        super().begin()
        self.execute("SELECT pg_advisory_xact_lock(hashtext('tabellion export'))")  # writers take turns

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        self._cursor.execute(sql)
        return [tuple(row) for row in self._cursor.fetchall()] if self._cursor.description else []

    def insert(self, table: str, rows: pa.Table) -> None:
        names = ", ".join(map(quoted, rows.column_names))
        for batch in rows.to_batches(_TOGETHER):
            columns = [map(_copied, column.to_pylist()) for column in batch.columns]
            text = "".join("\t".join(row) + "\n" for row in zip(*columns, strict=True))
            stream = io.BytesIO(text.encode())
            self._cursor.execute(f"COPY {quoted(table)} ({names}) FROM STDIN", stream=stream)  # type: ignore[call-arg]

    def names(self) -> set[str]:
        return {
            name
            for (name,) in self.execute(
                "SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
                "WHERE n.nspname = current_schema()"
            )
        }

    def close(self) -> None:
        self._raw.close()
        self._engine.dispose()


def open_database(url: str, kind: DatabaseKind | None = None, *, create: bool = True) -> Database:
    """The database of a path or URL; without a kind, what the URL begins with or the path ends in tells it."""
    rest, told = url.partition("://")[2], database_kind(url)
    found = kind or told
    if found is None or (rest and told != found):
        raise LibraryError(
            f"{_hidden(url)}: not a database that tables can be written to: name a file that ends in .db or .duckdb, "
            "or postgresql://host/name"
        )
    if found == "postgresql":
        if not rest:
            raise LibraryError(f"{url}: a PostgreSQL database is named by its URL, as in postgresql://host/name")
        return PostgreSQL(url)
    path = Path(rest.removeprefix("/") if rest else url)  # sqlite:///tables.db, sqlite:////srv/tables.db
    if not create and not path.exists():
        raise LibraryError(f"{path}: there is no such database")
    if not path.absolute().parent.is_dir():
        raise LibraryError(f"{path}: there is no folder {path.absolute().parent} for it")
    return SQLite(path) if found == "sqlite" else DuckDB(path)


def _hidden(url: str) -> str:
    try:
        return make_url(url).render_as_string(hide_password=True)
    except (ArgumentError, ValueError):
        return url


def _said(comment: str) -> str:
    return f" -- {' '.join(comment.split())}" if comment else ""


def _sqlite_value(value: Any) -> Any:
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return value.isoformat(" ", "milliseconds") if isinstance(value, datetime) else value


_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\b": "\\b", "\f": "\\f", "\v": "\\v"})


def _copied(value: Any) -> str:
    r"""A value as COPY takes it.

    >>> _copied(None), _copied("a\tb"), _copied(["x", 'say "y"', None])
    ('\\N', 'a\\tb', '{"x","say \\\\"y\\\\"",NULL}')
    """
    if value is None:
        return "\\N"
    return (_array(value) if isinstance(value, list) else str(value)).translate(_ESCAPES)


def _array(values: Sequence[Any]) -> str:
    held = ("NULL" if one is None else f'"{_escaped(one)}"' if isinstance(one, str) else str(one) for one in values)
    return "{" + ",".join(held) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


Reader = Literal["dbt", "datasette"]
READERS: dict[str, Reader] = {".yml": "dbt", ".yaml": "dbt", ".json": "datasette"}
_UNIQUE = {"documents": "document_id", "tables": "table_id"}


class _Described(msgspec.Struct):
    """A table: its title, where it is from, and what each of its columns means."""

    title: str | None
    source: str | None
    columns: dict[str, str]


def write_description(url: str, path: Path, kind: DatabaseKind | None = None) -> None:
    """Describe a database to the program that the ending of the file names."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise LibraryError(f"{path}: name a file that ends in .yml (for dbt) or .json (for Datasette)")
    path.write_text(describe_database(url, reader, kind), encoding="utf-8")


def describe_database(url: str, reader: Reader, kind: DatabaseKind | None = None) -> str:
    """What a database holds, in the words of the program that reads it."""
    database = open_database(url, kind, create=False)
    try:
        with database.speaking_plainly():
            found = _describe(database)
            schema = _schema_of(database)
    finally:
        database.close()
    return _for_dbt(schema, found) if reader == "dbt" else _for_datasette(_stem(url), found)


def _describe(database: Database) -> dict[str, _Described]:
    found = {name: _Described(MEANINGS[name], None, {}) for name in ("documents", "tables", "columns", "tuples")}
    for place, meaning in MEANINGS.items():
        table, _, column = place.partition(".")
        if column and table in found:
            found[table].columns[column] = meaning
    held = database.execute(
        "SELECT t.table_id, t.name, coalesce(t.title, t.caption), d.source FROM tables t "
        "JOIN documents d ON d.document_id = t.document_id WHERE t.name IS NOT NULL ORDER BY t.name"
    )
    names = {table_id: str(name) for table_id, name, _, _ in held}
    for _, name, title, source in held:
        found[str(name)] = _Described(title, str(source), {"_row": "row in the document, from 0"})
    for table_id, name, path, unit in database.execute(
        "SELECT table_id, name, path, unit FROM columns ORDER BY table_id, position"
    ):
        if table_id in names:
            labels = json.loads(path) if isinstance(path, str) else path
            found[names[table_id]].columns[str(name)] = " | ".join(labels or []) + (f" [{unit}]" if unit else "")
    return found


def _schema_of(database: Database) -> str:
    if database.kind != "postgresql":
        return "main"
    ((schema,),) = database.execute("SELECT current_schema()::text")
    return str(schema)


def _stem(url: str) -> str:
    """What Datasette calls a database: its file without the ending."""
    return Path(make_url(url).database or url if "://" in url else url).stem


def _for_datasette(name: str, found: dict[str, _Described]) -> str:
    tables: dict[str, Any] = {EXPORTS: {"hidden": True}}
    for table, one in found.items():
        said: dict[str, Any] = {"title": one.title} if one.source and one.title else {"description": one.title}
        if one.source:
            said["source"] = one.source
            if "://" in one.source:
                said["source_url"] = one.source
        columns = {column: meaning for column, meaning in one.columns.items() if meaning}
        tables[table] = {key: value for key, value in said.items() if value} | {"columns": columns}
    tables["documents"]["label_column"] = "source"
    tables["tables"]["label_column"] = "name"
    return json.dumps({"databases": {name: {"tables": tables}}}, ensure_ascii=False, indent=2) + "\n"


def _for_dbt(name: str, found: dict[str, _Described]) -> str:
    """YAML whose texts are written as JSON writes them, which YAML reads alike."""
    lines = ["version: 2", "sources:", "  - name: tabellion", f"    schema: {_yaml(name)}", "    tables:"]
    for table, one in found.items():
        lines += [f"      - name: {_yaml(table)}"]
        said = "; from ".join(filter(None, (one.title, one.source)))
        lines += [f"        description: {_yaml(said)}"] if said else []
        lines += ["        columns:"]
        unique = _UNIQUE.get(table, "_row" if one.source else None)
        columns = {unique: "", **one.columns} if unique and unique not in one.columns else one.columns
        for column, meaning in columns.items():
            lines += [f"          - name: {_yaml(str(column))}", "            quote: true"]
            lines += [f"            description: {_yaml(meaning)}"] if meaning else []
            lines += ["            data_tests: [unique, not_null]"] if column == unique else []
    return "\n".join(lines) + "\n"


def _yaml(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
