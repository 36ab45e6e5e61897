"""The left header trees of frames: a forest of one tree or more a strand of the stub.

In: frames, weights. Out: of each the tree, and the nearest node of each body row in each strand.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.tree import HeaderTree
from tabellion.nest.attributes import Attributes, read_attributes
from tabellion.nest.continued import says_of_which
from tabellion.nest.follow import Lesson
from tabellion.nest.groups import is_flat, nest_flat, nest_groups
from tabellion.nest.guided import can_guide, given_among, guided_left
from tabellion.nest.parents import Method, left_parents
from tabellion.nest.stub import Strand, find_strands
from tabellion.nest.tree import Forest, Label, Nearest
from tabellion.weights import Weights


def nest_left(
    frames: Sequence[Frame], weights: Weights, method: Method, lessons: Sequence[Sequence[Lesson]]
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
            text = " ".join(part for cell in cells if not says_of_which(part := str(grid.label[cell])))
        notes = tuple(mark for at, _ in cells for mark in grid.notes.get(at * width + column, ())) if grid.notes else ()
        found.append(Label(text, cells, notes))
    return found
