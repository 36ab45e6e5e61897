"""Which header stands under which. Start with `nest_frames`, `nest_headers` with a single frame.

Where the source itself states a frame's headers, they are taken as stated: its two trees, parents before children, and
the nearest headers of each line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, log

import msgspec

from tabellion.model.correction import Cell
from tabellion.model.frame import Frame, HeaderNode, HeaderTree, Nested
from tabellion.model.grid import CellRole, Content, Grid
from tabellion.model.methods import ParentMethod
from tabellion.model.stated import StatedHeader, StatedTable
from tabellion.nest.follow import regraft
from tabellion.nest.frames import nest_left, nest_top
from tabellion.nest.guided import Lessons, teach_frames
from tabellion.nest.pieces import says_of_which
from tabellion.weights import Weights

__all__ = ["nest_frames", "nest_headers"]

NO_LABELS: tuple[CellRole, ...] = ("title", "value", "derived", "note", "other")
"""Roles of cells that are no headers, wherever they stand."""

DOUBT = 0.02  # what the doubt about one header counts: set on trees of sheets that no weights had seen
LEAST = 1e-4  # probability of a parent that is as good as none
AT_ONCE = 2_000  # cells of head and stub whose pairs are scored together: enough to pay, some megabytes


def nest_headers(frame: Frame, weights: Weights, method: ParentMethod = "boosted") -> Nested:
    """The two header trees of a frame (Chen and Cafarella 2013, section 3.2), and what they say of rows and columns."""
    ((nested,),) = nest_frames([[frame]], weights, method)
    return nested


def nest_frames(
    grids: Iterable[Sequence[Frame]], weights: Weights, method: ParentMethod = "boosted"
) -> Iterator[list[Nested]]:
    """The frames of each grid with their header trees; what is given of a frame holds and teaches those of its grid.

    Many small frames are nested together, since arrays cost little more for many pairs than for a few.
    """
    for together in _part(grids):
        frames = [frame for grid in together for frame in grid]
        lessons = [taught for grid in together for taught in [teach_frames(grid, weights, method)] * len(grid)]
        nested = iter(_nest_together(frames, lessons, weights, method))
        yield from ([next(nested) for _ in grid] for grid in together)


def _part(grids: Iterable[Sequence[Frame]]) -> Iterator[list[Sequence[Frame]]]:
    """Grids that are nested together, in their order: several small ones, or a large one alone."""
    together: list[Sequence[Frame]] = []
    held = 0
    for frames in grids:
        cells = sum(_header_cells(frame) for frame in frames)
        if together and held + cells > AT_ONCE:
            yield together
            together, held = [], 0
        together.append(frames)
        held += cells
    if together:
        yield together


def _header_cells(frame: Frame) -> int:
    return len(frame.header_rows) * frame.grid.shape[1] + len(frame.body_rows) * len(frame.stub_columns)


def _nest_together(
    frames: Sequence[Frame], lessons: Sequence[Lessons], weights: Weights, method: ParentMethod
) -> Iterator[Nested]:
    told = [(_without_cells(frame), taught) for frame, taught in zip(frames, lessons, strict=True) if not frame.stated]
    seen = [frame for frame, _ in told]
    tops = nest_top(seen, weights, method, [taught.top for _, taught in told])
    lefts = nest_left(seen, weights, method, [taught.left for _, taught in told])
    sides = zip(tops, lefts, strict=True)
    for frame, taught in zip(frames, lessons, strict=True):
        fixed_top, fixed_left = frame.fixes.top, frame.fixes.left
        if frame.stated:
            stated = nest_stated(frame, frame.stated)
            top, left = (stated.top, stated.column_nodes), (stated.left, stated.row_nodes)
            given = taught.top or taught.left or fixed_top or fixed_left
            if given and frame.fixes.follow and not frame.grid.stated:
                more_top, more_left = _find_followers(frame, (top[0], left[0]), taught, weights, method)
                fixed_top, fixed_left = {**more_top, **fixed_top}, {**more_left, **fixed_left}
        else:
            top, left = next(sides)
        upper, column_nodes = regraft(*top, fixed_top)
        beside, row_nodes = regraft(*left, fixed_left)
        sure = _confidence(frame, (upper, beside))
        read = frame if sure == frame.confidence else msgspec.structs.replace(frame, confidence=sure)
        yield Nested(frame=read, top=upper, left=beside, column_nodes=column_nodes, row_nodes=row_nodes)


Parents = dict[Cell, Cell | None]


def _find_followers(
    frame: Frame, read: tuple[HeaderTree, HeaderTree], taught: Lessons, weights: Weights, method: ParentMethod
) -> tuple[Parents, Parents]:
    """The headers of a frame that follow given ones: those whose parents change when the scores learn from them.

    So do those that were read under the parent that was wrong, where the scores place them under the given one.
    """
    taught_frame = msgspec.structs.replace(frame, stated=None)
    fixes = msgspec.structs.replace(frame.fixes, top={}, left={})
    plain = msgspec.structs.replace(taught_frame, fixes=fixes)
    sides = []
    for tree, nest, lessons, given in (
        (read[0], nest_top, taught.top, frame.fixes.top),
        (read[1], nest_left, taught.left, frame.fixes.left),
    ):
        ((before, _),) = nest([plain], weights, method, [()])
        ((after, _),) = nest([taught_frame], weights, method, [lessons])
        was, scored, now = _parents(tree), _parents(before), _parents(after)
        corrected = {(was[child], parent) for child, parent in given.items() if child in was}
        sides.append(
            {
                child: parent
                for child, parent in now.items()
                if scored.get(child, child) != parent or (was.get(child), parent) in corrected
            }
        )
    return sides[0], sides[1]


def _parents(tree: HeaderTree) -> Parents:
    """The parent of each header, both by their first cells."""
    return {node.cells[0]: None if node.parent is None else tree.nodes[node.parent].cells[0] for node in tree.nodes}


def _confidence(frame: Frame, trees: Sequence[HeaderTree]) -> float:
    """How sure the reading is, doubts about parents included; those of one table mostly have one cause."""
    doubt = sum(-log(max(node.probability, LEAST)) for tree in trees for node in tree.nodes if node.probability < 1)
    return round(frame.confidence * exp(-DOUBT * doubt), 4) if doubt else frame.confidence


def _without_cells(frame: Frame) -> Frame:
    """A frame that sees nothing in the cells that are said to be no labels."""
    cells: list[Cell] = [cell for cell, role in frame.fixes.cells.items() if role in NO_LABELS]
    if not cells:
        return frame
    content, text, label = frame.grid.content.copy(), frame.grid.text.copy(), frame.grid.label.copy()
    for cell in cells:
        content[cell], text[cell], label[cell] = Content.EMPTY, "", ""
    grid = msgspec.structs.replace(frame.grid, content=content, text=text, label=label)
    return msgspec.structs.replace(frame, labels=msgspec.structs.replace(frame.labels, grid=grid))


def nest_stated(frame: Frame, stated: StatedTable) -> Nested:
    """The trees and what they say of rows and columns."""
    top, top_at = _tree(frame.grid, stated.top)
    left, left_at = _tree(frame.grid, stated.left)
    return Nested(
        frame=frame,
        top=top,
        left=left,
        column_nodes={line: tuple(top_at[one] for one in held) for line, held in stated.column_headers.items()},
        row_nodes={line: tuple(left_at[one] for one in held) for line, held in stated.row_headers.items()},
    )


def _tree(grid: Grid, headers: tuple[StatedHeader, ...]) -> tuple[HeaderTree, dict[int, int]]:
    """The tree, each header before those below it, and which of its nodes each header became."""
    below: dict[int | None, list[int]] = {}
    for number, header in enumerate(headers):
        below.setdefault(header.parent, []).append(number)
    nodes: list[HeaderNode] = []
    at: dict[int, int] = {}
    waiting = below.get(None, [])[::-1]
    while waiting:
        number = waiting.pop()
        header = headers[number]
        at[number] = len(nodes)
        parent = None if header.parent is None else at[header.parent]
        nodes.append(HeaderNode(len(nodes), _text(grid, header), parent, header.cells, 1.0, _notes(grid, header)))
        waiting += below.get(number, [])[::-1]
    return HeaderTree(tuple(nodes)), at


def _text(grid: Grid, header: StatedHeader) -> str:
    first, *more = (str(grid.label[cell]) for cell in sorted(header.cells))
    return " ".join([first, *(part for part in more if not says_of_which(part))])


def _notes(grid: Grid, header: StatedHeader) -> tuple[str, ...]:
    width = grid.shape[1]
    return tuple(mark for row, column in header.cells for mark in grid.notes.get(row * width + column, ()))
