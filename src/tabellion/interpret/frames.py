"""Decoded tables as frames of a grid, with their header trees.

In: a grid, its tokens and the decoded tables. Out: `Labelled`, whose frames carry both trees (`Frame.stated`), so that
everything after is the same as for a source that declares its headers. What stands outside the tables is title, note or
other by the role that the network gives its cells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.decode import Cell, DecodedTable
from tabellion.interpret.targets import FIELD, NOTE, OTHER, TITLE
from tabellion.interpret.tokens import Tokens
from tabellion.model.arrays import median
from tabellion.model.frame import ROW_ROLES, Frame, Labelled, Orientation, RowLabels, RowRole, SheetKind
from tabellion.model.grid import Grid
from tabellion.model.place import Rect
from tabellion.model.stated import StatedHeader, StatedTable

_ORIENTATIONS: dict[tuple[bool, bool], Orientation] = {
    (True, True): "row-column",
    (True, False): "column",
    (False, True): "row",
    (False, False): "none",
}
_OUTSIDE: dict[int, RowRole] = {TITLE: "title", NOTE: "note", OTHER: "note", FIELD: "note"}


Side = tuple[tuple[StatedHeader, ...], dict[int, tuple[int, ...]]]
"""The headers of one side, parents before children, and the numbers of the nearest of each line."""


class _Headers:
    """Headers that are given numbers as they are met, parents before children."""

    def __init__(self) -> None:
        self.listed: list[StatedHeader] = []
        self.at: dict[Cell, int] = {}

    def put(self, cells: tuple[Cell, ...], parent: int | None) -> int:
        """The number of a header; of a label in pieces the one nearest to the values comes first and names it."""
        if cells[0] not in self.at:
            self.at[cells[0]] = len(self.listed)
            self.listed.append(StatedHeader(cells, parent))
        return self.at[cells[0]]


def frame_tables(
    grid: Grid, tokens: Tokens, tables: list[DecodedTable], roles: NDArray[np.floating], confidences: Iterable[float]
) -> Labelled:
    """The grid with its rows labelled and its frames found."""
    placed = [place_table(grid, tokens, table) for table in tables]
    outside = _outside_rows(tokens, tables, roles)
    row_roles: list[RowRole] = ["blank"] * grid.shape[0]
    for row, role in outside.items():
        row_roles[row] = role
    for stated in placed:
        parts: tuple[tuple[tuple[int, ...], RowRole], ...] = (
            (stated.body_rows, "data"),
            (stated.total_rows, "derived"),
            (stated.group_rows, "group"),
            (stated.header_rows, "header"),
        )
        for rows, role in parts:
            for row in rows:
                if grid.said[row].any():
                    row_roles[row] = role
    probability = np.zeros((grid.shape[0], len(ROW_ROLES)))
    probability[np.arange(grid.shape[0]), [ROW_ROLES.index(role) for role in row_roles]] = 1.0
    labels = RowLabels(grid, tuple(row_roles), probability)
    frames = [
        Frame(
            labels=labels,
            rect=stated.area,
            header_rows=stated.header_rows,
            body_rows=stated.body_rows,
            stub_columns=stated.stub_columns,
            value_columns=stated.value_columns,
            orientation=_ORIENTATIONS[bool(stated.header_rows), bool(stated.stub_columns)],
            confidence=confidence,
            stated=stated,
        )
        for stated, confidence in zip(placed, confidences, strict=True)
        if stated.body_rows
    ]
    return Labelled(labels, tuple(_with_lines(frames, outside)), "data frame" if frames else _kind(tokens, roles), 1.0)


def _kind(tokens: Tokens, roles: NDArray[np.floating]) -> SheetKind:
    """What a grid without tables is."""
    if len(roles) and (roles.argmax(axis=1) == FIELD).mean() > 0.5:
        return "form"
    return "list" if len(tokens.columns) == 1 else "other"


def _outside_rows(tokens: Tokens, tables: list[DecodedTable], roles: NDArray[np.floating]) -> dict[int, RowRole]:
    """The role of rows of which something stands outside all tables, by the roles of those cells."""
    votes: dict[int, dict[RowRole, float]] = defaultdict(lambda: defaultdict(float))
    known = list(_OUTSIDE)
    for token, (row, column) in enumerate(zip(*(lines.tolist() for lines in tokens.at), strict=True)):
        if not any(table.box.holds(row, column) for table in tables):
            role = _OUTSIDE[known[int(roles[token, known].argmax())]]
            votes[int(tokens.rows[row])][role] += 1.0
    found = {row: max(held, key=lambda role: held[role]) for row, held in votes.items()}
    for row in np.flatnonzero(~tokens.kept).tolist():
        kin = int(tokens.rows[tokens.kin[row]])
        if kin in found:
            found[int(tokens.rows[row])] = found[kin]
    return found


def _with_lines(frames: list[Frame], outside: dict[int, RowRole]) -> list[Frame]:
    """Frames with the titles above and the notes below them.

    A title is that of the next frame below, and of those beside it; a note is that of the last frame above.
    """
    titles: dict[int, list[int]] = defaultdict(list)
    notes: dict[int, list[int]] = defaultdict(list)
    for row, role in sorted(outside.items()):
        below = [n for n, frame in enumerate(frames) if frame.rect.top > row]
        above = [n for n, frame in enumerate(frames) if frame.rect.bottom < row]
        if role == "title" and below:
            nearest = min(frames[n].rect.top for n in below)
            for n in below:
                if frames[n].rect.top == nearest:
                    titles[n].append(row)
        elif role == "note" and above:
            notes[max(above, key=lambda n: frames[n].rect.bottom)].append(row)
    return [
        msgspec.structs.replace(frame, title_rows=tuple(titles[n]), note_rows=tuple(notes[n]))
        for n, frame in enumerate(frames)
    ]


class _Lines(NamedTuple):
    """Where a decoded table is in the grid: its area, the first row below its head and the first column of values."""

    area: Rect
    body: int
    values: int


def place_table(grid: Grid, tokens: Tokens, table: DecodedTable) -> StatedTable:
    """A decoded table in the grid's lines, with its trees."""
    rows, columns = tokens.rows.tolist(), tokens.columns.tolist()
    box = table.box
    area = Rect(rows[box.top], columns[box.left], rows[box.bottom], columns[box.right])
    body = rows[table.body] if table.body < len(rows) else area.bottom + 1
    values = columns[table.values] if table.values < len(columns) else area.right + 1
    lines = _Lines(area, body, values)
    stub_end = _stub_end(grid, lines, columns[table.values - 1]) if table.values > box.left else area.left
    groups = {rows[row] for row in table.groups}
    body_rows, value_columns = range(body, area.bottom + 1), range(stub_end, area.right + 1)
    top, column_headers = _nest_top(grid, lines, _heads_in_grid(table, rows, columns))
    left, row_headers = _nest_left(grid, lines, {rows[child]: rows[parent] for child, parent in table.under.items()})
    inside = np.zeros(grid.shape, dtype=bool)
    inside[np.ix_([row for row in body_rows if row not in groups], value_columns)] = True
    return StatedTable(
        area=area,
        header_rows=tuple(range(area.top, _head_end(grid, lines))),
        body_rows=tuple(body_rows),
        stub_columns=tuple(range(area.left, stub_end)),
        value_columns=tuple(value_columns),
        values=frozenset(_cells_of(inside & grid.filled & ~grid.covered)),
        top=top,
        left=left,
        column_headers=column_headers,
        row_headers=row_headers,
        group_rows=tuple(sorted(groups)),
        total_rows=tuple(sorted(rows[row] for row in table.derived)),
    )


