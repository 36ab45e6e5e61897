"""The table on the screen: its grid in the colours of its roles, its header trees, and its history."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType

from tabellion.cli.history import draw_history
from tabellion.cli.looks import look_by_role
from tabellion.cli.sheet import SheetSettings, draw_sheet
from tabellion.cli.trees import draw_trees
from tabellion.repair.session import Repair


def draw_bench(bench: Repair, width: int, lines: int = 40) -> RenderableType:
    """All that is to be seen of a table under repair."""
    table = bench.table
    alike = [one for one in bench.extraction.tables if one.grid is table.grid]
    settings = SheetSettings(width=width, lines=lines)
    sheet = draw_sheet(table.grid, look_by_role(table.grid, alike), table.frame.labels.roles, settings)
    parts: list[RenderableType] = [sheet, "", draw_trees(table, sure=True, width=width)]
    return Group(*parts, draw_history(bench.history)) if bench.history else Group(*parts)


def edit_table(bench: Repair) -> None:
    """Show the table and what was said of it."""
    console = Console(highlight=False, emoji=False, markup=False)
    console.print(draw_bench(bench, console.width))
