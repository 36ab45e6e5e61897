"""`tabellion serve`: the library for programs, over HTTP."""

from __future__ import annotations

import ipaddress
from typing import Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, PrivateOption, opened_library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion serve --library store [dim]· http://127.0.0.1:8765, described at /openapi.json[/dim]

[dim]$[/dim] TABELLION_TOKEN=... tabellion serve --host 0.0.0.0 [dim]· for others, who must know the token[/dim]"""

WriteOption = Annotated[bool, typer.Option("--write", help="Let documents be added and removed.")]


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
            help="What requests must show (TABELLION_TOKEN).",
        ),
    ] = None,
    write: WriteOption = False,
    private: PrivateOption = "no",
) -> None:
    """Answer programs over HTTP: search, tables, tuples, SQL, joins, export."""
    loopback = is_loopback(host)
    if not loopback and not token:
        raise typer.BadParameter(f"{host} can be reached by others: name a token with --token", param_hint="--host")
    need_serving("uvicorn", "fastapi")
    with opened_library(library, files, create=write) as store:
        store.private = private == "yes"
        from tabellion.web.app import build_app
        from tabellion.web.running import run_server

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
