"""`tabellion compare`: what changed between two tables of the library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.list import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from rich.console import Console

    from tabellion.library.series.comparing import Comparison, Lines

EXAMPLES = """[bold]Examples[/bold]

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
            _draw(found, limit)


def _draw(found: Comparison, limit: int) -> None:
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
