"""What people said of one grid, in the grid's own rows and columns: what the stages take as given.

A value of a stage's own that contradicts one of these gives way. `left` and `top` hold the parent of a header by its
first cell, None at the root. Things said of a table name its rectangle: it is the frame that shares most of it.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from tabellion.model.place import Rect
from tabellion.model.roles import CellRole, ColumnRole, Orientation, RowRole

Cell = tuple[int, int]
Side = Literal["top", "bottom", "left", "right"]
Axis = Literal["row", "column"]
Wording = Literal["title", "caption", "unit", "note"]


class FixedColumn(msgspec.Struct, frozen=True):
    """The role of a column of a table."""

    table: Rect
    column: int
    role: ColumnRole


class FixedEdge(msgspec.Struct, frozen=True):
    """The last line of a table at one side."""

    table: Rect
    side: Side
    line: int


class FixedCut(msgspec.Struct, frozen=True):
    """Whether a table ends before a line and another begins there."""

    axis: Axis
    line: int
    parted: bool


class FixedOrientation(msgspec.Struct, frozen=True):
    """The direction of a table."""

    table: Rect
    orientation: Orientation


class FixedTable(msgspec.Struct, frozen=True):
    """Whether there is a table."""

    table: Rect
    genuine: bool


class FixedText(msgspec.Struct, frozen=True):
    """A title, caption, unit or note of a table, or of the cells of an area; None takes it away."""

    what: Wording
    area: Rect
    text: str | None


class Fixes(msgspec.Struct, frozen=True):
    """All that is given of a grid. `follow`: whether what looks like a given parent follows it."""

    rows: dict[int, RowRole] = {}
    columns: tuple[FixedColumn, ...] = ()
    cells: dict[Cell, CellRole] = {}
    left: dict[Cell, Cell | None] = {}
    top: dict[Cell, Cell | None] = {}
    edges: tuple[FixedEdge, ...] = ()
    cuts: tuple[FixedCut, ...] = ()
    orientations: tuple[FixedOrientation, ...] = ()
    tables: tuple[FixedTable, ...] = ()
    texts: tuple[FixedText, ...] = ()
    follow: bool = True

    def of_labels(self) -> Fixes:
        """What labelling depends on."""
        return Fixes(
            rows=self.rows,
            columns=self.columns,
            edges=self.edges,
            cuts=self.cuts,
            orientations=self.orientations,
            tables=self.tables,
        )


NOTHING = Fixes()
"""Nobody said anything."""
