"""`tabellion sparql`: one question in SPARQL over the tables of a library."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion sparql "SELECT ?table ?title WHERE { ?table a qb:DataSet ; rdfs:label ?title }"

[dim]$[/dim] tabellion sparql - < question.rq --format csv [dim]· a question from a file[/dim]

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
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file; it appears once all is written."),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="N", min=0.001, help="How long a query may run.")
    ] = 60.0,
) -> None:
    """Ask one question in SPARQL."""
    asked = sys.stdin.read() if question == "-" else question
    with opened_library(library, files) as kept:
        from tabellion.cli.extract import opened
        from tabellion.cli.messages import complain
        from tabellion.library.graph import answer_query, check_query, open_graph

        check_query(asked)

        def tell(source: str) -> None:
            complain(f"{source}: added to the graph")

        store = open_graph(kept, tell)
        with opened(output) as file, ended_after(seconds):
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
