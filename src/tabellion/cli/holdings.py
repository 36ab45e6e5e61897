"""`tabellion list`, `info`, `cite`: what a library holds, what it knows of a document, where a number comes from.

`tabellion survey`: what kinds of tables a library holds.
"""

from __future__ import annotations

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.holdings import ListedDocument
    from tabellion.library.survey import Share, Survey

LIST_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion list [dim]· one line per document[/dim]

[dim]$[/dim] tabellion list --format json [dim]· with the ids of its tables[/dim]"""


class Listing(StrEnum):
    """The forms that documents can be listed in."""

    table = "table"
    json = "json"


FormatOption = Annotated[Listing, typer.Option("--format", "-f", help="table: for people; json: for programs.")]


def list_documents(
    library: LibraryOption = None, files: FilesOption = None, form: FormatOption = Listing.table
) -> None:
    """List the documents of the library."""
    with opened_library(library, files) as store:
        found = store.documents()
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode({"documents": found}) + b"\n")
        else:
            _draw_documents(found)


def _draw_documents(found: list[ListedDocument]) -> None:
    from rich.table import Table

    from tabellion.cli.messages import open_console

    lines = Table("id", "source", "medium", "tables", "added", box=None, pad_edge=False, header_style="bold")
    for document in found:
        lines.add_row(
            document.id,
            document.source,
            document.medium,
            str(len(document.tables)),
            document.added[:16].replace("T", " "),
        )
    console = open_console()
    if not console.is_terminal:
        console.width = max(200, console.width)
    console.print(lines)


INFO_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion info [dim]· the size of the library[/dim]

[dim]$[/dim] tabellion info report.xlsx [dim]· one document: its tables by name, its history[/dim]"""


