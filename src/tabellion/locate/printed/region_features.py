"""What a group of pieces looks like as a whole: the features that tell a table from a list, a chart or a form.

Goes in: the facts of a page and the pieces of a group. Comes out: one row of numbers.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.cuts import rows_of
from tabellion.locate.printed.second_look import PieceFacts, hull

REGION_FEATURES = (
    "rows", "pieces", "chance", "least chance", "weak share", "numeric", "bold first", "numeric first", "rules wide",
    "rules inside", "rule top", "rule bottom", "twins", "uprights", "fills", "caption above", "caption below",
    "figure above", "figure below", "width", "height", "columns", "columns usual", "lone rows", "prose", "letters",
    "left edges", "aligned", "in image", "drawings", "gap usual", "gap largest", "first column letters", "bullets",
    "others inside", "size to page", "page pieces share", "y", "x middle", "digits", "row letters",
)  # fmt: skip
_FAR = 60.0


def region_features(facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp]) -> NDArray[np.float64]:
    """The features of one group (REGION_FEATURES)."""
    box, page = facts.box, facts.page
    around = hull(box[members])
    em = float(np.median(facts.size[members]))
    rows = rows_of(facts, members)
    counts = np.array([len(r) for r in rows])
    width, height = max(around.right - around.left, 1.0), max(around.bottom - around.top, 1.0)
    y = facts.rules[:, 1]
    over = np.minimum(facts.rules[:, 2], around.right) - np.maximum(facts.rules[:, 0], around.left)
    near = (y > around.top - 1.5 * em) & (y < around.bottom + 1.5 * em)
    wide = near & (over > 0.7 * width)
    top = wide & (y < around.top + 0.3 * em)
    bottom = wide & (y > around.bottom - 0.5 * em)
    x = facts.uprights[:, 0]
    stands = (x > around.left - em) & (x < around.right + em)
    stands &= (facts.uprights[:, 1] < around.bottom) & (facts.uprights[:, 2] > around.top)
    inside = np.zeros(len(box), dtype=bool)
    inside[members] = True
    middle_x, middle_y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    within = (middle_x > around.left) & (middle_x < around.right) & (middle_y > around.top) & (middle_y < around.bottom)
    gaps = np.array([box[b, 1].min() - box[a, 3].max() for a, b in itertools.pairwise(rows)]) / em
    first = [r[0] for r in rows]
    edges = np.sort(box[members, 0])
    clusters = 1 + int((np.diff(edges) > 0.6 * em).sum())
    digits = np.array([sum(c.isdigit() for c in facts.text[k]) for k in members])
    return np.array(
        (
            min(len(rows), 60),
            min(len(members), 300),
            chance[members].mean(),
            chance[members].min(),
            (chance[members] < 0.8).mean(),
            facts.numeric[members].mean(),
            facts.bold[rows[0]].mean(),
            facts.numeric[rows[0]].mean(),
            min(int(wide.sum()), 30),
            min(int((near & (over > 2 * em)).sum()), 40),
            top.any(),
            bottom.any(),
            top.any() and bottom.any(),
            min(int(stands.sum()), 30),
            _fills(facts, around.left, around.top, around.right, around.bottom),
            *_captions(facts, around.left, around.right, around.top, around.bottom, em),
            width / page.width,
            height / page.height,
            counts.max(),
            float(np.median(counts)),
            (counts == 1).mean(),
            facts.prose[members].mean(),
            min(float(facts.letters[members].mean()), 90),
            min(clusters, 40),
            _aligned(facts, rows, em),
            _covered(page.images, middle_x[members], middle_y[members], 0.85 * page.width * page.height),
            min(int(_touching(page.drawings, around.left, around.top, around.right, around.bottom)), 60),
            float(np.median(gaps)) if len(gaps) else 0.0,
            float(gaps.max()) if len(gaps) else 0.0,
            min(float(np.mean([facts.letters[k] for k in first])), 60),
            np.mean([facts.text[k][:1] in "•▪■●○◦‣∙·–-*" for k in first]),
            min(int((within & ~inside).sum()), 20) / len(members),
            em / float(np.median(facts.size)),
            len(members) / len(box),
            around.top / page.height,
            (around.left + around.right) / 2 / page.width,
            digits.sum() / max(int(facts.letters[members].sum()), 1),
            min(float(facts.letters[members].sum()) / len(rows), 200),
        ),
        dtype=np.float64,
    )


def _captions(
    facts: PieceFacts, left: float, right: float, top: float, bottom: float, em: float
) -> tuple[float, float, float, float]:
    """How far the nearest caption is: of a table above and below, of a figure above and below."""
    result = []
    for kind in (1, 2):
        at = np.flatnonzero((facts.caption == kind) & (facts.box[:, 0] < right) & (facts.box[:, 2] > left))
        above = (top - facts.box[at, 3]) / em
        below = (facts.box[at, 1] - bottom) / em
        result.append(float(min(above[above > -1.5], default=_FAR)))
        result.append(float(min(below[below > -1.5], default=_FAR)))
    return min(result[0], _FAR), min(result[1], _FAR), min(result[2], _FAR), min(result[3], _FAR)


def _aligned(facts: PieceFacts, rows: list[NDArray[np.intp]], em: float) -> float:
    """The share of pieces that share an edge or the middle with a piece of the row above."""
    hits = total = 0
    for upper, lower in itertools.pairwise(rows):
        marks = [
            np.column_stack([facts.box[r, 0], (facts.box[r, 0] + facts.box[r, 2]) / 2, facts.box[r, 2]])
            for r in (upper, lower)
        ]
        off = np.abs(marks[1][:, None, :] - marks[0][None, :, :]).min(axis=(1, 2))
        hits += int((off < 0.3 * em).sum())
        total += len(lower)
    return hits / max(total, 1)


def _fills(facts: PieceFacts, left: float, top: float, right: float, bottom: float) -> float:
    """How many filled rectangles lie inside a box."""
    fills = facts.page.fills
    x, y = (fills[:, 0] + fills[:, 2]) / 2, (fills[:, 1] + fills[:, 3]) / 2
    return float(min(int(((x > left) & (x < right) & (y > top) & (y < bottom)).sum()), 60))


def _touching(boxes: NDArray[np.floating], left: float, top: float, right: float, bottom: float) -> int:
    return int(((boxes[:, 0] < right) & (boxes[:, 2] > left) & (boxes[:, 1] < bottom) & (boxes[:, 3] > top)).sum())


def _covered(images: NDArray[np.floating], x: NDArray[np.float64], y: NDArray[np.float64], largest: float) -> float:
    """The share of places that lie on a picture (one that covers the whole page does not count)."""
    hit = np.zeros(len(x), dtype=bool)
    for left, top, right, bottom in images.tolist():
        if (right - left) * (bottom - top) < largest:
            hit |= (x > left) & (x < right) & (y > top) & (y < bottom)
    return float(hit.mean())
