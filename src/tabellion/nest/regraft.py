"""Header trees in which every given pair stands, to the letter.

In: a tree, the nearest nodes of rows or columns, and the parents that are given, by the first cells of headers. Out:
the same with those pairs. What a header moves under something that stood under it itself, that takes the header's
old place. A given parent that would close a ring of given pairs is left out: it is for the caller to see that it
does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tabellion.model.fixes import Cell
from tabellion.model.tree import HeaderTree
from tabellion.nest.tree import Nearest


def regraft(tree: HeaderTree, nearest: Nearest, given: Mapping[Cell, Cell | None]) -> tuple[HeaderTree, Nearest]:
    """The tree with the given pairs."""
    if not given:
        return tree, nearest
    place: dict[Cell, int] = {}
    for node in tree.nodes:
        for cell in node.cells:
            place.setdefault(cell, node.id)
    parents = [node.parent for node in tree.nodes]
    before = list(parents)
    fixed: set[int] = set()
    for child, parent in given.items():
        if child in place and (parent is None or parent in place):
            _graft(parents, place[child], None if parent is None else place[parent], fixed)
    return (tree, nearest) if parents == before else _rebuilt(tree, parents, nearest)


def _graft(parents: list[int | None], child: int, parent: int | None, fixed: set[int]) -> None:
    """Put a node under another; a ring is opened at the first pair below the child that is not given."""
    ring: list[int] = []
    at = parent
    while at is not None and at != child:
        ring.append(at)
        at = parents[at]
    if at == child:
        loose = [node for node in reversed(ring) if node not in fixed]
        if not loose:
            return
        parents[loose[0]] = parents[child]
    parents[child] = parent
    fixed.add(child)


def _rebuilt(tree: HeaderTree, parents: list[int | None], nearest: Nearest) -> tuple[HeaderTree, Nearest]:
    """The nodes again with parents before children, and the nearest nodes without those above another of them."""
    order: list[int] = []
    seen: set[int] = set()
    for start in range(len(parents)):
        path: list[int] = []
        at: int | None = start
        while at is not None and at not in seen:
            path.append(at)
            seen.add(at)
            at = parents[at]
        order.extend(reversed(path))
    number = {old: new for new, old in enumerate(order)}
    nodes = []
    for old in order:
        parent = parents[old]
        above = None if parent is None else number[parent]
        nodes.append(msgspec.structs.replace(tree.nodes[old], id=number[old], parent=above))
    grown = HeaderTree(tuple(nodes))
    return grown, {line: _outermost(grown, tuple(number[node] for node in held)) for line, held in nearest.items()}


def _outermost(tree: HeaderTree, nodes: tuple[int, ...]) -> tuple[int, ...]:
    above = {upper.id for node in nodes for upper in tree.path(node)[:-1]}
    return tuple(node for node in nodes if node not in above)
