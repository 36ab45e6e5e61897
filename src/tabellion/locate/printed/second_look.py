"""The pieces of a page as arrays, and a second look at them that knows their neighbours.

A second look at the pieces of a page, now that it is known how likely each of its neighbours is part of a table. In: a
page and the first judgement of its pieces. Out: more features of each piece: what was judged above, below, in the same
row, and over the rows around it.

The pieces of a page as arrays that grouping asks for again and again. In: a printed page. Out: for each piece its box,
size and what it is: a number, a caption, a line of text. What counts as a number is told by its letters alone, so a
year in running text is one too.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.piece_features import Earlier, is_number
from tabellion.locate.printed.rulings import Lattice, find_lattices, lattice_of
from tabellion.model.arrays import median
from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.values.table_labels import read_caption

_FEWEST_LINES = 6  # of prose, to tell columns from
_COLUMN_APART = 40.0  # points between the left edges of two columns of text
_COLUMN_SHARE = 0.15  # of all lines of prose, at least, in a column


class PieceFacts(msgspec.Struct, frozen=True, eq=False):
    """Boxes, sizes and looks of all pieces of a page; `caption` is 1 for a table's, 2 for a figure's opening line."""

    box: NDArray[np.float64]
    base: NDArray[np.float64]
    size: NDArray[np.float64]
    text: list[str]
    letters: NDArray[np.int64]
    numeric: NDArray[np.float64]
    bold: NDArray[np.float64]
    caption: NDArray[np.int64]
    prose: NDArray[np.bool_]
    rules: NDArray[np.float64]  # level rules: left, y, right, thickness
    uprights: NDArray[np.float64]  # x, top, bottom, thickness
    page: PrintedPage
    lattices: tuple[Lattice, ...]
    lattice: NDArray[np.int64]  # of each piece, or -1
    earlier: Earlier


def gather_facts(page: PrintedPage, earlier: Earlier = Earlier()) -> PieceFacts:
    """What grouping wants to know of a page, and of those before it."""
    pieces, words = page.pieces, page.words
    texts = pieces.text.tolist()
    count = len(texts)
    fonts = np.array([f.bold for f in page.fonts], dtype=np.float64)
    each = np.maximum(np.bincount(words.piece, minlength=count), 1)
    bold = np.bincount(words.piece, weights=fonts[words.font], minlength=count) / each if count else np.zeros(0)
    labels = [read_caption(t) for t in texts]
    letters = np.array([len(t.replace(" ", "")) for t in texts], dtype=np.int64)
    digits = np.array([sum(map(str.isdigit, t)) for t in texts], dtype=np.int64)
    across, down = page.across.astype(np.float64), page.down.astype(np.float64)
    box, lattices = pieces.box.astype(np.float64), tuple(find_lattices(page))
    return PieceFacts(
        box=box,
        base=pieces.baseline.astype(np.float64),
        size=np.maximum(pieces.size.astype(np.float64), 1.0),
        text=texts,
        letters=letters,
        numeric=np.array([is_number(t) for t in texts], dtype=np.float64),
        bold=bold,
        caption=np.array([0 if c is None else 1 if c.kind == "table" else 2 for c in labels], dtype=np.int64),
        prose=(letters > 35) & (digits < 0.2 * letters),
        rules=np.column_stack(
            [across[:, 0], (across[:, 1] + across[:, 3]) / 2, across[:, 2], across[:, 3] - across[:, 1]]
        ),
        uprights=np.column_stack([(down[:, 0] + down[:, 2]) / 2, down[:, 1], down[:, 3], down[:, 2] - down[:, 0]]),
        page=page,
        lattices=lattices,
        lattice=lattice_of(box, lattices),
        earlier=earlier,
    )


def count_columns(facts: PieceFacts) -> int | None:
    """How many columns the text of a page is set in, side by side; None where it has hardly any."""
    lines = np.flatnonzero(facts.prose)
    if len(lines) < _FEWEST_LINES:
        return None
    left, right = facts.box[lines, 0], facts.box[lines, 2]
    order = np.argsort(left)
    groups = np.split(order, np.flatnonzero(np.diff(left[order]) > _COLUMN_APART) + 1)
    columns, reach = 0, -1e9
    for group in groups:
        if len(group) >= _COLUMN_SHARE * len(lines) and median(left[group]) > reach - 1:
            columns += 1
            reach = median(right[group])
    return max(columns, 1)


def hull(boxes: NDArray[np.floating]) -> Box:
    """The box around boxes."""
    low, high = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


SECOND_FEATURES = (
    "own", "above", "below", "left", "right", "mates mean", "mates least", "mates most", "rows above", "rows below",
    "around", "around over half", "second above", "second below", "twins mean", "page mean",
)  # fmt: skip
_ROWS = 4.5  # type sizes up and down that count as the rows around
_NONE = -1.0  # where there is no such neighbour


def second_features(page: PrintedPage, first: NDArray[np.float64]) -> NDArray[np.float32]:
    """One row per piece, one column per feature (SECOND_FEATURES)."""
    count = len(first)
    rows = np.zeros((count, len(SECOND_FEATURES)), dtype=np.float32)
    if not count:
        return rows
    box = page.pieces.box.astype(np.float64)
    left, top, right, bottom = box.T
    size = np.maximum(page.pieces.size.astype(np.float64), 1.0)
    base = page.pieces.baseline.astype(np.float64)
    overlap_y = np.minimum(bottom[:, None], bottom) - np.maximum(top[:, None], top)
    mate = overlap_y > 0.5 * np.minimum((bottom - top)[:, None], bottom - top)
    np.fill_diagonal(mate, False)
    over = np.minimum(right[:, None], right) - np.maximum(left[:, None], left) > 0
    drop = base[None, :] - base[:, None]
    lone = np.arange(count)
    rows[:, 0] = first
    at_above: NDArray[np.intp] = np.zeros(count, dtype=np.intp)
    at_below: NDArray[np.intp] = np.zeros(count, dtype=np.intp)
    for column, sign in ((1, -1), (2, 1)):
        distance = np.where(over & ~mate & (sign * drop > 0.3 * size[:, None]), sign * drop, np.inf)
        at = distance.argmin(1)
        known = np.isfinite(distance[lone, at]) & (distance[lone, at] < 8 * size)
        rows[:, column] = np.where(known, first[at], _NONE)
        at = np.where(known, at, lone)
        at_above, at_below = (at, at_below) if sign < 0 else (at_above, at)
    for column, beside in (
        (3, mate & (right[None, :] <= left[:, None] + 0.5)),
        (4, mate & (left[None, :] >= right[:, None] - 0.5)),
    ):
        gap = np.where(beside, np.abs(left[:, None] - left[None, :]), np.inf)
        at = gap.argmin(1)
        rows[:, column] = np.where(np.isfinite(gap[lone, at]), first[at], _NONE)
    mates = mate.sum(1)
    rows[:, 5] = np.where(mates, (mate * first).sum(1) / np.maximum(mates, 1), _NONE)
    rows[:, 6] = np.where(mates, np.where(mate, first, 2).min(1), _NONE)
    rows[:, 7] = np.where(mates, np.where(mate, first, -2).max(1), _NONE)
    wide = (
        np.minimum(right[:, None] + 6 * size[:, None], right + 1e9)
        - np.maximum(left[:, None] - 6 * size[:, None], left)
        > 0
    )
    wide &= left[None, :] < right[:, None] + 6 * size[:, None]
    for column, around in (
        (8, wide & (drop < -0.3 * size[:, None]) & (drop > -_ROWS * size[:, None])),
        (9, wide & (drop > 0.3 * size[:, None]) & (drop < _ROWS * size[:, None])),
        (10, wide & (np.abs(drop) < 2 * _ROWS * size[:, None])),
    ):
        near = around & ~np.eye(count, dtype=bool)
        number = near.sum(1)
        rows[:, column] = np.where(number, (near * first).sum(1) / np.maximum(number, 1), _NONE)
        if column == 10:
            rows[:, 11] = np.where(number, (near & (first > 0.5)).sum(1) / np.maximum(number, 1), _NONE)
    rows[:, 12] = rows[at_above, 1]
    rows[:, 13] = rows[at_below, 2]
    rows[:, 14] = _between_rules(page, first, box)
    rows[:, 15] = first.mean()
    return rows


def _between_rules(page: PrintedPage, first: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean judgement of the pieces between the two level rules that a piece stands between."""
    result = np.full(len(box), _NONE)
    rules = page.across.astype(np.float64)
    rules = rules[(rules[:, 2] - rules[:, 0]) > 40]
    if not len(rules):
        return result
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    at = (rules[:, 1] + rules[:, 3]) / 2
    covers = (rules[None, :, 0] <= x[:, None] + 1) & (rules[None, :, 2] >= x[:, None] - 1)
    up = np.where(covers & (at[None, :] < y[:, None]), at[None, :], -np.inf)
    down = np.where(covers & (at[None, :] > y[:, None]), at[None, :], np.inf)
    above, below = up.argmax(1), down.argmin(1)
    known = np.isfinite(up.max(1)) & np.isfinite(down.min(1))
    zones: dict[tuple[int, int], list[int]] = {}
    for k in np.flatnonzero(known).tolist():
        zones.setdefault((int(above[k]), int(below[k])), []).append(k)
    for members in zones.values():
        result[members] = first[members].mean()
    return result