def _cells_of(flags: NDArray[np.bool_]) -> list[Cell]:
    """The cells that hold, in reading order."""
    rows, columns = np.nonzero(flags)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def _head_end(grid: Grid, lines: _Lines) -> int:
    """The row after the head: after the last row that has a label of it, or that one spans."""
    heads = _cells_of(grid.filled[lines.area.top : lines.body])
    ends = [lines.area.top + row + grid.span_at.get((lines.area.top + row, column), (1, 1))[0] for row, column in heads]
    return min(lines.body, max(ends, default=lines.area.top))


def _stub_end(grid: Grid, lines: _Lines, last: int) -> int:
    """The column after the stub: after its last label and what most labels span, before the first value."""
    top, left = lines.body, lines.area.left
    labels = _cells_of(grid.filled[top : lines.area.bottom + 1, left : lines.values])
    ends = [left + column + grid.span_at.get((top + row, left + column), (1, 1))[1] for row, column in labels]
    return min(lines.values, max(last + 1, int(median(ends)) if ends else 0))


def _home(grid: Grid, row: int, column: int) -> Cell:
    """The cell that speaks for a place: its own, or the first of the span over it."""
    row, column = divmod(int(grid.home[row, column]), grid.shape[1])
    return row, column


class _Heads(NamedTuple):
    """What was decoded of a head, in the grid's cells: see `DecodedTable`."""

    looked_at: set[Cell]
    over: dict[Cell, Cell]
    pieces: dict[Cell, Cell]
    names: set[Cell]
    voted: dict[int, Cell]


