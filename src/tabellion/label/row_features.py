"""The features of a row: its own look and words, its place, its neighbours, and whether it is a sum of others.

In: a `RowView`. Out: one column of small numbers a feature, in the order of `feature_names`. Numbers are
clipped and coarse on purpose: rows that are alike for a reader get the same features, so that a sheet of a hundred
thousand rows is scored as the few kinds of rows that it has.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.label.row_sums import Sums, find_sums
from tabellion.label.row_view import Bools, RowView
from tabellion.label.row_words import QUESTIONS, ask_texts

Feature = Callable[[RowView], NDArray[Any]]

FAR = 12  # distances in rows are told apart up to that


def share(part: NDArray[Any], whole: NDArray[Any] | int) -> NDArray[Any]:
    """A ratio in tenths."""
    return np.round(10 * part / np.maximum(1, whole))


def clipped(number: NDArray[Any], most: int = FAR) -> NDArray[Any]:
    return np.clip(number, -most, most)


def next_true(flags: Bools) -> NDArray[np.int64]:
    """How many rows further the next flagged row is; FAR + 1 where there is none."""
    count = len(flags)
    at = np.where(flags, np.arange(count), 2 * count + FAR + 1)
    nearest = np.minimum.accumulate(at[::-1])[::-1]
    return np.minimum(np.append(nearest[1:], 2 * count + FAR + 1) - np.arange(count), FAR + 1)


def last_true(flags: Bools) -> NDArray[np.int64]:
    """How many rows back the last flagged row is; FAR + 1 where there is none."""
    return next_true(flags[::-1])[::-1]


def shifted(column: NDArray[Any], offset: int, beyond: float = -1) -> NDArray[Any]:
    """What the row `offset` further has; `beyond` where there is no such row."""
    result = np.full(column.shape, beyond, dtype=np.float64)
    if abs(offset) < len(column):
        if offset > 0:
            result[:-offset] = column[offset:]
        else:
            result[-offset:] = column[:offset]
    return result


# --- content -------------------------------------------------------------------------------------------------------


def count_of(name: str) -> Feature:
    return lambda view: np.minimum(getattr(view, name).sum(axis=1), FAR)


def share_of(name: str) -> Feature:
    return lambda view: share(getattr(view, name).sum(axis=1), view.filled.sum(axis=1))


def width(view: RowView) -> NDArray[Any]:
    return share(view.filled.sum(axis=1), view.filled.shape[1])


def fill_against_usual(view: RowView) -> NDArray[Any]:
    """Filled cells against the usual count of the rows with numbers (of all rows where none has any)."""
    filled = view.filled.sum(axis=1)
    body = filled[view.valued] if view.valued.any() else filled
    return np.minimum(20, share(filled, int(np.median(body)) if len(body) else 1))


def value_share(view: RowView) -> NDArray[Any]:
    return share(view.value.sum(axis=1), int(view.value_columns.sum()))


def value_text_share(view: RowView) -> NDArray[Any]:
    """Texts where columns hold values: a header's."""
    return share((view.text & view.value_columns).sum(axis=1), int(view.value_columns.sum()))


def years_of_numbers(view: RowView) -> NDArray[Any]:
    return share(view.year.sum(axis=1), view.number.sum(axis=1))


def rising_years(view: RowView) -> NDArray[Any]:
    """Years of a row that differ from one another: column heads rather than counts."""
    years = np.where(view.year, np.nan_to_num(view.amount), 0)
    return np.minimum((np.diff(np.sort(years, axis=1), axis=1, prepend=0) > 0).sum(axis=1), FAR)


def usual_kind_share(view: RowView) -> NDArray[Any]:
    """Filled cells that are of the kind that is usual in their column."""
    kinds = np.stack([(view.content == kind).sum(axis=0) for kind in range(1, 5)])
    usual = kinds.argmax(axis=0) + 1
    return share(((view.content == usual) & view.filled).sum(axis=1), view.filled.sum(axis=1))


