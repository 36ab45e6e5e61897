"""`tabellion joins`, `series` and `compare`: tables that belong together.

`tabellion series` and `compare`: the editions of a table as one relation, and what changed between two tables.

`tabellion joins`: the tables of the library that can be joined with a given one, and the SQL that does it.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.holdings import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, current_user, opened_library

if TYPE_CHECKING:
    from rich.console import Console

    from tabellion.library.joins.partners import Partner
    from tabellion.library.library import Library
    from tabellion.library.series.comparing import Comparison, Lines
    from tabellion.library.series.lining import Series
    from tabellion.model.correction import Correction


JOINS_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion joins smoking [dim]· the name that search, list or SQL know a table by[/dim]

[dim]$[/dim] tabellion joins smoking -n 1 --format json | jq -r '.partners[0].sql' [dim]· the statement alone[/dim]

[dim]$[/dim] tabellion joins smoking --accept surveys [dim]· labels that nearly agree are the same from now on[/dim]"""

_NEAR = 5  # labels that nearly agree, of each table, that are shown
_SAID = {"rows": "the same rows", "columns": "the same columns", "across": "rows of one are columns of the other"}


def joins(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The name or id of a table of the library.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, max=100, help="Tables shown.")] = 5,
    accept: Annotated[
        str | None,
        typer.Option("--accept", metavar="PARTNER", help="Accept the proposed label pairs with this table."),
    ] = None,
    same: Annotated[
        list[str] | None,
        typer.Option("--same", metavar="LABEL=OTHER", help="Treat two labels as the same; may be given again."),
    ] = None,
    take_back: Annotated[
        str | None, typer.Option("--take-back", metavar="ID", help="Undo a correction (see tabellion history).")
    ] = None,
    author: Annotated[
        str | None, typer.Option("--author", metavar="NAME", help="The author of the correction. Default: the user.")
    ] = None,
) -> None:
    """Find tables that join with a table, and print the SQL."""
    with opened_library(library, files) as store:
        if accept or same or take_back:
            _say(store, table, accept, same or [], take_back, author)
        found = store.joins(table, limit)
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode({"table": table, "partners": found}) + b"\n")
        else:
            _draw(found)


def _say(
    store: Library, table: str, accept: str | None, same: list[str], take_back: str | None, author: str | None
) -> None:
    """Keep labels as the same, or take that back; each is a correction in the log."""
    from tabellion.errors import LibraryError

    bench = store.repair(table, author=author or current_user())
    if take_back:
        bench.undo(take_back)
    labels = {}
    for pair in same:
        label, sign, other = pair.partition("=")
        if not sign or not label.strip() or not other.strip():
            raise typer.BadParameter(f"{pair!r} is not LABEL=OTHER, as in 'Viet Nam=Vietnam'", param_hint="--same")
        labels[label.strip()] = other.strip()
    if accept:
        near = [one for one in store.joins(table, 100) if accept in (one.name, one.table)]
        if not near or not near[0].nearly:
            raise LibraryError(f"{accept}: no label of it nearly agrees with one of {table}")
        labels |= {mine: theirs for mine, theirs, _ in near[0].nearly}
    for kept in bench.set_labels(labels) if labels else ():
        sys.stderr.write(f"{kept.id}: {describe(kept)}\n")


def describe(kept: Correction) -> str:
    from tabellion.repair.places import describe as say

    return say(kept.operation)


def _draw(found: list[Partner]) -> None:
    from rich.text import Text

    from tabellion.cli.messages import open_console

    console = open_console()
    if not found:
        console.print("No table can be joined with this one.")
    elif found[0].weak:
        console.print("No table has more than a few labels in common with this one; the nearest:", style="yellow")
    for number, one in enumerate(found, 1):
        console.print(Text.assemble(f"{number:>2}  ", (one.title or one.name, "bold")))
        console.print(Text(f"    {one.source}  {one.name}", "dim"))
        console.print(Text(f"    {', '.join(_meeting(one))}{'; ' + ', '.join(one.units) if one.units else ''}"))
        if one.nearly:
            pairs = ", ".join(f"{mine} = {theirs}" for mine, theirs, _ in one.nearly[:_NEAR])
            more = f" and {len(one.nearly) - _NEAR} more" if len(one.nearly) > _NEAR else ""
            console.print(Text(f"    nearly the same: {pairs}{more} (--accept {one.name} keeps that)", "yellow"))
        console.print(Text("\n".join(f"    {line}" for line in one.sql.splitlines()) + "\n", "dim"), soft_wrap=True)


def _meeting(one: Partner) -> list[str]:
    """What the statement gave when it was run."""
    things, label = ("columns", "column") if one.way == "columns" else ("rows", "label")
    mine, theirs = one.matched + one.unmatched, one.matched_theirs + one.unmatched_theirs
    said = [
        _SAID[one.way],
        f"{one.shared:,} {label}{'s' if one.shared > 1 else ''} in common",
        f"{one.matched:,} of {mine:,} {things} of this table",
        f"{one.matched_theirs:,} of {theirs:,} of that",
        f"gives {one.rows:,} row{'s' if one.rows > 1 else ''}",
    ]
    if one.repeats:
        said.append("some rows are in both" if one.way == "columns" else "some rows meet several")
    return said


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
        typer.Option("--format", "-f", help="table, json: editions, columns and SQL; csv, parquet: the rows."),
    ] = SeriesForm.table,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file instead.")
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Combine the editions of a table into one relation, with the edition as a column."""
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
    from rich.table import Table
    from rich.text import Text

    from tabellion.cli.messages import open_console

    console = open_console()
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
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another table, usually a later edition.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=0, help="Changed values shown.")] = 20,
) -> None:
    """Compare two tables: values, headers and structure."""
    with opened_library(library, files) as store:
        found = store.compare(first, second)
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        else:
            _draw_changes(found, limit)


def _draw_changes(found: Comparison, limit: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from tabellion.cli.messages import open_console

    console = open_console()
    console.print(Text(f"- {found.first.name}  {found.first.source}", "red"))
    console.print(Text(f"+ {found.second.name}  {found.second.source}", "green"))
    for facet in found.structure:
        console.print(Text.assemble((f"{facet.what}: ", "bold"), facet.first or "none", " → ", facet.second or "none"))
    for name, lines in (("rows", found.rows), ("columns", found.columns)):
        _draw_lines(console, name, lines)
    console.print(
        f"\n{found.compared:,} values are in both, {len(found.changed):,} of them changed"
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
