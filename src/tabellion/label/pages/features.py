"""Features of the rows and columns of web and printed tables that may be headers.

In: views of tables. Out: for each table, and for each table turned, a row of numbers for each of the first lines; and
what each table is like as a whole. A line is compared with the lines after it: does it look different, does it hold
words where they hold numbers, are its texts distinct, short, of another shape, in the words that headers are made of?

The rows and the columns of web tables as lines, in one layout: so that rows and columns are treated at once. In: views
of tables. Out: `Sides`: every table twice, first all with their rows as lines and their columns as cross lines, then
all turned. Slots stand cross line after cross line, so that a line is compared with the lines after it within a stretch
of an array. Fails on tables without slots: callers leave them out.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.pages.view import (
    DATE,
    EMPTY,
    IMAGE,
    KIND_NAMES,
    KINDS,
    LABEL,
    LONG,
    MEASURE,
    MIXED,
    NUMBER,
    SAID,
    TRAITS,
    YEAR,
    Bools,
    Floats,
    Ints,
    WebViews,
)
from tabellion.model.arrays import distinct

FIRST_LINES = 5  # lines that may be headers, and the one after them


class Sides(msgspec.Struct, frozen=True, eq=False):
    """Where the lines and cross lines of every table are; a side is a table, or a table turned."""

    table: Ints  # of each slot as the views have them
    row: Ints
    column: Ints
    lines: Ints  # how many each side has
    crosses: Ints
    order: Ints  # the slots as the sides have them: the number of each in the views
    cross: Ints  # the cross line of each, counted over all sides
    line: Ints  # the line of each within its side
    starts: Ints  # the place of the first slot of each cross line
    side: Ints  # the side of each cross line
    side_starts: Ints  # the first cross line of each side
    first: Ints  # cross lines × first lines, and the one after them: the places of their slots
    there: NDArray[np.bool_]  # sides × first lines: whether a side has so many lines

    def line_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sides × lines × values: the sums over the slots of each line; of slots × values, as in the views."""
        wide, most = values.shape[1], max(FIRST_LINES, int(self.lines.max()))
        shape = (len(self.lines) // 2, most, wide)
        weights, of = values.ravel(), np.arange(wide)
        sums = [
            np.bincount(((self.table * most + line)[:, None] * wide + of).ravel(), weights, math.prod(shape))
            for line in (self.row, self.column)
        ]
        return np.concatenate(sums, dtype=np.float64).reshape(-1, most, wide)

    def over_crosses(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum over the cross lines of each side."""
        return np.add.reduceat(values, self.side_starts, axis=0)

    def over_slots(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum over the slots of each cross line, which are the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1)


def lay_sides(views: WebViews) -> Sides:
    """The layout of tables that have slots."""
    heights, widths = views.shapes.T
    sizes = heights * widths
    table = np.repeat(np.arange(len(sizes)), sizes)
    before = (sizes.cumsum() - sizes)[table]
    slots = np.arange(len(table))
    row, column = np.divmod(slots - before, widths[table])
    turned = np.empty_like(slots)
    turned[before + column * heights[table] + row] = slots
    lines, crosses = np.append(heights, widths), np.append(widths, heights)
    side = np.repeat(np.arange(len(lines)), crosses)
    length = lines[side]
    starts = length.cumsum() - length
    cross = np.repeat(np.arange(len(side)), length)
    places = np.arange(FIRST_LINES + 1)
    return Sides(
        table=table,
        row=row,
        column=column,
        lines=lines,
        crosses=crosses,
        order=np.append(turned, slots),
        cross=cross,
        line=np.arange(len(cross)) - starts[cross],
        starts=starts,
        side=side,
        side_starts=crosses.cumsum() - crosses,
        first=starts[:, None] + np.minimum(places, length[:, None] - 1),
        there=places[:-1] < lines[:, None],
    )


OWN_TRAITS = ("heading", "in head", "bold", "colon", "header words", "capital", "indent")
CONTRASTED_TRAITS = (
    "bold", "italic", "size", "fill", "align", "under", "colon", "header words", "capital", "upper", "linked",
)  # fmt: skip
LINE_FEATURES = (
    *OWN_TRAITS, "heading after", *(f"{name} contrast" for name in CONTRASTED_TRAITS), *KIND_NAMES, "labels contrast",
    "filled", "filled contrast", "first empty", "words over numbers", "same kind", "same shape", "same fill",
    "same align", "again after", "length", "length contrast", "length stands out", "distinct", "distinct after",
    "spanning", "spanning over", "counts up", "indent varies", "agreement after", "lines after",
)  # fmt: skip
SHAPE_FEATURES = (
    "rows", "columns", "two columns", "titles", "groups", "number share", "label share", "long share", "empty share",
    "columns agree", "rows agree", "columns alike", "any heading", "linked share", "image share",
)  # fmt: skip
_HEADING, _LINKED, _LENGTH, _INDENT = (TRAITS.index(name) for name in ("heading", "linked", "length", "indent"))
_OWN = [TRAITS.index(name) for name in OWN_TRAITS]
_CONTRASTS = [TRAITS.index(name) for name in CONTRASTED_TRAITS]
_ALL_KINDS = np.arange(KINDS)
_WORDS = np.isin(_ALL_KINDS, (LABEL, MIXED, LONG))
_FIGURES = np.isin(_ALL_KINDS, (NUMBER, DATE, YEAR, MEASURE))
_PLACES = np.arange(FIRST_LINES)


class TableFeatures(msgspec.Struct, frozen=True, eq=False):
    """What the first lines of each table say, nought where it has fewer, and what the table is like as a whole."""

    rows: Floats  # tables × FIRST_LINES × LINE_FEATURES
    columns: Floats
    shape: Floats  # tables × SHAPE_FEATURES


def table_features(views: WebViews) -> TableFeatures:
    """The features of all tables that have slots."""
    sides = lay_sides(views)
    kinds = _count_kinds(views, sides)
    lines = _line_features(views, sides, kinds)
    half = len(lines) // 2
    return TableFeatures(lines[:half], lines[half:], _shape_features(views, sides, kinds))


class _Kinds(msgspec.Struct, frozen=True, eq=False):
    """The kinds of the slots in the first lines (cross lines × first lines), and of those after them."""

    own: Ints
    own_by_kind: Bools  # with an axis for the kinds
    in_cross: Ints  # cross lines × kinds
    after: Ints  # cross lines × first lines × kinds but the empty one


def _count_kinds(views: WebViews, sides: Sides) -> _Kinds:
    kind = views.kind[sides.order]
    own = kind[sides.first[:, :-1]]
    by_kind = own[:, :, None] == _ALL_KINDS
    crosses = len(sides.starts)
    in_cross = np.bincount(sides.cross * KINDS + kind, minlength=crosses * KINDS).reshape(crosses, KINDS)
    return _Kinds(own, by_kind, in_cross, (in_cross[:, None] - by_kind.cumsum(axis=1))[:, :, 1:])


def _line_features(views: WebViews, sides: Sides, kinds: _Kinds) -> Floats:
    """What the first lines of each side say, compared with the lines after them; in the order of LINE_FEATURES."""
    lines, width = sides.lines[:, None], sides.crosses[:, None]
    sums, later = _line_sums(views, sides)
    count, after_count = sums[:, :, -1], later[:, :, -1]
    size, left = np.maximum(1, count), np.maximum(1, after_count)
    own, after = sums / size[:, :, None], later / left[:, :, None]
    contrast = own - after
    below = np.maximum(0, lines - 1 - _PLACES)

    filled = kinds.own != EMPTY
    total = kinds.after.sum(axis=2)
    common = np.where(total > 0, kinds.after.argmax(axis=2) + 1, EMPTY)
    known = filled & (total > 0)
    agreement = kinds.after.max(axis=2) / np.maximum(1, total)
    over_crosses = sides.over_crosses(
        np.stack(
            [
                known, known & _WORDS[kinds.own] & _FIGURES[common], known & (kinds.own == common), total > 0,
                agreement, *_like_after(views, sides, total, known), _stands_out(views, sides, filled),
                *_neighbours(views, sides),
            ],
            axis=-1,
        )
    )  # fmt: skip
    some, over_figures, alike, full, agreeing = over_crosses[:, :, :5].transpose(2, 0, 1)
    stands_out, spanning, counts_up, joined = over_crosses[:, :, 9:].transpose(2, 0, 1)
    some = np.maximum(1, some)
    kinds_here = sides.over_crosses(kinds.own_by_kind.astype(np.int64)) / size[:, :, None]
    indent = np.where(filled, views.traits[sides.order[sides.first[:, :-1]], _INDENT], 0.0)
    distinct, distinct_after = _distinct(views, sides, filled)
    length, length_after = np.log1p(own[:, :, _LENGTH]), np.log1p(after[:, :, _LENGTH])
    features = [
        own[:, :, _OWN], after[:, :, _HEADING], contrast[:, :, _CONTRASTS], kinds_here[:, :, 1:],
        kinds_here[:, :, LABEL] - later[:, :, -2] / left,
        count / width, count / width - after_count / width / np.maximum(1, below),
        ~filled[sides.side_starts], over_figures / some, alike / some, over_crosses[:, :, 5:9] / some[:, :, None],
        length, length - length_after, stands_out / size, distinct / size,
        np.broadcast_to(distinct_after / left[:, :1], size.shape),
        spanning / np.maximum(1, width - 1), joined / size, counts_up / np.maximum(1, width - 1),
        np.maximum(0, np.maximum.reduceat(indent, sides.side_starts)) - own[:, :, _INDENT],
        agreeing / np.maximum(1, full), np.log1p(below),
    ]  # fmt: skip
    told = np.concatenate([each if each.ndim == 3 else each[:, :, None] for each in features], axis=2)
    return np.where(sides.there[:, :, None], told, 0.0)


def _line_sums(views: WebViews, sides: Sides) -> tuple[Floats, Floats]:
    """The sums of the traits, the labels and the filled slots of the first lines, and of all lines after each."""
    filled = views.kind != EMPTY
    sums = sides.line_sums(np.column_stack([views.traits * filled[:, None], views.kind == LABEL, filled]))
    later = sums[:, ::-1].cumsum(axis=1)[:, ::-1] - sums
    return sums[:, :FIRST_LINES], later[:, :FIRST_LINES]


def _like_after(views: WebViews, sides: Sides, total: Ints, known: Bools) -> Floats:
    """Share of the slots after it in its cross line that have a slot's shape, fill align; whether one has its text.

    Codes × cross lines × first lines.
    """
    codes = views.codes[:, sides.order]
    own = codes[:, sides.first[:, :-1].T]
    later = (views.kind != EMPTY)[sides.order] & (sides.line > _PLACES[:, None])
    alike = (codes[:, None] == own[:, :, sides.cross]) & later
    like = sides.over_slots(alike.view(np.uint8)).swapaxes(1, 2)  # there are fewer lines than 256
    shares = like / np.maximum(1, total)
    shares[SAID] = like[SAID] > 0
    return np.asarray(shares * known)


def _stands_out(views: WebViews, sides: Sides, filled: Bools) -> Floats:
    """How far the length of each slot of the first lines lies from those after it in its cross line."""
    length, there = views.traits[sides.order, _LENGTH], (views.kind != EMPTY)[sides.order]
    stack = np.stack([there, length * there, length * length * there])
    first = sides.first[:, :-1]
    after = sides.over_slots(stack)[:, :, None] - stack[:, first].cumsum(axis=2)  # whole numbers: nothing is rounded
    count = np.maximum(1, after[0])
    mean = after[1] / count
    deviation = np.sqrt(np.maximum(0, after[2] / count - mean * mean))
    return np.asarray(np.minimum(3, np.abs(length[first] - mean) / (deviation + 2)) * filled)


def _neighbours(views: WebViews, sides: Sides) -> tuple[Bools, Bools, Bools]:
    """Whether the next slot of a line is of the same cell, whether it counts one more; whether the next line's is."""
    at = sides.order[sides.first]
    home, number = views.home[at], views.number[at[:, :-1]]
    beside = np.append(sides.side[1:] == sides.side[:-1], [False])[:, None]
    following = np.minimum(np.arange(len(at)) + 1, len(at) - 1)
    spanning = (home[following, :-1] == home[:, :-1]) & beside
    counts_up = (number[following] - number == 1) & beside
    goes_on = (home[:, 1:] == home[:, :-1]) & (views.kind[at[:, 1:]] != EMPTY)
    return spanning, counts_up, goes_on & (sides.lines[sides.side][:, None] > _PLACES + 1)


def _distinct(views: WebViews, sides: Sides, filled: Bools) -> tuple[Ints, Ints]:
    """How many distinct texts each of the first lines has, and all lines but the very first; sides × lines."""
    said = views.codes[SAID][sides.order]
    texts, groups = int(said.max()) + 1, FIRST_LINES + 1
    own = (sides.side[:, None] * groups + _PLACES) * texts + said[sides.first[:, :-1]]
    later = (sides.line > 0) & (views.kind != EMPTY)[sides.order]
    after = (sides.side[sides.cross[later]] * groups + FIRST_LINES) * texts + said[later]
    found = distinct(np.append(own[filled], after)) // texts
    counts = np.bincount(found, minlength=len(sides.lines) * groups).reshape(-1, groups)
    return counts[:, :-1], counts[:, -1:]


def _shape_features(views: WebViews, sides: Sides, kinds: _Kinds) -> Floats:
    """What each table is like as a whole; in the order of SHAPE_FEATURES."""
    tables = [table for table in views.tables if table.kind.size]
    lines = np.array([[len(t.rows), len(t.columns), len(t.titles), len(t.groups)] for t in tables], dtype=np.float64)
    of_kind = sides.over_crosses(kinds.in_cross)[: len(tables)]
    filled = np.maximum(1, of_kind[:, 1:].sum(axis=1))
    shares = of_kind / filled[:, None]
    agree, alike = _agreement(sides, kinds)
    marked = np.add.reduceat(views.traits[:, [_HEADING, _LINKED]], np.flatnonzero(np.diff(sides.table, prepend=-1)))
    return np.column_stack(
        [
            np.log1p(lines[:, :2]), lines[:, 1] == 2, lines[:, 2], np.log1p(lines[:, 3]),
            shares[:, _FIGURES].sum(axis=1), shares[:, LABEL], shares[:, LONG],
            1 - filled / views.shapes.prod(axis=1), agree[: len(tables)], agree[len(tables) :], alike[: len(tables)],
            marked[:, 0] > 0, marked[:, 1] / filled, shares[:, IMAGE],
        ]
    )  # fmt: skip


def _agreement(sides: Sides, kinds: _Kinds) -> tuple[Floats, Floats]:
    """How large the share of the commonest kind of a cross line is on average; how many of those kinds are the same.

    Of each side; without its first line and cross line, where it has others.
    """
    inner = np.minimum(sides.lines, sides.crosses) > 1
    used = np.ones(len(sides.side), dtype=bool)
    used[sides.side_starts] = ~inner
    counts = np.where(inner[sides.side, None], kinds.after[:, 0], kinds.in_cross[:, 1:]) * used[:, None]
    total = counts.sum(axis=1)
    common = np.where(total > 0, counts.argmax(axis=1) + 1, EMPTY)
    number = np.maximum(1, sides.over_crosses((total > 0).astype(np.int64)))
    shares = sides.over_crosses(counts.max(axis=1) / np.maximum(1, total)) / number
    same = np.bincount(sides.side * KINDS + common, minlength=len(inner) * KINDS).reshape(-1, KINDS)[:, 1:]
    return shares, same.max(axis=1) / number
