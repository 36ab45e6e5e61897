"""What it costs to group two neighbouring parts of a page (OntoMiner, section 4.3.1 and figure 4).

In: two elements of a page, each the lowest common ancestor of a run of leaves. Out: a number, small where the two are
alike. Five factors: how far they lie below their common ancestor, how alike the ways down to them are, which tag paths
their subtrees share, whether in the same order, and how alike they are in depth and size. Three special cases where one
lies above the other. The fifth factor is printed in the paper as a likeness; here it is one minus that, since a cost
that grows with likeness would part twins. The sum of a pair is kept, as many runs have the same two ancestors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from tabellion.model.markup import PageTree

_LONGEST_ORDER = 40  # paths of a subtree whose order is compared; more are cut off
_MOST_PATHS = 400  # paths of a subtree that are looked at
_LONGEST_PATH = 60  # tags of a path that are looked at


class _Shape(msgspec.Struct, frozen=True):
    """What subtrees of the same tags in the same order have in common: paths to their leaves, height and size."""

    paths: tuple[str, ...]
    distinct: frozenset[str]
    height: int
    size: int


class GroupingCost:
    """The cost of grouping pairs of elements of one page.

    Most subtrees of a page look like others. What depends on their shape alone is worked out once per pair of shapes.
    """

    def __init__(self, page: PageTree) -> None:
        self.page = page
        self._parents: list[int] = page.parents.tolist()
        self._depths: list[int] = page.depths.tolist()
        self._deepest = max(1, max(self._depths, default=1))
        self._numbers = _number_shapes(page)
        self._shapes: dict[int, _Shape] = {}
        self._alike: dict[tuple[int, int], tuple[float, float]] = {}
        self._known: dict[tuple[int, int], float] = {}

    def between(self, one: int, other: int) -> float:
        """The cost of two elements, the same either way round."""
        key = (one, other) if one < other else (other, one)
        cost = self._known.get(key)
        if cost is None:
            cost = self._known[key] = self._cost(*key)
        return cost

    def common(self, one: int, other: int) -> int:
        """The lowest common ancestor."""
        parents, depths = self._parents, self._depths
        while one != other:
            if depths[one] >= depths[other]:
                one = parents[one]
            else:
                other = parents[other]
        return one

    def _cost(self, one: int, other: int) -> float:
        if one == other:
            return 0.0  # case 3: the same paths on both sides
        above = self.common(one, other)
        overlap, unlike = self._compare(one, other)
        if above in (one, other):
            lower = other if above == one else one
            far = (self._depths[lower] - self._depths[above]) / self._deepest
            leaf = not self.page.children[lower]
            return far + (1 - overlap if leaf else 1 - max(1 - overlap, overlap))
        one_depth, other_depth = self._depths[one] - self._depths[above], self._depths[other] - self._depths[above]
        far = math.sqrt((one_depth + other_depth) / (2 * self._deepest))
        ways = 1 - self._common_tags(one, other, one_depth, other_depth) / max(one_depth, other_depth)
        return far + ways + (1 - max(1 - overlap, overlap)) + unlike

    def _common_tags(self, one: int, other: int, one_depth: int, other_depth: int) -> int:
        """How many tags two ways down from the common ancestor share, step by step."""
        tags, parents = self.page.tags, self._parents
        while one_depth > other_depth:
            one, one_depth = parents[one], one_depth - 1
        while other_depth > one_depth:
            other, other_depth = parents[other], other_depth - 1
        shared = 0
        for _ in range(one_depth):
            shared += tags[one] == tags[other]
            one, other = parents[one], parents[other]
        return shared

    def _compare(self, one: int, other: int) -> tuple[float, float]:
        """The share of paths of two subtrees that both have, and how unlike they are in order, height and size."""
        key = (self._numbers[one], self._numbers[other])
        found = self._alike.get(key)
        if found is None:
            mine, yours = self._shape(one), self._shape(other)
            overlap = len(mine.distinct & yours.distinct) / max(1, len(mine.distinct | yours.distinct))
            heights, sizes = sorted((mine.height, yours.height)), sorted((mine.size, yours.size))
            size = 1 - 0.5 * heights[0] / heights[1] - 0.5 * sizes[0] / sizes[1]
            found = self._alike[key] = (overlap, 1 - _same_order(mine.paths, yours.paths) + size)
        return found

    def _shape(self, element: int) -> _Shape:
        number = self._numbers[element]
        found = self._shapes.get(number)
        if found is None:
            paths, end = tuple(self._paths(element)), self.page.ends[element]
            height = max(self._depths[element:end]) - self._depths[element] + 1
            found = self._shapes[number] = _Shape(paths, frozenset(paths), height, end - element)
        return found

    def _paths(self, element: int) -> Iterator[str]:
        """The tag paths from an element down to each of its leaves, in order."""
        page = self.page
        holders = page.holder[int(page.first[element]) : int(page.last[element])].tolist()
        for holder in holders[:_MOST_PATHS]:
            way: list[str] = []
            while holder > element and len(way) < _LONGEST_PATH:
                way.append(page.tags[holder])
                holder = self._parents[holder]
            yield "/".join([page.tags[element], *reversed(way)])


def _number_shapes(page: PageTree) -> list[int]:
    """A number for each element that elements with the same tags and texts inside, in the same order, share."""
    inside: list[list[tuple[int, bool, int]]] = [[] for _ in page.tags]
    for leaf, holder in enumerate(page.holder.tolist()):
        inside[holder].append((leaf, True, 0))
    numbers = [0] * len(page.tags)
    known: dict[tuple[object, ...], int] = {}
    first, parents = page.first.tolist(), page.parents.tolist()
    for element in range(len(page.tags) - 1, -1, -1):
        parts = sorted(inside[element], key=lambda part: part[:2])
        key = (page.tags[element], *(-1 if leaf else number for _, leaf, number in parts))
        numbers[element] = known.setdefault(key, len(known))
        if element:
            inside[parents[element]].append((first[element], False, numbers[element]))
        inside[element] = []
    return numbers


def _same_order(mine: Sequence[str], yours: Sequence[str]) -> float:
    """The share of paths that two subtrees have in the same order: their longest common subsequence."""
    most = max(len(mine), len(yours))
    mine, yours = mine[:_LONGEST_ORDER], yours[:_LONGEST_ORDER]
    row = [0] * (len(yours) + 1)
    for path in mine:
        before = 0
        for at, theirs in enumerate(yours, start=1):
            kept = row[at]
            row[at] = before + 1 if path == theirs else max(row[at], row[at - 1])
            before = kept
    return row[-1] / min(most, _LONGEST_ORDER) if most else 1.0
