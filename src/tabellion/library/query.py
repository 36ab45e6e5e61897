"""SQL over the library, and its rows in the forms that people and programs take.

SQL over the library: one statement in a connection of DuckDB that is thrown away afterwards. In: a SELECT. Out: its
rows, some at a time. The connection holds nothing but Arrow data that was handed to it; it can open no file, load no
extension, reach no network and change no setting, and it ends at its limits of time and memory.

The rows of a query in the forms that people and programs take: a drawn table, CSV, JSON, Parquet. In: an answer. Out:
bytes written to a file, some rows at a time; only a drawn table is held whole, and is cut off.
"""

from __future__ import annotations

import csv
import io
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, Self, TypeVar

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from sqlalchemy import select

from tabellion.errors import QueryError
from tabellion.library.catalogue import Catalogue, tables
from tabellion.library.files import Folder
from tabellion.library.naming import nearest_name
from tabellion.library.relations import TIDY, VIEWS, named_in, register_relations

if TYPE_CHECKING:
    from tabellion.library.answers import AnswerForm

Made = TypeVar("Made")
_MISSING = re.compile(r"Table with name (\S+) does not exist")
_BATCH = 50_000  # rows that are handed on at once
_ALLOWED = ("SELECT", "EXPLAIN", "RELATION")
_CLOSED = {
    "enable_external_access": "false",  # no file, no network, no attached database
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "python_enable_replacements": "false",  # no variable of this process is a relation
    "temp_directory": "",  # over the memory limit a query ends; it writes nothing beside it
}


class QueryLimits(msgspec.Struct, frozen=True):
    """What one query may cost."""

    seconds: float = 60.0  # a join of two million-row tables takes less than one
    memory: int = 2 * 2**30  # bytes that DuckDB may hold
    threads: int = 0  # 0: as many as there are cores
    result: int = 2 * 2**30  # bytes of a result that is asked for as a whole


class Rows(ABC):
    """The rows of a query; leaving it ends the query."""

    schema: pa.Schema
    limits: QueryLimits

    @abstractmethod
    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, some at a time."""

    @abstractmethod
    def close(self) -> None:
        """End the query."""

    def read_all(self) -> pa.Table:
        """All rows; an error where they are more than the limit."""
        held, size = [], 0
        for batch in self.batches():
            size += batch.nbytes
            if size > self.limits.result:
                raise QueryError(f"the result is over the limit of {self.limits.result:,} bytes")
            held.append(batch)
        return pa.Table.from_batches(held, self.schema)

    def write(self, form: AnswerForm, file: BinaryIO, *, safe: bool = False) -> None:
        """All rows as csv, json, jsonl, parquet, xlsx, html, markdown or xml; `safe`: no text in CSV is a formula."""
        from tabellion.library.answers import write_answer

        write_answer(self, form, file, safe=safe)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class Answer(Rows):
    """The rows of a query while it runs in this process."""

    def __init__(self, sql: str, folder: Folder, catalogue: Catalogue, limits: QueryLimits = QueryLimits()) -> None:
        self.limits = limits
        self._catalogue = catalogue
        self.expired = False
        self._connection = open_closed(limits)
        self._worker = ThreadPoolExecutor(1)
        self._timer = threading.Timer(limits.seconds, self._expire)
        self._timer.daemon = True
        try:
            check_statement(self._connection, sql)
            register_relations(self._connection, folder, catalogue, named_in(sql))
            self._connection.execute("SET lock_configuration = true")
            self._timer.start()
            self._reader = self._wait_for(lambda: start_query(self._connection, sql))
        except (duckdb.Error, RuntimeError) as error:
            self.close()
            raise self._explain(error) from None
        except BaseException:
            self.close()
            raise
        self.schema = self._reader.schema

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, some at a time."""
        try:
            while (batch := self._wait_for(lambda: next(self._reader, None))) is not None:
                yield batch
        except (duckdb.Error, pa.ArrowException, OSError, RuntimeError) as error:
            raise self._explain(error) from None

    def close(self) -> None:
        """End the query and throw its connection away."""
        self._timer.cancel()
        self._worker.shutdown()
        self._connection.close()

    def _wait_for(self, work: Callable[[], Made]) -> Made:
        """Work done in a thread of its own, since DuckDB looks for Ctrl-C too seldom."""
        running = self._worker.submit(work)
        try:
            return running.result()
        except KeyboardInterrupt:
            self._connection.interrupt()
            wait([running])
            raise

    def _expire(self) -> None:
        self.expired = True
        self._connection.interrupt()

    def _explain(self, error: Exception) -> QueryError:
        if self.expired:
            return QueryError(over_time(self.limits.seconds))
        if isinstance(error, duckdb.OutOfMemoryException) or "Out of Memory" in str(error):
            return QueryError(over_memory(self.limits.memory))
        if missing := _MISSING.search(str(error)):
            return QueryError(f"there is no relation {missing[1]}{self._meant(missing[1])}")
        return QueryError(" ".join(str(error).split()))

    def _meant(self, name: str) -> str:
        """The real relation that a name is nearest to."""
        with self._catalogue.reading() as connection:
            named = list(connection.execute(select(tables.c.name)).scalars())
        known = [*VIEWS, *named, *(one + TIDY for one in named)]
        return nearest_name(name, known) or "; `select name from tables` names them"


