"""What a line of the output contract says of the cells, trees and rows of a sheet.

How a prediction is read (all corpora)
  sheet      Only tables whose place.sheet is the annotated sheet, or is missing.
             Several tables on one sheet are taken together.
  cell       A [row, column] pair is the sheet's own, from 0. A pair inside a
             spanned cell (row_span, column_span of `cells`) means its first cell.
  label      Every cell held by a node of `top` or `left`.
  edge       (first cell of the parent node, first cell of the child node). A
             parent without cells is passed over for its own parent.
  P, R, F1   Micro: over all cases together. F1 of two empty sets is 1; P is 0
             where nothing is found but something was there. `macro` is the mean
             over cases of the case's F1.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

Cell = tuple[int, int]
Json = dict[str, Any]


def tables_on(doc: Json, sheet: str | None) -> list[Json]:
    """The document's tables on the sheet (all of them where no sheet is named)."""
    return [t for t in doc.get("tables") or [] if sheet is None or (t.get("place") or {}).get("sheet") in (None, sheet)]


def first_cells(table: Json) -> dict[Cell, Cell]:
    """Covered cell -> first cell of the spanned cell."""
    home = {}
    for cell in table.get("cells") or []:
        down, across = cell.get("row_span") or 1, cell.get("column_span") or 1
        if down > 1 or across > 1:
            start = (cell["row"], cell["column"])
            for i in range(start[0], start[0] + down):
                for j in range(start[1], start[1] + across):
                    home[i, j] = start
    return home


def held(pairs: Iterable[Iterable[int]] | None, home: dict[Cell, Cell]) -> list[Cell]:
    cells = [(row, column) for row, column in pairs or []]
    return [home.get(cell, cell) for cell in cells]


def edges(table: Json, side: str, home: dict[Cell, Cell]) -> set[tuple[Cell, Cell]]:
    """(first cell of parent, first cell of child) of one header tree."""
    nodes = {n["id"]: n for n in table.get(side) or []}
    found = set()
    for node in nodes.values():
        cells = held(node.get("cells"), home)
        parent = nodes.get(node.get("parent"))
        seen = set()
        while parent is not None and not parent.get("cells") and parent["id"] not in seen:
            seen.add(parent["id"])
            parent = nodes.get(parent.get("parent"))
        if cells and parent is not None and parent.get("cells"):
            found.add((held(parent["cells"], home)[0], cells[0]))
    return found


def label_cells(table: Json, home: dict[Cell, Cell]) -> set[Cell]:
    return {c for side in ("top", "left") for n in table.get(side) or [] for c in held(n.get("cells"), home)}


def ancestors(pairs: set[tuple[Any, Any]]) -> Callable[[Any], set[Any]]:
    """The ancestors of a label under parent-child pairs (safe against rings)."""
    parents = defaultdict(set)
    for parent, child in pairs:
        parents[child].add(parent)

    def above(label: Any) -> set[Any]:
        found, todo = set(), list(parents.get(label, ()))
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += parents.get(one, ())
        return found

    return above


def roles_of_rows(tables: list[Json]) -> dict[int, str]:
    roles: dict[int, str] = {}
    for table in tables:
        for row, role in enumerate(table.get("row_roles") or []):
            if role and role != "blank":
                roles.setdefault(row, role)
    return roles


def roles_of_cells(tables: list[Json], whole_span: bool) -> dict[Cell, str]:
    roles: dict[Cell, str] = {}
    for table in tables:
        for cell in table.get("cells") or []:
            if not cell.get("role"):
                continue
            down = (cell.get("row_span") or 1) if whole_span else 1
            across = (cell.get("column_span") or 1) if whole_span else 1
            for i in range(cell["row"], cell["row"] + down):
                for j in range(cell["column"], cell["column"] + across):
                    roles.setdefault((i, j), cell["role"])
    return roles


def read_lines(lines: Iterable[str]) -> dict[str, Json]:
    docs = {}
    for line in lines:
        if line.strip():
            doc = json.loads(line)
            docs[re.split(r"[/\\]", doc["source"])[-1]] = doc
    return docs
