"""How the cells of a grid are coloured when it is drawn: by role, by what they say, or as in their source."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from rich.errors import StyleSyntaxError
from rich.style import Style

from tabellion.cli.palette import BLANK, CONTENT_STYLES, ROLE_STYLES
from tabellion.cli.sheet import Look
from tabellion.model.frame import Labelled
from tabellion.model.grid import Content, Grid
from tabellion.model.style import Style as SourceStyle


def look_by_role(labelled: Labelled) -> Look:
    """Each cell in the colour of its role."""
    roles = cell_roles(labelled)
    return lambda row, column: ROLE_STYLES.get(roles[row, column], BLANK)


def cell_roles(labelled: Labelled) -> NDArray[np.object_]:
    """The role of every cell of a grid, "" where there is none."""
    grid, rows = labelled.labels.grid, labelled.labels.roles
    roles = np.full(grid.shape, "", dtype=object)
    for row, role in enumerate(rows):
        if role in ("title", "note"):
            roles[row, grid.filled[row]] = role
    for frame in labelled.frames:
        span = slice(frame.rect.left, frame.rect.right + 1)
        for row in frame.header_rows:
            roles[row, span] = "header"
        for row in frame.body_rows:
            group, derived = rows[row] == "group", rows[row] == "derived"
            roles[row, list(frame.value_columns)] = "derived" if derived else "group" if group else "value"
            roles[row, list(frame.stub_columns)] = "group" if group else "stub"
    roles[grid.filled & (roles == "")] = "other"
    return roles


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
