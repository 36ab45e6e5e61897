"""Phrases: the words of a line that are one text, in one column or over several.

Goes in: the strip and its columns. Comes out: for each line its phrases with the columns they cover. Words in one
column belong together; where two neighbours stand in different columns boosted trees judge whether they are one
text over both (a spanning header, a group row) or the cells of two columns set close together.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.printed import Shift
from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.text import Strip
from tabellion.weights import Weights

SPANS = "printed-spans"  # name of the weights
SPAN_FEATURES = (
    "gap", "gap to blank", "gap to line", "numeric left", "numeric right", "bold differs", "italic differs", "ruled",
    "sure", "right off left", "right off middle", "right off right", "left off left", "left off middle",
    "left off right", "column aligned", "line", "runs", "words", "filled", "numbers above", "numbers in line",
    "rule under both", "rule ends between", "ink over", "run words", "run columns", "capital right", "lower right",
    "left ends open", "columns", "whole off middle", "gap usual here", "words left", "words right", "size differs",
    "wide rule above", "rich below", "left edge of column", "run to table",
)  # fmt: skip
_FARTHEST = 2.2  # of the type size: words further apart are never one text over two columns
_UNDER = 1.1  # of the type size: how far below the text a spanner's rule may lie
_WORD_GAP = 0.7  # of the type size: words closer than this are one run, whatever the columns
_LIKELY = 0.5
_OPEN_WORDS = frozenset({"of", "and", "the", "in", "for", "to", "per", "by", "vs", "or"})


class Phrase(msgspec.Struct, frozen=True):
    """Words of one line that are one text, and the first and last column they cover."""

    words: tuple[int, ...]
    first: int
    last: int


class Doubt(msgspec.Struct, frozen=True):
    """Two neighbours of a line that stand in different columns, `at` and `at + 1` in the line."""

    line: int
    at: int
    left: int
    right: int


def doubts(strip: Strip, columns: Columns) -> list[Doubt]:
    """The places where it must be judged whether a text goes on into the next column."""
    found: list[Doubt] = []
    for k, line in enumerate(strip.lines):
        for at in range(len(line) - 1):
            a, b = line[at], line[at + 1]
            left, right = column_of(strip, columns, a), column_of(strip, columns, b)
            if left < right and _gap(strip, a, b) < _FARTHEST * strip.em and not _ruling_between(strip, a, b):
                found.append(Doubt(k, at, left, right))
    return found


def column_of(strip: Strip, columns: Columns, word: int) -> int:
    """The column that a word's middle is in."""
    return columns.at(float(strip.box[word, 0] + strip.box[word, 2]) / 2)


def _gap(strip: Strip, a: int, b: int) -> float:
    return float(strip.box[b, 0] - strip.box[a, 2])


def _ruling_between(strip: Strip, a: int, b: int) -> bool:
    if not len(strip.down):
        return False
    x = (strip.down[:, 0] + strip.down[:, 2]) / 2
    y = float(strip.box[a, 1] + strip.box[a, 3]) / 2
    low, high = float(strip.box[a, 0] + strip.box[a, 2]) / 2, float(strip.box[b, 0] + strip.box[b, 2]) / 2
    return bool(((x > low) & (x < high) & (strip.down[:, 1] < y) & (strip.down[:, 3] > y)).any())


