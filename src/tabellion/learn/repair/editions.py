"""How well corrections are found again in an edited edition of a sheet.

In: cases of a sheet corpus. Out: counts of corrections that were carried over rightly, wrongly, or not at all. The
edition is made here: rows inserted and deleted, a column added, the sheet renamed, on demand every figure changed; so
it is known where everything went. A correction whose place was deleted is right where it is said not to fit.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.learn.sheets.gold import Case
from tabellion.locate import locate_regions
from tabellion.model.correction import Correction, GiveCellRole, GiveColumnRole, GiveRowRole, MoveHeader, Saying, Spot
from tabellion.model.document import Sheet, SheetCells, Stored
from tabellion.model.grid import Grid
from tabellion.model.place import Rect
from tabellion.model.table import Table
from tabellion.pipeline import Settings
from tabellion.read import read_document
from tabellion.recognise import recognise_grid
from tabellion.repair.editions import Carrier, Edition, Misfit
from tabellion.repair.places import Places, region_place
from tabellion.repair.rereading import Rereading

INSERTED, DELETED = 4, 3  # rows
EACH = 12  # corrections of each kind a sheet


class Tally(msgspec.Struct):
    """What became of corrections."""

    right: int = 0
    wrong: int = 0
    lost: int = 0

    @property
    def share(self) -> float:
        return self.right / max(self.right + self.wrong + self.lost, 1)


class Edited(msgspec.Struct, frozen=True, eq=False):
    """A sheet after the edits, and where its old rows and columns are now; what was deleted is nowhere."""

    sheet: Sheet
    rows: dict[int, int]
    columns: dict[int, int]


def edit_sheet(sheet: Sheet, seed: int, *, figures: bool = False) -> Edited:
    """Another edition of a sheet; `figures`: every number is another one as well."""
    choose = random.Random(seed)  # noqa: S311 - the same editions every time
    cells = sheet.cells
    filled = cells.stored != Stored.EMPTY
    used = sorted(set(cells.row[filled].tolist()))
    deleted = set(choose.sample(used[2:], min(DELETED, max(len(used) - 6, 0))))
    before = sorted(choose.sample(used[2:], min(INSERTED, max(len(used) - 4, 0))))
    columns_used = sorted(set(cells.column[filled].tolist()))
    added = choose.choice(columns_used[2:] or columns_used) if len(columns_used) > 2 else columns_used[-1] + 1
    last_row, last_column = int(cells.row.max()), int(cells.column.max())
    rows: dict[int, int] = {}
    shift = 0
    for row in range(last_row + 1):
        shift += before.count(row)
        if row in deleted:
            shift -= 1
        else:
            rows[row] = row + shift
    columns = {column: column + (column >= added) for column in range(last_column + 1)}
    kept = np.array([row in rows for row in cells.row.tolist()], dtype=bool)
    number = cells.number[kept].copy()
    text = cells.text[kept].copy()
    if figures:
        for place in np.flatnonzero((cells.stored[kept] == Stored.NUMBER) & ~_years(number)).tolist():
            number[place] = choose.randint(1, 99_999) / 10
            text[place] = f"{number[place]:g}"
    moved = SheetCells(
        row=np.array([rows[row] for row in cells.row[kept].tolist()], dtype=np.int32),
        column=np.array([columns[column] for column in cells.column[kept].tolist()], dtype=np.int32),
        text=text,
        stored=cells.stored[kept],
        number=number,
        style=cells.style[kept],
        marks=cells.marks[kept],
    )
    new_rows = [rows.get(row, row) - 1 for row in before if row in rows]
    fresh = [
        *((row, columns_used[0], f"New entry {number}", np.nan) for number, row in enumerate(new_rows)),
        *((row, column + 1, "", choose.randint(1, 9999)) for row in new_rows for column in columns_used[1:4]),
        *((row, added, "", choose.randint(1, 9999)) for row in sorted(set(moved.row.tolist()))[3:]),
    ]
    merges = tuple(
        _moved_merge(area, rows, columns) for area in sheet.merges if area.top in rows and area.bottom in rows
    )
    return Edited(
        msgspec.structs.replace(sheet, name=f"{sheet.name} (revised)", cells=_joined(moved, fresh), merges=merges),
        rows,
        columns,
    )


def _years(number: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray((number >= 1900) & (number <= 2100) & (number % 1 == 0))


def _moved_merge(area: Rect, rows: dict[int, int], columns: dict[int, int]) -> Rect:
    def column(old: int) -> int:
        return columns.get(old, old + 1)

    return Rect(rows[area.top], column(area.left), rows[area.bottom], column(area.right))


def _joined(cells: SheetCells, fresh: list[tuple[int, int, str, float]]) -> SheetCells:
    """The cells with new ones, in row order; where a cell is taken already, it stays."""
    taken = set(zip(cells.row.tolist(), cells.column.tolist(), strict=True))
    more = [one for one in fresh if one[:2] not in taken]
    row = np.concatenate([cells.row, np.array([one[0] for one in more], dtype=np.int32)])
    column = np.concatenate([cells.column, np.array([one[1] for one in more], dtype=np.int32)])
    order = np.lexsort((column, row))
    words = [one[2] or f"{one[3]:g}" for one in more]
    stored = [Stored.TEXT if one[2] else Stored.NUMBER for one in more]
    return SheetCells(
        row=row[order],
        column=column[order],
        text=np.concatenate([cells.text, np.array([*words, ""], dtype=object)[:-1]])[order],
        stored=np.concatenate([cells.stored, np.array(stored, dtype=np.uint8)])[order],
        number=np.concatenate([cells.number, np.array([one[3] for one in more])])[order],
        style=np.concatenate([cells.style, np.zeros(len(more), dtype=np.int32)])[order],
        marks=np.concatenate([cells.marks, np.zeros(len(more), dtype=np.uint8)])[order],
    )


def carry_corrections(case: Case, seed: int, tally: Tally, *, figures: bool = False) -> None:
    """Make corrections of a case, edit its sheet, and count where they come to lie."""
    document = read_document(case.path, sheet=case.gold.get("sheet"))
    sheet = document.pages[0]
    if not isinstance(sheet, Sheet):
        return
    edited = edit_sheet(sheet, seed, figures=figures)
    extraction = Rereading(document, Settings()).read()
    carrier = Carrier(Edition(_grids(sheet)), Edition(_grids(edited.sheet)))
    choose = random.Random(seed)  # noqa: S311
    for table in extraction.tables:
        place = region_place(table.grid.place)
        for number, said in enumerate(_corrections(table, choose)):
            count_carried(Correction(f"c{number}", said, place, document.sha256), carrier, edited, tally)


def count_carried(correction: Correction, carrier: Carrier, edited: Edited, tally: Tally) -> None:
    """Carry one correction and see whether it is where it should be."""
    wanted = [_truth(spot, edited) for spot in _spots(correction.operation)]
    try:
        moved = carrier.carry(correction)
    except Misfit:
        tally.lost += None not in wanted
        tally.right += None in wanted
        return
    found = [spot.at for spot in _spots(moved.operation)]
    right = found == wanted and moved.place.sheet == edited.sheet.name
    tally.right += right
    tally.wrong += not right


def _grids(sheet: Sheet) -> list[Grid]:
    return [recognise_grid(region) for region in locate_regions(sheet)]


def _corrections(table: Table, choose: random.Random) -> Iterator[Saying]:
    places, frame = Places(table.grid), table.frame
    nodes = [node for node in table.left.nodes if node.text]
    for node in choose.sample(nodes, min(EACH, len(nodes))):
        other = choose.choice(nodes)
        yield MoveHeader("left", places.spot(*node.cells[0]), places.spot(*other.cells[0]))
    for node in choose.sample(table.top.nodes, min(EACH, len(table.top.nodes))):
        yield MoveHeader("top", places.spot(*node.cells[0]), None)
    rows = [row for row in (*frame.header_rows, *frame.body_rows) if table.grid.filled[row].any()]
    for row in choose.sample(rows, min(EACH, len(rows))):
        yield GiveRowRole(places.spot(row=row), "note")
    columns = [*frame.stub_columns, *frame.value_columns]
    filled = [(row, column) for row in rows for column in columns if table.grid.filled[row, column]]
    for cell in choose.sample(filled, min(EACH, len(filled))):
        yield GiveCellRole(places.spot(*cell), "note")
    for column in choose.sample(columns, min(2, len(columns))):
        if table.grid.filled[:, column].any():
            yield GiveColumnRole(places.area(frame.rect), places.spot(column=column), "stub")


def _spots(said: object) -> list[Spot]:
    return [value for value in msgspec.structs.astuple(said) if isinstance(value, Spot)]  # type: ignore[arg-type]


def _truth(spot: Spot, edited: Edited) -> tuple[int | None, int | None] | None:
    """Where a spot is in the new edition; None where it is deleted."""
    if spot.row is not None and spot.row not in edited.rows:
        return None
    row = None if spot.row is None else edited.rows[spot.row]
    column = None if spot.column is None else edited.columns.get(spot.column, spot.column + 1)
    return row, column
