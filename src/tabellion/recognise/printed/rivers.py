"""Rivers: places where white runs down between the columns of a printed table.

Goes in: the strip of a table. Comes out: candidate rivers with their features, and those that boosted trees judge
to part two columns. A candidate is a stretch of x that fewer lines print over than its surroundings do; spanning
headers and group rows may cross it. Fails where two columns are set without white between them and without ruling.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.text import Strip
from tabellion.weights import Weights

FIRST_RIVERS, RIVERS = "printed-rivers-first", "printed-rivers"  # names of the weights
RIVER_FEATURES = (
    "width", "cover", "lines", "both", "cross", "gap low", "gap middle", "gap high", "gaps over 1.0",
    "gaps over 0.6", "gaps over 0.35", "right lefts", "right rights", "right middles", "left lefts", "left rights",
    "left middles", "numeric right", "numeric left", "ruled", "cross rich", "place", "white left", "white right",
    "only left", "only right", "cross early", "narrow rich", "gap to blank", "rich", "ink between left",
    "ink between right", "same kind", "rivers", "cover beside", "gap shortest", "bold differs", "both count",
    "full ruled table", "ruled separators", "ruled interval", "ruled interval to usual", "bullets left", "number words",
    "ink left", "ink right", "white in ink",
    "beside left p", "beside right p",
)  # fmt: skip
OWN_FEATURES = len(RIVER_FEATURES) - 2  # the last two need a first judgement
_SHRINK = 0.04  # of the type size, taken off each side of a word, so that words that touch leave a trace of white
_RUN_GAP = 0.6  # of the type size: words closer than this are one run when edges are compared
_WINDOW = 0.32  # of the type size: edges this close are aligned
_FEWEST_LINES = 3  # so many lines with numbers tell columns without the others
_BULLETS = frozenset("•▪■●○◦‣∙·")
_RULED = 0.6  # of the table's height: an upright ruling this long is a separator
_SAME_PLACE = 3.0  # points: rulings closer than this are one
_MOSTLY_BULLETS = 0.5
_RICH = 3  # runs: lines with so many are rows of several cells


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
    for k in _telling(runs):
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
    return [
        River(_clearest(runs, b[0], b[1]), b[0], b[1], int(b[2]))
        for a, b, c in zip(stretches, stretches[1:], stretches[2:], strict=False)
        if b[2] < a[2] and b[2] < c[2]
    ]


def _clearest(runs: list[LineRuns], left: float, right: float) -> float:
    """The place in a river that the fewest of all lines print over, in the middle of the widest such stretch."""
    marks = {left, right}
    for r in runs:
        marks.update(x for x in (*r.lefts, *r.rights) if left < x < right)
    places = sorted(marks)
    best, chosen = (len(runs) + 1, 0.0), (left + right) / 2
    for a, b in pairwise(places):
        x = (a + b) / 2
        over = sum(r.split(x)[1] for r in runs)
        if (over, a - b) < best:
            best, chosen = (over, a - b), x
    return chosen


def _telling(runs: list[LineRuns]) -> list[int]:
    """The lines that tell columns: those of several runs and with numbers, where there are enough of them."""
    rich = [k for k, r in enumerate(runs) if len(r.starts) >= 2]
    most = max((len(runs[k].starts) for k in rich), default=0)
    numeric = [k for k in rich if runs[k].numbers and 2 * len(runs[k].starts) >= most]
    if len(numeric) >= max(_FEWEST_LINES, 0.3 * len(runs)):
        return numeric
    return rich if len(rich) >= 2 else list(range(len(runs)))


def river_features(strip: Strip, rivers: list[River], runs: list[LineRuns]) -> NDArray[np.float64]:
    """One row per candidate, one column per feature (RIVER_FEATURES without the last ones, which need a judgement)."""
    em = strip.em
    telling = _telling(runs)
    count = max(len(telling), 1)
    blank = _usual_blank(strip, runs)
    most = max((len(runs[k].starts) for k in telling), default=1)
    rich = {k for k in telling if len(runs[k].starts) >= max(_RICH, 0.6 * most)}
    table_left, table_right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    width = max(table_right - table_left, 1.0)
    full = _share_ruled(strip)
    ruled = [x for x, _ in ruled_separators(strip)]
    rows = np.zeros((len(rivers), len(RIVER_FEATURES)))
    for n, river in enumerate(rivers):
        x = river.x
        gaps: list[float] = []
        right_runs: list[tuple[float, float]] = []
        left_runs: list[tuple[float, float]] = []
        numeric_left = numeric_right = only_left = only_right = cross = cross_rich = cross_early = narrow_rich = 0
        bold_differs = same_kind = bullets = 0
        for place, k in enumerate(telling):
            r = runs[k]
            at, over = r.split(x)
            if over:
                cross += 1
                cross_rich += k in rich
                cross_early += place < 0.25 * count
                continue
            if at == 0:
                only_right += 1
            elif at == len(r.lefts):
                only_left += 1
            else:
                gaps.append((r.lefts[at] - r.rights[at - 1]) / em)
                narrow_rich += k in rich and gaps[-1] < 0.5
                a, b = r.words[at - 1], r.words[at]
                same_kind += bool(strip.numeric[a] == strip.numeric[b])
                bold_differs += bool(strip.bold[a] != strip.bold[b])
            if at < len(r.lefts):
                right_runs.append((r.lefts[at], r.run(r.run_of[at])[1]))
                numeric_right += bool(strip.numeric[r.words[at]])
            if at > 0:
                left_runs.append((r.run(r.run_of[at - 1])[0], r.rights[at - 1]))
                numeric_left += bool(strip.numeric[r.words[at - 1]])
                bullets += strip.text[r.words[at - 1]] in _BULLETS
        both = len(gaps)
        g = np.sort(np.array(gaps)) if gaps else np.zeros(1)
        before = rivers[n - 1] if n else None
        after = rivers[n + 1] if n + 1 < len(rivers) else None
        interval = _interval(ruled, table_left, table_right, x)
        rows[n, :OWN_FEATURES] = (
            (river.right - river.left) / em,
            river.cover / count,
            np.log(count),
            both / count,
            cross / count,
            g[int(0.1 * (len(g) - 1))],
            g[len(g) // 2],
            g[-1],
            float((g > 1.0).mean()),
            float((g > 0.6).mean()),
            float((g > 0.35).mean()),
            *_alignments(right_runs, em),
            *_alignments(left_runs, em),
            numeric_right / max(len(right_runs), 1),
            numeric_left / max(len(left_runs), 1),
            _ruled_share(strip, river),
            cross_rich / max(len(rich), 1),
            (x - table_left) / width,
            (x - (before.x if before else table_left)) / em,
            ((after.x if after else table_right) - x) / em,
            only_left / count,
            only_right / count,
            cross_early / max(cross, 1),
            narrow_rich / max(len(rich), 1),
            g[len(g) // 2] / blank,
            len(rich) / count,
            len(left_runs) / count,
            len(right_runs) / count,
            same_kind / max(both, 1),
            len(rivers),
            min(before.cover if before else count, after.cover if after else count) / count,
            g[0],
            bold_differs / max(both, 1),
            min(both, 20),
            full,
            len(ruled),
            interval / em,
            interval * (len(ruled) + 1) / width,
            bullets / max(len(left_runs), 1),
            sum(runs[k].numbers for k in telling) / max(sum(len(runs[k].words) for k in telling), 1),
            *_ink_beside(runs, telling, river, em),
        )
    return rows


def _ink_beside(runs: list[LineRuns], telling: list[int], river: River, em: float) -> tuple[float, float, float]:
    """The share of lines that print left and right of a river, and how unlikely its white is among so much ink."""
    places = [0.5 * em, em, 1.5 * em, 2 * em]
    count = max(len(telling), 1)
    left = float(np.mean([sum(runs[k].split(river.left - p)[1] for k in telling) for p in places])) / count
    right = float(np.mean([sum(runs[k].split(river.right + p)[1] for k in telling) for p in places])) / count
    ink = min(left, right)
    unlikely = -(count - river.cover) * np.log(max(1 - ink, 0.02))
    return float(left), float(right), float(min(unlikely, 60.0))


def ruled_separators(strip: Strip) -> list[tuple[float, float]]:
    """Upright rulings inside the table that run through most of it: place, and share of the height."""
    if not len(strip.down):
        return []
    left, right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    middle = (strip.down[:, 0] + strip.down[:, 2]) / 2
    height = sum(h.bottom - h.top for h in strip.hulls)
    found: list[tuple[float, float]] = []
    order = np.argsort(middle)
    groups = np.split(order, np.flatnonzero(np.diff(middle[order]) > _SAME_PLACE) + 1)
    for group in groups:
        x = float(np.median(middle[group]))
        share = float((strip.down[group, 3] - strip.down[group, 1]).sum()) / max(height, 1.0)
        crossed = (strip.box[:, 0] < x - 0.3 * strip.em) & (strip.box[:, 2] > x + 0.3 * strip.em)
        if share >= _RULED and left < x < right and crossed.sum() <= 0.02 * len(strip.text) + 1:
            found.append((x, min(share, 1.0)))
    return found


def _interval(ruled: list[float], left: float, right: float, x: float) -> float:
    """How far the upright rulings (or the edges of the table) on both sides of a place are apart."""
    low = max((r for r in ruled if r <= x), default=left)
    high = min((r for r in ruled if r > x), default=right)
    return high - low


def _usual_blank(strip: Strip, runs: list[LineRuns]) -> float:
    """The usual blank between words, in type sizes."""
    gaps = [
        (b - a) / strip.em
        for r in runs
        for a, b in zip(r.rights, r.lefts[1:], strict=False)
        if 0.12 < (b - a) / strip.em < 0.7
    ]
    return float(np.median(gaps)) if len(gaps) > 4 else 0.27


def _alignments(runs: list[tuple[float, float]], em: float) -> tuple[float, float, float]:
    """The share of runs whose left edges, right edges and middles fall together."""
    if not runs:
        return 0.0, 0.0, 0.0
    edges = np.array(runs)
    return (
        _together(edges[:, 0], em),
        _together(edges[:, 1], em),
        _together(edges.mean(axis=1), em),
    )


def _together(values: NDArray[np.float64], em: float) -> float:
    """The largest share of values inside one window."""
    values = np.sort(values)
    ends = np.searchsorted(values, values + _WINDOW * em, side="right")
    return float((ends - np.arange(len(values))).max() / len(values))


def _ruled_share(strip: Strip, river: River) -> float:
    """How much of the table's height has an upright ruling in the river."""
    if not len(strip.down):
        return 0.0
    slack = 0.35 * strip.em
    x = (strip.down[:, 0] + strip.down[:, 2]) / 2
    near = strip.down[(x > river.left - slack) & (x < river.right + slack)]
    height = sum(h.bottom - h.top for h in strip.hulls)
    return min(1.0, float((near[:, 3] - near[:, 1]).sum()) / max(height, 1.0))


