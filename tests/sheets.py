"""Sheets and grids written as they look, for tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabellion.locate import locate_regions
from tabellion.model.document import Sheet, SheetCells, Stored
from tabellion.model.grid import Grid
from tabellion.model.place import rect_at
from tabellion.model.style import PLAIN, Style
from tabellion.recognise import recognise_grid

Value = str | float | int | None


def sheet_of(
    rows: Sequence[Sequence[Value]],
    merges: Sequence[str] = (),
    styles: dict[tuple[int, int], Style] | None = None,
    name: str = "Sheet",
) -> Sheet:
    """A sheet from rows of values; None and "" are empty cells."""
    table: list[Style] = [PLAIN]
    cells = []
    for r, row in enumerate(rows):
        for c, value in enumerate(row):
            style = (styles or {}).get((r, c), PLAIN)
            if style not in table:
                table.append(style)
            if value is None or value == "":
                if style != PLAIN:
                    cells.append((r, c, "", Stored.EMPTY, np.nan, table.index(style)))
                continue
            number = np.nan if isinstance(value, str) else float(value)
            stored = Stored.TEXT if isinstance(value, str) else Stored.NUMBER
            cells.append((r, c, str(value), stored, number, table.index(style)))
    row, column, text, stored_as, numbers, style_id = zip(*cells, strict=True) if cells else ((),) * 6
    return Sheet(
        name=name,
        cells=SheetCells(
            row=np.array(row, dtype=np.int32),
            column=np.array(column, dtype=np.int32),
            text=np.array(text, dtype=object),
            stored=np.array(stored_as, dtype=np.uint8),
            number=np.array(numbers, dtype=np.float64),
            style=np.array(style_id, dtype=np.int32),
            marks=np.zeros(len(cells), dtype=np.uint8),
        ),
        styles=tuple(table),
        merges=tuple(rect_at(m) for m in merges),
    )


def grid_of(
    rows: Sequence[Sequence[Value]],
    merges: Sequence[str] = (),
    styles: dict[tuple[int, int], Style] | None = None,
) -> Grid:
    """The grid that the early stages make of such a sheet."""
    [region] = locate_regions(sheet_of(rows, merges, styles))
    return recognise_grid(region)
