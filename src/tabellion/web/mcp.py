"""The library for language-model agents, over the Model Context Protocol.

In: an open library. Out: a server with a tool for each question that a `LibraryService` answers, and tools that look at
tables and mend them, as people do in the app. Errors come back as text that says what to do otherwise. It reads unless
it is made with `write`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal

import msgspec
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from tabellion.errors import TabellionError
from tabellion.export.chart import scene_svg
from tabellion.library.annotations import parts_of
from tabellion.library.answers import AnswerForm
from tabellion.library.graph import ResultForm
from tabellion.library.library import Library
from tabellion.model.methods import (
    STEPS,
    FrameMethod,
    GenuineMethod,
    HeaderMethod,
    ParentMethod,
    ReaderMethod,
    RenderChoice,
    RowMethod,
)
from tabellion.model.place import Rect
from tabellion.repair.lookalikes import Scope
from tabellion.settings import Settings
from tabellion.web.looking import Looking
from tabellion.web.service import LibraryService

Tool = Callable[..., Any]
"""Makes a function a tool of the server."""

_INSTRUCTIONS = """A library of tables that were read from documents. `search` finds tables by words,
`list_tables` goes through all, `describe_table` gives the columns of one, `read_tuples` its values with their header
paths and the address each came from, `query` asks in SQL (DuckDB) over the relations documents, tables, columns, tuples
and each table under its name, `find_joins` finds tables that go together with one, `find_series` its other editions,
`compare_tables` shows what changed between two."""


def build_server(library: Library, *, write: bool = False) -> MCPServer[Any]:
    """The server for one library."""
    service = LibraryService(library.isolate())
    server: MCPServer[Any] = MCPServer("tabellion", instructions=_INSTRUCTIONS, log_level="WARNING")
    tool: Tool = lambda work: server.tool(structured_output=False)(_plainly(work))  # noqa: E731
    for add in (_add_finding, _add_reading, _add_asking, _add_comparing):
        add(tool, service)
    looking = Looking(library)
    add_looking_tools(tool, service, looking)
    if write:
        add_mending_tools(tool, looking)
        _add_writing(tool, library)
        _add_keeping(tool, service)
    return server


def _add_finding(tool: Tool, service: LibraryService) -> None:
    """The tools that find tables."""

    @tool
    def search(
        question: Annotated[str, Field(description='Words, "phrases", numbers; caption: header: year:1990..2000')],
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        offset: Annotated[int, Field(ge=0, le=10_000)] = 0,
        after: Annotated[str, Field(description="`next` of the page before")] = "",
    ) -> Any:
        """Find tables by words, best first."""
        return service.search(question, limit, offset, after=after)

    @tool
    def list_tables(after: str = "", limit: Annotated[int, Field(ge=1, le=200)] = 50) -> Any:
        """All tables of the library, a page at a time; `after` is `next` of the page before."""
        return service.tables(after, limit)

    @tool
    def list_documents(after: str = "", limit: Annotated[int, Field(ge=1, le=200)] = 50) -> Any:
        """All documents of the library, a page at a time; `after` is `next` of the page before."""
        return service.documents(after, limit)

    @tool
    def survey() -> Any:
        """Counts of tables by kind, header depth, domain, medium, year and language."""
        return service.survey()


def _add_reading(tool: Tool, service: LibraryService) -> None:
    """The tools that read a table."""

    @tool
    def describe_table(table: Annotated[str, Field(description="Its name or id.")]) -> Any:
        """One table: its title, place, stub and columns with units."""
        return service.table(table)

    @tool
    def read_tuples(table: str, after: str = "", limit: Annotated[int, Field(ge=1, le=500)] = 100) -> Any:
        """The values of a table, each with its header paths, unit, notes and address, a page at a time."""
        return service.tuples(table, after or None, limit)

    @tool
    def cite(table: str, address: Annotated[str, Field(description="As in read_tuples: B24.")]) -> Any:
        """The citation of a value: headers, title, document, edition (sha256), place and confidence."""
        return service.cite(table, address)

    @tool
    def picture(table: str, address: Annotated[str, Field(description="As in read_tuples: B24.")]) -> Any:
        """A picture of a value with its headers and the cells around it, as SVG."""
        return {"svg": scene_svg(service.picture(table, address))}

    @tool
    def export_table(
        table: str, form: Literal["csv", "json", "jsonl", "markdown", "html", "xml", "turtle"] = "csv"
    ) -> Any:
        """One table in an export format."""
        return {"text": service.export(table, form).decode()}

    @tool
    def list_corrections(document: Annotated[str, Field(description="Its id, of list_documents.")]) -> Any:
        """All corrections of a document, and labels that mean the same."""
        return {"corrections": service.library.corrections([document]).get(document, ())}


def _add_asking(tool: Tool, service: LibraryService) -> None:
    """The tools that answer questions."""

    @tool
    def query(
        sql: Annotated[str, Field(description="One SELECT in the SQL of DuckDB.", max_length=20_000)],
        limit: Annotated[int, Field(ge=1, le=1_000)] = 200,
    ) -> Any:
        """Run an SQL query over the relations of the library; it only reads."""
        return service.query(sql, limit)

    @tool
    def list_queries() -> Any:
        """The saved queries, with their parameters."""
        return {"queries": service.queries()}

    @tool
    def run_query(
        name: str,
        parameters: Annotated[dict[str, str | int | float | None] | None, Field(description="Values by name.")] = None,
        limit: Annotated[int, Field(ge=1, le=1_000)] = 200,
    ) -> Any:
        """The rows of a saved query."""
        return service.run_query(name, parameters or {}, limit)

    @tool
    def plot(
        sql: Annotated[str, Field(description="One SELECT; its first column is what the others are drawn over.")],
        kind: Literal["auto", "bar", "line", "scatter"] = "auto",
        title: str = "",
    ) -> Any:
        """A plot of the rows of a query, as SVG."""
        return {"svg": scene_svg(service.plot(sql, None, None if kind == "auto" else kind, title))}

    @tool
    def sparql(
        query: Annotated[str, Field(description="One SELECT, ASK or CONSTRUCT.", max_length=20_000)],
        form: Annotated[ResultForm, Field(description="csv for rows, turtle for graphs.")] = "csv",
    ) -> Any:
        """Run a SPARQL query over the tables as RDF (W3C Data Cube, SKOS, PROV); it only reads."""
        return {"answer": service.sparql(query, form).decode()}


def _add_comparing(tool: Tool, service: LibraryService) -> None:
    """The tools that bring tables together."""

    @tool
    def find_joins(table: str, limit: Annotated[int, Field(ge=1, le=20)] = 5) -> Any:
        """Tables that join with a table, and the SQL."""
        return service.joins(table, limit)

    @tool
    def list_mined() -> Any:
        """Results of `tabellion mine`: concepts or kinds, sites, and attributes with the same meaning."""
        return {"sites": service.mined()}

    @tool
    def read_mined(
        name: Annotated[str, Field(description="As in list_mined.")],
        concept: Annotated[str | None, Field(description="The id of a concept or kind.")] = None,
        offset: Annotated[int, Field(ge=0, le=10_000_000)] = 0,
        limit: Annotated[int, Field(ge=1, le=500)] = 50,
    ) -> Any:
        """Things from websites, with their labelled values and sources, a page at a time."""
        return service.mined_instances(name, concept, offset, limit)

    @tool
    def find_series(table: str) -> Any:
        """The editions of a table (other years, months), and the SQL of one relation over all."""
        return service.series(table)

    @tool
    def compare_tables(first: str, second: str) -> Any:
        """The differences between two tables, usually two editions: values, headers, structure."""
        return service.compare(first, second)


def _add_keeping(tool: Tool, service: LibraryService) -> None:
    """The tools that remove documents and write to databases."""

    @tool
    def remove_document(document: Annotated[str, Field(description="Its id, of list_documents.")]) -> Any:
        """Remove a document; its history and original stay."""
        service.remove(document)
        return {"removed": document}

    @tool
    def export_database(
        url: Annotated[str, Field(description="tables.db (SQLite), tables.duckdb, or postgresql://host/name")],
        names: Annotated[list[str] | None, Field(description="Tables or documents; all without it.")] = None,
    ) -> Any:
        """Write the library as ordinary tables to a database; unchanged documents are skipped."""
        return service.export_to(url, names or [])


def _add_writing(tool: Tool, library: Library) -> None:
    """The tools that write."""

    @tool
    def add_documents(
        sources: list[str],
        render: RenderChoice = "never",
        reader: Annotated[ReaderMethod, Field(description=STEPS["reader"].help)] = "auto",
        rows: Annotated[RowMethod, Field(description=STEPS["rows"].help)] = "boosted",
        parents: Annotated[ParentMethod, Field(description=STEPS["parents"].help)] = "boosted",
        genuine: Annotated[GenuineMethod, Field(description=STEPS["genuine"].help)] = "boosted",
        headers: Annotated[HeaderMethod, Field(description=STEPS["headers"].help)] = "boosted",
        frames: Annotated[FrameMethod, Field(description=STEPS["frames"].help)] = "arranged",
        password: Annotated[str | None, Field(description="What opens a PDF that asks; stored nowhere.")] = None,
    ) -> Any:
        """Read documents (paths or URLs that this computer can reach) and store them in the library.

        `render`: draw web pages in Chromium and read what a reader sees; auto: where the markup hides tables.
        """
        settings = Settings(
            render=render,
            reader=reader,
            rows=rows,
            parents=parents,
            genuine=genuine,
            headers=headers,
            frames=frames,
            password=password,
        )
        return library.add(*sources, settings=settings)

    @tool
    def accept_labels(
        table: str, same: Annotated[dict[str, str], Field(description="Labels of the table, and what each is.")]
    ) -> Any:
        """Treat labels of a table as names of labels of other tables in joins.

        `nearly` of find_joins proposes such pairs. Each is a correction in the log, which can be taken back.
        """
        return library.repair(table).set_labels(same)

    @tool
    def take_back(table: str, correction: Annotated[str, Field(description="The id of a correction.")]) -> Any:
        """Undo a correction of a table's document."""
        return library.repair(table).undo(correction)

    @tool
    def save_query(name: str, sql: Annotated[str, Field(max_length=20_000)], description: str = "") -> Any:
        """Save a query under a name; :year in it is a parameter."""
        return library.save_query(name, sql, description)

    @tool
    def forget_query(name: str) -> Any:
        """Delete a saved query."""
        return library.delete_query(name)


