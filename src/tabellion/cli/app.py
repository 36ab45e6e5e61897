"""`tabellion app`: the library for people, in the browser."""

from __future__ import annotations

import secrets
import socket
import threading
from getpass import getuser
from typing import Annotated
from urllib.parse import quote

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library
from tabellion.cli.serve import need_serving

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion app [dim]· opens the library in the browser: find, look, repair, ask[/dim]

[dim]$[/dim] tabellion app --library store --read-only [dim]· nothing can be added or changed[/dim]

[dim]$[/dim] tabellion app --no-browser --port 9000 [dim]· prints the address to open[/dim]"""

_HOST = "127.0.0.1"
_MOMENT = 0.4  # seconds that the server is given before the browser asks


def app(
    library: LibraryOption = None,
    files: FilesOption = None,
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0: any free one.")] = 0,
    read_only: Annotated[bool, typer.Option("--read-only", help="Only look: nothing is added or changed.")] = False,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser, or only print the address.")
    ] = True,
) -> None:
    """Open the library in the browser: find, look at, repair and ask tables, without another command."""
    need_serving("uvicorn", "fastapi")
    with opened_library(library, files, create=not read_only) as store:
        from tabellion.web.app import build_app
        from tabellion.web.running import run_server

        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, port))
        except OSError as error:
            raise typer.BadParameter(f"port {port} cannot be had ({error.strerror})", param_hint="--port") from None
        token = secrets.token_urlsafe(24)
        address = f"http://{_HOST}:{listening.getsockname()[1]}/#token={quote(token)}"
        served = build_app(store, token=token, write=not read_only, author=_user())
        typer.echo(f"{address}\nThe address lets whoever has it in. Ctrl+C ends it.", err=True)
        if browser:
            import webbrowser

            threading.Timer(_MOMENT, webbrowser.open, [address]).start()
        run_server(served, _HOST, port, store.release, [listening])


def _user() -> str | None:
    try:
        return getuser()
    except (KeyError, OSError):
        return None
