"""Where a cluster of table pieces falls apart into several tables.

Goes in: the pieces of a cluster. Comes out: candidate cuts, level ones between two rows and upright ones through
white that runs from top to bottom, with the features that tell a cut between two tables from the white inside one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.second_look import PieceFacts, hull

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
    box = facts.box
    around = hull(box[members])
    em = float(np.median(facts.size[members]))
    gaps = np.array([c.bottom - c.top for c in cuts]) / em
    usual, largest = max(float(np.median(gaps)), 0.05), max(float(gaps.max()), 0.05)
    inside = np.zeros(len(box), dtype=bool)
    inside[members] = True
    beside = ~inside & (box[:, 0] < around.right) & (box[:, 2] > around.left)
    wide = _wide_rules(facts, around.left, around.right)
    head = {t for row in rows[:2] for t in (facts.text[k] for k in row)}
    for n, cut in enumerate(cuts):
        upper, lower = rows[cut.above - 1], rows[cut.above]
        following = rows[cut.above + 1] if cut.above + 1 < len(rows) else lower
        over = np.concatenate(rows[: cut.above])
        under = np.concatenate(rows[cut.above :])
        u, b = hull(box[over]), hull(box[under])
        middle = (box[:, 1] + box[:, 3]) / 2
        others = np.flatnonzero(beside & (middle > cut.top - 0.3 * em) & (middle < cut.bottom + 0.3 * em))
        y = facts.rules[:, 1]
        in_gap = (y > cut.top - 0.35 * em) & (y < cut.bottom + 0.35 * em)
        touching = (facts.rules[:, 0] < around.right) & (facts.rules[:, 2] > around.left)
        in_wide = wide & in_gap
        spread = float(np.ptp(y[in_wide])) / em if in_wide.any() else 0.0
        through, ends = _uprights_at(facts, (cut.top + cut.bottom) / 2, around.left, around.right, em)
        near_upper = np.concatenate(rows[max(0, cut.above - _BAND) : cut.above])
        near_lower = np.concatenate(rows[cut.above : cut.above + _BAND])
        again = [facts.text[k] for k in lower]
        result[n] = (
            np.clip(gaps[n], -2, 20),
            min(gaps[n] / usual, 20),
            gaps[n] / largest,
            min(cut.above, 25),
            min(len(rows) - cut.above, 25),
            min(int((in_gap & touching).sum()), 8),
            min(int(in_wide.sum()), 6),
            min(int((wide & (y > around.top) & (y < around.bottom)).sum()), 25),
            min(spread, 15),
            min(len(others), 6),
            min(int(facts.letters[others].sum()), 200),
            facts.caption[others].max(initial=0),
            through,
            ends,
            len(upper),
            len(lower),
            facts.numeric[upper].mean(),
            facts.numeric[lower].mean(),
            facts.bold[upper].mean(),
            facts.bold[lower].mean(),
            facts.numeric[following].mean(),
            len(following),
            sum(t in head for t in again) / len(again) if cut.above > 2 else 0.0,
            _aligned(box, near_upper, near_lower, em),
            np.clip((b.left - u.left) / em, -20, 20),
            np.clip((b.right - u.right) / em, -20, 20),
            max(len(r) for r in rows[max(0, cut.above - _BAND) : cut.above]),
            max(len(r) for r in rows[cut.above : cut.above + _BAND]),
            chance[upper].mean(),
            chance[lower].mean(),
            np.median(facts.size[near_lower]) / np.median(facts.size[near_upper]),
            min(float(facts.letters[lower].mean()), 90),
            min(float(facts.letters[upper].mean()), 90),
            abs((box[lower, 0].min() + box[lower, 2].max()) / 2 - (around.left + around.right) / 2) / em,
            facts.numeric[over].mean(),
            facts.numeric[under].mean(),
            gaps[n - 1] if n else 3.0,
            gaps[n + 1] if n + 1 < len(gaps) else 3.0,
            (box[lower, 2].max() - box[lower, 0].min()) / max(around.right - around.left, 1),
            (box[upper, 2].max() - box[upper, 0].min()) / max(around.right - around.left, 1),
            _fill_at(facts, upper) != _fill_at(facts, lower),
            facts.prose[lower].mean(),
            facts.prose[upper].mean(),
            facts.caption[lower].max(initial=0),
        )
    return result


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
    box = facts.box
    around = hull(box[members])
    em = float(np.median(facts.size[members]))
    widths = np.array([c.right - c.left for c in cuts]) / em
    usual, largest = float(np.median(widths)), float(widths.max())
    inside = np.zeros(len(box), dtype=bool)
    inside[members] = True
    prose = facts.prose & ~inside
    y = facts.rules[:, 1]
    level = (y > around.top - 2.5 * em) & (y < around.bottom + 2.5 * em)
    long = level & (facts.rules[:, 2] - facts.rules[:, 0] > 3 * em)
    width = max(around.right - around.left, 1.0)
    for n, cut in enumerate(cuts):
        left = members[box[members, 0] < cut.x]
        right = members[box[members, 0] >= cut.x]
        a, b = hull(box[left]), hull(box[right])
        crossing = long & (facts.rules[:, 0] < cut.x - 2) & (facts.rules[:, 2] > cut.x + 2)
        on_left = long & (facts.rules[:, 2] <= cut.right + 2) & (facts.rules[:, 2] > a.left)
        on_right = long & (facts.rules[:, 0] >= cut.left - 2) & (facts.rules[:, 0] < b.right)
        ends = long & (
            (np.abs(facts.rules[:, 2] - cut.left) < 2 * em) | (np.abs(facts.rules[:, 0] - cut.right) < 2 * em)
        )
        x = facts.uprights[:, 0]
        stands = (
            (x > cut.left - 2)
            & (x < cut.right + 2)
            & (facts.uprights[:, 1] < around.bottom)
            & (facts.uprights[:, 2] > around.top)
        )
        match = np.abs(facts.base[left][:, None] - facts.base[right][None, :]) < 0.25 * em
        first_left, first_right = rows_of(facts, left), rows_of(facts, right)
        heads = {facts.text[k] for k in first_left[0]}, {facts.text[k] for k in first_right[0]}
        captions = np.flatnonzero(
            (facts.caption == 1) & (box[:, 1] < around.top + 2 * em) & (box[:, 1] > around.top - 8 * em)
        )
        middle = (box[captions, 0] + box[captions, 2]) / 2
        result[n] = (
            min(widths[n], 20),
            widths[n] / max(usual, 0.1),
            widths[n] / max(largest, 0.1),
            len(cuts),
            min(int(crossing.sum()), 12),
            min(int(on_left.sum()), 12),
            min(int(on_right.sum()), 12),
            min(int(ends.sum()), 12),
            min(int(stands.sum()), 6),
            match.any(1).mean(),
            match.any(0).mean(),
            facts.prose[left].mean(),
            facts.prose[right].mean(),
            chance[left].mean(),
            chance[right].mean(),
            np.clip((a.top - b.top) / em, -20, 20),
            np.clip((a.bottom - b.bottom) / em, -20, 20),
            np.median(facts.size[left]) / np.median(facts.size[right]),
            len(heads[0] & heads[1]) / max(len(heads[0] | heads[1]), 1),
            int((middle < cut.x).sum()),
            int((middle >= cut.x).sum()),
            min(int((prose & (np.abs(box[:, 0] - b.left) < 1.5 * em)).sum()), 20),
            min(float(facts.letters[left].mean()), 90),
            min(float(facts.letters[right].mean()), 90),
            facts.numeric[left].mean(),
            facts.numeric[right].mean(),
            (a.right - a.left) / width,
            (b.right - b.left) / width,
            min(len(first_left), 40),
            min(len(first_right), 40),
            int((np.abs(facts.rules[on_left, 0] - a.left) < 2 * em).sum() > 1),
            int((np.abs(facts.rules[on_right, 2] - b.right) < 2 * em).sum() > 1),
            max(len(r) for r in first_left),
            max(len(r) for r in first_right),
            min(int((prose & (np.abs(box[:, 2] - a.right) < 1.5 * em)).sum()), 20),
        )
    return result
