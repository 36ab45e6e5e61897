"""`tabellion joins`: the tables of the library that can be joined with a given one, and the SQL that does it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.list import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.joins.partners import Partner

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion joins smoking [dim]· the name that search, list or SQL know a table by[/dim]

[dim]$[/dim] tabellion joins smoking -n 1 --format json | jq -r '.partners[0].sql' [dim]· the statement alone[/dim]"""

_SAID = {"rows": "the same rows", "columns": "the same columns", "across": "rows of one are columns of the other"}


def joins(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The name or id of a table of the library.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", min=1, max=100, help="Tables shown.")] = 5,
) -> None:
    """Find tables that can be joined with a given one."""
    with opened_library(library, files) as store:
        found = store.joins(table, limit)
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode({"table": table, "partners": found}) + b"\n")
        else:
            _draw(found)


def _draw(found: list[Partner]) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, emoji=False, markup=False)
    if not found:
        console.print("No table can be joined with this one.")
    elif found[0].weak:
        console.print("No table has more than a few labels in common with this one; the nearest:", style="yellow")
    for number, one in enumerate(found, 1):
        console.print(Text.assemble(f"{number:>2}  ", (one.title or one.name, "bold")))
        console.print(Text(f"    {one.source}  {one.name}", "dim"))
        console.print(Text(f"    {', '.join(_meeting(one))}{'; ' + ', '.join(one.units) if one.units else ''}"))
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
        said.append("some rows stand in both" if one.way == "columns" else "some rows meet several")
    return said
