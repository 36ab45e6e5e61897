"""What tells whether a run of lines of a printed table is one row of it.

Goes in: the lines with their texts and columns, the chances that lines go on, and runs of lines, first and last.
Comes out: one row of figures per run. All runs are looked at together: those of one length in one step. Fails where
lines do not follow each other down the page: steps are taken as they come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.recognise.printed.line_facts import LineFacts
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.text import Strip

ROW_FEATURES = (
    "lines", "height", "tops", "middles", "bottoms", "agreement", "columns", "columns share", "wrapped", "most lines",
    "least join", "mean join", "join before", "join after", "step inside", "step before", "step after",
    "column step before", "column step after", "first column", "numbers stacked", "ruled inside", "ruled above",
    "ruled below", "lower starts", "capital starts", "span over", "filled before", "filled after", "shares before",
    "shares after", "lines usual", "position", "first lines", "gap difference", "numbers",
    "fill share", "full lines", "brackets", "table lines full",
    "room most", "serials", "stacked share", "even leading", "first column lines",
    "interleaved", "number lines before", "number lines", "text above numbers", "repeats",
)  # fmt: skip
_EVEN = 0.03  # share by which steps may differ that count as the same
_NONE = 10.0  # stands for room where nothing goes on
_EDGE_STEP = 4.0  # type sizes to the next line where there is none
_FARTHEST = 60.0  # points that a filled line of the same column is looked for
_FULL = 0.85  # of the columns that a full line fills
Series = dict[str, Any]  # of each feature one figure, or one per run


class _Runs(msgspec.Struct, frozen=True, eq=False):
    """The runs, and how many lines of each fill a column."""

    strip: Strip
    facts: LineFacts
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    depth: NDArray[np.int64]  # (runs, columns)

    @property
    def lines(self) -> NDArray[np.intp]:
        return self.last - self.first + 1

    @property
    def some(self) -> NDArray[np.bool_]:
        """(runs, columns): whether a run fills a column at all."""
        return self.depth > 0

    def sums(self, told: NDArray[Any]) -> NDArray[np.int64]:
        """How many lines of each run something is told of: one flag per line, or per line and column."""
        before = np.cumsum(np.concatenate([np.zeros((1, *told.shape[1:]), dtype=np.int64), told]), axis=0)
        return np.asarray(before[self.last + 1] - before[self.first])

    def each(
        self, values: NDArray[Any], make: Callable[[NDArray[Any]], NDArray[Any]], empty: float, less: int = 0
    ) -> NDArray[np.float64]:
        """What `make` makes of the values of each run's lines, but the last `less`; `empty` where none are left."""
        length = self.lines - less
        made: NDArray[np.float64] | None = None
        for count in np.unique(length[length > 0]).tolist():
            at = np.flatnonzero(length == count)
            one = make(values[self.first[at, None] + np.arange(count)])
            if made is None:
                made = np.full((len(length), *one.shape[1:]), empty)
            made[at] = one
        return np.full(len(length), empty) if made is None else made


def row_features(
    strip: Strip, phrases: list[list[Phrase]], facts: LineFacts, joins: NDArray[np.float64], runs: list[tuple[int, int]]
) -> NDArray[np.float64]:
    """One row per run of lines, one column per feature."""
    rows = np.zeros((len(runs), len(ROW_FEATURES)))
    if not runs:
        return rows
    first, last = np.array(runs, dtype=np.intp).T
    before = np.cumsum(np.concatenate([np.zeros((1, facts.filled.shape[1]), dtype=np.int64), facts.filled]), axis=0)
    of = _Runs(strip, facts, first, last, before[last + 1] - before[first])
    told = {
        **_whole_table(strip, facts),
        **_standing(of),
        **_steps(of, joins),
        **_neighbours(of),
        **_numbers(of),
        **_texts(of, phrases),
    }
    for number, name in enumerate(ROW_FEATURES):
        rows[:, number] = told[name]
    return np.nan_to_num(rows, posinf=9.0, neginf=-9.0)


