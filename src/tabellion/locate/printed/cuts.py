"""Where a cluster of table pieces falls apart into several tables.

Goes in: the pieces of a cluster. Comes out: candidate cuts, level ones between two rows and upright ones through
white that runs from top to bottom, with the features that tell a cut between two tables from the white inside one.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.second_look import PieceFacts, hull
from tabellion.model.place import Box

LEVEL_FEATURES = (
    "gap", "gap to usual", "gap to largest", "rows above", "rows below", "rules", "wide rules", "wide rules inside",
    "rule spread", "others", "letters", "caption", "uprights through", "uprights end", "pieces upper", "pieces lower",
    "numeric upper", "numeric lower", "bold upper", "bold lower", "numeric lower 2", "pieces lower 2", "header match",
    "aligned", "left off", "right off", "columns upper", "columns lower", "chance upper", "chance lower", "size ratio",
    "letters lower", "letters upper", "centred lower", "numeric above", "numeric below", "gap above", "gap below",
    "width share lower", "width share upper", "filled differs", "prose lower", "prose upper", "caption in lower",
)  # fmt: skip
UPRIGHT_FEATURES = (
    "width", "width to usual", "width to largest", "whites", "rules crossing", "rules left", "rules right", "rules end",
    "uprights inside", "base match left", "base match right", "prose left", "prose right", "chance left",
    "chance right",
    "top off", "bottom off", "size ratio", "header match", "captions left", "captions right", "column starts",
    "letters left", "letters right", "numeric left", "numeric right", "share left", "share right", "rows left",
    "rows right", "outer left", "outer right", "columns left", "columns right", "text edge left",
)  # fmt: skip
_NARROWEST = 0.8  # type sizes: narrower white is never a cut between two tables side by side
_BAND = 3  # rows next to a cut whose columns are compared


class LevelCut(NamedTuple):
    """A cut below the first `above` rows of a cluster."""

    above: int
    top: float
    bottom: float


class UprightCut(NamedTuple):
    """A cut at x, through white from `left` to `right`."""

    x: float
    left: float
    right: float


def rows_of(facts: PieceFacts, members: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The pieces of a cluster in bands that do not overlap in height, from the top."""
    order = members[np.argsort(facts.box[members, 1], kind="stable")]
    rows: list[list[int]] = []
    reach = -1e9
    for k in order.tolist():
        top, bottom = facts.box[k, 1], facts.box[k, 3]
        height = bottom - top
        if not rows or top > reach - 0.3 * height:
            rows.append([])
            reach = bottom
        rows[-1].append(k)
        reach = max(reach, bottom)
    return [np.array(sorted(r, key=lambda k: facts.box[k, 0]), dtype=np.intp) for r in rows]


def level_cuts(facts: PieceFacts, rows: list[NDArray[np.intp]]) -> list[LevelCut]:
    """A candidate between each row and the next."""
    return [
        LevelCut(n, float(facts.box[rows[n - 1], 3].max()), float(facts.box[rows[n], 1].min()))
        for n in range(1, len(rows))
    ]


def upright_cuts(facts: PieceFacts, members: NDArray[np.intp]) -> list[UprightCut]:
    """White that runs through the whole cluster, from left to right."""
    order = members[np.argsort(facts.box[members, 0], kind="stable")]
    em = float(np.median(facts.size[members]))
    cuts: list[UprightCut] = []
    reach = float(facts.box[order[0], 2])
    for k in order[1:].tolist():
        left = float(facts.box[k, 0])
        if left - reach > _NARROWEST * em:
            cuts.append(UprightCut((reach + left) / 2, reach, left))
        reach = max(reach, float(facts.box[k, 2]))
    return cuts


class _Cluster(msgspec.Struct, frozen=True, eq=False):
    """What all cuts of a cluster share: its pieces, how likely each is, the box around them, the usual type size."""

    facts: PieceFacts
    chance: NDArray[np.float64]
    members: NDArray[np.intp]
    around: Box
    em: float

    @property
    def inside(self) -> NDArray[np.bool_]:
        found = np.zeros(len(self.facts.box), dtype=bool)
        found[self.members] = True
        return found


def _cluster(facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp]) -> _Cluster:
    return _Cluster(facts, chance, members, hull(facts.box[members]), float(np.median(facts.size[members])))


Told = dict[str, float]


