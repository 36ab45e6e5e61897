"""`tabellion history`: the corrections of a table's document, and where each stands."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from rich.table import Table

    from tabellion.repair.replay import Standing

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion history smoking [dim]· who corrected what and when, and whether it holds[/dim]

[dim]$[/dim] tabellion history smoking --format json"""

_STYLES = {"in force": "green", "undone": "dim", "replaced": "dim", "conflict": "bold red", "does not fit": "yellow"}


class HistoryForm(StrEnum):
    """How the corrections are printed."""

    table = "table"
    json = "json"


def history(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The id or the name of a table.")],
    form: Annotated[
        HistoryForm, typer.Option("--format", "-f", help="For people or for programs.")
    ] = HistoryForm.table,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """List every correction of a table's document and whether it holds."""
    with opened_library(library, files) as store:
        standings = store.repair(table).history
        if form is HistoryForm.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode({"corrections": standings}) + b"\n")
            return
        from rich.console import Console

        Console(highlight=False, emoji=False, markup=False).print(draw_history(standings))


def draw_history(standings: tuple[Standing, ...]) -> Table:
    """Corrections as lines, the oldest first."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from tabellion.repair.places import describe

    lines = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, header_style="bold")
    for name in ("id", "made", "by", "correction", "stands"):
        lines.add_column(name, no_wrap=name in ("id", "made"))
    for one in standings:
        said = one.correction
        state = Text(one.state, _STYLES[one.state])
        if one.note:
            state.append(f" {one.note}", "dim")
        lines.add_row(said.id, said.made[:16].replace("T", " "), said.author or "", describe(said.operation), state)
    return lines
