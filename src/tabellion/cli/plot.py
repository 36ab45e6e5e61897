"""`tabellion plot`: the rows of a question drawn, at the terminal or as a picture."""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tabellion.cli.options import FilesOption, LibraryOption, opened_library
from tabellion.cli.query import MemoryOption, ParameterOption, SecondsOption, read_parameters

if TYPE_CHECKING:
    from rich.text import Text

    from tabellion.export.chart import Chart, Kind

EXAMPLES = """[bold]Examples[/bold]

[dim]$[/dim] tabellion plot "select state, total from pilots" [dim]· bars at the terminal[/dim]

[dim]$[/dim] tabellion plot "select top_1, avg(value) from smoking_tidy group by 1" -o smoking.svg [dim]· or .png[/dim]

The first column is what the others are drawn over: words as bars, times and numbers as lines."""

_BLOCKS = " ▏▎▍▌▋▊▉█"
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # of a braille letter, by row and column
_ROWS = 16  # lines that a chart of lines takes at a terminal
MOST = 10_000  # rows that are drawn
_STYLES = ("blue", "yellow", "green", "magenta", "cyan", "red", "white", "bright_yellow")


class ChartKind(StrEnum):
    """The kind of plot."""

    auto = "auto"
    bar = "bar"
    line = "line"
    scatter = "scatter"


_KINDS: dict[ChartKind, Kind | None] = {
    ChartKind.auto: None,
    ChartKind.bar: "bar",
    ChartKind.line: "line",
    ChartKind.scatter: "scatter",
}


def plot(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT, or the name of a saved query.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write a picture: FILE ends in .svg or .png.")
    ] = None,
    kind: Annotated[ChartKind, typer.Option("--kind", "-k", help="The kind of plot.")] = ChartKind.auto,
    title: Annotated[str, typer.Option("--title", metavar="TEXT", help="The title over the chart.")] = "",
    parameters: ParameterOption = None,
    library: LibraryOption = None,
    files: FilesOption = None,
    seconds: SecondsOption = 60.0,
    memory: MemoryOption = 2048,
) -> None:
    """Plot the rows of a query, in the terminal or as SVG or PNG."""
    if output is not None and output.suffix.lower() not in (".svg", ".png"):
        raise typer.BadParameter("a picture ends in .svg or .png", param_hint="--output")
    with opened_library(library, files, asking=True) as store:
        from tabellion.export.chart import build_chart, draw_chart, scene_png, scene_svg
        from tabellion.library.query import QueryLimits, rows_of

        limits = QueryLimits(seconds=seconds, memory=memory * 2**20)
        with store.ask(sql, limits, parameters=read_parameters(parameters)) as answer:
            rows = [row for batch in answer.batches() for row in rows_of(batch)]
            names = list(answer.schema.names)
        chart = build_chart(names, rows[:MOST], _KINDS[kind], title)
        if output is None:
            draw_at_terminal(chart)
        elif output.suffix.lower() == ".svg":
            output.write_text(scene_svg(draw_chart(chart)), encoding="utf-8")
        else:
            output.write_bytes(scene_png(draw_chart(chart)))


def draw_at_terminal(chart: Chart) -> None:
    """A chart in letters: bars of blocks, lines of braille dots."""
    from rich.text import Text

    from tabellion.cli.messages import open_console

    console = open_console()
    if chart.title:
        console.print(Text(chart.title, "bold"))
    lines = bar_lines(chart, console.width) if chart.kind == "bar" else dot_lines(chart, console.width)
    for line in lines:
        console.print(line, soft_wrap=True)
    if len(chart.series) > 1:
        names = [Text(f"■ {one.name}  ", _STYLES[at % len(_STYLES)]) for at, one in enumerate(chart.series)]
        console.print(Text.assemble(*names))


def bar_lines(chart: Chart, width: int) -> list[Text]:
    """A bar for each value, its label before and its number after it."""
    from rich.text import Text

    values = [value for series in chart.series for value in series.values if value is not None]
    largest = max(map(abs, values), default=0.0) or 1.0
    margin = min(max(map(len, chart.labels)), width // 3)
    said = max(len(f"{value:,g}") for value in values)
    room = max(8, width - margin - said - 3)
    lines = []
    for at, label in enumerate(chart.labels):
        for number, series in enumerate(chart.series):
            value = series.values[at]
            shown = label[:margin] if number == 0 else ""
            bar, text = "", ""
            if value is not None:
                eighths = round(abs(value) / largest * room * 8)
                bar, text = "█" * (eighths // 8) + _BLOCKS[eighths % 8].strip(), f"{value:,g}"
            lines.append(Text.assemble(f"{shown:<{margin}} ", (bar, _STYLES[number % len(_STYLES)]), f" {text}"))
    return lines


def dot_lines(chart: Chart, width: int) -> list[Text]:
    """Lines or points of braille dots over an axis."""
    from rich.text import Text

    from tabellion.export.chart import nice_ticks, tick_text

    values = [value for series in chart.series for value in series.values if value is not None]
    ticks = nice_ticks(min(values, default=0.0), max(values, default=1.0), 4)
    margin = max(len(tick_text(tick)) for tick in ticks)
    wide = max(10, width - margin - 3)
    cells = [[0] * wide for _ in range(_ROWS)]
    owner = [[0] * wide for _ in range(_ROWS)]
    low, high = min(chart.places), max(chart.places)
    for number, series in enumerate(chart.series):
        points = [
            (
                (place - low) / ((high - low) or 1.0) * (2 * wide - 1),
                (ticks[-1] - value) / (ticks[-1] - ticks[0]) * (4 * _ROWS - 1),
            )
            for place, value in zip(chart.places, series.values, strict=True)
            if value is not None
        ]
        for x, y in _dots(points, joined=chart.kind == "line"):
            cells[y // 4][x // 2] |= _DOTS[y % 4][x % 2]
            owner[y // 4][x // 2] = number
    marked = {round((ticks[-1] - tick) / (ticks[-1] - ticks[0]) * (_ROWS - 1)): tick_text(tick) for tick in ticks}
    lines = []
    for row, (line, whose) in enumerate(zip(cells, owner, strict=True)):
        parts = [
            (chr(0x2800 + dots) if dots else " ", _STYLES[who % len(_STYLES)])
            for dots, who in zip(line, whose, strict=True)
        ]
        lines.append(Text.assemble(f"{marked.get(row, ''):>{margin}} │", *parts))
    first, last = chart.labels[0], chart.labels[-1]
    lines.append(Text(f"{'':>{margin}} └{'─' * wide}"))
    lines.append(Text(f"{'':>{margin}}  {first}{last:>{max(1, wide - len(first))}}"))
    return lines


def _dots(points: list[tuple[float, float]], *, joined: bool) -> set[tuple[int, int]]:
    found = {(round(x), round(y)) for x, y in points}
    for (x, y), (to_x, to_y) in pairwise(points) if joined else ():
        steps = int(max(abs(to_x - x), abs(to_y - y))) or 1
        found |= {
            (round(x + (to_x - x) * step / steps), round(y + (to_y - y) * step / steps)) for step in range(steps + 1)
        }
    return found