def level_features(
    facts: PieceFacts,
    chance: NDArray[np.float64],
    members: NDArray[np.intp],
    rows: list[NDArray[np.intp]],
    cuts: list[LevelCut],
) -> NDArray[np.float64]:
    """One row per level cut, one column per feature."""
    result = np.zeros((len(cuts), len(LEVEL_FEATURES)))
    if not cuts:
        return result
    cluster = _cluster(facts, chance, members)
    gaps = np.array([c.bottom - c.top for c in cuts]) / cluster.em
    beside = ~cluster.inside & (facts.box[:, 0] < cluster.around.right) & (facts.box[:, 2] > cluster.around.left)
    wide, halves = _wide_rules(facts, cluster.around.left, cluster.around.right), _halves(facts, rows)
    for n, cut in enumerate(cuts):
        told = {
            **_gaps_at(gaps, n),
            **_rules_at(cluster, cut, wide),
            **_others_at(cluster, cut, beside),
            **_rows_at(cluster, rows, cut.above),
            **_halves_at(cluster, rows, cut.above, halves),
        }
        result[n] = [told[name] for name in LEVEL_FEATURES]
    return result


def _gaps_at(gaps: NDArray[np.float64], n: int) -> Told:
    """The white of a cut beside that of the others."""
    usual, largest = max(float(np.median(gaps)), 0.05), max(float(gaps.max()), 0.05)
    return {
        "gap": np.clip(gaps[n], -2, 20),
        "gap to usual": min(gaps[n] / usual, 20),
        "gap to largest": gaps[n] / largest,
        "gap above": gaps[n - 1] if n else 3.0,
        "gap below": gaps[n + 1] if n + 1 < len(gaps) else 3.0,
    }


def _rules_at(cluster: _Cluster, cut: LevelCut, wide: NDArray[np.bool_]) -> Told:
    """The rules in the white of a cut, and those through it."""
    facts, around, em = cluster.facts, cluster.around, cluster.em
    y = facts.rules[:, 1]
    in_gap = (y > cut.top - 0.35 * em) & (y < cut.bottom + 0.35 * em)
    touching = (facts.rules[:, 0] < around.right) & (facts.rules[:, 2] > around.left)
    in_wide = wide & in_gap
    through, ends = _uprights_at(facts, (cut.top + cut.bottom) / 2, around.left, around.right, em)
    return {
        "rules": min(int((in_gap & touching).sum()), 8),
        "wide rules": min(int(in_wide.sum()), 6),
        "wide rules inside": min(int((wide & (y > around.top) & (y < around.bottom)).sum()), 25),
        "rule spread": min(float(np.ptp(y[in_wide])) / em if in_wide.any() else 0.0, 15),
        "uprights through": through,
        "uprights end": ends,
    }


def _others_at(cluster: _Cluster, cut: LevelCut, beside: NDArray[np.bool_]) -> Told:
    """What stands in the white of a cut that is not of the cluster."""
    facts, em = cluster.facts, cluster.em
    middle = (facts.box[:, 1] + facts.box[:, 3]) / 2
    others = np.flatnonzero(beside & (middle > cut.top - 0.3 * em) & (middle < cut.bottom + 0.3 * em))
    return {
        "others": min(len(others), 6),
        "letters": min(int(facts.letters[others].sum()), 200),
        "caption": facts.caption[others].max(initial=0),
    }


def _rows_at(cluster: _Cluster, rows: list[NDArray[np.intp]], above: int) -> Told:
    """The row above a cut and the one below it: what they hold and how they stand."""
    facts, chance, around = cluster.facts, cluster.chance, cluster.around
    box = facts.box
    upper, lower = rows[above - 1], rows[above]
    following = rows[above + 1] if above + 1 < len(rows) else lower
    head = {facts.text[k] for row in rows[:2] for k in row}
    width = max(around.right - around.left, 1)
    told: Told = {
        "numeric lower 2": facts.numeric[following].mean(),
        "pieces lower 2": len(following),
        "header match": sum(facts.text[k] in head for k in lower) / len(lower) if above > 2 else 0.0,
        "centred lower": abs((box[lower, 0].min() + box[lower, 2].max()) / 2 - (around.left + around.right) / 2)
        / cluster.em,
        "filled differs": _fill_at(facts, upper) != _fill_at(facts, lower),
        "caption in lower": facts.caption[lower].max(initial=0),
    }
    for name, row in (("upper", upper), ("lower", lower)):
        told[f"pieces {name}"] = len(row)
        told[f"numeric {name}"] = facts.numeric[row].mean()
        told[f"bold {name}"] = facts.bold[row].mean()
        told[f"chance {name}"] = chance[row].mean()
        told[f"letters {name}"] = min(float(facts.letters[row].mean()), 90)
        told[f"width share {name}"] = (box[row, 2].max() - box[row, 0].min()) / width
        told[f"prose {name}"] = facts.prose[row].mean()
    return told


class _Halves(msgspec.Struct, frozen=True, eq=False):
    """For each row: the edges of all down to it and of all from it on, and the share of numbers in both."""

    left: tuple[NDArray[np.float64], NDArray[np.float64]]
    right: tuple[NDArray[np.float64], NDArray[np.float64]]
    numeric: tuple[NDArray[np.float64], NDArray[np.float64]]


