"""The features of a row: its content, its look, its place, its words, whether it is a total, and its neighbours.

In: a `RowView`. Out: one column of small numbers a feature, in the order of `feature_names`. Numbers are clipped and
coarse on purpose: rows that are alike for a reader get the same features, so that a sheet of a hundred
thousand rows is scored as the few kinds of rows that it has.

Features of what a row holds: how many cells of which kind, and how that compares with the columns they stand in.

Features of where a row stands: blank rows around it, rows of heads and of values before and after it. Counted from
other rows, never from the top of the sheet: how many rows a title takes is a habit of one office.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.looks import LOOK_FEATURES, QUESTIONS, ask_texts
from tabellion.label.rows.totals import TOTAL_FEATURES
from tabellion.label.rows.view import (
    FAR,
    Bools,
    Column,
    RowView,
    at_most,
    clipped,
    column,
    last_true,
    next_true,
    run_lengths,
    share,
    shifted,
)
from tabellion.model.arrays import median, quantile
from tabellion.model.grid import Content

HEAD_SHARE = 4  # tenths of the value columns with something that is no value make a row of heads
DENSE_QUANTILE = 0.9  # what the fullest rows fill


def headed(view: RowView) -> Bools:
    """Rows with texts or dates where columns hold values."""

    def compute() -> Bools:
        other = (view.filled & ~view.number & ~view.missing & view.value_columns).sum(axis=1)
        return np.asarray(share(other, int(view.value_columns.sum())) >= HEAD_SHARE)

    return view.once("headed", compute)


def dense(view: RowView) -> Bools:
    """Rows that fill at least half of what the fullest rows fill."""

    def compute() -> Bools:
        filled = view.held
        return np.asarray(2 * filled >= quantile(filled, DENSE_QUANTILE))

    return view.once("dense", compute)


def gap_before(view: RowView) -> Column:
    return at_most(view.gap, 3)


def gap_after(view: RowView) -> Column:
    return shifted(gap_before(view), 1, 3)


def last_gap(view: RowView) -> Column:
    return column(np.where(view.gap > 0, 0, last_true(view.gap > 0)))


def valued_before(view: RowView) -> Column:
    return at_most(np.cumsum(view.valued) - view.valued, 3)


def valued_after(view: RowView) -> Column:
    return at_most(view.valued.sum() - np.cumsum(view.valued), 3)


def valued_around(reach: int) -> Feature:
    """Valued rows among the next rows (the last ones where `reach` is negative)."""
    offsets = range(1, reach + 1) if reach > 0 else range(reach, 0)
    return lambda view: column(sum(shifted(view.valued, offset, 0) for offset in offsets))


def head_before_values(view: RowView) -> Column:
    """Whether a row of heads comes before the next row of values."""
    return column(next_true(headed(view)) < next_true(view.valued))


PLACE_FEATURES: dict[str, Feature] = {
    "gap before": gap_before,
    "gap after": gap_after,
    "next gap": lambda view: next_true(view.gap > 0),
    "last gap": last_gap,
    "next valued": lambda view: next_true(view.valued),
    "last valued": lambda view: last_true(view.valued),
    "next dense": lambda view: next_true(dense(view)),
    "last dense": lambda view: last_true(dense(view)),
    "next headed": lambda view: next_true(headed(view)),
    "last headed": lambda view: last_true(headed(view)),
    "head before values": head_before_values,
    "valued before": valued_before,
    "valued after": valued_after,
    "valued in next 4": valued_around(4),
    "valued in last 4": valued_around(-4),
    "stub only run": lambda view: at_most(run_lengths(view.stub_only), 6),
}


Feature = Callable[[RowView], Column]

KINDS = (Content.TEXT, Content.NUMBER, Content.DATE, Content.MISSING)


def count_of(cells: Callable[[RowView], Bools]) -> Feature:
    return lambda view: at_most(cells(view).sum(axis=1), FAR)


def share_of(cells: Callable[[RowView], Bools]) -> Feature:
    return lambda view: share(cells(view).sum(axis=1), view.held)


def width(view: RowView) -> Column:
    return share(view.held, view.filled.shape[1])


def fill_against_usual(view: RowView) -> Column:
    """Filled cells against the usual count of the rows with numbers (of all rows where none has any)."""
    filled = view.held
    body = filled[view.valued] if view.valued.any() else filled
    return at_most(share(filled, int(median(body))), 20)


def value_share(view: RowView) -> Column:
    return share(view.value.sum(axis=1), int(view.value_columns.sum()))


def value_text_share(view: RowView) -> Column:
    """Texts where columns hold values: a header's."""
    return share((view.text & view.value_columns).sum(axis=1), int(view.value_columns.sum()))


def years_of_numbers(view: RowView) -> Column:
    return share(view.year.sum(axis=1), view.number.sum(axis=1))


def distinct_years(view: RowView) -> Column:
    """Years of a row that differ from one another: column heads rather than counts."""
    years = np.where(view.year, np.nan_to_num(view.amount), 0)
    return at_most((np.diff(np.sort(years, axis=1), axis=1, prepend=0) > 0).sum(axis=1), FAR)


def distinct_numbers(view: RowView) -> Column:
    """Different numbers of a row against all of them: heads and marks often repeat one."""
    numbers = view.number.sum(axis=1)
    different = (np.diff(np.sort(view.amount, axis=1), axis=1) > 0).sum(axis=1) + 1
    return column(np.where(numbers > 1, share(different, numbers), 10))


