"""A document on the bench: read again after every stroke, and what each reading says of what a stroke speaks of.

In: a document and the operations that are in force. Out: its extraction, in which they hold. Regions and grids are
found once; a grid is labelled again only where what labelling takes has changed, its headers are nested again only
where anything has. Tables keep the ids of the first reading as far as they are the same tables.

`observe`. In: an extraction and an operation. Out: the value that stands where the operation's `to` shall stand, or
`UNKNOWN` where the reading has no such thing. So `was` is filled in before a stroke, and after it one can see whether
it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from tabellion.locate import RunningText
from tabellion.model.correction import (
    Area,
    CutTables,
    Fixes,
    GiveCellRole,
    GiveColumnRole,
    GiveRowRole,
    JoinCells,
    JoinLines,
    MoveEdge,
    MoveHeader,
    Orient,
    PartLine,
    SameLabel,
    Saying,
    SayTable,
    SayText,
    Spot,
    axis_of,
)
from tabellion.model.document import LIKELY, AnyRegion, Document, Region
from tabellion.model.frame import Labelled
from tabellion.model.grid import EMPTY, Grid
from tabellion.model.place import Place, Rect, common_share
from tabellion.model.table import Table
from tabellion.nest import nest_frames
from tabellion.pipeline import (
    Extraction,
    Rejected,
    Settings,
    find_regions,
    grids_of,
    label_regions,
    reject_grid,
    reject_region,
    relate_frames,
)
from tabellion.relate import CELL_ROLES, label_cells
from tabellion.repair.constraints import fixes_of, mend_grid, mend_region
from tabellion.repair.editions import Carrier, Edition, Editions
from tabellion.repair.places import Places, same_region
from tabellion.weights import Weights


class _Unknown:
    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = _Unknown()
"""There is no such thing in the reading."""


def observe(extraction: Extraction, place: Place, said: Saying) -> Any:
    """The value of an operation's thing now."""
    tables = [table for table in extraction.tables if same_region(table.grid.place, place)]
    grids = [one for one in extraction.labelled if same_region(one.labels.grid.place, place)]
    match said:
        case MoveHeader():
            return _parent(tables, said)
        case GiveRowRole():
            return next((role for one in grids if (role := _row_role(one, said.row)) is not None), UNKNOWN)
        case GiveCellRole():
            return next((role for one in tables if (role := _cell_role(one, said.cell)) is not None), UNKNOWN)
        case CutTables():
            return _is_cut(tables, said)
        case SayTable():
            return table_at(tables, said.table) is not None
        case JoinLines() | PartLine() | SameLabel():
            return UNKNOWN  # the grid does not remember: what was said of it is all there is
        case JoinCells():
            return _is_joined(grids, said.area)
        case _:
            return _of_table(tables, said)


def table_at(tables: Iterable[Table], area: Area) -> Table | None:
    """The table that has most in common with an area."""
    shares = [(common_share(one.grid.source_rect(one.frame.rect), area.rect), one) for one in tables]
    best = max(shares, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] > 0 else None


def header_node(table: Table, side: str, spot: Spot) -> int | None:
    """The node of a header tree that holds a cell."""
    cell = Places(table.grid).cell(spot)
    nodes = (table.left if side == "left" else table.top).nodes
    return next((node.id for node in nodes if cell in node.cells), None)


def _parent(tables: list[Table], said: MoveHeader) -> Any:
    for table in tables:
        node = header_node(table, said.side, said.header)
        if node is not None:
            tree = table.left if said.side == "left" else table.top
            parent = tree.nodes[node].parent
            return None if parent is None else Places(table.grid).spot(*tree.nodes[parent].cells[0])
    return UNKNOWN


def _row_role(labelled: Labelled, spot: Spot) -> str | None:
    row = Places(labelled.labels.grid).row(spot.row)
    return None if row is None else labelled.labels.roles[row]


def _cell_role(table: Table, spot: Spot) -> str | None:
    cell = Places(table.grid).cell(spot)
    return None if cell is None else CELL_ROLES[label_cells(table.nested)[cell]]