def other_text_length(view: RowView) -> NDArray[Any]:
    """The usual length of the texts after the first, as powers of two."""
    others = view.text.copy()
    others[np.arange(len(view)), view.first] = False
    rows, columns = np.nonzero(others)
    texts = view.grid.text[view.rows[rows], view.columns[columns]]
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    total = np.bincount(rows, weights=lengths, minlength=len(view))
    return np.round(2 * np.log2(1 + total / np.maximum(1, others.sum(axis=1))))


def first_column(view: RowView) -> NDArray[Any]:
    return np.minimum(view.first, 6)


def last_column(view: RowView) -> NDArray[Any]:
    return np.minimum(view.filled.shape[1] - 1 - view.last, 6)


def alone_at_left(view: RowView) -> NDArray[Any]:
    return (view.last == 0).astype(np.int64)


def first_kind(view: RowView) -> NDArray[Any]:
    return view.first_of(view.content)


def same_kinds_as(offset: int) -> Feature:
    """In how many columns a neighbour has the same kind of cell, of those that either fills."""

    def feature(view: RowView) -> NDArray[Any]:
        other = shifted(view.content, offset, 0)
        either = (view.content != 0) | (other != 0)
        return share(((view.content == other) & either).sum(axis=1), either.sum(axis=1))

    return feature


def repeated(view: RowView) -> NDArray[Any]:
    """How often the first text of the row comes in the sheet."""
    texts = view.first_of(view.of(view.grid.label)).tolist()
    times: dict[str, int] = {}
    for text in texts:
        times[text] = times.get(text, 0) + 1
    return np.minimum(np.array([times[text] for text in texts]), 5)


# --- place ---------------------------------------------------------------------------------------------------------


def gap_before(view: RowView) -> NDArray[Any]:
    return np.minimum(view.gap, 3)


def gap_after(view: RowView) -> NDArray[Any]:
    return shifted(np.minimum(view.gap, 3), 1, 3)


def dense(view: RowView) -> Bools:
    """Rows that fill at least half of what the fullest rows fill."""

    def compute() -> Bools:
        filled = view.filled.sum(axis=1)
        return np.asarray(2 * filled >= np.quantile(filled, 0.9))

    return view.once("dense", compute)


def next_valued(view: RowView) -> NDArray[Any]:
    return next_true(view.valued)


def last_valued(view: RowView) -> NDArray[Any]:
    return last_true(view.valued)


def next_dense(view: RowView) -> NDArray[Any]:
    return next_true(dense(view))


def last_dense(view: RowView) -> NDArray[Any]:
    return last_true(dense(view))


def next_gap(view: RowView) -> NDArray[Any]:
    return next_true(view.gap > 0)


def last_gap(view: RowView) -> NDArray[Any]:
    return np.where(view.gap > 0, 0, last_true(view.gap > 0))


def valued_around(reach: int) -> Feature:
    """Valued rows among the next rows (the last ones where `reach` is negative)."""

    def feature(view: RowView) -> NDArray[Any]:
        offsets = range(1, reach + 1) if reach > 0 else range(reach, 0)
        return np.asarray(sum(shifted(view.valued, offset, 0) for offset in offsets))

    return feature


# --- look ----------------------------------------------------------------------------------------------------------


def look_share(name: str) -> Feature:
    return lambda view: share((view.look(name).astype(bool) & view.filled).sum(axis=1), view.filled.sum(axis=1))


def first_look(name: str) -> Feature:
    return lambda view: view.first_of(view.look(name)).astype(np.int64)


def drawn(side: str) -> Feature:
    """The share of all columns, empty cells too, with a border on that side."""
    return lambda view: share(view.look(f"border_{side}").sum(axis=1), view.filled.shape[1])


def aligned(side: str) -> Feature:
    return lambda view: share(((view.look("align") == side) & view.filled).sum(axis=1), view.filled.sum(axis=1))