def _plainly(work: Callable[..., Any]) -> Callable[..., str]:
    """A tool that answers in JSON, and says what is wrong in one line."""

    @wraps(work)
    def answer(**given: Any) -> str:
        try:
            return msgspec.json.encode(work(**given)).decode()
        except TabellionError as error:
            raise ToolError(str(error)) from error

    answer.__annotations__ = {**work.__annotations__, "return": str}
    return answer


Line = Annotated[int, Field(ge=0, description="Of the source, from 0.")]
Operations = Annotated[
    list[dict[str, Any]],
    Field(
        min_length=1,
        max_length=1_000,
        description='{"do": "row-role", "row": {"row": 3}, "to": "header"}; {"do": "move-header", "side": "left", '
        '"header": {"row": 7, "column": 0}, "to": {"row": 5, "column": 0}}: as in the log that repair exports.',
    ),
]


def add_looking_tools(tool: Tool, service: LibraryService, looking: Looking) -> None:
    """The tools that read."""

    @tool
    def look_at_table(table: str) -> Any:
        """The current reading of a table: range, row roles, header trees, issues, and its version."""
        return looking.reading(table)

    @tool
    def read_cells(table: str, top: Line = 0, left: Line = 0, bottom: Line = 49, right: Line = 19) -> Any:
        """Cells of a part of a table's sheet, with styles and roles."""
        return looking.cells(table, Rect(top, left, bottom, right))

    @tool
    def read_cell(table: str, row: Line, column: Line) -> Any:
        """One cell: a value with headers, unit and notes, or a header with its values."""
        return looking.cell(table, row, column)

    @tool
    def export_query(
        sql: Annotated[str, Field(description="One SELECT, or the name of a kept question.", max_length=20_000)],
        form: AnswerForm = "csv",
        parameters: Annotated[dict[str, str | int | float | None] | None, Field(description="Values by name.")] = None,
    ) -> Any:
        """All rows of a query as csv, json, jsonl, html, markdown or xml; xlsx and parquet are in base64."""
        data = service.export_query(sql, form, parameters)
        packed = form in ("xlsx", "parquet")
        return {"form": form, ("base64" if packed else "text"): b64encode(data).decode() if packed else data.decode()}

    @tool
    def find_places(labels: Annotated[list[str], Field(max_length=2_000)]) -> Any:
        """The ISO 3166 codes of the countries or states that labels name."""
        return service.places(labels)

    @tool
    def read_page_parts(document: str, annotator: str = "agent") -> Any:
        """The texts of a saved web page and the starts of its parts."""
        return parts_of(looking.library, document, annotator)


