"""`tabellion annotate`: the current reading of a web page as ground truth, to be corrected by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tabellion.cli.options import LimitOption, TraceOption, build_limits

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion annotate page.html [dim]· into the folder annotated/[/dim]

[dim]$[/dim] tabellion annotate https://example.org/prices -o prices/ --network [dim]· with its style sheets[/dim]"""


def annotate(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help="Web pages: files or addresses.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder that the pages and gold.jsonl go to.")
    ] = Path("annotated"),
    network: Annotated[
        bool, typer.Option("--network", help="Put style sheets and pictures from the network into the page.")
    ] = False,
    limit: LimitOption = None,
    trace: TraceOption = False,
) -> None:
    """Save web pages whole, with their words numbered, and write what is read from them as ground truth."""
    limits = build_limits(limit)
    from tabellion.cli.batch import explain
    from tabellion.cli.messages import complain
    from tabellion.learn.annotate import annotate_page

    failed = False
    for source in sources:
        try:
            name, tables = annotate_page(source, output, limits, network=network)
            typer.echo(f"{output / 'pages' / name}: {tables} tables", err=True)
        except Exception as error:
            failure = explain(source, error)
            complain(failure.note, failure.trace if trace else "")
            failed = True
    raise typer.Exit(1 if failed else 0)
