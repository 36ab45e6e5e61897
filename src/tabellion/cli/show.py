"""`tabellion show`: one document drawn for people, with every intermediate of the way to its tuples.

`tabellion metadata`: what is known of the tables of documents besides their values.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from tabellion.cli.options import OptionalValues, TraceOption, reading_with

if TYPE_CHECKING:
    from rich.console import Console

    from tabellion.pipeline import Extraction
    from tabellion.settings import Settings


TUPLES_SHOWN = 20  # tuples drawn by a bare --tuples

SHOW_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion show report.xlsx [dim]· the sheets, coloured by the role of each cell, and the header trees[/dim]

[dim]$[/dim] tabellion show report.xlsx --sheet Data --tuples 50 [dim]· with the first 50 values of each table[/dim]

[dim]$[/dim] tabellion show page.html --why [dim]· with the rejected candidates, and why[/dim]

[dim]$[/dim] tabellion show report.xlsx --stage label [dim]· the role of each row, and its probability[/dim]

[dim]$[/dim] FORCE_COLOR=1 tabellion show report.xlsx --lines 0 --width 200 | less -RS [dim]· everything, wide[/dim]"""


class Stage(StrEnum):
    """The stages of the flow, each of which can be looked at."""

    read = "read"
    locate = "locate"
    recognise = "recognise"
    label = "label"
    nest = "nest"
    relate = "relate"


class ShowCommand(OptionalValues):
    """Lets `--tuples` stand without a number too."""

    alone: ClassVar = OptionalValues.alone | dict.fromkeys(("--tuples", "-t"), (str(TUPLES_SHOWN), re.compile(r"\d+")))


TuplesOption = Annotated[
    int | None,
    typer.Option(
        "--tuples", "-t", metavar="[N]", min=0, help="Also show the first N values of each table (20 without N)."
    ),
]
PictureOption = Annotated[
    Path | None,
    typer.Option(
        "--picture", metavar="FILE", help="Draw the pages of a PDF and their tables to this file, .svg or .png."
    ),
]


@reading_with("sheet", "pages", "password", "render", "scripts", "network", "private", "weights", "limit")
def show(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A document, or - for standard input.")],
    tuples: TuplesOption = None,
    why: Annotated[
        bool, typer.Option("--why", help="Also list the rejected candidates, with the features that weighed most.")
    ] = False,
    stage: Annotated[
        Stage, typer.Option("--stage", help="Show the result of one stage of the pipeline.")
    ] = Stage.relate,
    lines: Annotated[
        int,
        typer.Option("--lines", metavar="N", min=0, help="Rows shown of a long sheet; 0: all."),
    ] = 48,
    width: Annotated[
        int | None,
        typer.Option("--width", metavar="N", min=40, help="Characters per line. Default: the width of the terminal."),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option("--svg", metavar="FILE", help="Also write the drawing to this file as a picture.")
    ] = None,
    picture: PictureOption = None,
    trace: TraceOption = False,
    *,
    settings: Settings,
) -> None:
    """Draw a document in the terminal, with its tables in colour and their header trees."""
    import msgspec

    from tabellion.cli.messages import explained
    from tabellion.isolated import do_reading
    from tabellion.workers import Crew

    if picture is not None and picture.suffix.lower() not in (".png", ".svg"):
        raise typer.BadParameter(f"{picture}: a picture is written to a .svg or a .png file", param_hint="--picture")
    settings = msgspec.structs.replace(settings, why=why)
    pictured = True
    console = _console(width, record=svg is not None)
    with explained(source, trace=trace, wrong_call=2), Crew(1, fork=True) as crew:
        from tabellion.cli.drawing.stages import draw_all

        given = (stage.value, source, settings, console.width, lines, tuples)
        for drawn in do_reading(draw_all, *given, limits=settings.limits, name=source, crew=crew):
            console.print(drawn)
        if picture is not None:
            pictured = do_reading(draw_pages, source, settings, picture, limits=settings.limits, name=source, crew=crew)
    if not pictured:
        raise typer.BadParameter("only a PDF has pages to draw; --svg draws what is shown", param_hint="--picture")
    if svg is not None:
        from tabellion.cli.drawing.sheet import write_picture

        write_picture(console, svg, f"tabellion show {source}")