def first_centred(view: RowView) -> NDArray[Any]:
    return view.first_of(view.look("align") == "center").astype(np.int64)


def size_against_usual(view: RowView) -> NDArray[Any]:
    sizes = view.look("size")
    return np.clip(np.round(2 * (view.first_of(sizes) - np.median(sizes[view.filled]))), -8, 8)


def filled_with_colour(view: RowView) -> NDArray[Any]:
    fills = view.once("fills", lambda: np.array([s.fill is not None for s in view.grid.styles])[view.style])
    return share((fills & view.filled).sum(axis=1), view.filled.sum(axis=1))


def colour_unusual(view: RowView) -> NDArray[Any]:
    """Whether the first cell's colour is not the one that most rows have."""
    numbers = {name: i for i, name in enumerate(dict.fromkeys(s.colour for s in view.grid.styles))}
    colours = np.array([numbers[s.colour] for s in view.grid.styles])[view.style]
    mine = view.first_of(colours)
    return (mine != np.bincount(mine).argmax()).astype(np.int64)


def indent(view: RowView) -> NDArray[Any]:
    return clipped(np.round(2 * view.indent), 16)


def indent_against(offset: int) -> Feature:
    """The indent less a neighbour's."""

    def feature(view: RowView) -> NDArray[Any]:
        other = shifted(view.indent, offset, np.nan)
        return np.nan_to_num(clipped(np.round(2 * (view.indent - other)), 8), nan=-9)

    return feature


def same_look_as(offset: int) -> Feature:
    """Whether a neighbour's first cell has the same style."""
    return lambda view: (look_number(view) == shifted(look_number(view), offset)).astype(np.int64)


def look_number(view: RowView) -> NDArray[Any]:
    """A number for the look of the first cell: weight, slant, size, indent, alignment, colours."""

    def compute() -> NDArray[Any]:
        numbers: dict[tuple[object, ...], int] = {}
        kinds = np.array(
            [
                numbers.setdefault((s.bold, s.italic, s.underline, s.size, s.align, s.colour, s.fill), len(numbers))
                for s in view.grid.styles
            ]
        )
        return np.asarray(kinds[view.first_of(view.style)] * 1000 + np.minimum(999, 2 * view.indent))

    return view.once("look number", compute)


def look_usual(view: RowView) -> NDArray[Any]:
    """How usual the look of the first cell is among valued rows."""
    looks = look_number(view)
    body = looks[view.valued]
    known, times = np.unique(body, return_counts=True)
    if not len(known):
        return np.zeros(len(view))
    at = np.minimum(np.searchsorted(known, looks), len(known) - 1)
    return share(np.where(known[at] == looks, times[at], 0), len(body))


def widest_span(view: RowView) -> NDArray[Any]:
    widest = np.ones(len(view))
    np.maximum.at(widest, view.spans[:, 0], view.spans[:, 3])
    return np.where(widest > 1, share(widest, view.grid.shape[1]), 0)


def span_count(view: RowView) -> NDArray[Any]:
    across = view.spans[view.spans[:, 3] > 1]
    return np.minimum(np.bincount(across[:, 0], minlength=len(view)), 6)


def spans_down(view: RowView) -> NDArray[Any]:
    down = view.spans[view.spans[:, 2] > 1]
    return np.minimum(np.bincount(down[:, 0], minlength=len(view)), 6)


def hidden(view: RowView) -> NDArray[Any]:
    return view.grid.hidden_rows[view.rows].astype(np.int64)


