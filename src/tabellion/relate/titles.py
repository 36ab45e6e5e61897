"""The titles of a table, the names of the levels of its header trees, and the words that people gave it.

Which texts above (or below) a table are its titles, where tables stand side by side. In: a frame. Out: its title lines.
A table that has its rows to itself takes all texts of its title rows. Beside another table it takes the texts over its
own columns; a text alone in its row over the other's columns speaks of both only if that other has a title of its own,
or if this one has none. Fails where a title begins over the table before its own.

Titles, captions, units and notes of a table as people said them. In: a table, whose frame carries what is given. Out:
the same with those words. A note of single cells is part of the grid already; here are those of the table as a whole.

The names of the levels, where the table gives them. In: a nested frame. Out: for each level of the paths at the left,
outermost first, the head over the stub column that it stands in ("Bank Name"), and for each level on top what names it
in the corner ("Year:"). A stub column with several levels names the nearest of them; None where nothing names a level.
Fails where one head names several levels at once.
"""

from __future__ import annotations

from itertools import islice, pairwise
from typing import NamedTuple

import msgspec
import numpy as np

from tabellion.model.correction import FixedText
from tabellion.model.frame import Frame
from tabellion.model.place import Rect, common_share
from tabellion.model.table import Affiliated, Table, Tuples
from tabellion.model.tree import Nested

WHOLE = 0.5  # the share of a table from which on an area means the table


def say_texts(table: Table) -> Table:
    """The table with all texts that are given of it."""
    for said in table.frame.fixes.texts:
        whole = covers_table(said.area, table)
        if said.what == "unit" and common_share(said.area, table.frame.rect) > 0:
            table = msgspec.structs.replace(table, tuples=_with_unit(table.tuples, said))
        elif whole and said.what == "title":
            table = msgspec.structs.replace(table, title=said.text)
        elif whole and said.what in ("caption", "note"):
            affiliated = _affiliated(table.metadata.affiliated, said)
            metadata = msgspec.structs.replace(table.metadata, affiliated=affiliated)
            table = table.with_metadata(metadata)
    return table


def _affiliated(known: Affiliated, said: FixedText) -> Affiliated:
    if said.what == "note":
        return msgspec.structs.replace(known, footnotes=tuple(said.text.split("\n")) if said.text else ())
    above = known.caption_position in (None, "none") and said.text
    return msgspec.structs.replace(
        known, caption=said.text, caption_position="above" if above else known.caption_position
    )


def covers_table(area: Rect, table: Table) -> bool:
    """Whether an area means a whole table."""
    return common_share(area, table.frame.rect) >= WHOLE


def _with_unit(tuples: Tuples, said: FixedText) -> Tuples:
    area = said.area
    rows = (tuples.rows >= area.top) & (tuples.rows <= area.bottom)
    inside = rows & (tuples.columns >= area.left) & (tuples.columns <= area.right)
    units = (*tuples.units, said.text)
    return Tuples(
        grid=tuples.grid,
        rows=tuples.rows,
        columns=tuples.columns,
        row_paths=tuples.row_paths,
        column_paths=tuples.column_paths,
        unit_ids=np.where(inside, np.int16(len(units) - 1), tuples.unit_ids).astype(np.int16),
        units=units,
        confidence=tuples.confidence,
        note_texts=tuples.note_texts,
    )


_NEIGHBOUR = 2  # columns, and rows in each, that make a table of what stands beside


class TitleLine(NamedTuple):
    """The columns of the texts of a title row that speak of a table; whether the row has titles of others too."""

    row: int
    columns: list[int]
    shared: bool = False


