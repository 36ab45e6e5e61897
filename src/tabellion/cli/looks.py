"""How the cells of a grid are coloured when it is drawn: by role, by what they say, or as in their source."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.errors import StyleSyntaxError
from rich.style import Style

from tabellion.cli.palette import BLANK, CONTENT_STYLES, ROLE_STYLES
from tabellion.cli.sheet import Look
from tabellion.export.json import claim_cells
from tabellion.model.frame import Frame, RowLabels
from tabellion.model.grid import Content, Grid
from tabellion.model.style import Style as SourceStyle
from tabellion.model.table import Table
from tabellion.relate import CELL_ROLES


def look_by_role(grid: Grid, tables: Sequence[Table]) -> Look:
    """Each cell in the colour of its role; an empty cell of a frame in that of its part of the frame."""
    roles = np.zeros(grid.shape, dtype=np.uint8)
    for own in claim_cells(tuple(tables)):
        roles = np.where(own, own, roles)
    names = np.array([role or "" for role in CELL_ROLES], dtype=object)[roles]
    for table in tables:
        _fill_blanks(names, table.frame)
    return lambda row, column: ROLE_STYLES.get(names[row, column], BLANK)


def _fill_blanks(names: NDArray[np.object_], frame: Frame) -> None:
    rect, blank = frame.rect, names == ""
    inside = np.zeros(names.shape, dtype=bool)
    inside[rect.top : rect.bottom + 1, rect.left : rect.right + 1] = True
    header, stub = np.zeros(names.shape, dtype=bool), np.zeros(names.shape, dtype=bool)
    header[list(frame.header_rows)] = True
    stub[:, list(frame.stub_columns)] = True
    names[blank & inside] = "value"
    names[blank & inside & stub] = "stub"
    names[blank & inside & header] = "header"


def look_by_row(labels: RowLabels) -> Look:
    """Each filled cell in the colour of its row's role."""
    styles = [ROLE_STYLES["value" if role == "data" else role] if role != "blank" else BLANK for role in labels.roles]
    filled = labels.grid.filled
    return lambda row, column: styles[row] if filled[row, column] else BLANK


def look_by_content(grid: Grid) -> Look:
    """Each cell in the colour of what it says."""
    names = {content: content.name.lower() for content in Content}
    return lambda row, column: CONTENT_STYLES.get(names[Content(int(grid.content[row, column]))], BLANK)


def look_of_source(grid: Grid) -> Look:
    """Each cell as its source styles it."""
    styles = [_terminal_style(style) for style in grid.styles]
    return lambda row, column: styles[grid.style[row, column]]


def _terminal_style(style: SourceStyle) -> Style:
    plain = Style(bold=style.bold or None, italic=style.italic or None, underline=style.underline or None)
    try:
        ground = Style.parse(f"#000000 on #{style.fill[-6:]}") if style.fill else BLANK
        return plain + ground
    except StyleSyntaxError:
        return plain
