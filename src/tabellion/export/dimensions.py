"""The dimensions of a table for the Data Cube, and names that stay the same.

What tells the values of a table apart: its dimensions, for the Data Cube. In: a table. Out: for each side the headers
of every line, sorted into dimensions (every line with values has one) and attributes (only some do). A stub of several
columns gives a dimension for each. Where the headers of two lines are the same, or there are none, the line's own
number is a dimension too, so that no two observations have the same.

Names of documents and tables that are the same whenever and wherever the same bytes are read. A document is named by
the hash of its bytes; a table by that and its place. Paths, times and the order of reading do not count. A table keeps
its name as long as it is found at the same place of the same document.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Literal

import msgspec

from tabellion.model.document import Document
from tabellion.model.frame import HeaderTree
from tabellion.model.place import column_letters
from tabellion.model.table import Table

_LETTERS = 20  # of a hash: 80 bits, so that two of a billion tables hardly ever meet


def document_name(document: Document) -> str:
    """The local name of a document.

    >>> document_name(Document("a.csv", "spreadsheet", "csv", "ab" * 32, ()))
    'dabababababababababab'
    """
    return f"d{document.sha256[:_LETTERS]}"


def table_name(document: Document, table: Table) -> str:
    """The local name of a table."""
    place, rect = table.place, table.grid.source_rect(table.frame.rect)
    box = [round(side) for side in place.box] if place.box else None
    facts = [document.sha256, place.sheet, place.page, place.path, place.table_index, box, list(rect)]
    return f"t{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:_LETTERS]}"


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
