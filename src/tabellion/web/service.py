"""What programs may ask of a library, whatever way they come in: values in, plain values out.

In: an open library. Out: answers that are small by a stated limit. What cannot be answered is an error that says why.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import msgspec

from tabellion.errors import LibraryError, QueryError
from tabellion.export.chart import Kind, build_chart, draw_chart
from tabellion.export.forms import FormName, write_export
from tabellion.library.answers import AnswerForm
from tabellion.library.asking import SavedQuery, find_query
from tabellion.library.databases import DatabaseKind
from tabellion.library.databases.export import DatabaseReport
from tabellion.library.graph import ResultForm
from tabellion.library.holdings import DocumentRecord, TableRecord, document_address, document_id
from tabellion.library.joins.partners import Partner
from tabellion.library.library import Library
from tabellion.library.mined import MinedSites, list_mined, mined_instances
from tabellion.library.paging import TuplesPage, documents_after, tables_after, tuples_after
from tabellion.library.query import QueryLimits, json_value, once, rows_of, said_bytes
from tabellion.library.records import documents_by_id, table_called
from tabellion.library.relations import complete_name
from tabellion.library.search import Found
from tabellion.library.series.comparing import Comparison
from tabellion.library.series.lining import Series
from tabellion.library.stored_tables import Citation, stored_extractions
from tabellion.library.survey import Survey
from tabellion.model.printed import Scene
from tabellion.settings import Settings
from tabellion.values.periods import place_code, thing_kind

MOST = 1_000  # things on a page
MOST_ROWS = 10_000  # rows of an answer to a query
_LARGEST = 32 * 2**20  # bytes of such an answer
_LARGEST_EXPORT = 128 * 2**20  # bytes of one as a file
_AT_ONCE = 2  # queries that run at the same time; others wait
LIMITS = QueryLimits(seconds=15.0, memory=512 * 2**20)


class Rows(msgspec.Struct, frozen=True):
    """The answer to a query; `more` where it was cut off."""

    columns: list[str]
    rows: list[list[Any]]
    more: bool


class _Bounded(io.BytesIO):
    """Bytes up to a limit."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > self.most:
            raise QueryError(f"the rows are over the limit of {self.most:,} bytes: ask for fewer")
        return super().write(data)


