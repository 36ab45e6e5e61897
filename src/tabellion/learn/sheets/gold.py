"""The labelled sheets that methods learn from, and what they say of rows.

The labelled sheets that methods learn from: gold beside the grids that our own reader makes of the file. In: the name
of a sheet corpus. Out: its cases with fold and grids. A file that cannot be read is an error: gold must not go missing
in silence.

What the corpora say of rows: for each filled row of a grid the roles that it may have. In: a case of a sheet corpus.
Out: (rows, roles) of booleans: one role where the corpus tells it, several where it leaves the choice open (no corpus
but two tells totals from data), none where it says nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.view import view_rows
from tabellion.learn.corpora import KIN, assign_folds, find_corpus, load_gold, spread
from tabellion.locate import locate_regions
from tabellion.model.document import Sheet
from tabellion.model.frame import RowRole
from tabellion.model.grid import Grid
from tabellion.model.place import Rect, rect_at
from tabellion.read import read_document
from tabellion.recognise import recognise_grid

SPLIT_KEYS = {
    "troy200": "name",
    "senbazuru-left": "file",
    "saus-lines": "file_name",
    "statsheets": "agency",
    "hitab-top": "id",
    "stattrees": "agency",
    "sheetcuts": "origin",
    "fuste": "layout",
}
"""The gold field that says which cases belong together (the README of each corpus)."""


def folds_of(corpus: str) -> dict[str, int]:
    """The fold of each group of a corpus; an agency has one fold in all of its corpora."""
    own = assign_folds(corpus, (gold[SPLIT_KEYS[corpus]] for gold in load_gold(find_corpus(corpus))))
    whole = KIN.get(corpus)
    return own if whole is None else own | folds_of(whole)


class Case(msgspec.Struct, frozen=True, eq=False):
    """One annotated sheet."""

    corpus: str
    file: str
    path: Path
    fold: int
    gold: dict[str, Any]
    grids: tuple[Grid, ...]


@lru_cache(maxsize=8)
def load_cases(corpus: str) -> tuple[Case, ...]:
    """All cases of a corpus, with the grids of the annotated sheet."""
    folder = find_corpus(corpus)
    golds = load_gold(folder)
    key = SPLIT_KEYS[corpus]
    folds = folds_of(corpus)
    grids = spread(grids_of, [(folder / "inputs" / gold["file"], gold.get("sheet")) for gold in golds])
    return tuple(
        Case(corpus, gold["file"], folder / "inputs" / gold["file"], folds[gold[key]], gold, found)
        for gold, found in zip(golds, grids, strict=True)
    )


def grids_of(place: tuple[Path, str | None]) -> tuple[Grid, ...]:
    """The grids of one sheet; of the first where none is named."""
    path, sheet = place
    pages = read_document(path, sheet=sheet).pages
    page = next(page for page in pages if isinstance(page, Sheet) and sheet in (None, page.name))
    return tuple(recognise_grid(region) for region in locate_regions(page))


ROLES: tuple[RowRole, ...] = ("title", "header", "data", "group", "derived", "note")
LINE_ROLES: dict[str, RowRole] = {
    "metadata": "title",
    "header": "header",
    "data": "data",
    "group": "group",
    "derived": "derived",
    "notes": "note",
}

FORM = 4  # rows without values in a row that are no groups

Allowed = NDArray[np.bool_]
RolesOfRows = dict[int, set[RowRole]]
"""Sheet row -> the roles it may have."""


def allowed_roles(case: Case, grid: Grid) -> Allowed:
    """(rows of the grid, ROLES): which role each row may have by the gold; no row that is blank has any."""
    told = _READERS[case.corpus](case.gold, grid)
    allowed = np.zeros((grid.shape[0], len(ROLES)), dtype=bool)
    view = view_rows(grid)
    for row, added_up in zip(view.rows.tolist(), view.added_up.tolist(), strict=True):
        roles = told.get(int(grid.row_of[row]), set())
        for role in {"derived"} if added_up and roles == {"data", "derived"} else roles:
            allowed[row, ROLES.index(role)] = True
    return allowed


def _saus_lines(gold: dict[str, Any], _: Grid) -> RolesOfRows:
    return {row: {LINE_ROLES[kind]} for row, kind in enumerate(gold["lines"]) if kind}


def _troy(gold: dict[str, Any], _: Grid) -> RolesOfRows:
    return {int(row): {LINE_ROLES[kind]} for row, kind in (gold["lines"] or {}).items()}


def _senbazuru(gold: dict[str, Any], grid: Grid) -> RolesOfRows:
    """Rows of the annotated stub: a group where nothing else is filled. The root row is the stub head."""
    area = rect_at(gold["range"])
    pairs = (*gold["pairs"], *gold["root_pairs"])
    labelled = {row for pair in pairs for row in pair}  # the other rows may be second rows of heads
    told: RolesOfRows = {row: _body_role(grid, row, area.right) for row in labelled}
    if gold["root_row"] is not None:
        told[gold["root_row"]] = {"header"}
    return told if gold["scored"] else {}


def _hitab(gold: dict[str, Any], grid: Grid) -> RolesOfRows:
    """Heads and rows with values; of rows without any it cannot be told whether they run on, all being lower case."""
    heads, stub = gold["header_rows"] - 1, gold["header_columns"]  # its count includes a title row that is not there
    told: RolesOfRows = {row: {"header"} for row in range(heads)}
    for row in grid.row_of.tolist():
        if row >= heads and "derived" in (roles := _body_role(grid, row, stub - 1)):
            told[row] = roles
    return told


def _body_role(grid: Grid, source_row: int, last_stub_column: int) -> set[RowRole]:
    row = np.flatnonzero(grid.row_of == source_row)
    values = grid.filled[row][:, grid.column_of > last_stub_column]
    return {"data", "derived"} if values.any() else {"group", "data"}


def _statsheets(gold: dict[str, Any], grid: Grid) -> RolesOfRows:
    """Cell classes (H head or stub, D data, T title, O other) and table ranges to roles of rows."""
    areas = [rect_at(area) for area in gold["tables"]]
    kinds = {row: set(re.sub(r"[\d.]", "", runs)) for row, runs in enumerate(gold["rows"])}
    told: RolesOfRows = {}
    for row, letters in kinds.items():
        inside = [area for area in areas if area.top <= row <= area.bottom]
        if "D" in letters:
            told[row] = {"data", "derived"}
        elif "H" in letters and inside:
            told[row] = _head_role(row, inside, kinds, grid)
        elif "T" in letters:
            told[row] = {"title"}
        elif "O" in letters:
            told[row] = _other_role(row, bool(inside), areas)
    return told


def _fuste(gold: dict[str, Any], grid: Grid) -> RolesOfRows:
    """As statsheets; of the rows below a table's heads that say no number it is only known that they are no heads."""
    told = _statsheets(gold, grid)
    for area in map(rect_at, gold["tables"]):
        inside = range(area.top, area.bottom + 1)
        heads = [row for row in inside if told.get(row) == {"header"}]
        for row in inside:
            if heads and row > heads[-1] and row not in told:
                told[row] = _body_role(grid, row, area.left)
            elif "header" in told.get(row, ()) and told[row] != {"header"}:
                told[row] = {"group", "data"}  # a new head would begin a table of its own
    return told


