"""`tabellion metadata`: what is known of the tables of documents besides their values, for people."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabellion.cli.options import TraceOption, reading_with

if TYPE_CHECKING:
    from tabellion.pipeline import Extraction
    from tabellion.settings import Settings

EXAMPLES = """[bold]Examples[/bold]

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
    """Say what is known of each table besides its values: caption, notes, mentions, layout, kind."""
    from tabellion.cli.batch import explain
    from tabellion.cli.extract import unread_pages
    from tabellion.cli.messages import complain, ending_quietly
    from tabellion.isolated import extract_isolated
    from tabellion.read.fetch import expand_sources
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
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, emoji=False, markup=False)
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
