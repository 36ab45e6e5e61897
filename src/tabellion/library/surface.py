"""The surfaces of a document as they are drawn: sheets, pages, tables of the markup, each cell with what it is for.

In: an extraction. Out: windows of cells, so that a sheet of a million cells is sent as far as it is looked at. Rows and
columns are the source's own. Fails to say how tall the rows of a sheet are, which is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tabellion.export.arrow import texts
from tabellion.export.json import claim_cells
from tabellion.model.document import Sheet, Stored
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect
from tabellion.model.printed import PrintedPage
from tabellion.model.style import Style
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.relate import CELL_ROLES
from tabellion.relate.roles import find_lost

MOST_CELLS = 60_000  # of a window
_KINDS = {int(Content.NUMBER): "number", int(Content.DATE): "date", int(Content.MISSING): "missing"}
_STORED = {int(Stored.NUMBER): "number", int(Stored.DATE): "date"}


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cell of a window: where, what it says, how it looks (by number), and what it is for in which table."""

    row: int
    column: int
    text: str
    style: int = 0
    role: str | None = None
    table: str | None = None
    kind: str | None = None
    down: int = 1
    across: int = 1
    page: int | None = None
    box: tuple[float, ...] | None = None
    lost: bool = False


class Window(msgspec.Struct, frozen=True):
    """The cells of a part of a surface; `rows` and `columns` are those of all of it."""

    rows: int
    columns: int
    styles: list[Style]
    cells: list[Cell]


_FIELDS = pa.schema(
    [
        ("row", pa.int32()), ("column", pa.int32()), ("text", pa.string()), ("style", pa.int32()),
        ("role", pa.string()), ("table", pa.string()), ("kind", pa.string()), ("down", pa.int32()),
        ("across", pa.int32()), ("page", pa.int32()), ("box", pa.list_(pa.float32())), ("lost", pa.bool_()),
    ]
)  # fmt: skip


class Whole(msgspec.Struct, frozen=True, eq=False):
    """All cells of a surface, in the order of their rows, as an Arrow table with the fields of `Cell`."""

    rows: int
    columns: int
    styles: tuple[Style, ...]
    cells: pa.Table


