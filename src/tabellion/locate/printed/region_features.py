"""What a group of pieces looks like as a whole: the features that tell a table from a list, a chart or a form.

Goes in: the facts of a page and the pieces of a group. Comes out: one row of numbers.
"""

from __future__ import annotations

import itertools

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.cuts import rows_of
from tabellion.locate.printed.second_look import PieceFacts, hull
from tabellion.model.arrays import median
from tabellion.model.place import Box

REGION_FEATURES = (
    "rows", "pieces", "chance", "least chance", "weak share", "numeric", "bold first", "numeric first", "rules wide",
    "rules inside", "rule top", "rule bottom", "twins", "uprights", "fills", "caption above", "caption below",
    "figure above", "figure below", "width", "height", "columns", "columns usual", "lone rows", "prose", "letters",
    "left edges", "aligned", "in image", "drawings", "gap usual", "gap largest", "first column letters", "bullets",
    "others inside", "size to page", "page pieces share", "y", "x middle", "digits", "row letters",
    "lattice share", "lattice rows", "lattice columns", "page prose", "page captions", "captions before",
)  # fmt: skip
_FAR = 60.0


def region_features(facts: PieceFacts, chance: NDArray[np.float64], members: NDArray[np.intp]) -> NDArray[np.float64]:
    """The features of one group (REGION_FEATURES)."""
    group = _Group(facts, members, rows_of(facts, members), hull(facts.box[members]))
    told = {
        **_content(group, chance[members]),
        **_shape(group),
        **_rules(group),
        **_captions(group),
        **_page(group),
    }
    return np.array([told[name] for name in REGION_FEATURES], dtype=np.float64)


class _Group(msgspec.Struct, frozen=True, eq=False):
    """Pieces that may be a table: which, their rows from the top, the box around them."""

    facts: PieceFacts
    members: NDArray[np.intp]
    rows: list[NDArray[np.intp]]
    around: Box

    @property
    def em(self) -> float:
        return median(self.facts.size[self.members])


Told = dict[str, float]


def _content(group: _Group, chance: NDArray[np.float64]) -> Told:
    """What the pieces say, and how likely each was judged."""
    facts, members, rows = group.facts, group.members, group.rows
    digits = np.array([sum(c.isdigit() for c in facts.text[k]) for k in members])
    letters = facts.letters[members]
    first = [r[0] for r in rows]
    return {
        "chance": chance.mean(),
        "least chance": chance.min(),
        "weak share": (chance < 0.8).mean(),
        "numeric": facts.numeric[members].mean(),
        "bold first": facts.bold[rows[0]].mean(),
        "numeric first": facts.numeric[rows[0]].mean(),
        "prose": facts.prose[members].mean(),
        "letters": min(float(letters.mean()), 90),
        "first column letters": min(float(np.mean([facts.letters[k] for k in first])), 60),
        "bullets": float(np.mean([facts.text[k][:1] in "•▪■●○◦‣∙·–-*" for k in first])),
        "digits": digits.sum() / max(int(letters.sum()), 1),
        "row letters": min(float(letters.sum()) / len(rows), 200),
    }


def _shape(group: _Group) -> Told:
    """Rows, columns, alignment, gaps, place and size."""
    facts, members, rows, around, em = group.facts, group.members, group.rows, group.around, group.em
    counts = np.array([len(r) for r in rows])
    gaps = np.array([facts.box[b, 1].min() - facts.box[a, 3].max() for a, b in itertools.pairwise(rows)]) / em
    edges = np.sort(facts.box[members, 0])
    page = facts.page
    return {
        "rows": min(len(rows), 60),
        "pieces": min(len(members), 300),
        "width": max(around.right - around.left, 1.0) / page.width,
        "height": max(around.bottom - around.top, 1.0) / page.height,
        "columns": counts.max(),
        "columns usual": median(counts),
        "lone rows": (counts == 1).mean(),
        "left edges": min(1 + int((np.diff(edges) > 0.6 * em).sum()), 40),
        "aligned": _aligned(facts, rows, em),
        "gap usual": median(gaps) if len(gaps) else 0.0,
        "gap largest": float(gaps.max()) if len(gaps) else 0.0,
        "size to page": em / median(facts.size),
        "y": around.top / page.height,
        "x middle": (around.left + around.right) / 2 / page.width,
    }


def _rules(group: _Group) -> Told:
    """Rules over and inside the group, shading, the lattice that it stands in."""
    facts, around, em = group.facts, group.around, group.em
    y = facts.rules[:, 1]
    over = np.minimum(facts.rules[:, 2], around.right) - np.maximum(facts.rules[:, 0], around.left)
    near = (y > around.top - 1.5 * em) & (y < around.bottom + 1.5 * em)
    wide = near & (over > 0.7 * max(around.right - around.left, 1.0))
    top = bool((wide & (y < around.top + 0.3 * em)).any())
    bottom = bool((wide & (y > around.bottom - 0.5 * em)).any())
    x = facts.uprights[:, 0]
    stands = (x > around.left - em) & (x < around.right + em)
    stands &= (facts.uprights[:, 1] < around.bottom) & (facts.uprights[:, 2] > around.top)
    inside = facts.lattice[group.members]
    held = np.bincount(inside[inside >= 0], minlength=1)
    lattice = facts.lattices[int(held.argmax())] if held.max() else None
    return {
        "rules wide": min(int(wide.sum()), 30),
        "rules inside": min(int((near & (over > 2 * em)).sum()), 40),
        "rule top": top,
        "rule bottom": bottom,
        "twins": top and bottom,
        "uprights": min(int(stands.sum()), 30),
        "fills": _fills(facts, around.left, around.top, around.right, around.bottom),
        "lattice share": held.max() / len(inside),
        "lattice rows": min(lattice.rows, 30) if lattice else 0,
        "lattice columns": min(lattice.columns, 15) if lattice else 0,
    }


def _page(group: _Group) -> Told:
    """What else the page holds, inside the group's box and around it, and what the pages before held."""
    facts, members, around, page = group.facts, group.members, group.around, group.facts.page
    box = facts.box
    inside = np.zeros(len(box), dtype=bool)
    inside[members] = True
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    within = (x > around.left) & (x < around.right) & (y > around.top) & (y < around.bottom)
    return {
        "in image": _covered(page.images, x[members], y[members], 0.85 * page.width * page.height),
        "drawings": min(_touching(page.drawings, around.left, around.top, around.right, around.bottom), 60),
        "others inside": min(int((within & ~inside).sum()), 20) / len(members),
        "page pieces share": len(members) / len(box),
        "page prose": facts.letters[facts.prose].sum() / max(int(facts.letters.sum()), 1),
        "page captions": min(int((facts.caption == 1).sum()), 6),
        "captions before": min(facts.earlier.tables, 6),
    }


def _captions(group: _Group) -> Told:
    """How far the nearest caption is: of a table above and below, of a figure above and below."""
    facts, around, em = group.facts, group.around, group.em
    told: Told = {}
    for kind, name in ((1, "caption"), (2, "figure")):
        beside = (facts.box[:, 0] < around.right) & (facts.box[:, 2] > around.left)
        at = np.flatnonzero((facts.caption == kind) & beside)
        above = (around.top - facts.box[at, 3]) / em
        below = (facts.box[at, 1] - around.bottom) / em
        told[f"{name} above"] = min(float(min(above[above > -1.5], default=_FAR)), _FAR)
        told[f"{name} below"] = min(float(min(below[below > -1.5], default=_FAR)), _FAR)
    return told


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
