"""Which header stands under which. `nest_headers` enters the room."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tabellion.model.fixes import Cell
from tabellion.model.frame import Frame
from tabellion.model.grid import Content
from tabellion.model.roles import CellRole
from tabellion.model.tree import Nested
from tabellion.nest.guided import NO_LESSONS, Lessons, teach_frames
from tabellion.nest.left import nest_left
from tabellion.nest.parents import Method
from tabellion.nest.regraft import regraft
from tabellion.nest.stated import nest_stated
from tabellion.nest.top import nest_top
from tabellion.weights import Weights

__all__ = ["Lessons", "nest_headers", "teach_frames"]

NO_LABELS: tuple[CellRole, ...] = ("title", "value", "derived", "note", "other")
"""Roles of cells that are no headers, wherever they stand."""


def nest_headers(frame: Frame, weights: Weights, method: Method = "boosted", lessons: Lessons = NO_LESSONS) -> Nested:
    """The two header trees of a frame (Chen and Cafarella 2013, section 3.2), and what they say of rows and columns.

    What is given of the frame holds; `lessons` are those of its sheet (`teach_frames`).
    """
    fixes = frame.fixes
    if frame.stated:
        stated = nest_stated(frame, frame.stated)
        top, column_nodes = regraft(stated.top, stated.column_nodes, fixes.top)
        left, row_nodes = regraft(stated.left, stated.row_nodes, fixes.left)
        return Nested(frame=frame, top=top, left=left, column_nodes=column_nodes, row_nodes=row_nodes)
    seen = without_cells(frame, [cell for cell, role in fixes.cells.items() if role in NO_LABELS])
    top, column_nodes = regraft(*nest_top(seen, weights, method, lessons.top), fixes.top)
    left, row_nodes = regraft(*nest_left(seen, weights, method, lessons.left), fixes.left)
    return Nested(frame=frame, top=top, left=left, column_nodes=column_nodes, row_nodes=row_nodes)


def without_cells(frame: Frame, cells: Sequence[Cell]) -> Frame:
    """A frame that sees nothing in some cells."""
    if not cells:
        return frame
    content, text, label = frame.grid.content.copy(), frame.grid.text.copy(), frame.grid.label.copy()
    for cell in cells:
        content[cell], text[cell], label[cell] = Content.EMPTY, "", ""
    grid = msgspec.structs.replace(frame.grid, content=content, text=text, label=label)
    return msgspec.structs.replace(frame, labels=msgspec.structs.replace(frame.labels, grid=grid))
