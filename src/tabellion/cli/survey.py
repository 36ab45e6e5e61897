"""`tabellion survey`: what kinds of tables a library holds."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library

if TYPE_CHECKING:
    from tabellion.library.survey import Share, Survey

EXAMPLES = """[bold]Examples[/bold]

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
        Path | None, typer.Option("--pictures", metavar="DIR", help="Write the shares as SVG pictures to this folder.")
    ] = None,
    library: LibraryOption = None,
    files: FilesOption = None,
) -> None:
    """Survey the tables of the library: kinds, hierarchical headers, depth, sizes, languages, units."""
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
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, emoji=False, markup=False)
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
    console.print(f"\nunits, by tables: {units or 'none'}")
    for name, *quantiles in found.sizes:
        told = ", ".join(f"{value:,g}" for value in quantiles)
        console.print(f"{name} of a table, at 5, 25, 50, 75 and 95 %: {told}")


def _percent(share: Share) -> str:
    return f"{share.value:.0%} ({share.low:.0%}–{share.high:.0%})"
