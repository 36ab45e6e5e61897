"""The command line: one file per command, or per few that belong together. Start with `main`.

Only the command that is called is imported, and it imports what it needs when it runs, so that an answer comes at once.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tabellion.cli.options import OptionalValues

if TYPE_CHECKING:
    app: typer.Typer


class Command(NamedTuple):
    """Where a command is, and how it is shown."""

    function: str
    bare: bool = False  # called without arguments it does something; others show their help
    panel: str | None = None
    home: str | None = None  # the module that it shares with others; else the module of its own name
    options: str | None = None  # a class of its own, for options that may stand without a value


_READ, _LIBRARY, _PUBLISH, _SERVE = "Read documents", "Library", "Publish", "Serve"
_WEBSITES, _MAINTENANCE = "Websites", "Maintenance"
_COLLECTED_AFTER = (50_000, 20, 50)  # what is made at the start lasts: to look for rubbish in it costs a tenth
COMMANDS: dict[str, Command] = {
    "extract": Command("extract", panel=_READ),
    "show": Command("show", panel=_READ, home="show", options="ShowCommand"),
    "metadata": Command("metadata", panel=_READ, home="show"),
    "add": Command("add", panel=_LIBRARY, home="add"),
    "run": Command("run", panel=_LIBRARY, home="add"),
    "list": Command("list_documents", bare=True, panel=_LIBRARY, home="holdings"),
    "info": Command("info", bare=True, panel=_LIBRARY, home="holdings"),
    "search": Command("search", panel=_LIBRARY),
    "query": Command("query", panel=_LIBRARY, home="query"),
    "sql": Command("sql", bare=True, panel=_LIBRARY),
    "plot": Command("plot", panel=_LIBRARY),
    "joins": Command("joins", panel=_LIBRARY, home="related"),
    "series": Command("series", panel=_LIBRARY, home="related"),
    "compare": Command("compare", panel=_LIBRARY, home="related"),
    "cite": Command("cite", panel=_LIBRARY, home="holdings"),
    "survey": Command("survey", bare=True, panel=_LIBRARY, home="holdings"),
    "repair": Command("repair", panel=_LIBRARY, home="repair"),
    "history": Command("history", panel=_LIBRARY, home="repair"),
    "export": Command("export", panel=_PUBLISH),
    "sparql": Command("sparql", panel=_PUBLISH, home="query"),
    "app": Command("app", bare=True, panel=_SERVE, home="serve"),
    "serve": Command("serve", bare=True, panel=_SERVE, home="serve"),
    "mcp": Command("mcp", bare=True, panel=_SERVE, home="serve"),
    "mine": Command("mine", panel=_WEBSITES),
    "segment": Command("segment", panel=_WEBSITES, home="mine"),
    "annotate": Command("annotate", panel=_WEBSITES, home="mine"),
    "remove": Command("remove", panel=_MAINTENANCE, home="upkeep"),
    "verify": Command("verify", bare=True, panel=_MAINTENANCE, home="upkeep"),
    "rebuild": Command("rebuild", bare=True, panel=_MAINTENANCE, home="upkeep"),
    "backup": Command("backup", panel=_MAINTENANCE, home="upkeep"),
    "restore": Command("restore", panel=_MAINTENANCE, home="upkeep"),
    "learn": Command("learn", bare=True, panel=_MAINTENANCE, home="repair"),
}


def build_app(names: Iterable[str] = tuple(COMMANDS)) -> typer.Typer:
    """The command line with some commands, or all; the modules of others are not imported."""
    built = typer.Typer(
        name="tabellion",
        help="Turn the tables in spreadsheets, web pages and PDFs into tidy data: every value with its full row and "
        "column headers, unit, notes and source cell.",
        epilog="Each command has examples: [bold]tabellion extract --help[/bold], [bold]tabellion show --help[/bold].",
        rich_markup_mode="rich",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    built.callback()(_root)
    for name in names:
        command = COMMANDS[name]
        module = import_module(f"tabellion.cli.{command.home or name}")
        built.command(
            name,
            epilog=getattr(module, f"{name.upper()}_EXAMPLES" if command.home else "EXAMPLES"),
            no_args_is_help=not command.bare,
            rich_help_panel=command.panel,
            cls=getattr(module, command.options) if command.options else OptionalValues,
        )(getattr(module, command.function))
    return built


def print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"tabellion {version('tabellion')}")
        raise typer.Exit


def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def _as_text(given: str) -> str:
    """An argument as it can be written: bytes that are no UTF-8 are told."""
    if not any("\ud800" <= letter <= "\udfff" for letter in given):
        return given
    from tabellion.read.sources import write_name  # seldom: a command that reads nothing need not load it

    return write_name(given)


def _open_streams() -> None:
    """What was closed before the start leads nowhere: else the next file that is opened would get what is printed."""
    for name, way in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open(way))  # noqa: SIM115 - open to the end


def _explain(command: str, error: Exception) -> None:
    """One line on what a command did not expect, such as a disk that is full when its last lines are printed."""
    from tabellion.cli.batch import explain
    from tabellion.cli.messages import complain

    failure = explain(command, error)
    complain(failure.note, failure.trace if "--trace" in sys.argv else "")
    sys.exit(1)


def main() -> None:
    """Run the command line."""
    gc.set_threshold(*_COLLECTED_AFTER)
    os.environ.setdefault(
        "OPENBLAS_NUM_THREADS", "1"
    )  # numpy starts threads when it is imported; nothing here needs them
    _open_streams()
    sys.argv[1:] = [_as_text(given) for given in sys.argv[1:]]
    called = sys.argv[1:2]
    try:
        build_app(called if called and called[0] in COMMANDS else COMMANDS)()
    except Exception as error:
        _explain(called[0], error)
    finally:
        if "duckdb" not in sys.modules:  # which complains of what is left at the end
            gc.freeze()  # the process ends: to look for rubbish once more would cost a tenth


if not TYPE_CHECKING:  # the whole command line, for those who ask for it

    def __getattr__(name: str) -> typer.Typer:
        if name != "app":
            raise AttributeError(f"module 'tabellion.cli' has no attribute {name!r}")
        globals()["app"] = build_app()
        return globals()["app"]
