"""The same correction where the same look recurs.

In: an extraction and a correction. Out: proposals: operations that would do to other headers, rows, columns, cells or
tables what the correction did to one, wherever these look the same and still are what that one was. Nothing is changed:
proposals are for a person to accept. Alike are headers of one look (letters, indent, column) under parents of one look,
rows of one look and filling, columns and tables with the same words over them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec
import numpy as np

from tabellion.model.correction import (
    Correction,
    CutTables,
    GiveCellRole,
    GiveColumnRole,
    GiveRowRole,
    MoveHeader,
    Orient,
    Saying,
    SayTable,
    SayText,
    Spot,
    axis_of,
)
from tabellion.model.frame import HeaderTree, Labelled
from tabellion.model.grid import NUMBER, Grid
from tabellion.model.place import Place, Rect
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES, label_cells
from tabellion.repair.places import Places, region_place, same_region
from tabellion.repair.rereading import header_node, table_at

Scope = Literal["table", "sheet", "workbook"]
Look = tuple[Any, ...]
MOST_FILLED = 0.5  # of the columns; from there on a row counts as full


class Proposal(msgspec.Struct, frozen=True):
    """An operation that a person may accept, and where."""

    place: Place
    operation: Saying


class Example(msgspec.Struct, frozen=True):
    """A correction by what it looks like: enough to find its like in any document."""

    said: Saying
    look: Look
    was: Any


def example_of(extraction: Extraction, correction: Correction) -> Example | None:
    """What a correction, already made in this extraction, looks like; None where it has no like."""
    said = correction.operation
    tables = [table for table in extraction.tables if same_region(table.grid.place, correction.place)]
    grids = [one for one in extraction.labelled if same_region(one.labels.grid.place, correction.place)]
    match said:
        case MoveHeader():
            return _header_example(tables, said)
        case GiveRowRole() | CutTables():
            line = said.row if isinstance(said, GiveRowRole) else said.at
            if axis_of(line) == "row":
                for labelled in grids:
                    row = Places(labelled.labels.grid).row(line.row)
                    if row is not None:
                        return Example(said, _row_look(labelled.labels.grid, row), said.was)
        case GiveCellRole():
            for labelled in grids:
                cell = Places(labelled.labels.grid).cell(said.cell)
                if cell is not None:
                    return Example(said, _cell_look(labelled.labels.grid, cell), said.was)
        case GiveColumnRole() | Orient() | SayText():
            area = said.area if isinstance(said, SayText) else said.table
            if table := table_at(tables, area):
                return Example(said, _words_over(table, said), said.was)
        case SayTable():
            for labelled in grids:
                rect = Places(labelled.labels.grid).rect(said.table.rect)
                if rect is not None:
                    return Example(said, _first_words(labelled.labels.grid, rect), said.was)
        case _:
            return None
    return None


def find_alike(extraction: Extraction, example: Example, given: set[tuple[Place, Any]]) -> Iterator[Proposal]:
    """Proposals for all that looks like an example; of what is `given` nothing is proposed."""
    said = example.said
    if isinstance(said, GiveRowRole | CutTables):
        for labelled in extraction.labelled:
            yield from _alike_rows(labelled, example, extraction, given)
        return
    for table in extraction.tables:
        place = region_place(table.grid.place)
        for proposed in _alike_in_table(table, example):
            if (place, subject_of(proposed)) not in given:
                yield Proposal(place, proposed)


def subject_of(said: Saying) -> Any:
    """What an operation speaks of, so that it can be told whether it was said before."""
    match said:
        case MoveHeader():
            return said.side, said.header.at
        case GiveRowRole():
            return "row", said.row.at
        case GiveCellRole():
            return "cell", said.cell.at
        case GiveColumnRole():
            return "column", said.column.at, said.table.rect
        case CutTables():
            return "cut", said.at.at
        case Orient() | SayTable():
            return said.__class__.__name__, said.table.rect
        case SayText():
            return said.what, said.area.rect
        case _:
            return None


def _alike_in_table(table: Table, example: Example) -> Iterator[Saying]:
    said, places = example.said, Places(table.grid)
    match said:
        case MoveHeader():
            yield from _alike_headers(table, said, example.look)
        case GiveCellRole():
            roles = label_cells(table.nested)
            for row, column in zip(*np.nonzero(roles), strict=True):
                cell = int(row), int(column)
                if CELL_ROLES[roles[cell]] == said.was and _cell_look(table.grid, cell) == example.look:
                    yield GiveCellRole(places.spot(*cell), said.to, said.was)
        case GiveColumnRole():
            held = table.frame.stub_columns if said.was == "stub" else table.frame.value_columns
            for column in held:
                here = GiveColumnRole(places.area(table.frame.rect), places.spot(column=column), said.to, said.was)
                if _words_over(table, here) == example.look:
                    yield here
        case Orient():
            if table.orientation == said.was and _words_over(table, said) == example.look:
                yield Orient(places.area(table.frame.rect), said.to, said.was)
        case SayText(what="unit"):
            yield from _alike_units(table, said, example.look)
        case SayTable():
            if said.to is False and _first_words(table.grid, table.frame.rect) == example.look:
                yield SayTable(places.area(table.frame.rect), False, True)
        case _:
            return


def _header_example(tables: list[Table], said: MoveHeader) -> Example | None:
    for table in tables:
        node = header_node(table, said.side, said.header)
        if node is None:
            continue
        before = None if said.was is None else Places(table.grid).cell(said.was)
        after = None if said.to is None else Places(table.grid).cell(said.to)
        child = _tree(table, said.side).nodes[node].cells[0]
        look = (_cell_style(table, child), _style_or_none(table, before), _style_or_none(table, after))
        return Example(said, look, said.was)
    return None


def _alike_headers(table: Table, said: MoveHeader, look: Look) -> Iterator[MoveHeader]:
    tree, places = _tree(table, said.side), Places(table.grid)
    child_look, was_look, to_look = look
    order = sorted(tree.nodes, key=lambda node: node.cells[0])
    for number, node in enumerate(order):
        cell = node.cells[0]
        parent = None if node.parent is None else tree.nodes[node.parent].cells[0]
        if _cell_style(table, cell) != child_look or _style_or_none(table, parent) != was_look:
            continue
        above = None
        if to_look is not None:
            earlier = (one.cells[0] for one in reversed(order[:number]))
            above = next(
                (one for one in earlier if _cell_style(table, one) == to_look and _is_over(said, one, cell)), None
            )
            if above is None:
                continue
        if above != parent:
            yield MoveHeader(said.side, places.spot(*cell), _spot(places, above), _spot(places, parent))


def _is_over(said: MoveHeader, upper: tuple[int, int], lower: tuple[int, int]) -> bool:
    return upper < lower if said.side == "left" else upper[0] < lower[0] and upper[1] <= lower[1]


def _alike_rows(
    labelled: Labelled, example: Example, extraction: Extraction, given: set[tuple[Place, Any]]
) -> Iterator[Proposal]:
    grid, said = labelled.labels.grid, example.said
    places, place = Places(grid), region_place(grid.place)
    tables = [table for table in extraction.tables if table.grid is grid]
    for row in range(grid.shape[0]):
        if not grid.filled[row].any() or _row_look(grid, row) != example.look:
            continue
        spot = places.spot(row=row)
        proposed: Saying | None = None
        if isinstance(said, GiveRowRole) and labelled.labels.roles[row] == said.was:
            proposed = GiveRowRole(spot, said.to, said.was)
        elif isinstance(said, CutTables):
            inside = any(table.frame.rect.top < row <= table.frame.rect.bottom for table in tables)
            starts = any(table.frame.rect.top == row for table in tables)
            if (said.to and inside) or (not said.to and starts):
                proposed = CutTables(spot, said.to, said.was)
        if proposed is not None and (place, subject_of(proposed)) not in given:
            yield Proposal(place, proposed)


def _alike_units(table: Table, said: SayText, look: Look) -> Iterator[SayText]:
    places, frame = Places(table.grid), table.frame
    for column in frame.value_columns:
        rect = Rect(frame.body_rows[0], column, frame.body_rows[-1], column)
        here = SayText("unit", places.area(rect), said.to, said.was)
        inside = table.tuples.columns == column
        units = {table.tuples.units[number] for number in set(table.tuples.unit_ids[inside].tolist())}
        if units == {said.was} and _words_over(table, here) == look:
            yield here


def _tree(table: Table, side: str) -> HeaderTree:
    return table.left if side == "left" else table.top


def _spot(places: Places, cell: tuple[int, int] | None) -> Spot | None:
    return None if cell is None else places.spot(*cell)


def _style_or_none(table: Table, cell: tuple[int, int] | None) -> Look | None:
    return None if cell is None else _cell_style(table, cell)


def _cell_style(table: Table, cell: tuple[int, int]) -> Look:
    """The look of a header: letters, indent, and whether its row has values."""
    grid = table.grid
    style = grid.styles[grid.style[cell]]
    values = bool(grid.filled[cell[0], list(table.frame.value_columns)].any())
    capitals = str(grid.label[cell]).isupper()
    indent = round(float(grid.indent[cell]), 1)
    return style.bold, style.italic, style.underline, style.size, style.align, indent, values, capitals, cell[1]


def _row_look(grid: Grid, row: int) -> Look:
    """The look of a row: that of its first cell, and how it is filled."""
    filled = np.flatnonzero(grid.filled[row])
    first = int(filled[0])
    style = grid.styles[grid.style[row, first]]
    numbers = bool((grid.content[row] == NUMBER).any())
    many = len(filled) > MOST_FILLED * grid.shape[1]
    indent = round(float(grid.indent[row, first]), 1)
    return first, style.bold, style.italic, style.size, style.fill, style.align, indent, numbers, many


def _cell_look(grid: Grid, cell: tuple[int, int]) -> Look:
    style = grid.styles[grid.style[cell]]
    return str(grid.label[cell]).casefold(), style.bold, style.italic, style.fill


def _words_over(table: Table, said: Saying) -> Look:
    """The header words of a column, or of the whole table."""
    column = None
    if isinstance(said, GiveColumnRole):
        column = Places(table.grid).column(said.column.column)
    elif isinstance(said, SayText):
        rect = Places(table.grid).rect(said.area.rect)
        column = rect.left if rect and rect.width == 1 else None
    heads = list(table.frame.header_rows)
    if column is not None:
        homes = table.grid.home[heads, column]
        return tuple(str(table.grid.label.ravel()[home]).casefold() for home in homes)
    return tuple(str(label).casefold() for label in table.grid.label[heads].ravel() if label)


def _first_words(grid: Grid, rect: Rect) -> Look:
    row = grid.label[rect.top, rect.left : rect.right + 1]
    return (rect.width, *(str(label).casefold() for label in row))
