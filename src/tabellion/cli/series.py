"""`tabellion series`: the editions of a table of the library, lined up as one relation."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.series.lining import Series

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion series harvest_2019 [dim]· the editions of a table, its columns over all, and the SQL[/dim]

[dim]$[/dim] tabellion series harvest_2019 --format csv -o harvest.csv [dim]· all rows, the edition as a column[/dim]

[dim]$[/dim] tabellion series harvest_2019 --format json | jq -r .sql [dim]· the statement alone, to go on with[/dim]"""


class SeriesForm(StrEnum):
    """How a series is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"


def series(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The name or id of any edition of the table.")],
    form: Annotated[
        SeriesForm,
        typer.Option(
            "--format", "-f", help="table: what there is; json: the same for programs; csv, parquet: the rows."
        ),
    ] = SeriesForm.table,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead.")
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Line up the editions of a table: one relation over all years, with the edition as a column."""
    from tabellion.cli.extract import opened

    with opened_library(library, files) as store:
        found = store.series(table)
        if form in (SeriesForm.csv, SeriesForm.parquet):
            from tabellion.library.query import write_csv, write_parquet

            write = write_csv if form is SeriesForm.csv else write_parquet
            with store.ask(found.sql) as answer, opened(output) as file:
                write(answer, file)
                file.flush()
        elif form is SeriesForm.json or output:
            import msgspec

            with opened(output) as file:
                file.write(msgspec.json.encode(found) + b"\n")
                file.flush()
        else:
            _draw(found)
    sys.stdout.flush()


def _draw(found: Series) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, emoji=False, markup=False)
    if len(found.editions) == 1:
        console.print("No other edition of this table is in the library.")
        return
    lines = Table("edition", "table", "source", "likeness", box=None, pad_edge=False, header_style="bold")
    for one in found.editions:
        lines.add_row(one.edition, one.name, one.source, f"{one.likeness:.2f}")
    console.print(lines)
    console.print()
    shown = Table("column", "unit", "editions", "", box=None, pad_edge=False, header_style="bold")
    for column in found.columns:
        editions = list(column.editions)
        span = ", ".join(editions) if len(editions) < 4 else f"{len(editions)}: {editions[0]} to {editions[-1]}"
        notes = ["as far from each edition's own time"] if column.shifted else []
        notes += [f"{edition} converted from {unit}" for edition, unit in column.converted.items()]
        notes += ["numbers and words, as text"] if column.as_text else []
        shown.add_row(column.name, column.unit or "", span, Text("; ".join(notes), "dim"))
    console.print(shown)
    console.print(f"\n{found.rows:,} rows over {len(found.editions)} editions:")
    console.print(Text(found.sql, "dim"), soft_wrap=True)
