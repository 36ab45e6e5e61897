"""Places of a source in the rows and columns of a grid, and back.

In: spots and areas in the source's own rows and columns. Out: the same in a grid's, or None where the grid does not
hold them. A grid leaves out long blank runs of a sheet, so the two differ.
"""

from __future__ import annotations

import msgspec
import numpy as np

from tabellion.model.correction import Area, Spot
from tabellion.model.grid import Grid
from tabellion.model.place import Place, Rect

_LONGEST = 120  # letters of a label that a place keeps
_APART = 2.0  # points by which two boxes of one region may differ


def region_place(place: Place) -> Place:
    """The part of a place that names a region: a sheet, an element of a page, a box of a printed page."""
    return msgspec.structs.replace(place, range=None)


def same_region(one: Place, other: Place) -> bool:
    """Whether two places are of the same sheet, element, or box."""
    if (one.sheet, one.page, one.table_index) != (other.sheet, other.page, other.table_index):
        return False
    if one.box and other.box:
        return all(abs(a - b) <= _APART for a, b in zip(one.box, other.box, strict=True))
    return one.path == other.path


class Places:
    """The rows and columns of a source in one grid."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._row = {int(row): place for place, row in reversed(list(enumerate(grid.row_of)))}
        self._column = {int(column): place for place, column in reversed(list(enumerate(grid.column_of)))}

    def row(self, row: int | None) -> int | None:
        return None if row is None else self._row.get(row)

    def column(self, column: int | None) -> int | None:
        return None if column is None else self._column.get(column)

    def cell(self, spot: Spot) -> tuple[int, int] | None:
        """The grid's cell at a spot; of a merged area its first."""
        row, column = self.row(spot.row), self.column(spot.column)
        if row is None or column is None:
            return None
        home = int(self.grid.home[row, column])
        return divmod(home, self.grid.shape[1])

    def rect(self, area: Rect) -> Rect | None:
        """The part of an area that the grid holds."""
        rows = np.flatnonzero((self.grid.row_of >= area.top) & (self.grid.row_of <= area.bottom))
        columns = np.flatnonzero((self.grid.column_of >= area.left) & (self.grid.column_of <= area.right))
        if not len(rows) or not len(columns):
            return None
        return Rect(int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1]))

    def spot(self, row: int | None = None, column: int | None = None) -> Spot:
        """The source's cell, row or column of the grid's, with what it says."""
        return Spot(
            None if row is None else int(self.grid.row_of[row]),
            None if column is None else int(self.grid.column_of[column]),
            self.words(row, column),
        )

    def area(self, rect: Rect) -> Area:
        """The source's area of the grid's, with the first words in it."""
        source = self.grid.source_rect(rect)
        inside = self.grid.label[rect.top : rect.bottom + 1, rect.left : rect.right + 1]
        return Area(*source, text=_first(inside.ravel()))

    def words(self, row: int | None, column: int | None) -> str:
        if row is not None and column is not None:
            return _short(self.grid.label[row, column])
        if row is not None:
            return _first(self.grid.label[row])
        return _first(self.grid.label[:, column]) if column is not None else ""


def _first(labels: np.ndarray[tuple[int, ...], np.dtype[np.object_]]) -> str:
    return next((_short(label) for label in labels if label), "")


def _short(label: object) -> str:
    return " ".join(str(label).split())[:_LONGEST]
