"""Which lines of a printed table go on with the row above them.

Goes in: the strip and its columns. Comes out: for each line but the first the probability that it belongs to the row
of the line before it: a wrapped cell, a header of several lines, a cell set at half height beside a taller one.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.line_facts import BLANK, WIDE, LineFacts
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
    "space most", "space least", "upper repeats", "lower repeats", "ruled before", "ruled after", "ahead shared",
    "ahead step", "behind shared", "behind step", "numbers down to lower",
)  # fmt: skip
_OPEN_END = re.compile(
    r"(?:[-,/&+(–:=]|\b(?:and|of|the|in|for|to|with|by|or|per|from|on|at|a|an|de|und|et|la|le))$", re.I
)
_EVEN = 0.03  # share by which steps may differ that count as the same
_NONE = 10.0  # stands for room where no column goes on


class _Lines(msgspec.Struct, frozen=True, eq=False):
    """What all pairs of lines of a strip share."""

    strip: Strip
    columns: Columns
    phrases: list[list[Phrase]]
    facts: LineFacts
    least: float  # the smallest and the usual step from line to line
    usual: float
    numbers: NDArray[np.bool_]  # (lines, columns)
    number_lines: NDArray[np.int64]  # how many lines with numbers there are down to each
    count: NDArray[np.int64]  # columns that each line fills
    column_left: NDArray[np.float64]
    widths: NDArray[np.float64]

    @property
    def width(self) -> int:
        return int(self.facts.filled.shape[1])


def join_features(strip: Strip, columns: Columns, phrases: list[list[Phrase]], facts: LineFacts) -> NDArray[np.float64]:
    """One row for each line and the next, one column per feature."""
    count, width = facts.filled.shape
    rows = np.zeros((max(count - 1, 0), len(JOIN_FEATURES)))
    if count < 2:
        return rows
    inner = facts.steps[(np.diff(strip.part) == 0)]
    positive = inner[inner > 0.5 * strip.em] if (inner > 0.5 * strip.em).any() else np.array([1.2 * strip.em])
    numbers = facts.numeric & facts.filled
    left = np.array([c.first for c in columns.columns])
    lines = _Lines(
        strip,
        columns,
        phrases,
        facts,
        least=float(np.percentile(positive, 5)),
        usual=median(positive),
        numbers=numbers,
        number_lines=np.cumsum(numbers.sum(axis=1) >= max(1, min(2, width - 1))),
        count=facts.filled.sum(axis=1),
        column_left=left,
        widths=np.maximum(np.array([c.last for c in columns.columns]) - left, strip.em),
    )
    told = {
        **_whole_table(lines, positive),
        **_steps_of(lines, positive),
        **_fills_of(lines),
        **_words_of(lines),
        **{name: np.abs(np.diff(values)) for name, values in _looks_of(strip).items()},
        **_blocks_of(lines),
        **_lines_around(lines),
    }
    for number, name in enumerate(JOIN_FEATURES):
        rows[:, number] = told[name]
    return np.nan_to_num(rows, posinf=9.0, neginf=-9.0)


Told = dict[str, float]
Series = dict[str, NDArray[np.float64]]


def _whole_table(lines: _Lines, positive: NDArray[np.float64]) -> Told:
    """What is true of the table, whatever the lines."""
    facts, width = lines.facts, lines.width
    return {
        "ruled share": float((facts.ruled > WIDE).mean()),
        "columns": min(width, 15),
        "lines": min(len(lines.strip), 60),
        "filled usual": median(lines.count) / width,
        "block lines usual": min(median(np.bincount(facts.block)), 30),
        "column lines usual": _lines_a_block(facts),
        "text columns": float(np.mean([c.numeric < 0.5 for c in lines.columns.columns])),
        "blocks": min(len(np.bincount(facts.block)), 40),
        "lines full": float((lines.count >= 0.85 * width).mean()),
        "even leading": float((np.abs(positive - lines.usual) < _EVEN * lines.usual).mean()),
        "numbered lines": float(facts.serial.mean()),
    }


def _looks_of(strip: Strip) -> Series:
    """The type of each line, which may differ from that of the next."""
    words = [list(line) for line in strip.lines]
    return {
        "bold differs": np.array([float(strip.bold[w].mean()) for w in words]),
        "italic differs": np.array([float(strip.italic[w].mean()) for w in words]),
        "size differs": np.array([median(strip.size[w]) for w in words]) / strip.em,
    }


def _steps_of(lines: _Lines, positive: NDArray[np.float64]) -> Series:
    """The step from each line to the next beside the others, and the rules between them."""
    facts, strip, em, usual = lines.facts, lines.strip, lines.strip.em, lines.usual
    steps, ruled = facts.steps, facts.ruled
    middle = (strip.line_box[:, 1] + strip.line_box[:, 3]) / 2
    return {
        "step": steps / em,
        "step to least": steps / lines.least,
        "step to usual": steps / usual,
        "step before": np.append(3.0, steps[:-1] / usual),
        "step after": np.append(steps[1:] / usual, 3.0),
        "step rank": np.searchsorted(np.sort(positive), steps) / len(positive),
        "overlap": (strip.line_box[:-1, 3] - strip.line_box[1:, 1]).astype(np.float64) / em,
        "middle offset": np.diff(middle).astype(np.float64) / em,
        "lower wider": np.diff(strip.line_box[:, 2]).astype(np.float64) / em,
        "ruled between": ruled,
        "ruled before": np.append(1.0, ruled[:-1]),
        "ruled after": np.append(ruled[1:], 1.0),
    }


def _blocks_of(lines: _Lines) -> Series:
    """Where a line stands in the table, in its stretch between two wide rulings, and in a band of shading."""
    facts, count = lines.facts, len(lines.strip)
    sizes = np.bincount(facts.block)
    start = np.concatenate(([0], np.cumsum(sizes)))[:-1]
    k = np.arange(count - 1)
    rulings = np.concatenate(([0], np.cumsum(facts.ruled > WIDE)))
    block = facts.block[1:]
    return {
        "line": np.minimum(k, 12),
        "lines left": np.minimum(count - k, 12),
        "numbers above": np.minimum(lines.number_lines[:-1], 5),
        "numbers down to lower": np.minimum(lines.number_lines[1:], 5),
        "rulings above": np.minimum(rulings[:-1], 5),
        "lines in block": np.minimum(sizes[block], 30),
        "line in block": np.minimum(k + 1 - start[block], 12),
        "shaded differs": np.diff(_shaded(lines.strip)) != 0,
    }


def _fills_of(lines: _Lines) -> Series:
    """Which columns a line and the next fill, with numbers or texts, alone or over several."""
    facts, width, numbers = lines.facts, lines.width, lines.numbers
    up, low = facts.filled[:-1], facts.filled[1:]
    count, figures = lines.count.astype(np.float64), numbers.sum(axis=1).astype(np.float64)
    stacked = (numbers[:-1] & numbers[1:]).sum(axis=1).astype(np.float64)
    new = (low & ~up).sum(axis=1).astype(np.float64)
    space = _space(lines)
    return {
        "upper filled": count[:-1] / width,
        "lower filled": count[1:] / width,
        "filled in both": (up & low).sum(axis=1).astype(np.float64) / width,
        "only lower": new / width,
        "only upper": (up & ~low).sum(axis=1).astype(np.float64) / width,
        "new columns": new / np.maximum(count[1:], 1.0),
        "all filled": up.all(axis=1) & low.all(axis=1),
        "same filled": (up == low).all(axis=1),
        "upper first": up[:, 0],
        "lower first": low[:, 0],
        "first lower column": np.argmax(low, axis=1),
        "numbers upper": figures[:-1] / width,
        "numbers lower": figures[1:] / width,
        "numbers stacked": stacked,
        "stacked share": stacked / np.maximum(figures[1:], 1.0),
        "upper spans": facts.spans[:-1],
        "lower spans": facts.spans[1:],
        "under span": np.array([_under_span(line, low[k]) for k, line in enumerate(lines.phrases[:-1])]),
        "stub full": np.where(
            up[:, 0], (facts.right[:-1, 0] - lines.column_left[0]).astype(np.float64) / lines.widths[0], 0.0
        ),
        "room most": _most(facts.room),
        "room least": -_most(-facts.room),
        "space most": _most(space),
        "space least": -_most(-space),
        "serial": facts.serial,
    }


def _words_of(lines: _Lines) -> Series:
    """How the texts of a line end and those of the next begin."""
    told = [_words_of_pair(lines, k) for k in range(len(lines.strip) - 1)]
    return {name: np.array([one[name] for one in told]) for name in told[0]}


def _words_of_pair(lines: _Lines, k: int) -> Told:
    """How the texts of a line end and those of the next begin."""
    facts, strip, phrases = lines.facts, lines.strip, lines.phrases
    both = facts.filled[k] & facts.filled[k + 1]
    shared = np.flatnonzero(both)
    anchor = int(shared[0]) if len(shared) else int(np.argmax(facts.filled[k + 1]))
    lower_word = strip.text[facts.first[k + 1].get(anchor, strip.lines[k + 1][0])]
    upper_word = strip.text[facts.last[k].get(anchor, strip.lines[k][-1])]
    fullness = ((facts.right[k, both] - lines.column_left[both]) / lines.widths[both]).max() if both.any() else 0.0
    indent = float(facts.left[k + 1, anchor] - facts.left[k, anchor]) / strip.em if both.any() else 0.0
    starts = [strip.text[p.words[0]] for p in phrases[k + 1]]
    return {
        "lower case": lower_word[:1].islower(),
        "capital lower": lower_word[:1].isupper(),
        "upper open": bool(_OPEN_END.search(upper_word)),
        "lower bracket": lower_word[:1] in "([",
        "indent": np.clip(indent, -5, 5),
        "fullness": float(fullness),
        "lower words": len(strip.lines[k + 1]) / max(lines.count[k + 1], 1),
        "upper words": len(strip.lines[k]) / max(lines.count[k], 1),
        "brackets lower": float(np.mean([t[:1] in "([±" for t in starts])),
        "lower starts": float(np.mean([t[:1].islower() for t in starts])),
        "upper repeats": _repeats(strip, phrases[k]),
        "lower repeats": _repeats(strip, phrases[k + 1]),
    }


def _lines_around(lines: _Lines) -> Series:
    """What the lines before and after the pair fill, and whether texts go on over a line set between theirs."""
    filled, steps, count = lines.facts.filled, lines.facts.steps, lines.count
    shared = (filled[:-2] & filled[2:]).sum(axis=1) / np.maximum(count[:-2], 1)
    stride = (steps[:-1] + steps[1:]) / lines.usual
    return {
        "next filled": np.append(count[2:] / lines.width, 0.0),
        "above filled": np.append(0.0, count[:-2] / lines.width),
        "ahead shared": np.append(shared, 0.0),
        "ahead step": np.append(stride, 4.0),
        "behind shared": np.append(0.0, shared),
        "behind step": np.append(4.0, stride),
    }


def _repeats(strip: Strip, line: list[Phrase]) -> float:
    """The share of a line's texts that it says more than once: a head that is wrapped begins alike over its columns."""
    said = Counter(" ".join(strip.text[w] for w in p.words) for p in line if not strip.numeric[p.words[0]])
    return sum(n for n in said.values() if n > 1) / max(len(line), 1)


