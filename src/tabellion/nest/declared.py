"""Header trees that the source itself states.

In: a frame with its statement. Out: its two trees, parents before children, and the nearest headers of each line.
"""

from __future__ import annotations

from tabellion.model.declared import Stated, StatedHeader
from tabellion.model.frame import Frame
from tabellion.model.grid import Grid
from tabellion.model.tree import HeaderNode, HeaderTree, Nested
from tabellion.nest.continued import says_of_which


def nest_stated(frame: Frame, stated: Stated) -> Nested:
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
    """The tree, and which of its nodes each header became."""
    below: dict[int | None, list[int]] = {}
    for number, header in enumerate(headers):
        below.setdefault(header.parent, []).append(number)
    nodes: list[HeaderNode] = []
    at: dict[int, int] = {}
    level = below.get(None, [])
    while level:
        for number in level:
            header = headers[number]
            at[number] = len(nodes)
            parent = None if header.parent is None else at[header.parent]
            nodes.append(HeaderNode(len(nodes), _text(grid, header), parent, header.cells, 1.0, _notes(grid, header)))
        level = [child for number in level for child in below.get(number, [])]
    return HeaderTree(tuple(nodes)), at


def _text(grid: Grid, header: StatedHeader) -> str:
    first, *more = (str(grid.label[cell]) for cell in header.cells)
    return " ".join([first, *(part for part in more if not says_of_which(part))])


def _notes(grid: Grid, header: StatedHeader) -> tuple[str, ...]:
    width = grid.shape[1]
    return tuple(mark for row, column in header.cells for mark in grid.notes.get(row * width + column, ()))
