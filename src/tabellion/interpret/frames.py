"""Decoded tables as frames of a grid, with their header trees.

In: a grid, its tokens and the decoded tables. Out: `Labelled`, whose frames carry both trees (`Frame.stated`), so that
everything after is the same as for a source that declares its headers. What stands outside the tables is title, note or
other by the role that the network gives its cells.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tabellion.interpret.decode import Cell, DecodedTable
from tabellion.interpret.targets import FIELD, NOTE, OTHER, TITLE
from tabellion.interpret.tokens import Tokens
from tabellion.model.frame import ROW_ROLES, Frame, Labelled, Orientation, RowLabels, RowRole
from tabellion.model.grid import EMPTY, Grid
from tabellion.model.place import Rect
from tabellion.model.stated import StatedHeader, StatedTable

_ORIENTATIONS: dict[tuple[bool, bool], Orientation] = {
    (True, True): "row-column",
    (True, False): "column",
    (False, True): "row",
    (False, False): "none",
}
_OUTSIDE: dict[int, RowRole] = {TITLE: "title", NOTE: "note", OTHER: "note", FIELD: "note"}


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
        for rows, role in (
            (stated.body_rows, "data"), (stated.total_rows, "derived"), (stated.group_rows, "group"),
            (stated.header_rows, "header"),
        ):  # fmt: skip
            for row in rows:
                if grid.filled[row].any() or grid.said[row].any():
                    row_roles[row] = role  # type: ignore[assignment]
    probability = np.zeros((grid.shape[0], len(ROW_ROLES)))
    probability[np.arange(grid.shape[0]), [ROW_ROLES.index(role) for role in row_roles]] = 1.0
    labels = RowLabels(grid, tuple(row_roles), probability)
    frames = [
        Frame(
            labels=labels,
            rect=_rect(stated),
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
    return Labelled(labels, tuple(_with_lines(frames, outside)), "data frame" if frames else "other", 1.0)


def _rect(stated: StatedTable) -> Rect:
    return stated.area


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
    """Frames with the titles above and the notes below them: a title is the next frame's, a note the last one's."""
    import msgspec

    titles: dict[int, list[int]] = defaultdict(list)
    notes: dict[int, list[int]] = defaultdict(list)
    for row, role in sorted(outside.items()):
        below = [n for n, frame in enumerate(frames) if frame.rect.top > row]
        above = [n for n, frame in enumerate(frames) if frame.rect.bottom < row]
        if role == "title" and below:
            titles[min(below, key=lambda n: frames[n].rect.top)].append(row)
        elif role == "note" and above:
            notes[max(above, key=lambda n: frames[n].rect.bottom)].append(row)
    return [
        msgspec.structs.replace(frame, title_rows=tuple(titles[n]), note_rows=tuple(notes[n]))
        for n, frame in enumerate(frames)
    ]


def place_table(grid: Grid, tokens: Tokens, table: DecodedTable) -> StatedTable:
    """A decoded table in the grid's lines, with its trees."""
    rows, columns = tokens.rows.tolist(), tokens.columns.tolist()
    box = table.box

    def cell(held: Cell) -> Cell:
        return rows[held[0]], columns[held[1]]

    first = rows[box.top], columns[box.left]
    last = rows[box.bottom], columns[box.right]
    body = rows[table.body] if table.body < len(rows) else last[0] + 1
    values = columns[table.values] if table.values < len(columns) else last[1] + 1
    area = Rect(first[0], first[1], last[0], last[1])
    heads = [head for head in zip(*(line.tolist() for line in np.nonzero(grid.filled[first[0] : body])), strict=True)]
    reach = [first[0] + row + grid.span_at.get((first[0] + row, column), (1, 1))[0] for row, column in heads]
    head_end = min(body, max(reach, default=first[0]))
    over = {cell(child): cell(parent) for child, parent in table.over.items()}
    pieces = {cell(later): cell(piece) for later, piece in table.pieces.items()}
    names = {cell(one) for one in table.names}
    top, column_headers = _top(grid, area, body, values, over, pieces, names, table, columns, cell)
    groups = {rows[row] for row in table.groups}
    under = {rows[child]: rows[parent] for child, parent in table.under.items()}
    left, row_headers = _left(grid, area, body, values, under)
    body_rows = tuple(range(body, last[0] + 1))
    stub_end = _stub_end(grid, area, body, values, columns[table.values - 1]) if table.values > box.left else first[1]
    value_columns = tuple(range(stub_end, last[1] + 1))
    held = {
        (row, column)
        for row in body_rows
        if row not in groups
        for column in value_columns
        if grid.content[row, column] != EMPTY and not grid.covered[row, column]
    }
    return StatedTable(
        area=area,
        header_rows=tuple(range(first[0], head_end)),
        body_rows=body_rows,
        stub_columns=tuple(range(first[1], stub_end)),
        value_columns=value_columns,
        values=frozenset(held),
        top=top,
        left=left,
        column_headers=column_headers,
        row_headers=row_headers,
        group_rows=tuple(sorted(groups)),
        total_rows=tuple(sorted(rows[row] for row in table.derived)),
    )


