"""Labels that come again: what stands under one heading tends to stand under the next in the same words.

In: attributes and a first reading. Out: labels that must stand under a given other, and labels that have nothing
under them of their own indent. Two observations: (1) where the same run of words comes again among labels that look
alike, each time right after words that come only once, the run stands under those ("Canada Males Females", "Ontario
Males Females"); (2) where words come again that a first reading hangs under the label so many rows above, they hang
so everywhere. Fails where a list happens to repeat a few words.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import msgspec
import numpy as np

from tabellion.nest.attributes import Attributes, Indices

LONGEST_TRAIL = 40  # labels between a parent and a child that are compared word by word
MOSTLY = 0.5  # share of like siblings that runs and headings must make up


class Refrain(msgspec.Struct):
    """What coming again tells: the parent of some labels, and labels without children at their own indent."""

    under: dict[int, int] = {}
    leaves: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self.under)


def find_refrain(attributes: Attributes, parents: Indices) -> Refrain:
    """What coming again tells beyond the first reading."""
    refrain = Refrain({}, set())
    text = attributes.wording.tolist()
    times = np.bincount(attributes.wording)[attributes.wording].tolist()
    if max(times, default=1) == 1:
        return refrain
    _after_headings(attributes, parents, text, refrain)
    _as_elsewhere(attributes, parents, text, times, refrain)
    return refrain


def _after_headings(attributes: Attributes, parents: Indices, text: list[int], refrain: Refrain) -> None:
    """Runs that come again among siblings of one look, each after a heading of its own."""
    siblings: dict[tuple[int, int], list[int]] = defaultdict(list)
    for here, key in enumerate(zip(parents.tolist(), attributes.look.tolist(), strict=True)):
        siblings[key].append(here)
    total = attributes.told("only_total")
    for labels in siblings.values():
        times = Counter(text[label] for label in labels)
        opening = Counter(
            text[label] for before, label in pairwise(labels) if times[text[before]] == 1 and times[text[label]] > 1
        )
        if not opening or len(times) == len(labels):
            continue
        openers = {word for word, count in opening.items() if count > 1 and count == times[word]}
        found: dict[int, int] = {}
        heading: int | None = None
        for before, label in zip([None, *labels], labels, strict=False):
            if times[text[label]] == 1:
                heading = None
            elif text[label] in openers:
                heading = before
            if heading is not None:
                found[label] = heading
        if len(found) + len(set(found.values())) >= MOSTLY * len(labels):
            refrain.under.update((label, above) for label, above in found.items() if not total[above])


def _as_elsewhere(
    attributes: Attributes, parents: Indices, text: list[int], times: list[int], refrain: Refrain
) -> None:
    """Words that hang everywhere else at one distance under their parent, with the same words between and after."""
    above, indent = parents.tolist(), attributes.indent.tolist()
    total = attributes.told("only_total")
    after = _next_siblings(above)
    hung: dict[int, Counter[tuple[tuple[int, ...], int]]] = defaultdict(Counter)
    for here, parent in enumerate(above):
        told = times[here] > 1 and parent >= 0 and text[parent] != text[here]
        if told and here - parent <= LONGEST_TRAIL and indent[here] > indent[parent]:
            following = text[after[here]] if after[here] >= 0 else -1
            hung[text[here]][tuple(text[parent + 1 : here]), following] += 1
    for here, parent in enumerate(above):
        if here in refrain.under or text[here] not in hung:
            continue
        ((trail, following), count), *_ = hung[text[here]].most_common(1)
        place = here - 1 - len(trail)
        if 2 * count <= times[here] or place < 0 or parent == place or times[place] > 1 or total[place]:
            continue
        goes_on = following < 0 or (here + 1 < len(text) and text[here + 1] == following)
        if goes_on and tuple(text[place + 1 : here]) == trail and indent[place] >= indent[here]:
            refrain.under[here] = place
            refrain.leaves.add(here)


def _next_siblings(parents: list[int]) -> list[int]:
    """For each label the next one under the same parent, or -1."""
    result = [-1] * len(parents)
    last: dict[int, int] = {}
    for here, parent in enumerate(parents):
        if parent in last:
            result[last[parent]] = here
        last[parent] = here
    return result