def _stattrees(gold: dict[str, Any], grid: Grid) -> RolesOfRows:
    """Rows of the annotated range: its heads, its groups, its totals, and data."""
    area = rect_at(gold["range"])
    told: RolesOfRows = {row: {"header"} for row in range(area.top, area.top + gold["header_rows"])}
    for row in range(area.top + gold["header_rows"], area.bottom + 1):
        if row + 1 in gold["groups"]:
            told[row] = {"group"}
        elif row + 1 in gold["derived"]:
            told[row] = {"derived"}
        else:
            told[row] = _body_role(grid, row, area.left + gold["stub_columns"] - 1) - {"derived"}
    return told


def _head_role(row: int, inside: list[Rect], kinds: dict[int, set[str]], grid: Grid) -> set[RowRole]:
    """A row of heads alone: a header above the first data of its table, a group (or the header again) below."""
    area = inside[0]
    with_data = [at for at in range(area.top, area.bottom + 1) if "D" in kinds.get(at, ())]
    cells = np.flatnonzero(grid.filled[grid.row_of == row].any(axis=0))
    at_left = len(cells) == 1 and grid.column_of[cells[0]] == area.left
    if with_data and row > with_data[0]:
        if _heads_in_a_row(row, kinds) >= FORM:
            return {"data"}
        return {"group", "data"} if at_left else {"group", "header", "data"}
    last_before_data = bool(with_data) and at_left and row > area.top
    return {"group", "header"} if last_before_data else {"header"}


def _heads_in_a_row(row: int, kinds: dict[int, set[str]]) -> int:
    """How many rows of heads alone stand together: many are data rows left empty, as in a form."""
    first, last = row, row
    while kinds.get(first - 1) == {"H"}:
        first -= 1
    while kinds.get(last + 1) == {"H"}:
        last += 1
    return last - first + 1


def _other_role(row: int, inside: bool, areas: list[Rect]) -> set[RowRole]:
    if inside:
        return {"note", "group"}
    if areas and row > max(area.bottom for area in areas):
        return {"note"}
    return {"title", "note"} if areas and row > areas[0].bottom else {"title"}


_READERS: dict[str, Callable[[dict[str, Any], Grid], RolesOfRows]] = {
    "saus-lines": _saus_lines,
    "troy200": _troy,
    "senbazuru-left": _senbazuru,
    "hitab-top": _hitab,
    "statsheets": _statsheets,
    "sheetcuts": _statsheets,
    "fuste": _fuste,
    "stattrees": _stattrees,
}
