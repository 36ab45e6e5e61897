"""Candidate rivers: stretches of x that fewer lines of a printed table print over than their surroundings do.

Goes in: the strip of a table. Comes out: its lines as runs of close words, the lines that tell columns, and the
candidates from left to right. Spanning headers and group rows may cross a river: lines of numbers tell more than they.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.text import Strip

_SHRINK = 0.04  # of the type size, taken off each side of a word, so that words that touch leave a trace of white
_RUN_GAP = 0.6  # of the type size: words closer than this are one run when edges are compared
_FEWEST_LINES = 3  # so many lines with numbers tell columns without the others


class River(NamedTuple):
    """A candidate: its middle, its edges, how many lines print over it."""

    x: float
    left: float
    right: float
    cover: int


class LineRuns:
    """The words of a line for fast lookup: edges in order, and the runs they form."""

    def __init__(self, strip: Strip, line: tuple[int, ...]) -> None:
        em = strip.em
        self.words = line
        boxes = strip.box[list(line)].tolist()
        self.lefts = [b[0] for b in boxes]
        self.rights: list[float] = []
        reach = -1e9
        for b in boxes:
            reach = max(reach, b[2])
            self.rights.append(reach)
        self.starts = [0]
        for k in range(1, len(line)):
            if self.lefts[k] - self.rights[k - 1] > _RUN_GAP * em:
                self.starts.append(k)
        self.numbers = sum(bool(strip.numeric[w]) for w in line[1:])
        self.run_of = [0] * len(line)
        for n, start in enumerate(self.starts):
            end = self.starts[n + 1] if n + 1 < len(self.starts) else len(line)
            for k in range(start, end):
                self.run_of[k] = n

    def split(self, x: float) -> tuple[int, bool]:
        """How many words begin left of x, and whether one of them is printed over it."""
        k = bisect_left(self.lefts, x)
        return k, k > 0 and self.rights[k - 1] > x

    def run(self, n: int) -> tuple[float, float]:
        """Left and right edge of a run."""
        start = self.starts[n]
        end = self.starts[n + 1] if n + 1 < len(self.starts) else len(self.words)
        return self.lefts[start], self.rights[end - 1]


def candidate_rivers(strip: Strip, runs: list[LineRuns]) -> list[River]:
    """Stretches of x with fewer lines over them than beside them, from left to right; lone texts do not count."""
    shrink = _SHRINK * strip.em
    edges: list[tuple[float, int]] = []
    for k in telling_lines(runs):
        start = reach = -1e9
        for left, right in zip(runs[k].lefts, runs[k].rights, strict=True):
            if left + shrink > reach:
                if reach > start:
                    edges += [(start, 1), (reach, -1)]
                start = left + shrink
            reach = right - shrink
        if reach > start:
            edges += [(start, 1), (reach, -1)]
    edges.sort()
    stretches: list[list[float]] = []  # from, to, cover
    cover = 0
    for k, (x, step) in enumerate(edges):
        cover += step
        following = edges[k + 1][0] if k + 1 < len(edges) else x
        if following > x:
            if stretches and stretches[-1][2] == cover:
                stretches[-1][1] = following
            else:
                stretches.append([x, following, cover])
    ink = Ink(runs)
    return [
        River(ink.clearest(b[0], b[1]), b[0], b[1], int(b[2]))
        for a, b, c in zip(stretches, stretches[1:], stretches[2:], strict=False)
        if b[2] < a[2] and b[2] < c[2]
    ]


class Ink:
    """Where lines print, by runs of words: how many lines print over a place is told from sorted edges alone."""

    def __init__(self, runs: list[LineRuns]) -> None:
        edges = [r.run(n) for r in runs for n in range(len(r.starts))]
        self.lefts = np.sort(np.array([left for left, _ in edges]))
        self.rights = np.sort(np.array([right for _, right in edges]))

    def over(self, places: NDArray[np.float64]) -> NDArray[np.intp]:
        """How many lines print over each place, be it between two words of a run."""
        return np.searchsorted(self.lefts, places, "left") - np.searchsorted(self.rights, places, "right")

    def clearest(self, left: float, right: float) -> float:
        """The place between two that the fewest lines print over, in the middle of the widest such stretch.

        A blank between two words of a text is no white: what counts is whether a run of words goes over the place.
        """
        inner = [edge[(edge > left) & (edge < right)] for edge in (self.lefts, self.rights)]
        marks = np.unique(np.concatenate([[left, right], *inner]))
        if len(marks) < 2:
            return (left + right) / 2
        middles = (marks[1:] + marks[:-1]) / 2
        best = np.lexsort((marks[:-1] - marks[1:], self.over(middles)))[0]
        return float(middles[best])


def telling_lines(runs: list[LineRuns]) -> list[int]:
    """The lines that tell columns: those of several runs and with numbers, where there are enough of them."""
    rich = [k for k, r in enumerate(runs) if len(r.starts) >= 2]
    most = max((len(runs[k].starts) for k in rich), default=0)
    numeric = [k for k in rich if runs[k].numbers and 2 * len(runs[k].starts) >= most]
    if len(numeric) >= max(_FEWEST_LINES, 0.3 * len(runs)):
        return numeric
    return rich if len(rich) >= 2 else list(range(len(runs)))