def over_time(seconds: float) -> str:
    return f"the query ran longer than {seconds:g} seconds"


def over_memory(memory: int) -> str:
    return f"the query needs more than {memory:,} bytes of memory"


def open_closed(limits: QueryLimits) -> duckdb.DuckDBPyConnection:
    """A connection that holds nothing and can reach nothing; its settings are locked once its relations are known."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        **_CLOSED,
        "memory_limit": f"{limits.memory // 2**20}MiB",
    }
    if limits.threads:
        settings["threads"] = str(limits.threads)
    return duckdb.connect(":memory:", config=settings)


@contextmanager
def relations_at_hand(
    folder: Folder, catalogue: Catalogue, names: Iterable[str], limits: QueryLimits
) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection for several statements that are made here over relations of these names; ends at its time."""
    connection = open_closed(limits)
    timer = threading.Timer(limits.seconds, connection.interrupt)
    timer.daemon = True
    try:
        register_relations(connection, folder, catalogue, names)
        timer.start()
        yield connection
    finally:
        timer.cancel()
        connection.close()


def start_query(connection: duckdb.DuckDBPyConnection, sql: str) -> pa.RecordBatchReader:
    """Begin to run a statement; its rows are made as they are read."""
    relation = connection.sql(sql)
    if relation is None:
        raise QueryError("this statement has no rows")
    # the name of one method changed with DuckDB 1.4
    reader = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return reader(_BATCH)


