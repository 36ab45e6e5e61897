"""The rows of a printed table, and the cells that span several of them.

Rows are runs of lines: each is judged by how its cells stand to one another, and the likeliest division is taken.
Cells that rulings show to span rows (`Block`) are taken out of the lines before rows are told, and come back as cells.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.line_facts import LineFacts, stacks_figures
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.row_features import ROW_FEATURES, row_features
from tabellion.recognise.printed.text import Strip
from tabellion.weights import Weights

_COVERED = 0.7  # of the width of a column's texts: a rule this long parts its cells
_BESIDE = 0.5  # share of the other columns that must be ruled inside a block
_SAME_RULE = 2.5  # points: rules closer than this are one
_LEADING = 1.75  # type sizes between two lines of one cell
_MATCHED = 0.6  # share of a block's lines that stand on lines of other columns where it is no single cell


class Block(msgspec.Struct, frozen=True):
    """A cell over several rows: its column, its upper and lower edge, its words line by line."""

    column: int
    top: float
    bottom: float
    lines: tuple[tuple[int, ...], ...]


def find_blocks(strip: Strip, columns: Columns) -> list[Block]:
    """The cells that span rows, as rulings show them."""
    width = len(columns.columns)
    if width < 2 or not len(strip.across):
        return []
    heights, covered = _rules_by_column(strip, columns)
    found: list[Block] = []
    column_of = np.array(
        [columns.at(float(a + b) / 2) for a, b in zip(strip.box[:, 0], strip.box[:, 2], strict=True)], dtype=np.intp
    )
    middle = (strip.box[:, 1] + strip.box[:, 3]) / 2
    for hull in strip.hulls:
        inside = (heights > hull.top - strip.em) & (heights < hull.bottom + strip.em)
        ys, over = heights[inside], covered[inside]
        for column in range(width):
            own = ys[over[:, column]].tolist()
            edges = [hull.top - strip.em, *own, hull.bottom + strip.em]
            for top, bottom in pairwise(edges):
                between = (ys > top + 1) & (ys < bottom - 1)
                others = np.delete(over[between], column, axis=1)
                if not len(others) or others.mean(axis=1).max() < _BESIDE:
                    continue
                words = np.flatnonzero((column_of == column) & (middle > top) & (middle < bottom))
                lines = _lines_of(strip, words)
                beside = np.flatnonzero(over[between].any(axis=0))
                if lines and _is_one_cell(strip, lines, np.isin(column_of, beside)):
                    found.append(Block(column, float(top), float(bottom), lines))
    return found


def _rules_by_column(strip: Strip, columns: Columns) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The heights of level rules, and for each which columns it runs under."""
    y = (strip.across[:, 1] + strip.across[:, 3]) / 2
    order = np.argsort(y)
    groups = np.split(order, np.flatnonzero(np.diff(y[order]) > _SAME_RULE) + 1)
    bounds = [float(strip.box[:, 0].min()), *columns.separators, float(strip.box[:, 2].max())]
    heights = np.array([float(y[g].mean()) for g in groups])
    covered = np.zeros((len(groups), len(bounds) - 1), dtype=bool)
    for c, (low, high) in enumerate(pairwise(bounds)):
        a, b = max(low, columns.columns[c].first), min(high, columns.columns[c].last)
        if b <= a:
            a, b = low, high
        for k, group in enumerate(groups):
            over = np.minimum(strip.across[group, 2], b) - np.maximum(strip.across[group, 0], a)
            covered[k, c] = over.clip(0).sum() >= _COVERED * (b - a)
    return heights, covered


def _lines_of(strip: Strip, words: NDArray[np.intp]) -> tuple[tuple[int, ...], ...]:
    lines: dict[int, list[int]] = {}
    for w in words.tolist():
        lines.setdefault(int(strip.line_of[w]), []).append(w)
    return tuple(tuple(sorted(lines[k], key=lambda w: float(strip.box[w, 0]))) for k in sorted(lines))


def _is_one_cell(strip: Strip, lines: tuple[tuple[int, ...], ...], beside: NDArray[np.bool_]) -> bool:
    """Whether lines are set closely, as those of one cell, and not each on a line of the cells beside it."""
    bases = [float(strip.base[line[0]]) for line in lines]
    if any(b - a > _LEADING * strip.em for a, b in pairwise(bases)):
        return False
    if len(lines) == 1:
        return True
    if sum(bool(strip.numeric[line[0]]) for line in lines) > 1:
        return False
    others = strip.base[beside]
    matched = sum(bool((np.abs(others - b) < 0.2 * strip.em).any()) for b in bases)
    return matched < _MATCHED * len(bases)


def without_words(strip: Strip, words: set[int]) -> Strip:
    """The strip with some words taken out of its lines; lines that are left empty are gone."""
    kept = [(k, tuple(w for w in line if w not in words)) for k, line in enumerate(strip.lines)]
    kept = [(k, line) for k, line in kept if line]
    at = [k for k, _ in kept]
    line_of = np.full(len(strip.line_of), -1, dtype=np.int32)
    line_box = strip.line_box[at].copy()
    for n, (_, line) in enumerate(kept):
        line_of[list(line)] = n
        line_box[n, 0], line_box[n, 2] = strip.box[list(line), 0].min(), strip.box[list(line), 2].max()
    return msgspec.structs.replace(
        strip,
        lines=tuple(line for _, line in kept),
        line_of=line_of,
        line_box=line_box,
        line_base=strip.line_base[at],
        part=strip.part[at],
    )


