"""`tabellion query` and `sparql`: one question over the tables of a library, in SQL or in SPARQL."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.answers import AnswerForm as RowForm
    from tabellion.library.library import Library
    from tabellion.library.query import Rows

QUERY_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion query "select name, title from tables" [dim]· all tables[/dim]

[dim]$[/dim] tabellion query .tables [dim]· the same; .help lists all commands that begin with a dot[/dim]

[dim]$[/dim] tabellion query "select * from smoking" --format csv [dim]· a table as it is laid out[/dim]

[dim]$[/dim] tabellion query "select * from smoking_tidy where top_1 = '1990'" [dim]· the same, one row per value[/dim]

[dim]$[/dim] tabellion query "select * from smoking_tidy where top_1 = :year" --save by_year [dim]· save it[/dim]

[dim]$[/dim] tabellion query by_year -p year=1990 --csv [dim]· run it again[/dim]

Relations: documents, tables, columns, tuples, and each table under its name and under its name with _tidy after it."""


_KEPT = "Saved questions"


class Shape(StrEnum):
    """The forms that rows can be printed in."""

    table = "table"
    csv = "csv"
    json = "json"
    jsonl = "jsonl"
    parquet = "parquet"
    xlsx = "xlsx"
    html = "html"
    markdown = "markdown"
    xml = "xml"


SqlArgument = Annotated[
    str,
    typer.Argument(metavar="SQL", help="One SELECT, or the name of a saved query; - reads it from standard input."),
]


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise typer.BadParameter("must be a number")
    return number


SecondsOption = Annotated[
    float,
    typer.Option(
        "--seconds",
        metavar="N",
        min=0.001,
        callback=_finite,
        help="Time limit of the query.",
        rich_help_panel="Limits",
    ),
]
MemoryOption = Annotated[
    int,
    typer.Option(
        "--memory", metavar="MB", min=16, help="Memory limit of the query, in megabytes.", rich_help_panel="Limits"
    ),
]


ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="NAME=VALUE", help="The value of :NAME in the query; may be given again."),
]


def query(
    sql: SqlArgument = "",
    library: LibraryOption = None,
    files: FilesOption = None,
    form: Annotated[
        Shape, typer.Option("--format", "-f", help="table: for people; the others: for programs.")
    ] = Shape.table,
    as_csv: Annotated[bool, typer.Option("--csv", help="The same as --format csv.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    as_table: Annotated[bool, typer.Option("--table", "-t", help="The same as --format table.")] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file. It appears when everything is written."
        ),
    ] = None,
    parameters: ParameterOption = None,
    explain: Annotated[bool, typer.Option("--explain", help="Show the query plan.")] = False,
    timed: Annotated[bool, typer.Option("--time", help="Print the time on standard error.")] = False,
    save: Annotated[
        str | None,
        typer.Option("--save", metavar="NAME", help="Save the query under this name.", rich_help_panel=_KEPT),
    ] = None,
    describe: Annotated[
        str, typer.Option("--describe", metavar="TEXT", help="A description of the saved query.", rich_help_panel=_KEPT)
    ] = "",
    saved: Annotated[bool, typer.Option("--saved", help="List the saved queries.", rich_help_panel=_KEPT)] = False,
    forget: Annotated[
        str | None,
        typer.Option("--forget", metavar="NAME", help="Delete the saved query of this name.", rich_help_panel=_KEPT),
    ] = None,
    seconds: SecondsOption = 60.0,
    memory: MemoryOption = 2048,
) -> None:
    """Run one SQL query over the tables of the library, or a saved query."""
    asked = sys.stdin.read() if sql == "-" else sql
    form = Shape.csv if as_csv else Shape.json if as_json else Shape.table if as_table else form
    with opened_library(library, files, asking=not (saved or forget or save)) as store:
        if forget:
            store.delete_query(forget)
        elif saved:
            _list_saved(store, form)
        elif save:
            store.save_query(save, asked, describe)
        elif asked.lstrip().startswith("."):
            _command(store, asked.strip(), form)
        elif not asked.strip():
            raise typer.BadParameter("a SELECT, the name of a saved question, or --saved", param_hint="SQL")
        else:
            from tabellion.library.asking import statement_of
            from tabellion.library.query import QueryLimits

            statement = statement_of(store, asked, read_parameters(parameters))
            limits = QueryLimits(seconds=seconds, memory=memory * 2**20)
            began = time.perf_counter()
            with store.ask(f"EXPLAIN {statement}" if explain else statement, limits) as answer:
                _write(answer, form, output, explain=explain)
            if timed:
                sys.stderr.write(f"{time.perf_counter() - began:.3f} seconds\n")