def check_statement(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """Refuse whatever is not one statement that reads."""
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise QueryError(" ".join(str(error).split())) from None
    if len(statements) != 1:
        raise QueryError(f"one statement at a time, please: these are {len(statements)}")
    kind = statements[0].type.name
    if kind not in _ALLOWED:
        raise QueryError(f"a query can only read: {kind} is not allowed")


SEPARATOR = " | "  # between the labels of a path in CSV, as in `tabellion extract --format csv`
DRAWN = 200  # rows of a drawn table
_LEAST = 8  # bytes of a value
_PIECE = 128 * 2**20  # bytes of rows that are taken apart at once


def said_bytes(column: pa.Array) -> int:
    """Bytes of a column's values once each is written out: with the names of its fields, and its word of a list.

    >>> said_bytes(pa.array([{"name": True}] * 10)), said_bytes(pa.array(["word" * 9] * 10).dictionary_encode())
    (120, 360)
    """
    kind = column.type
    if isinstance(column, pa.DictionaryArray):
        lengths = pc.binary_length(column.dictionary.cast(pa.string()))
        return int(pc.sum(lengths.take(column.indices)).as_py() or 0)
    if isinstance(column, pa.StructArray):
        names = sum(len(field.name) for field in kind)
        return len(column) * names + sum(map(said_bytes, column.flatten()))
    if isinstance(column, pa.MapArray):
        at, end = column.offsets[0].as_py(), column.offsets[-1].as_py()  # its keys are those of the whole
        return sum(said_bytes(one.slice(at, end - at)) for one in (column.keys, column.items))
    if isinstance(column, pa.UnionArray):
        return sum(said_bytes(column.field(at)) for at in range(kind.num_fields))
    if isinstance(column, pa.ListArray | pa.LargeListArray | pa.FixedSizeListArray):
        return len(column) * _LEAST + said_bytes(column.flatten())
    return max(int(column.nbytes), len(column) * _LEAST)


def rows_of(batch: pa.RecordBatch) -> Iterator[tuple[Any, ...]]:
    """The rows of a batch as values of Python, never so many at once that they take much memory."""
    size = sum(map(said_bytes, batch.columns))
    if size > _PIECE and len(batch) > 1:
        half = len(batch) // 2
        yield from rows_of(batch.slice(0, half))
        yield from rows_of(batch.slice(half))
        return
    if size > _PIECE:
        raise QueryError(f"one row is over the limit of {_PIECE:,} bytes: ask for less of it")
    try:
        columns = [column.to_pylist() for column in batch.columns]
    except (OverflowError, ValueError):
        raise QueryError("a date or time is too far off to be written: ask for it as text (::varchar)") from None
    yield from zip(*columns, strict=True)


def write_csv(answer: Rows, file: BinaryIO) -> None:
    """One line per row under a line of names; lists joined by " | "."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(answer.schema.names)
        for batch in answer.batches():
            writer.writerows([plain_text(value) for value in row] for row in rows_of(batch))
        text.flush()
    finally:
        text.detach()


def write_json(answer: Rows, file: BinaryIO) -> None:
    """A list with one object per row."""
    names = once(answer.schema.names)
    file.write(b"[")
    first = True
    for batch in answer.batches():
        for row in rows_of(batch):
            file.write(b"\n" if first else b",\n")
            file.write(msgspec.json.encode(dict(zip(names, map(json_value, row), strict=True))))
            first = False
    file.write(b"\n]\n")


def write_parquet(answer: Rows, file: BinaryIO) -> None:
    """A Parquet file."""
    try:
        with pq.ParquetWriter(file, answer.schema, compression="zstd") as writer:
            for batch in answer.batches():
                writer.write_batch(batch)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise QueryError(f"Parquet cannot hold a column ({error}): ask for it as text (::varchar)") from None


def first_rows(answer: Rows, most: int = DRAWN) -> tuple[list[list[str]], bool]:
    """The first rows as text, and whether there are more."""
    rows: list[list[str]] = []
    for batch in answer.batches():
        for row in rows_of(batch):
            if len(rows) == most:
                return rows, True
            rows.append([plain_text(value) for value in row])
    return rows, False


def plain_text(value: Any) -> str:
    """A value as it is read.

    >>> plain_text(["Male", "White"]), plain_text(25.0), plain_text(None)
    ('Male | White', '25', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return SEPARATOR.join(plain_text(one) for one in value)
    if isinstance(value, float):
        return f"{value:.15g}"
    return str(value)


def json_value(value: Any) -> Any:
    """A value as JSON can say it; what it cannot, such as a number of more than 64 bits, as text.

    >>> json_value(2**80), json_value([1.5, None, {"a": 2**80}])
    ('1208925819614629174706176', [1.5, None, {'a': '1208925819614629174706176'}])
    """
    if isinstance(value, list | tuple):
        return [json_value(one) for one in value]
    if isinstance(value, dict):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def once(names: list[str]) -> list[str]:
    """Column names, of which a query may give the same twice."""
    return [name if names.index(name) == at else f"{name}_{at + 1}" for at, name in enumerate(names)]
