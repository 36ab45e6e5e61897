"""A library to hold in the hand: add, list, remove, search, query, verify and rebuild.

In: a folder, or a PostgreSQL URL with a folder for the files. Out: an open `Library`. All state is on the disk and in
the catalogue; several processes may hold the same library open. What reads documents, asks in SQL or writes is
imported when it is first used, so that a library is open within a blink.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import msgspec
from sqlalchemy import select

from tabellion.errors import LibraryError
from tabellion.library.catalogue import Catalogue, documents
from tabellion.library.files import Folder, default_place, mark_unfinished, say_nothing_here, unlike_sums
from tabellion.library.holdings import AddResult, SqliteHoldings, document_address, document_id, in_parts
from tabellion.library.index import SearchIndex
from tabellion.library.records import (
    CatalogueHoldings,
    documents_by_id,
    files_of,
    listed_documents,
    store_of,
    tables_by_id,
)
from tabellion.model.correction import Correction

if TYPE_CHECKING:
    import pyarrow as pa

    from tabellion.export.chart import Kind
    from tabellion.library.adding import StoredSource
    from tabellion.library.asking import Parameters, SavedQuery
    from tabellion.library.databases import DatabaseKind
    from tabellion.library.databases.export import DatabaseReport
    from tabellion.library.entries import Condition
    from tabellion.library.graph import ResultForm
    from tabellion.library.holdings import DocumentRecord, Holdings, ListedDocument
    from tabellion.library.joins.partners import Partner
    from tabellion.library.paging import SearchStates
    from tabellion.library.query import QueryLimits, Rows
    from tabellion.library.reading import Reading
    from tabellion.library.repairing import Elsewhere
    from tabellion.library.search import Found
    from tabellion.library.series.comparing import Comparison
    from tabellion.library.series.lining import Series
    from tabellion.library.stored_tables import Citation
    from tabellion.library.survey import Survey
    from tabellion.library.writing import ReadingWriter
    from tabellion.model.printed import Scene
    from tabellion.pipeline import Settings
    from tabellion.repair.session import Repair
    from tabellion.workers import Crew


class Library:
    """The tables of many documents, to search and query."""

    def __init__(self, place: str | None = None, files: str | None = None, *, create: bool = False) -> None:
        place = place or default_place()
        if "://" in place:
            self.catalogue = Catalogue(None, place)
            self.folder = files_of(self.catalogue, files, create=create)
            self.holdings: Holdings = CatalogueHoldings(self.catalogue)
        else:
            self.folder = Folder(Path(place))
            if not create and not self.folder.catalogue.exists():
                raise LibraryError(say_nothing_here(place))
            if create:
                self.folder.root.mkdir(parents=True, exist_ok=True)
            self.catalogue = Catalogue(self.folder)
            self.catalogue.prepare(create=create)
            self.holdings = SqliteHoldings(self.folder.catalogue)
            self.folder = Folder(Path(place), store_of(self.catalogue, files))
            if create:
                self.folder.make()
        self.index = SearchIndex(self.folder, self.catalogue, self.holdings)
        self.place, self.files = place, files
        self.readers: Crew | None = None  # workers that read documents for it, where it is isolated
        self.openers: Crew | None = None  # such that open its documents to be repaired
        self.private = True  # addresses of this computer and its own network may be fetched
        self.askers: Crew | None = None  # and such that answer questions in SQL
        self._states: SearchStates | None = None

    def isolate(self) -> Self:
        """Read documents and run queries in worker processes from now on."""
        from tabellion.isolated import askers, openers, readers

        self.readers, self.askers = self.readers or readers(), self.askers or askers()
        self.openers = self.openers or openers()
        return self

    def release(self) -> None:
        """End the worker processes; calls that wait for one get an error."""
        for crew in (self.readers, self.openers, self.askers):
            if crew is not None:
                crew.close()

    def add(self, *sources: str | Path, settings: Settings | None = None) -> list[AddResult]:
        """Read and store documents; unchanged ones are skipped, changed ones replaced."""
        from tabellion.library.adding import is_unchanged

        names, chosen = [str(source) for source in sources], self.settle(settings)
        known, logs = self.known(names), self.corrections(names)
        done: list[AddResult] = []
        with self.writing_documents(settings=chosen) as writer:
            for source in names:
                have, log = known.get(source), logs.get(source, ())
                if have and is_unchanged(source, have, chosen, self.folder.originals):
                    done.append(have.result)
                else:
                    done += writer.write(self.read(source, chosen, log, have))
            done += writer.flush()
        order = {source: number for number, source in enumerate(names)}
        return sorted(done, key=lambda result: order[result.source])

    def read(self, source: str, settings: Settings, log: Sequence[Correction], known: StoredSource | None) -> Reading:
        """Read a source for this library and keep its bytes, in a worker if the library is isolated."""
        from tabellion.isolated import read_in
        from tabellion.library.adding import read_source

        given = (source, self.folder.originals, settings, log, known)
        return read_in(self.readers, read_source, *given, limits=settings.limits, name=source)

    @contextmanager
    def writing_documents(self, *, again: bool = False, settings: Settings | None = None) -> Iterator[ReadingWriter]:
        """For adding documents or reading them `again`: clears leftovers first, updates the index last."""
        from tabellion.library.verify import sweep, writing_mark
        from tabellion.library.writing import ReadingWriter
        from tabellion.pipeline import Settings

        sweep(self.folder, self.catalogue)
        with writing_mark(self.folder):
            writer = ReadingWriter(self.folder, self.catalogue, again=again, settings=settings or Settings())
            try:
                yield writer
            finally:
                writer.flush()
            if writer.failed:
                mark_unfinished(self.folder)  # the originals of what was not written are cleared away by the next run
        self.index.catch_up(wait=True)
        if self.folder.graph.exists():
            from tabellion.library.graph import follow_library

            follow_library(self)

    def known(self, sources: Iterable[str]) -> dict[str, StoredSource]:
        """The stored state of each source in the library."""
        from tabellion.library.adding import StoredSource

        by_id = {document_id(document_address(source)): source for source in sources if source != "-"}
        c = documents.c
        found: dict[str, StoredSource] = {}
        with self.catalogue.reading() as connection:
            for some in in_parts(by_id):
                wanted = select(c.document_id, c.sha256, c.tables, c.tuples, c.medium, c.rendered)
                for one, sha256, count, tuples, medium, rendered in connection.execute(
                    wanted.where(c.document_id.in_(some))
                ):
                    result = AddResult(by_id[one], "unchanged", count, tuples)
                    found[by_id[one]] = StoredSource(sha256, result, medium, rendered)
        return found

    def corrections(self, sources: Iterable[str]) -> dict[str, tuple[Correction, ...]]:
        """The corrections of each source that has any; a source may be the id of a document."""
        from tabellion.library.records import read_logs

        by_id = {document_id(document_address(source)): source for source in sources if source != "-"}
        by_id |= {source: source for source in by_id.values()}
        with self.catalogue.reading() as connection:
            return {by_id[one]: tuple(log) for one, log in read_logs(connection, by_id).items()}

    def repair(self, table: str, *, author: str | None = None, settings: Settings | None = None) -> Repair:
        """A session to correct a table, by its id or name: one method for each operation, each stored at once."""
        from tabellion.library.repairing import repair_table

        return repair_table(self.folder, self.catalogue, table, author, self.settle(settings), self.openers)

    @property
    def outdated_weights(self) -> str:
        """Why the library's own weights are not used: damaged, or of another version; empty if they fit."""
        if not self.folder.weights.is_dir():
            return ""
        from tabellion.weights import find_outdated

        if changed := unlike_sums(self.folder.weights):
            why = f"are damaged ({changed[0]} is not as it was written)"
        elif fault := find_outdated(self.folder.weights):
            why = f"were learned with another version ({fault})"
        else:
            return ""
        return (
            f"the weights of this library {why}, the shipped ones are used; "
            "`tabellion learn --install` learns them anew"
        )

    def settle(self, settings: Settings | None = None) -> Settings:
        """The settings for this library: with its own weights, if it has any and no others are named.

        Its own weights are not used if they were learned with another version (`outdated_weights`).
        """
        from tabellion.pipeline import Settings

        chosen = settings or Settings()
        if not self.private:
            chosen = msgspec.structs.replace(chosen, private=False)
        if chosen.weights is None and self.folder.weights.is_dir() and not self.outdated_weights:
            return msgspec.structs.replace(chosen, weights=str(self.folder.weights))
        return chosen

    def look_alikes(
        self, table: str, correction: str | None = None, *, author: str | None = None, settings: Settings | None = None
    ) -> Iterator[Elsewhere]:
        """Proposals to make a correction in the other documents of the library, wherever the same look recurs."""
        from tabellion.library.repairing import find_alike_elsewhere, find_table
        from tabellion.pipeline import Settings

        settings = settings or Settings()
        repair, document = self.repair(table, author=author, settings=settings), find_table(self.catalogue, table)[0]
        wanted = (repair, document.document_id, correction, settings, self.openers)
        return find_alike_elsewhere(self.folder, self.catalogue, *wanted)

    def documents(self) -> list[ListedDocument]:
        """All documents with their tables."""
        with self.catalogue.reading() as connection:
            return listed_documents(connection)

    def find(self, name: str) -> DocumentRecord:
        """The document of an id, a path or a URL."""
        with self.catalogue.reading() as connection:
            found = documents_by_id(connection, [name, document_id(document_address(name))])
            if not found:
                given = select(documents.c.document_id).where(documents.c.source == name)
                found = documents_by_id(connection, connection.execute(given).scalars().all())
        if not found:
            raise LibraryError(f"{name}: there is no such document in this library")
        if len(found) > 1:
            raise LibraryError(f"{name}: several documents are called so; name one by its id: {', '.join(found)}")
        return next(iter(found.values()))

    def remove(self, name: str, *, forget: bool = False) -> DocumentRecord | None:
        """Remove a document; its history, corrections and original stay, unless `forget` is given.

        A document that was removed before can still be forgotten; then nothing is returned.
        """
        from tabellion.library.adding import remove_document

        return remove_document(self, name, forget=forget)

    def search(
        self, question: str, *, conditions: Iterable[Condition] = (), limit: int = 10, offset: int = 0,
        facets: bool = True, after: str | None = None,
    ) -> Found:  # fmt: skip
        """The best tables for a search; with `after`, the `next` of the page before, those that follow."""
        if self._states is None:
            from tabellion.library.paging import SearchStates

            self._states = SearchStates(self.folder, self.holdings, self.index)
        if after:
            searcher, offset = self._states.after(after)
        else:
            self.index.catch_up()
            searcher = self._states.newest()
        return searcher.search(question, conditions=conditions, limit=limit, offset=offset, facets=facets)

    def query(self, sql: str, limits: QueryLimits | None = None, *, parameters: Parameters | None = None) -> pa.Table:
        """All rows of a SELECT, or of a saved query by its name, as an Arrow table."""
        with self.ask(sql, limits, parameters=parameters) as answer:
            return answer.read_all()

    def ask(self, sql: str, limits: QueryLimits | None = None, *, parameters: Parameters | None = None) -> Rows:
        """The rows of a SELECT, or of a saved query by its name, in batches; use it as a context."""
        from tabellion.library.asking import statement_of
        from tabellion.library.query import Answer, QueryLimits

        sql = statement_of(self, sql, parameters)
        if self.askers is not None:
            from tabellion.library.asking import IsolatedAnswer

            return IsolatedAnswer(sql, self.place, self.files, limits or QueryLimits(), self.askers)
        return Answer(sql, self.folder, self.catalogue, limits or QueryLimits())

    def sparql(self, query: str, form: ResultForm = "json", limits: QueryLimits | None = None) -> bytes:
        """The result of a SPARQL query: rows as JSON, CSV, TSV or XML, graphs as Turtle or N-Quads."""
        from tabellion.library.asking import ask_sparql
        from tabellion.library.query import QueryLimits

        limits = limits or QueryLimits()
        return ask_sparql(self, query, form, limits.seconds, limits.memory)

    def plot(
        self, sql: str, kind: Kind | None = None, title: str = "", *, parameters: Parameters | None = None
    ) -> Scene:
        """A plot of the rows of a SELECT or a saved query; `export.chart` makes SVG or PNG of it."""
        from tabellion.export.chart import build_chart, draw_chart

        found = self.query(sql, parameters=parameters)
        rows = list(zip(*(column.to_pylist() for column in found.columns), strict=True))
        return draw_chart(build_chart(found.column_names, rows, kind, title))

    def save_query(self, name: str, sql: str, description: str = "") -> SavedQuery:
        """Save a query under a name; `:year` in it is a parameter."""
        from tabellion.library.asking import save_query

        return save_query(self, name, sql, description)

    def saved_queries(self) -> list[SavedQuery]:
        """The saved queries, by name."""
        from tabellion.library.asking import list_queries

        return list_queries(self)

    def delete_query(self, name: str) -> SavedQuery:
        """Delete a saved query."""
        from tabellion.library.asking import forget_query

        return forget_query(self, name)

    def joins(self, table: str, limit: int = 5) -> list[Partner]:
        """The tables that join with a table, by its id or name, with the SQL; best first."""
        from tabellion.library.joins.partners import find_partners

        return find_partners(self, table, limit)

    def series(self, table: str) -> Series:
        """The editions of a table, by its id or name: their columns, and the SQL of one relation over all."""
        from tabellion.library.series.lining import read_series

        return read_series(self, table)

    def compare(self, first: str, second: str) -> Comparison:
        """The differences between two tables: values, headers, structure."""
        from tabellion.library.series.comparing import compare_tables

        return compare_tables(self, first, second)

    def export_to(
        self, url: str, kind: DatabaseKind | None = None, *, names: Sequence[str] = (),
        tell: Callable[[str], None] = lambda _: None,
    ) -> DatabaseReport:  # fmt: skip
        """Write the library, or these tables and documents, to a database of SQLite, DuckDB or PostgreSQL.

        Unchanged documents are skipped; `url` is a file (`tables.db`, `tables.duckdb`) or `postgresql://host/name`.
        """
        from tabellion.library.databases.export import export_library

        return export_library(self, url, kind, names=names, tell=tell)

    def survey(self) -> Survey:
        """Counts of tables by kind, header depth, domain, medium, year and language."""
        from tabellion.library.survey import survey_library

        return survey_library(self)

    def cite(self, table: str, address: str) -> Citation:
        """The citation of the value at an address: headers, document, edition, place."""
        from tabellion.library.stored_tables import cite_value

        return cite_value(self, table, address)

    def picture(self, table: str, address: str) -> Scene:
        """A picture of the value at an address with its headers; `export.chart` makes SVG or PNG of it."""
        from tabellion.library.stored_tables import draw_spot

        return draw_spot(self, table, address)

    def preview(self, table_id: str, rows: int = 5) -> pa.Table:
        """The first rows of a table in its own layout."""
        from tabellion.library.relations import quoted

        with self.catalogue.reading() as connection:
            held = tables_by_id(connection, [table_id])
        if table_id not in held:
            raise LibraryError(f"{table_id}: there is no such table in this library")
        return self.query(f"SELECT * FROM {quoted(held[table_id].name)} LIMIT {int(rows)}")  # noqa: S608 - a known name

    logs, alike, forget_query = corrections, look_alikes, delete_query  # deprecated: their former names

    def close(self) -> None:
        self.holdings.close()
        self.catalogue.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()
