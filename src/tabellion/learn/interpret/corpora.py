"""Hand-read corpora as drafts: `office`, `published`, `pages`, and others whose gold has the same form.

In: a folder of a corpus. Out: for each sheet (or `<table>` element) a draft whose cells are as this program reads them,
with the gold laid over it. A web table is laid over its gold by the texts of its cells, since reading leaves out empty
lines. Gold that does not fit what was read is left out, with a count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from tabellion.interpret.targets import FIELD, GROUP, HEAD, JOIN, LEVEL, NOTE, OTHER, STUB, TITLE, VALUE
from tabellion.learn.interpret.draft import OUTSIDE, Cell, Draft, Look, draft_of
from tabellion.locate import locate_regions
from tabellion.model.document import Sheet
from tabellion.read import read_document
from tabellion.recognise import recognise_grid

Area = tuple[int, int, int, int]
_ADDRESS = re.compile(r"\$?([A-Z]+)\$?(\d+)")


def cell_at(address: str) -> Cell:
    """Row and column of an address.

    >>> cell_at("AB12")
    (11, 27)
    """
    match = _ADDRESS.fullmatch(address.strip())
    if not match:
        raise ValueError(f"{address!r} is no address of a cell")
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def area_of(text: str) -> Area:
    first, _, last = text.partition(":")
    return *cell_at(first), *cell_at(last or first)


def read_golds(folder: Path) -> list[dict[str, Any]]:
    """The lines of a corpus' gold."""
    return [msgspec.json.decode(line) for line in (folder / "gold.jsonl").read_bytes().splitlines() if line.strip()]


def sheet_drafts(folder: Path, golds: list[dict[str, Any]] | None = None) -> Iterator[tuple[Draft, dict[str, Any]]]:
    """Sheets read by hand: each as this program reads it, with its gold."""
    for gold in golds if golds is not None else read_golds(folder):
        draft = read_sheet(folder / "inputs" / gold["file"], gold.get("sheet"))
        if draft is None:
            continue
        draft.name = f"{folder.name}/{gold['file']}"
        lay_gold(draft, gold)
        yield draft, gold


def read_sheet(path: Path, name: str | None) -> Draft | None:
    """A sheet of a workbook as a draft."""
    for page in read_document(path).pages:
        if isinstance(page, Sheet) and (name in (None, page.name) or path.suffix.lower() in (".csv", ".tsv", ".txt")):
            parts = [draft_of(recognise_grid(region)) for region in locate_regions(page)]
            if not parts:
                return None
            whole = parts[0]
            for part in parts[1:]:
                whole.cells.update(part.cells)
                whole.spans.update(part.spans)
            return whole
    return None


def text_draft(gold: Mapping[str, Any]) -> Draft:
    """A table by the texts of its gold alone, without a look."""
    draft = Draft("html", "table")
    for address, text in gold["texts"].items():
        if text.strip():
            draft.cells[cell_at(address)] = (text, Look())
    for merged in gold.get("merged", []):
        top, left, bottom, right = area_of(merged)
        draft.spans[top, left] = (bottom - top + 1, right - left + 1)
    draft.spans = {cell: span for cell, span in draft.spans.items() if cell in draft.cells}
    return draft


class GoldTable:
    """One table of gold: which labels hold for each row and column, as the scorer of these corpora has it."""

    def __init__(self, draft: Draft, table: Mapping[str, Any]) -> None:
        self.top, self.left, self.bottom, self.right = area_of(table["range"])
        self.body = self.top + table["header_rows"]
        self.values = self.left + table["stub_columns"]
        self.groups = {row - 1 for row in table.get("groups", [])}
        self.names = {cell_at(one) for one in table.get("level_names") or []}
        pieces = table.get("joined") or []
        self.later = {cell_at(one): cell_at(joined[0]) for joined in pieces for one in joined[1:]}
        self.over = {cell_at(child): cell_at(parent) for parent, child in table.get("top") or []}
        self.under = {child - 1: parent - 1 for parent, child in table.get("left") or []}
        self.derived = {row - 1 for row in table.get("derived") or []}
        self.first_of = {
            (row, column): cell
            for cell, (down, across) in draft.spans.items()
            for row in range(cell[0], cell[0] + down)
            for column in range(cell[1], cell[1] + across)
        }
        self.filled = draft.cells

    def holds(self, cell: Cell) -> bool:
        return self.top <= cell[0] <= self.bottom and self.left <= cell[1] <= self.right

    def labels(self, row: int) -> list[Cell]:
        """The labels of a row in the stub; of a row without any its first cell."""
        own = [self.first_of.get((row, column), (row, column)) for column in range(self.left, self.values)]
        found = [cell for cell in dict.fromkeys(own) if cell in self.filled]
        return found or [(row, c) for c in range(self.left, self.right + 1) if (row, c) in self.filled][:1]

    def head(self, column: int) -> Cell | None:
        """The nearest head of a column."""
        for row in range(self.body - 1, self.top - 1, -1):
            cell = self.first_of.get((row, column), (row, column))
            if cell in self.filled and cell not in self.names:
                return cell
        return None


def lay_gold(draft: Draft, gold: Mapping[str, Any]) -> None:
    """Say of each cell of a draft what the gold says of it."""
    for cell in draft.cells:
        draft.table[cell] = OUTSIDE
    for name, role in (("titles", TITLE), ("notes", NOTE), ("other", OTHER)):
        draft.role.update((cell_at(one), role) for one in gold.get(name) or [])
    draft.role.update((cell_at(one), FIELD) for pair in gold.get("fields") or [] for one in pair if one)
    draft.rows_judged = True
    for number, table in enumerate(gold["tables"]):
        _lay_table(draft, GoldTable(draft, table), number)
        orientation = table.get("orientation")
        if orientation in ("column", "row-column") and draft.medium == "spreadsheet" and table["stub_columns"]:
            draft.keyed[number] = orientation == "column"
    draft.role = {cell: role for cell, role in draft.role.items() if cell in draft.cells}


def _lay_table(draft: Draft, table: GoldTable, number: int) -> None:
    draft.derived |= table.derived
    for cell in filter(table.holds, draft.cells):
        draft.table[cell] = number
        draft.role.pop(cell, None)
        role = _role(table, cell)
        if role is None:
            continue
        draft.role[cell] = role
        if role == JOIN:
            draft.parent[cell] = table.later[cell]
        elif role == HEAD:
            draft.parent[cell] = table.over.get(cell)
        elif role == VALUE:
            draft.head[cell] = table.head(cell[1])
    for row in range(table.body, table.bottom + 1):
        first = next((cell for cell in table.labels(row) if cell[0] == row), None)
        if first is None or draft.role.get(first) not in (STUB, GROUP):
            continue
        above = table.under.get(row)
        draft.parent[first] = None if above is None else next(iter(table.labels(above)), None)


def _role(table: GoldTable, cell: Cell) -> int | None:
    if cell in table.later:
        return JOIN
    if cell in table.names:
        return LEVEL
    if cell[0] < table.body:
        return HEAD
    if cell[0] in table.groups:
        return GROUP if cell[1] < table.values or cell in table.labels(cell[0]) else None
    return STUB if cell[1] < table.values else VALUE