def _share_ruled(strip: Strip) -> float:
    """How much upright ruling there is inside the table, in table heights."""
    if not len(strip.down):
        return 0.0
    left, right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    x = (strip.down[:, 0] + strip.down[:, 2]) / 2
    inner = strip.down[(x > left) & (x < right)]
    height = sum(h.bottom - h.top for h in strip.hulls)
    return min(20.0, float((inner[:, 3] - inner[:, 1]).sum()) / max(height, 1.0))


def judge_rivers(strip: Strip, rivers: list[River], runs: list[LineRuns], weights: Weights) -> NDArray[np.float64]:
    """The probability of each candidate that it parts two columns: a first look, then one that knows its neighbours."""
    rows = river_features(strip, rivers, runs)
    first = weights.boosted(FIRST_RIVERS, RIVER_FEATURES[:OWN_FEATURES]).probabilities(rows[:, :OWN_FEATURES])
    add_neighbours(rows, first)
    chance = weights.boosted(RIVERS, RIVER_FEATURES).probabilities(rows)
    return without_bullets(rows, chance)


def without_bullets(rows: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The judgement, but none for the white between a bullet and its text."""
    return np.where(rows[:, RIVER_FEATURES.index("bullets left")] > _MOSTLY_BULLETS, 0.0, chance)


def add_neighbours(rows: NDArray[np.float64], first: NDArray[np.float64]) -> None:
    """Fill in what the first look says of the rivers beside each."""
    rows[:, OWN_FEATURES] = np.append(0.0, first[:-1]) if len(first) else first
    rows[:, OWN_FEATURES + 1] = np.append(first[1:], 0.0) if len(first) else first
