"""The features of a row: its content, its look, its place, its words, whether it is a total, and its neighbours.

In: a `RowView`. Out: one column of small numbers a feature, in the order of `feature_names`. Numbers are clipped and
coarse on purpose: rows that are alike for a reader get the same features, so that a sheet of a hundred
thousand rows is scored as the few kinds of rows that it has.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.content import CONTENT_FEATURES, PLACE_FEATURES
from tabellion.label.rows.look import LOOK_FEATURES
from tabellion.label.rows.totals import TOTAL_FEATURES
from tabellion.label.rows.view import Column, RowView, column, shifted
from tabellion.label.rows.words import QUESTIONS, ask_texts

OWN: dict[str, Callable[[RowView], Column]] = {
    **CONTENT_FEATURES,
    **PLACE_FEATURES,
    **LOOK_FEATURES,
    **TOTAL_FEATURES,
}
"""The features of the row itself, beside those of its words."""

OF_NEIGHBOURS = (
    "filled", "value share", "texts in value columns", "number share", "years of numbers", "alone at left",
    "stub only", "first kind", "first bold", "first centred", "indent", "gap before", "border top", "border bottom",
    "widest span", "note word", "length", "total", "starts lower", "sum after evidence", "sum before evidence",
)  # fmt: skip
"""What the rows around are asked for as well."""

OFFSETS = (-2, -1, 1, 2)

TOGETHER = ("runs on",)
"""What only several features together tell."""


def feature_names() -> tuple[str, ...]:
    around = (f"{name} {offset:+d}" for offset in OFFSETS for name in OF_NEIGHBOURS)
    return (*OWN, *QUESTIONS, *around, *TOGETHER)


def row_features(view: RowView) -> NDArray[np.float32]:
    """(rows, features), as `feature_names` names them."""
    names = feature_names()
    table = np.zeros((len(view), len(names)), dtype=np.float32)
    if len(view):
        said = ask_texts(view.first_texts, view.first_labels)
        table[:, : len(OWN)] = np.column_stack([feature(view) for feature in OWN.values()])
        table[:, len(OWN) : len(OWN) + len(QUESTIONS)] = said
        place = {name: i for i, name in enumerate(names)}
        asked = [place[name] for name in OF_NEIGHBOURS]
        for i, offset in enumerate(OFFSETS):
            start = len(OWN) + len(QUESTIONS) + i * len(asked)
            table[:, start : start + len(asked)] = shifted(table[:, asked], offset)
        table[:, place["runs on"]] = _runs_on({name: table[:, place[name]] for name in RUN_ON_SIGNS})
    return table


RUN_ON_SIGNS = ("stub only", "colon end", "ends open", "starts lower +1", "stub only +1", "deeper after")


def _runs_on(seen: dict[str, NDArray[np.float32]]) -> Column:
    """Whether a label without values runs on in the next row, as that one's first letter tells; 2 if it is alone."""
    label = (seen["stub only"] == 1) & (seen["stub only +1"] == 0) & (seen["colon end"] == 0)
    broken = label & ((seen["starts lower +1"] == 1) | (seen["ends open"] == 1))
    return column(broken * (1 + (seen["deeper after"] <= 1)))
