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

from tabellion.model.arrays import median
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
_GLUED = int(Shift.GLUED)
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


class _Place(msgspec.Struct, frozen=True):
    """A doubt with the run of close words around it: the words of its two columns, their edges, and the run's."""

    doubt: Doubt
    line: tuple[int, ...]
    run: tuple[int, ...]
    left_words: tuple[int, ...]
    right_words: tuple[int, ...]
    left: tuple[float, float]
    right: tuple[float, float]
    whole: tuple[float, float]
    run_columns: frozenset[int]


def span_features(strip: Strip, columns: Columns, found: list[Doubt]) -> NDArray[np.float64]:
    """One row per doubt, one column per feature."""
    rows = np.zeros((len(found), len(SPAN_FEATURES)))
    usual = _usual_gaps(strip, columns)
    numbers = np.array([sum(bool(strip.numeric[w]) for w in line) for line in strip.lines])
    above = np.concatenate(([0], np.cumsum(numbers >= 2)))
    runs_of = [_runs(strip, line) for line in strip.lines]
    for n, doubt in enumerate(found):
        place = _place(strip, columns, doubt, runs_of[doubt.line])
        following = runs_of[doubt.line + 1] if doubt.line + 1 < len(runs_of) else []
        told = {
            **_gap_told(strip, place, usual),
            **_alignment_told(strip, columns, place),
            **_texts_told(strip, place),
            **_rules_told(strip, columns, place),
            **_run_told(strip, columns, place),
            "line": min(doubt.line, 12),
            "runs": len(runs_of[doubt.line]),
            "numbers above": min(int(above[doubt.line]), 5),
            "numbers in line": int(numbers[doubt.line]),
            "rich below": len(following),
        }
        rows[n] = [told[name] for name in SPAN_FEATURES]
    return rows


def _place(strip: Strip, columns: Columns, doubt: Doubt, runs: list[tuple[int, int]]) -> _Place:
    line, at = strip.lines[doubt.line], doubt.at
    start, end = next(((a, b) for a, b in runs if a <= at < b), (at, at + 2))
    run = line[start : max(end, at + 2)]
    left = tuple(w for w in line[start : at + 1] if column_of(strip, columns, w) == doubt.left)
    right = tuple(w for w in line[at + 1 : max(end, at + 2)] if column_of(strip, columns, w) == doubt.right)
    edges = [_edges(strip, words) for words in (left, right, run)]
    return _Place(
        doubt, line, run, left, right, edges[0], edges[1], edges[2],
        frozenset(column_of(strip, columns, w) for w in run),
    )  # fmt: skip


def _edges(strip: Strip, words: tuple[int, ...]) -> tuple[float, float]:
    box = strip.box[list(words)]
    return float(box[:, 0].min()), float(box[:, 2].max())


Told = dict[str, float]


def _gap_told(strip: Strip, place: _Place, usual: dict[int, float]) -> Told:
    """The white at the doubt beside that of the line, of the table and of the separator."""
    doubt, line = place.doubt, place.line
    blank = usual.get(-1, 0.27)
    small = [g for u, v in pairwise(line) if 0.1 < (g := _gap(strip, u, v) / strip.em) < 0.7]
    gap = _gap(strip, line[doubt.at], line[doubt.at + 1]) / strip.em
    return {
        "gap": gap,
        "gap to blank": gap / blank,
        "gap to line": gap / (median(small) if small else blank),
        "gap usual here": min((usual.get(c, 3.0) for c in range(doubt.left, doubt.right)), default=3.0),
    }


def _alignment_told(strip: Strip, columns: Columns, place: _Place) -> Told:
    """How far both texts are off the edges and middles that their columns share."""
    told: Told = {}
    for name, edges, number in (("left", place.left, place.doubt.left), ("right", place.right, place.doubt.right)):
        column = columns.columns[number]
        marks = (edges[0], column.left), (sum(edges) / 2, column.middle), (edges[1], column.right)
        for side, (mine, shared) in zip(("left", "middle", "right"), marks, strict=True):
            told[f"{name} off {side}"] = min(abs(mine - shared) / strip.em, 9.0)
    right = columns.columns[place.doubt.right]
    best = max((right.left_share, 0), (right.middle_share, 1), (right.right_share, 2))[1]
    told["column aligned"] = told[f"right off {('left', 'middle', 'right')[best]}"]
    told["left edge of column"] = min(abs(place.right[0] - right.first) / strip.em, 9.0)
    return told


def _texts_told(strip: Strip, place: _Place) -> Told:
    """What the two words say and how they are set."""
    a, b = place.line[place.doubt.at], place.line[place.doubt.at + 1]
    before, after = strip.text[a], strip.text[b]
    return {
        "numeric left": strip.numeric[a],
        "numeric right": strip.numeric[b],
        "bold differs": strip.bold[a] != strip.bold[b],
        "italic differs": strip.italic[a] != strip.italic[b],
        "size differs": abs(float(strip.size[a] - strip.size[b])) / strip.em,
        "capital right": after[:1].isupper(),
        "lower right": after[:1].islower(),
        "left ends open": before[-1:] in "-,/&(+:=" or before.lower() in _OPEN_WORDS,
    }


def _rules_told(strip: Strip, columns: Columns, place: _Place) -> Told:
    """Rules between the columns, under the texts and above the line."""
    doubt = place.doubt
    between = range(doubt.left, doubt.right)
    under, ends = _rule_under(strip, doubt.line, place.left, place.right)
    return {
        "ruled": max(columns.ruled[c] for c in between),
        "sure": max(columns.sure[c] for c in between),
        "rule under both": under,
        "rule ends between": ends,
        "wide rule above": _wide_rule_above(strip, doubt.line),
    }


def _run_told(strip: Strip, columns: Columns, place: _Place) -> Told:
    """The run of close words, and how it stands in the table."""
    first, last = columns.columns[min(place.run_columns)].first, columns.columns[max(place.run_columns)].last
    table = float(strip.box[:, 2].max() - strip.box[:, 0].min())
    return {
        "words": len(place.line),
        "filled": len({column_of(strip, columns, w) for w in place.line}) / len(columns.columns),
        "ink over": sum(_ink_over(strip, columns, w) for w in place.run),
        "run words": len(place.run),
        "run columns": len(place.run_columns),
        "columns": len(columns.columns),
        "whole off middle": min(abs(sum(place.whole) / 2 - (first + last) / 2) / strip.em, 9.0),
        "words left": len(place.left_words),
        "words right": len(place.right_words),
        "run to table": (place.whole[1] - place.whole[0]) / max(table, 1.0),
    }


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
    return {c: median(g) for c, g in gaps.items()}


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
                or bool(strip.shift[word] & _GLUED)
            )
            if same and not (at > 0 and _ruling_between(strip, line[at - 1], word)):
                phrases[-1].append(word)
            else:
                phrases.append([word])
        result.append(
            [Phrase(tuple(p), min(cs := [column_of(strip, columns, w) for w in p]), max(cs)) for p in phrases]
        )
    return result