def _heads_in_grid(table: DecodedTable, rows: list[int], columns: list[int]) -> _Heads:
    def cell(held: Cell) -> Cell:
        return rows[held[0]], columns[held[1]]

    return _Heads(
        looked_at={cell(head) for head in table.heads},
        over={cell(child): cell(parent) for child, parent in table.over.items()},
        pieces={cell(later): cell(piece) for later, piece in table.pieces.items()},
        names={cell(name) for name in table.names},
        voted={columns[column]: cell(head) for column, head in table.voted.items()},
    )


def _nest_top(grid: Grid, lines: _Lines, decoded: _Heads) -> Side:
    """The upper tree, and the nearest header of each column of values."""
    area = lines.area
    inside = np.zeros(grid.shape, dtype=bool)
    inside[area.top : lines.body, area.left : area.right + 1] = True
    heads = [cell for cell in _cells_of(inside & grid.filled & ~grid.covered) if cell not in decoded.names]
    over = _with_left_out(heads, decoded)
    first = {head: _first_piece(head, decoded.pieces) for head in heads}
    whole: dict[Cell, list[Cell]] = defaultdict(list)
    for head in heads:
        whole[first[head]].append(head)
    headers = _Headers()
    for head, held in sorted(whole.items()):  # in reading order: parents are above
        parent = over.get(head)
        above = headers.at.get(first.get(parent, parent)) if parent else None
        at = headers.put(tuple(sorted(held, reverse=True)), above)
        headers.at.update(dict.fromkeys(held, at))
    nearest: dict[int, tuple[int, ...]] = {}
    for column in range(lines.values, area.right + 1):
        own = (_home(grid, row, column) for row in range(lines.body - 1, area.top - 1, -1))
        found = next((one for one in own if one in headers.at), decoded.voted.get(column))
        if found in headers.at:
            nearest[column] = (headers.at[found],)
    return tuple(headers.listed), nearest


def _first_piece(head: Cell, pieces: dict[Cell, Cell]) -> Cell:
    """The first piece of the label that a cell is a piece of."""
    while head in pieces and pieces[head] < head:
        head = pieces[head]
    return head


def _with_left_out(heads: list[Cell], decoded: _Heads) -> dict[Cell, Cell]:
    """The parents of heads; one that is no token has the parent of the head at its left, or the next in that row."""
    over = dict(decoded.over)
    by_row: dict[int, list[Cell]] = defaultdict(list)
    for head in heads:
        by_row[head[0]].append(head)
    for row in by_row.values():
        for left, head in pairwise(row):
            if head not in decoded.looked_at and left in over:
                parent = over[left]
                over[head] = max((one for one in by_row[parent[0]] if one[1] <= head[1]), default=parent)
    return over


def _nest_left(grid: Grid, lines: _Lines, under: dict[int, int]) -> Side:
    """The tree of the rows, and the nearest headers of each: one for each column of the stub that labels it.

    Below a row with labels in several columns, the outer ones hold for rows that begin further in, and the last one for
    rows that begin as far out.
    """
    area, body = lines.area, lines.body
    headers = _Headers()
    nearest: dict[int, tuple[int, ...]] = {}

    def labels(row: int) -> list[Cell]:
        homes = dict.fromkeys(_home(grid, row, column) for column in range(area.left, lines.values))
        return [home for home in homes if grid.filled[home] and body <= home[0]]

    parents = set(under.values())
    for row in sorted(range(body, area.bottom + 1), key=lambda row: (_depth(row, under), row)):
        above = under.get(row)
        own = labels(row) or (_first_cells(grid, area, row) if above is not None or row in parents else [])
        if not own:
            continue
        edge = min(label[1] for label in own)
        inherited = nearest.get(above, ()) if above is not None else ()
        outer = [at for at in inherited if headers.listed[at].cells[0][1] < edge]
        beside = any(headers.listed[at].cells[0][0] == above for at in outer)
        parent = inherited[-1] if inherited and not beside else None
        nodes = [headers.put((label,), parent if label[0] == row else None) for label in own]
        nearest[row] = (*(at for at in outer if at not in nodes), *nodes)
    return tuple(headers.listed), nearest


def _depth(row: int, under: dict[int, int]) -> int:
    """How many rows are above a row in its tree."""
    depth = 0
    while row in under:
        row, depth = under[row], depth + 1
    return depth


def _first_cells(grid: Grid, area: Rect, row: int) -> list[Cell]:
    """The first cell of a row that has no label in the stub: where a group is written beside it."""
    columns = range(area.left, area.right + 1)
    return [(row, column) for column in columns if grid.filled[row, column] and not grid.covered[row, column]][:1]