class LibraryService:
    """Answers for programs."""

    def __init__(self, library: Library, limits: QueryLimits = LIMITS) -> None:
        self.library, self.limits = library, limits
        self._turns = threading.BoundedSemaphore(_AT_ONCE)

    def state(self) -> tuple[int, int]:
        """Up to which change catalogue and index go: as long as both are the same, so is every answer."""
        with self.library.catalogue.reading() as connection:
            return self.library.catalogue.last_sequence(connection), self.library.index.applied()

    def search(self, question: str, limit: int = 10, offset: int = 0, *, facets: bool = True, after: str = "") -> Found:
        return self.library.search(question, limit=limit, offset=offset, facets=facets, after=after)

    def documents(self, after: str = "", limit: int = 100) -> dict[str, Any]:
        found = documents_after(self.library.catalogue, after, limit + 1)
        return {
            "documents": [describe_document(one) for one in found[:limit]],
            "next": found[limit - 1].document_id if len(found) > limit else None,
        }

    def document(self, name: str) -> dict[str, Any]:
        return describe_document(self.library.find(name))

    def tables(self, after: str = "", limit: int = 100, document: str | None = None) -> dict[str, Any]:
        found = tables_after(self.library.catalogue, after, limit + 1, document)
        return {
            "tables": [describe_table(one) for one in found[:limit]],
            "next": found[limit - 1].table_id if len(found) > limit else None,
        }

    def table(self, name: str) -> dict[str, Any]:
        with self.library.catalogue.reading() as connection:
            table = table_called(connection, name)
            document = documents_by_id(connection, [table.document_id])[table.document_id]
        details = table.unpack()
        return describe_table(table) | {
            "source": document.source,
            "medium": document.medium,
            "place": msgspec.to_builtins(details.place),
            "stub": [column.name for column in details.stub],
            "stub_kinds": [column.kind for column in details.stub],
            "columns_by_name": [
                {"name": one.name, "path": list(one.path), "number": one.number, "unit": one.unit, "kind": one.kind}
                for one in details.columns
            ],
            "footnotes": list(details.metadata.affiliated.footnotes),
        }

    def tuples(self, name: str, after: str | None = None, limit: int = 100) -> TuplesPage:
        return tuples_after(self.library, name, after, limit)

    def joins(self, name: str, limit: int = 5) -> list[Partner]:
        return self.library.joins(name, limit)

    def series(self, name: str) -> Series:
        with self._turns:
            return self.library.series(name)

    def compare(self, first: str, second: str) -> Comparison:
        return self.library.compare(first, second)

    def survey(self) -> Survey:
        with self._turns:
            return self.library.survey()

    def mined(self) -> list[MinedSites]:
        return list_mined(self.library)

    def mined_instances(self, name: str, concept: str | None, first: int, most: int) -> dict[str, Any]:
        return mined_instances(self.library, name, concept, first, most)

    def cite(self, name: str, address: str) -> Citation:
        return self.library.cite(name, address)

    def picture(self, name: str, address: str) -> Scene:
        """The spot where a value stands, drawn."""
        with self._turns:
            return self.library.picture(name, address)

    def sparql(self, query: str, form: ResultForm = "json") -> bytes:
        """The answer to a question in SPARQL."""
        with self._turns:
            answer = self.library.sparql(query, form, self.limits)
        if len(answer) > _LARGEST:
            raise QueryError(f"the answer is over the limit of {_LARGEST:,} bytes: ask for less with LIMIT")
        return answer

    def queries(self) -> list[SavedQuery]:
        return self.library.saved_queries()

    def run_query(self, name: str, parameters: Mapping[str, str | float | None], limit: int = 1_000) -> Rows:
        """The first rows of a saved question."""
        return self.query(find_query(self.library, name).sql, limit, parameters)

    def save_query(self, name: str, sql: str, description: str = "") -> SavedQuery:
        return self.library.save_query(name, sql, description)

    def forget_query(self, name: str) -> None:
        self.library.delete_query(name)

    def plot(
        self,
        sql: str,
        parameters: Mapping[str, str | float | None] | None = None,
        kind: Kind | None = None,
        title: str = "",
    ) -> Scene:
        """The rows of a question as a drawing."""
        found = self.query(sql, MOST_ROWS, parameters)
        return draw_chart(build_chart(found.columns, found.rows, kind, title))

    def query(self, sql: str, limit: int = 1_000, parameters: Mapping[str, str | float | None] | None = None) -> Rows:
        """The first rows of a SELECT, or of a saved question by its name."""
        rows: list[list[Any]] = []
        size = 0
        with self._turns, self.library.ask(sql, self.limits, parameters=parameters) as answer:
            names = once(answer.schema.names)
            for batch in answer.batches():
                wanted = batch.slice(0, limit + 1 - len(rows))
                size += sum(map(said_bytes, wanted.columns))
                if size > _LARGEST:
                    raise QueryError(f"the first {limit:,} rows are over the limit of {_LARGEST:,} bytes")
                rows += [[json_value(value) for value in row] for row in rows_of(wanted)]
                if len(rows) > limit:
                    break
        return Rows(names, rows[:limit], len(rows) > limit)

    def export_query(
        self, sql: str, form: AnswerForm, parameters: Mapping[str, str | float | None] | None = None
    ) -> bytes:
        """All rows of a SELECT, or of a saved question by its name, in a form."""
        file = _Bounded(_LARGEST_EXPORT)
        with self._turns, self.library.ask(sql, self.limits, parameters=parameters) as answer:
            answer.write(form, file, safe=True)
        return file.getvalue()

    def places(self, labels: Sequence[str]) -> dict[str, Any]:
        """The ISO 3166 codes of the places that labels name, and whether these are countries or states; null if none.

        What the labels have in common decides what is meant by one that can mean several (Georgia).
        """
        kind = thing_kind(labels)
        if kind not in ("country", "state"):
            found = [place_code(label) for label in labels]
            states = sum(code is not None and "-" in code for code in found)
            kind = "state" if 2 * states > sum(code is not None for code in found) else "country"
        codes = [place_code(label, kind) for label in labels]
        return {"kind": kind if any(codes) else None, "codes": codes}

    def complete(self, begun: str, question: str) -> list[str]:
        """Names that begin so, of what a question may ask."""
        return complete_name(self.library, begun, question)

    def export(self, name: str, form: FormName | Literal["sqlite", "duckdb"]) -> bytes:
        """One table in an export format."""
        if form == "sqlite" or form == "duckdb":
            return self.export_file(form, [name])
        with self.library.catalogue.reading() as connection:
            table = table_called(connection, name)
        file = io.BytesIO()
        write_export(form, stored_extractions(self.library, [table.table_id]), file, safe=True)
        return file.getvalue()

    def export_file(self, kind: DatabaseKind, names: Sequence[str] = ()) -> bytes:
        """The library, or these tables and documents, as the file of a database."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "tables"
            self.library.export_to(str(path), kind, names=names)
            return path.read_bytes()

    def export_to(self, url: str, names: Sequence[str] = ()) -> DatabaseReport:
        """Write the library, or these tables and documents, to another database; only what changed."""
        return self.library.export_to(url, names=names)

    def add(self, name: str, data: bytes, settings: Settings = Settings()) -> dict[str, Any]:
        """Keep a document that was sent here, under a name of its own, read as the settings say."""
        from tabellion.library.adding import add_sent

        sent = add_sent(self.library, name, data, settings)
        return {"document": sent.document_id, "status": sent.status, "tables": sent.tables, "tuples": sent.tuples}

    def fetch(self, address: str) -> dict[str, Any]:
        """Fetch a document from the web and keep it."""
        (kept,) = self.library.add(address)
        document = document_id(document_address(address))
        return {"document": document, "status": kept.status, "tables": kept.tables, "tuples": kept.tuples}

    def remove(self, document_id: str) -> None:
        with self.library.catalogue.reading() as connection:
            if not documents_by_id(connection, [document_id]):
                raise LibraryError(f"{document_id}: there is no such document in this library")
        self.library.remove(document_id)


def describe_document(one: DocumentRecord) -> dict[str, Any]:
    return {
        "id": one.document_id, "source": one.source, "medium": one.medium, "sha256": one.sha256, "title": one.title,
        "added": one.added, "version": one.version, "tables": one.tables, "tuples": one.tuples,
    }  # fmt: skip


def describe_table(one: TableRecord) -> dict[str, Any]:
    return {
        "id": one.table_id, "document": one.document_id, "name": one.name, "sheet": one.sheet, "page": one.page,
        "title": one.title, "caption": one.caption, "orientation": one.orientation, "rows": one.rows,
        "columns": one.columns, "tuples": one.tuples, "genuine": one.genuine, "confidence": one.confidence,
    }  # fmt: skip
