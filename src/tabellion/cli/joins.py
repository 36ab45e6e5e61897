"""`tabellion joins`: the tables of the library that can be joined with a given one, and the SQL that does it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.holdings import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, current_user, opened_library

if TYPE_CHECKING:
    from tabellion.library.joins.partners import Partner
    from tabellion.library.library import Library
    from tabellion.model.correction import Correction

EXAMPLES = """[bold]Examples[/bold]

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
        typer.Option("--accept", metavar="PARTNER", help="Take labels that nearly agree with its own as the same."),
    ] = None,
    same: Annotated[
        list[str] | None,
        typer.Option("--same", metavar="LABEL=OTHER", help="A label that is the same as another; may be given again."),
    ] = None,
    take_back: Annotated[
        str | None, typer.Option("--take-back", metavar="ID", help="Take a correction back (tabellion history).")
    ] = None,
    author: Annotated[
        str | None, typer.Option("--author", metavar="NAME", help="Who says so; by default the user.")
    ] = None,
) -> None:
    """Find tables that can be joined with a given one."""
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
        said.append("some rows stand in both" if one.way == "columns" else "some rows meet several")
    return said
