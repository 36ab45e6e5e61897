"""Rivers: places where white runs down between the columns of a printed table.

Candidates are stretches of x that fewer lines print over than over their surroundings. Spanning headers and group rows
may cross a river: lines of numbers tell more than they.

In: the strip of a table and its lines as runs of close words. Out: the candidates from left to right, their features,
and how likely boosted trees judge each to part two columns. Fails where two columns are set without white between them
and without ruling.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import median
from tabellion.recognise.printed.text import Ink, LineRuns, Strip, telling_lines
from tabellion.weights import Weights

_SHRINK = 0.04  # of the type size, taken off each side of a word, so that words that touch leave a trace of white


class River(NamedTuple):
    """A candidate: its middle, its edges, how many lines print over it."""

    x: float
    left: float
    right: float
    cover: int


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


FIRST_RIVERS, RIVERS = "printed-rivers-first", "printed-rivers"  # names of the weights
RIVER_FEATURES = (
    "width", "cover", "lines", "both", "cross", "gap low", "gap middle", "gap high", "gaps over 1.0",
    "gaps over 0.6", "gaps over 0.35", "right lefts", "right rights", "right middles", "left lefts", "left rights",
    "left middles", "numeric right", "numeric left", "ruled", "cross rich", "place", "white left", "white right",
    "only left", "only right", "cross early", "narrow rich", "gap to blank", "rich", "ink between left",
    "ink between right", "same kind", "rivers", "cover beside", "gap shortest", "bold differs", "both count",
    "full ruled table", "ruled separators", "ruled interval", "ruled interval to usual", "bullets left", "number words",
    "ink left", "ink right", "white in ink", "numeric both", "gap of numbers", "heads both", "heads cross", "heads gap",
    "signs left",
    "beside left p", "beside right p",
)  # fmt: skip
OWN_FEATURES = len(RIVER_FEATURES) - 2  # the last two need a first judgement
_WINDOW = 0.32  # of the type size: edges this close are aligned
_BULLETS = frozenset("•▪■●○◦‣∙·")
_RULED = 0.6  # of the table's height: an upright ruling this long is a separator
_SAME_PLACE = 3.0  # points: rulings closer than this are one
_SIGNS = frozenset("$€£¥<>≤≥±~≈%")
_MOSTLY_BULLETS = 0.5
_CLEAR, _LONG, _FEWEST_BOTH = 1.0, 12, 5  # type sizes of white through so many lines, so many with texts on both sides
_SURE = 0.75
_RICH = 3  # runs: lines with so many are rows of several cells


class _Seen(msgspec.Struct, frozen=True, eq=False):
    """What the lines that tell columns say of a river: which print over it, and the words at either side of it."""

    over: list[int]  # lines
    only_left: int
    only_right: int
    gaps: list[float]  # in type sizes, of the lines with words on both sides
    pairs: list[tuple[int, int, int]]  # of those: the line, the word at the left and the one at the right
    left: list[tuple[float, float, int]]  # of all: edges of the run at the left, and its last word
    right: list[tuple[float, float, int]]


def _look_at(strip: Strip, river: River, runs: list[LineRuns], lines: list[int]) -> _Seen:
    seen = _Seen([], 0, 0, [], [], [], [])
    only_left = only_right = 0
    for k in lines:
        r = runs[k]
        at, over = r.split(river.x)
        if over:
            seen.over.append(k)
            continue
        if at == 0:
            only_right += 1
        elif at == len(r.lefts):
            only_left += 1
        else:
            seen.gaps.append((r.lefts[at] - r.rights[at - 1]) / strip.em)
            seen.pairs.append((k, r.words[at - 1], r.words[at]))
        if at < len(r.lefts):
            seen.right.append((r.lefts[at], r.run(r.run_of[at])[1], r.words[at]))
        if at > 0:
            seen.left.append((r.run(r.run_of[at - 1])[0], r.rights[at - 1], r.words[at - 1]))
    return msgspec.structs.replace(seen, only_left=only_left, only_right=only_right)


def river_features(strip: Strip, rivers: list[River], runs: list[LineRuns]) -> NDArray[np.float64]:
    """One row per candidate, one column per feature (RIVER_FEATURES without the last ones, which need a judgement)."""
    telling = telling_lines(runs)
    others = sorted(set(range(len(runs))) - set(telling))
    most = max((len(runs[k].starts) for k in telling), default=1)
    rich = {k for k in telling if len(runs[k].starts) >= max(_RICH, 0.6 * most)}
    ruled = [x for x, _ in ruled_separators(strip)]
    words = sum(len(runs[k].words) for k in telling)
    whole = {
        "lines": float(np.log(max(len(telling), 1))),
        "rivers": len(rivers),
        "rich": len(rich) / max(len(telling), 1),
        "full ruled table": _share_ruled(strip),
        "ruled separators": len(ruled),
        "number words": sum(runs[k].numbers for k in telling) / max(words, 1),
    }
    blank, ink = _usual_blank(strip, runs), Ink([runs[k] for k in telling])
    rows = np.zeros((len(rivers), len(RIVER_FEATURES)))
    for n, river in enumerate(rivers):
        seen = _look_at(strip, river, runs, telling)
        told = {
            **whole,
            **_gaps_told(seen, blank),
            **_crossings_told(seen, telling, rich),
            **_texts_told(strip, seen, len(telling)),
            **_heads_told(_look_at(strip, river, runs, others), len(others)),
            **_place_told(strip, rivers, n, ruled, len(telling)),
            **_ink_beside(ink, river, len(telling), strip.em),
        }
        rows[n, :OWN_FEATURES] = [told[name] for name in RIVER_FEATURES[:OWN_FEATURES]]
    return rows


Told = dict[str, float]


def _gaps_told(seen: _Seen, blank: float) -> Told:
    """The white between the words at either side, over all lines."""
    g = sorted(seen.gaps) or [0.0]
    return {
        "gap low": g[int(0.1 * (len(g) - 1))],
        "gap middle": g[len(g) // 2],
        "gap high": g[-1],
        "gap shortest": g[0],
        "gap to blank": g[len(g) // 2] / blank,
        "gaps over 1.0": sum(gap > 1.0 for gap in g) / len(g),
        "gaps over 0.6": sum(gap > 0.6 for gap in g) / len(g),
        "gaps over 0.35": sum(gap > 0.35 for gap in g) / len(g),
        "both count": min(len(seen.gaps), 20),
    }


def _crossings_told(seen: _Seen, telling: list[int], rich: set[int]) -> Told:
    """Which lines print over the river, and which of many cells leave it narrow."""
    count, cross = max(len(telling), 1), len(seen.over)
    early = set(telling[: int(np.ceil(0.25 * count))])
    narrow = sum(k in rich and gap < 0.5 for (k, _, _), gap in zip(seen.pairs, seen.gaps, strict=True))
    return {
        "both": len(seen.gaps) / count,
        "cross": cross / count,
        "cross rich": sum(k in rich for k in seen.over) / max(len(rich), 1),
        "cross early": sum(k in early for k in seen.over) / max(cross, 1),
        "narrow rich": narrow / max(len(rich), 1),
        "only left": seen.only_left / count,
        "only right": seen.only_right / count,
    }


def _texts_told(strip: Strip, seen: _Seen, count: int) -> Told:
    """How the texts at either side are aligned, and of what kind they are."""
    both = max(len(seen.pairs), 1)
    right = _alignments([(a, b) for a, b, _ in seen.right], strip.em)
    left = _alignments([(a, b) for a, b, _ in seen.left], strip.em)
    numbers = [bool(strip.numeric[a] and strip.numeric[b]) for _, a, b in seen.pairs]
    between = [gap for gap, number in zip(seen.gaps, numbers, strict=True) if number]
    return {
        **dict(zip(("right lefts", "right rights", "right middles"), right, strict=True)),
        **dict(zip(("left lefts", "left rights", "left middles"), left, strict=True)),
        "numeric right": sum(bool(strip.numeric[w]) for _, _, w in seen.right) / max(len(seen.right), 1),
        "numeric left": sum(bool(strip.numeric[w]) for _, _, w in seen.left) / max(len(seen.left), 1),
        "numeric both": sum(numbers) / both,
        "gap of numbers": median(between) if between else -1.0,
        "same kind": sum(bool(strip.numeric[a] == strip.numeric[b]) for _, a, b in seen.pairs) / both,
        "bold differs": sum(bool(strip.bold[a] != strip.bold[b]) for _, a, b in seen.pairs) / both,
        "bullets left": sum(strip.text[w] in _BULLETS for _, _, w in seen.left) / max(len(seen.left), 1),
        "signs left": sum(strip.text[w] in _SIGNS for _, _, w in seen.left) / max(len(seen.left), 1),
        "ink between left": len(seen.left) / max(count, 1),
        "ink between right": len(seen.right) / max(count, 1),
    }


def _heads_told(seen: _Seen, count: int) -> Told:
    """What the lines say that do not tell columns: heads, most of all."""
    return {
        "heads both": len(seen.gaps) / max(count, 1),
        "heads cross": len(seen.over) / max(count, 1),
        "heads gap": median(seen.gaps) if seen.gaps else -1.0,
    }


def _place_told(strip: Strip, rivers: list[River], n: int, ruled: list[float], lines: int) -> Told:
    """Where the river runs, how wide and clear it is, what rivers and rulings are beside it."""
    river, em, count = rivers[n], strip.em, max(lines, 1)
    left, right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    width = max(right - left, 1.0)
    before = rivers[n - 1] if n else None
    after = rivers[n + 1] if n + 1 < len(rivers) else None
    interval = _interval(ruled, left, right, river.x)
    return {
        "width": (river.right - river.left) / em,
        "cover": river.cover / count,
        "cover beside": min(before.cover if before else count, after.cover if after else count) / count,
        "place": (river.x - left) / width,
        "white left": (river.x - (before.x if before else left)) / em,
        "white right": ((after.x if after else right) - river.x) / em,
        "ruled": _ruled_share(strip, river),
        "ruled interval": interval / em,
        "ruled interval to usual": interval * (len(ruled) + 1) / width,
    }


def _ink_beside(words: Ink, river: River, lines: int, em: float) -> Told:
    """The share of lines that print left and right of a river, and how unlikely its white is among so much ink."""
    steps = np.array([0.5, 1.0, 1.5, 2.0]) * em
    count = max(lines, 1)
    left = float(words.over(river.left - steps).mean()) / count
    right = float(words.over(river.right + steps).mean()) / count
    unlikely = -(count - river.cover) * np.log(max(1 - min(left, right), 0.02))
    return {"ink left": left, "ink right": right, "white in ink": float(min(unlikely, 60.0))}


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
        x = median(middle[group])
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
    return median(gaps) if len(gaps) > 4 else 0.27


def _alignments(runs: list[tuple[float, float]], em: float) -> tuple[float, float, float]:
    """The share of runs whose left edges, right edges and middles fall together."""
    if not runs:
        return 0.0, 0.0, 0.0
    return (
        _together([a for a, _ in runs], em),
        _together([b for _, b in runs], em),
        _together([(a + b) / 2 for a, b in runs], em),
    )


def _together(values: list[float], em: float) -> float:
    """The largest share of values inside one window."""
    sorted_values = sorted(values)
    most = last = 0
    for first, value in enumerate(sorted_values):
        while last < len(sorted_values) and sorted_values[last] <= value + _WINDOW * em:
            last += 1
        most = max(most, last - first)
    return most / len(sorted_values)


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
    return settle_rivers(rows, chance)


def settle_rivers(rows: NDArray[np.float64], chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """The judgement, but none for the white between a bullet and its text, and a sure one for a river as wide as a
    letter that no line of a long table prints over.
    """
    of = {name: rows[:, RIVER_FEATURES.index(name)] for name in RIVER_FEATURES}
    clear = (of["cover"] == 0) & (of["heads cross"] == 0) & (of["width"] >= _CLEAR) & (of["lines"] >= np.log(_LONG))
    clear &= (of["both count"] >= _FEWEST_BOTH) & (of["signs left"] < _MOSTLY_BULLETS)
    return np.where(of["bullets left"] > _MOSTLY_BULLETS, 0.0, np.where(clear, np.maximum(chance, _SURE), chance))


def add_neighbours(rows: NDArray[np.float64], first: NDArray[np.float64]) -> None:
    """Fill in what the first look says of the rivers beside each."""
    rows[:, OWN_FEATURES] = np.append(0.0, first[:-1]) if len(first) else first
    rows[:, OWN_FEATURES + 1] = np.append(first[1:], 0.0) if len(first) else first
