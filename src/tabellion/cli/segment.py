"""`tabellion segment`: the parts of one web page and what labels what in them.

`tabellion annotate`: the current reading of a web page as ground truth, to be corrected by hand.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabellion.cli.options import LimitOption, TraceOption, build_limits

if TYPE_CHECKING:
    from collections.abc import Iterator

SEGMENT_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion segment page.html [dim]· segments and labels as an outline to read[/dim]

[dim]$[/dim] tabellion segment https://example.org/ --format json [dim]· for programs[/dim]

[dim]$[/dim] tabellion segment page.html --method ontominer [dim]· by the algorithms of the paper[/dim]"""


class SegmentForm(StrEnum):
    """The formats that a page's parts can be printed in."""

    outline = "outline"
    json = "json"


class MethodChoice(StrEnum):
    """How a page is cut and its labels are found."""

    blocks = "blocks"
    ontominer = "ontominer"


MethodOption = Annotated[
    MethodChoice,
    typer.Option("--method", help="blocks: boxes split from the top down; ontominer: the algorithms of the paper."),
]


def segment(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A saved page, an address, or - for standard input.")],
    form: Annotated[
        SegmentForm, typer.Option("--format", "-f", help="outline: to read; json: segments and tree for programs.")
    ] = SegmentForm.outline,
    method: MethodOption = MethodChoice.blocks,
    limit: LimitOption = None,
    trace: TraceOption = False,
) -> None:
    """Cut a web page into its parts and say what labels what."""
    limits = build_limits(limit)
    from tabellion.cli.messages import explained

    with explained(source, trace=trace):
        import msgspec

        from tabellion.isolated import readers
        from tabellion.mine.hierarchy import segment_page
        from tabellion.mine.sources import load_with_tables

        page = load_with_tables(source, limits, readers(fork=True))
        made = segment_page(page, method.value).as_json(source)
        if form is SegmentForm.json:
            sys.stdout.buffer.write(msgspec.json.encode(made) + b"\n")
        else:
            for line in outline_lines(made):
                typer.echo(line)


def outline_lines(made: dict[str, Any]) -> Iterator[str]:
    """The tree, one line per text, a blank line between segments.

    >>> world = {"label": "World", "children": []}
    >>> list(outline_lines({"tree": {"children": [{"label": "News", "children": [world]}]}}))
    ['News', '  World', '']
    """
    for part in made["tree"]["children"]:
        waiting: list[tuple[dict[str, Any], int]] = [(part, 0)]
        while waiting:
            node, depth = waiting.pop()
            if node["label"]:
                yield "  " * depth + node["label"]
            below = depth + 1 if node["label"] else depth
            waiting.extend((child, below) for child in reversed(node["children"]))
        yield ""


ANNOTATE_EXAMPLES = """[bold]Examples[/bold]

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