def note_marks(view: RowView) -> NDArray[Any]:
    """Note marks in the row's cells."""
    wide = view.grid.shape[1]
    rows = np.array([cell // wide for cell in view.grid.notes], dtype=np.int64)
    return np.minimum(np.bincount(rows, minlength=view.grid.shape[0])[view.rows], 4)


def deeper_after(view: RowView) -> NDArray[Any]:
    """How many rows follow that are indented more than this one."""
    return np.minimum(run_after(view, lambda mine, other: other > mine), 9)


def no_less_deep_after(view: RowView) -> NDArray[Any]:
    return np.minimum(run_after(view, lambda mine, other: other >= mine), 9)


def run_after(
    view: RowView, holds: Callable[[NDArray[Any], NDArray[Any]], NDArray[Any]], reach: int = 9
) -> NDArray[Any]:
    run, live = np.zeros(len(view)), np.ones(len(view), dtype=bool)
    for offset in range(1, reach + 1):
        live &= holds(view.indent, shifted(view.indent, offset, -1))
        run += live
    return run


def stub_only(view: RowView) -> NDArray[Any]:
    """Whether all that is filled stands before the first value column."""
    columns = np.flatnonzero(view.value_columns)
    return (view.last < (columns[0] if len(columns) else 1)).astype(np.int64)


def length_against_longest(view: RowView) -> NDArray[Any]:
    """The first text's length against the longest first text of the valued rows."""
    texts = view.first_of(view.of(view.grid.text))
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    body = lengths[view.valued]
    return np.minimum(20, share(lengths, int(body.max()) if len(body) else 1))


def hundreds(view: RowView) -> NDArray[Any]:
    return share((view.value & (np.nan_to_num(view.amount) == 100)).sum(axis=1), view.value.sum(axis=1))


# --- sums ----------------------------------------------------------------------------------------------------------


def sums(view: RowView) -> tuple[Sums, Sums]:
    return view.once("sums", lambda: find_sums(view.amount[view.valued][:, view.value_columns]))


def look_sums(which: int) -> Feature:
    """The share of the valued rows with the same look that are sums."""

    def feature(view: RowView) -> NDArray[Any]:
        found = np.zeros(len(view))
        found[view.valued] = sums(view)[which].evidence >= 2
        _, look = np.unique(look_number(view), return_inverse=True)
        total = np.bincount(look, weights=found)
        return share(total[look], np.bincount(look, weights=view.valued)[look])

    return feature


def part_depth(which: int) -> Feature:
    """How many totals a row is a part of, or lies among the parts of."""

    def feature(view: RowView) -> NDArray[Any]:
        told = sums(view)[which]
        count = len(told.end)
        sure = np.flatnonzero((told.evidence >= 2) & (told.share >= 0.5))
        edges = np.zeros(count + 1)
        if which == 0:
            np.add.at(edges, np.minimum(sure + 1, count), 1)
            np.add.at(edges, told.end[sure], -1)
        else:
            np.add.at(edges, told.end[sure] + 1, 1)
            np.add.at(edges, sure, -1)
        result = np.zeros(len(view))
        result[view.valued] = np.minimum(4, edges.cumsum()[:count])
        return result

    return feature


def larger_than(direction: int) -> Feature:
    """How many neighbours in a row have smaller numbers, in nearly all columns."""

    def feature(view: RowView) -> NDArray[Any]:
        amount = view.amount[view.valued][:, view.value_columns][:, :12]
        run, live = np.zeros(len(amount)), np.ones(len(amount), dtype=bool)
        for offset in range(1, 9):
            other = shifted(amount, direction * offset, np.nan)
            told = ~np.isnan(other) & ~np.isnan(amount)
            with np.errstate(invalid="ignore"):
                live = live & ((amount >= other).sum(axis=1) >= 0.8 * told.sum(axis=1)) & told.any(axis=1)
            run += live
        result = np.zeros(len(view))
        result[view.valued] = run
        return result

    return feature


def of_sums(which: int, field: str) -> Feature:
    def feature(view: RowView) -> NDArray[Any]:
        told = getattr(sums(view)[which], field)
        result = np.zeros(len(view))
        if field == "evidence":
            told = np.minimum(30, np.round(2 * told))
        result[view.valued] = np.minimum(20, told) if field == "parts" else share(told, 1) if field == "share" else told
        return result

    return feature


OWN: dict[str, Feature] = {
    "filled": count_of("filled"),
    "width": width,
    "fill against usual": fill_against_usual,
    "numbers": count_of("number"),
    "number share": share_of("number"),
    "texts": count_of("text"),
    "text share": share_of("text"),
    "missing share": share_of("missing"),
    "values": count_of("value"),
    "value share": value_share,
    "texts in value columns": value_text_share,
    "years of numbers": years_of_numbers,
    "distinct years": rising_years,
    "usual kind share": usual_kind_share,
    "other text length": other_text_length,
    "first column": first_column,
    "last column": last_column,
    "alone at left": alone_at_left,
    "first kind": first_kind,
    "same kinds before": same_kinds_as(-1),
    "same kinds after": same_kinds_as(1),
    "repeated": repeated,
    "formulas": share_of("formula"),
    "aggregates": share_of("aggregate"),
    "gap before": gap_before,
    "gap after": gap_after,
    "next valued": next_valued,
    "last valued": last_valued,
    "next dense": next_dense,
    "last dense": last_dense,
    "next gap": next_gap,
    "last gap": last_gap,
    "valued in next 4": valued_around(4),
    "valued in last 4": valued_around(-4),
    "bold share": look_share("bold"),
    "italic share": look_share("italic"),
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
    "indent": indent,
    "indent against last": indent_against(-1),
    "indent against next": indent_against(1),
    "same look before": same_look_as(-1),
    "same look after": same_look_as(1),
    "look usual": look_usual,
    "widest span": widest_span,
    "spans": span_count,
    "spans down": spans_down,
    "hidden": hidden,
    "note marks": note_marks,
    "deeper after": deeper_after,
    "no less deep after": no_less_deep_after,
    "stub only": stub_only,
    "length against longest": length_against_longest,
    "hundreds": hundreds,
    "look sums after": look_sums(0),
    "look sums before": look_sums(1),
    "part depth after": part_depth(0),
    "part depth before": part_depth(1),
    "larger than next": larger_than(1),
    "larger than last": larger_than(-1),
    "sum after evidence": of_sums(0, "evidence"),
    "sum after share": of_sums(0, "share"),
    "sum after parts": of_sums(0, "parts"),
    "sum before evidence": of_sums(1, "evidence"),
    "sum before share": of_sums(1, "share"),
    "sum before parts": of_sums(1, "parts"),
}
"""The features of the row itself."""

OF_NEIGHBOURS = (
    "filled", "value share", "texts in value columns", "number share", "years of numbers", "alone at left", "first kind",
    "first bold", "first centred", "indent", "gap before", "border top", "border bottom", "widest span",
    "note word", "length", "total", "starts lower", "period end", "sum after evidence", "sum before evidence",
    "colon end", "stub only",
)  # fmt: skip
"""The features that the rows around are asked for as well."""

OFFSETS = (-2, -1, 1, 2)


def feature_names() -> tuple[str, ...]:
    own = (*OWN, *QUESTIONS)
    return (*own, *(f"{name} {offset:+d}" for offset in OFFSETS for name in OF_NEIGHBOURS))


def row_features(view: RowView) -> NDArray[np.float64]:
    """(rows, features), as `feature_names` names them."""
    if not len(view):
        return np.zeros((0, len(feature_names())))
    said = ask_texts(view.first_of(view.of(view.grid.text)).tolist())
    columns = {name: np.asarray(feature(view), dtype=np.float64) for name, feature in OWN.items()}
    columns |= {name: said[:, i].astype(np.float64) for i, name in enumerate(QUESTIONS)}
    around = [shifted(columns[name], offset) for offset in OFFSETS for name in OF_NEIGHBOURS]
    return np.column_stack([*columns.values(), *around])
