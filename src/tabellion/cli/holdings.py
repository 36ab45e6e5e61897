"""`tabellion list`, `info`, `cite`: what a library holds, what it knows of a document, where a number comes from."""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.kept import ListedDocument

LIST_EXAMPLES = """[bold]Examples[/bold]

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
            _draw_documents(found)


def _draw_documents(found: list[ListedDocument]) -> None:
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


INFO_EXAMPLES = """[bold]Examples[/bold]

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
            _draw_facts(facts)


def _draw_facts(facts: dict[str, Any]) -> None:
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


CITE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion cite smoking B10 [dim]· the address that SQL and exports give beside each value[/dim]

[dim]$[/dim] tabellion cite smoking B10 --format json | jq .sha256 [dim]· the edition that it was read from[/dim]"""


def cite(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The name or id of a table of the library.")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The address of a value: B10.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
) -> None:
    """Say where a number comes from: labels, title, document, edition and place."""
    with opened_library(library, files) as shelf:
        from tabellion.library.citing import cite_value

        found = cite_value(shelf, table, address)
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        else:
            typer.echo(found.text)
