"""Which lines of a printed table go on with the row above them.

Goes in: the strip and its columns. Comes out: for each line but the first the probability that it belongs to the row
of the line before it: a wrapped cell, a header of several lines, a cell set at half height beside a taller one.
"""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.text import Strip
from tabellion.weights import Weights

JOINS = "printed-joins"  # name of the weights
JOIN_FEATURES = (
    "step", "step to least", "step to usual", "step before", "step after", "overlap", "ruled between",
    "ruled share", "upper filled", "lower filled", "filled in both", "only lower", "only upper", "upper first",
    "lower first", "first lower column", "numbers upper", "numbers lower", "numbers stacked", "lower case",
    "upper open", "lower bracket", "bold differs", "italic differs", "size differs", "indent", "fullness",
    "line", "lines left", "numbers above", "rulings above", "lines in block", "line in block", "upper spans",
    "lower spans", "columns", "lines", "lower words", "upper words", "shaded differs", "next filled", "above filled",
    "lower wider", "stub full", "filled usual", "step rank", "block lines usual", "column lines usual", "text columns",
    "capital lower", "middle offset", "blocks", "under span",
    "brackets lower", "lower starts", "all filled", "lines full", "new columns",
    "room most", "room least", "serial", "same filled", "stacked share", "even leading", "numbered lines",
)  # fmt: skip
_OPEN_END = re.compile(
    r"(?:[-,/&+(–:=]|\b(?:and|of|the|in|for|to|with|by|or|per|from|on|at|a|an|de|und|et|la|le))$", re.I
)
_BLANK = 0.25  # type sizes between two words
_FEWEST_COUNTED, _COUNTED = 4, 0.8  # so many rows, and such a share of them, must count on
_LONGEST_SERIAL = 5  # digits of a number that counts rows
_EVEN = 0.03  # share by which steps may differ that count as the same
_NONE = 10.0  # stands for room where no column goes on
_WIDE = 0.5  # of the table's width: a level ruling this long parts rows


class LineFacts(msgspec.Struct, frozen=True, eq=False):
    """What the lines of a strip hold, column by column."""

    filled: NDArray[np.bool_]  # (lines, columns)
    numeric: NDArray[np.bool_]
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    first: list[dict[int, int]]  # line -> column -> first word
    last: list[dict[int, int]]
    spans: NDArray[np.int32]  # phrases over several columns
    block: NDArray[np.int32]  # lines between the same two wide rulings
    ruled: NDArray[np.float64]  # share of the width that is ruled between a line and the next
    steps: NDArray[np.float64]
    room: NDArray[np.float64]  # (lines - 1, columns): white left for the first word of the next line; NaN where none is
    serial: NDArray[np.bool_]  # whether the first text of a line counts on from that of the line before
    numbered: NDArray[np.bool_]  # lines that open with a number, in a table whose rows are numbered


def line_facts(strip: Strip, columns: Columns, phrases: list[list[Phrase]]) -> LineFacts:
    """Columns filled, numbers, edges, rulings between: for every line."""
    count, width = len(strip), len(columns.columns)
    filled = np.zeros((count, width), dtype=bool)
    numeric = np.zeros((count, width), dtype=bool)
    left = np.full((count, width), np.inf, dtype=np.float32)
    right = np.full((count, width), -np.inf, dtype=np.float32)
    first: list[dict[int, int]] = [{} for _ in range(count)]
    last: list[dict[int, int]] = [{} for _ in range(count)]
    spans = np.zeros(count, dtype=np.int32)
    for k, line in enumerate(phrases):
        for phrase in line:
            words = list(phrase.words)
            covered = slice(phrase.first, phrase.last + 1)
            filled[k, covered] = True
            numeric[k, covered] = strip.numeric[words[0]]
            left[k, covered] = float(strip.box[words, 0].min())
            right[k, covered] = float(strip.box[words, 2].max())
            spans[k] += phrase.last > phrase.first
            for c in range(phrase.first, phrase.last + 1):
                first[k].setdefault(c, words[0])
                last[k][c] = words[-1]
    ruled = _ruled_between(strip)
    wide = ruled > _WIDE
    block = np.concatenate(([0], np.cumsum(wide | (np.diff(strip.part) != 0)))) if count else np.zeros(0)
    return LineFacts(
        filled, numeric, left, right, first, last, spans, block.astype(np.int32), ruled,
        np.diff(strip.line_base).astype(np.float64), _room(strip, columns, filled, left, right, first),
        *_serials(strip, first),
    )  # fmt: skip


def _room(
    strip: Strip,
    columns: Columns,
    filled: NDArray[np.bool_],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    first: list[dict[int, int]],
) -> NDArray[np.float64]:
    """By how much the first word of a line would have fitted on the line above, column by column, in type sizes.

    A text is wrapped where there is no room: what would have fitted is another row.
    """
    room = np.full((max(len(filled) - 1, 0), filled.shape[1]), np.nan)
    widths = [c.last - c.first for c in columns.columns]
    for k, c in np.argwhere(filled[:-1] & filled[1:]).tolist():
        word = first[k + 1][c]
        wanted = float(strip.box[word, 2] - strip.box[word, 0]) + _BLANK * strip.em
        room[k, c] = (widths[c] - float(right[k, c] - left[k, c]) - wanted) / strip.em
    return np.asarray(np.clip(room, -9, 9))


