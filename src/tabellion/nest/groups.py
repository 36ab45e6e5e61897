"""The left header tree of a frame that has no stub: the rows that name the rows below them.

In: a frame. Out: one root a group row, and for each body row the group it stands under. Tables of the web often part
their records so, though no column of theirs names the records.
"""

from __future__ import annotations

import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.tree import HeaderNode, HeaderTree


def nest_groups(frame: Frame) -> tuple[HeaderTree, dict[int, tuple[int, ...]]]:
    """The groups as a tree without branches, and the group of each body row."""
    grid = frame.grid
    nodes: list[HeaderNode] = []
    nearest: dict[int, tuple[int, ...]] = {}
    for row in frame.body_rows:
        filled = np.flatnonzero(grid.filled[row])
        if frame.labels.roles[row] == "group" and len(filled):
            column = int(filled[0])
            notes = grid.notes.get(row * grid.shape[1] + column, ())
            nodes.append(HeaderNode(len(nodes), str(grid.label[row, column]), None, ((row, column),), notes=notes))
        elif nodes:
            nearest[row] = (nodes[-1].id,)
    return HeaderTree(tuple(nodes)), nearest