def info(
    name: Annotated[
        str | None, typer.Argument(metavar="[DOCUMENT]", help="The id, path or address of a document.")
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
) -> None:
    """Describe the library, or one document: its tables and its history."""
    with opened_library(library, files) as store:
        from tabellion.library.records import describe_document, describe_library

        facts = describe_document(store, name) if name else describe_library(store)
        if form is Listing.json:
            sys.stdout.write(json.dumps(facts, ensure_ascii=False) + "\n")
        else:
            _draw_facts(facts)


def _draw_facts(facts: dict[str, Any]) -> None:
    from rich.table import Table

    from tabellion.cli.messages import open_console

    console = open_console()
    lines = Table.grid(padding=(0, 2))
    for name, fact in facts.items():
        if not isinstance(fact, list):
            lines.add_row(name, f"{fact:,}" if isinstance(fact, int) else str(fact if fact is not None else ""))
    console.print(lines)
    for name, held in facts.items():
        if isinstance(held, list) and held:
            shown = Table(*held[0], title=name, title_justify="left", box=None, pad_edge=False, header_style="bold")
            for row in held:
                shown.add_row(*("" if value is None else str(value) for value in row.values()))
            console.print(shown)


CITE_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion cite smoking B10 [dim]· the address is a column of SQL results and exports[/dim]

[dim]$[/dim] tabellion cite smoking B10 --format json | jq .sha256 [dim]· the hash of the source file[/dim]

[dim]$[/dim] tabellion cite smoking B10 --picture spot.png [dim]· its headers and the cells around it, drawn[/dim]"""


def cite(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The name or id of a table of the library.")],
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The address of a value: B10.")],
    library: LibraryOption = None,
    files: FilesOption = None,
    form: FormatOption = Listing.table,
    picture: Annotated[
        Path | None,
        typer.Option(
            "--picture",
            "-p",
            metavar="FILE",
            help="Also draw the value with its headers: .svg or .png.",
            dir_okay=False,
        ),
    ] = None,
) -> None:
    """Cite a value: headers, title, document, edition and place."""
    if picture is not None and picture.suffix.lower() not in (".svg", ".png"):
        raise typer.BadParameter("a picture ends in .svg or .png", param_hint="--picture")
    with opened_library(library, files) as store:
        found = store.cite(table, address)
        if picture is not None:
            from tabellion.export.chart import scene_png, scene_svg

            scene = store.picture(table, address)
            svg = picture.suffix.lower() == ".svg"
            picture.write_bytes(scene_svg(scene).encode() if svg else scene_png(scene))
        if form is Listing.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        else:
            typer.echo(found.text)


SURVEY_EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion survey [dim]· kinds, hierarchies, sizes and units, by domain, medium, language and year[/dim]

[dim]$[/dim] tabellion survey --format csv > survey.csv [dim]· a line for each group, with 95 % intervals[/dim]

[dim]$[/dim] tabellion survey --pictures figures [dim]· the shares as SVG[/dim]"""

_SHOWN = 12  # groups of one sort, and units, that are drawn at the terminal


class SurveyForm(StrEnum):
    """How a survey is printed."""

    table = "table"
    csv = "csv"
    json = "json"


def survey(
    form: Annotated[
        SurveyForm, typer.Option("--format", "-f", help="table: for people; csv, json: for programs.")
    ] = SurveyForm.table,
    pictures: Annotated[
        Path | None,
        typer.Option(
            "--pictures", metavar="DIR", file_okay=False, help="Write the shares as SVG pictures to this folder."
        ),
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Count the tables of the library by kind, header depth, size, language and unit."""
    with opened_library(library, files) as store:
        found = store.survey()
        if pictures is not None:
            from tabellion.library.survey import survey_charts

            pictures.mkdir(parents=True, exist_ok=True)
            for name, svg in survey_charts(found).items():
                (pictures / f"{name}.svg").write_text(svg, encoding="utf-8")
        if form is SurveyForm.json:
            import msgspec

            sys.stdout.buffer.write(msgspec.json.encode(found) + b"\n")
        elif form is SurveyForm.csv:
            from tabellion.library.survey import survey_csv

            sys.stdout.write(survey_csv(found))
        else:
            _draw(found)


def _draw(found: Survey) -> None:
    from rich.table import Table

    from tabellion.cli.messages import open_console

    console = open_console()
    console.print(
        f"{found.documents:,} documents ({found.without_tables:,} without a table), {found.tables:,} tables, "
        f"{found.values:,} values; intervals of 95 % by bootstrap over {found.drawn}\n"
    )
    lines = Table("", "documents", "tables", box=None, pad_edge=False, header_style="bold")
    for name in ("data frame", "h-top", "h-left", "levels", "rows × columns"):
        lines.add_column(name)
    for by in ("all", "domain", "medium", "kind", "language", "year"):
        groups = [group for group in found.groups if group.by == by]
        if by != "all" and groups:
            lines.add_row(by, style="bold")
        for group in groups[:_SHOWN]:
            lines.add_row(
                f"  {group.name}" if by != "all" else group.name,
                f"{group.documents:,}",
                f"{group.tables:,}",
                *(_percent(share) for share in (group.data_frame, group.hierarchical_top, group.hierarchical_left)),
                f"{group.top_depth:.1f}, {group.left_depth:.1f}",
                f"{group.rows:g} × {group.columns:g}",
            )
        if len(groups) > _SHOWN:
            lines.add_row(f"  and {len(groups) - _SHOWN} more", style="dim")
    if not console.is_terminal:
        console.width = max(160, console.width)
    console.print(lines)
    units = ", ".join(f"{unit} {count:,}" for unit, count in found.units[:_SHOWN])
    others = ", ".join(f"{kind} {count:,} in {held:,} documents" for kind, count, held in found.others[:_SHOWN])
    console.print(f"\nno tables: {others or 'none'}")
    console.print(f"units, by tables: {units or 'none'}")
    for name, *quantiles in found.sizes:
        told = ", ".join(f"{value:,g}" for value in quantiles)
        console.print(f"{name} of a table, at 5, 25, 50, 75 and 95 %: {told}")


def _percent(share: Share) -> str:
    return f"{share.value:.0%} ({share.low:.0%}–{share.high:.0%})"
