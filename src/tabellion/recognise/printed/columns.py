"""The columns of a printed table: separators from rulings and rivers, and how each column is aligned.

Goes in: the strip of a table. Comes out: the separators' places from left to right, and for each column the edges
that its texts share. Rulings decide where they run through most of the table; elsewhere rivers are judged.
"""

from __future__ import annotations

import re
from bisect import bisect_right

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.recognise.printed.rivers import River, candidate_rivers, judge_rivers, ruled_separators
from tabellion.recognise.printed.text import Ink, LineRuns, Strip, telling_lines
from tabellion.weights import Weights

_SAME_PLACE = 3.0  # points: rulings closer than this are one
_LIKELY = 0.5
_WINDOW = 0.35  # of the type size: edges this close are one
_FEWEST_TELLING = 3  # lines with texts on both sides that tell where two columns end and begin
_FIGURE = re.compile(r"[<>~≤≥+−–-]?\d[\d.,]*[a-z*†‡%]{0,3}|[x+_-]", re.I)
_WIDE = 1.5  # type sizes between two figures, more than any blank
_MOST_SIDES, _JUST_LIKELY = 0.6, 0.51
_MOST_OF = 0.9  # of those lines that must leave the white free


class Column(msgspec.Struct, frozen=True):
    """Where the texts of a column begin, end and have their middle, as most of them do; shares of each."""

    left: float
    middle: float
    right: float
    left_share: float
    middle_share: float
    right_share: float
    first: float  # the outermost edges of its texts
    last: float
    numeric: float


class Columns(msgspec.Struct, frozen=True):
    """Separators in order, the probability of each, and the columns between them."""

    separators: tuple[float, ...]
    sure: tuple[float, ...]
    ruled: tuple[float, ...]  # share of the height that is ruled at each separator
    columns: tuple[Column, ...]

    def at(self, x: float) -> int:
        """The column of a place."""
        return bisect_right(self.separators, x)


def find_columns(strip: Strip, runs: list[LineRuns], weights: Weights) -> Columns:
    """The columns of a table."""
    ruled = ruled_separators(strip)
    rivers = candidate_rivers(strip, runs)
    chances = judge_rivers(strip, rivers, runs, weights) if rivers else np.zeros(0)
    return choose_columns(strip, runs, ruled, rivers, chances)


def choose_columns(
    strip: Strip,
    runs: list[LineRuns],
    ruled: list[tuple[float, float]],
    rivers: list[River],
    chances: NDArray[np.float64],
) -> Columns:
    """Separators from rulings and from rivers that are likely, without those that leave no column between them."""
    chosen: list[tuple[float, float, float]] = [(x, 1.0, share) for x, share in ruled]
    for river, chance in zip(rivers, chances.tolist(), strict=True):
        slack = _SAME_PLACE
        if chance > _LIKELY and not any(river.left - slack < x < river.right + slack for x, _ in ruled):
            chosen.append((river.x, chance, 0.0))
    chosen += _between_figures(strip, runs, [x for x, _, _ in chosen], rivers, chances)
    chosen = _move_to_white(runs, chosen)
    _drop_hollow(strip, runs, chosen)
    separators = tuple(x for x, _, _ in chosen)
    return Columns(
        separators=separators,
        sure=tuple(p for _, p, _ in chosen),
        ruled=tuple(share for _, _, share in chosen),
        columns=tuple(_measure_columns(strip, runs, separators)),
    )


def _between_figures(
    strip: Strip, runs: list[LineRuns], parted: list[float], rivers: list[River], chances: NDArray[np.float64]
) -> list[tuple[float, float, float]]:
    """Rivers that are judged unlikely but must part columns: figures stand wide apart at their sides, line for line.

    Two figures of one cell have a blank between them, not several letters of white.
    """
    told: list[tuple[float, float, float]] = []
    telling = [runs[k] for k in telling_lines(runs)]
    for n in np.argsort(-chances, kind="stable").tolist():
        river = rivers[n]
        if chances[n] > _LIKELY:
            continue
        sides = [(r, at) for r in telling for at, over in (r.split(river.x),) if not over and 0 < at < len(r.lefts)]
        apart = [
            (r.rights[at - 1], r.lefts[at])
            for r, at in sides
            if r.lefts[at] - r.rights[at - 1] > _WIDE * strip.em
            and _FIGURE.fullmatch(strip.text[r.words[at - 1]])
            and _FIGURE.fullmatch(strip.text[r.words[at]])
        ]
        known = [*parted, *(x for x, _, _ in told)]
        open_ones = sum(not any(left <= x <= right for x in known) for left, right in apart)
        if open_ones >= _FEWEST_TELLING and open_ones > _MOST_SIDES * len(sides):
            told.append((river.x, _JUST_LIKELY, 0.0))
    return told


