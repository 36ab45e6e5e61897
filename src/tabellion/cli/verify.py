"""`tabellion verify`: whether a library is what its catalogue says."""

from __future__ import annotations

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion verify --library shared/ [dim]· every hash and count, and the index[/dim]

Exit status: 0 if nothing is wrong, 1 if something is; each fault is a line."""


def verify(library: LibraryOption = None, files: FilesOption = None) -> None:
    """Check hashes, counts and the index against the catalogue."""
    with opened_library(library, files) as store:
        from tabellion.library.verify import verify_library

        faults = 0
        for fault in verify_library(store):
            typer.echo(fault)
            faults += 1
    raise typer.Exit(1 if faults else 0)
