"""Frames that need no guess: people gave them, or the source states them.

Frames as people said they are: their rows, columns, edges, cuts and direction. In: labelled rows with the frames found
among them, and what is given of them. Out: the same with all that is given holding. The row labeller has had its say
before, with the given roles as constraints; what is left is done here to the letter. A frame that is left without a
body is none.

Frames that the source itself states: nothing is guessed. In: a grid with statements placed on it. Out: a `Labelled`
with a frame for each. Rows that none names are blank.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec
import numpy as np

from tabellion.label.blocks import Block
from tabellion.label.frames import build_frame
from tabellion.model.correction import NOTHING, FixedColumn, FixedCut, FixedEdge, FixedOrientation, Fixes
from tabellion.model.frame import ROW_ROLES, Frame, Labelled, Orientation, RowLabels, RowRole
from tabellion.model.grid import Grid
from tabellion.model.place import Rect, common_share
from tabellion.model.stated import StatedTable
from tabellion.weights import Weights

_ORIENTATIONS: dict[tuple[bool, bool], Orientation] = {
    (True, True): "row-column",
    (True, False): "column",
    (False, True): "row",
    (False, False): "none",
}


def label_stated(grid: Grid, *, given: bool = False) -> Labelled:
    """The frames of a grid by what is stated of them; `given`: people say otherwise, so headers are found anew."""
    roles: list[RowRole] = ["blank"] * grid.shape[0]
    for stated in grid.stated:
        parts: tuple[tuple[tuple[int, ...], RowRole], ...] = (
            (stated.body_rows, "data"),
            (stated.group_rows, "group"),
            (stated.total_rows, "derived"),
            (stated.header_rows, "header"),
            (stated.title_rows, "title"),
            (stated.note_rows, "note"),
        )
        for rows, role in parts:
            for row in rows:
                roles[row] = role
    probability = np.zeros((grid.shape[0], len(ROW_ROLES)))
    probability[np.arange(grid.shape[0]), [ROW_ROLES.index(role) for role in roles]] = 1.0
    labels = RowLabels(grid, tuple(roles), probability)
    frames = tuple(_frame(labels, stated, given=given) for stated in grid.stated if stated.body_rows)
    return Labelled(labels=labels, frames=frames, kind="data frame", kind_probability=1.0)


def _frame(labels: RowLabels, stated: StatedTable, *, given: bool) -> Frame:
    rows = (*stated.header_rows, *stated.body_rows)
    columns = (*stated.stub_columns, *stated.value_columns) or (0,)
    return Frame(
        labels=labels,
        rect=Rect(min(rows), min(columns), max(rows), max(columns)),
        header_rows=stated.header_rows,
        body_rows=stated.body_rows,
        stub_columns=stated.stub_columns,
        value_columns=stated.value_columns,
        title_rows=stated.title_rows,
        note_rows=stated.note_rows,
        orientation=_ORIENTATIONS[bool(stated.header_rows), bool(stated.stub_columns) and not stated.keyed],
        keyed=stated.keyed,
        stated=None if given else stated,
    )


BODY: tuple[RowRole, ...] = ("data", "group", "derived")
Change = Callable[[Frame], Frame]


def fix_frames(labelled: Labelled, fixes: Fixes, weights: Weights) -> Labelled:
    """The frames with all that is given of them."""
    if fixes == NOTHING:
        return labelled
    labels = _with_roles(labelled.labels, fixes)
    frames = [msgspec.structs.replace(frame, labels=labels) for frame in labelled.frames]
    frames = [frame for frame in (_fix_rows(frame, frames, fixes) for frame in frames) if frame.body_rows]
    for said in fixes.tables:
        if said.genuine and not _frame_at(frames, said.table):
            frames += _frame_of(labels, said.table, weights)
    for cut in fixes.cuts:
        frames = _part(frames, cut, weights) if cut.parted else _unite(frames, cut, weights)
    for edge in fixes.edges:
        frames = _replaced(frames, edge.table, partial(_move_edge, edge=edge))
    for column in fixes.columns:
        frames = _replaced(frames, column.table, partial(_fix_column, given=column))
    for way in fixes.orientations:
        frames = _replaced(frames, way.table, partial(_turn, way=way))
    for said in fixes.tables:
        if not said.genuine and (gone := _frame_at(frames, said.table)):
            frames.remove(gone)
    frames.sort(key=lambda frame: frame.rect)
    return msgspec.structs.replace(
        labelled, labels=labels, frames=tuple(msgspec.structs.replace(frame, fixes=fixes) for frame in frames)
    )


def _with_roles(labels: RowLabels, fixes: Fixes) -> RowLabels:
    roles = list(labels.roles)
    for row, role in fixes.rows.items():
        roles[row] = role
    return msgspec.structs.replace(labels, roles=tuple(roles))


def _frame_at(frames: list[Frame], table: Rect) -> Frame | None:
    """The frame that has most in common with a rectangle."""
    best = max(frames, key=lambda frame: common_share(frame.rect, table), default=None)
    return best if best and common_share(best.rect, table) > 0 else None


def _replaced(frames: list[Frame], table: Rect, change: Change) -> list[Frame]:
    chosen = _frame_at(frames, table)
    changed = [change(frame) if frame is chosen else frame for frame in frames]
    return [frame for frame in changed if frame.body_rows and (frame.stub_columns or frame.value_columns)]


def _fix_rows(frame: Frame, frames: list[Frame], fixes: Fixes) -> Frame:
    """A frame whose rows are in the parts that their given roles name."""
    parts: dict[str, set[int]] = {
        "title": set(frame.title_rows),
        "header": set(frame.header_rows),
        "body": set(frame.body_rows),
        "note": set(frame.note_rows),
    }
    for row, role in fixes.rows.items():
        mine = _owner(row, role, frames) is frame
        for rows in parts.values():
            rows.discard(row)
        if mine and role != "blank":
            parts["body" if role in BODY else role].add(row)
    return _shaped(frame, header=parts["header"], body=parts["body"], title=parts["title"], note=parts["note"])


def _owner(row: int, role: RowRole, frames: list[Frame]) -> Frame | None:
    """The frame that a row belongs to by its role: one around it, else the nearest it can head or follow."""
    inside = [frame for frame in frames if frame.rect.top <= row <= frame.rect.bottom]
    if inside:
        return inside[0]
    above = [frame for frame in frames if frame.rect.bottom < row]
    below = [frame for frame in frames if frame.rect.top > row]
    order = [*below[:1], *above[-1:]] if role in ("title", "header") else [*above[-1:], *below[:1]]
    if role in BODY and below and above and below[0].rect.top - row < row - above[-1].rect.bottom:
        order.reverse()
    return order[0] if order else None


def _shaped(
    frame: Frame,
    *,
    header: set[int] | None = None,
    body: set[int] | None = None,
    stub: set[int] | None = None,
    values: set[int] | None = None,
    title: set[int] | None = None,
    note: set[int] | None = None,
) -> Frame:
    """A frame of other rows or columns; its rectangle follows."""

    def chosen(new: set[int] | None, old: tuple[int, ...]) -> tuple[int, ...]:
        return old if new is None else tuple(sorted(new))

    heads, rows = chosen(header, frame.header_rows), chosen(body, frame.body_rows)
    labels, data = chosen(stub, frame.stub_columns), chosen(values, frame.value_columns)
    lines, columns = (*heads, *rows), (*labels, *data)
    rect = Rect(min(lines), min(columns), max(lines), max(columns)) if rows and columns else frame.rect
    return msgspec.structs.replace(
        frame,
        rect=rect,
        header_rows=heads,
        body_rows=rows,
        stub_columns=labels,
        value_columns=data,
        title_rows=chosen(title, frame.title_rows),
        note_rows=chosen(note, frame.note_rows),
    )


def _frame_of(labels: RowLabels, table: Rect, weights: Weights) -> list[Frame]:
    """A frame for an area in which none was found: its first row heads it, unless the labels say better."""
    used = _used_rows(labels.grid, table.left, table.right)
    rows = [row for row in range(table.top, table.bottom + 1) if used[row]]
    header = [row for row in rows if labels.roles[row] == "header"] or rows[:1]
    body = [row for row in rows if row > header[-1]] if header else []
    block = Block(header=[row for row in header if not body or row < body[0]], body=body or rows)
    found = build_frame(labels, block, list(range(table.left, table.right + 1)), weights) if rows else None
    return [found] if found else []


def _used_rows(grid: Grid, left: int, right: int) -> list[bool]:
    """Which rows say something in some columns."""
    return [bool(row.any()) for row in grid.said[:, left : right + 1]]


def _part(frames: list[Frame], cut: FixedCut, weights: Weights) -> list[Frame]:
    """Frames that reach over a line, cut before it."""
    found: list[Frame] = []
    for frame in frames:
        first, last = (frame.rect.top, frame.rect.bottom) if cut.axis == "row" else (frame.rect.left, frame.rect.right)
        found += _halves(frame, cut, weights) if first < cut.line <= last else [frame]
    return found


def _halves(frame: Frame, cut: FixedCut, weights: Weights) -> list[Frame]:
    if cut.axis == "row":
        rows = [*frame.header_rows, *frame.body_rows]
        later = [row for row in rows if row >= cut.line]
        heads = [row for row in later if frame.labels.roles[row] == "header"] or later[:1]
        upper = Block(
            title=list(frame.title_rows),
            header=[row for row in frame.header_rows if row < cut.line],
            body=[row for row in frame.body_rows if row < cut.line],
        )
        lower = Block(header=heads, body=[row for row in later if row not in heads], note=list(frame.note_rows))
        columns = list(range(frame.rect.left, frame.rect.right + 1))
        halves = [build_frame(frame.labels, block, columns, weights) for block in (upper, lower) if block.body]
    else:
        block = Block(list(frame.title_rows), list(frame.header_rows), list(frame.body_rows), list(frame.note_rows))
        sides = (range(frame.rect.left, cut.line), range(cut.line, frame.rect.right + 1))
        halves = [build_frame(frame.labels, block, list(side), weights) for side in sides]
    return [half for half in halves if half]


def _unite(frames: list[Frame], cut: FixedCut, weights: Weights) -> list[Frame]:
    """The frame that begins with a line and the one before it, as one."""
    down = cut.axis == "row"
    second = next((f for f in frames if (f.rect.top if down else f.rect.left) == cut.line), None)
    before = [f for f in frames if second and f is not second and (f.rect.bottom if down else f.rect.right) < cut.line]
    if second is None or not before:
        return frames
    first = max(before, key=lambda frame: frame.rect.bottom if down else frame.rect.right)
    header = sorted({*first.header_rows, *(() if down else second.header_rows)})
    body = {*first.body_rows, *second.body_rows, *(second.header_rows if down else ())} - set(header)
    block = Block(list(first.title_rows), header, sorted(body), sorted({*first.note_rows, *second.note_rows}))
    columns = range(min(first.rect.left, second.rect.left), max(first.rect.right, second.rect.right) + 1)
    united = build_frame(first.labels, block, list(columns), weights)
    return [united if frame is first else frame for frame in frames if frame is not second] if united else frames


def _move_edge(frame: Frame, edge: FixedEdge) -> Frame:
    """A frame that ends at a given line; new rows are head or body, new columns stub or values by where they are."""
    top, left, bottom, right = frame.rect
    if edge.side in ("top", "bottom"):
        top, bottom = (edge.line, bottom) if edge.side == "top" else (top, edge.line)
        filled = _used_rows(frame.grid, left, right)
        new = {row for row in range(top, bottom + 1) if filled[row]} - {*frame.header_rows, *frame.body_rows}
        new = {row for row in new if row < frame.rect.top or row > frame.rect.bottom}
        heads = {row for row in new if row < frame.rect.top}
        within = range(top, bottom + 1)
        return _shaped(
            frame,
            header={row for row in {*frame.header_rows, *heads} if row in within},
            body={row for row in {*frame.body_rows, *(new - heads)} if row in within},
            title=set(frame.title_rows) - new,
            note=set(frame.note_rows) - new,
        )
    left, right = (edge.line, right) if edge.side == "left" else (left, edge.line)
    new = set(range(left, right + 1)) - {*frame.stub_columns, *frame.value_columns}
    stub = {*frame.stub_columns, *(column for column in new if frame.stub_columns and column < frame.rect.left)}
    kept = range(left, right + 1)
    return _shaped(
        frame,
        stub={column for column in stub if column in kept},
        values={column for column in {*frame.value_columns, *(new - stub)} if column in kept},
    )


def _fix_column(frame: Frame, given: FixedColumn) -> Frame:
    labels, values = set(frame.stub_columns) - {given.column}, set(frame.value_columns) - {given.column}
    (labels if given.role == "stub" else values).add(given.column)
    return _shaped(frame, stub=labels, values=values)


def _turn(frame: Frame, way: FixedOrientation) -> Frame:
    """A frame with headers where its direction has them; the first row or column where it had none there."""
    on_top = way.orientation in ("column", "row-column", "multiple")
    at_left = way.orientation in ("row", "row-column")
    rows, columns = sorted({*frame.header_rows, *frame.body_rows}), sorted({*frame.stub_columns, *frame.value_columns})
    heads = set(frame.header_rows or rows[: int(len(rows) > 1)]) if on_top else set[int]()
    labels = set(frame.stub_columns or columns[: int(len(columns) > 1)]) if at_left else set[int]()
    if way.orientation == "multiple":
        labels = set(frame.stub_columns)
    turned = _shaped(frame, header=heads, body=set(rows) - heads, stub=labels, values=set(columns) - labels)
    return msgspec.structs.replace(turned, orientation=way.orientation)
