"""The end product: a table with its header trees, its tuples and its metadata.

The metadata are independent of the medium, in six categories (Liu, Mitra, Giles, Bai 2006).

`Paths` are the labels of a row or a column, from the outermost to the nearest, made when they are asked for: a relation
of a million rows would otherwise hold a million paths that nobody may ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from typing import Literal, NamedTuple, Self, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Issue
from tabellion.model.frame import CellRole, Frame, HeaderNode, HeaderTree, Nested, Orientation, RowRole
from tabellion.model.grid import Grid
from tabellion.model.place import Place

__all__ = ["Bound", "CellRole", "HeaderNode", "Path", "Quantity", "RowRole", "Table", "Tuple", "Tuples"]


class Environment(msgspec.Struct, frozen=True):
    """The document around the table."""

    document_type: str | None = None
    document_address: str | None = None
    document_name: str | None = None
    document_authors: tuple[str, ...] = ()
    page_number: int | None = None
    page_columns: int | None = None
    start: str | None = None


class FrameLines(msgspec.Struct, frozen=True):
    """The outer border: all, top-bottom, none, or the sides that are drawn."""

    outer_ruling: str | None = None


class Affiliated(msgspec.Struct, frozen=True):
    """What belongs to the table but lies outside its grid."""

    index_number: str | None = None
    caption: str | None = None
    caption_position: Literal["above", "below", "none"] | None = None
    footnotes: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


class Layout(msgspec.Struct, frozen=True):
    """Sizes, separators and headers."""

    width: float | None = None
    length: float | None = None
    rows: int | None = None
    columns: int | None = None
    stub_separator: str | None = None
    boxhead_separator: str | None = None
    column_widths: tuple[float, ...] | None = None
    row_heights: tuple[float, ...] | None = None
    column_headers: tuple[str, ...] = ()
    row_headers: tuple[str, ...] = ()
    alignment: tuple[str, ...] = ()


class ContentCount(msgspec.Struct, frozen=True):
    """How many cells there are and how many are filled."""

    cells: int = 0
    filled: int = 0


class TableType(msgspec.Struct, frozen=True):
    """What the cells mostly hold."""

    kind: Literal["numerical", "text", "symbol", "image", "combination"] | None = None


class Metadata(msgspec.Struct, frozen=True):
    """The six categories of table metadata."""

    environment: Environment = Environment()
    frame: FrameLines = FrameLines()
    affiliated: Affiliated = Affiliated()
    layout: Layout = Layout()
    content: ContentCount = ContentCount()
    type: TableType = TableType()


Bound = Literal["<", "≤", ">", "≥"]


class Quantity(NamedTuple):
    """A number that is not plain, and what its text says of how far it can be off; a range has no number."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    bound: Bound | None = None


_PLAIN = Quantity()


class Tuple(msgspec.Struct, frozen=True):
    """One value with its headers, unit, notes and place. `row` and `column` are those of the source."""

    row: int
    column: int
    address: str
    text: str
    value: float | int | str | None
    unit: str | None
    top: tuple[str, ...]
    left: tuple[str, ...]
    notes: tuple[str, ...]
    confidence: float
    top_cells: tuple[tuple[int, int], ...]
    left_cells: tuple[tuple[int, int], ...]
    low: float | None = None
    high: float | None = None
    error: float | None = None
    bound: Bound | None = None


class Path(msgspec.Struct, frozen=True):
    """The labels of one row or column, outermost first, with the source cells that hold them."""

    labels: tuple[str, ...] = ()
    cells: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()


