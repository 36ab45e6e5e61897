"""Questions to a library: kept under a name, filled in, and answered in a worker process.

Questions in SQL and SPARQL are answered in a worker, which ends at its limits whatever the database in it does. In:
where a library is, and a SELECT. Out: its rows, some at a time, as from `query.Answer`. DuckDB bounds most of what it
holds and can be interrupted nearly everywhere; what it does not, such as one value of gigabytes, a worker does.

Questions that are kept lie in the catalogue as `SavedQuery`s. A parameter (`:name`) is written into the statement as a
number or as a quoted text, nothing else, so that no value can become part of the SQL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec
import pyarrow as pa
from sqlalchemy import delete, insert, select

from tabellion.errors import LibraryError, QueryError
from tabellion.library.catalogue import facts
from tabellion.library.holdings import decode_held
from tabellion.library.naming import nearest_name
from tabellion.library.query import Answer, QueryLimits, Rows, over_memory, over_time
from tabellion.workers import Bounds, Crew, LimitPassedError, WorkerLostError, hand_over
from tabellion.workers.inside import PIECE, at_most_physical

if TYPE_CHECKING:
    from tabellion.library.graph import ResultForm
    from tabellion.library.library import Library


Parameters = Mapping[str, str | float | None]  # values by name
_KEY = "query:"  # before the name of a saved query among the facts of a library
_NAME = re.compile(r"[^\W\d]\w{0,59}")
_QUIET = r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/"  # where a colon means nothing
_PARAMETER = re.compile(rf"(?P<quiet>{_QUIET})|(?<![\w:\])'\"]):(?P<name>[^\W\d]\w*)", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:\d++(?:\.\d*+)?|\.\d+)(?:[eE][+-]?\d+)?")


class SavedQuery(msgspec.Struct, frozen=True):
    """A question with a name."""

    name: str
    sql: str
    description: str
    parameters: list[str]
    made: str


def parameters_in(sql: str) -> list[str]:
    """The parameters of a statement, in the order in which they come.

    >>> parameters_in("select ':no', x::int from t where year = :year and place like :place")
    ['year', 'place']
    """
    return list(dict.fromkeys(match["name"] for match in _PARAMETER.finditer(sql) if match["name"]))


def fill_parameters(sql: str, values: Parameters) -> str:
    """A statement with its parameters filled in.

    >>> fill_parameters("select * from t where year = :year and place = :place", {"year": "1990", "place": "O'Hara"})
    "select * from t where year = 1990 and place = 'O''Hara'"
    """
    wanted = parameters_in(sql)
    if missing := [name for name in wanted if name not in values]:
        raise QueryError(f"the question has parameters without a value: {', '.join(missing)}")
    if unknown := [name for name in values if name not in wanted]:
        raise QueryError(f"the question has no parameter {', '.join(unknown)}")
    return _PARAMETER.sub(lambda match: match[0] if match["quiet"] else _literal(values[match["name"]]), sql)


def save_query(library: Library, name: str, sql: str, description: str = "") -> SavedQuery:
    """Keep a question under a name; the same name replaces it."""
    from tabellion.library.query import QueryLimits, check_statement, open_closed

    if not _NAME.fullmatch(name):
        raise LibraryError(f"{name!r} is no name for a question: letters, digits and _, a letter first")
    with closing(open_closed(QueryLimits())) as checker:
        check_statement(checker, fill_parameters(sql, dict.fromkeys(parameters_in(sql), 1)))
    made = datetime.now(UTC).isoformat(timespec="seconds")
    saved = SavedQuery(name, sql.strip().rstrip(";"), description, parameters_in(sql), made)
    with library.catalogue.writing() as connection:
        library.catalogue.next_sequence(connection)
        connection.execute(delete(facts).where(facts.c.name == _KEY + name))
        connection.execute(insert(facts).values(name=_KEY + name, value=msgspec.json.encode(saved).decode()))
    return saved


def list_queries(library: Library) -> list[SavedQuery]:
    """All questions that are kept, by name."""
    with library.catalogue.reading() as connection:
        held = connection.execute(select(facts.c.value).where(facts.c.name.startswith(_KEY, autoescape=True)))
        found = [decode_held(value, SavedQuery) for value in held.scalars()]
    return sorted(found, key=lambda one: one.name)


def find_query(library: Library, name: str) -> SavedQuery:
    """The question of a name."""
    with library.catalogue.reading() as connection:
        held = connection.execute(select(facts.c.value).where(facts.c.name == _KEY + name)).scalar()
    if held is None:
        meant = nearest_name(name, [one.name for one in list_queries(library)])
        raise LibraryError(f"{name}: there is no such saved question in this library{meant}")
    return decode_held(held, SavedQuery)


def forget_query(library: Library, name: str) -> SavedQuery:
    """Take a question out."""
    saved = find_query(library, name)
    with library.catalogue.writing() as connection:
        library.catalogue.next_sequence(connection)
        connection.execute(delete(facts).where(facts.c.name == _KEY + name))
    return saved


def statement_of(library: Library, asked: str, values: Parameters | None = None) -> str:
    """The statement that is meant by SQL or by the name of a saved question, with its parameters filled in."""
    sql = asked
    if _NAME.fullmatch(asked.strip()):
        try:
            sql = find_query(library, asked.strip()).sql
        except LibraryError as error:
            raise QueryError(f"{error}, and no SELECT") from None
    if not values and not parameters_in(sql):
        return sql
    return fill_parameters(sql, values or {})


def _literal(value: str | float | None) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int | float) or _NUMBER.fullmatch(value):
        return str(value)
    escaped = value.replace("'", "''")
    return f"'{escaped}'"


_ROOM = 512 * 2**20  # bytes that a worker holds beside a query: the libraries, and a batch on its way
_START = 10.0  # seconds that a worker may take to start and to open the library


class IsolatedAnswer(Rows):
    """The rows of a query that runs in a worker."""

    def __init__(self, sql: str, place: str | None, files: str | None, limits: QueryLimits, crew: Crew) -> None:
        self.limits, self._crew = limits, crew
        self._worker = crew.borrow()
        self._open = True
        bounds = Bounds(limits.seconds + _START, at_most_physical(limits.memory + _ROOM))
        self._messages = self._worker.messages(answer_query, (place, files, sql, limits), bounds)
        try:
            self.schema = pa.ipc.read_schema(pa.py_buffer(self._next() or b""))
        except BaseException:
            self.close()
            raise

    def batches(self) -> Iterator[pa.RecordBatch]:
        while (packed := self._next()) is not None:
            yield from pa.ipc.open_stream(packed)

    def close(self) -> None:
        if self._open:
            self._open = False
            self._messages.close()  # ends the worker where the query still runs
            self._crew.give_back(self._worker)

    def _next(self) -> bytes | None:
        """What the worker hands over next; None at the end."""
        try:
            kind, body = next(self._messages)
        except LimitPassedError as error:
            limits = self.limits
            said = over_time(limits.seconds) if error.limit == "seconds" else over_memory(limits.memory)
            raise QueryError(said) from None
        except WorkerLostError as error:
            raise QueryError(f"the query brought down the process that answered it ({error.how})") from None
        if kind == PIECE:
            return body
        for _ in self._messages:  # the worker is free again
            pass
        return None


def fork_asker() -> Crew:
    """One worker for questions, of a program that has opened nothing yet."""
    return Crew(1, fork=True)


def answer_query(place: str | None, files: str | None, sql: str, limits: QueryLimits) -> None:
    """Answer a query in a worker: the names and types of its columns, then its rows."""
    library = _shelf(place, files)
    with Answer(sql, library.folder, library.catalogue, limits) as answer:
        hand_over([answer.schema.serialize().to_pybytes()])
        for batch in answer.batches():
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            hand_over([sink.getvalue().to_pybytes()])


def ask_sparql(library: Library, query: str, form: ResultForm, seconds: float, memory: int) -> bytes:
    """The answer to a question in SPARQL, from a worker where the library is isolated; its graph is brought up to date.

    The engine looks at its limit only between rows, so where it must end in time, its process does.
    """
    from tabellion.library.graph import answer_meanwhile, bring_up_to_date, check_query

    check_query(query)
    bring_up_to_date(library)
    given = (library.folder.graph, library.folder.graph_lock, query, form, seconds)
    if library.askers is None:
        return answer_meanwhile(*given)
    bounds = Bounds(seconds + _START, at_most_physical(memory + _ROOM))
    try:
        return library.askers.do(answer_meanwhile, *given, bounds=bounds)
    except LimitPassedError as error:
        raise QueryError(over_time(seconds) if error.limit == "seconds" else over_memory(memory)) from None
    except WorkerLostError as error:
        raise QueryError(f"the query brought down the process that answered it ({error.how})") from None


@lru_cache(maxsize=4)
def _shelf(place: str | None, files: str | None) -> Library:
    """The library, opened once in a worker."""
    from tabellion.library import open_library

    return open_library(place, files)
