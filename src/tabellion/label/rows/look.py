"""Features of how a row looks: weight, alignment, borders, indent and spans, and its neighbours' look beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.view import Column, RowView, at_most, clipped, column, share, shifted

Feature = Callable[[RowView], Column]

DEEPEST = 9  # rows that are looked at for their indent


def look_share(name: str) -> Feature:
    return lambda view: share((view.look(name).astype(bool) & view.filled).sum(axis=1), view.filled.sum(axis=1))


def first_look(name: str) -> Feature:
    return lambda view: column(view.first_of(view.look(name)))


def drawn(side: str) -> Feature:
    """The share of all columns, empty cells too, with a border on that side."""
    return lambda view: share(view.look(f"border_{side}").sum(axis=1), view.filled.shape[1])


def aligned(side: str) -> Feature:
    return lambda view: share(((view.look("align") == side) & view.filled).sum(axis=1), view.filled.sum(axis=1))


def first_centred(view: RowView) -> Column:
    return column(view.first_of(view.look("align") == "center"))


def size_against_usual(view: RowView) -> Column:
    sizes = view.look("size")
    return clipped(np.round(2 * (view.first_of(sizes) - np.median(sizes[view.filled]))), 8)


def filled_with_colour(view: RowView) -> Column:
    fills = np.array([style.fill is not None for style in view.grid.styles])[view.style]
    return share((fills & view.filled).sum(axis=1), view.filled.sum(axis=1))


def colour_unusual(view: RowView) -> Column:
    """Whether the first cell's colour is not the one that most rows have."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(style.colour for style in view.grid.styles))}
    mine = np.array([numbers[style.colour] for style in view.grid.styles])[view.first_of(view.style)]
    return column(mine != np.bincount(mine).argmax())


def indent_against(offset: int) -> Feature:
    """The indent less a neighbour's, in half steps; -9 where there is no neighbour."""

    def feature(view: RowView) -> Column:
        less = np.round(2 * (view.indent - shifted(view.indent, offset, np.nan)))
        return column(np.nan_to_num(clipped(less, 8), nan=-9))

    return feature


def run_after(holds: Callable[[NDArray[Any], NDArray[Any]], NDArray[np.bool_]]) -> Feature:
    """How many rows in a row follow whose indent stands so to this one's."""

    def feature(view: RowView) -> Column:
        run, live = np.zeros(len(view)), np.ones(len(view), dtype=bool)
        for offset in range(1, DEEPEST + 1):
            live &= holds(shifted(view.indent, offset, -1), view.indent)
            run += live
        return run

    return feature


def same_look_as(offset: int) -> Feature:
    """Whether a neighbour's first cell looks the same."""
    return lambda view: column(view.look_number == shifted(view.look_number, offset))


def look_usual(view: RowView) -> Column:
    """How usual the look of the first cell is among valued rows."""
    body = view.look_number[view.valued]
    if not len(body):
        return np.zeros(len(view))
    known, times = np.unique(body, return_counts=True)
    at = np.minimum(np.searchsorted(known, view.look_number), len(known) - 1)
    return share(np.where(known[at] == view.look_number, times[at], 0), len(body))


def widest_span(view: RowView) -> Column:
    widest = np.ones(len(view))
    np.maximum.at(widest, view.spans[:, 0], view.spans[:, 3])
    return column(np.where(widest > 1, share(widest, view.grid.shape[1]), 0))


def spans_along(side: int) -> Feature:
    """How many spans of a row reach over several columns (side 3) or rows (side 2)."""

    def feature(view: RowView) -> Column:
        long = view.spans[view.spans[:, side] > 1]
        return at_most(np.bincount(long[:, 0], minlength=len(view)), 6)

    return feature


def note_marks(view: RowView) -> Column:
    """Note marks in the row's cells."""
    wide = view.grid.shape[1]
    rows = np.array([cell // wide for cell in view.grid.notes], dtype=np.int64)
    return at_most(np.bincount(rows, minlength=view.grid.shape[0])[view.rows], 4)


LOOK_FEATURES: dict[str, Feature] = {
    "bold share": look_share("bold"),
    "underline share": look_share("underline"),
    "first bold": first_look("bold"),
    "wrap": first_look("wrap"),
    "border top": drawn("top"),
    "border bottom": drawn("bottom"),
    "centred share": aligned("center"),
    "right share": aligned("right"),
    "first centred": first_centred,
    "size against usual": size_against_usual,
    "filled with colour": filled_with_colour,
    "colour unusual": colour_unusual,
    "indent": lambda view: at_most(np.round(2 * view.indent), 16),
    "indent against last": indent_against(-1),
    "indent against next": indent_against(1),
    "deeper after": run_after(np.greater),
    "no less deep after": run_after(np.greater_equal),
    "same look before": same_look_as(-1),
    "same look after": same_look_as(1),
    "look usual": look_usual,
    "widest span": widest_span,
    "spans": spans_along(3),
    "spans down": spans_along(2),
    "note marks": note_marks,
}