def _move_to_white(runs: list[LineRuns], chosen: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Separators in order, each where the fewest lines print over it among all places between its two columns.

    A head that is wider than its column stands over part of the white: a river ends there, and goes on behind it. Where
    two such rivers come to one place, they were one.
    """
    telling, ink = [runs[k] for k in telling_lines(runs)], Ink(runs)
    placed: dict[float, tuple[float, float, float]] = {}
    for x, chance, share in chosen:
        rights, lefts = [], []
        for r in telling:
            at, over = r.split(x)
            if not over and 0 < at < len(r.lefts):
                rights.append(r.rights[at - 1])
                lefts.append(r.lefts[at])
        here = x
        if not share and len(rights) >= _FEWEST_TELLING:
            low, high = float(np.percentile(rights, 100 * _MOST_OF)), float(np.percentile(lefts, 100 - 100 * _MOST_OF))
            moved = ink.clearest(low, high) if low < high else x
            crossed = ink.over(np.array([moved, x]))
            here = moved if crossed[0] < crossed[1] else x
        known = placed.get(round(here, 1))
        if known is None or known[1] < chance:
            placed[round(here, 1)] = (here, chance, share)
    return sorted(placed.values())


def _drop_hollow(strip: Strip, runs: list[LineRuns], chosen: list[tuple[float, float, float]]) -> None:
    """Take out separators between which no column stands: less than two lines have a text of their own there."""
    least = 2 if len(strip) > 3 else 1
    em = strip.em
    low, high = float(strip.box[:, 0].min()) - 1, float(strip.box[:, 2].max()) + 1
    while chosen:
        edges = [low, *(x for x, _, _ in chosen), high]
        weakest: int | None = None
        for k in range(len(edges) - 1):
            own = sum(
                any(
                    left >= edges[k] - 0.1 * em and right <= edges[k + 1] + 0.1 * em
                    for left, right in (r.run(n) for n in range(len(r.starts)))
                )
                for r in runs
            )
            if own >= least:
                continue
            beside = [n for n in (k - 1, k) if 0 <= n < len(chosen) and not chosen[n][2]]
            for n in beside:
                if weakest is None or chosen[n][1] < chosen[weakest][1]:
                    weakest = n
        if weakest is None:
            return
        del chosen[weakest]


def _measure_columns(strip: Strip, runs: list[LineRuns], separators: tuple[float, ...]) -> list[Column]:
    """The shared edges of each column's texts (runs that stay inside it)."""
    bounds = (-1e9, *separators, 1e9)
    inside: list[list[tuple[float, float]]] = [[] for _ in range(len(bounds) - 1)]
    numbers = [0] * len(inside)
    for r in runs:
        parts: dict[int, tuple[float, float, bool]] = {}
        for word in r.words:
            left, right = float(strip.box[word, 0]), float(strip.box[word, 2])
            c = bisect_right(separators, (left + right) / 2)
            old = parts.get(c)
            parts[c] = (left, right, bool(strip.numeric[word])) if old is None else (old[0], max(old[1], right), old[2])
        for c, (left, right, numeric) in parts.items():
            if left >= bounds[c] - 0.2 * strip.em and right <= bounds[c + 1] + 0.2 * strip.em:
                inside[c].append((left, right))
                numbers[c] += numeric
    return [_measure(edges, strip.em, numbers[c], bounds[c], bounds[c + 1]) for c, edges in enumerate(inside)]


def _measure(edges: list[tuple[float, float]], em: float, numbers: int, low: float, high: float) -> Column:
    if not edges:
        middle = (max(low, -1e6) + min(high, 1e6)) / 2
        return Column(low, middle, high, 0.0, 0.0, 0.0, low, high, 0.0)
    array = np.array(edges)
    left, left_share = mode(array[:, 0], em)
    middle, middle_share = mode(array.mean(axis=1), em)
    right, right_share = mode(array[:, 1], em)
    return Column(
        left, middle, right, left_share, middle_share, right_share,
        float(array[:, 0].min()), float(array[:, 1].max()), numbers / len(edges),
    )  # fmt: skip


def mode(values: NDArray[np.float64], em: float) -> tuple[float, float]:
    """The place where most values fall together, and the share of them."""
    values = np.sort(values)
    ends = np.searchsorted(values, values + _WINDOW * em, side="right")
    counts = ends - np.arange(len(values))
    best = int(counts.argmax())
    return median(values[best : ends[best]]), float(counts[best] / len(values))
