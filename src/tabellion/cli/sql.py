"""`tabellion sql`: a prompt for SQL over the tables of a library, with completion."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library
from tabellion.cli.query import MemoryOption, SecondsOption
from tabellion.cli.sql_commands import Desk

if TYPE_CHECKING:
    from collections.abc import Callable

    from tabellion.library.library import Library

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion sql [dim]· then: select name, title from tables;[/dim]

At the prompt: a question ends with a semicolon, Tab completes names of tables and columns, Ctrl-C stops a question,
Ctrl-D ends. [bold].tables[/bold] PATTERN, [bold].schema[/bold] NAME, [bold].saved[/bold], [bold].run[/bold] NAME
PARAMETER=VALUE, [bold].save[/bold] NAME SELECT, [bold].mode[/bold] table, csv or json, [bold].timer[/bold] on or off,
[bold].help[/bold]; EXPLAIN before a question shows how it would be answered."""

PROMPT, MORE = "tabellion> ", "      ...> "


def sql(
    library: LibraryOption = None,
    files: FilesOption = None,
    seconds: SecondsOption = 60.0,
    memory: MemoryOption = 2048,
) -> None:
    """Ask questions in SQL at a prompt."""
    with opened_library(library, files, asking=True) as store:
        from tabellion.library.query import QueryLimits

        desk = Desk(store, QueryLimits(seconds=seconds, memory=memory * 2**20))
        read = _reader(store)
        while (asked := read_question(read)) is not None:
            desk.take(asked)


def read_question(read: Callable[[str], str]) -> str | None:
    """Lines up to a semicolon; None at the end of the input."""
    lines: list[str] = []
    while True:
        try:
            line = read(MORE if lines else PROMPT)
        except KeyboardInterrupt:
            lines = []
            continue
        except EOFError:
            rest = "\n".join(lines).strip()
            return rest or None
        if not lines and line.strip().lower() in ("exit", "quit", "\\q"):
            return None
        if not lines and line.strip().startswith("."):
            return line.strip().rstrip(";")
        if line.strip() or lines:
            lines.append(line)
        if line.rstrip().endswith(";"):
            return "\n".join(lines).rstrip().rstrip(";")


def _reader(store: Library) -> Callable[[str], str]:
    """How a line is read: with completion at a terminal, plainly from a pipe."""
    if not sys.stdin.isatty():

        def plain(_: str) -> str:
            line = sys.stdin.readline()
            if not line:
                raise EOFError
            return line.rstrip("\n")

        return plain
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory
    except ModuleNotFoundError:
        from tabellion.errors import MissingExtraError

        raise MissingExtraError("prompt_toolkit is not installed: pip install 'tabellion[library]'") from None
    from tabellion.cli.sql_completion import NameCompleter

    history = FileHistory(str(store.folder.root / "sql_history"))
    session: PromptSession[str] = PromptSession(
        history=history, completer=NameCompleter(store), complete_while_typing=False
    )
    typer.echo("SQL over the library; a question ends with a semicolon, Ctrl-D ends.", err=True)
    return session.prompt
