"""`tabellion mcp`: the library for language-model agents, over standard input and output."""

from __future__ import annotations

from tabellion.cli.options import FilesOption, LibraryOption, PrivateOption, opened_library
from tabellion.cli.serve import WriteOption, need_serving

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion mcp --library shelf [dim]· the command that an agent's settings name[/dim]"""


def mcp(
    library: LibraryOption = None, files: FilesOption = None, write: WriteOption = False, private: PrivateOption = "no"
) -> None:
    """Answer agents over the Model Context Protocol: list, search, read, SQL, joins."""
    need_serving("mcp")
    with opened_library(library, files, create=write) as store:
        store.private = private == "yes"
        from tabellion.web.mcp import build_server, serve_stdio

        serve_stdio(build_server(store, write=write))