def _stub_end(grid: Grid, area: Rect, body: int, values: int, last: int) -> int:
    """The column after the stub: after its last label and what most labels span, before the first value."""
    labels = zip(
        *(lines.tolist() for lines in np.nonzero(grid.filled[body : area.bottom + 1, area.left : values])), strict=True
    )
    ends = [
        area.left + column + grid.span_at.get((body + row, area.left + column), (1, 1))[1] for row, column in labels
    ]
    return min(values, max(last + 1, int(np.median(ends)) if ends else 0))


def _home(grid: Grid, row: int, column: int) -> Cell:
    """The cell that speaks for a place: its own, or the first of the span over it."""
    row, column = divmod(int(grid.home[row, column]), grid.shape[1])
    return row, column


def _top(grid, area, body, values, over, pieces, names, table, columns, cell):  # type: ignore[no-untyped-def]
    """The upper tree, and the nearest header of each column of values."""
    heads = [
        (row, column)
        for row in range(area.top, body)
        for column in range(area.left, area.right + 1)
        if grid.filled[row, column] and not grid.covered[row, column] and (row, column) not in names
    ]
    _follow_neighbours(heads, over, {cell(head) for head in table.heads})
    whole: dict[Cell, list[Cell]] = defaultdict(list)
    first = {head: _first_piece(head, pieces) for head in heads}
    for head in heads:
        whole[first[head]].append(head)
    headers = _Headers()
    for head, held in sorted(whole.items()):  # in reading order: parents stand above
        parent = over.get(head)
        at = headers.put(
            tuple(sorted(held, reverse=True)), headers.at.get(first.get(parent, parent)) if parent else None
        )
        headers.at.update(dict.fromkeys(held, at))
    nearest: dict[int, tuple[int, ...]] = {}
    voted = {columns[column]: cell(head) for column, head in table.voted.items()}
    for column in range(values, area.right + 1):
        own = (_home(grid, row, column) for row in range(body - 1, area.top - 1, -1))
        found = next((one for one in own if one in headers.at), voted.get(column))
        if found in headers.at:
            nearest[column] = (headers.at[found],)
    return tuple(headers.listed), nearest


def _first_piece(head: Cell, pieces: dict[Cell, Cell]) -> Cell:
    """The first piece of the label that a cell is a piece of."""
    while head in pieces and pieces[head] < head:
        head = pieces[head]
    return head


def _follow_neighbours(heads: list[Cell], over: dict[Cell, Cell], looked_at: set[Cell]) -> None:
    """Heads that were left out of the tokens have the parent of the head at their left, or the next in its row."""
    by_row: dict[int, list[Cell]] = defaultdict(list)
    for head in heads:
        by_row[head[0]].append(head)
    for row in by_row.values():
        for left, head in zip(row, row[1:], strict=False):
            if head in looked_at or left not in over:
                continue
            parent = over[left]
            over[head] = max((one for one in by_row[parent[0]] if one[1] <= head[1]), default=parent)


def _left(grid: Grid, area: Rect, body: int, values: int, under: dict[int, int]):  # type: ignore[no-untyped-def]
    """The tree of the rows, and the nearest headers of each: one for each column of the stub that labels it.

    Below a row with labels in several columns, the outer ones hold for rows that begin further in, and the last one for
    rows that begin as far out.
    """
    headers = _Headers()
    nearest: dict[int, tuple[int, ...]] = {}

    def labels(row: int) -> list[Cell]:
        homes = dict.fromkeys(_home(grid, row, column) for column in range(area.left, values))
        return [home for home in homes if grid.filled[home] and body <= home[0]]

    parents = set(under.values())
    order = sorted(range(body, area.bottom + 1), key=lambda row: (_depth(row, under), row))
    for row in order:
        above = under.get(row)
        own = labels(row) or (_first_cells(grid, area, row) if above is not None or row in parents else [])
        if not own:
            continue
        edge = min(label[1] for label in own)
        outer = (
            [at for at in nearest.get(above, ()) if headers.listed[at].cells[0][1] < edge] if above is not None else []
        )
        beside = [at for at in outer if headers.listed[at].cells[0][0] == above]
        parent = None
        if above in nearest and not beside:
            parent = nearest[above][-1]
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