def _command(store: Library, typed: str, form: Shape) -> None:
    """A command of the prompt of `tabellion sql`, alone."""
    from tabellion.cli.sql import Prompt
    from tabellion.library.query import QueryLimits

    prompt = Prompt(store, QueryLimits())
    prompt.mode = form.value if form in (Shape.csv, Shape.json) else "table"
    prompt.answer(typed)


def read_parameters(given: list[str] | None) -> dict[str, str | float | None]:
    """Parameters from the command line: NAME=VALUE each."""
    found: dict[str, str | float | None] = {}
    for one in given or ():
        name, sign, value = one.partition("=")
        if not sign:
            raise typer.BadParameter(f"{one!r} is not NAME=VALUE, for example year=1990", param_hint="--param")
        found[name.strip().lstrip(":")] = value
    return found


def _write(answer: Rows, form: Shape, output: Path | None, *, explain: bool) -> None:
    from tabellion.cli.extract import opened

    if explain and form is Shape.table and output is None:
        for batch in answer.batches():
            for plan in batch.column(batch.num_columns - 1).to_pylist():
                typer.echo(plan.rstrip())
        return
    if form is Shape.table and output is None:
        draw_answer(answer)
        return
    with opened(output) as file:
        answer.write(cast("RowForm", "csv" if form is Shape.table else form.value), file)
        file.flush()


def _list_saved(store: Library, form: Shape) -> None:
    kept = store.saved_queries()
    if form is Shape.json:
        import msgspec

        sys.stdout.buffer.write(msgspec.json.encode({"queries": kept}) + b"\n")
        return
    from rich.table import Table
    from rich.text import Text

    from tabellion.cli.messages import open_console

    lines = Table("name", "parameters", "what for", "SQL", box=None, pad_edge=False, header_style="bold")
    for one in kept:
        lines.add_row(one.name, ", ".join(one.parameters), one.description, Text(" ".join(one.sql.split())))
    open_console().print(lines)


def draw_answer(answer: Rows) -> None:
    """The first rows drawn as a table; numbers to the right."""
    from rich.table import Table
    from rich.text import Text

    from tabellion.cli.messages import open_console
    from tabellion.library.query import first_rows

    rows, more = first_rows(answer)
    lines = Table(box=None, pad_edge=False, header_style="bold")
    for field in answer.schema:
        number = any(part in str(field.type) for part in ("int", "double", "float", "decimal"))
        lines.add_column(field.name, justify="right" if number and "list" not in str(field.type) else "left")
    for row in rows:
        lines.add_row(*map(Text, row))
    console = open_console()
    console.print(lines)
    if more:
        console.print(f"... and more: these are the first {len(rows):,} rows; --format csv prints all", style="dim")


SPARQL_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion sparql "SELECT ?table ?title WHERE { ?table a qb:DataSet ; rdfs:label ?title }"

[dim]$[/dim] tabellion sparql - < question.rq --format csv [dim]· a query from a file[/dim]

[dim]$[/dim] tabellion sparql "DESCRIBE :t742d84a3e645c379dc9f" --format turtle [dim]· all about one thing[/dim]

Prefixes are known: qb, skos, prov, dcterms, rdfs, sdmx-measure, sdmx-attribute, tab, and : for tables."""


class AnswerForm(StrEnum):
    """The forms of an answer."""

    csv = "csv"
    tsv = "tsv"
    json = "json"
    xml = "xml"
    turtle = "turtle"
    nquads = "nquads"


def sparql(
    question: Annotated[str, typer.Argument(metavar="QUERY", help="A query; - reads it from standard input.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: Annotated[
        AnswerForm, typer.Option("--format", "-f", help="Of rows: csv, tsv, json, xml; of graphs: turtle, nquads.")
    ] = AnswerForm.csv,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file. It appears when everything is written."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0.001, callback=_finite, help="Time limit of the query.")
    ] = 60.0,
) -> None:
    """Run one SPARQL query over the tables of the library as RDF."""
    asked = sys.stdin.read() if question == "-" else question
    with opened_library(library, files) as kept:
        from tabellion.cli.extract import opened
        from tabellion.cli.messages import complain
        from tabellion.library.graph import answer_query, check_query, open_graph

        check_query(asked)

        def tell(source: str) -> None:
            complain(f"{source}: added to the graph")

        with open_graph(kept, tell) as store, opened(output) as file, ended_after(seconds):
            answer_query(store, asked, file, form.value, seconds)
            file.flush()


@contextmanager
def ended_after(seconds: float) -> Iterator[None]:
    """End the process where the work inside takes too long: a query cannot be asked to stop."""
    from tabellion.cli.messages import complain

    def end() -> None:
        complain(f"the query took longer than {seconds:g} seconds; raise the limit with --seconds")
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