def _serials(strip: Strip, first: list[dict[int, int]]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Lines whose first text is a number one above that of the line before; and all that are numbered, if rows are."""
    numbers = []
    for line in first:
        text = strip.text[line[0]].strip(".)(") if 0 in line else ""
        numbers.append(int(text) if text.isdigit() and len(text) < _LONGEST_SERIAL else -9)
    serial = np.array([b == a + 1 and a >= 0 for a, b in pairwise(numbers)], dtype=bool)
    told = np.array(numbers) >= 0
    counted = [b == a + 1 for a, b in pairwise(n for n in numbers if n >= 0)]
    sure = len(counted) >= _FEWEST_COUNTED and sum(counted) >= _COUNTED * len(counted)
    return serial, told if sure else np.zeros(len(told), dtype=bool)


def _ruled_between(strip: Strip) -> NDArray[np.float64]:
    """How much of the table's width is ruled between each line and the next."""
    count = len(strip)
    result = np.zeros(max(count - 1, 0))
    if not len(strip.across):
        return result
    table_left, table_right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    width = max(table_right - table_left, 1.0)
    middle = (strip.across[:, 1] + strip.across[:, 3]) / 2
    long = np.minimum(strip.across[:, 2], table_right) - np.maximum(strip.across[:, 0], table_left)
    for k in range(count - 1):
        # a ruling close under the baseline of the upper line is below it; one through the lower line's words is above
        upper = float(strip.line_base[k]) - 0.1 * strip.em
        lower = float(strip.line_base[k + 1]) - 0.35 * strip.em
        between = (middle > upper) & (middle < lower) & (long > 0)
        if between.any():
            result[k] = min(1.0, _union_length(strip.across[between], table_left, table_right) / width)
    return result


def _union_length(boxes: NDArray[np.float32], low: float, high: float) -> float:
    total, reach = 0.0, low
    for a, b in sorted((float(x[0]), float(x[2])) for x in boxes):
        a, b = max(a, reach), min(b, high)
        if b > a:
            total += b - a
            reach = b
    return total


def join_features(strip: Strip, columns: Columns, phrases: list[list[Phrase]], facts: LineFacts) -> NDArray[np.float64]:
    """One row for each line and the next, one column per feature."""
    count, width = facts.filled.shape
    rows = np.zeros((max(count - 1, 0), len(JOIN_FEATURES)))
    if count < 2:
        return rows
    em = strip.em
    inner = facts.steps[(np.diff(strip.part) == 0)]
    positive = inner[inner > 0.5 * em] if (inner > 0.5 * em).any() else np.array([1.2 * em])
    least, usual = float(np.percentile(positive, 5)), float(np.median(positive))
    numbers = facts.numeric & facts.filled
    number_lines = np.cumsum(numbers.sum(axis=1) >= max(1, min(2, width - 1)))
    wide = facts.ruled > _WIDE
    rulings = np.concatenate(([0], np.cumsum(wide)))
    sizes = np.bincount(facts.block)
    block_usual = float(np.median(sizes))
    start_of = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    column_right = np.array([c.last for c in columns.columns])
    column_left = np.array([c.first for c in columns.columns])
    widths = np.maximum(column_right - column_left, em)
    text_columns = np.array([c.numeric < 0.5 for c in columns.columns])
    shaded = _shaded(strip)
    filled_count = facts.filled.sum(axis=1)
    column_lines = _lines_a_block(facts)
    full_lines = float((filled_count >= 0.85 * width).mean())
    ranks = np.searchsorted(np.sort(positive), facts.steps) / len(positive)
    even = float((np.abs(positive - usual) < _EVEN * usual).mean())
    numbered = float(facts.serial.mean())
    size_of = np.array([float(np.median(strip.size[list(line)])) for line in strip.lines])
    bold_of = np.array([float(strip.bold[list(line)].mean()) for line in strip.lines])
    italic_of = np.array([float(strip.italic[list(line)].mean()) for line in strip.lines])
    middle = (strip.line_box[:, 1] + strip.line_box[:, 3]) / 2
    for k in range(count - 1):
        up, low = facts.filled[k], facts.filled[k + 1]
        both = up & low
        first_low = int(np.argmax(low))
        shared = np.flatnonzero(both)
        anchor = int(shared[0]) if len(shared) else first_low
        lower_word = strip.text[facts.first[k + 1].get(anchor, strip.lines[k + 1][0])]
        upper_word = strip.text[facts.last[k].get(anchor, strip.lines[k][-1])]
        fullness = float(((facts.right[k, both] - column_left[both]) / widths[both]).max()) if both.any() else 0.0
        indent = float(facts.left[k + 1, anchor] - facts.left[k, anchor]) / em if both.any() else 0.0
        block = facts.block[k + 1]
        rows[k] = (
            facts.steps[k] / em,
            facts.steps[k] / least,
            facts.steps[k] / usual,
            facts.steps[k - 1] / usual if k else 3.0,
            facts.steps[k + 1] / usual if k + 2 < count else 3.0,
            float(strip.line_box[k, 3] - strip.line_box[k + 1, 1]) / em,
            facts.ruled[k],
            float(wide.mean()),
            float(up.sum()) / width,
            float(low.sum()) / width,
            float(both.sum()) / width,
            float((low & ~up).sum()) / width,
            float((up & ~low).sum()) / width,
            up[0],
            low[0],
            first_low,
            float((numbers[k]).sum()) / width,
            float((numbers[k + 1]).sum()) / width,
            float((numbers[k] & numbers[k + 1]).sum()),
            lower_word[:1].islower(),
            bool(_OPEN_END.search(upper_word)),
            lower_word[:1] in "([",
            abs(bold_of[k] - bold_of[k + 1]),
            abs(italic_of[k] - italic_of[k + 1]),
            abs(size_of[k] - size_of[k + 1]) / em,
            np.clip(indent, -5, 5),
            fullness,
            min(k, 12),
            min(count - k, 12),
            min(int(number_lines[k]), 5),
            min(int(rulings[k]), 5),
            min(int(sizes[block]), 30),
            min(int(k + 1 - start_of[block]), 12),
            facts.spans[k],
            facts.spans[k + 1],
            min(width, 15),
            min(count, 60),
            len(strip.lines[k + 1]) / max(filled_count[k + 1], 1),
            len(strip.lines[k]) / max(filled_count[k], 1),
            shaded[k] != shaded[k + 1],
            filled_count[k + 2] / width if k + 2 < count else 0.0,
            filled_count[k - 1] / width if k else 0.0,
            float(strip.line_box[k + 1, 2] - strip.line_box[k, 2]) / em,
            float(facts.right[k, 0] - column_left[0]) / widths[0] if up[0] else 0.0,
            float(np.median(filled_count)) / width,
            ranks[k],
            min(block_usual, 30),
            column_lines,
            float(text_columns.mean()),
            lower_word[:1].isupper(),
            float(middle[k + 1] - middle[k]) / em,
            min(len(sizes), 40),
            _under_span(phrases[k], low),
            np.mean([strip.text[p.words[0]][:1] in "([±" for p in phrases[k + 1]]),
            np.mean([strip.text[p.words[0]][:1].islower() for p in phrases[k + 1]]),
            up.all() and low.all(),
            full_lines,
            float((low & ~up).sum()) / max(float(low.sum()), 1.0),
            _most(facts.room[k]),
            -_most(-facts.room[k]),
            facts.serial[k],
            (up == low).all(),
            float((numbers[k] & numbers[k + 1]).sum()) / max(float(numbers[k + 1].sum()), 1.0),
            even,
            numbered,
        )
    return np.nan_to_num(rows, posinf=9.0, neginf=-9.0)


def _most(values: NDArray[np.float64]) -> float:
    """The largest of some values that may be missing; a large negative number where all are."""
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else -_NONE


def _under_span(upper: list[Phrase], lower: NDArray[np.bool_]) -> int:
    """How many columns the lower line fills under a phrase that spans them."""
    return max((int(lower[p.first : p.last + 1].sum()) for p in upper if p.last > p.first), default=0)


def _lines_a_block(facts: LineFacts) -> float:
    """How many lines a column usually fills between two wide rulings, at the column that fills fewest."""
    if facts.block[-1] < 2:
        return 0.0
    sums = np.zeros((facts.block[-1] + 1, facts.filled.shape[1]))
    np.add.at(sums, facts.block, facts.filled)
    sums[sums == 0] = np.nan
    with np.errstate(all="ignore"):
        least = np.nanmin(np.where(np.isnan(sums), np.inf, sums), axis=1)
    return float(np.median(least[np.isfinite(least)])) if np.isfinite(least).any() else 0.0


def _shaded(strip: Strip) -> NDArray[np.int32]:
    """For each line a number that tells its shading: how many fills lie behind its middle."""
    x = (strip.line_box[:, 0] + strip.line_box[:, 2]) / 2
    y = (strip.line_box[:, 1] + strip.line_box[:, 3]) / 2
    result = np.zeros(len(strip), dtype=np.int32)
    for k, (left, top, right, bottom) in enumerate(strip.fills.tolist(), 1):
        result[(x > left) & (x < right) & (y > top) & (y < bottom)] = k
    return result


def judge_joins(
    strip: Strip, columns: Columns, phrases: list[list[Phrase]], facts: LineFacts, weights: Weights
) -> NDArray[np.float64]:
    """The probability of each line but the first that it goes on with the row above it."""
    rows = join_features(strip, columns, phrases, facts)
    chance = weights.boosted(JOINS, JOIN_FEATURES).probabilities(rows)
    return settle_joins(strip, facts, chance)


def settle_joins(strip: Strip, facts: LineFacts, chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The judgement, but none over the end of a page or between two lines that are both numbered."""
    return np.where((np.diff(strip.part) != 0) | (facts.numbered[1:] & facts.numbered[:-1]), 0.0, chance)
