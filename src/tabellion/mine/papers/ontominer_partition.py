"""OntoMiner's own way from a page to its hierarchy (sections 4.1 and 4.3).

Binary hierarchical partitioning by dynamic programming (OntoMiner, section 4.3.1). In: a run of leaves. Out: the binary
tree over them that costs least, where a node costs what grouping its two halves costs (`GroupingCost`). Exact up to a
number of leaves: the programme is cubic, so each inner step runs over an array, and costs are looked up by the pair of
common ancestors. A longer run is cut first, at the element boundaries nearest to the root, into runs that are short
enough, and the pieces are put together by the same programme: exact within the pieces and among them, not across.

Sequences of alike partitions as groups (OntoMiner, section 4.3.2). In: a binary partition tree. Out: a tree in which
neighbours that cost little to group are instances of one group node. Two simple siblings make a group, two groups with
alike instances become one, and a simple node joins an alike group.

Promotion of labels above what they name (OntoMiner, section 4.3.3). In: a group tree. Out: a hierarchy of texts. A leaf
that is emphasised (bold by tag or style, in capitals, or before a list) and the first child of a partition takes the
partition's place (insider promotion). So does a first child whose only sibling is a group or a single leaf (outsider
promotion). A promoted leaf may be promoted again.

The flat partitioner of OntoMiner (section 4.1, Algorithm 2). In: a page tree. Out: the first leaf of each segment. Two
leaves with the same tags from the root on are linked where no other such leaf lies between them. A leaf begins a
segment where the share of paths that are linked across it, among all paths linked since the last boundary, is below
delta. Linear in the leaves: a path counts as crossing until the last leaf it is linked to. Read to the letter,
Algorithm 2 puts the boundary before the last leaf of a run; here it stands after it, as in the paper's figure 3. On
real pages it cuts too often, as every change of markup ends a segment.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.outline import Node
from tabellion.mine.papers.ontominer_cost import GroupingCost
from tabellion.model.markup import PageTree

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


_LISTS = frozenset(("ul", "ol", "li"))


def promote_labels(root: Grouped, page: PageTree) -> Node:
    """The hierarchy of a group tree; nodes that no label replaces have none."""
    order: list[Grouped] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(node.children)
    made: dict[int, Node] = {}
    for node in reversed(order):
        if not node.children:
            made[id(node)] = Node(node.first)
            continue
        children = [made.pop(id(child)) for child in node.children]
        made[id(node)] = Node(None, children) if node.group else _promote(node, children, page)
    return made[id(root)]


def _promote(node: Grouped, children: list[Node], page: PageTree) -> Node:
    """A partition, with its first child in its place where a rule allows it."""
    head = children[0]
    if head.leaf is None:
        return Node(None, children)
    siblings = node.children[1:]
    outsider = len(siblings) == 1 and (siblings[0].group or not siblings[0].children)
    if is_emphasised(page, head.leaf) or outsider:
        return Node(head.leaf, [*head.children, *children[1:]])
    return Node(None, children)


def is_emphasised(page: PageTree, leaf: int) -> bool:
    """Whether a leaf is set off as a label is."""
    text = page.texts[leaf]
    if bool(page.bold[leaf]) or (text.isupper() and len(text) > 1):
        return True
    if leaf + 1 >= len(page):
        return False
    mine = set(page.ancestors(int(page.holder[leaf])))
    after = page.ancestors(int(page.holder[leaf + 1]))
    return any(page.tags[element] in _LISTS for element in after if element not in mine)


DELTA = 0.34  # the paper's, found by experiment there


def partition_flat(page: PageTree, delta: float = DELTA) -> list[int]:
    """The first leaves of the segments, 0 included.

    >>> from tabellion.read.web.page_tree import parse_page_tree
    >>> partition_flat(parse_page_tree("<p>a<p>b<p>c<ul><li>d<li>e<li>f</ul>"))
    [0, 3]
    """
    if not len(page):
        return []
    paths = [page.path_numbers[holder] for holder in page.holder.tolist()]
    following = _next_similar(paths)
    boundaries = [0]
    reach: dict[int, int] = {}  # path -> the last leaf it is linked to within this segment
    crossing: dict[int, int] = {}  # leaf -> how many paths end there
    out = 0
    for current in range(len(paths) - 1):
        out -= crossing.pop(current, 0)
        path, linked = paths[current], following[current]
        if linked is not None:
            if reach.get(path, -1) > current:
                crossing[reach[path]] -= 1
                out -= 1
            reach[path] = linked
            crossing[linked] = crossing.get(linked, 0) + 1
            out += 1
        if reach and out < delta * len(reach):
            boundaries.append(current + 1)
            reach.clear()
            crossing.clear()
            out = 0
    return boundaries


def _next_similar(paths: list[int]) -> list[int | None]:
    """For each leaf the next one with the same path."""
    found: list[int | None] = [None] * len(paths)
    last: dict[int, int] = {}
    for leaf, path in enumerate(paths):
        if path in last:
            found[last[path]] = leaf
        last[path] = leaf
    return found