def _space(lines: _Lines) -> NDArray[np.float64]:
    """As `room`, but in the whole space between a column's neighbours: heads may be wider than what stands below."""
    facts, strip = lines.facts, lines.strip
    low, high = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    bounds = np.array([low, *lines.columns.separators, high])
    space = np.full((len(strip) - 1, lines.width), np.nan)
    for k, c in np.argwhere(facts.filled[:-1] & facts.filled[1:]).tolist():
        word = facts.first[k + 1][c]
        wanted = float(strip.box[word, 2] - strip.box[word, 0]) + BLANK * strip.em
        space[k, c] = (bounds[c + 1] - bounds[c] - float(facts.right[k, c] - facts.left[k, c]) - wanted) / strip.em
    return np.asarray(np.clip(space, -9, 9))


def _most(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The largest value of each line, some of which may be missing; a large negative number where all are."""
    missing = np.isnan(values)
    return np.where(missing.all(axis=1), -_NONE, np.where(missing, -np.inf, values).max(axis=1))


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
    return median(least[np.isfinite(least)]) if np.isfinite(least).any() else 0.0


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
    """The judgement, but none over the end of a page, between two lines that are both numbered, or under a span: what
    stands side by side under one text is another row than that. Heads that are wrapped all alike go on.
    """
    apart = (np.diff(strip.part) != 0) | (facts.numbered[1:] & facts.numbered[:-1]) | facts.spanned
    return np.where(apart, 0.0, np.where(facts.wrapped, 1.0, chance))