class Tuples(Sequence[Tuple]):
    """The tuples of a table, one per value: columnar inside, a `Tuple` on demand.

    A value's paths are those of its row and of its column, so a million tuples cost a few arrays and
    one path per row and per column. Row and column indices inside are the grid's.
    """

    def __init__(
        self,
        grid: Grid,
        rows: NDArray[np.int32],
        columns: NDArray[np.int32],
        row_paths: Mapping[int, Path],
        column_paths: Mapping[int, Path],
        unit_ids: NDArray[np.int16],
        units: tuple[str | None, ...],
        confidence: float,
        note_texts: Mapping[str, str] | None = None,  # note mark -> what the note says
        quantities: Mapping[int, Quantity] | None = None,  # flat cell index -> a number that is not plain
    ) -> None:
        self.grid = grid
        self.rows, self.columns = rows, columns
        self.row_paths, self.column_paths = row_paths, column_paths
        self.unit_ids, self.units = unit_ids, units
        self.confidence = confidence
        self.note_texts = note_texts or {}
        self.quantities = quantities or {}

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Tuple: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Tuple]: ...
    def __getitem__(self, index: int | slice) -> Tuple | Sequence[Tuple]:
        if isinstance(index, slice):
            return [self._make(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self._make(index % len(self))

    def __iter__(self) -> Iterator[Tuple]:
        return map(self._make, range(len(self)))

    def at(self, address: str) -> Tuple | None:
        """The tuple of a cell by its A1 address, or None."""
        for i, (row, column) in enumerate(zip(self.rows.tolist(), self.columns.tolist(), strict=True)):
            if self.grid.address(row, column) == address:
                return self._make(i)
        return None

    def part(self, start: int, end: int) -> Self:
        """Some of the tuples, in their order."""
        other = copy(self)
        some = slice(start, end)
        other.rows, other.columns, other.unit_ids = self.rows[some], self.columns[some], self.unit_ids[some]
        return other

    def trusted(self, confidence: float) -> Self:
        """The same tuples with another confidence."""
        other = copy(self)
        other.confidence = confidence
        return other

    def notes_of(self, row: int, column: int) -> tuple[str, ...]:
        """The notes on a value of the grid and on its labels, each once."""
        marks = self.grid.notes.get(row * self.grid.shape[1] + column, ())
        own = (self.note_texts.get(mark, mark) for mark in marks)
        labels = (*self.row_paths.get(row, Path()).notes, *self.column_paths.get(column, Path()).notes)
        return tuple(dict.fromkeys((*own, *labels))) if marks or labels else ()

    def quantity_of(self, row: int, column: int) -> Quantity:
        """The error, range or bound in the text of a value; empty for a plain number."""
        return self.quantities.get(row * self.grid.shape[1] + column, _PLAIN)

    def _make(self, index: int) -> Tuple:
        row, column = int(self.rows[index]), int(self.columns[index])
        grid = self.grid
        _, low, high, error, bound = self.quantity_of(row, column)
        top, left = self.column_paths.get(column, Path()), self.row_paths.get(row, Path())
        return Tuple(
            row=int(grid.row_of[row]),
            column=int(grid.column_of[column]),
            address=grid.address(row, column),
            text=grid.text[row, column],
            value=grid.value(row, column),
            unit=self.units[self.unit_ids[index]],
            top=top.labels,
            left=left.labels,
            notes=self.notes_of(row, column),
            confidence=self.confidence,
            top_cells=top.cells,
            left_cells=left.cells,
            low=low,
            high=high,
            error=error,
            bound=bound,
        )


class Table(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A table read to the end: frame, header trees, tuples and metadata.

    Each product of the way there stays reachable: `nested`, `frame`, `grid`. The metadata is made when it is first
    asked for, by `describe`.
    """

    id: str
    place: Place
    nested: Nested
    tuples: Tuples
    describe: Callable[[], Metadata]
    title: str | None = None
    continues: str | None = None  # the id of the table on the page before that this one goes on with
    issues: tuple[Issue, ...] = ()

    @property
    def metadata(self) -> Metadata:
        memory: dict[str, Metadata] = self.__dict__
        if "metadata" not in memory:
            memory["metadata"] = self.describe()
        return memory["metadata"]

    def with_metadata(self, metadata: Metadata) -> Self:
        """The same table described otherwise."""
        return msgspec.structs.replace(self, describe=lambda: metadata)

    @property
    def frame(self) -> Frame:
        return self.nested.frame

    @property
    def grid(self) -> Grid:
        return self.nested.frame.grid

    @property
    def top(self) -> HeaderTree:
        return self.nested.top

    @property
    def left(self) -> HeaderTree:
        return self.nested.left

    @property
    def orientation(self) -> Orientation:
        return self.frame.orientation

    @property
    def genuine(self) -> float:
        return self.frame.genuine

    @property
    def confidence(self) -> float:
        return self.frame.confidence


_KEPT = 5_000  # lines whose paths are remembered; of longer tables the last one is: values are read row by row


class Paths(Mapping[int, Path]):
    """Line of the grid -> path."""

    def __init__(
        self, grid: Grid, tree: HeaderTree, nearest: Mapping[int, tuple[int, ...]], note_texts: Mapping[str, str]
    ) -> None:
        self.grid, self.tree, self.nearest, self.note_texts = grid, tree, nearest, note_texts
        self._held: dict[int, Path] = {}

    def __getitem__(self, line: int) -> Path:
        path = self._held.get(line)
        if path is None:
            if len(self.nearest) > _KEPT:
                self._held.clear()
            path = self._held[line] = self._build(self.nearest[line])
        return path

    def __iter__(self) -> Iterator[int]:
        return iter(self.nearest)

    def __len__(self) -> int:
        return len(self.nearest)

    def roots(self, lines: Iterable[int]) -> list[HeaderNode] | None:
        """The one node of each line, where no line has more and none stands under another: a plain list of names."""
        nodes, nearest = self.tree.nodes, self.nearest
        held = [nearest.get(line, ()) for line in lines]
        if any(len(one) != 1 for one in held):
            return None
        found = [nodes[one[0]] for one in held]
        return None if any(node.parent is not None or len(node.cells) != 1 for node in found) else found

    def nodes(self, line: int) -> list[HeaderNode]:
        """The nodes that label a line: each branch outermost first, branches in the order of their columns."""
        branches = (self.tree.path(node) for node in self.nearest.get(line, ()))
        return list({node.id: node for branch in branches for node in branch}.values())

    def _build(self, nearest: tuple[int, ...]) -> Path:
        if len(nearest) == 1:
            nodes = list(self.tree.path(nearest[0]))
        else:
            nodes = list({node.id: node for one in nearest for node in self.tree.path(one)}.values())
        return Path(
            labels=tuple(node.text for node in nodes),
            cells=tuple(self._source(*node.cells[0]) for node in nodes if node.cells),
            notes=tuple(self.note_texts.get(mark, mark) for node in nodes for mark in self._marks(node)),
        )

    def _marks(self, node: HeaderNode) -> tuple[str, ...]:
        if not self.grid.notes:
            return node.notes
        width = self.grid.shape[1]
        written = (mark for row, column in node.cells for mark in self.grid.notes.get(row * width + column, ()))
        return tuple(dict.fromkeys((*node.notes, *written)))

    def _source(self, row: int, column: int) -> tuple[int, int]:
        return int(self.grid.row_of[row]), int(self.grid.column_of[column])
