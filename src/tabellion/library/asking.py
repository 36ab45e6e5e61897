"""Questions in SQL and SPARQL answered in a worker process, which ends at its limits whatever the database in it does.

In: where a library is, and a SELECT. Out: its rows, some at a time, as from `query.Answer`. DuckDB bounds most of what
it holds and can be interrupted nearly everywhere; what it does not, such as one value of gigabytes, a worker does.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import pyarrow as pa

from tabellion.errors import QueryError
from tabellion.library.query import Answer, QueryLimits, Rows, over_memory, over_time
from tabellion.workers import Bounds, Crew, LimitPassedError, WorkerLostError, hand_over
from tabellion.workers.channel import PIECE, at_most_physical

if TYPE_CHECKING:
    import pyoxigraph

    from tabellion.library.graph import ResultForm
    from tabellion.library.library import Library

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
    from tabellion.library.graph import check_query, open_graph

    check_query(query)
    store = open_graph(library)
    if library.askers is None:
        return write_answer(store, query, form, seconds)
    del store
    given = (str(library.folder.graph), query, form, seconds)
    bounds = Bounds(seconds + _START, at_most_physical(memory + _ROOM))
    try:
        return library.askers.do(answer_sparql, *given, bounds=bounds)
    except LimitPassedError as error:
        raise QueryError(over_time(seconds) if error.limit == "seconds" else over_memory(memory)) from None
    except WorkerLostError as error:
        raise QueryError(f"the query brought down the process that answered it ({error.how})") from None


def answer_sparql(graph: str, query: str, form: ResultForm, seconds: float) -> bytes:
    """Answer a question in SPARQL in a worker."""
    import pyoxigraph

    return write_answer(pyoxigraph.Store.read_only(graph), query, form, seconds)


def write_answer(store: pyoxigraph.Store, query: str, form: ResultForm, seconds: float) -> bytes:
    from tabellion.library.graph import answer_query as answer_in_sparql

    file = io.BytesIO()
    answer_in_sparql(store, query, file, form, seconds)
    return file.getvalue()


@lru_cache(maxsize=4)
def _shelf(place: str | None, files: str | None) -> Library:
    """The library, opened once in a worker."""
    from tabellion.library import open_library

    return open_library(place, files)