class Roles:
    """What the cells of one grid are for, and in which table."""

    def __init__(self, grid: Grid, tables: list[tuple[Table, NDArray[np.uint8]]]) -> None:
        self.grid = grid
        self.role = np.zeros(grid.shape, dtype=np.uint8)
        self.owner = np.full(grid.shape, -1, dtype=np.int16)
        self.names = [table.id for table, _ in tables]
        for number, (_, roles) in enumerate(tables):
            self.role = np.maximum(self.role, roles)
            self.owner[roles > 0] = number
        self.lost = find_lost([table for table, _ in tables]) if tables else np.zeros(grid.shape, dtype=bool)
        self._row, self._column = _inverse(grid.row_of), _inverse(grid.column_of)

    def home(self, row: int, column: int) -> tuple[int, int] | None:
        """The grid's cell that speaks for a cell of the source."""
        if row >= len(self._row) or column >= len(self._column) or self._row[row] < 0 or self._column[column] < 0:
            return None
        return divmod(int(self.grid.home[self._row[row], self._column[column]]), self.grid.shape[1])

    def codes(
        self, rows: NDArray[np.int32], columns: NDArray[np.int32]
    ) -> tuple[NDArray[np.uint8], NDArray[np.int16], NDArray[np.bool_]]:
        """The numbers of role and table, and whether nothing accounts for it, of some cells of the source."""
        r = self._row[np.minimum(rows, len(self._row) - 1)]
        c = self._column[np.minimum(columns, len(self._column) - 1)]
        known = (r >= 0) & (c >= 0) & (rows < len(self._row)) & (columns < len(self._column))
        role, owner = np.where(known, self.role[r, c], 0), np.where(known, self.owner[r, c], -1)
        return role, owner, known & self.lost[r, c]

    def at(self, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> list[tuple[str | None, str | None, bool]]:
        """Role, table and whether nothing accounts for it, of some cells of the source."""
        return [
            (CELL_ROLES[one], self.names[whose] if whose >= 0 else None, gone)
            for one, whose, gone in zip(*(part.tolist() for part in self.codes(rows, columns)), strict=True)
        ]


def _inverse(lines: NDArray[np.int32]) -> NDArray[np.int32]:
    """The place of each line of the source in the grid; -1 where the grid leaves it out."""
    found = np.full(int(lines[-1]) + 1 if len(lines) else 1, -1, dtype=np.int32)
    found[lines] = np.arange(len(lines), dtype=np.int32)
    return found


class Surfaces:
    """What can be looked at of a document."""

    def __init__(self, extraction: Extraction) -> None:
        self.extraction = extraction
        self._roles: dict[int, Roles] = {}
        self._grids = _grids(extraction)

    def roles(self, grid: Grid) -> Roles:
        if id(grid) not in self._roles:
            own = tuple(table for table in self.extraction.tables if table.grid is grid)
            self._roles[id(grid)] = Roles(grid, list(zip(own, claim_cells(own), strict=True)))
        return self._roles[id(grid)]

    def sheet(self, name: str | None) -> Sheet | None:
        for page in self.extraction.document.pages:
            if isinstance(page, Sheet) and page.name == name:
                return page
        return None

    def window(self, table: Table, wanted: Rect) -> Window:
        """The cells around a table: of its whole sheet, or of its own grid in other media."""
        if table.grid.medium == "spreadsheet" and (sheet := self.sheet(table.place.sheet)):
            return self._of_sheet(sheet, wanted)
        return self._of_grid(table.grid, wanted)

    def whole(self, table: Table) -> Whole:
        """All cells of what a table stands on."""
        if table.grid.medium == "spreadsheet" and (sheet := self.sheet(table.place.sheet)):
            return self._whole_sheet(sheet)
        rows, columns = int(table.grid.row_of[-1]), int(table.grid.column_of[-1])
        window = self._of_grid(table.grid, Rect(0, 0, rows, columns), table.grid.content.size)
        held = [{name: getattr(cell, name) for name in _FIELDS.names} for cell in window.cells]
        return Whole(window.rows, window.columns, tuple(window.styles), pa.Table.from_pylist(held, _FIELDS))

    def _whole_sheet(self, sheet: Sheet) -> Whole:
        seen = np.flatnonzero(~_covered(sheet.cells.row, sheet.cells.column, sheet.merges))
        cells = msgspec.structs.replace(
            sheet.cells, **{name: getattr(sheet.cells, name)[seen] for name in sheet.cells.__struct_fields__}
        )
        rows, columns = cells.row, cells.column
        role, owner = np.full(len(cells), None, dtype=object), np.full(len(cells), None, dtype=object)
        lost = np.zeros(len(cells), dtype=bool)
        for grid in self._grids:
            if grid.place.sheet == sheet.name:
                roles = self.roles(grid)
                said, whose, gone = roles.codes(rows, columns)
                told = (said > 0) | gone
                role[told] = np.array(CELL_ROLES, dtype=object)[said[told]]
                owner[told] = np.array([*roles.names, None], dtype=object)[whose[told]]
                lost |= gone
        down, across = np.ones(len(cells), dtype=np.int32), np.ones(len(cells), dtype=np.int32)
        for one in sheet.merges:
            first, last = np.searchsorted(rows, [one.top, one.top + 1])
            at = first + np.flatnonzero(columns[first:last] == one.left)
            down[at], across[at] = one.height, one.width
        kinds = np.array([_STORED.get(code) for code in range(256)], dtype=object)
        nothing = pa.nulls(len(cells))
        named = {
            "row": rows, "column": columns, "text": texts(cells.text), "style": cells.style, "role": role,
            "table": owner, "kind": kinds[cells.stored], "down": down, "across": across, "lost": lost,
        }  # fmt: skip
        arrays = [
            pa.array(named[one.name], one.type) if one.name in named else nothing.cast(one.type) for one in _FIELDS
        ]
        return Whole(*_size(sheet), sheet.styles, pa.Table.from_arrays(arrays, schema=_FIELDS))

    def _of_sheet(self, sheet: Sheet, wanted: Rect) -> Window:
        cells = sheet.cells
        first, last = np.searchsorted(cells.row, [wanted.top, wanted.bottom + 1])
        column = cells.column[first:last]
        inside = first + np.flatnonzero((column >= wanted.left) & (column <= wanted.right))
        inside = inside[~_covered(cells.row[inside], cells.column[inside], sheet.merges)]
        inside = inside[:MOST_CELLS]
        rows, columns = cells.row[inside], cells.column[inside]
        merged = {(one.top, one.left): one for one in sheet.merges if _meet(one, wanted)}
        told: list[tuple[str | None, str | None, bool]] = [(None, None, False)] * len(inside)
        for grid in self._grids:
            if grid.place.sheet == sheet.name:
                for at, one in enumerate(self.roles(grid).at(rows, columns)):
                    if one[0] is not None or one[2]:
                        told[at] = one
        used, numbers = np.unique(cells.style[inside], return_inverse=True)
        found = []
        for at, (row, column_at, style) in enumerate(
            zip(rows.tolist(), columns.tolist(), numbers.tolist(), strict=True)
        ):
            span = merged.get((row, column_at))
            found.append(
                Cell(
                    row, column_at, str(cells.text[inside[at]]), style, *told[at][:2],
                    kind=_STORED.get(int(cells.stored[inside[at]])), down=span.height if span else 1,
                    across=span.width if span else 1, lost=told[at][2],
                )
            )  # fmt: skip
        size = _size(sheet)
        return Window(*size, [sheet.styles[one] for one in used.tolist()], found)

    def _of_grid(self, grid: Grid, wanted: Rect, most: int = MOST_CELLS) -> Window:
        roles = self.roles(grid)
        down = np.flatnonzero((grid.row_of >= wanted.top) & (grid.row_of <= wanted.bottom))
        across = np.flatnonzero((grid.column_of >= wanted.left) & (grid.column_of <= wanted.right))
        shown = [(int(r), int(c)) for r in down for c in across if not grid.covered[r, c]][:most]
        pages = _pages(grid)
        told = roles.at(
            np.array([grid.row_of[r] for r, _ in shown], dtype=np.int32),
            np.array([grid.column_of[c] for _, c in shown], dtype=np.int32),
        ) if shown else []  # fmt: skip
        found = []
        for (r, c), (role, owner, lost) in zip(shown, told, strict=True):
            high, wide = grid.span_at.get((r, c), (1, 1))
            box = None if grid.boxes is None or np.isnan(grid.boxes[r, c, 0]) else tuple(grid.boxes[r, c].tolist())
            found.append(
                Cell(
                    int(grid.row_of[r]), int(grid.column_of[c]), str(grid.text[r, c]), int(grid.style[r, c]), role,
                    owner, kind=_KINDS.get(int(grid.content[r, c])), down=high, across=wide, page=pages.get(r), box=box,
                    lost=lost,
                )
            )  # fmt: skip
        return Window(int(grid.row_of[-1]) + 1, int(grid.column_of[-1]) + 1, list(grid.styles), found)


def list_surfaces(drawn: Surfaces) -> tuple[list[Whole], dict[str, int]]:
    """All that tables stand on, each once, and which of them each table stands on."""
    found: list[Whole] = []
    known: dict[Any, int] = {}
    surface_of: dict[str, int] = {}
    for table in drawn.extraction.tables:
        on_sheet = table.grid.medium == "spreadsheet" and drawn.sheet(table.place.sheet) is not None
        key = table.place.sheet if on_sheet else id(table.grid)
        if key not in known:
            known[key] = len(found)
            found.append(drawn.whole(table))
        surface_of[table.id] = known[key]
    return found, surface_of


def describe_sheet(sheet: Sheet) -> dict[str, Any]:
    """How a sheet is laid out."""
    rows, columns = _size(sheet)
    return {
        "name": sheet.name,
        "rows": rows,
        "columns": columns,
        "widths": {str(column): width for column, width in sheet.column_widths.items() if column < columns},
        "hidden_rows": sorted(row for row in sheet.hidden_rows if row < rows),
        "hidden_columns": sorted(column for column in sheet.hidden_columns if column < columns),
    }


def describe_pages(table: Table, extraction: Extraction) -> list[dict[str, Any]]:
    """The printed pages that a table stands on, with their sizes in points."""
    numbers = [part.place.page for part in table.grid.parts] or [table.place.page]
    wanted = {number for number in numbers if number is not None}
    if not wanted or extraction.document.medium != "pdf":
        return []
    pages = extraction.document.pages
    found = (pages[number - 1] for number in sorted(wanted) if number <= len(pages))
    return [
        {"number": page.number, "width": page.width, "height": page.height}
        for page in found
        if isinstance(page, PrintedPage)
    ]


def _size(sheet: Sheet) -> tuple[int, int]:
    cells = sheet.cells
    if not len(cells):
        return 1, 1
    return int(cells.row[-1]) + 1, int(cells.column.max()) + 1


def _covered(rows: NDArray[np.int32], columns: NDArray[np.int32], merges: Sequence[Rect]) -> NDArray[np.bool_]:
    """Which of some cells, in the order of their rows, lie under a merged one that speaks for them."""
    found = np.zeros(len(rows), dtype=bool)
    for one in merges:
        first, last = np.searchsorted(rows, [one.top, one.bottom + 1])
        across = columns[first:last]
        own = (rows[first:last] == one.top) & (across == one.left)
        found[first:last] |= (across >= one.left) & (across <= one.right) & ~own
    return found


def _meet(one: Rect, other: Rect) -> bool:
    return one.top <= other.bottom and one.bottom >= other.top and one.left <= other.right and one.right >= other.left


def _grids(extraction: Extraction) -> list[Grid]:
    found: dict[int, Grid] = {}
    for table in extraction.tables:
        found[id(table.grid)] = table.grid
    return list(found.values())


def _pages(grid: Grid) -> dict[int, int]:
    """The page of each row of a printed grid."""

    def pairs() -> Iterator[tuple[int, int]]:
        for part in grid.parts:
            for row in range(part.rows[0], part.rows[1] + 1):
                if part.place.page is not None:
                    yield row, part.place.page

    if grid.parts:
        return dict(pairs())
    return dict.fromkeys(range(grid.shape[0]), grid.place.page) if grid.place.page is not None else {}
