"""`tabellion cite`: a number of the library with all that leads back to it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tabellion.cli.list import FormatOption, Listing
from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

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