def span_features(strip: Strip, columns: Columns, found: list[Doubt]) -> NDArray[np.float64]:
    """One row per doubt, one column per feature."""
    em = strip.em
    rows = np.zeros((len(found), len(SPAN_FEATURES)))
    usual = _usual_gaps(strip, columns)
    blank = usual.get(-1, 0.27)
    numbers = np.array([sum(bool(strip.numeric[w]) for w in line) for line in strip.lines])
    above = np.concatenate(([0], np.cumsum(numbers >= 2)))
    table_left, table_right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    runs_of = [_runs(strip, line) for line in strip.lines]
    for n, doubt in enumerate(found):
        line = strip.lines[doubt.line]
        a, b = line[doubt.at], line[doubt.at + 1]
        runs = runs_of[doubt.line]
        run = next(r for r in runs if r[0] <= doubt.at < r[1]) if any(r[0] <= doubt.at < r[1] for r in runs) else None
        start, end = (run[0], run[1]) if run else (doubt.at, doubt.at + 2)
        end = max(end, doubt.at + 2)
        left_words = [w for w in line[start : doubt.at + 1] if column_of(strip, columns, w) == doubt.left]
        right_words = [w for w in line[doubt.at + 1 : end] if column_of(strip, columns, w) == doubt.right]
        left_edges = float(strip.box[left_words, 0].min()), float(strip.box[left_words, 2].max())
        right_edges = float(strip.box[right_words, 0].min()), float(strip.box[right_words, 2].max())
        whole = float(strip.box[list(line[start:end]), 0].min()), float(strip.box[list(line[start:end]), 2].max())
        run_columns = {column_of(strip, columns, w) for w in line[start:end]}
        ca, cb = columns.columns[doubt.left], columns.columns[doubt.right]
        across = columns.columns[min(run_columns)].first, columns.columns[max(run_columns)].last
        line_gaps = [_gap(strip, u, v) / em for u, v in pairwise(line)]
        small = [g for g in line_gaps if 0.1 < g < 0.7]
        gap = _gap(strip, a, b) / em
        right_off = tuple(
            abs(x - y) / em
            for x, y in ((right_edges[0], cb.left), (sum(right_edges) / 2, cb.middle), (right_edges[1], cb.right))
        )
        left_off = tuple(
            abs(x - y) / em
            for x, y in ((left_edges[0], ca.left), (sum(left_edges) / 2, ca.middle), (left_edges[1], ca.right))
        )
        best = max((cb.left_share, 0), (cb.middle_share, 1), (cb.right_share, 2))[1]
        under, ends = _rule_under(strip, doubt.line, left_edges, right_edges)
        between = range(doubt.left, doubt.right)
        text_a, text_b = strip.text[a], strip.text[b]
        rows[n] = (
            gap,
            gap / blank,
            gap / (float(np.median(small)) if small else blank),
            strip.numeric[a],
            strip.numeric[b],
            strip.bold[a] != strip.bold[b],
            strip.italic[a] != strip.italic[b],
            max(columns.ruled[c] for c in between),
            max(columns.sure[c] for c in between),
            *(min(v, 9.0) for v in right_off),
            *(min(v, 9.0) for v in left_off),
            min(right_off[best], 9.0),
            min(doubt.line, 12),
            len(runs),
            len(line),
            len({column_of(strip, columns, w) for w in line}) / len(columns.columns),
            min(int(above[doubt.line]), 5),
            int(numbers[doubt.line]),
            under,
            ends,
            sum(_ink_over(strip, columns, w) for w in line[start:end]),
            end - start,
            len(run_columns),
            text_b[:1].isupper(),
            text_b[:1].islower(),
            text_a[-1:] in "-,/&(+:="
            or text_a.lower() in {"of", "and", "the", "in", "for", "to", "per", "by", "vs", "or"},
            len(columns.columns),
            min(abs((whole[0] + whole[1]) / 2 - (across[0] + across[1]) / 2) / em, 9.0),
            min((usual.get(c, 3.0) for c in between), default=3.0),
            len(left_words),
            len(right_words),
            abs(float(strip.size[a] - strip.size[b])) / em,
            _wide_rule_above(strip, doubt.line),
            len(runs_of[doubt.line + 1]) if doubt.line + 1 < len(runs_of) else 0,
            min(abs(right_edges[0] - cb.first) / em, 9.0),
            (whole[1] - whole[0]) / max(table_right - table_left, 1.0),
        )
    return rows


