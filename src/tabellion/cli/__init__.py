"""The command line: one file per command. Start with `main`.

Commands import what they need when they run, so that `tabellion --help` answers at once.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from tabellion.cli import (
    add,
    annotate,
    export,
    extract,
    history,
    info,
    joins,
    learn,
    mcp,
    metadata,
    mine,
    query,
    rebuild,
    remove,
    repair,
    search,
    segment,
    serve,
    show,
    sparql,
    sql,
    verify,
)
from tabellion.cli import list as list_command
from tabellion.cli.options import OptionalValues

app = typer.Typer(
    name="tabellion",
    help="Turn the tables of documents into tuples with their full header paths; search, mend, query and publish them.",
    epilog="Each command has examples: [bold]tabellion extract --help[/bold], [bold]tabellion show --help[/bold].",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.command("extract", epilog=extract.EXAMPLES, no_args_is_help=True, cls=OptionalValues)(extract.extract)
app.command("export", epilog=export.EXAMPLES, no_args_is_help=True)(export.export)
app.command("show", epilog=show.EXAMPLES, no_args_is_help=True, cls=show.ShowCommand)(show.show)
app.command("metadata", epilog=metadata.EXAMPLES, no_args_is_help=True)(metadata.metadata)
app.command("mine", epilog=mine.EXAMPLES, no_args_is_help=True)(mine.mine)
app.command("annotate", epilog=annotate.EXAMPLES, no_args_is_help=True)(annotate.annotate)
app.command("segment", epilog=segment.EXAMPLES, no_args_is_help=True)(segment.segment)
app.command("add", epilog=add.EXAMPLES, no_args_is_help=True, rich_help_panel="Library", cls=OptionalValues)(add.add)
app.command("list", epilog=list_command.EXAMPLES, rich_help_panel="Library")(list_command.list_documents)
app.command("search", epilog=search.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(search.search)
app.command("query", epilog=query.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(query.query)
app.command("sparql", epilog=sparql.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(sparql.sparql)
app.command("sql", epilog=sql.EXAMPLES, rich_help_panel="Library")(sql.sql)
app.command("joins", epilog=joins.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(joins.joins)
app.command("serve", epilog=serve.EXAMPLES, rich_help_panel="Library")(serve.serve)
app.command("mcp", epilog=mcp.EXAMPLES, rich_help_panel="Library")(mcp.mcp)
app.command("info", epilog=info.EXAMPLES, rich_help_panel="Library")(info.info)
app.command("repair", epilog=repair.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(repair.repair)
app.command("history", epilog=history.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(history.history)
app.command("learn", epilog=learn.EXAMPLES, rich_help_panel="Library")(learn.learn)
app.command("remove", epilog=remove.EXAMPLES, no_args_is_help=True, rich_help_panel="Library")(remove.remove)
app.command("verify", epilog=verify.EXAMPLES, rich_help_panel="Library")(verify.verify)
app.command("rebuild", epilog=rebuild.EXAMPLES, rich_help_panel="Library")(rebuild.rebuild)


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