def draw_pages(source: str, settings: Settings, path: Path) -> bool:
    """Write the pages of a PDF as a picture, in a worker; other media have none."""
    from tabellion.pipeline import extract_document

    extraction = extract_document(source, settings)
    if extraction.document.medium != "pdf":
        return False
    from tabellion.cli.drawing.pages import write_png, write_svg

    (write_png if path.suffix.lower() == ".png" else write_svg)(extraction, path)
    return True


def _console(width: int | None, *, record: bool) -> Console:
    from tabellion.cli.messages import open_console

    console = open_console(width=width, record=record)
    if width is None and not console.is_terminal:
        console.width = 100
    return console


METADATA_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion metadata report.pdf [dim]· captions, notes, mentions and more of every table[/dim]

[dim]$[/dim] tabellion metadata report.pdf --pages 3-9 --format json [dim]· the same for programs[/dim]"""
_CATEGORIES = ("affiliated", "environment", "frame", "layout", "content", "type")
_LONGEST = 12  # entries of a list that are shown


class Form(StrEnum):
    """How the metadata is printed."""

    text = "text"
    json = "json"


@reading_with("sheet", "pages", "password", "weights", "limit")
def metadata(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE", help="Files, folders, patterns.")],
    form: Annotated[Form, typer.Option("--format", "-f", help="text: for people; json: a list.")] = Form.text,
    trace: TraceOption = False,
    *,
    settings: Settings,
) -> None:
    """Describe tables: caption, notes, mentions in the text, layout, kind of content."""
    from tabellion.cli.batch import explain
    from tabellion.cli.extract import unread_pages
    from tabellion.cli.messages import complain, ending_quietly
    from tabellion.isolated import extract_isolated
    from tabellion.read.sources import expand_sources
    from tabellion.workers import Crew

    found: list[dict[str, Any]] = []
    failed = False
    with ending_quietly(), Crew(1, fork=True) as crew:
        for source in expand_sources(sources):
            try:
                extraction = extract_isolated(source, settings, crew=crew)
            except Exception as error:
                failure = explain(source, error)
                complain(failure.note, failure.trace if trace else "")
                failed = True
                continue
            for note in unread_pages(extraction.issues):
                complain(f"{source}: {note}")
            described = list(describe(extraction))
            found += described
            if form is Form.text:
                _draw(described, source)
        if form is Form.json:
            sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
    raise typer.Exit(1 if failed else 0)


def describe(extraction: Extraction) -> Iterator[dict[str, Any]]:
    """The metadata of each table with its id and place."""
    import msgspec

    for table in extraction.tables:
        facts = msgspec.to_builtins(table.metadata)
        yield {"source": extraction.document.source, "id": table.id, "place": msgspec.to_builtins(table.place), **facts}


def _draw(tables: list[dict[str, Any]], source: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from tabellion.cli.messages import open_console

    console = open_console()
    if not tables:
        console.print(Text(f"{source}: no table of data found", "yellow"))
    for table in tables:
        named = table["affiliated"]["index_number"] or table["id"]
        console.print(Text.assemble("\n", (f"{source}  {named}", "bold")))
        lines = Table.grid(padding=(0, 2))
        for category in _CATEGORIES:
            for number, (name, value) in enumerate(_said(table[category])):
                lines.add_row(Text("" if number else category, "dim"), name.replace("_", " "), Text(value))
        console.print(lines)


def _said(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts of a category that are known, lists cut where they are long."""
    for name, value in facts.items():
        if isinstance(value, list | tuple) and value:
            shown = [str(entry) for entry in value[:_LONGEST]]
            more = [f"and {len(value) - _LONGEST:,} more"] if len(value) > _LONGEST else []
            long = any(len(entry) > 30 for entry in shown)
            yield name, ("\n" if long else ", ").join(shown + more)
        elif value not in (None, [], ()):
            yield name, f"{value:,}" if isinstance(value, int) else str(value)