ROWS = "printed-rows"  # name of the weights
_MOST_LINES = 14
_FEWEST_EVEN = 3  # lines, and columns that are all filled in them, that are rows of their own
_CLOSED, _FEWEST_CLOSED = 0.6, 3  # of the height that rules between all columns run through; rows between level ones
_SOME_RULE = 0.1  # of a table's width: a rule this long parts two rows of closed cells
_LEAST_JOIN = 0.015  # a run is not tried over a place less likely to join


def row_candidates(joins: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Runs of lines (first, last) that may be a row."""
    count = len(joins) + 1
    found: list[tuple[int, int]] = []
    for first in range(count):
        last = first
        while True:
            found.append((first, last))
            if last + 1 >= count or last - first + 2 > _MOST_LINES or joins[last] < _LEAST_JOIN:
                break
            last += 1
    return found


def choose_rows(count: int, runs: list[tuple[int, int]], chance: NDArray[np.float64]) -> NDArray[np.int32]:
    """The row of each line in the likeliest division, in which each line counts once."""
    best = np.full(count + 1, -np.inf)
    best[0] = 0.0
    back = np.zeros(count + 1, dtype=np.int32)
    worth = np.log(np.clip(chance, 1e-6, 1.0))
    for k in sorted(range(len(runs)), key=lambda k: runs[k][1]):
        first, last = runs[k]
        score = best[first] + (last - first + 1) * worth[k]
        if score > best[last + 1]:
            best[last + 1], back[last + 1] = score, first
    rows, end, cuts = np.zeros(count, dtype=np.int32), count, []
    while end > 0:
        cuts.append((int(back[end]), end))
        end = int(back[end])
    for number, (start, stop) in enumerate(reversed(cuts)):
        rows[start:stop] = number
    return rows


def find_rows(
    strip: Strip,
    columns: Columns,
    phrases: list[list[Phrase]],
    facts: LineFacts,
    joins: NDArray[np.float64],
    weights: Weights,
) -> NDArray[np.int32]:
    """The row of each line."""
    closed = closed_rows(strip, columns, facts)
    if closed is not None:
        return closed
    runs = row_candidates(joins)
    features = row_features(strip, phrases, facts, joins, runs)
    chance = weights.boosted(ROWS, ROW_FEATURES).probabilities(features)
    return choose_rows(len(strip), runs, settle_rows(facts, runs, chance))


def closed_rows(strip: Strip, columns: Columns, facts: LineFacts) -> NDArray[np.int32] | None:
    """The row of each line where rules close every cell of a table: all that stands between two level ones is one row.

    None where they do not, or where rules part groups of rows: what is between them holds several.
    """
    if not columns.ruled or min(columns.ruled) < _CLOSED:
        return None
    ends = (facts.ruled > _SOME_RULE) | (np.diff(strip.part) != 0) | facts.spanned
    rows = np.concatenate(([0], np.cumsum(ends))).astype(np.int32)
    numbers = facts.numeric & facts.filled
    for row in range(int(rows[-1]) + 1):
        lines = rows == row
        depth = facts.filled[lines].sum(axis=0)
        used = depth[depth > 0]
        stacked = (numbers[lines].sum(axis=0) > 1).any()
        named = np.flatnonzero(facts.filled[lines, 0])
        if lines.sum() > 1 and (stacked or (len(used) > 1 and (used == lines.sum()).all())):
            return None
        if len(named) > 1 and np.ptp(named) >= len(named):
            return None
    return rows if rows[-1] + 1 >= _FEWEST_CLOSED else None


def _holds_several(filled: NDArray[np.bool_]) -> bool:
    """Whether lines are several rows by what they fill: texts of three and more columns do not all wrap into as many
    lines, three and more.
    """
    used = filled[:, filled.any(axis=0)]
    return len(used) >= _FEWEST_EVEN and used.shape[1] >= _FEWEST_EVEN and bool(used.all())


def settle_rows(facts: LineFacts, runs: list[tuple[int, int]], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The judgement, but none for a run with two numbers where rows are numbered, for figures under figures, for
    texts side by side under another, for one that ends where heads are wrapped, and for several rows by what they fill.
    """
    before = np.concatenate(([0], np.cumsum(facts.numbered)))
    count, wrapped = len(facts.filled), facts.wrapped & ~facts.spanned

    def impossible(first: int, last: int) -> bool:
        if before[last + 1] - before[first] > 1 or stacks_figures(facts, first, last):
            return True
        if _holds_several(facts.filled[first : last + 1]):
            return True
        if facts.under[first + 1 : last + 1].max(initial=-1) >= first:
            return True
        return bool((first > 0 and wrapped[first - 1]) or (last + 1 < count and wrapped[last]))

    return np.array([0.0 if impossible(*run) else p for run, p in zip(runs, chance, strict=True)])
