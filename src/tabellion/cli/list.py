"""`tabellion list`: the documents of a library."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.kept import ListedDocument

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion list [dim]· one line per document[/dim]

[dim]$[/dim] tabellion list --format json [dim]· with the ids of its tables[/dim]"""


class Listing(StrEnum):
    """The forms that documents can be listed in."""

    table = "table"
    json = "json"


FormatOption = Annotated[Listing, typer.Option("--format", "-f", help="table: for people; json: for programs.")]


def list_documents(
    library: LibraryOption = None, files: FilesOption = None, form: FormatOption = Listing.table
) -> None:
    """List the documents of the library."""
    with opened_library(library, files) as store:
        found = store.documents()
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode({"documents": found}) + b"\n")
        else:
            _draw(found)


def _draw(found: list[ListedDocument]) -> None:
    from rich.console import Console
    from rich.table import Table

    lines = Table("id", "source", "medium", "tables", "added", box=None, pad_edge=False, header_style="bold")
    for document in found:
        lines.add_row(
            document.id,
            document.source,
            document.medium,
            str(len(document.tables)),
            document.added[:16].replace("T", " "),
        )
    console = Console(highlight=False, emoji=False, markup=False)
    if not console.is_terminal:
        console.width = max(200, console.width)
    console.print(lines)
