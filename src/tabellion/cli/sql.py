"""`tabellion sql`: a prompt for SQL over the tables of a library, with completion.

In: what was typed: questions, and commands that begin with a dot. Out: what is printed. Whatever goes wrong is a line,
and the prompt goes on. Completed are names of relations anywhere, and of columns where their relation is named already;
names that are no plain words are completed with quotes.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from tabellion.cli.messages import complain
from tabellion.cli.options import FilesOption, LibraryOption, opened_library
from tabellion.cli.query import MemoryOption, SecondsOption, draw_answer, read_parameters
from tabellion.errors import TabellionError
from tabellion.library.relations import KEYWORDS, complete_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    from tabellion.library.library import Library
    from tabellion.library.query import QueryLimits


_WORD = re.compile(r'"\w*+$|(?<!\w)\w*+$')


def name_completer(store: Library) -> Completer:
    """Completes the names of one library."""
    from prompt_toolkit.completion import Completer, Completion

    class Names(Completer):
        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
            match = _WORD.search(document.text_before_cursor)
            start = match[0] if match else ""
            begun = start.lstrip('"').lower()
            for name in complete_name(store, begun, document.text):
                yield Completion(name, start_position=-len(start))
            for word in KEYWORDS:
                if begun and word.startswith(begun):
                    yield Completion(word, start_position=-len(start))

    return Names()


HELP = """.tables [PATTERN]            the tables, all or those whose names have PATTERN in them
.schema NAME                 the columns of a table: name, role, type, unit, kind
.saved                       saved queries
.run NAME [PARAMETER=VALUE]  run a saved query
.save NAME SELECT ...        save a query; :year in it is a parameter
.mode table|csv|json         how rows are printed
.timer on|off                print the time of each query
.help                        this list"""


class Prompt:
    """Answers what is typed, in one mode after another."""

    def __init__(self, store: Library, limits: QueryLimits) -> None:
        self.store, self.limits = store, limits
        self.mode, self.timed = "table", False

    def answer(self, typed: str) -> None:
        """A question or a command."""
        try:
            if typed.startswith("."):
                self._command(typed)
            else:
                self._ask(typed)
        except TabellionError as error:
            complain(str(error))
        except typer.BadParameter as error:
            complain(error.message)
        except KeyboardInterrupt:
            complain("interrupted")

    def _command(self, typed: str) -> None:
        name, *words = typed[1:].split()
        rest = typed[1:].partition(name)[2].strip()
        if name == "tables":
            pattern = rest.replace("'", "''")
            self._ask(f"SELECT name, title FROM tables WHERE contains(name, '{pattern}') ORDER BY name")  # noqa: S608 - quoted
        elif name == "schema" and words:
            named = words[0].replace("'", "''")
            self._ask(
                "SELECT c.name, c.role, c.type, c.unit, c.kind FROM columns c JOIN tables t USING (table_id) "  # noqa: S608
                f"WHERE t.name = '{named}' ORDER BY c.position"
            )
        elif name == "saved":
            for one in self.store.saved_queries():
                typer.echo(f"{one.name}  {' '.join(f':{each}' for each in one.parameters)}  {one.description}".rstrip())
        elif name == "run" and words:
            from tabellion.library.asking import statement_of

            self._ask(statement_of(self.store, words[0], read_parameters(words[1:])))
        elif name == "save" and len(words) > 1:
            self.store.save_query(words[0], rest.partition(words[0])[2].strip())
        elif name == "mode" and rest in ("table", "csv", "json"):
            self.mode = rest
        elif name == "timer" and rest in ("on", "off"):
            self.timed = rest == "on"
        elif name == "help":
            typer.echo(HELP)
        else:
            complain(f"{typed}: not a command; .help lists them")

    def _ask(self, sql: str) -> None:
        from tabellion.library.query import write_csv, write_json

        began = time.perf_counter()
        with self.store.ask(sql, self.limits) as found:
            if self.mode == "table":
                draw_answer(found)
            else:
                sys.stdout.flush()
                (write_csv if self.mode == "csv" else write_json)(found, sys.stdout.buffer)
                sys.stdout.buffer.flush()
        if self.timed:
            sys.stderr.write(f"{time.perf_counter() - began:.3f} seconds\n")


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
    """Open an SQL prompt over the tables of the library."""
    with opened_library(library, files, asking=True) as store:
        from tabellion.library.query import QueryLimits

        prompt = Prompt(store, QueryLimits(seconds=seconds, memory=memory * 2**20))
        read = _reader(store)
        while (asked := read_question(read)) is not None:
            prompt.answer(asked)


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

    history = FileHistory(str(store.folder.root / "sql_history"))
    session: PromptSession[str] = PromptSession(
        history=history, completer=name_completer(store), complete_while_typing=False
    )
    typer.echo("SQL over the library; a question ends with a semicolon, Ctrl-D ends.", err=True)
    return session.prompt
