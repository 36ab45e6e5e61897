"""Frames that the source itself states: nothing is guessed.

In: a grid with statements placed on it. Out: a `Labelled` with a frame for each. Rows that none names are blank.
"""

from __future__ import annotations

import numpy as np

from tabellion.model.frame import ROW_ROLES, Frame, Labelled, Orientation, RowLabels, RowRole
from tabellion.model.grid import Grid
from tabellion.model.place import Rect
from tabellion.model.stated import Stated

_ORIENTATIONS: dict[tuple[bool, bool], Orientation] = {
    (True, True): "row-column",
    (True, False): "column",
    (False, True): "row",
    (False, False): "none",
}


def label_stated(grid: Grid, *, given: bool = False) -> Labelled:
    """The frames of a grid by what is stated of them; `given`: people say otherwise, so headers are found anew."""
    roles: list[RowRole] = ["blank"] * grid.shape[0]
    for stated in grid.stated:
        parts: tuple[tuple[tuple[int, ...], RowRole], ...] = (
            (stated.body_rows, "data"),
            (stated.group_rows, "group"),
            (stated.total_rows, "derived"),
            (stated.header_rows, "header"),
            (stated.title_rows, "title"),
            (stated.note_rows, "note"),
        )
        for rows, role in parts:
            for row in rows:
                roles[row] = role
    probability = np.zeros((grid.shape[0], len(ROW_ROLES)))
    probability[np.arange(grid.shape[0]), [ROW_ROLES.index(role) for role in roles]] = 1.0
    labels = RowLabels(grid, tuple(roles), probability)
    frames = tuple(_frame(labels, stated, given=given) for stated in grid.stated if stated.body_rows)
    return Labelled(labels=labels, frames=frames, kind="data frame", kind_probability=1.0)


def _frame(labels: RowLabels, stated: Stated, *, given: bool) -> Frame:
    rows = (*stated.header_rows, *stated.body_rows)
    columns = (*stated.stub_columns, *stated.value_columns) or (0,)
    return Frame(
        labels=labels,
        rect=Rect(min(rows), min(columns), max(rows), max(columns)),
        header_rows=stated.header_rows,
        body_rows=stated.body_rows,
        stub_columns=stated.stub_columns,
        value_columns=stated.value_columns,
        title_rows=stated.title_rows,
        note_rows=stated.note_rows,
        orientation=_ORIENTATIONS[bool(stated.header_rows), bool(stated.stub_columns) and not stated.keyed],
        keyed=stated.keyed,
        stated=None if given else stated,
    )
