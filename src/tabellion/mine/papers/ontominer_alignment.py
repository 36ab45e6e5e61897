"""Instances by aligning the segments of two pages (OntoMiner, section 6).

In: two pages of one template. Out: the attributes of the first. The flat segments of both are aligned by Levenshtein's
distance with Jaccard's likeness of their words as the cost; aligned and alike segments are decoration, the others tell
of the instance. There the page's hierarchy gives labels and values: a promoted text that both pages have is a label, as
the paper's extra promotion of frequent labels asks. Fails where a segment holds both decoration and facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tabellion.mine.attributes import Attribute
from tabellion.mine.hierarchy import SegmentedPage, segment_page
from tabellion.mine.labels import jaccard
from tabellion.mine.outline import Node
from tabellion.model.markup import PageTree

ALIKE = 0.5  # words that two segments must share to be the same decoration


def read_by_alignment(page: PageTree, other: PageTree) -> list[Attribute]:
    """The attributes of a page, by what differs from another page of its template."""
    mine, yours = segment_page(page, "ontominer"), segment_page(other, "ontominer")
    same = aligned_segments(_words(mine), _words(yours))
    shared = set(other.texts)
    found: dict[Attribute, None] = {}
    for number, (node, _) in enumerate(zip(mine.tree.children, mine.starts, strict=True)):
        if number not in same:
            found.update(dict.fromkeys(_attributes(node, (), page, shared)))
    return list(found)


def aligned_segments(mine: Sequence[frozenset[str]], yours: Sequence[frozenset[str]]) -> set[int]:
    """The segments of the first page that align with an alike one of the second.

    >>> aligned_segments([frozenset("ab"), frozenset("xy")], [frozenset("ab"), frozenset("pq")])
    {0}
    """
    costs = np.zeros((len(mine) + 1, len(yours) + 1))
    costs[:, 0] = np.arange(len(mine) + 1)
    costs[0, :] = np.arange(len(yours) + 1)
    likeness = [[jaccard(one, other) for other in yours] for one in mine]
    for row in range(1, len(mine) + 1):
        for column in range(1, len(yours) + 1):
            change = costs[row - 1, column - 1] + 1 - likeness[row - 1][column - 1]
            costs[row, column] = min(change, costs[row - 1, column] + 1, costs[row, column - 1] + 1)
    same: set[int] = set()
    row, column = len(mine), len(yours)
    while row and column:
        likely = likeness[row - 1][column - 1]
        if abs(costs[row, column] - costs[row - 1, column - 1] - 1 + likely) < 1e-9:
            row, column = row - 1, column - 1
            if likely >= ALIKE:
                same.add(row)
        elif costs[row, column] == costs[row - 1, column] + 1:
            row -= 1
        else:
            column -= 1
    return same


def _words(segmented: SegmentedPage) -> list[frozenset[str]]:
    return [frozenset(" ".join(segment).casefold().split()) for segment in segmented.segments]


def _attributes(root: Node, labels: tuple[str, ...], page: PageTree, shared: set[str]) -> Iterator[Attribute]:
    """The values below a node: its childless texts that only this page has."""
    waiting = [(root, labels)]
    while waiting:
        node, path = waiting.pop()
        if node.leaf is None:
            below = path
        elif node.children and page.texts[node.leaf] in shared:
            below = (*path, page.texts[node.leaf])
        else:
            below = path
            if page.texts[node.leaf] not in shared:
                yield Attribute(path, page.texts[node.leaf], page.css_path(int(page.holder[node.leaf])))
        waiting.extend((child, below) for child in reversed(node.children))
