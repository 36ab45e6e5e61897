"""A table in a notebook: the sheet with its regions in colour."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content
from tabellion.model.place import column_letters
from tabellion.model.table import Table
from tabellion.relate import CELL_ROLES, label_cells

MOST_ROWS, MOST_COLUMNS = 60, 24  # a notebook cell that is still read
COLOURS = {  # see-through, so that they hold on light and dark ground
    "title": "rgba(120,120,120,.25)",
    "header": "rgba(66,133,244,.28)",
    "stub": "rgba(52,168,83,.25)",
    "group": "rgba(52,168,83,.45)",
    "value": "rgba(251,188,5,.16)",
    "derived": "rgba(251,140,0,.30)",
    "note": "rgba(160,110,200,.20)",
    "other": "transparent",
}
_RIGHT = (Content.NUMBER, Content.DATE, Content.MISSING)
_CELL = "padding:.15em .5em;border:1px solid rgba(128,128,128,.25);white-space:pre-wrap"


def table_html(table: Table) -> str:
    """One table with its title and notes, each cell in the colour of its role."""
    roles = label_cells(table.nested)
    rows, columns = _shown(table, roles)
    where = " ".join(part for part in (table.place.sheet, table.place.range) if part)
    about = f"{where} · {len(table.tuples):,} values · {table.orientation} · confidence {table.confidence:.2f}"
    left_out = _left_out(table, roles, rows, columns)
    return "".join(
        (
            '<div class="tabellion" style="overflow-x:auto;font-size:90%">',
            f"<div><strong>{escape(table.title or table.id)}</strong> <small>{escape(about)}</small></div>",
            '<table style="border-collapse:collapse">',
            "<tr><th></th>",
            *(f"<th>{column_letters(int(table.grid.column_of[c]))}</th>" for c in columns),
            "</tr>",
            *(_line(table, roles, row, columns) for row in rows),
            "</table>",
            f"<small>{left_out}{_legend()}</small></div>",
        )
    )


def _shown(table: Table, roles: NDArray[np.uint8]) -> tuple[list[int], list[int]]:
    rows = np.nonzero((roles > 0).any(axis=1))[0].tolist()
    columns = np.nonzero((roles > 0).any(axis=0))[0].tolist()
    if len(rows) > MOST_ROWS:
        rows = rows[: MOST_ROWS * 2 // 3] + rows[-MOST_ROWS // 3 :]
    return rows, columns[:MOST_COLUMNS]


def _line(table: Table, roles: NDArray[np.uint8], row: int, columns: list[int]) -> str:
    return "".join((f"<tr><th>{int(table.grid.row_of[row]) + 1}</th>", *_cells(table, roles, row, columns), "</tr>"))


def _cells(table: Table, roles: NDArray[np.uint8], row: int, columns: list[int]) -> Iterator[str]:
    grid = table.grid
    shown = set(columns)
    for column in columns:
        home_row, home_column = divmod(int(grid.home[row, column]), grid.shape[1])
        if grid.covered[row, column] and home_row == row and home_column in shown:
            continue
        across = sum(int(grid.home[row, c]) == int(grid.home[row, column]) for c in columns if c >= column)
        role = CELL_ROLES[roles[home_row, home_column]] or "other"
        text = "" if grid.covered[row, column] else escape(str(grid.text[row, column]))
        align = "right" if grid.content[row, column] in _RIGHT else "left"
        span = f' colspan="{across}"' if across > 1 else ""
        look = f"{_CELL};background:{COLOURS[role]};text-align:{align}"
        yield f'<td class="{role}"{span} style="{look}">{text}</td>'


def _left_out(table: Table, roles: NDArray[np.uint8], rows: list[int], columns: list[int]) -> str:
    more_rows = int((roles > 0).any(axis=1).sum()) - len(rows)
    more_columns = int((roles > 0).any(axis=0).sum()) - len(columns)
    said = [f"{n:,} {what}" for n, what in ((more_rows, "rows"), (more_columns, "columns")) if n > 0]
    return f"{' and '.join(said)} not shown. " if said else ""


def _legend() -> str:
    named = (role for role in COLOURS if role != "other")
    return " ".join(f'<span style="background:{COLOURS[role]};padding:0 .4em">{role}</span>' for role in named)
