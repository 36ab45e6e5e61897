"""`tabellion remove`: documents out of the library."""

from __future__ import annotations

from typing import Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion remove report.xlsx [dim]· its tables are gone; its history and its original stay[/dim]

[dim]$[/dim] tabellion remove 8d92834a6d95b55c --forget [dim]· by its id; nothing of it stays[/dim]"""


def remove(
    names: Annotated[list[str], typer.Argument(metavar="DOCUMENT", help="Ids, paths or addresses of documents.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    forget: Annotated[bool, typer.Option("--forget", help="Keep neither its history nor its original.")] = False,
) -> None:
    """Remove documents from the library."""
    from tabellion.cli.messages import complain
    from tabellion.errors import LibraryError

    failed = False
    with opened_library(library, files) as store:
        for name in names:
            try:
                store.remove(name, forget=forget)
            except LibraryError as error:
                complain(str(error))
                failed = True
    raise typer.Exit(1 if failed else 0)
