"""`tabellion series` and `compare`: the editions of a table as one relation, and what changed between two tables."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.holdings import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from rich.console import Console

    from tabellion.library.series.comparing import Comparison, Lines
    from tabellion.library.series.lining import Series

SERIES_EXAMPLES = """[bold]Examples[/bold]

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
            _draw_series(found)
    sys.stdout.flush()


def _draw_series(found: Series) -> None:
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


COMPARE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion compare harvest_2018 harvest_2019 [dim]· values, labels and structure that changed[/dim]

[dim]$[/dim] tabellion compare harvest_2018 harvest_2019 --format json | jq '.changed | length'"""


def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="The name or id of a table of the library.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another one, mostly a later edition.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="Changed values shown.")] = 20,
) -> None:
    """Show what changed from one table to another: values, labels, structure."""
    with opened_library(library, files) as store:
        found = store.compare(first, second)
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        else:
            _draw_changes(found, limit)


def _draw_changes(found: Comparison, limit: int) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, emoji=False, markup=False)
    console.print(Text(f"- {found.first.name}  {found.first.source}", "red"))
    console.print(Text(f"+ {found.second.name}  {found.second.source}", "green"))
    for facet in found.structure:
        console.print(Text.assemble((f"{facet.what}: ", "bold"), facet.first or "none", " → ", facet.second or "none"))
    for name, lines in (("rows", found.rows), ("columns", found.columns)):
        _draw_lines(console, name, lines)
    console.print(
        f"\n{found.compared:,} values stand in both, {len(found.changed):,} of them changed"
        f" and {found.unchanged:,} are the same."
    )
    if not found.changed or not limit:
        return
    shown = Table("row", "column", "was", "is", "by", box=None, pad_edge=False, header_style="bold")
    for column in shown.columns[2:]:
        column.justify = "right"
    for one in found.changed[:limit]:
        by = "" if one.share is None else f"{one.share:+.1%}"
        shown.add_row(" / ".join(one.left), " / ".join(one.top), one.text, one.other_text, by)
    console.print(shown)
    if len(found.changed) > limit:
        console.print(f"... and {len(found.changed) - limit:,} more; --limit shows more of them", style="dim")


def _draw_lines(console: Console, name: str, lines: Lines) -> None:
    from rich.text import Text

    console.print(
        f"\n{name}: {lines.same:,} the same, {len(lines.renamed):,} renamed, {len(lines.only_first):,} gone,"
        f" {len(lines.only_second):,} new"
    )
    for before, after in lines.renamed:
        console.print(Text(f"  {' / '.join(before)} → {' / '.join(after)}"))
    for sign, style, paths in (("-", "red", lines.only_first), ("+", "green", lines.only_second)):
        for path in paths[:_SHOWN]:
            console.print(Text(f"  {sign} {' / '.join(path)}", style))
        if len(paths) > _SHOWN:
            console.print(f"  {sign} ... and {len(paths) - _SHOWN:,} more", style="dim")


_SHOWN = 20  # lines that are gone or new, of each
