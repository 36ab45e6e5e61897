"""The command line: one file a command. `main` enters the room.

Commands import what they need when they run, so that `tabellion --help` answers at once.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from tabellion.cli import extract, segment, show

app = typer.Typer(
    name="tabellion",
    help="Turn the tables of spreadsheets into tuples with their full header paths.",
    epilog="Each command has examples: [bold]tabellion extract --help[/bold], [bold]tabellion show --help[/bold].",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("extract", epilog=extract.EXAMPLES, no_args_is_help=True)(extract.extract)
app.command("show", epilog=show.EXAMPLES, no_args_is_help=True, cls=show.ShowCommand)(show.show)
app.command("segment", epilog=segment.EXAMPLES, no_args_is_help=True)(segment.segment)


def print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"tabellion {version('tabellion')}")
        raise typer.Exit


@app.callback()
def root(
    _: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app()
