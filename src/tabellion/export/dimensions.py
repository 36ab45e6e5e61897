"""What tells the values of a table apart: its dimensions, for the Data Cube.

In: a table. Out: for each side the headers of every line, sorted into dimensions (every line with values has one) and
attributes (only some do). A stub of several columns gives a dimension for each. Where the headers of two lines are the
same, or there are none, the line's own number is a dimension too, so that no two observations have the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from tabellion.model.place import column_letters
from tabellion.model.table import Table
from tabellion.model.tree import HeaderTree

Side = Literal["top", "left"]


class Component(msgspec.Struct, frozen=True):
    """One dimension or attribute of a side: the header of each line that has one."""

    name: str
    headers: dict[int, int]  # line of the grid -> node of the tree


class Axis(msgspec.Struct, frozen=True):
    """One side of a table; `numbered`: the number of the line is a dimension."""

    side: Side
    dimensions: tuple[Component, ...]
    attributes: tuple[Component, ...]
    numbered: bool


def table_axes(table: Table) -> tuple[Axis, Axis]:
    """The two sides of a table: columns under their headers, rows after theirs."""
    nested, tuples = table.nested, table.tuples
    rows, columns = set(tuples.rows.tolist()), set(tuples.columns.tolist())
    top = {line: _ranked(nodes) for line, nodes in nested.column_nodes.items() if line in columns}
    left = {line: _by_column(table, nodes) for line, nodes in nested.row_nodes.items() if line in rows}
    return _axis("top", columns, top), _axis("left", rows, left)


def concept_names(side: Side, tree: HeaderTree, table: Table) -> list[str]:
    """A name for each header within its table: its side and the cell that it stands in.

    Should two stand in one cell, the later one has its number in the tree too.
    """
    names: dict[str, None] = {}
    for node in tree.nodes:
        place = table.grid.address(*node.cells[0]) if node.cells else "none"
        name = f"{side}-{place}"
        names[f"{name}-{node.id}" if name in names else name] = None
    return list(names)


def _axis(side: Side, lines: set[int], headers: Mapping[int, Mapping[str, int]]) -> Axis:
    found: dict[str, dict[int, int]] = {}
    for line in sorted(headers):
        for name, node in headers[line].items():
            found.setdefault(name, {})[line] = node
    whole = tuple(Component(name, found[name]) for name in sorted(found) if len(found[name]) == len(lines))
    partly = tuple(Component(name, found[name]) for name in sorted(found) if len(found[name]) < len(lines))
    keys = {tuple(component.headers[line] for component in whole) for line in lines}
    return Axis(side, whole, partly, numbered=len(keys) < len(lines))


def _ranked(nodes: Iterable[int]) -> dict[str, int]:
    return {str(rank): node for rank, node in enumerate(nodes, 1)}


def _by_column(table: Table, nodes: Iterable[int]) -> dict[str, int]:
    """The headers of a row by the column that they stand in."""
    found: dict[str, int] = {}
    for node in nodes:
        cells = table.left.nodes[node].cells
        name = column_letters(int(table.grid.column_of[cells[0][1]])) if cells else "none"
        while name in found:
            name += "-next"
        found[name] = node
    return found