def _whole_table(strip: Strip, facts: LineFacts) -> Series:
    """What is true of the table, whatever the run."""
    steps = facts.steps / strip.em
    usual = median(facts.steps) / strip.em if len(steps) else 1.2
    return {
        "lines usual": usual,
        "even leading": float((np.abs(steps - usual) < _EVEN * usual).mean()) if len(steps) else 1.0,
        "table lines full": float((facts.filled.sum(axis=1) >= _FULL * facts.filled.shape[1]).mean()),
    }


def _standing(of: _Runs) -> Series:
    """How many lines and columns there are, and how well the cells agree at their tops, middles or bottoms."""
    filled, some, depth = of.facts.filled, of.some, of.depth
    columns, width = some.sum(axis=1), filled.shape[1]
    base = of.strip.line_base.astype(np.float64)
    heights = np.where(filled, base[:, None], np.inf)
    tops = of.each(heights, lambda h: h.min(axis=1), 0.0)
    bottoms = of.each(np.where(filled, base[:, None], -np.inf), lambda h: h.max(axis=1), 0.0)
    with np.errstate(invalid="ignore"):
        spreads = [_spread(v, some) / of.strip.em for v in (tops, (tops + bottoms) / 2, bottoms)]
    between = filled[of.first] & filled[of.last] & (depth < of.lines[:, None]) & (of.lines > 2)[:, None]
    return {
        "lines": of.lines,
        "height": (base[of.last] - base[of.first]) / of.strip.em,
        "tops": spreads[0],
        "middles": spreads[1],
        "bottoms": spreads[2],
        "agreement": np.minimum(np.minimum(spreads[0], spreads[1]), spreads[2]),
        "columns": columns,
        "columns share": columns / width,
        "wrapped": (depth > 1).sum(axis=1) / np.maximum(columns, 1),
        "most lines": depth.max(axis=1),
        "first column": some[:, 0],
        "first lines": filled.sum(axis=1)[of.first] / width,
        "first column lines": depth[:, 0],
        "fill share": depth.sum(axis=1) / np.maximum(of.lines * columns, 1),
        "full lines": of.sums(filled.sum(axis=1) >= _FULL * width),
        "interleaved": between.sum(axis=1) / np.maximum(columns, 1),
    }


def _spread(values: NDArray[np.float64], some: NDArray[np.bool_]) -> NDArray[np.float64]:
    """How far the values of some columns of each run are apart; 0 where there are none."""
    most, least = np.where(some, values, -np.inf).max(axis=1), np.where(some, values, np.inf).min(axis=1)
    return np.where(some.any(axis=1), most - least, 0.0)


def _steps(of: _Runs, joins: NDArray[np.float64]) -> Series:
    """The steps and rulings inside a run and around it, and how likely its lines go on."""
    em, base, facts = of.strip.em, of.strip.line_base.astype(np.float64), of.facts
    first, last, count = of.first, of.last, len(of.strip)
    steps = np.diff(base) / em
    before, after = np.append(_EDGE_STEP, steps)[first], np.append(steps, _EDGE_STEP)[last]
    most = of.each(facts.steps / em, lambda s: s.max(axis=1), 0.0, less=1)
    return {
        "least join": of.each(joins, lambda j: j.min(axis=1), 1.0, less=1),
        "mean join": of.each(joins, lambda j: j.mean(axis=1), 1.0, less=1),
        "join before": np.append(0.0, joins)[first],
        "join after": np.append(joins, 0.0)[last],
        "step inside": most,
        "step before": before,
        "step after": after,
        "gap difference": np.minimum(before, after) - most,
        "column step before": _column_steps(facts, base, -1)[first] / em,
        "column step after": _column_steps(facts, base, 1)[last] / em,
        "ruled inside": of.each(facts.ruled, lambda r: r.max(axis=1, initial=0.0), 0.0, less=1),
        "ruled above": np.append(1.0, facts.ruled)[first],
        "ruled below": np.append(facts.ruled, 1.0)[last],
        "position": first / count,
    }


