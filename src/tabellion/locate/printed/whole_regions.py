"""Regions of print as a whole: what tells a table from a list, a chart or a form, and how far a table reaches.

Features. In: the facts of a page and the pieces of a group. Out: one row of numbers.

A region that is no table by laws of layout: a part of a figure, a list of contents. Fails on lists of contents without
a heading whose sections have no numbers of several levels.

Where a table begins and ends, as its caption and its rules say. In: the tables found on a page view, with their
captions. Out: the same boxes, some of them larger. What stands between a table's caption and the table is its head,
which was judged to be text or was cut off. What stands between a table that has no rule at its foot and the rule that
closes it, as wide as its others, are its last rows. Fails where notes stand inside the closing rule.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.cuts import rows_of
from tabellion.locate.printed.second_look import PieceFacts, hull
from tabellion.model.arrays import median
from tabellion.model.document import Surroundings
from tabellion.model.place import Box
from tabellion.values.vocabulary import lexicon

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


_SLACK = 2.0  # type sizes that a head may stand out at either side
_STEP = 3.2  # type sizes between two lines of a head, and between it and the table
_WIDE = 0.75  # of the table's width: a rule that is the table's own
_SAME_END = 4.0  # points that the ends of two rules of one table may differ by
_CLOSED = 0.9  # type sizes below a table in which a rule closes it
_DEEPEST_FOOT = 9.0  # type sizes that the last rows may reach below
_FEWEST_BESIDE = 2  # pieces side by side that make a row
_FEWEST_ENTRIES, _MOST_ENTRIES = 3, 0.7  # lines of a list of contents that end in a page; their share of all lines
_FEWEST_LEVELS = 2  # sections numbered by levels ("2.1") that tell a list of contents without a heading
_MOST_DIGITS = 6  # of a page number
_SAME_LINE = 0.5  # type sizes between the baselines of pieces of one line
_SECTION = re.compile(r"(?:[0-9]{1,3}|[A-Z])(?:\.[0-9]{1,3})+\b")
_CONTENTS = lexicon("contents")


def widen_tables(facts: PieceFacts, boxes: Sequence[Box], about: Sequence[Surroundings]) -> list[Box]:
    """The boxes of tables, with the heads and last rows that belong to them."""
    x, y = (facts.box[:, 0] + facts.box[:, 2]) / 2, (facts.box[:, 1] + facts.box[:, 3]) / 2
    free = facts.caption == 0
    for box in boxes:
        free &= ~((x > box.left) & (x < box.right) & (y > box.top) & (y < box.bottom))
    captions = set().union(*(each.caption_pieces for each in about)) if about else set()
    free[list(captions)] = False
    result: list[Box] = []
    for box, each in zip(boxes, about, strict=True):
        inside = (x > box.left) & (x < box.right) & (y > box.top) & (y < box.bottom)
        em = median(facts.size[inside]) if inside.any() else median(facts.size)
        added = [*_head(facts, box, each, free, em), *_foot(facts, box, free, em)]
        result.append(_around(box, hull(facts.box[added])) if added else box)
    return result


def in_figure(facts: PieceFacts, box: Box, about: Surroundings) -> bool:
    """Whether a region without a caption of its own is a part of the figure whose caption stands below it.

    No running text stands between it and the caption, no table's caption, and no rule opens it as rules do tables.
    """
    em = median(facts.size)
    ruled = _rules_of(facts, box) & (np.abs(facts.rules[:, 1] - box.top) < _CLOSED * em)
    if about.caption is not None or ruled.any():
        return False
    left, top, right, _ = facts.box.T
    below = (left < box.right) & (right > box.left) & (top > box.bottom - 2)
    captions = np.flatnonzero(below & (facts.caption > 0))
    if not len(captions):
        return False
    nearest = int(captions[top[captions].argmin()])
    between = below & (top < top[nearest] - 2)
    return bool(facts.caption[nearest] == 2 and not facts.prose[between].any())


def lists_contents(facts: PieceFacts, box: Box) -> bool:
    """Whether a region is a list of contents: its lines end in page numbers, flush right, that never fall, and hold
    no other figures; and a heading says so, or sections are numbered by levels.
    """
    x, y = (facts.box[:, 0] + facts.box[:, 2]) / 2, (facts.box[:, 1] + facts.box[:, 3]) / 2
    inside = np.flatnonzero((x > box.left) & (x < box.right) & (y > box.top) & (y < box.bottom))
    lines = _lines(facts, inside)
    ended = [line for line in lines if len(line) > 1 and facts.text[line[-1]].isdecimal()]
    if len(ended) < _FEWEST_ENTRIES or len(ended) < _MOST_ENTRIES * len(lines):
        return False
    pages = [int(facts.text[line[-1]][:_MOST_DIGITS]) for line in ended]
    flush = np.ptp([facts.box[line[-1], 2] for line in ended]) < median(facts.size[inside])
    worded = all(_has_letters(facts.text[k]) for line in ended for k in line[1:-1])
    if not flush or not worded or pages != sorted(pages):
        return False
    levels = sum(bool(_SECTION.match(facts.text[line[0]])) for line in ended)
    headed = any(_CONTENTS.fills(facts.text[k]) for k in np.flatnonzero(facts.box[:, 1] < box.top + 2).tolist())
    return headed or levels >= _FEWEST_LEVELS


def _has_letters(text: str) -> bool:
    return any(c.isalpha() for c in text)


def _lines(facts: PieceFacts, pieces: NDArray[np.intp]) -> list[list[int]]:
    """Pieces line by line, each from left to right."""
    lines: list[list[int]] = []
    for k in pieces[np.argsort(facts.base[pieces], kind="stable")].tolist():
        if not lines or facts.base[k] - facts.base[lines[-1][0]] > _SAME_LINE * facts.size[k]:
            lines.append([])
        lines[-1].append(k)
    return [sorted(line, key=lambda k: float(facts.box[k, 0])) for line in lines]


def _around(box: Box, more: Box) -> Box:
    margin = 1.0
    return Box(
        min(box.left, more.left - margin),
        min(box.top, more.top - margin),
        max(box.right, more.right + margin),
        max(box.bottom, more.bottom + margin),
    )


def _head(facts: PieceFacts, box: Box, about: Surroundings, free: NDArray[np.bool_], em: float) -> list[int]:
    """The pieces between a caption and the table below it, where they are rows and no text."""
    if about.position != "above" or not about.caption_pieces:
        return []
    start = float(facts.box[list(about.caption_pieces), 3].max())
    left, top, right, bottom = facts.box.T
    between = free & (top > start - 0.4 * em) & ((top + bottom) / 2 < box.top + 0.3 * em)
    between &= (left > box.left - _SLACK * em) & (right < box.right + _SLACK * em)
    found: list[int] = []
    reach = box.top
    for k in sorted(np.flatnonzero(between).tolist(), key=lambda k: -float(bottom[k])):
        if reach - bottom[k] > _STEP * em:
            return []  # something else stands between
        found.append(k)
        reach = min(reach, float(top[k]))
    if not found:
        return []
    ruled = _rules_of(facts, box) & (facts.rules[:, 1] > start - 0.5 * em) & (facts.rules[:, 1] < reach + 0.4 * em)
    return found if ruled.any() or (_beside(facts, found) and not facts.prose[found].any()) else []


def _foot(facts: PieceFacts, box: Box, free: NDArray[np.bool_], em: float) -> list[int]:
    """The pieces between a table that no rule closes and the rule, as wide as its others, that does."""
    own = _rules_of(facts, box)
    y = facts.rules[:, 1]
    above = own & (y > box.top - 1.5 * em) & (y < box.bottom - em)
    if not above.any() or (own & (y > box.bottom - em) & (y < box.bottom + _CLOSED * em)).any():
        return []
    first = facts.rules[above][y[above].argmin()]
    ends = (np.abs(facts.rules[:, 0] - first[0]) < _SAME_END) & (np.abs(facts.rules[:, 2] - first[2]) < _SAME_END)
    closing = y[own & ends & (y > box.bottom) & (y < box.bottom + _DEEPEST_FOOT * em)]
    if not len(closing):
        return []
    left, top, right, bottom = facts.box.T
    middle = (top + bottom) / 2
    between = (middle > box.bottom) & (middle < closing.min()) & (left > first[0] - em) & (right < first[2] + em)
    found: list[int] = np.flatnonzero(between & free).tolist()
    if not found or (between & ~free).any() or not _beside(facts, found):
        return []
    return found


def _rules_of(facts: PieceFacts, box: Box) -> NDArray[np.bool_]:
    """The level rules that run over most of a table's width and little beyond."""
    over = np.minimum(facts.rules[:, 2], box.right) - np.maximum(facts.rules[:, 0], box.left)
    return np.asarray(over > _WIDE * (box.right - box.left))


def _beside(facts: PieceFacts, found: list[int]) -> bool:
    """Whether some pieces stand side by side."""
    return any(
        int((np.abs(facts.base[found] - facts.base[k]) < 0.5 * facts.size[k]).sum()) >= _FEWEST_BESIDE for k in found
    )
