"""What a workbook marks on a sheet, as evidence for its reading.

In: a grid with marks. Out: the areas that are certainly tables (lists and pivot tables), each with the roles of its
rows; roles of rows that filters tell; and the roles that would hold if the rows that stay in view, or are printed on
every page, end with a head. The last are offered as one more reading, no more: people freeze what they like.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tabellion.model.declared import MarkedArea
from tabellion.model.frame import RowLabels, RowRole
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect

Roles = dict[int, RowRole]
LEAST_HEADS = 2  # texts in a row that heads a list
_BODY = ("data", "group", "derived")


def listed_areas(grid: Grid) -> list[MarkedArea]:
    """The areas that are tables by the word of the spreadsheet program; of two that overlap the first."""
    found: list[MarkedArea] = []
    for marked in grid.marked.areas:
        if marked.kind in ("table", "pivot") and not any(marked.area.meets(one.area) for one in found):
            found.append(marked)
    return found


def with_rows_above(grid: Grid, marked: MarkedArea, others: list[MarkedArea]) -> Rect:
    """The area and the rows right above it, up to a blank one: its head may have more rows than the program knows."""
    area = marked.area
    top = area.top
    filled = np.asarray(grid.filled[:, area.left : area.right + 1].any(axis=1))
    while top and filled[top - 1] and not any(one.area.meets(_row(area, top - 1)) for one in others):
        top -= 1
    return Rect(top, area.left, area.bottom, area.right)


def _row(area: Rect, row: int) -> Rect:
    return Rect(row, area.left, row, area.right)


def listed_roles(labels: RowLabels, marked: MarkedArea) -> Roles:
    """The roles of an area's rows: heads and totals as it has them, data for all that was taken for anything else."""
    area = marked.area
    roles: Roles = {}
    for row in range(area.top, area.bottom + 1):
        if row < area.top + marked.header_rows:
            roles[row] = "header"
        elif row > area.bottom - marked.total_rows:
            roles[row] = "derived"
        elif labels.grid.filled[row, area.left : area.right + 1].any():
            roles[row] = labels.roles[row] if labels.roles[row] in _BODY else "data"
    return roles


def filter_roles(grid: Grid) -> Roles:
    """Rows with drop-down filters are heads."""
    tops = [marked.area for marked in grid.marked.areas if marked.kind == "filter"]
    return {area.top: "header" for area in tops if _may_head(grid, area.top, area.left, area.right)}


def frozen_roles(grid: Grid) -> Iterator[Roles]:
    """The last row that stays in view, or is printed on every page, as a head, and the next one as data."""
    for head in grid.marked.heads:
        below = np.flatnonzero(grid.filled[head + 1 :].any(axis=1))
        if len(below) and _may_head(grid, head, 0, grid.shape[1] - 1):
            yield {head: "header", head + 1 + int(below[0]): "data"}


def _may_head(grid: Grid, row: int, left: int, right: int) -> bool:
    content = grid.content[row, left : right + 1]
    return bool((content == Content.TEXT).sum() >= LEAST_HEADS)