def _is_cut(tables: list[Table], said: CutTables) -> Any:
    down = axis_of(said.at) == "row"
    line = said.at.row if down else said.at.column
    rects = [table.grid.source_rect(table.frame.rect) for table in tables]
    spans = [(rect.top, rect.bottom) if down else (rect.left, rect.right) for rect in rects]
    if line is None or not any(first <= line <= last for first, last in spans):
        return UNKNOWN
    return not any(first < line <= last for first, last in spans)


def _is_joined(grids: list[Labelled], area: Area) -> Any:
    for labelled in grids:
        grid = labelled.labels.grid
        rect = Places(grid).rect(area.rect)
        if rect:
            homes = np.unique(grid.home[rect.top : rect.bottom + 1, rect.left : rect.right + 1])
            return len(homes) == 1 and rect.height * rect.width > 1
    return UNKNOWN


def _of_table(tables: list[Table], said: Saying) -> Any:
    area = said.area if isinstance(said, SayText) else said.table  # type: ignore[union-attr]
    table = table_at(tables, area)
    if table is None:
        return UNKNOWN
    places, frame = Places(table.grid), table.frame
    match said:
        case GiveColumnRole():
            column = places.column(said.column.column)
            return "stub" if column in frame.stub_columns else "value" if column in frame.value_columns else UNKNOWN
        case MoveEdge():
            line = getattr(frame.rect, said.side)
            return places.spot(row=line) if said.side in ("top", "bottom") else places.spot(column=line)
        case Orient():
            return frame.orientation
        case SayText():
            return _text(table, said)
        case _:
            return UNKNOWN


def _text(table: Table, said: SayText) -> Any:
    affiliated = table.metadata.affiliated
    rect = Places(table.grid).rect(said.area.rect)
    if said.what == "title":
        return table.title
    if said.what == "caption":
        return affiliated.caption
    if rect is None:
        return UNKNOWN
    if said.what == "unit":
        tuples = table.tuples
        inside = (tuples.rows >= rect.top) & (tuples.rows <= rect.bottom)
        inside &= (tuples.columns >= rect.left) & (tuples.columns <= rect.right)
        units = {tuples.units[number] for number in set(tuples.unit_ids[inside].tolist())}
        return units.pop() if len(units) == 1 else None
    if 1 in (rect.height, rect.width):
        marks = [table.grid.notes.get(r * table.grid.shape[1] + c, ()) for r, c in _filled(table, rect)]
        return "\n".join(dict.fromkeys(mark for held in marks for mark in held)) or None
    return "\n".join(affiliated.footnotes) or None


def _filled(table: Table, rect: Rect) -> list[tuple[int, int]]:
    content = table.grid.content[rect.top : rect.bottom + 1, rect.left : rect.right + 1]
    rows, columns = np.nonzero(content != EMPTY)
    return [(rect.top + int(r), rect.left + int(c)) for r, c in zip(rows, columns, strict=True)]


class Placed(msgspec.Struct, frozen=True):
    """An operation and the region that it speaks of."""

    place: Place
    operation: Saying


class _Bench:
    """One region and what was last made of it, each with what it was made from."""

    def __init__(self, region: AnyRegion) -> None:
        self.region = region
        self.found: Grid | None = None  # before lines and cells were joined or parted
        self.found_in: Rect | None = None
        self.grid: Grid | None = None
        self.grid_from: list[Saying] | None = None
        self.labelled: Labelled | None = None
        self.labelled_from: Fixes | None = None
        self.tables: list[Table] = []
        self.tables_from: Fixes | None = None


