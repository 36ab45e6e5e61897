"""What can be asked at the prompt of `tabellion sql`: questions, and commands that begin with a dot.

In: what was typed. Out: what is printed. Whatever goes wrong is a line, and the prompt goes on.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import typer

from tabellion.cli.messages import complain
from tabellion.cli.query import draw_answer, read_parameters
from tabellion.errors import TabellionError

if TYPE_CHECKING:
    from tabellion.library.library import Library
    from tabellion.library.query import QueryLimits

HELP = """.tables [PATTERN]            the tables, all or those whose names have PATTERN in them
.schema NAME                 the columns of a table: name, role, type, unit, kind
.saved                       questions that are kept
.run NAME [PARAMETER=VALUE]  ask one of them
.save NAME SELECT ...        keep a question; :year in it is a parameter
.mode table|csv|json         how rows are printed
.timer on|off                whether it is said how long a question took
.help                        this list"""


class Desk:
    """Answers what is typed, in one mode after another."""

    def __init__(self, store: Library, limits: QueryLimits) -> None:
        self.store, self.limits = store, limits
        self.mode, self.timed = "table", False

    def take(self, typed: str) -> None:
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
            from tabellion.library.saved import statement_of

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
