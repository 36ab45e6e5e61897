"""The top header trees of frames.

In: frames, weights. Out: of each the tree, and the nearest nodes of each value column. The head of the stub's first
column is no label of any value and has no node, unless a row of column numbers stands under it and the others; the
heads of further stub columns have. A label below several others
at once (a unit, mostly) belongs to each of their columns, which one tree cannot say: it stands under the first of them,
and once more at the root for the others. A unit over all columns at the bottom stands at the root only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.methods import ParentMethod
from tabellion.model.tree import HeaderTree
from tabellion.nest.attributes import Flags, Indices, Numbers
from tabellion.nest.follow import Lesson
from tabellion.nest.guided import given_among, guided_top
from tabellion.nest.pieces import join_texts
from tabellion.nest.spread import NONE, HeaderCells, spread_headers
from tabellion.nest.tree import Forest, Label, Nearest, top_parents
from tabellion.weights import Weights

LEAST_NUMBERED = 3  # columns of a head whose last row numbers them


def nest_top(
    frames: Sequence[Frame], weights: Weights, method: ParentMethod, lessons: Sequence[Sequence[Lesson]]
) -> list[tuple[HeaderTree, Nearest]]:
    """The top tree of each frame, and the nearest nodes of each of its value columns."""
    heads = [spread_headers(frame) for frame in frames]
    told = [(*one, bool(one[2]) and len(one[1]) > 0) for one in zip(frames, heads, lessons, strict=True)]
    alone = [(cells, frame.value_columns) for frame, cells, _, guided in told if not guided]
    scored = top_parents(alone, weights, method)
    found = []
    for frame, cells, taught, guided in told:
        if guided:
            given = given_among(cells.row, cells.column, frame.fixes.top)
            parents, sure = guided_top(frame, cells, weights, method, given, taught)
        else:
            parents, sure = next(scored)
        found.append(_grow(frame, cells, parents, sure))
    return found


def _grow(frame: Frame, cells: HeaderCells, parents: Indices, sure: Numbers) -> tuple[HeaderTree, Nearest]:
    if not len(cells):
        return HeaderTree(), {}
    kept = ~_heads_of_first_stub(frame, cells)
    numbered = _numbered_stub_head(frame, cells)
    if numbered:
        head, number = numbered
        kept[[head, number]], parents = True, parents.copy()
        parents[[head, number]] = NONE, head
    parents = np.where((parents >= 0) & kept[parents], parents, NONE)
    forest = Forest()
    chosen = np.nonzero(kept)[0]
    place = np.full(len(cells) + 1, NONE, dtype=np.intp)
    place[chosen] = np.arange(len(chosen))
    labels = [_label(frame, cells, int(cell)) for cell in chosen]
    nodes = np.append(forest.plant(labels, place[parents[chosen]], sure[chosen]), NONE)[place]
    again: dict[int, int] = {}
    nearest: Nearest = {}
    above, node_of, spoken = parents.tolist(), nodes.tolist(), cells.reach.T.tolist()
    for column in frame.fields:
        found: list[int] = []
        for cell in _nearest_cells(spoken[column], above):
            if above[cell] != NONE and above[cell] not in spoken[column]:  # that speaks for others
                if cell not in again:
                    again[cell] = forest.add_root(_label(frame, cells, cell), float(sure[cell]))
                found.append(again[cell])
            elif node_of[cell] != NONE:
                found.append(node_of[cell])
        if found:
            nearest[column] = tuple(found)
    return forest.tree(), nearest


def _heads_of_first_stub(frame: Frame, cells: HeaderCells) -> Flags:
    """Cells that begin over the first stub column: its head, or a text over the whole that labels nothing in it.

    The head of a key that is a field is that of a field like the others. What is printed in the head over the stub and
    other columns says something of those.
    """
    left = [c for c in frame.stub_columns if not frame.fields or c < min(frame.fields)]
    first = np.asarray(cells.column <= min(left, default=NONE))
    if frame.grid.medium == "pdf" and frame.fields:
        first &= cells.last_column < min(frame.fields)
    return first


def _numbered_stub_head(frame: Frame, cells: HeaderCells) -> tuple[int, int] | None:
    """The head of the first stub column and its number, where the last header row numbers all columns from there."""
    last = np.flatnonzero(cells.level == len(cells.rows) - 1)
    said = [str(frame.grid.label[cells.row[cell], cells.column[cell]]).strip("()[].") for cell in last]
    if len(last) < LEAST_NUMBERED or said != [str(number) for number in range(1, len(said) + 1)]:
        return None
    number = int(last[0])
    above = np.flatnonzero((cells.column == cells.column[number]) & (cells.level < cells.level[number]))
    return (int(above[-1]), number) if len(above) and _heads_of_first_stub(frame, cells)[number] else None


def _nearest_cells(spoken: list[int], parents: list[int]) -> list[int]:
    """The cells of those that speak for a column under which no other of them stands, outermost first."""
    found = [cell for cell in dict.fromkeys(spoken) if cell != NONE]
    if len(found) < 2:
        return found
    above: set[int] = set()
    for cell in found:
        at = parents[cell]
        while at != NONE:
            above.add(at)
            at = parents[at]
    return [cell for cell in found if cell not in above]


def _label(frame: Frame, cells: HeaderCells, cell: int) -> Label:
    grid = frame.grid
    column = int(cells.column[cell])
    places = tuple((row, column) for row in (int(cells.row[cell]), *cells.more.get(cell, ())))
    notes = tuple(mark for row, _ in places for mark in grid.notes.get(row * grid.shape[1] + column, ()))
    return Label(join_texts([str(grid.label[place]) for place in places]), places, notes)