class Rereading:
    """A document that is read again and again."""

    def __init__(self, document: Document, settings: Settings = Settings(), *, follow: bool = True) -> None:
        self.document, self.follow = document, follow
        self.settings = msgspec.structs.replace(settings, pages_apart=False)
        self.weights = Weights(settings.weights)
        text = RunningText()
        self._issues = list(document.issues)
        regions = find_regions(document, self.settings, self.weights, self._issues, text)
        self._benches = [_Bench(region) for region in regions]
        self._sentences = tuple(text.close())
        self._first: list[Table] | None = None
        self._carriers: dict[str, Carrier] = {}

    def __getstate__(self) -> dict[str, object]:
        """What goes from the worker that read it to who repairs it: all but the weights, which are files."""
        return {name: held for name, held in self.__dict__.items() if name != "weights"}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.weights = Weights(self.settings.weights)

    def read(self, operations: Sequence[Placed] = ()) -> Extraction:
        """The extraction in which the operations hold."""
        if self._first is None:
            self._first = list(self._read(()).tables)
        extraction = self._read(operations)
        return msgspec.structs.replace(extraction, tables=_with_ids(self._first, extraction.tables))

    def edition(self) -> Edition:
        """The texts of the document, by which places are found again in another edition."""
        return Edition(self._grid(bench.region) for bench in self._benches)

    def carrier(self, sha256: str, editions: Editions) -> Carrier:
        """What carries corrections from an earlier edition to this document; made once."""
        if sha256 not in self._carriers:
            self._carriers[sha256] = Carrier(editions(sha256), self.edition())
        return self._carriers[sha256]

    def _read(self, operations: Sequence[Placed]) -> Extraction:
        rejected: list[Rejected] = []
        seen: list[Labelled] = []
        tables: list[Table] = []
        issues = list(self._issues)
        for bench in self._benches:
            said = [one.operation for one in operations if same_region(one.place, bench.region.place)]
            if bench.region.genuine < LIKELY and not _is_called_table(said):
                rejected.append(reject_region(bench.region, self.settings, self.weights))
                continue
            labelled = self._label(bench, said)
            seen.append(labelled)
            issues.extend(labelled.issues)
            if not labelled.frames:
                rejected.append(reject_grid(labelled))
            for table in bench.tables:
                tables.append(msgspec.structs.replace(table, id=f"t{len(tables) + 1}"))
                issues.extend(table.issues)
        return Extraction(self.document, tuple(tables), tuple(rejected), tuple(seen), tuple(issues))

    def _grid(self, region: AnyRegion) -> Grid:
        return grids_of(region, self.settings, self.weights)[0]

    def _label(self, bench: _Bench, said: list[Saying]) -> Labelled:
        """The grid of a region labelled and its tables related, made anew where needed."""
        region = mend_region(bench.region, said) if isinstance(bench.region, Region) else bench.region
        rect = region.rect if isinstance(region, Region) else None
        if bench.found is None or bench.found_in != rect:
            bench.found, bench.found_in, bench.grid_from = self._grid(region), rect, None
        if bench.grid is None or bench.grid_from != said:
            mended = mend_grid(bench.found, said)
            if mended is not bench.grid:
                bench.labelled_from = bench.tables_from = None
            bench.grid, bench.grid_from = mended, said
        fixes = fixes_of(bench.grid, said, follow=self.follow)
        if bench.labelled is None or bench.labelled_from != fixes.of_labels():
            found = [(region, bench.grid)]
            [bench.labelled] = label_regions(found, self.settings, self.weights, fixes.of_labels())
            bench.labelled_from, bench.tables_from = fixes.of_labels(), None
        if bench.tables_from != fixes:
            frames = tuple(msgspec.structs.replace(frame, fixes=fixes) for frame in bench.labelled.frames)
            (nested,) = nest_frames([frames], self.weights, self.settings.parents)
            bench.tables = relate_frames(nested, self.document, sentences=self._sentences)
            bench.tables_from = fixes
        return bench.labelled


def _is_called_table(said: list[Saying]) -> bool:
    return any(isinstance(one, SayTable) and one.to for one in said)


def _with_ids(first: Sequence[Table], tables: Sequence[Table]) -> tuple[Table, ...]:
    """The tables with the ids that they had in the first reading; new ones have new ids."""
    free = {table.id: table for table in first}
    named: dict[int, str] = {}
    pairs = sorted(
        (
            (-common_share(old.grid.source_rect(old.frame.rect), new.grid.source_rect(new.frame.rect)), number, old.id)
            for number, new in enumerate(tables)
            for old in first
            if same_region(old.grid.place, new.grid.place)
        ),
    )
    for share, number, name in pairs:
        if share < 0 and number not in named and name in free:
            named[number] = name
            del free[name]
    last = max((int(table.id[1:]) for table in first), default=0)
    found = []
    for number, table in enumerate(tables):
        if number not in named:
            last += 1
        found.append(msgspec.structs.replace(table, id=named.get(number, f"t{last}")))
    return tuple(found)
