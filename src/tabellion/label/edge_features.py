"""How a row near the edge of a table stands to the table's core: what decides where a table begins and ends.

In: a grid, the rows of the core (those that surely hold data) and the rows in question. Out: one row of numbers a
row in question, named by EDGE_FEATURES. What a row is in itself the row features say; here it is measured
against the columns, looks and labels of the core.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content, Grid
from tabellion.patterns import lazy_pattern
from tabellion.values.date import may_be_years

_EMPTY, _NUMBER, _MISSING, _DATE = (
    int(kind) for kind in (Content.EMPTY, Content.NUMBER, Content.MISSING, Content.DATE)
)  # looked up once: members of an enumeration are slow to reach
CORE_ROWS = 60  # of the core, nearest to the edge, are looked at
_DIGITS = lazy_pattern(r"\d+")
_LETTERS = lazy_pattern(r"[^\W\d_]+")

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Core(msgspec.Struct, frozen=True, eq=False):
    """What the sure rows of a table tell: its columns, those of values among them, its looks and its labels' shapes."""

    grid: Grid
    rows: list[int]
    dense: Bools  # columns that the core fills
    valued: Bools  # of these, the ones with numbers
    styles: frozenset[int]
    shapes: frozenset[str]
    lengths: Floats
    said: Bools  # grid cells that say something, covered ones included
    columns: NDArray[np.intp]  # numbers of the dense columns
    values: int  # how many columns hold values


class EdgeRow(msgspec.Struct, frozen=True, eq=False):
    """A row in question, with its neighbour towards the core and the one away from it."""

    core: Core
    row: int
    inner: int
    outer: int | None
    rank: int  # filled rows between it and the core
    between: list[int]  # these rows
    columns: list[int]  # that are filled
    inner_first: int | None  # the first filled column of the next row inwards

    @property
    def grid(self) -> Grid:
        return self.core.grid

    def text(self, at: int = 0) -> str:
        return str(self.grid.text[self.row, self.columns[at]])


def view_core(grid: Grid, rows: Sequence[int], above: bool) -> Core:
    """The core as a table's upper (or lower) edge sees it."""
    near = list(rows[:CORE_ROWS] if above else rows[-CORE_ROWS:])
    content = grid.content[near]
    filled = content != _EMPTY
    count = np.maximum(filled.sum(axis=0), 1)
    numbers = ((content == _NUMBER) | (content == _MISSING) | (content == _DATE)).sum(axis=0)
    dense = filled.mean(axis=0) > 0.4
    if not dense.any():
        dense = filled.any(axis=0)
    first = [int(f.argmax()) for f in filled]
    labels = [str(grid.text[r, c]) for r, c in zip(near, first, strict=True)]
    valued = dense & (numbers / count > 0.5)
    return Core(
        grid=grid,
        rows=near,
        dense=dense,
        valued=valued,
        columns=np.flatnonzero(dense),
        values=int(valued.sum()),
        styles=frozenset(grid.style[r, c] for r, c in zip(near, first, strict=True)),
        shapes=frozenset(_shape(label) for label in labels),
        lengths=np.array([len(label) for label in labels], dtype=np.float64),
        said=grid.said,
    )


def _shape(text: str) -> str:
    """A text with digits and words blurred: "S43" and "S44" have one shape."""
    return _LETTERS.sub("a", _DIGITS.sub("0", text.strip()))[:12]


def _cells(row: EdgeRow) -> float:
    return len(row.columns)


def _inside(row: EdgeRow) -> float:
    first, last = row.core.columns[0], row.core.columns[-1]
    return float(sum(first <= c <= last for c in row.columns) / len(row.columns))


def _dense_covered(row: EdgeRow) -> float:
    return float((row.core.said[row.row] & row.core.dense).sum() / len(row.core.columns))


def _values_said(row: EdgeRow, at: int | None) -> float:
    """The share of the value columns that a row says something in; -1 where there is none."""
    if at is None or not row.core.values:
        return -1.0
    return float((row.core.said[at] & row.core.valued).sum() / row.core.values)


