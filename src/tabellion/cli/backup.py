"""`tabellion backup`: a library copied as a whole."""

from __future__ import annotations

from typing import Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion backup /mnt/backups/2026-05-01 [dim]· while others go on reading and writing[/dim]

[dim]$[/dim] tabellion backup copy --library postgresql://host/tables --files /srv/tables [dim]· into a folder[/dim]

A backup is a library itself: `tabellion search WORDS --library copy`."""


def backup(
    to: Annotated[str, typer.Argument(metavar="DIR", help="A folder that is not there yet, or is empty.")],
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Copy the library to a folder, while others may be writing to it."""
    with opened_library(library, files) as store:
        from tabellion.library.backup import copy_library

        count = copy_library(store, to)
    typer.echo(f"{count:,} documents are kept in {to}", err=True)
