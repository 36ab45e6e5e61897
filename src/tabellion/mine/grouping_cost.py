"""What it costs to group two neighbouring parts of a page (OntoMiner, section 4.3.1 and figure 4).

In: two elements of a page, each the lowest common ancestor of a run of leaves. Out: a number, small where the two are
alike. Five factors: how far they lie below their common ancestor, how alike the ways down to them are, which tag paths
their subtrees share, whether in the same order, and how alike they are in depth and size. Three special cases where one
lies above the other. The fifth factor is printed in the paper as a likeness; here it is one minus that, since a cost
that grows with likeness would part twins. The sum of a pair is kept, as many runs have the same two ancestors.
"""

from __future__ import annotations

import math

from tabellion.model.page_tree import PageTree

_LONGEST_ORDER = 40  # paths of a subtree whose order is compared; more are cut off
_MOST_PATHS = 400  # paths of a subtree that are looked at
_LONGEST_PATH = 60  # tags of a path that are looked at


class GroupingCost:
    """The cost of grouping pairs of elements of one page."""

    def __init__(self, page: PageTree) -> None:
        self.page = page
        self._known: dict[tuple[int, int], float] = {}
        self._depths: list[int] = page.depths.tolist()
        self._deepest = max(1, max(self._depths, default=1))
        self._paths: dict[int, list[str]] = {}
        self._sets: dict[int, frozenset[str]] = {}
        self._heights: dict[int, int] = {}

    def between(self, one: int, other: int) -> float:
        """The cost of two elements, the same either way round."""
        key = (one, other) if one < other else (other, one)
        cost = self._known.get(key)
        if cost is None:
            cost = self._known[key] = self._cost(*key)
        return cost

    def common(self, one: int, other: int) -> int:
        """The lowest common ancestor."""
        parents = self.page.parents
        while one != other:
            if self._depths[one] >= self._depths[other]:
                one = int(parents[one])
            else:
                other = int(parents[other])
        return one

    def _cost(self, one: int, other: int) -> float:
        above = self.common(one, other)
        if one == other:
            return 0.0  # case 3: the same paths on both sides
        mine, yours = self._path_set(one), self._path_set(other)
        shared, whole = len(mine & yours), max(1, len(mine | yours))
        overlap, apart = shared / whole, (whole - shared) / whole
        if above in (one, other):
            lower = other if above == one else one
            far = (self._depths[lower] - self._depths[above]) / self._deepest
            leaf = not self.page.children[lower]
            return far + (1 - overlap if leaf else 1 - max(apart, overlap))
        one_depth, other_depth = self._depths[one] - self._depths[above], self._depths[other] - self._depths[above]
        far = math.sqrt((one_depth + other_depth) / (2 * self._deepest))
        ways = 1 - self._common_tags(one, other, one_depth, other_depth) / max(one_depth, other_depth)
        order = 1 - self._order(one, other)
        size = 1 - 0.5 * self._height_ratio(one, other) - 0.5 * self._node_ratio(one, other)
        return far + ways + (1 - max(apart, overlap)) + order + size

    def _common_tags(self, one: int, other: int, one_depth: int, other_depth: int) -> int:
        """How many tags two ways down from the common ancestor share, step by step."""
        page = self.page
        one_way = [page.tags[element] for element in page.ancestors(one)[:one_depth]][::-1]
        other_way = [page.tags[element] for element in page.ancestors(other)[:other_depth]][::-1]
        return sum(mine == yours for mine, yours in zip(one_way, other_way, strict=False))

    def _path_list(self, element: int) -> list[str]:
        """The tag paths from an element down to each of its leaves, in order."""
        found = self._paths.get(element)
        if found is None:
            page = self.page
            holders = page.holder[int(page.first[element]) : int(page.last[element])].tolist()
            found = []
            for holder in holders[:_MOST_PATHS]:
                way: list[str] = []
                while holder > element and len(way) < _LONGEST_PATH:
                    way.append(page.tags[holder])
                    holder = int(page.parents[holder])
                found.append("/".join([page.tags[element], *reversed(way)]))
            self._paths[element] = found
        return found

    def _path_set(self, element: int) -> frozenset[str]:
        found = self._sets.get(element)
        if found is None:
            found = self._sets[element] = frozenset(self._path_list(element))
        return found

    def _order(self, one: int, other: int) -> float:
        """The share of paths that two subtrees have in the same order: their longest common subsequence."""
        mine, yours = self._path_list(one), self._path_list(other)
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

    def _height_ratio(self, one: int, other: int) -> float:
        low, high = sorted((self._height(one), self._height(other)))
        return low / high

    def _height(self, element: int) -> int:
        found = self._heights.get(element)
        if found is None:
            inside = self._depths[element : self.page.ends[element]]
            found = self._heights[element] = max(inside) - self._depths[element] + 1
        return found

    def _node_ratio(self, one: int, other: int) -> float:
        low, high = sorted((self.page.ends[one] - one, self.page.ends[other] - other))
        return low / high