def values_covered(row: EdgeRow) -> float:
    return _values_said(row, row.row)


def _distinct_over_values(row: EdgeRow) -> float:
    over = row.core.valued & row.core.said[row.row]
    return float(len(set(row.grid.home[row.row][over].tolist())))


def _first_column(row: EdgeRow) -> float:
    return float(row.columns[0] - row.core.columns[0])


def _last_column(row: EdgeRow) -> float:
    return float(row.columns[-1] - row.core.columns[-1])


def _first_over_values(row: EdgeRow) -> float:
    return float(row.core.valued[row.columns[0]])


def _widest_span(row: EdgeRow) -> float:
    spans = [row.grid.span_at.get((row.row, c), (1, 1))[1] for c in row.columns]
    return float(max(spans) / (row.core.columns[-1] - row.core.columns[0] + 1))


def count_texts(row: EdgeRow) -> float:
    """How many different things the row says."""
    return float(len({row.grid.label[row.row, c] for c in row.columns}))


def widest_text(row: EdgeRow) -> float:
    """The share of the core's columns over which one text is merged or repeated."""
    texts = row.grid.label.ravel()[row.grid.home[row.row, row.core.columns]].tolist()
    said = [text for text in texts if text]
    return max(map(said.count, set(said)), default=0) / len(texts)


def tallest_span(row: EdgeRow) -> float:
    return float(max(row.grid.span_at.get((row.row, c), (1, 1))[0] for c in row.columns))


def _reached_by_span(row: EdgeRow) -> float:
    """Whether a merged area ties this row to the next one inwards."""
    low, high = sorted((row.row, row.inner))
    return float((row.grid.home[low] == row.grid.home[high])[row.core.said[low]].any())


def _numbers_over_values(row: EdgeRow) -> float:
    over = [c for c in row.columns if row.core.valued[c]]
    return sum(row.grid.content[row.row, c] in (_NUMBER, _MISSING) for c in over) / max(len(over), 1)


def _numbers(row: EdgeRow) -> float:
    return float((row.grid.content[row.row] == _NUMBER).sum())


def _whole_years(row: EdgeRow) -> float:
    return float(may_be_years(row.grid.number[row.row]).sum())


def _headed_inwards(row: EdgeRow) -> float:
    """The share of its columns that a row between it and the core fills too: a title stands over heads of their own."""
    if not row.between:
        return -1.0
    return float((row.grid.content[row.between][:, row.columns] != _EMPTY).any(axis=0).mean())


def widest_inwards(row: EdgeRow) -> float:
    """The share of the core's columns that the fullest row between it and the core says something in."""
    if not row.between:
        return -1.0
    said = row.core.said[row.between][:, row.core.columns]
    return float(said.sum(axis=1).max() / len(row.core.columns))


def gap_inwards(row: EdgeRow) -> float:
    return float(min(abs(int(row.grid.row_of[row.inner]) - int(row.grid.row_of[row.row])), 9))


def _gap_outwards(row: EdgeRow) -> float:
    if row.outer is None:
        return -1.0
    return float(min(abs(int(row.grid.row_of[row.outer]) - int(row.grid.row_of[row.row])), 9))


def _inner_cells(row: EdgeRow) -> float:
    return float((row.grid.content[row.inner] != _EMPTY).sum())


def inner_values_covered(row: EdgeRow) -> float:
    return _values_said(row, row.inner)


def _outer_values_covered(row: EdgeRow) -> float:
    return _values_said(row, row.outer)


def _longest(row: EdgeRow) -> float:
    return float(max(len(row.grid.text[row.row, c]) for c in row.columns))


def _longer_than_labels(row: EdgeRow) -> float:
    return float(len(row.text()) / max(1.0, row.core.lengths.max(initial=1.0)))


def shape_known(row: EdgeRow) -> float:
    return float(_shape(row.text()) in row.core.shapes)


