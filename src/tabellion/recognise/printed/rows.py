"""The rows of a printed table, and the cells that span several of them.

Rows of a printed table as runs of lines, chosen for the table as a whole. In: for each line the chance to go on with
the line above (`line_joins`). Out: the row of each line. Every run of lines that may be a row is judged by how its
cells stand to one another (their tops, middles or bottoms agree), and the division of all lines into rows that is
likeliest as a whole is taken. This is what tells rows apart where wrapped cells are centred against their neighbours
and the leading is the same inside and between rows.

Cells that rulings show to span several rows. In: a strip and its columns. Out: blocks: the words of one column between
two rules of its own, where the columns beside it have rules in between. Such words form one cell over all rows of the
block and do not tell rows; they are taken out of the lines before rows are told, and come back as cells.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.line_joins import LineFacts
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.text import Strip
from tabellion.weights import Weights

_COVERED = 0.7  # of a column's width: a rule this long parts its cells
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
    for k, group in enumerate(groups):
        for c, (a, b) in enumerate(pairwise(bounds)):
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
ROW_FEATURES = (
    "lines", "height", "tops", "middles", "bottoms", "agreement", "columns", "columns share", "wrapped", "most lines",
    "least join", "mean join", "join before", "join after", "step inside", "step before", "step after",
    "column step before", "column step after", "first column", "numbers stacked", "ruled inside", "ruled above",
    "ruled below", "lower starts", "capital starts", "span over", "filled before", "filled after", "shares before",
    "shares after", "lines usual", "position", "first lines", "gap difference", "numbers",
    "fill share", "full lines", "brackets", "table lines full",
    "room most", "serials", "stacked share", "even leading", "first column lines",
)  # fmt: skip
_EVEN = 0.03  # share by which steps may differ that count as the same
_NONE = 10.0
_MOST_LINES = 14
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


def row_features(
    strip: Strip,
    phrases: list[list[Phrase]],
    facts: LineFacts,
    joins: NDArray[np.float64],
    runs: list[tuple[int, int]],
) -> NDArray[np.float64]:
    """One row per run of lines, one column per feature."""
    em = strip.em
    count, width = facts.filled.shape
    base = strip.line_base.astype(np.float64)
    rows = np.zeros((len(runs), len(ROW_FEATURES)))
    numbers = facts.numeric & facts.filled
    full_lines = float((facts.filled.sum(axis=1) >= 0.85 * width).mean())
    usual = float(np.median(facts.steps)) / em if len(facts.steps) else 1.2
    even = float((np.abs(facts.steps / em - usual) < _EVEN * usual).mean()) if len(facts.steps) else 1.0
    texts = [[(p.first, strip.text[p.words[0]]) for p in line] for line in phrases]
    for n, (first, last) in enumerate(runs):
        filled = facts.filled[first : last + 1]
        some = np.asarray(filled.any(axis=0))
        depth = filled.sum(axis=0)
        heights = np.where(filled, base[first : last + 1, None], np.nan)
        with np.errstate(all="ignore"):
            tops = np.nanmin(heights[:, some], axis=0)
            bottoms = np.nanmax(heights[:, some], axis=0)
        middles = (tops + bottoms) / 2
        spreads = [float(np.ptp(v)) / em if len(v) else 0.0 for v in (tops, middles, bottoms)]
        inside = joins[first:last]
        before, after = (joins[first - 1] if first else 0.0), (joins[last] if last < count - 1 else 0.0)
        step_before = (base[first] - base[first - 1]) / em if first else 4.0
        step_after = (base[last + 1] - base[last]) / em if last < count - 1 else 4.0
        inner = facts.steps[first:last] / em
        upper = facts.filled[first - 1] if first else np.zeros(width, dtype=bool)
        lower = facts.filled[last + 1] if last < count - 1 else np.zeros(width, dtype=bool)
        starts = [t for line in texts[first + 1 : last + 1] for _, t in line]
        rows[n] = (
            last - first + 1,
            (base[last] - base[first]) / em,
            *spreads,
            min(spreads),
            some.sum(),
            some.mean(),
            (depth > 1).sum() / max(some.sum(), 1),
            depth.max(),
            inside.min() if len(inside) else 1.0,
            inside.mean() if len(inside) else 1.0,
            before,
            after,
            inner.max() if len(inner) else 0.0,
            step_before,
            step_after,
            _column_step(facts, base, first, -1) / em,
            _column_step(facts, base, last, 1) / em,
            some[0],
            (numbers[first : last + 1].sum(axis=0) > 1).sum(),
            facts.ruled[first:last].max(initial=0.0),
            facts.ruled[first - 1] if first else 1.0,
            facts.ruled[last] if last < count - 1 else 1.0,
            sum(t[:1].islower() for t in starts) / max(len(starts), 1),
            sum(t[:1].isupper() for t in starts) / max(len(starts), 1),
            sum(
                p.last > p.first and depth[p.first : p.last + 1].max() > 1
                for line in phrases[first : last + 1]
                for p in line
            ),
            upper.mean(),
            lower.mean(),
            (upper & some).sum() / max(some.sum(), 1),
            (lower & some).sum() / max(some.sum(), 1),
            usual,
            first / count,
            filled[0].mean(),
            min(step_before, step_after) - (inner.max() if len(inner) else 0.0),
            numbers[first : last + 1].any(axis=0).mean(),
            filled[:, some].mean() if some.any() else 0.0,
            (filled.sum(axis=1) >= 0.85 * width).sum(),
            sum(t[:1] in "([±" for t in starts) / max(len(starts), 1),
            full_lines,
            _most_room(facts.room[first:last]),
            facts.serial[first:last].sum(),
            (numbers[first : last + 1].sum(axis=0) > 1).sum() / max(numbers[first : last + 1].any(axis=0).sum(), 1),
            even,
            filled[:, 0].sum(),
        )
    return np.nan_to_num(rows, posinf=9.0, neginf=-9.0)


def _most_room(room: NDArray[np.float64]) -> float:
    """The most room that was left anywhere inside a run; a large negative number where nothing goes on."""
    known = room[~np.isnan(room)]
    return float(known.max()) if len(known) else -_NONE


def _column_step(facts: LineFacts, base: NDArray[np.float64], line: int, way: int) -> float:
    """The smallest step from a line to the next filled line of one of its columns, up or down."""
    best = 60.0
    for column in np.flatnonzero(facts.filled[line]).tolist():
        k = line + way
        while 0 <= k < len(base) and abs(base[k] - base[line]) < best:
            if facts.filled[k, column]:
                best = abs(float(base[k] - base[line]))
                break
            k += way
    return best


def choose_rows(count: int, runs: list[tuple[int, int]], chance: NDArray[np.float64]) -> NDArray[np.int32]:
    """The row of each line in the likeliest division, in which each line counts once."""
    best = np.full(count + 1, -np.inf)
    best[0] = 0.0
    back = np.zeros(count + 1, dtype=np.int32)
    worth = np.log(np.clip(chance, 1e-6, 1.0))
    order = sorted(range(len(runs)), key=lambda k: runs[k][1])
    for k in order:
        first, last = runs[k]
        score = best[first] + (last - first + 1) * worth[k]
        if score > best[last + 1]:
            best[last + 1], back[last + 1] = score, first
    rows = np.zeros(count, dtype=np.int32)
    end, cuts = count, []
    while end > 0:
        cuts.append((int(back[end]), end))
        end = int(back[end])
    for number, (start, stop) in enumerate(reversed(cuts)):
        rows[start:stop] = number
    return rows


def find_rows(
    strip: Strip, phrases: list[list[Phrase]], facts: LineFacts, joins: NDArray[np.float64], weights: Weights
) -> NDArray[np.int32]:
    """The row of each line."""
    runs = row_candidates(joins)
    features = row_features(strip, phrases, facts, joins, runs)
    chance = weights.boosted(ROWS, ROW_FEATURES).probabilities(features)
    return choose_rows(len(strip), runs, settle_rows(facts, runs, chance))


def settle_rows(facts: LineFacts, runs: list[tuple[int, int]], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The judgement, but none for a run with two numbers where rows are numbered."""
    before = np.concatenate(([0], np.cumsum(facts.numbered)))
    return np.array([0.0 if before[b + 1] - before[a] > 1 else p for (a, b), p in zip(runs, chance, strict=True)])
