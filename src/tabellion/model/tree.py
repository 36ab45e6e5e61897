"""Header trees: which header stands under which."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from tabellion.model.frame import Frame


class HeaderNode(msgspec.Struct, frozen=True, gc=False):
    """One header. `cells` are [row, column] pairs of the grid; the first identifies the node."""

    id: int
    text: str
    parent: int | None
    cells: tuple[tuple[int, int], ...]
    probability: float = 1.0
    notes: tuple[str, ...] = ()


class HeaderTree(msgspec.Struct, frozen=True):
    """The headers of one side, parents before children; node i has id i.

    A stub of several columns is a forest: each column has trees of its own, and a row's path
    joins one branch of each.
    """

    nodes: tuple[HeaderNode, ...] = ()

    def path(self, node: int) -> tuple[HeaderNode, ...]:
        """The node and its ancestors, outermost first."""
        found: list[HeaderNode] = []
        at: int | None = node
        while at is not None:
            found.append(self.nodes[at])
            at = self.nodes[at].parent
        return tuple(reversed(found))

    def children(self, node: int | None) -> Iterator[HeaderNode]:
        """The children of a node, or the roots for None."""
        return (n for n in self.nodes if n.parent == node)

    def depth(self) -> int:
        """How many levels there are."""
        levels: list[int] = []
        for node in self.nodes:
            levels.append(1 if node.parent is None else levels[node.parent] + 1)
        return max(levels, default=0)


class Nested(msgspec.Struct, frozen=True, eq=False):
    """A frame with its two header trees and what they say of each row and column.

    `column_nodes` gives the nearest top nodes of each value column, `row_nodes` the nearest left
    nodes of each body row, one for each stub column that labels it. Where group rows restart the
    columns' meaning inside the body they are left nodes.
    """

    frame: Frame
    top: HeaderTree
    left: HeaderTree
    column_nodes: dict[int, tuple[int, ...]]
    row_nodes: dict[int, tuple[int, ...]]