def _column_steps(facts: LineFacts, base: NDArray[np.float64], way: int) -> NDArray[np.float64]:
    """The smallest step from each line to the next filled line of one of its columns, up or down."""
    found = np.full(len(base), _FARTHEST)
    nearest = np.full(facts.filled.shape[1], np.inf)  # per column, where its last filled line stood
    for line in range(len(base)) if way < 0 else range(len(base) - 1, -1, -1):
        filled = facts.filled[line]
        found[line] = min(_FARTHEST, np.abs(nearest[filled] - base[line]).min(initial=np.inf))
        nearest[filled] = base[line]
    return found


def _neighbours(of: _Runs) -> Series:
    """What the line before a run and the one after it fill, of its own columns too."""
    none = np.zeros((1, of.facts.filled.shape[1]), dtype=bool)
    upper = np.concatenate([none, of.facts.filled])[of.first]
    lower = np.concatenate([of.facts.filled, none])[of.last + 1]
    columns = np.maximum(of.some.sum(axis=1), 1)
    return {
        "filled before": upper.mean(axis=1),
        "filled after": lower.mean(axis=1),
        "shares before": (upper & of.some).sum(axis=1) / columns,
        "shares after": (lower & of.some).sum(axis=1) / columns,
    }


def _numbers(of: _Runs) -> Series:
    """Numbers under numbers; lines of numbers before a run and in it."""
    numbers = of.facts.numeric & of.facts.filled
    width = numbers.shape[1]
    count = of.sums(numbers)
    stacked, with_numbers = (count > 1).sum(axis=1), (count > 0).sum(axis=1)
    told = np.append(0, np.cumsum(numbers.sum(axis=1) >= max(1, min(2, width - 1))))
    before, some = told[of.first], np.asarray(numbers.any(axis=1))
    return {
        "numbers": with_numbers / width,
        "numbers stacked": stacked,
        "stacked share": stacked / np.maximum(with_numbers, 1),
        "serials": of.each(of.facts.serial, lambda s: s.sum(axis=1), 0.0, less=1),
        "number lines before": np.minimum(before, 5),
        "number lines": np.minimum(told[of.last + 1] - before, 5),
        "text above numbers": (before == 0) & ~some[of.first] & some[of.last],
    }


def _texts(of: _Runs, phrases: list[list[Phrase]]) -> Series:
    """How the texts of all lines but the first begin, what spans others, and what the first line says twice."""
    texts = [[of.strip.text[p.words[0]] for p in line] for line in phrases]
    spanning = [[p for p in line if p.last > p.first] for line in phrases]
    repeats = [_repeats(line) for line in texts]
    rows = np.zeros((len(of.first), 5))
    for n, (first, last) in enumerate(zip(of.first.tolist(), of.last.tolist(), strict=True)):
        starts = [t[:1] for line in texts[first + 1 : last + 1] for t in line]
        count = max(len(starts), 1)
        over = [p for line in spanning[first : last + 1] for p in line] if last > first else []
        rows[n] = (
            sum(map(str.islower, starts)) / count,
            sum(map(str.isupper, starts)) / count,
            sum(t in "([±" for t in starts) / count,
            sum(of.depth[n, p.first : p.last + 1].max() > 1 for p in over),
            repeats[first],
        )
    room = np.where(np.isnan(of.facts.room), -np.inf, of.facts.room)
    most = of.each(room, lambda r: r.max(axis=(1, 2)), -np.inf, less=1)
    return {
        **dict(zip(("lower starts", "capital starts", "brackets", "span over", "repeats"), rows.T, strict=True)),
        "room most": np.where(most == -np.inf, -_NONE, most),
    }


def _repeats(line: list[str]) -> float:
    """The share of the texts of a line that it has said before, but for those with numbers."""
    opening = [t for t in line if not any(map(str.isdigit, t))]
    return 1 - len(set(opening)) / max(len(opening), 1)