def _style_known(row: EdgeRow) -> float:
    return float(row.grid.style[row.row, row.columns[0]] in row.core.styles)


def _like_inner(name: str) -> Callable[[EdgeRow], float]:
    """Whether the first cells of this row and the next one inwards look alike in one respect."""

    def compare(row: EdgeRow) -> float:
        if row.inner_first is None:
            return -1.0
        styles, style = row.grid.styles, row.grid.style
        mine, other = styles[style[row.row, row.columns[0]]], styles[style[row.inner, row.inner_first]]
        return float(getattr(mine, name) == getattr(other, name))

    return compare


def _look(name: str, value: object) -> Callable[[EdgeRow], float]:
    """The share of the filled cells that look so."""

    def share(row: EdgeRow) -> float:
        looks = [getattr(row.grid.styles[row.grid.style[row.row, c]], name) for c in row.columns]
        return float(sum(look == value for look in looks) / len(looks))

    return share


def _drawn(name: str) -> Callable[[EdgeRow], float]:
    """The share of the core's columns where a border is drawn in this row, empty cells included."""

    def share(row: EdgeRow) -> float:
        styles = row.grid.style[row.row, row.core.columns].tolist()
        return float(sum(getattr(row.grid.styles[s], name) for s in styles) / len(styles))

    return share


EDGE_FEATURES: dict[str, Callable[[EdgeRow], float]] = {
    "rank": lambda row: float(row.rank),
    "cells": _cells,
    "inside": _inside,
    "columns covered": _dense_covered,
    "values covered": values_covered,
    "distinct over values": _distinct_over_values,
    "first column": _first_column,
    "last column": _last_column,
    "first over values": _first_over_values,
    "widest span": _widest_span,
    "widest text": widest_text,
    "texts": count_texts,
    "tallest span": tallest_span,
    "tied inwards": _reached_by_span,
    "numbers over values": _numbers_over_values,
    "numbers": _numbers,
    "years": _whole_years,
    "gap inwards": gap_inwards,
    "gap outwards": _gap_outwards,
    "cells inwards": _inner_cells,
    "values covered inwards": inner_values_covered,
    "values covered outwards": _outer_values_covered,
    "longest": _longest,
    "longer than labels": _longer_than_labels,
    "shape known": shape_known,
    "style known": _style_known,
    "size as inwards": _like_inner("size"),
    "bold as inwards": _like_inner("bold"),
    "fill as inwards": _like_inner("fill"),
    "align as inwards": _like_inner("align"),
    "bold": _look("bold", True),
    "centred": _look("align", "center"),
    "right": _look("align", "right"),
    "filled": lambda row: 1 - _look("fill", None)(row),
    "border top": _drawn("border_top"),
    "border bottom": _drawn("border_bottom"),
    "border left": _drawn("border_left"),
    "headed inwards": _headed_inwards,
    "widest inwards": widest_inwards,
    "core columns": lambda row: float(len(row.core.columns)),
    "core value columns": lambda row: float(row.core.values),
}


def edge_features(rows: Sequence[EdgeRow]) -> Floats:
    """The features of rows in question, (rows, features)."""
    return np.array([[feature(row) for feature in EDGE_FEATURES.values()] for row in rows])


def view_edge(grid: Grid, core_rows: Sequence[int], rows: Sequence[int], above: bool) -> list[EdgeRow]:
    """Rows in question, given from the core outwards, each with its neighbours."""
    core = view_core(grid, core_rows, above)
    nearest = core_rows[0] if above else core_rows[-1]
    filled = [row.nonzero()[0].tolist() for row in grid.filled[[nearest, *rows]]]
    return [
        EdgeRow(
            core=core,
            row=row,
            inner=rows[i - 1] if i else nearest,
            outer=rows[i + 1] if i + 1 < len(rows) else None,
            rank=i,
            between=list(rows[:i]),
            columns=filled[i + 1],
            inner_first=filled[i][0] if filled[i] else None,
        )
        for i, row in enumerate(rows)
    ]