def add_mending_tools(tool: Tool, looking: Looking) -> None:
    """The tools that write."""

    @tool
    def correct_table(
        table: str,
        operations: Operations,
        author: str | None = None,
        seen: Annotated[
            int | None, Field(ge=0, description="`version` of look_at_table that the correction is based on.")
        ] = None,
    ) -> Any:
        """Correct a table, all or none; refused if somebody else has corrected the same place meanwhile."""
        return looking.correct(table, operations, author, seen)

    @tool
    def preview_corrections(table: str, operations: Operations) -> Any:
        """The changes that corrections would make, in words; nothing is stored."""
        return {"changes": looking.preview(table, operations, None)}

    @tool
    def find_alike(table: str, correction: str | None = None, scope: Scope = "workbook") -> Any:
        """Proposals to make the same correction at places that look alike."""
        return looking.alike(table, correction, scope)

    @tool
    def accept_alike(
        table: str,
        correction: str,
        scope: Scope = "workbook",
        without: Annotated[list[int] | None, Field(description="Numbers of proposals that are left out.")] = None,
        author: str | None = None,
    ) -> Any:
        """Accept the proposals of find_alike, all or none."""
        return looking.accept(table, correction, scope, without or [], author)

    @tool
    def undo_corrections(document: str, corrections: list[str], author: str | None = None) -> Any:
        """Undo corrections; undoing an undo restores them."""
        return looking.undo(document, corrections, author)
