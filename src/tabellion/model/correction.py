"""What people said of a table: corrections in the log, and fixes that the stages keep.

Corrections: what a person says of a table, as small typed operations that can be turned round. Every operation names
its place, what was there (`was`) and what shall be there (`to`); so its opposite is the same operation with the two
exchanged, and two that speak of the same thing can be compared. Rows and columns are the source's own, from 0: a
sheet's, or those of the table for other media. Each place carries the words that stood there, by which it is found
again in another edition of the document.

What people said of one grid, in the grid's own rows and columns: what the stages take as given. A value of a stage's
own that contradicts one of these gives way. `left` and `top` hold the parent of a header by its first cell, None at the
root. Things said of a table name its rectangle: it is the frame that shares most of it.

Corrections as JSON: written out whole, taken in whole or as bare operations. In: corrections. Out: bytes, and back. A
bare operation (`{"do": "row-role", "row": {"row": 3}, "to": "header"}`) is meant for the table at hand and gets its
`was`, its author and its time when it is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypeVar

import msgspec

from tabellion.errors import RepairError
from tabellion.model.grid import CellRole, ColumnRole, Orientation, RowRole
from tabellion.model.place import Place, Rect

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


class Spot(msgspec.Struct, frozen=True, omit_defaults=True):
    """A cell, a row or a column, and what it says: the cell's label, or the first label of the line."""

    row: int | None = None
    column: int | None = None
    text: str = ""

    @property
    def at(self) -> tuple[int | None, int | None]:
        return self.row, self.column


class Area(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rectangle of cells, both ends included, and the first words in it."""

    top: int
    left: int
    bottom: int
    right: int
    text: str = ""

    @property
    def rect(self) -> Rect:
        return Rect(self.top, self.left, self.bottom, self.right)


class Operation(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="do"):
    """The base of all operations but the undoing of one."""


class MoveHeader(Operation, frozen=True, tag="move-header"):
    """A header stands under another one; None: under none."""

    side: Literal["left", "top"]
    header: Spot
    to: Spot | None = None
    was: Spot | None = None


class GiveRowRole(Operation, frozen=True, tag="row-role"):
    """A row is for this."""

    row: Spot
    to: RowRole
    was: RowRole | None = None


class GiveColumnRole(Operation, frozen=True, tag="column-role"):
    """A column of a table labels its rows, or holds values."""

    table: Area
    column: Spot
    to: ColumnRole
    was: ColumnRole | None = None


class GiveCellRole(Operation, frozen=True, tag="cell-role"):
    """A cell is for this."""

    cell: Spot
    to: CellRole
    was: CellRole | None = None


class MoveEdge(Operation, frozen=True, tag="edge"):
    """A table, or the region around it, ends with this row or column."""

    table: Area
    side: Side
    to: Spot
    was: Spot | None = None
    of: Literal["frame", "region"] = "frame"


class CutTables(Operation, frozen=True, tag="cut"):
    """One table ends before this line and another begins with it (to: true), or both are one (to: false)."""

    at: Spot
    to: bool
    was: bool | None = None


class JoinLines(Operation, frozen=True, tag="join-lines"):
    """Rows, or columns, from the first to the last are one."""

    first: Spot
    last: Spot
    to: bool
    was: bool | None = None


class PartLine(Operation, frozen=True, tag="part-line"):
    """The cells of a row, or column, hold several lines of text, each of which is a row (a column) of its own."""

    line: Spot
    to: bool
    was: bool | None = None


class JoinCells(Operation, frozen=True, tag="join-cells"):
    """The cells of an area are one, or a merged cell is several."""

    area: Area
    to: bool
    was: bool | None = None


class Orient(Operation, frozen=True, tag="orientation"):
    """Where the headers of a table are."""

    table: Area
    to: Orientation
    was: Orientation | None = None


class SayTable(Operation, frozen=True, tag="table"):
    """This is, or is not, a table."""

    table: Area
    to: bool
    was: bool | None = None


class SayText(Operation, frozen=True, tag="text"):
    """The title or caption of a table; the unit or the note of a table, or of some of its cells."""

    what: Wording
    area: Area
    to: str | None = None
    was: str | None = None


class SameLabel(Operation, frozen=True, tag="same-label"):
    """A label of the document is another name for one that other tables have; joins take the two as one."""

    label: str
    to: str | None = None
    was: str | None = None


class Undo(msgspec.Struct, frozen=True, tag_field="do", tag="undo"):
    """An earlier correction does not hold any more; where that was an undoing, what it undid holds again."""

    correction: str


Saying: TypeAlias = (
    MoveHeader
    | GiveRowRole
    | GiveColumnRole
    | GiveCellRole
    | MoveEdge
    | CutTables
    | JoinLines
    | PartLine
    | JoinCells
    | Orient
    | SayTable
    | SayText
    | SameLabel
)


class Correction(msgspec.Struct, frozen=True, omit_defaults=True):
    """An operation in the log: who said it, when, of which edition of the document (by hash), and where in it.

    `like` is the correction that this one was proposed after, where it was.
    """

    id: str
    operation: Saying | Undo
    place: Place
    sha256: str
    author: str | None = None
    made: str = ""
    like: str | None = None


Said = TypeVar("Said", bound=Operation)


def opposite(operation: Said) -> Said:
    """The operation that takes another one back.

    >>> opposite(GiveRowRole(Spot(row=3), to="header", was="title"))
    GiveRowRole(row=Spot(row=3, column=None, text=''), to='title', was='header')
    """
    return msgspec.structs.replace(operation, to=operation.was, was=operation.to)  # type: ignore[attr-defined]


def axis_of(line: Spot) -> Axis:
    """Whether a spot names a row or a column."""
    return "column" if line.row is None else "row"


FORMAT = 1


class CorrectionsFile(msgspec.Struct, frozen=True):
    """The corrections of a document."""

    corrections: tuple[Correction, ...]
    format: int = FORMAT
    source: str | None = None


def write_corrections(corrections: Sequence[Correction], source: str | None = None) -> bytes:
    """Corrections as JSON."""
    return (
        msgspec.json.format(msgspec.json.encode(CorrectionsFile(tuple(corrections), source=source)), indent=1) + b"\n"
    )


def read_corrections(data: bytes) -> list[Correction | Saying | Undo]:
    """Corrections, or bare operations, from JSON: an export, or a list of either."""
    try:
        raw = msgspec.json.decode(data)
        entries = raw.get("corrections") if isinstance(raw, dict) else raw
        if not isinstance(entries, list):
            raise RepairError('not corrections: a list is wanted, or an object with "corrections"')
        return [_entry(number, entry) for number, entry in enumerate(entries, 1)]
    except msgspec.DecodeError as error:
        raise RepairError(f"not corrections: {error}") from None


def read_operation(raw: object) -> Saying | Undo:
    """A bare operation from what JSON says."""
    try:
        found: Saying | Undo = msgspec.convert(raw, Saying | Undo)
    except msgspec.ValidationError as error:
        raise RepairError(f"no operation: {error}") from None
    return found


def _entry(number: int, entry: object) -> Correction | Saying | Undo:
    try:
        if isinstance(entry, dict) and "operation" in entry:
            return msgspec.convert(entry, Correction)
        return read_operation(entry)
    except (msgspec.ValidationError, RepairError) as error:
        raise RepairError(f"correction {number}: {error}") from None
