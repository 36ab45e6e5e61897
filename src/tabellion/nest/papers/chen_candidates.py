"""Candidate pairs of parent and child (Chen and Cafarella 2013, section 3.2.1).

In: the attributes of a strand. Out: two arrays, parent and child of each candidate, sorted by child; parent -1 is the
root. The paper keeps pairs that do not look alike, and of parents that look alike the nearest only; so each label has
a few candidates however long the strand is. For the boosted scores more are needed: labels that look alike can be
parent and child where only words tell, and then the parent may be further off than the nearest.
"""

from __future__ import annotations

import numpy as np

from tabellion.nest.attributes import Attributes, Indices

ROOT = -1
STYLES_ABOVE = 8  # distinct looks above a label that are tried, nearest first
STYLES_BELOW = 3  # the same below it: the paper lets a total stand below its parts
ANCESTORS = 8  # labels above on the ladder that are tried

Pairs = tuple[Indices, Indices]


def differing_pairs(style: Indices) -> Pairs:
    """The paper's candidates: unlike styles, the nearest of each style above and below, and the root."""
    parents: list[int] = []
    children: list[int] = []
    above = _nearest_of_each(style.tolist(), STYLES_ABOVE)
    below = _nearest_of_each(style[::-1].tolist(), STYLES_BELOW)
    last = len(style) - 1
    for child, near in enumerate(above):
        options = [p for p in near if style[p] != style[child]]
        options += [last - p for p in below[last - child] if style[last - p] != style[child]]
        parents += [ROOT, *options]
        children += [child] * (len(options) + 1)
    return np.array(parents, dtype=np.intp), np.array(children, dtype=np.intp)


def climbing_pairs(attributes: Attributes, ladder: Indices) -> Pairs:
    """Candidates above each label: the label before it and what that stands under, the nearest of each look, the
    first of each run of such, the nearest label that is said only once, and the root.
    """
    look, text = attributes.look.tolist(), attributes.wording
    rungs = ladder.tolist()
    once = (np.bincount(text, minlength=1)[text] == 1).tolist() if len(text) else []
    run_start = _run_starts(attributes.look).tolist()
    parents: list[int] = []
    children: list[int] = []
    last_once = ROOT
    for child, near in enumerate(_nearest_of_each(look, STYLES_ABOVE)):
        options = {ROOT, last_once, *near, *(run_start[p] for p in near)}
        at, left = child - 1, ANCESTORS
        while at >= 0 and left:
            options.add(at)
            at, left = rungs[at], left - 1
        parents += sorted(options)
        children += [child] * len(options)
        if once[child]:
            last_once = child
    return np.array(parents, dtype=np.intp), np.array(children, dtype=np.intp)


def _nearest_of_each(style: list[int], limit: int) -> list[list[int]]:
    """For each label the nearest earlier one of each style, nearest first, at most `limit`."""
    recent: list[int] = []
    last: dict[int, int] = {}
    found: list[list[int]] = []
    for here, one in enumerate(style):
        found.append([last[s] for s in recent[:limit]])
        if not recent or recent[0] != one:
            if one in recent:
                recent.remove(one)
            recent.insert(0, one)
            del recent[4 * limit :]
        last[one] = here
    return found


def _run_starts(look: Indices) -> Indices:
    """For each label the first of the unbroken run of its look that it stands in."""
    new = np.ones(len(look), dtype=bool)
    new[1:] = look[1:] != look[:-1]
    return np.maximum.accumulate(np.where(new, np.arange(len(look)), 0))
