"""One page to its segments and its hierarchy. Start with `segment_page`.

In: a page tree. Out: the segments as runs of leaves, and a tree of labels. `method` chooses ours (blocks split from the
top down, labels by rank) or OntoMiner's (flat partitioner, binary partitioning, grouping, promotion).
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tabellion.mine.blocks import Blocks
from tabellion.mine.outline import Node, outline_page, outline_table
from tabellion.mine.papers.ontominer_cost import GroupingCost
from tabellion.mine.papers.ontominer_partition import group_partitions, partition_binary, partition_flat, promote_labels
from tabellion.mine.top_down import cut_blocks
from tabellion.model.page_tree import DataTable, PageTree

SegmentMethod = Literal["blocks", "ontominer"]


class SegmentedPage(msgspec.Struct, frozen=True, eq=False):
    """A page, the first leaf of each of its segments, and its hierarchy."""

    page: PageTree
    starts: tuple[int, ...]
    tree: Node

    @property
    def segments(self) -> list[list[str]]:
        """The texts of each segment, in page order, together all leaves."""
        return [self.page.texts[first:last] for first, last in self.spans]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first leaf of each segment and the one after its last."""
        return list(zip(self.starts, [*self.starts[1:], len(self.page)], strict=False))

    def as_json(self, source: str) -> dict[str, Any]:
        """The page as the output contract says."""
        return {"source": source, "segments": self.segments, "tree": node_json(self.tree, self.page)}


def segment_page(page: PageTree, method: SegmentMethod = "blocks") -> SegmentedPage:
    """Segments and hierarchy of one page."""
    if not len(page):
        return SegmentedPage(page, (), Node())
    if method == "ontominer":
        return _segment_as_ontominer(page)
    blocks = Blocks(page)
    starts = cut_blocks(blocks)
    return SegmentedPage(page, tuple(starts), outline_page(blocks, starts))


def _segment_as_ontominer(page: PageTree) -> SegmentedPage:
    """Flat segments, and in each the binary partitions, grouped and with their labels promoted (section 4).

    Data tables are taken out of what is partitioned, and put back between the partitions (section 4.2).
    """
    starts = partition_flat(page)
    costs = GroupingCost(page)
    root = Node()
    for first, last in zip(starts, [*starts[1:], len(page)], strict=True):
        parts: list[Node] = []
        at = first
        for table in _tables_within(page, first, last):
            if table.first > at:
                parts.append(_partition(page, at, table.first, costs))
            parts.append(Node(None, outline_table(table)))
            at = table.last
        if at < last:
            parts.append(_partition(page, at, last, costs))
        root.children.append(parts[0] if len(parts) == 1 else Node(None, parts))
    return SegmentedPage(page, tuple(starts), root)


def _partition(page: PageTree, first: int, last: int, costs: GroupingCost) -> Node:
    return promote_labels(group_partitions(partition_binary(page, first, last, costs), costs), page)


def _tables_within(page: PageTree, first: int, last: int) -> list[DataTable]:
    """The data tables that lie wholly in a run of leaves, none inside another."""
    found: list[DataTable] = []
    for table in sorted(page.tables, key=lambda each: (each.first, -each.last)):
        if first <= table.first and table.last <= last and (not found or table.first >= found[-1].last):
            found.append(table)
    return found


def node_json(root: Node, page: PageTree) -> dict[str, Any]:
    """A tree of nodes as plain objects."""
    made: dict[str, Any] = {"label": None if root.leaf is None else page.texts[root.leaf], "children": []}
    waiting = [(root, made)]
    while waiting:
        node, plain = waiting.pop()
        for child in node.children:
            below: dict[str, Any] = {"label": None if child.leaf is None else page.texts[child.leaf], "children": []}
            plain["children"].append(below)
            waiting.append((child, below))
    return made
