"""What labelling and nesting give: the role of each row, the frames of a grid, and their header trees."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.correction import NOTHING, Fixes
from tabellion.model.document import Issue
from tabellion.model.grid import ROW_ROLES as ROW_ROLES
from tabellion.model.grid import CellRole as CellRole
from tabellion.model.grid import Grid
from tabellion.model.grid import Orientation as Orientation
from tabellion.model.grid import RowRole as RowRole
from tabellion.model.grid import SheetKind as SheetKind
from tabellion.model.place import Rect
from tabellion.model.stated import StatedTable


class RowLabels(msgspec.Struct, frozen=True, eq=False):
    """The role of every row of a grid, with the probability of each role (columns as in ROW_ROLES)."""

    grid: Grid
    roles: tuple[RowRole, ...]
    probability: NDArray[np.float64]


class Frame(msgspec.Struct, frozen=True, eq=False):
    """One data frame of a grid: top, left and value regions (Chen and Cafarella 2013, section 2.1).

    Rows and columns are the grid's. `rect` covers headers, stub and values. `stub_columns` may lie at
    the right as well: a right-hand stub extends the left one. `title_rows` and `note_rows` belong to
    the frame but lie outside `rect`. `keyed`: the stub is a field like the others whose texts name the rows (the
    key of a relation), so it counts as no header. `fixes` is what people said of the grid, for the stages that follow.
    """

    labels: RowLabels
    rect: Rect
    header_rows: tuple[int, ...]
    body_rows: tuple[int, ...]
    stub_columns: tuple[int, ...]
    value_columns: tuple[int, ...]
    title_rows: tuple[int, ...] = ()
    note_rows: tuple[int, ...] = ()
    orientation: Orientation = "row-column"
    genuine: float = 1.0
    confidence: float = 1.0
    keyed: bool = False
    fixes: Fixes = NOTHING
    stated: StatedTable | None = None  # what the source itself says of it
    lead: tuple[float, float] = (0.0, 0.0)  # log-odds by which its upper and lower edge fit better than others
    stub_odds: tuple[float, ...] = ()  # of each column of `rect` the probability to be a stub, where that was asked

    @property
    def grid(self) -> Grid:
        return self.labels.grid

    @property
    def fields(self) -> tuple[int, ...]:
        """The columns whose cells are values, in their order: the key of a relation is of its fields too.

        Where no markup says what a cell is the stub stands first, so the first column of a key is no field there.
        """
        key = self.stub_columns[self.grid.undeclared :] if self.keyed else ()
        return tuple(sorted((*key, *self.value_columns))) if key else self.value_columns


class Labelled(msgspec.Struct, frozen=True, eq=False):
    """A grid with its rows labelled and its frames found; `kind` is the sheet's type of section 2.2."""

    labels: RowLabels
    frames: tuple[Frame, ...]
    kind: SheetKind
    kind_probability: float
    issues: tuple[Issue, ...] = ()
    why: tuple[tuple[str, float], ...] = ()  # what weighed most for the kind, where plain observations tell it


class HeaderNode(msgspec.Struct, frozen=True, gc=False):
    """One header. `cells` are [row, column] pairs of the grid; the first identifies the node."""

    id: int
    text: str
    parent: int | None
    cells: tuple[tuple[int, int], ...]
    probability: float = 1.0
    notes: tuple[str, ...] = ()


class HeaderTree(msgspec.Struct, frozen=True):
    """The headers of one side, parents before children; node i has id i.

    Row headers of several columns are a forest: each column has trees of its own, and a row's path
    joins one branch of each.
    """

    nodes: tuple[HeaderNode, ...] = ()

    def path(self, node: int) -> tuple[HeaderNode, ...]:
        """The node and its ancestors, outermost first."""
        found: list[HeaderNode] = []
        at: int | None = node
        while at is not None:
            found.append(self.nodes[at])
            at = self.nodes[at].parent
        return tuple(reversed(found))

    def children(self, node: int | None) -> Iterator[HeaderNode]:
        """The children of a node, or the roots for None."""
        return (n for n in self.nodes if n.parent == node)

    def depth(self) -> int:
        """How many levels there are."""
        levels: list[int] = []
        for node in self.nodes:
            levels.append(1 if node.parent is None else levels[node.parent] + 1)
        return max(levels, default=0)


class Nested(msgspec.Struct, frozen=True, eq=False):
    """A frame with its two header trees and what they say of each row and column.

    `column_nodes` gives the nearest top nodes of each value column, `row_nodes` the nearest left
    nodes of each body row, one for each stub column that labels it. Where group rows restart the
    columns' meaning inside the body they are left nodes.
    """

    frame: Frame
    top: HeaderTree
    left: HeaderTree
    column_nodes: dict[int, tuple[int, ...]]
    row_nodes: dict[int, tuple[int, ...]]
