"""The options that the commands of the library share, and how a library is opened for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tabellion.library.shelf import Library

LibraryOption = Annotated[
    str | None,
    typer.Option(
        "--library",
        "-l",
        metavar="DIR",
        envvar="TABELLION_LIBRARY",
        show_envvar=False,
        help="The library's folder, or the URL of a PostgreSQL database; by default in the user's data folder.",
    ),
]
FilesOption = Annotated[
    str | None,
    typer.Option("--files", metavar="DIR", help="The folder for the files where the library is a PostgreSQL URL."),
]


@contextmanager
def opened_library(place: str | None, files: str | None, *, create: bool = False) -> Iterator[Library]:
    """The library of a call; what goes wrong with it is one line and exit status 1."""
    from tabellion.cli.messages import complain, ending_quietly
    from tabellion.errors import TabellionError
    from tabellion.library import open_library

    try:
        with ending_quietly(), open_library(place, files, create=create) as library:
            yield library
    except TabellionError as error:
        complain(str(error))
        raise typer.Exit(1) from None
