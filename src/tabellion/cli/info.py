"""`tabellion info`: what a library holds, or what it knows of one document."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from tabellion.cli.list import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion info [dim]· how much there is of everything[/dim]

[dim]$[/dim] tabellion info report.xlsx [dim]· one document: its tables by name, its history[/dim]"""


def info(
    name: Annotated[
        str | None, typer.Argument(metavar="[DOCUMENT]", help="The id, path or address of a document.")
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
) -> None:
    """Say what the library holds, or what it knows of one document."""
    with opened_library(library, files) as store:
        from tabellion.library.facts import describe_document, describe_library

        facts = describe_document(store, name) if name else describe_library(store)
        if form is Listing.json:
            sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        else:
            _draw(facts)


def _draw(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, emoji=False, markup=False)
    lines = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        if not isinstance(fact, list):
            lines.add_row(name, f"{fact:,}" if isinstance(fact, int) else str(fact if fact is not None else ""))
    console.print(lines)
    for name, held in facts.items():
        if isinstance(held, list) and held:
            shown = Table(*held[0], title=name, title_justify="left", box=None, pad_edge=False, header_style="bold")
            for row in held:
                shown.add_row(*("" if value is None else str(value) for value in row.values()))
            console.print(shown)