def _halves(facts: PieceFacts, rows: list[NDArray[np.intp]]) -> _Halves:
    left = np.array([facts.box[row, 0].min() for row in rows])
    right = np.array([facts.box[row, 2].max() for row in rows])
    count = np.array([len(row) for row in rows])
    numbers = np.array([facts.numeric[row].sum() for row in rows])
    return _Halves(
        (np.minimum.accumulate(left), np.minimum.accumulate(left[::-1])[::-1]),
        (np.maximum.accumulate(right), np.maximum.accumulate(right[::-1])[::-1]),
        (np.cumsum(numbers) / np.cumsum(count), (np.cumsum(numbers[::-1]) / np.cumsum(count[::-1]))[::-1]),
    )


def _halves_at(cluster: _Cluster, rows: list[NDArray[np.intp]], above: int, halves: _Halves) -> Told:
    """All that stands above a cut and all that stands below it, and the few rows next to it on both sides."""
    facts, em = cluster.facts, cluster.em
    last, first = rows[max(0, above - _BAND) : above], rows[above : above + _BAND]
    near_upper, near_lower = np.concatenate(last), np.concatenate(first)
    return {
        "rows above": min(above, 25),
        "rows below": min(len(rows) - above, 25),
        "aligned": _aligned(facts.box, near_upper, near_lower, em),
        "left off": np.clip((halves.left[1][above] - halves.left[0][above - 1]) / em, -20, 20),
        "right off": np.clip((halves.right[1][above] - halves.right[0][above - 1]) / em, -20, 20),
        "columns upper": max(len(r) for r in last),
        "columns lower": max(len(r) for r in first),
        "size ratio": np.median(facts.size[near_lower]) / np.median(facts.size[near_upper]),
        "numeric above": halves.numeric[0][above - 1],
        "numeric below": halves.numeric[1][above],
    }


def _wide_rules(facts: PieceFacts, left: float, right: float) -> NDArray[np.bool_]:
    """Level rules over more than half of a width."""
    over = np.minimum(facts.rules[:, 2], right) - np.maximum(facts.rules[:, 0], left)
    return np.asarray(over > 0.55 * max(right - left, 1.0))


def _uprights_at(facts: PieceFacts, y: float, left: float, right: float, em: float) -> tuple[int, int]:
    """How many upright rules cross a height, and how many end near it."""
    x, top, bottom = facts.uprights[:, 0], facts.uprights[:, 1], facts.uprights[:, 2]
    near = (x > left - em) & (x < right + em)
    through = near & (top < y) & (bottom > y)
    ends = near & ~through & ((np.abs(bottom - y) < 4 * em) | (np.abs(top - y) < 4 * em))
    return min(int(through.sum()), 12), min(int(ends.sum()), 20)


def _aligned(box: NDArray[np.float64], upper: NDArray[np.intp], lower: NDArray[np.intp], em: float) -> float:
    """The share of the lower pieces that share an edge or the middle with an upper one."""
    marks = np.column_stack([box[:, 0], (box[:, 0] + box[:, 2]) / 2, box[:, 2]])
    off = np.abs(marks[lower][:, None, :] - marks[upper][None, :, :]).min(axis=(1, 2))
    return float((off < 0.3 * em).mean())


def _fill_at(facts: PieceFacts, row: NDArray[np.intp]) -> int:
    """The colour behind a row, or -1."""
    fills = facts.page.fills
    if not len(fills):
        return -1
    box = hull(facts.box[row])
    x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    at = np.flatnonzero((fills[:, 0] <= x) & (fills[:, 2] >= x) & (fills[:, 1] <= y) & (fills[:, 3] >= y))
    return int(facts.page.fill_colours[at[-1]]) if len(at) else -1


def upright_features(
    facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp], cuts: list[UprightCut]
) -> NDArray[np.float64]:
    """One row per upright cut, one column per feature."""
    result = np.zeros((len(cuts), len(UPRIGHT_FEATURES)))
    if not cuts:
        return result
    cluster = _cluster(facts, chance, members)
    widths = np.array([c.right - c.left for c in cuts]) / cluster.em
    usual, largest = float(np.median(widths)), float(widths.max())
    for n, cut in enumerate(cuts):
        left = members[facts.box[members, 0] < cut.x]
        right = members[facts.box[members, 0] >= cut.x]
        told = {
            "width": min(widths[n], 20),
            "width to usual": widths[n] / max(usual, 0.1),
            "width to largest": widths[n] / max(largest, 0.1),
            "whites": len(cuts),
            **_rules_beside(cluster, cut, left, right),
            **_sides(cluster, left, right),
            **_rows_beside(cluster, left, right),
            **_text_around(cluster, cut, left, right),
        }
        result[n] = [told[name] for name in UPRIGHT_FEATURES]
    return result


