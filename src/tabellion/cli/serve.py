"""`tabellion serve`, `app` and `mcp`: the library for programs, for people in the browser, for language models."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
from typing import Annotated
from urllib.parse import quote

import typer

from tabellion.cli.options import FilesOption, LibraryOption, PrivateOption, current_user, opened_library

SERVE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion serve --library store [dim]· http://127.0.0.1:8765, described at /openapi.json[/dim]

[dim]$[/dim] TABELLION_TOKEN=... tabellion serve --host 0.0.0.0 [dim]· for others, who must know the token[/dim]"""

_SHORTEST = 16  # characters of a token where others can try: a thousand tries a second find five of them in a day
WriteOption = Annotated[bool, typer.Option("--write", help="Allow clients to add, remove and correct documents.")]


def serve(
    library: LibraryOption = None,
    files: FilesOption = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0: any free one.")] = 8765,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="TABELLION_TOKEN",
            show_envvar=False,
            help="The token that requests must send (or TABELLION_TOKEN).",
        ),
    ] = None,
    write: WriteOption = False,
    private: PrivateOption = "no",
) -> None:
    """Serve the library to programs over HTTP: search, tables, SQL, joins, export."""
    loopback = is_loopback(host)
    if not loopback and len(token or "") < _SHORTEST:
        said = "name a token with --token" if not token else f"a token of fewer than {_SHORTEST} characters is guessed"
        example = secrets.token_urlsafe(24)
        raise typer.BadParameter(f"{host} can be reached by others: {said}, such as {example}", param_hint="--host")
    need_serving("uvicorn", "fastapi")
    with opened_library(library, files, create=write) as store:
        store.private = private == "yes"
        from tabellion.web.app import build_app
        from tabellion.web.serving import run_server

        app = build_app(store, token=token, loopback=loopback, write=write)
        run_server(app, host, port, store.release)


def need_serving(*packages: str) -> None:
    """An error that says what to install, where a package is missing."""
    from importlib.util import find_spec

    from tabellion.cli.messages import complain

    missing = [name for name in packages if find_spec(name) is None]
    if missing:
        complain(f"this needs {', '.join(missing)}: pip install 'tabellion[serve]'")
        raise typer.Exit(1)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


APP_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion app [dim]· opens the library in the browser: find, look, repair, ask[/dim]

[dim]$[/dim] tabellion app --library store --read-only [dim]· nothing can be added or changed[/dim]

[dim]$[/dim] tabellion app --no-browser --port 9000 [dim]· prints the address to open[/dim]"""

_HOST = "127.0.0.1"
_MOMENT = 0.4  # seconds that the server is given before the browser asks


def app(
    library: LibraryOption = None,
    files: FilesOption = None,
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0: any free one.")] = 0,
    read_only: Annotated[bool, typer.Option("--read-only", help="Allow no change of the library.")] = False,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the browser, or only print the address.")
    ] = True,
) -> None:
    """Open the library in the browser: search, view, fix and query tables."""
    need_serving("uvicorn", "fastapi")
    with opened_library(library, files, create=not read_only) as store:
        from tabellion.web.app import build_app
        from tabellion.web.serving import run_server

        listening = socket.socket()
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((_HOST, port))
        except OSError as error:
            raise typer.BadParameter(f"port {port} cannot be had ({error.strerror})", param_hint="--port") from None
        token = secrets.token_urlsafe(24)
        address = f"http://{_HOST}:{listening.getsockname()[1]}/#token={quote(token)}"
        served = build_app(store, token=token, write=not read_only, author=current_user())
        typer.echo(f"{address}\nThe address lets whoever has it in. Ctrl+C ends it.", err=True)
        if browser:
            import webbrowser

            threading.Timer(_MOMENT, webbrowser.open, [address]).start()
        run_server(served, _HOST, port, store.release, [listening])


MCP_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion mcp --library store [dim]· the command that an agent's settings name[/dim]"""


def mcp(
    library: LibraryOption = None, files: FilesOption = None, write: WriteOption = False, private: PrivateOption = "no"
) -> None:
    """Serve the library to agents over the Model Context Protocol (MCP)."""
    need_serving("mcp")
    with opened_library(library, files, create=write) as store:
        store.private = private == "yes"
        from tabellion.web.mcp import build_server
        from tabellion.web.serving import serve_stdio

        serve_stdio(build_server(store, write=write))
