"""The frames of a rendered page: every candidate that its boxes give, before they are judged.

In: a `RenderedPage`. Out: frames of at least two columns and two rows whose cells do not overlap (VENTex, rules 8 and
9), spacers purged. Elements that hold the very same cells give one frame.

Tables written as plain text: lines of words with gaps or bars at the same places.

In: the words of a block without parts. Out: the runs of words between gaps, as cells. Beyond VENTex, which leaves
delimiter-based tables out (figure 5, type 3). A gap is as wide as two letters; a bar between words is a gap as well,
and lines that only rule are none. Fails where columns are parted by single blanks.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np

from tabellion.locate.rendered.arrangement import Arranged, Arrangement, Part
from tabellion.locate.rendered.candidates import BoxFrame
from tabellion.locate.rendered.topology import Topology, find_topology
from tabellion.model.rendered import RenderedPage, Words

_GAP = 1.6  # widths of a letter from which a gap parts columns: two blanks do, one does not
_BARS = frozenset("|¦│┃‖")
_RULE = re.compile(r"[-=_+|.*~─═┼│]{2,}")
_FEWEST_LINES = 3
_SHARE = 0.6  # of the lines must have several columns
_MOST_WORDS = 5000


def cut_text_block(words: Words, first: int, end: int) -> tuple[list[Part], tuple[int, ...] | None]:
    """The cells of a block of text, none where its lines have no columns; and their columns where bars count them."""
    if not _FEWEST_LINES * 2 <= end - first <= _MOST_WORDS:
        return [], None
    box = words.box[first:end]
    text = words.text[first:end].tolist()
    letters = np.maximum(1, [len(word) for word in text])
    letter = float(np.median((box[:, 2] - box[:, 0]) / letters))
    new_line = np.concatenate([[True], (box[1:, 1] > box[:-1, 3] - 2) | (box[1:, 0] < box[:-1, 0])])
    if new_line.sum() < _FEWEST_LINES:
        return [], None
    wide = np.concatenate([[True], box[1:, 0] - box[:-1, 2] > _GAP * letter])
    bars = [word in _BARS for word in text]
    rules = [bool(_RULE.fullmatch(word)) for word in text]
    cells: list[Part] = []
    columns: list[int] = []
    counts: list[int] = []
    passed: list[int] = []  # bars of each line
    for at in range(end - first):
        if new_line[at]:
            counts.append(0)
            passed.append(0)
        passed[-1] += bars[at]
        if bars[at] or rules[at]:
            continue
        if new_line[at] or wide[at] or not cells or cells[-1].end != first + at:
            cells.append(Part(-1, first + at, first + at + 1))
            columns.append(passed[-1])
            counts[-1] += 1
        else:
            cells[-1] = cells[-1]._replace(end=first + at + 1)
    told = [count for count in counts if count]
    several = sum(count > 1 for count in told)
    if len(told) < _FEWEST_LINES or several < _SHARE * len(told):
        return [], None
    barred = [number for number, count in zip(passed, counts, strict=True) if count]
    counted = min(barred) == max(barred) > 0 and len(cells) <= (max(barred) + 1) * len(barred)
    return cells, tuple(columns) if counted else None


_OVERLAPPING = 0.1  # the share of cells that may overlap: rule 8, with some tolerance for decoration
_FEWEST = 2  # rows and columns of a frame that may be part of a larger one


def find_frames(
    page: RenderedPage, arrangement: Arrangement, recognise: Callable[..., Topology] = find_topology
) -> list[BoxFrame]:
    """All frames, in document order; of elements with the same cells the innermost counts.

    `recognise` tells rows and columns: `find_topology` from projections, `lay_on_grid` on the double topological grid.
    """
    found: dict[tuple[int, int, int], BoxFrame] = {}
    for arranged in (*arrangement.candidates(), *_text_frames(page, arrangement)):
        frame = frame_of(arranged, recognise)
        if frame is not None:
            first, end = frame.words
            found[first, end, len(frame.topology)] = frame
    return sorted(found.values(), key=lambda frame: (frame.words[0], -frame.words[1]))


def frame_of(arranged: Arranged, recognise: Callable[..., Topology] = find_topology) -> BoxFrame | None:
    """The frame of cells, or None where they make no rows and columns."""
    filled = arranged.filled
    if not filled.sum() >= _FEWEST * _FEWEST:
        return None
    topology = recognise(arranged.box, filled, arranged.columns)
    if topology.rows < _FEWEST or topology.columns < _FEWEST:
        return None
    if topology.overlaps > _OVERLAPPING * len(topology):
        return None
    return BoxFrame(arranged.node, arranged.cells, arranged.box, topology, arranged.cut)


def _text_frames(page: RenderedPage, arrangement: Arrangement) -> list[Arranged]:
    found = []
    for block in arrangement.text_blocks():
        cells, columns = cut_text_block(page.words, block.first, block.end)
        if cells:
            found.append(arrangement.arranged(block.node, cells, columns))
    return found
