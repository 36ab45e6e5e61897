"""Binary hierarchical partitioning by dynamic programming (OntoMiner, section 4.3.1).

In: a run of leaves. Out: the binary tree over them that costs least, where a node costs what grouping its two halves
costs (`grouping_cost`). Exact up to a number of leaves: the programme is cubic, so each inner step runs over an array,
and costs are looked up by the pair of common ancestors. A longer run is cut first, at the element boundaries nearest to
the root, into runs that are short enough, and the pieces are put together by the same programme: exact within the
pieces and among them, not across.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.grouping_cost import GroupingCost
from tabellion.model.page_tree import PageTree

EXACT = 40  # leaves partitioned exactly; a page of 5,000 leaves takes two to three seconds


class Binary(msgspec.Struct, frozen=True, eq=False):
    """A node over the leaves `first` to `last` (not included); a leaf has no halves. `ancestor` holds them all."""

    first: int
    last: int
    ancestor: int
    halves: tuple[Binary, Binary] | None = None


def partition_binary(page: PageTree, first: int, last: int, costs: GroupingCost | None = None) -> Binary:
    """The cheapest binary tree over a run of leaves."""
    costs = costs or GroupingCost(page)
    nodes = [Binary(leaf, leaf + 1, int(page.holder[leaf])) for leaf in range(first, last)]
    while len(nodes) > EXACT:
        nodes = [_solve(piece, costs) for piece in _pieces(page, nodes, costs)]
    return _solve(nodes, costs)


def _pieces(page: PageTree, nodes: list[Binary], costs: GroupingCost) -> list[list[Binary]]:
    """Short runs of nodes, cut where neighbours lie farthest apart in the page."""
    depths = page.depths
    apart = [int(depths[costs.common(a.ancestor, b.ancestor)]) for a, b in pairwise(nodes)]
    pieces: list[list[Binary]] = []
    waiting = [(0, len(nodes))]
    while waiting:
        start, end = waiting.pop()
        if end - start <= EXACT // 2:
            pieces.append(nodes[start:end])
            continue
        quarter, middle = (end - start) // 4, (start + end) / 2
        inner = range(start + quarter, end - quarter)  # so that no page makes pieces of single leaves
        cut = min(inner, key=lambda at: (apart[at - 1], abs(at - middle)))
        waiting += [(cut, end), (start, cut)]
    return pieces


def _solve(nodes: list[Binary], costs: GroupingCost) -> Binary:
    """The cheapest tree over nodes, exactly."""
    count = len(nodes)
    if count == 1:
        return nodes[0]
    ancestors = np.zeros((count, count), dtype=np.int32)
    numbers: dict[int, int] = {}
    names: list[int] = []
    for start in range(count):
        here = nodes[start].ancestor
        for end in range(start, count):
            here = costs.common(here, nodes[end].ancestor) if end > start else here
            if here not in numbers:
                numbers[here] = len(names)
                names.append(here)
            ancestors[start, end] = numbers[here]
    pair_costs = np.zeros((len(names), len(names)))
    for number, one in enumerate(names):
        pair_costs[number, :number] = [costs.between(one, other) for other in names[:number]]
    pair_costs += pair_costs.T  # the cost of an element with itself is none
    best = np.zeros((count, count))
    cuts = np.zeros((count, count), dtype=np.int32)
    for length in range(1, count):
        for start in range(count - length):
            end = start + length
            inner = slice(start, end)
            total = best[start, inner] + best[start + 1 : end + 1, end]
            total = total + pair_costs[ancestors[start, inner], ancestors[start + 1 : end + 1, end]]
            cut = int(total.argmin())
            best[start, end] = total[cut]
            cuts[start, end] = start + cut
    return _tree(nodes, cuts, ancestors, names)


def _tree(nodes: list[Binary], cuts: NDArray[np.int32], ancestors: NDArray[np.int32], names: list[int]) -> Binary:
    """The tree that the cuts tell, built from the leaves up without recursion."""
    order: list[tuple[int, int]] = []
    waiting = [(0, len(nodes) - 1)]
    while waiting:
        start, end = waiting.pop()
        order.append((start, end))
        if end > start:
            cut = int(cuts[start, end])
            waiting += [(start, cut), (cut + 1, end)]
    made: dict[tuple[int, int], Binary] = {}
    for start, end in reversed(order):
        if start == end:
            made[start, end] = nodes[start]
            continue
        cut = int(cuts[start, end])
        left, right = made[start, cut], made[cut + 1, end]
        made[start, end] = Binary(left.first, right.last, names[int(ancestors[start, end])], (left, right))
    return made[0, len(nodes) - 1]
