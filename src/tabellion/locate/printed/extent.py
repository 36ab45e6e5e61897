"""Where a table begins and ends, as its caption and its rules say.

Goes in: the tables found on a page view, with their captions. Comes out: the same boxes, some of them larger. What
stands between a table's caption and the table is its head, which was judged to be text or was cut off. What stands
between a table that has no rule at its foot and the rule that closes it, as wide as its others, are its last rows.
A region that is no table by laws of layout is told too: a part of a figure, a list of contents. Fails where notes stand
inside the closing rule, and on lists of contents without a heading whose sections have no numbers of several levels.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.printed.second_look import PieceFacts, hull
from tabellion.model.arrays import median
from tabellion.model.document import Surroundings
from tabellion.model.place import Box
from tabellion.values.vocabulary import lexicon

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
