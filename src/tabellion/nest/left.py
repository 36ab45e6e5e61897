"""The left header trees of frames.

The left header trees of frames: a forest of one tree or more per strand of the stub. In: frames, weights. Out: of each
the tree, and the nearest node of each body row in each strand.

Left header trees that need no learning: a stub without any sign of nesting, and groups of a frame without a stub. In: a
frame. Out: the tree, and the nearest nodes of each body row. Web tables mostly list rows of one rank; that is plain
where all labels of a stub look alike, begin at one place and have values beside them, and so it is on a sheet of
thousands of such rows. Where no column names the rows,
the rows that one cell fills still name those below them. A key of several columns on a web page is a plain list of
names: an empty field says nothing of the rows below it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.grid import Content
from tabellion.model.methods import ParentMethod
from tabellion.model.tree import HeaderNode, HeaderTree
from tabellion.nest.attributes import Attributes, read_attributes
from tabellion.nest.follow import Lesson
from tabellion.nest.guided import can_guide, given_among, guided_left
from tabellion.nest.pieces import join_texts, says_of_which
from tabellion.nest.stub import Strand, find_strands
from tabellion.nest.tree import Forest, Label, Nearest, left_parents
from tabellion.weights import Weights

MANY_RECORDS = 5_000  # rows from which a stub of labels that look alike is a list of records; trees are shorter


def nest_groups(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """The groups of a frame without a stub as a tree without branches, and the group of each body row."""
    nodes: list[HeaderNode] = []
    nearest: Nearest = {}
    for row in frame.body_rows:
        filled = np.flatnonzero(frame.grid.filled[row])
        if frame.labels.roles[row] == "group" and len(filled):
            nodes.append(_node(frame, len(nodes), row, int(filled[0])))
        elif nodes:
            nearest[row] = (nodes[-1].id,)
    return HeaderTree(tuple(nodes)), nearest


def is_flat(frame: Frame) -> bool:
    """Whether nothing in the stub of a web table, or of a list of thousands of records, hints at nesting."""
    grid = frame.grid
    if not frame.stub_columns or not frame.body_rows or not frame.value_columns:
        return False
    if grid.medium != "html" and (len(frame.stub_columns) > 1 or len(frame.body_rows) < MANY_RECORDS):
        return False
    if len(frame.stub_columns) > 1:
        return frame.keyed
    body, stub = list(frame.body_rows), frame.stub_columns[0]
    if any(frame.labels.roles[row] != "data" for row in body) or not grid.filled[body, stub].all():
        return False
    looks = [grid.styles[number] for number in set(grid.style[body, stub].tolist())]
    letters = {(look.bold, look.italic, look.underline, look.size) for look in looks}
    if len(letters) > 1 or len(set(grid.indent[body, stub].tolist())) > 1 or grid.covered[body, stub].any():
        return False
    return bool(grid.filled[body][:, list(frame.value_columns)].any(axis=1).all())


def nest_flat(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """A root for every label; several in a row where several columns name it."""
    if len(frame.stub_columns) > 1:
        return _nest_names(frame)
    stub = frame.stub_columns[0]
    if frame.grid.notes:
        nodes = tuple(_node(frame, number, row, stub) for number, row in enumerate(frame.body_rows))
    else:
        labels = frame.grid.label[list(frame.body_rows), stub].tolist()
        named = enumerate(zip(labels, frame.body_rows, strict=True))
        nodes = tuple(HeaderNode(number, label, None, ((row, stub),)) for number, (label, row) in named)
    return HeaderTree(nodes), {row: (number,) for number, row in enumerate(frame.body_rows)}


def _nest_names(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """The names of each row by the columns of a key, under the group that it stands in.

    A span names all its rows; a blank in an outer column stands for the name above it.
    """
    grid, nodes = frame.grid, list[HeaderNode]()
    group: int | None = None
    known: dict[tuple[int | None, int], int] = {}
    nearest: Nearest = {}
    above: dict[int, int] = {}
    for row in frame.body_rows:
        if frame.labels.roles[row] == "group":
            nodes.append(_node(frame, len(nodes), row, int(grid.filled[row].argmax())))
            group, above = nodes[-1].id, {}
            continue
        for column in frame.stub_columns:
            home = int(grid.home[row, column])
            if grid.content.ravel()[home] == Content.EMPTY:
                node = above.get(column) if column != frame.stub_columns[-1] else None
            elif (group, home) in known:
                node = known[group, home]
            else:
                nodes.append(_node(frame, len(nodes), *divmod(home, grid.shape[1]), group))
                node = known[group, home] = nodes[-1].id
            if node is not None:
                above[column] = node
                nearest[row] = (*nearest.get(row, ()), node)
        if row not in nearest and group is not None:
            nearest[row] = (group,)
    return HeaderTree(tuple(nodes)), nearest


def _node(frame: Frame, number: int, row: int, column: int, parent: int | None = None) -> HeaderNode:
    grid = frame.grid
    notes = grid.notes.get(row * grid.shape[1] + column, ())
    return HeaderNode(number, str(grid.label[row, column]), parent, ((row, column),), notes=notes)


def nest_left(
    frames: Sequence[Frame], weights: Weights, method: ParentMethod, lessons: Sequence[Sequence[Lesson]]
) -> list[tuple[HeaderTree, Nearest]]:
    """The left tree of each frame, and the nearest nodes of each of its body rows."""
    stubs = [_read_stub(frame, taught) for frame, taught in zip(frames, lessons, strict=True)]
    alone = [seen for stub in stubs if stub for _, seen in stub.strands if not stub.guides(seen)]
    scored = left_parents(alone, weights, method)
    found = []
    for frame, stub in zip(frames, stubs, strict=True):
        if stub is None:
            found.append(nest_flat(frame) if frame.stub_columns else nest_groups(frame))
            continue
        forest = Forest()
        nearest: Nearest = {}
        for strand, seen in stub.strands:
            if stub.guides(seen):
                given = given_among(strand.row, strand.column, frame.fixes.left)
                parents, sure = guided_left(seen, strand, weights, method, given, stub.lessons)
            else:
                parents, sure = next(scored)
            nodes = forest.plant(_labels(frame, strand), parents, sure)
            places = np.nonzero(strand.heir >= 0)[0]
            for row, node in zip(strand.rows[places].tolist(), nodes[strand.heir[places]].tolist(), strict=True):
                nearest[row] = (*nearest.get(row, ()), node)
        found.append((forest.tree(), nearest))
    return found


class _Stub(msgspec.Struct, frozen=True, eq=False):
    """The strands of a frame's stub, with what was learned from given pairs of its sheet."""

    strands: list[tuple[Strand, Attributes]]
    lessons: Sequence[Lesson]

    def guides(self, seen: Attributes) -> bool:
        return bool(self.lessons) and can_guide(seen)


def _read_stub(frame: Frame, lessons: Sequence[Lesson]) -> _Stub | None:
    """The stub of a frame; None where it needs no learning."""
    if not frame.stub_columns or (is_flat(frame) and not lessons):
        return None
    return _Stub([(strand, read_attributes(frame, strand)) for strand in find_strands(frame)], lessons)


def _labels(frame: Frame, strand: Strand) -> list[Label]:
    grid = frame.grid
    width = grid.shape[1]
    found = []
    places = zip(strand.row.tolist(), strand.column.tolist(), strict=True)
    for place, (text, (row, column)) in enumerate(zip(grid.label[strand.row, strand.column], places, strict=True)):
        cells: tuple[tuple[int, int], ...] = ((row, column),)
        if place in strand.more:
            cells = (*cells, *((more, column) for more in strand.more[place]))
            parts = [part for cell in cells if not says_of_which(part := str(grid.label[cell]))]
            text = join_texts(parts or [text])
        notes = tuple(mark for at, _ in cells for mark in grid.notes.get(at * width + column, ())) if grid.notes else ()
        found.append(Label(text, cells, notes))
    return found