def _usual_gaps(strip: Strip, columns: Columns) -> dict[int, float]:
    """The usual gap at each separator, and under -1 the usual blank between words, in type sizes."""
    gaps: dict[int, list[float]] = {}
    for line in strip.lines:
        for a, b in pairwise(line):
            gap = _gap(strip, a, b) / strip.em
            left, right = column_of(strip, columns, a), column_of(strip, columns, b)
            if left == right and 0.12 < gap < 0.7:
                gaps.setdefault(-1, []).append(gap)
            for c in range(left, right):
                gaps.setdefault(c, []).append(gap)
    return {c: float(np.median(g)) for c, g in gaps.items()}


def _runs(strip: Strip, line: tuple[int, ...]) -> list[tuple[int, int]]:
    """Start and end of the runs of close words in a line."""
    starts = [0, *(k + 1 for k in range(len(line) - 1) if _gap(strip, line[k], line[k + 1]) > _WORD_GAP * strip.em)]
    return list(zip(starts, [*starts[1:], len(line)], strict=True))


def _ink_over(strip: Strip, columns: Columns, word: int) -> bool:
    """Whether a word is printed over a separator."""
    c = column_of(strip, columns, word)
    slack = 0.25 * strip.em
    over_left = c > 0 and strip.box[word, 0] < columns.separators[c - 1] - slack
    over_right = c < len(columns.separators) and strip.box[word, 2] > columns.separators[c] + slack
    return bool(over_left or over_right)


def _rule_under(strip: Strip, line: int, left: tuple[float, float], right: tuple[float, float]) -> tuple[float, float]:
    """Whether a rule under the line runs below both texts, and whether one ends between them."""
    if not len(strip.across):
        return 0.0, 0.0
    base = float(strip.line_base[line])
    y = (strip.across[:, 1] + strip.across[:, 3]) / 2
    near = strip.across[(y > base - 0.1 * strip.em) & (y < base + _UNDER * strip.em)]
    middles = sum(left) / 2, sum(right) / 2
    both = bool(((near[:, 0] <= middles[0]) & (near[:, 2] >= middles[1])).any())
    ends = bool(
        (
            ((near[:, 2] > middles[0]) & (near[:, 2] < middles[1]))
            | ((near[:, 0] > middles[0]) & (near[:, 0] < middles[1]))
        ).any()
    )
    return float(both), float(ends)


def _wide_rule_above(strip: Strip, line: int) -> float:
    """How many rules over most of the width lie above a line."""
    if not len(strip.across):
        return 0.0
    width = float(strip.box[:, 2].max() - strip.box[:, 0].min())
    wide = strip.across[(strip.across[:, 2] - strip.across[:, 0]) > 0.6 * width]
    return min(float((wide[:, 1] < strip.line_base[line]).sum()), 5.0)


def find_phrases(strip: Strip, columns: Columns, weights: Weights) -> list[list[Phrase]]:
    """The phrases of every line."""
    found = doubts(strip, columns)
    if not found:
        return join_phrases(strip, columns, found, np.zeros(0, dtype=bool))
    chances = weights.boosted(SPANS, SPAN_FEATURES).probabilities(span_features(strip, columns, found))
    return join_phrases(strip, columns, found, chances > _LIKELY)


def join_phrases(strip: Strip, columns: Columns, found: list[Doubt], joined: NDArray[np.bool_]) -> list[list[Phrase]]:
    """Phrases, given for each doubt whether the text goes on."""
    go_on = {(d.line, d.at) for d, yes in zip(found, joined.tolist(), strict=True) if yes}
    result: list[list[Phrase]] = []
    for k, line in enumerate(strip.lines):
        phrases: list[list[int]] = []
        for at, word in enumerate(line):
            same = at > 0 and (
                column_of(strip, columns, word) == column_of(strip, columns, line[at - 1])
                or (k, at - 1) in go_on
                or bool(strip.shift[word] & Shift.GLUED)
            )
            if same and not (at > 0 and _ruling_between(strip, line[at - 1], word)):
                phrases[-1].append(word)
            else:
                phrases.append([word])
        result.append(
            [Phrase(tuple(p), min(cs := [column_of(strip, columns, w) for w in p]), max(cs)) for p in phrases]
        )
    return result
