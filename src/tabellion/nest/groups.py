"""Left header trees that need no learning: a stub without any sign of nesting, and groups of a frame without a stub.

In: a frame. Out: the tree, and the nearest nodes of each body row. Web tables mostly list rows of one rank; that is
plain where all labels of a stub look alike, begin at one place and have values beside them. Where no column names the
rows, the rows that one cell fills still name those below them.
"""

from __future__ import annotations

import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.tree import HeaderNode, HeaderTree
from tabellion.nest.tree import Nearest


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
    """Whether nothing in the stub of a web table hints at nesting."""
    grid = frame.grid
    if grid.medium != "html" or len(frame.stub_columns) != 1 or not frame.body_rows or not frame.value_columns:
        return False
    body, stub = list(frame.body_rows), frame.stub_columns[0]
    if any(frame.labels.roles[row] != "data" for row in body) or not grid.filled[body, stub].all():
        return False
    looks = [grid.styles[number] for number in set(grid.style[body, stub].tolist())]
    letters = {(look.bold, look.italic, look.underline, look.size) for look in looks}
    if len(letters) > 1 or len(set(grid.indent[body, stub].tolist())) > 1 or grid.covered[body, stub].any():
        return False
    return bool(grid.filled[body][:, list(frame.value_columns)].any(axis=1).all())


def nest_flat(frame: Frame) -> tuple[HeaderTree, Nearest]:
    """A root for every row."""
    stub = frame.stub_columns[0]
    nodes = tuple(_node(frame, number, row, stub) for number, row in enumerate(frame.body_rows))
    return HeaderTree(nodes), {row: (number,) for number, row in enumerate(frame.body_rows)}


def _node(frame: Frame, number: int, row: int, column: int) -> HeaderNode:
    grid = frame.grid
    notes = grid.notes.get(row * grid.shape[1] + column, ())
    return HeaderNode(number, str(grid.label[row, column]), None, ((row, column),), notes=notes)
