"""`tabellion query`: one SQL question over the tables of a library."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.query import Rows

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion query "select name, title from tables" [dim]· what there is[/dim]

[dim]$[/dim] tabellion query "select * from smoking" --format csv [dim]· a table as it is laid out[/dim]

[dim]$[/dim] tabellion query "select * from smoking_tidy where top_1 = '1990'" [dim]· the same, one row per value[/dim]

Relations: documents, tables, columns, tuples, and each table under its name and under its name with _tidy after it."""


class Shape(StrEnum):
    """The forms that rows can be printed in."""

    table = "table"
    csv = "csv"
    json = "json"
    parquet = "parquet"


SecondsOption = Annotated[
    float, typer.Option("--seconds", metavar="N", min=0.001, help="How long a query may run.", rich_help_panel="Limits")
]
MemoryOption = Annotated[
    int, typer.Option("--memory", metavar="MB", min=16, help="Megabytes it may hold.", rich_help_panel="Limits")
]


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT; - reads it from standard input.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: Annotated[
        Shape, typer.Option("--format", "-f", help="table: for people; csv, json, parquet: for programs.")
    ] = Shape.table,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file; it appears once all is written."),
    ] = None,
    seconds: SecondsOption = 60.0,
    memory: MemoryOption = 2048,
) -> None:
    """Ask one question in SQL."""
    asked = sys.stdin.read() if sql == "-" else sql
    with opened_library(library, files, asking=True) as store:
        from tabellion.cli.extract import opened
        from tabellion.library.query import QueryLimits, write_csv, write_json, write_parquet

        limits = QueryLimits(seconds=seconds, memory=memory * 2**20)
        with store.ask(asked, limits) as answer:
            if form is Shape.table and output is None:
                draw_answer(answer)
                return
            write = {Shape.json: write_json, Shape.parquet: write_parquet}.get(form, write_csv)
            with opened(output) as file:
                write(answer, file)
                file.flush()


def draw_answer(answer: Rows) -> None:
    """The first rows drawn as a table; numbers to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from tabellion.library.query import first_rows

    rows, more = first_rows(answer)
    lines = Table(box=None, pad_edge=False, header_style="bold")
    for field in answer.schema:
        number = any(part in str(field.type) for part in ("int", "double", "float", "decimal"))
        lines.add_column(field.name, justify="right" if number and "list" not in str(field.type) else "left")
    for row in rows:
        lines.add_row(*map(Text, row))
    console = Console(highlight=False, emoji=False, markup=False)
    console.print(lines)
    if more:
        console.print(f"... and more: these are the first {len(rows):,} rows; --format csv prints all", style="dim")
