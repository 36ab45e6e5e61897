"""Which columns of a block are its stub, and the features that tell.

Columns to stub and values: which columns label the rows. In: a block's rows and columns. Out: for each column the
probability that it is a stub, and the split that fits best: stub columns lead; one at the right end extends the left
stub (Chen and Cafarella 2013, section 2.1). Fails where codes are numbers like any other and nothing in the head tells
them apart.

What can be seen of each column of a block of rows: the features of the column labeller. In: a grid, the rows of the
head and of the body, and the columns in question. Out: one row of numbers per column, named by COLUMN_FEATURES. All are
shares, counts or flags, so that grids of any size compare.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import DATE, EMPTY, NUMBER, TEXT, Content, Grid
from tabellion.values.date import may_be_years
from tabellion.weights import Weights

SAMPLE_ROWS = 150  # rows looked at; what a column is for shows early, and long sheets cost no more

_MEASURED_TEXTS = 80  # of a column whose length is told

_CONTENTS = np.array(list(Content), dtype=np.uint8)[:, None, None]

Floats = NDArray[np.float64]


class ColumnView(msgspec.Struct, frozen=True, eq=False):
    """The block that column features look at; arrays are (body rows, columns)."""

    grid: Grid
    content: NDArray[np.uint8]
    number: Floats
    label: NDArray[np.object_]
    indent: NDArray[np.float32]
    style: NDArray[np.int32]
    head: NDArray[np.object_]
    head_content: NDArray[np.uint8]
    head_home: NDArray[np.int32]
    said: NDArray[np.bool_]
    filled: Floats  # filled cells of each column, at least one
    shares: Floats  # (contents, columns): the share of each content
    numeric: NDArray[np.bool_]  # numbers that are known

    def share(self, content: Content) -> Floats:
        """The share of filled cells of each column that say such a thing."""
        return np.asarray(self.shares[content])

    def number_share(self) -> Floats:
        return np.asarray(self.shares[Content.NUMBER] + self.shares[Content.MISSING])

    def look_share(self, name: str, value: object) -> Floats:
        held = (self.grid.by_style(name) == value)[self.style]
        return np.asarray((held & self.said).sum(axis=0) / self.filled)


def view_columns(grid: Grid, header_rows: list[int], body_rows: list[int], columns: list[int]) -> ColumnView:
    """The block as the features see it; a long body is sampled evenly."""
    if len(body_rows) > SAMPLE_ROWS:
        picked = np.linspace(0, len(body_rows) - 1, SAMPLE_ROWS).astype(int)
        body_rows = [body_rows[i] for i in picked]
    body, head = np.ix_(body_rows, columns), np.ix_(header_rows, columns)
    home = grid.home[body]
    flat_content, flat_label = grid.content.ravel(), grid.label.ravel()
    down_only = (home % grid.shape[1]) == np.asarray(columns)[None, :]
    own = np.asarray(body_rows)[:, None] * grid.shape[1] + np.asarray(columns)[None, :]
    spread = np.where(down_only, home, own)
    content = flat_content[spread]
    said = content != EMPTY
    filled = np.maximum(said.sum(axis=0), 1).astype(np.float64)
    number = grid.number.ravel()[spread]
    return ColumnView(
        grid=grid,
        content=content,
        said=said,
        filled=filled,
        shares=(content == _CONTENTS).sum(axis=1) / filled,
        number=number,
        numeric=(content == NUMBER) & ~np.isnan(number),
        label=flat_label[spread],
        indent=grid.indent[body],
        style=grid.style[body],
        head=flat_label[grid.home[head]],
        head_content=flat_content[grid.home[head]],
        head_home=grid.home[head],
    )


def _position(view: ColumnView) -> Floats:
    return np.arange(view.content.shape[1], dtype=np.float64)


def _position_from_right(view: ColumnView) -> Floats:
    return _position(view)[::-1].copy()


def _relative_position(view: ColumnView) -> Floats:
    return np.asarray(_position(view) / max(1, view.content.shape[1] - 1))


def _filled_share(view: ColumnView) -> Floats:
    return np.asarray(view.said.mean(axis=0)) if len(view.content) else np.zeros(view.content.shape[1])


def _first_filled_share(view: ColumnView) -> Floats:
    """How often this column holds the first filled cell of its row."""
    said = view.said
    first = said & (np.cumsum(said, axis=1) == 1)
    return np.asarray(first.sum(axis=0) / np.maximum(said.any(axis=1).sum(), 1))


def _numeric_columns_before(view: ColumnView) -> Floats:
    numeric = (view.number_share() > 0.6) & view.said.any(axis=0)
    return np.concatenate([[0], np.cumsum(numeric)[:-1]]).astype(np.float64)


def _numeric_columns_after(view: ColumnView) -> Floats:
    numeric = (view.number_share() > 0.6) & view.said.any(axis=0)
    return np.concatenate([np.cumsum(numeric[::-1])[::-1][1:], [0]]).astype(np.float64)


def _text_columns_before(view: ColumnView) -> Floats:
    return np.concatenate([[0], np.cumsum(view.share(Content.TEXT) > 0.6)[:-1]]).astype(np.float64)


def _text_columns_after(view: ColumnView) -> Floats:
    return np.concatenate([np.cumsum((view.share(Content.TEXT) > 0.6)[::-1])[::-1][1:], [0]]).astype(np.float64)


def _year_share(view: ColumnView) -> Floats:
    years = view.numeric & may_be_years(view.number)
    return np.asarray(years.sum(axis=0) / view.filled)


def _integer_share(view: ColumnView) -> Floats:
    with np.errstate(invalid="ignore"):
        whole = view.numeric & (view.number == np.floor(view.number))
    return np.asarray(whole.sum(axis=0) / np.maximum(view.numeric.sum(axis=0), 1))


def _steps(view: ColumnView) -> tuple[NDArray[np.intp], Floats]:
    """The steps from each number of a column to the next one, and the column of each; column after column."""
    column, row = np.nonzero(view.numeric.T)
    number = view.number[row, column]
    within = column[1:] == column[:-1]
    return column[1:][within], np.diff(number)[within]


def _medians(column: NDArray[np.intp], values: Floats, width: int) -> tuple[NDArray[np.intp], Floats]:
    """How many values each column has, and their median; nought where it has none."""
    count = np.bincount(column, minlength=width)
    ordered = np.append(values[np.lexsort((values, column))], 0.0)
    start = count.cumsum() - count
    low, high = (np.minimum(start + half, len(values)) for half in (np.maximum(count - 1, 0) // 2, count // 2))
    return count, np.where(count > 0, (ordered[low] + ordered[high]) / 2, 0.0)


def _share_of_steps(column: NDArray[np.intp], chosen: NDArray[np.bool_], width: int) -> Floats:
    """The share of the steps of each column that are chosen; -1 where it has fewer than two."""
    count = np.bincount(column, minlength=width)
    share = np.bincount(column, chosen, minlength=width) / np.maximum(count, 1)
    return np.where(count > 1, share, -1.0)


def _rising_share(view: ColumnView) -> Floats:
    column, steps = _steps(view)
    return _share_of_steps(column, steps > 0, view.content.shape[1])


def _even_step_share(view: ColumnView) -> Floats:
    column, steps = _steps(view)
    _, median = _medians(column, steps, view.content.shape[1])
    return _share_of_steps(column, np.abs(steps - median[column]) < 1e-9, view.content.shape[1])


def _magnitude(view: ColumnView) -> Floats:
    column, row = np.nonzero(view.numeric.T)
    count, median = _medians(column, np.abs(view.number[row, column]), view.content.shape[1])
    return np.where(count > 0, np.log10(1 + median), -1.0)


def _distinct_share(view: ColumnView) -> Floats:
    counts = [len(set(compress(*both))) for both in zip(view.label.T.tolist(), view.said.T.tolist(), strict=True)]
    return np.asarray(np.array(counts, dtype=np.float64) / view.filled)


def _text_length(view: ColumnView) -> Floats:
    """The mean length of the first texts."""
    column, row = np.nonzero((view.said & (view.said.cumsum(axis=0) <= _MEASURED_TEXTS)).T)
    lengths = np.fromiter(map(len, view.label[row, column].tolist()), dtype=np.float64, count=len(row))
    width = view.content.shape[1]
    count = np.bincount(column, minlength=width)
    return np.asarray(np.bincount(column, lengths, minlength=width) / np.maximum(count, 1))


def _code_share(view: ColumnView) -> Floats:
    """How many texts are digits alone: numbers kept as text, with leading zeros or many digits, are codes."""
    shares = np.zeros(view.content.shape[1])
    for c in np.flatnonzero((view.content == TEXT).any(axis=0)).tolist():
        told = view.label[view.said[:, c], c].tolist()
        shares[c] = sum(t[:1].isdigit() and t.replace(".", "").isdigit() for t in told) / view.filled[c]
    return shares


def _headed(view: ColumnView) -> Floats:
    return np.asarray((view.head_content != EMPTY).any(axis=0), dtype=np.float64)


def _head_number_share(view: ColumnView) -> Floats:
    numbers = ((view.head_content == NUMBER) | (view.head_content == DATE)).sum(axis=0)
    return np.asarray(numbers / np.maximum((view.head_content != EMPTY).sum(axis=0), 1))


def _shares_head_with_left(view: ColumnView) -> Floats:
    if not len(view.head_home):
        return np.zeros(view.content.shape[1])
    same = (view.head_home[:, 1:] == view.head_home[:, :-1]).any(axis=0)
    return np.concatenate([[False], same]).astype(np.float64)


def _head_rows_spanned(view: ColumnView) -> Floats:
    """How much of the head one cell of this column covers downwards: a stub head often covers all of it."""
    if not len(view.head_home):
        return np.zeros(view.content.shape[1])
    homes = np.where(view.head_content != EMPTY, view.head_home, -1)
    filled = [[home for home in column if home >= 0] for column in homes.T.tolist()]
    tallest = [max(map(column.count, column), default=0) for column in filled]
    return np.array(tallest) / len(view.head_home)


def _like_neighbour(view: ColumnView, shift: int) -> Floats:
    """How alike the number share of the neighbour at `shift` is (1: the same, 0: none there)."""
    share = view.number_share()
    result = np.zeros(len(share))
    if shift < 0:
        result[-shift:] = 1 - np.abs(share[-shift:] - share[:shift])
    else:
        result[:-shift] = 1 - np.abs(share[:-shift] - share[shift:])
    return result


def _indented_share(view: ColumnView) -> Floats:
    return np.asarray(((view.indent > 0) & view.said).sum(axis=0) / view.filled)


def _decimal_share(view: ColumnView) -> Floats:
    return 1 - _integer_share(view)


COLUMN_FEATURES: dict[str, Callable[[ColumnView], Floats]] = {
    "position": _position,
    "position from right": _position_from_right,
    "relative position": _relative_position,
    "filled": _filled_share,
    "first filled": _first_filled_share,
    "numbers": lambda v: v.share(Content.NUMBER),
    "texts": lambda v: v.share(Content.TEXT),
    "dates": lambda v: v.share(Content.DATE),
    "missing": lambda v: v.share(Content.MISSING),
    "numeric columns before": _numeric_columns_before,
    "numeric columns after": _numeric_columns_after,
    "text columns before": _text_columns_before,
    "text columns after": _text_columns_after,
    "years": _year_share,
    "integers": _integer_share,
    "decimals": _decimal_share,
    "rising": _rising_share,
    "even steps": _even_step_share,
    "magnitude": _magnitude,
    "distinct": _distinct_share,
    "text length": _text_length,
    "codes": _code_share,
    "headed": _headed,
    "head is number": _head_number_share,
    "shares head with left": _shares_head_with_left,
    "head rows spanned": _head_rows_spanned,
    "like left": lambda v: _like_neighbour(v, -1),
    "like right": lambda v: _like_neighbour(v, 1),
    "indented": _indented_share,
    "bold": lambda v: v.look_share("bold", True),
    "left aligned": lambda v: v.look_share("align", "left"),
    "right aligned": lambda v: v.look_share("align", "right"),
    "centred": lambda v: v.look_share("align", "center"),
    "rows": lambda v: np.full(v.content.shape[1], float(min(len(v.content), SAMPLE_ROWS))),
    "columns": lambda v: np.full(v.content.shape[1], float(v.content.shape[1])),
}


def column_features(grid: Grid, header_rows: list[int], body_rows: list[int], columns: list[int]) -> Floats:
    """The features of each column, (columns, features)."""
    view = view_columns(grid, header_rows, body_rows, columns)
    return np.array([feature(view) for feature in COLUMN_FEATURES.values()]).T


COLUMN_WEIGHTS = "columns"
RIGHT_STUB = 0.9  # a stub at the right end is rare: it must be this sure


def stub_probabilities(
    grid: Grid, header_rows: list[int], body_rows: list[int], columns: list[int], weights: Weights
) -> NDArray[np.float64]:
    """The probability of each column to be a stub."""
    features = column_features(grid, header_rows, body_rows, columns)
    return weights.boosted(COLUMN_WEIGHTS, COLUMN_FEATURES).probabilities(features)


def split_stub(probability: NDArray[np.float64]) -> list[int]:
    """Positions of the stub columns: the most probable leading ones, and a sure one at the right end."""
    sure = np.clip(probability, 1e-6, 1 - 1e-6)
    as_stub, as_value = np.log(sure), np.log(1 - sure)
    fits = np.concatenate([[0.0], np.cumsum(as_stub)]) + np.concatenate([np.cumsum(as_value[::-1])[::-1], [0.0]])
    lead = int(fits.argmax())
    stub = list(range(lead))
    last = len(sure) - 1
    if lead < last and sure[last] > RIGHT_STUB:
        stub.append(last)
    return stub
