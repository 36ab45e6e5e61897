"""`tabellion restore`: a library from its backup."""

from __future__ import annotations

from typing import Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion restore /mnt/backups/2026-05-01 --library shared/ [dim]· where there is no library yet[/dim]"""


def restore(
    source: Annotated[str, typer.Argument(metavar="DIR", help="The folder of a backup.")],
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Make a library from a backup, at a place where there is none."""
    from tabellion.library.files import default_place

    place = library or default_place()
    with opened_library(source, None) as store:
        from tabellion.library.backup import copy_library

        count = copy_library(store, place, files)
    typer.echo(f"{count:,} documents are in the library again", err=True)
