"""The left header tree of a frame: a forest of one tree or more a strand of the stub.

In: a frame, weights. Out: the tree, and the nearest node of each body row in each strand.
"""

from __future__ import annotations

import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.tree import HeaderTree
from tabellion.nest.attributes import read_attributes
from tabellion.nest.parents import Method, left_parents
from tabellion.nest.stub import Strand, find_strands
from tabellion.nest.tree import Forest, Label
from tabellion.weights import Weights


def nest_left(frame: Frame, weights: Weights, method: Method) -> tuple[HeaderTree, dict[int, tuple[int, ...]]]:
    """The left tree and the nearest nodes of each body row."""
    forest = Forest()
    nearest: dict[int, list[int]] = {}
    for strand in find_strands(frame):
        attributes = read_attributes(frame, strand)
        parents, sure = left_parents(attributes, weights, method)
        nodes = forest.plant([_label(frame, strand, place) for place in range(len(strand))], parents, sure)
        for place in np.nonzero(strand.heir >= 0)[0].tolist():
            nearest.setdefault(frame.body_rows[place], []).append(int(nodes[strand.heir[place]]))
    return forest.tree(), {row: tuple(found) for row, found in nearest.items()}


def _label(frame: Frame, strand: Strand, place: int) -> Label:
    grid = frame.grid
    column = int(strand.column[place])
    rows = (int(strand.row[place]), *strand.more.get(place, ()))
    cells = tuple((row, column) for row in rows)
    text = " ".join(str(grid.label[cell]) for cell in cells)
    notes = tuple(mark for row, _ in cells for mark in grid.notes.get(row * grid.shape[1] + column, ()))
    return Label(text, cells, notes)