def _rules_beside(cluster: _Cluster, cut: UprightCut, left: NDArray[np.intp], right: NDArray[np.intp]) -> Told:
    """Level rules over a cut, at either side of it, and ending at it; upright ones in its white."""
    facts, around, em = cluster.facts, cluster.around, cluster.em
    a, b = hull(facts.box[left]), hull(facts.box[right])
    start, y, end, _ = facts.rules.T
    long = (y > around.top - 2.5 * em) & (y < around.bottom + 2.5 * em) & (end - start > 3 * em)
    on_left = long & (end <= cut.right + 2) & (end > a.left)
    on_right = long & (start >= cut.left - 2) & (start < b.right)
    x, top, bottom, _ = facts.uprights.T
    stands = (x > cut.left - 2) & (x < cut.right + 2) & (top < around.bottom) & (bottom > around.top)
    ends = long & ((np.abs(end - cut.left) < 2 * em) | (np.abs(start - cut.right) < 2 * em))
    return {
        "rules crossing": min(int((long & (start < cut.x - 2) & (end > cut.x + 2)).sum()), 12),
        "rules left": min(int(on_left.sum()), 12),
        "rules right": min(int(on_right.sum()), 12),
        "rules end": min(int(ends.sum()), 12),
        "uprights inside": min(int(stands.sum()), 6),
        "outer left": int((np.abs(start[on_left] - a.left) < 2 * em).sum() > 1),
        "outer right": int((np.abs(end[on_right] - b.right) < 2 * em).sum() > 1),
    }


def _sides(cluster: _Cluster, left: NDArray[np.intp], right: NDArray[np.intp]) -> Told:
    """What stands at the left of a cut and what at its right."""
    facts, chance, around = cluster.facts, cluster.chance, cluster.around
    told: Told = {"size ratio": np.median(facts.size[left]) / np.median(facts.size[right])}
    for name, side in (("left", left), ("right", right)):
        own = hull(facts.box[side])
        told[f"prose {name}"] = facts.prose[side].mean()
        told[f"chance {name}"] = chance[side].mean()
        told[f"letters {name}"] = min(float(facts.letters[side].mean()), 90)
        told[f"numeric {name}"] = facts.numeric[side].mean()
        told[f"share {name}"] = (own.right - own.left) / max(around.right - around.left, 1.0)
    return told


def _rows_beside(cluster: _Cluster, left: NDArray[np.intp], right: NDArray[np.intp]) -> Told:
    """Whether the rows of the two sides stand on one line, begin and end together, and say the same first."""
    facts, em = cluster.facts, cluster.em
    a, b = hull(facts.box[left]), hull(facts.box[right])
    match = np.abs(facts.base[left][:, None] - facts.base[right][None, :]) < 0.25 * em
    rows_left, rows_right = rows_of(facts, left), rows_of(facts, right)
    heads = {facts.text[k] for k in rows_left[0]}, {facts.text[k] for k in rows_right[0]}
    return {
        "base match left": match.any(1).mean(),
        "base match right": match.any(0).mean(),
        "top off": np.clip((a.top - b.top) / em, -20, 20),
        "bottom off": np.clip((a.bottom - b.bottom) / em, -20, 20),
        "header match": len(heads[0] & heads[1]) / max(len(heads[0] | heads[1]), 1),
        "rows left": min(len(rows_left), 40),
        "rows right": min(len(rows_right), 40),
        "columns left": max(len(r) for r in rows_left),
        "columns right": max(len(r) for r in rows_right),
    }


def _text_around(cluster: _Cluster, cut: UprightCut, left: NDArray[np.intp], right: NDArray[np.intp]) -> Told:
    """Captions over the two sides, and running text of the page that begins or ends where they do."""
    facts, around, em = cluster.facts, cluster.around, cluster.em
    box = facts.box
    above = (box[:, 1] < around.top + 2 * em) & (box[:, 1] > around.top - 8 * em)
    captions = np.flatnonzero((facts.caption == 1) & above)
    middle = (box[captions, 0] + box[captions, 2]) / 2
    prose = facts.prose & ~cluster.inside
    start, end = float(box[right, 0].min()), float(box[left, 2].max())
    return {
        "captions left": int((middle < cut.x).sum()),
        "captions right": int((middle >= cut.x).sum()),
        "column starts": min(int((prose & (np.abs(box[:, 0] - start) < 1.5 * em)).sum()), 20),
        "text edge left": min(int((prose & (np.abs(box[:, 2] - end) < 1.5 * em)).sum()), 20),
    }
