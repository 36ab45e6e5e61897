"""Sequences of alike partitions as groups (OntoMiner, section 4.3.2).

In: a binary partition tree. Out: a tree in which neighbours that cost little to group are instances of one group node.
Two simple siblings make a group, two groups with alike instances become one, and a simple node joins an alike group.
"""

from __future__ import annotations

import msgspec

from tabellion.mine.grouping_cost import GroupingCost
from tabellion.mine.partition import Binary

THRESHOLD = 0.33  # the paper's


class Grouped(msgspec.Struct, eq=False):
    """A leaf, a partition, or a group of alike instances."""

    first: int
    last: int
    ancestor: int
    children: list[Grouped] = msgspec.field(default_factory=list)
    group: bool = False


def group_partitions(root: Binary, costs: GroupingCost, threshold: float = THRESHOLD) -> Grouped:
    """The group tree of a binary partition tree."""
    order: list[Binary] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if node.halves:
            waiting.extend(node.halves)
    made: dict[int, Grouped] = {}
    for node in reversed(order):
        if node.halves is None:
            made[id(node)] = Grouped(node.first, node.last, node.ancestor)
            continue
        left, right = (made.pop(id(half)) for half in node.halves)
        made[id(node)] = _join(left, right, node, costs, threshold)
    return made[id(root)]


def _join(left: Grouped, right: Grouped, node: Binary, costs: GroupingCost, threshold: float) -> Grouped:
    one = left.children[-1] if left.group else left
    other = right.children[0] if right.group else right
    alike = _is_simple(one) and _is_simple(other) and costs.between(one.ancestor, other.ancestor) < threshold
    if not alike:
        return Grouped(node.first, node.last, node.ancestor, [left, right])
    instances = [*(left.children if left.group else [left]), *(right.children if right.group else [right])]
    return Grouped(node.first, node.last, node.ancestor, instances, group=True)


def _is_simple(node: Grouped) -> bool:
    return not node.children