def title_cells(frame: Frame) -> list[TitleLine]:
    """The title rows with the columns whose texts speak of the table."""
    if not frame.title_rows:
        return []
    rows = {row: np.flatnonzero(frame.grid.filled[row]).tolist() for row in frame.title_rows}
    before, after = has_neighbours(frame)
    if not (before or after):
        return [TitleLine(row, columns) for row, columns in rows.items()]
    own = {row: [c for c in columns if _stands_over(frame, row, c, before, after)] for row, columns in rows.items()}
    shared = {row for row, columns in rows.items() if own[row] and len(own[row]) < len(columns)}
    if not any(own.values()):
        return [TitleLine(row, columns) for row, columns in rows.items()]
    return [TitleLine(row, own[row] or columns, row in shared) for row, columns in rows.items() if own[row] or shared]


def title_lines(frame: Frame) -> list[str]:
    """The texts of the titles, a line each, what the source calls the table first."""
    return [line for line in (" ".join((frame.grid.caption or "").split()), *_texts(frame, title_cells(frame))) if line]


def naming_lines(frame: Frame) -> list[str]:
    """The title lines, those first that tell the table from its neighbours."""
    cells = title_cells(frame)
    telling = _texts(frame, [line for line in cells if line.shared])
    return [*telling, *title_lines(frame)]


def has_neighbours(frame: Frame) -> tuple[bool, bool]:
    """Whether a table stands beside the frame in its rows: at the left, at the right."""
    rect = frame.rect
    counts = frame.grid.filled[rect.top : rect.bottom + 1].sum(axis=0)
    busy = counts >= _NEIGHBOUR
    return int(busy[: rect.left].sum()) >= _NEIGHBOUR, int(busy[rect.right + 1 :].sum()) >= _NEIGHBOUR


def _stands_over(frame: Frame, row: int, column: int, before: bool, after: bool) -> bool:
    """Whether a text stands over the frame's columns, or where no other table is."""
    last = column + frame.grid.span_at.get((row, column), (1, 1))[1] - 1
    return (last >= frame.rect.left or not before) and (column <= frame.rect.right or not after)


def _texts(frame: Frame, lines: list[TitleLine]) -> list[str]:
    grid = frame.grid
    texts = (" ".join(str(grid.label[line.row, column]) for column in line.columns) for line in lines)
    return [text for text in (" ".join(text.split()) for text in texts) if text]


_LOOKED_AT = 1_000  # rows: longer tables do not nest deeper further down


def name_left_levels(nested: Nested) -> tuple[str | None, ...]:
    """One name or None for each level of the paths at the left."""
    frame, longest = nested.frame, list[int]()
    for held in islice(nested.row_nodes.values(), _LOOKED_AT):
        nodes = {node.id: node for one in held for node in nested.left.path(one)}.values()
        columns = [node.cells[0][1] for node in nodes if node.cells]
        longest = max(longest, columns, key=len)
    last = [column != after for column, after in pairwise([*longest, -1])]  # the nearest level of its column
    return tuple(
        _head(nested, column) if nearest and column in frame.stub_columns else None
        for column, nearest in zip(longest, last, strict=True)
    )


def name_top_levels(nested: Nested) -> tuple[str | None, ...]:
    """One name or None for each level of the paths on top: a corner that ends with a colon names its row."""
    frame, depth = nested.frame, nested.top.depth()
    if len(frame.header_rows) != depth or not frame.stub_columns:
        return (None,) * depth
    corners = [str(frame.grid.label[row, frame.stub_columns[-1]]) for row in frame.header_rows]
    return tuple(corner.rstrip(": ") if corner.endswith(":") else None for corner in corners)


def _head(nested: Nested, column: int) -> str | None:
    """What stands over a column in the head, each text once, without rows of the head that are labels."""
    grid, labels = nested.frame.grid, {cell for node in nested.left.nodes for cell in node.cells}
    rows = [row for row in nested.frame.header_rows if (row, column) not in labels]
    homes = dict.fromkeys(divmod(int(grid.home[row, column]), grid.shape[1]) for row in rows)
    said = [str(grid.label[home]) for home in homes if home[1] == column and home[0] in rows]
    return " ".join(text.rstrip(": ") for text in said if text) or None
