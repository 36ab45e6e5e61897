"""Where a cluster of table pieces falls apart into several tables.

Goes in: the pieces of a cluster. Comes out: candidate cuts, level ones between two rows and upright ones through
white that runs from top to bottom, with the features that tell a cut between two tables from the white inside one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.second_look import PieceFacts, hull
from tabellion.model.arrays import median
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
    em = median(facts.size[members])
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
    return _Cluster(facts, chance, members, hull(facts.box[members]), median(facts.size[members]))


Told = dict[str, float]
Series = dict[str, NDArray[Any]]
"""Features by name, one value per cut."""


def level_features(
    facts: PieceFacts,
    chance: NDArray[np.float64],
    members: NDArray[np.intp],
    rows: list[NDArray[np.intp]],
    cuts: list[LevelCut],
) -> NDArray[np.float64]:
    """One row per level cut, one column per feature: there is a cut between each row and the next."""
    if not cuts:
        return np.zeros((0, len(LEVEL_FEATURES)))
    cluster, bands = _cluster(facts, chance, members), _Bands(facts, rows)
    top, bottom = np.array([c.top for c in cuts]), np.array([c.bottom for c in cuts])
    told = {
        **_gaps_at((bottom - top) / cluster.em),
        **_rules_at(cluster, top, bottom),
        **_others_at(cluster, top, bottom),
        **_rows_at(cluster, bands, chance),
        **_halves_at(cluster, bands),
    }
    return np.column_stack([told[name] for name in LEVEL_FEATURES]).astype(np.float64)


class _Bands:
    """The rows of a cluster as one run of pieces, so that each measure of all rows is one call."""

    def __init__(self, facts: PieceFacts, rows: list[NDArray[np.intp]]) -> None:
        self.rows, self.facts = rows, facts
        self.count = np.array([len(row) for row in rows])
        self.flat = np.concatenate(rows)
        self.starts = np.concatenate(([0], np.cumsum(self.count)[:-1]))
        self.left = np.minimum.reduceat(facts.box[self.flat, 0], self.starts)
        self.right = np.maximum.reduceat(facts.box[self.flat, 2], self.starts)

    def sum(self, values: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.add.reduceat(values[self.flat].astype(np.float64), self.starts))

    def mean(self, values: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(self.sum(values) / self.count)


def _gaps_at(gaps: NDArray[np.float64]) -> Series:
    """The white of each cut beside that of the others."""
    usual, largest = max(median(gaps), 0.05), max(float(gaps.max()), 0.05)
    return {
        "gap": np.clip(gaps, -2, 20),
        "gap to usual": np.minimum(gaps / usual, 20),
        "gap to largest": gaps / largest,
        "gap above": np.append(3.0, gaps[:-1]),
        "gap below": np.append(gaps[1:], 3.0),
    }


def _rules_at(cluster: _Cluster, top: NDArray[np.float64], bottom: NDArray[np.float64]) -> Series:
    """The rules in the white of each cut, and those through it."""
    facts, around, em = cluster.facts, cluster.around, cluster.em
    wide = _wide_rules(facts, around.left, around.right)
    y = facts.rules[:, 1]
    in_gap = (y > top[:, None] - 0.35 * em) & (y < bottom[:, None] + 0.35 * em)
    touching = (facts.rules[:, 0] < around.right) & (facts.rules[:, 2] > around.left)
    in_wide = in_gap & wide
    lowest = np.where(in_wide, y, -np.inf).max(1, initial=-np.inf)
    spread = lowest - np.where(in_wide, y, np.inf).min(1, initial=np.inf)
    inside = min(int((wide & (y > around.top) & (y < around.bottom)).sum()), 25)
    x, start, end = facts.uprights[:, 0], facts.uprights[:, 1], facts.uprights[:, 2]
    at = ((top + bottom) / 2)[:, None]
    near = (x > around.left - em) & (x < around.right + em)
    through = near & (start < at) & (end > at)
    ends = near & ~through & ((np.abs(end - at) < 4 * em) | (np.abs(start - at) < 4 * em))
    return {
        "rules": np.minimum((in_gap & touching).sum(1), 8),
        "wide rules": np.minimum(in_wide.sum(1), 6),
        "wide rules inside": np.full(len(top), inside),
        "rule spread": np.where(in_wide.any(1), np.minimum(spread / em, 15), 0.0),
        "uprights through": np.minimum(through.sum(1), 12),
        "uprights end": np.minimum(ends.sum(1), 20),
    }


def _others_at(cluster: _Cluster, top: NDArray[np.float64], bottom: NDArray[np.float64]) -> Series:
    """What stands in the white of each cut that is not of the cluster."""
    facts, em, around = cluster.facts, cluster.em, cluster.around
    beside = ~cluster.inside & (facts.box[:, 0] < around.right) & (facts.box[:, 2] > around.left)
    middle = (facts.box[:, 1] + facts.box[:, 3]) / 2
    others = beside & (middle > top[:, None] - 0.3 * em) & (middle < bottom[:, None] + 0.3 * em)
    return {
        "others": np.minimum(others.sum(1), 6),
        "letters": np.minimum(others @ facts.letters, 200),
        "caption": (others * facts.caption).max(1, initial=0),
    }


def _rows_at(cluster: _Cluster, bands: _Bands, chance: NDArray[np.float64]) -> Series:
    """The row above each cut and the one below it: what they hold and how they stand."""
    facts, around, rows = cluster.facts, cluster.around, bands.rows
    head = {facts.text[k] for row in rows[:2] for k in row}
    again = [sum(facts.text[k] in head for k in row) / len(row) if n > 2 else 0.0 for n, row in enumerate(rows)]
    fill = np.array([_fill_at(facts, row) for row in rows])
    numeric = bands.mean(facts.numeric)
    of_row: Series = {
        "pieces": bands.count,
        "numeric": numeric,
        "bold": bands.mean(facts.bold),
        "chance": bands.mean(chance),
        "letters": np.minimum(bands.mean(facts.letters), 90),
        "width share": (bands.right - bands.left) / max(around.right - around.left, 1),
        "prose": bands.mean(facts.prose),
    }
    caption = np.maximum.reduceat(facts.caption[bands.flat], bands.starts)
    return {
        **{f"{name} upper": values[:-1] for name, values in of_row.items()},
        **{f"{name} lower": values[1:] for name, values in of_row.items()},
        "numeric lower 2": np.append(numeric[2:], numeric[-1]),
        "pieces lower 2": np.append(bands.count[2:], bands.count[-1]),
        "header match": np.array(again[1:]),
        "centred lower": np.abs((bands.left + bands.right)[1:] / 2 - (around.left + around.right) / 2) / cluster.em,
        "filled differs": fill[1:] != fill[:-1],
        "caption in lower": caption[1:],
    }


def _halves_at(cluster: _Cluster, bands: _Bands) -> Series:
    """All that stands above each cut and all that stands below it, and the few rows next to it on both sides."""
    facts, em, rows = cluster.facts, cluster.em, bands.rows
    numbers, count = bands.sum(facts.numeric), bands.count
    above = range(1, len(rows))
    over = [np.concatenate(rows[max(0, n - _BAND) : n]) for n in above]
    under = [np.concatenate(rows[n : n + _BAND]) for n in above]
    left, right = np.minimum.accumulate(bands.left), np.maximum.accumulate(bands.right)
    rest_left, rest_right = np.minimum.accumulate(bands.left[::-1]), np.maximum.accumulate(bands.right[::-1])
    sizes = [(median(facts.size[a].tolist()), median(facts.size[b].tolist())) for a, b in zip(over, under, strict=True)]
    return {
        "rows above": np.minimum(np.array(above), 25),
        "rows below": np.minimum(len(rows) - np.array(above), 25),
        "aligned": np.array([_aligned(facts.box, a, b, em) for a, b in zip(over, under, strict=True)]),
        "left off": np.clip((rest_left[::-1][1:] - left[:-1]) / em, -20, 20),
        "right off": np.clip((rest_right[::-1][1:] - right[:-1]) / em, -20, 20),
        "columns upper": np.array([int(count[max(0, n - _BAND) : n].max()) for n in above]),
        "columns lower": np.array([int(count[n : n + _BAND].max()) for n in above]),
        "size ratio": np.array([lower / upper for upper, lower in sizes]),
        "numeric above": (np.cumsum(numbers) / np.cumsum(count))[:-1],
        "numeric below": (np.cumsum(numbers[::-1]) / np.cumsum(count[::-1]))[::-1][1:],
    }


def _wide_rules(facts: PieceFacts, left: float, right: float) -> NDArray[np.bool_]:
    """Level rules over more than half of a width."""
    over = np.minimum(facts.rules[:, 2], right) - np.maximum(facts.rules[:, 0], left)
    return np.asarray(over > 0.55 * max(right - left, 1.0))


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
    usual, largest = median(widths), float(widths.max())
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
    told: Told = {"size ratio": median(facts.size[left]) / median(facts.size[right])}
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
