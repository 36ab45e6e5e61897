"""A picture of the spot where a value stands: its labels, the cells around it, and where all of that is.

In: a table of the library and the address of a value. Out: a drawing of the rows and columns that its labels stand in
and of those next to it, with the value and its labels marked. It is drawn from the document as it was kept, so that it
shows the edition that a citation names. Fails to show how the source looks: fonts, colours and pictures are left out.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tabellion.errors import LibraryError
from tabellion.library.citing import cite_value
from tabellion.library.library import Library
from tabellion.library.stored_tables import stored_extractions
from tabellion.model.grid import Grid
from tabellion.model.scene import DrawnBox, DrawnLine, DrawnText, Scene
from tabellion.model.table import Table, Tuple

_AROUND = 2  # rows and columns shown on each side of the value
_SIZE, _HIGH, _LETTER = 11.0, 20.0, 0.55  # of letters: points; of a row: points; how wide a letter is by its size
_LONGEST = 34  # letters of a cell
_MARGIN, _HEAD = 12.0, 58.0  # points around the drawing, and over the cells
_VALUE, _LABEL, _LINE, _QUIET = "#ffe08a", "#dbe9ff", "#c4c9d0", "#5f6670"


def draw_spot(library: Library, name: str, address: str) -> Scene:
    """The spot where the value at an address of a table stands."""
    cited = cite_value(library, name, address)
    tables = [table for found in stored_extractions(library, [cited.table]) for table in found.tables]
    value = tables[0].tuples.at(cited.address) if tables else None
    if value is None:
        raise LibraryError(f"{address}: the stored document is read otherwise now; run `tabellion rebuild`")
    said = f"{cited.source}, {cited.sheet or (f'page {cited.page}' if cited.page else '')} {cited.address}".strip()
    edition = f"edition sha256:{cited.sha256[:12]}, confidence {cited.confidence:.2f}"
    return _draw(tables[0], value, (cited.title or cited.name, said, edition))


def _draw(table: Table, value: Tuple, heads: tuple[str, str, str]) -> Scene:
    grid = table.grid
    labels = {(int(row), int(column)) for row, column in (*value.top_cells, *value.left_cells)}
    rows = _near(grid.row_of, value.row, (row for row, _ in labels))
    columns = _near(grid.column_of, value.column, (column for _, column in labels))
    marked = {(value.row, value.column): _VALUE, **dict.fromkeys(labels, _LABEL)}
    widths = [_width(grid, rows, column) for column in columns]
    edges = [_MARGIN, *(_MARGIN + width for width in np.cumsum(widths).tolist())]
    sizes = ((heads[0], 13.0), (heads[1], _SIZE), (heads[2], _SIZE))
    wide = max(edges[-1], *(_MARGIN + len(text) * size * _LETTER for text, size in sizes)) + _MARGIN
    parts: list[DrawnBox | DrawnLine | DrawnText] = [DrawnText(_MARGIN, 22, heads[0], 13.0, bold=True)]
    parts += [DrawnText(_MARGIN, 22 + 14 * at, text, 10.0, colour=_QUIET) for at, text in enumerate(heads[1:], 1)]
    for at, row in enumerate(rows):
        top = _HEAD + at * _HIGH
        for left, width, column in zip(edges, widths, columns, strict=False):
            if grid.covered[row, column]:
                continue
            colour = marked.get((int(grid.row_of[row]), int(grid.column_of[column])))
            if colour:
                parts.append(DrawnBox(left, top, width, _HIGH, colour))
            parts.append(DrawnText(left + 4, top + 14, _short(grid, row, column), _SIZE, bold=colour == _VALUE))
        parts.append(DrawnLine(((_MARGIN, top), (edges[-1], top)), _LINE, 0.6))
    bottom = _HEAD + len(rows) * _HIGH
    parts.append(DrawnLine(((_MARGIN, bottom), (edges[-1], bottom)), _LINE, 0.6))
    return Scene(wide, bottom + _MARGIN, tuple(parts))


def _near(source: NDArray[np.int32], line: int, labelled: Iterable[int]) -> list[int]:
    """The lines of a grid next to one of the source, and those that labels stand in."""
    at = int(np.searchsorted(source, line))
    wanted = set(range(max(at - _AROUND, 0), min(at + _AROUND + 1, len(source))))
    return sorted(wanted | {int(np.searchsorted(source, one)) for one in labelled})


def _width(grid: Grid, rows: Iterable[int], column: int) -> float:
    longest = max((len(_short(grid, row, column)) for row in rows if (row, column) not in grid.span_at), default=0)
    return max(longest, 4) * _SIZE * _LETTER + 10


def _short(grid: Grid, row: int, column: int) -> str:
    text = " ".join(str(grid.text[row, column]).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
