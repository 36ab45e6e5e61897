"""The left header tree of a frame: a forest of one tree or more a strand of the stub.

In: a frame, weights. Out: the tree, and the nearest node of each body row in each strand.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.tree import HeaderTree
from tabellion.nest.attributes import read_attributes
from tabellion.nest.continued import says_of_which
from tabellion.nest.follow import Lesson
from tabellion.nest.groups import is_flat, nest_flat, nest_groups
from tabellion.nest.guided import can_guide, given_among, guided_left
from tabellion.nest.parents import Method, left_parents
from tabellion.nest.stub import Strand, find_strands
from tabellion.nest.tree import Forest, Label
from tabellion.weights import Weights


def nest_left(
    frame: Frame, weights: Weights, method: Method, lessons: Sequence[Lesson] = ()
) -> tuple[HeaderTree, dict[int, tuple[int, ...]]]:
    """The left tree and the nearest nodes of each body row."""
    if not frame.stub_columns:
        return nest_groups(frame)
    if is_flat(frame) and not lessons:
        return nest_flat(frame)
    forest = Forest()
    nearest: dict[int, tuple[int, ...]] = {}
    for strand in find_strands(frame):
        attributes = read_attributes(frame, strand)
        if lessons and can_guide(attributes):
            given = given_among(strand.row, strand.column, frame.fixes.left)
            parents, sure = guided_left(attributes, strand, weights, method, given, lessons)
        else:
            parents, sure = left_parents(attributes, weights, method)
        nodes = forest.plant(_labels(frame, strand), parents, sure)
        places = np.nonzero(strand.heir >= 0)[0]
        for row, node in zip(strand.rows[places].tolist(), nodes[strand.heir[places]].tolist(), strict=True):
            nearest[row] = (*nearest.get(row, ()), node)
    return forest.tree(), nearest


def _labels(frame: Frame, strand: Strand) -> list[Label]:
    grid = frame.grid
    width = grid.shape[1]
    found = []
    places = zip(strand.row.tolist(), strand.column.tolist(), strict=True)
    for place, (text, (row, column)) in enumerate(zip(grid.label[strand.row, strand.column], places, strict=True)):
        cells: tuple[tuple[int, int], ...] = ((row, column),)
        if place in strand.more:
            cells = (*cells, *((more, column) for more in strand.more[place]))
            text = " ".join(part for cell in cells if not says_of_which(part := str(grid.label[cell])))
        notes = tuple(mark for at, _ in cells for mark in grid.notes.get(at * width + column, ())) if grid.notes else ()
        found.append(Label(text, cells, notes))
    return found
