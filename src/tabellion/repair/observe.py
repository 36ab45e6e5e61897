"""What a reading says of the thing that an operation speaks of.

In: an extraction and an operation. Out: the value that stands where the operation's `to` shall stand, or `UNKNOWN`
where the reading has no such thing. So `was` is filled in before a stroke, and after it one can see whether it holds.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tabellion.model.correction import (
    Area,
    CutTables,
    GiveCellRole,
    GiveColumnRole,
    GiveRowRole,
    JoinCells,
    JoinLines,
    MoveEdge,
    MoveHeader,
    Orient,
    PartLine,
    SameLabel,
    Saying,
    SayTable,
    SayText,
    Spot,
    axis_of,
)
from tabellion.model.frame import Labelled
from tabellion.model.grid import EMPTY
from tabellion.model.place import Place, Rect, common_share
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES, label_cells
from tabellion.repair.places import Places, same_region


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
"""There is no such thing in the reading."""


def observe(extraction: Extraction, place: Place, said: Saying) -> Any:
    """The value of an operation's thing now."""
    tables = [table for table in extraction.tables if same_region(table.grid.place, place)]
    grids = [one for one in extraction.labelled if same_region(one.labels.grid.place, place)]
    match said:
        case MoveHeader():
            return _parent(tables, said)
        case GiveRowRole():
            return next((role for one in grids if (role := _row_role(one, said.row)) is not None), UNKNOWN)
        case GiveCellRole():
            return next((role for one in tables if (role := _cell_role(one, said.cell)) is not None), UNKNOWN)
        case CutTables():
            return _is_cut(tables, said)
        case SayTable():
            return table_at(tables, said.table) is not None
        case JoinLines() | PartLine() | SameLabel():
            return UNKNOWN  # the grid does not remember: what was said of it is all there is
        case JoinCells():
            return _is_joined(grids, said.area)
        case _:
            return _of_table(tables, said)


def table_at(tables: Iterable[Table], area: Area) -> Table | None:
    """The table that has most in common with an area."""
    shares = [(common_share(one.grid.source_rect(one.frame.rect), area.rect), one) for one in tables]
    best = max(shares, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] > 0 else None


def header_node(table: Table, side: str, spot: Spot) -> int | None:
    """The node of a header tree that holds a cell."""
    cell = Places(table.grid).cell(spot)
    nodes = (table.left if side == "left" else table.top).nodes
    return next((node.id for node in nodes if cell in node.cells), None)


def _parent(tables: list[Table], said: MoveHeader) -> Any:
    for table in tables:
        node = header_node(table, said.side, said.header)
        if node is not None:
            tree = table.left if said.side == "left" else table.top
            parent = tree.nodes[node].parent
            return None if parent is None else Places(table.grid).spot(*tree.nodes[parent].cells[0])
    return UNKNOWN


def _row_role(labelled: Labelled, spot: Spot) -> str | None:
    row = Places(labelled.labels.grid).row(spot.row)
    return None if row is None else labelled.labels.roles[row]


def _cell_role(table: Table, spot: Spot) -> str | None:
    cell = Places(table.grid).cell(spot)
    return None if cell is None else CELL_ROLES[label_cells(table.nested)[cell]]


def _is_cut(tables: list[Table], said: CutTables) -> Any:
    down = axis_of(said.at) == "row"
    line = said.at.row if down else said.at.column
    rects = [table.grid.source_rect(table.frame.rect) for table in tables]
    spans = [(rect.top, rect.bottom) if down else (rect.left, rect.right) for rect in rects]
    if line is None or not any(first <= line <= last for first, last in spans):
        return UNKNOWN
    return not any(first < line <= last for first, last in spans)


def _is_joined(grids: list[Labelled], area: Area) -> Any:
    for labelled in grids:
        grid = labelled.labels.grid
        rect = Places(grid).rect(area.rect)
        if rect:
            homes = np.unique(grid.home[rect.top : rect.bottom + 1, rect.left : rect.right + 1])
            return len(homes) == 1 and rect.height * rect.width > 1
    return UNKNOWN


def _of_table(tables: list[Table], said: Saying) -> Any:
    area = said.area if isinstance(said, SayText) else said.table  # type: ignore[union-attr]
    table = table_at(tables, area)
    if table is None:
        return UNKNOWN
    places, frame = Places(table.grid), table.frame
    match said:
        case GiveColumnRole():
            column = places.column(said.column.column)
            return "stub" if column in frame.stub_columns else "value" if column in frame.value_columns else UNKNOWN
        case MoveEdge():
            line = getattr(frame.rect, said.side)
            return places.spot(row=line) if said.side in ("top", "bottom") else places.spot(column=line)
        case Orient():
            return frame.orientation
        case SayText():
            return _text(table, said)
        case _:
            return UNKNOWN


def _text(table: Table, said: SayText) -> Any:
    affiliated = table.metadata.affiliated
    rect = Places(table.grid).rect(said.area.rect)
    if said.what == "title":
        return table.title
    if said.what == "caption":
        return affiliated.caption
    if rect is None:
        return UNKNOWN
    if said.what == "unit":
        tuples = table.tuples
        inside = (tuples.rows >= rect.top) & (tuples.rows <= rect.bottom)
        inside &= (tuples.columns >= rect.left) & (tuples.columns <= rect.right)
        units = {tuples.units[number] for number in set(tuples.unit_ids[inside].tolist())}
        return units.pop() if len(units) == 1 else None
    if 1 in (rect.height, rect.width):
        marks = [table.grid.notes.get(r * table.grid.shape[1] + c, ()) for r, c in _filled(table, rect)]
        return "\n".join(dict.fromkeys(mark for held in marks for mark in held)) or None
    return "\n".join(affiliated.footnotes) or None


def _filled(table: Table, rect: Rect) -> list[tuple[int, int]]:
    content = table.grid.content[rect.top : rect.bottom + 1, rect.left : rect.right + 1]
    rows, columns = np.nonzero(content != EMPTY)
    return [(rect.top + int(r), rect.left + int(c)) for r, c in zip(rows, columns, strict=True)]
