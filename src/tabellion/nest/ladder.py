"""A reading of a strand by rules alone: indent, then rows without values, then bold, then what is said again.

In: attributes. Out: for each label the index of its parent, or -1. It stands on its own as a baseline, and the learned
scores take it as one feature among others. A label stands under the nearest label before it of a lower rung; rungs
compare indent first, then rows without values and raised headings, then bold of label or values, then capitals.
A bare "Total" with values has nothing under it. A row without values that heads labels of another look has nothing
that looks like itself under it but its total. Then the same words are made to stand alike everywhere (`Refrain`).
Fails where nothing but the meaning of the words tells.
"""

from __future__ import annotations

import numpy as np

from tabellion.nest.attributes import Attributes, Indices
from tabellion.nest.refrain import Refrain, find_refrain

LONGEST_OUTLINE = 3_000  # labels; in a longer list words come again without telling anything

Rung = tuple[float, float, bool, bool]


def climb(attributes: Attributes) -> Indices:
    """The parent of each label by rules, -1 at the root; labels of one look all stand beside each other at first."""
    if not len(attributes):
        return np.zeros(0, dtype=np.intp)
    first = _climb(attributes, Refrain()) if attributes.look.any() else np.full(len(attributes), -1, dtype=np.intp)
    refrain = find_refrain(attributes, first) if len(attributes) <= LONGEST_OUTLINE else Refrain()
    return _climb(attributes, refrain) if refrain else first


def climb_poorly(attributes: Attributes) -> tuple[Indices, Indices]:
    """Two poorer readings, by indent alone and without what comes again: they teach how far to trust a ladder."""
    parents = np.full(len(attributes), -1, dtype=np.intp)
    stack: list[int] = []
    indent = attributes.indent.tolist()
    for here in range(len(attributes)):
        while stack and indent[stack[-1]] >= indent[here]:
            stack.pop()
        parents[here] = stack[-1] if stack else -1
        stack.append(here)
    return parents, _climb(attributes, Refrain())


def _climb(attributes: Attributes, refrain: Refrain) -> Indices:
    parents = np.full(len(attributes), -1, dtype=np.intp)
    rungs = _rungs(attributes)
    barren = _barren(attributes)
    level = _Levels(attributes)
    total, group = attributes.told("only_total"), attributes.group.tolist()
    own_total = _own_totals(attributes)

    def fits(above: int, here: int, stack: list[int]) -> bool:
        """Whether a label stands under the last of the stack."""
        upper, lower = rungs[above], rungs[here]
        leaf = above in refrain.leaves and upper[0] == lower[0]
        total_of_one = total[here] and above == here - 1 and not group[above]
        if leaf or barren[above] or total_of_one:
            return False
        under = _stands_under(upper, lower, rungs[above + 1], above + 1 == here) and not level.beside(here, stack)
        return under or own_total.get(here) == above

    stack: list[int] = []
    for here in range(len(rungs)):
        forced = refrain.under.get(here)
        if forced not in stack:
            forced = None
        while stack and not (stack[-1] == forced if forced is not None else fits(stack[-1], here, stack)):
            stack.pop()
        if stack:
            parents[here] = stack[-1]
        level.note(here, stack)
        stack.append(here)
    return parents


class _Levels:
    """Which looks have stood right under a row without values of which look."""

    def __init__(self, attributes: Attributes) -> None:
        self.look, self.group, self.indent = (
            a.tolist() for a in (attributes.look, attributes.group, attributes.indent)
        )
        self.seen: set[tuple[int, int]] = set()

    def note(self, here: int, stack: list[int]) -> None:
        if stack and self.group[stack[-1]]:
            self.seen.add((self.look[stack[-1]], self.look[here]))

    def beside(self, here: int, stack: list[int]) -> bool:
        """Whether a label stands beside the last of the stack: both looks have stood right under such a row above."""
        if len(stack) < 2 or not self.group[stack[-2]] or self.group[stack[-1]]:
            return False
        above, last = self.look[stack[-2]], self.look[stack[-1]]
        both = (above, self.look[here]) in self.seen and (above, last) in self.seen
        return both and self.indent[here] == self.indent[stack[-1]]


def _rungs(attributes: Attributes) -> list[Rung]:
    """Indent; rows without values before raised headings, deeper raised ones first, before others; bold; capitals."""
    heavy = (attributes.bold | attributes.bold_values).tolist()
    loud = (attributes.bold | attributes.group).tolist()
    order = np.where(attributes.group, 0.0, np.where(attributes.raised > 0, 1.0 - attributes.raised / 100, 2.0))
    capitals = attributes.told("capitals")
    return [
        (indent, rank, not thick, not (capital and strong))
        for indent, rank, thick, capital, strong in zip(
            attributes.indent.tolist(), order.tolist(), heavy, capitals, loud, strict=True
        )
    ]


def _stands_under(upper: Rung, lower: Rung, following: Rung, at_once: bool) -> bool:
    """Whether a label may stand under an earlier one, by their rungs and that of the label below the earlier one."""
    if upper[0] != lower[0]:
        return upper[0] < lower[0]
    if upper[2] and not lower[2] and not at_once:
        return False
    heads_others = following[0] > upper[0] or following[2:] > lower[2:]
    return upper < lower and not (upper[2:] == lower[2:] and heads_others)


def _barren(attributes: Attributes) -> list[bool]:
    """Labels that have nothing under them: a bare total with values, unless a colon opens it."""
    told = zip(attributes.told("only_total"), attributes.told("colon"), attributes.group.tolist(), strict=True)
    return [total and not colon and not group for total, colon, group in told]


def _own_totals(attributes: Attributes) -> dict[int, int]:
    """Totals that say again the words of the last row without values: total -> that row."""
    found: dict[int, int] = {}
    group: int | None = None
    stems = attributes.told("stems")
    for here, (is_group, starts) in enumerate(
        zip(attributes.group.tolist(), attributes.told("starts_total"), strict=True)
    ):
        if is_group:
            group = here
        elif group is not None and starts:
            upper = set(stems[group])
            if upper and 2 * len(upper.intersection(stems[here])) >= len(upper):
                found[here] = group
    return found
