"""What all databases that tables are written to have in common.

In: shapes of tables and Arrow rows. Out: the statements that create tables with their keys and comments, in
transactions that change all or nothing. What each database does in a way of its own is in `engines.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NamedTuple

import msgspec
import pyarrow as pa
from sqlalchemy.exc import DBAPIError

from tabellion.errors import LibraryError
from tabellion.library.databases import DatabaseKind
from tabellion.library.relations import quoted


class Column(NamedTuple):
    """A column of a table: its name, what it holds, and what that means."""

    name: str
    type: pa.DataType
    comment: str = ""


class Shape(msgspec.Struct, frozen=True):
    """A table to be created; `references`: a column and the table whose key it is."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    references: tuple[tuple[str, str], ...] = ()
    comment: str = ""


class Database(ABC):
    """One open database."""

    kind: ClassVar[DatabaseKind]
    longest: ClassVar[int] = 10_000  # bytes of a name
    widest: ClassVar[int] = 100_000  # bytes of a row in which a number takes 8 and a text 18
    types: ClassVar[dict[str, str]]
    faults: ClassVar[tuple[type[Exception], ...]]

    def __init__(self, name: str) -> None:
        self.name = name  # without a password

    @abstractmethod
    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        """Run one statement; returns its rows."""

    @abstractmethod
    def insert(self, table: str, rows: pa.Table) -> None:
        """Add rows under the names that they have."""

    @abstractmethod
    def names(self) -> set[str]:
        """The tables and views that are there."""

    def columns_of(self, table: str) -> list[tuple[str, str]]:
        """The columns of a table and their types, in lower case."""
        here = f"table_schema = current_schema() AND table_name = {literal(table)} ORDER BY ordinal_position"
        rows = self.execute(f"SELECT column_name, data_type FROM information_schema.columns WHERE {here}")  # noqa: S608
        return [(str(name), str(kind).lower()) for name, kind in rows]

    @abstractmethod
    def close(self) -> None: ...

    def begin(self) -> None:
        self.execute("BEGIN")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is done inside becomes visible together, or nothing of it."""
        with self.speaking_plainly():
            self.begin()
            try:
                yield
            except BaseException:
                self.execute("ROLLBACK")
                raise
            self.execute("COMMIT")

    @contextmanager
    def speaking_plainly(self, *more: type[Exception]) -> Iterator[None]:
        """What a database says of itself, in one line; `more` are faults beside its own."""
        try:
            yield
        except (*self.faults, *more) as error:
            raise LibraryError(f"{self.name}: {_plain(error)}") from error

    def create(self, shape: Shape) -> None:
        """Create a table with its key and comments."""
        self.execute(f"CREATE TABLE {quoted(shape.name)} ({', '.join(self._parts(shape))})")
        self.comment(shape)

    def empty(self, shape: Shape, *, there: bool) -> None:
        """A table without rows; one that is `there` with the same columns stays, so that what refers to it does."""
        wanted = [(column.name, self.sql_type(column.type).lower()) for column in shape.columns]
        if there and self.columns_of(shape.name) == wanted:
            self.execute(f"DELETE FROM {quoted(shape.name)}")  # noqa: S608 - a known name
            self.comment(shape)
        else:
            self.execute(f"DROP TABLE IF EXISTS {quoted(shape.name)}")
            self.create(shape)

    def comment(self, shape: Shape) -> None:
        """Say what a table and its columns are."""
        if shape.comment:
            self.execute(f"COMMENT ON TABLE {quoted(shape.name)} IS {literal(shape.comment)}")
        for column in shape.columns:
            if column.comment:
                at = f"{quoted(shape.name)}.{quoted(column.name)}"
                self.execute(f"COMMENT ON COLUMN {at} IS {literal(column.comment)}")

    def sql_type(self, kind: pa.DataType) -> str:
        """What a column of Arrow is in this database."""
        if pa.types.is_list(kind):
            return f"{self.sql_type(kind.value_type)}[]"
        return self.types["int" if pa.types.is_integer(kind) else str(kind).partition("[")[0]]

    def read(self, sql: str, schema: pa.Schema) -> pa.Table:
        """Rows as Arrow, by the types that they were written with."""
        rows = self.execute(sql)
        held = zip(*rows, strict=True) if rows else ([] for _ in schema)
        return pa.table([pa.array(self._read(c, f.type), f.type) for c, f in zip(held, schema, strict=True)], schema)

    def _read(self, values: Iterable[Any], _: pa.DataType) -> list[Any]:
        return list(values)

    def _parts(self, shape: Shape) -> list[str]:
        parts = [f"{quoted(column.name)} {self.sql_type(column.type)}" for column in shape.columns]
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, shape.key))})")
        return [*parts, *self._foreign(shape)]

    def _foreign(self, shape: Shape) -> list[str]:
        return [
            f"FOREIGN KEY ({quoted(column)}) REFERENCES {quoted(table)} ({quoted(column)})"
            for column, table in shape.references
        ]


def literal(text: str) -> str:
    """A text as it stands in SQL.

    >>> literal("Men's")
    "'Men''s'"
    """
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _plain(error: Exception) -> str:
    """What a database says, without what only programs read."""
    given = error.orig if isinstance(error, DBAPIError) else error
    said = given.args[0] if given is not None and given.args else error
    if isinstance(said, dict):  # pg8000 hands on the fields of the server's message
        said = said.get("M", said)
    return " ".join(str(said).split())


EXPORTS = "tabellion_exports"


MEANINGS = {
    "documents": "the documents that the tables were read from",
    "tables": "the tables; each is also a table of the database under its own name",
    "columns": "the columns of those tables, with the path of headers over each",
    "tuples": "every value of every table with its headers, its place in the document and its confidence",
    EXPORTS: "which edition of each document tabellion wrote here, and from which library",
    "documents.sha256": "hash of the bytes of this edition",
    "tables.name": "the table that holds it as it is laid out",
    "tables.labels": "the labels over its columns and before its rows",
    "tables.genuine": "probability that it is a table of data",
    "tables.confidence": "estimate that the whole reading is right, 0 to 1",
    "columns.path": "labels over the column, the outermost first",
    "columns.role": "stub: labels of rows; value: values",
    "tuples.row": "row in the document, from 0",
    "tuples.column": "column in the document, from 0",
    "tuples.address": "the cell, as in a spreadsheet",
    "tuples.text": "what a reader sees",
    "tuples.value": "the number, where the text is one",
    "tuples.top": "labels over the value, the outermost first",
    "tuples.left": "labels before the value, the outermost first",
    "tuples.box": "where it is printed: left, top, right, bottom",
    "tuples.path": "CSS path of its table on a web page",
    "tuples.confidence": "estimate that the reading of its table is right, 0 to 1",
}