def size_of_numbers(view: RowView) -> Column:
    """How much larger than is usual in their columns the numbers are, in half powers of ten."""
    size = np.log10(1e-3 + np.abs(view.amount))
    counts = view.number.sum(axis=0)
    middle = np.sort(size, axis=0)[np.maximum(0, (counts - 1) // 2), np.arange(size.shape[1])]
    values = view.number & view.value_columns
    off = np.where(values, size - middle, 0).sum(axis=1) / np.maximum(1, values.sum(axis=1))
    return clipped(np.round(2 * off), 6)


def hundreds(view: RowView) -> Column:
    return share((view.value & (np.nan_to_num(view.amount) == 100)).sum(axis=1), view.value.sum(axis=1))


def usual_kind_share(view: RowView) -> Column:
    """Filled cells that are of the kind that is usual in their column."""
    counts = np.stack([(view.content == kind).sum(axis=0) for kind in KINDS])
    usual = np.array(KINDS, dtype=np.uint8)[counts.argmax(axis=0)]
    return share(((view.content == usual) & view.filled).sum(axis=1), view.held)


def same_kinds_as(offset: int) -> Feature:
    """In how many columns a neighbour has the same kind of cell, of those that either fills."""

    def feature(view: RowView) -> Column:
        other = shifted(view.content, offset, 0)
        either = (view.content != 0) | (other != 0)
        return share(((view.content == other) & either).sum(axis=1), either.sum(axis=1))

    return feature


def other_text_length(view: RowView) -> Column:
    """The usual length of the texts after the first, in half powers of two."""
    others = view.text.copy()
    others[np.arange(len(view)), view.first] = False
    rows, columns = np.nonzero(others)
    texts = view.grid.text[view.rows[rows], view.columns[columns]]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    total = np.bincount(rows, weights=lengths, minlength=len(view))
    return column(np.round(2 * np.log2(1 + total / np.maximum(1, others.sum(axis=1)))))


def length_against_longest(view: RowView) -> Column:
    """The first text's length against the longest one of the valued rows: a label that runs on fills the stub."""
    lengths = np.fromiter(map(len, view.first_texts), dtype=np.int64, count=len(view))
    body = lengths[view.valued]
    return at_most(share(lengths, int(body.max()) if len(body) else 1), 20)


def repeated(view: RowView) -> Column:
    """How often the first label of the row comes in the sheet."""
    times: dict[str, int] = {}
    for label in view.first_labels:
        times[label] = times.get(label, 0) + 1
    return column([min(times[label], 5) for label in view.first_labels])


def stub_only(view: RowView) -> Column:
    return column(view.stub_only)


CONTENT_FEATURES: dict[str, Feature] = {
    "filled": count_of(lambda view: view.filled),
    "width": width,
    "fill against usual": fill_against_usual,
    "numbers": count_of(lambda view: view.number),
    "number share": share_of(lambda view: view.number),
    "texts": count_of(lambda view: view.text),
    "text share": share_of(lambda view: view.text),
    "missing share": share_of(lambda view: view.missing),
    "values": count_of(lambda view: view.value),
    "value share": value_share,
    "texts in value columns": value_text_share,
    "stub only": stub_only,
    "years of numbers": years_of_numbers,
    "distinct years": distinct_years,
    "distinct numbers": distinct_numbers,
    "size of numbers": size_of_numbers,
    "hundreds": hundreds,
    "counting": lambda view: column(view.counting),
    "usual kind share": usual_kind_share,
    "same kinds before": same_kinds_as(-1),
    "same kinds after": same_kinds_as(1),
    "first kind": lambda view: column(view.first_of(view.content)),
    "first column": lambda view: at_most(view.first, 6),
    "last column": lambda view: at_most(view.filled.shape[1] - 1 - view.last, 6),
    "alone at left": lambda view: column(view.last == 0),
    "other text length": other_text_length,
    "length against longest": length_against_longest,
    "repeated": repeated,
}


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


@lru_cache
def feature_names() -> tuple[str, ...]:
    around = (f"{name} {offset:+d}" for offset in OFFSETS for name in OF_NEIGHBOURS)
    return (*OWN, *QUESTIONS, *around, *TOGETHER)


def row_features(view: RowView) -> NDArray[np.float32]:
    """(rows, features), as `feature_names` names them."""
    names = feature_names()
    table = np.zeros((len(view), len(names)), dtype=np.float32)
    if len(view):
        said = ask_texts(view.first_texts, view.first_labels)
        table[:, : len(OWN)] = np.array([feature(view) for feature in OWN.values()]).T
        table[:, len(OWN) : len(OWN) + len(QUESTIONS)] = said
        place = {name: i for i, name in enumerate(names)}
        asked = table[:, [place[name] for name in OF_NEIGHBOURS]]
        for i, offset in enumerate(OFFSETS):
            start = len(OWN) + len(QUESTIONS) + i * asked.shape[1]
            table[:, start : start + asked.shape[1]] = shifted(asked, offset)
        table[:, place["runs on"]] = _runs_on({name: table[:, place[name]] for name in RUN_ON_SIGNS})
    return table


RUN_ON_SIGNS = ("stub only", "colon end", "ends open", "starts lower +1", "stub only +1", "deeper after")


def _runs_on(seen: dict[str, NDArray[np.float32]]) -> Column:
    """Whether a label without values runs on in the next row, as that one's first letter tells; 2 if it is alone."""
    label = (seen["stub only"] == 1) & (seen["stub only +1"] == 0) & (seen["colon end"] == 0)
    broken = label & ((seen["starts lower +1"] == 1) | (seen["ends open"] == 1))
    return column(broken * (1 + (seen["deeper after"] <= 1)))
