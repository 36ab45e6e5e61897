"""The labels of a row or a column, from the outermost to the nearest, made when they are asked for.

In: one side's header tree and the nearest nodes of each line. Out: line -> `Path`, in source coordinates.
A relation of a million rows would otherwise hold a million paths that nobody may ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from tabellion.model.grid import Grid
from tabellion.model.table import Path
from tabellion.model.tree import HeaderNode, HeaderTree

_EMPTY = Path()


class Paths(Mapping[int, Path]):
    """Line of the grid -> path. The last one is remembered, since values are read row by row."""

    def __init__(
        self, grid: Grid, tree: HeaderTree, nearest: Mapping[int, tuple[int, ...]], note_texts: Mapping[str, str]
    ) -> None:
        self.grid, self.tree, self.nearest, self.note_texts = grid, tree, nearest, note_texts
        self._last: tuple[int, Path] = (-1, _EMPTY)

    def __getitem__(self, line: int) -> Path:
        at, path = self._last
        if at != line:
            path = self._build(self.nearest[line])
            self._last = (line, path)
        return path

    def __iter__(self) -> Iterator[int]:
        return iter(self.nearest)

    def __len__(self) -> int:
        return len(self.nearest)

    def roots(self, lines: Iterable[int]) -> list[HeaderNode] | None:
        """The one node of each line, where no line has more and none stands under another: a plain list of names."""
        nodes, nearest = self.tree.nodes, self.nearest
        held = [nearest.get(line, ()) for line in lines]
        if any(len(one) != 1 for one in held):
            return None
        found = [nodes[one[0]] for one in held]
        return None if any(node.parent is not None or len(node.cells) != 1 for node in found) else found

    def nodes(self, line: int) -> list[HeaderNode]:
        """The nodes that label a line: each branch outermost first, branches in the order of their columns."""
        branches = (self.tree.path(node) for node in self.nearest.get(line, ()))
        return list({node.id: node for branch in branches for node in branch}.values())

    def _build(self, nearest: tuple[int, ...]) -> Path:
        if len(nearest) == 1:
            nodes = list(self.tree.path(nearest[0]))
        else:
            nodes = list({node.id: node for one in nearest for node in self.tree.path(one)}.values())
        return Path(
            labels=tuple(node.text for node in nodes),
            cells=tuple(self._source(*node.cells[0]) for node in nodes if node.cells),
            notes=tuple(self.note_texts.get(mark, mark) for node in nodes for mark in self._marks(node)),
        )

    def _marks(self, node: HeaderNode) -> tuple[str, ...]:
        if not self.grid.notes:
            return node.notes
        width = self.grid.shape[1]
        written = (mark for row, column in node.cells for mark in self.grid.notes.get(row * width + column, ()))
        return tuple(dict.fromkeys((*node.notes, *written)))

    def _source(self, row: int, column: int) -> tuple[int, int]:
        return int(self.grid.row_of[row]), int(self.grid.column_of[column])
