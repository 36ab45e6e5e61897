"""The flat partitioner of OntoMiner (section 4.1, Algorithm 2).

In: a page tree. Out: the first leaf of each segment. Two leaves with the same tags from the root on are linked where no
other such leaf lies between them. A leaf begins a segment where the share of paths that are linked across it, among
all paths linked since the last boundary, is below delta. Linear in the leaves: a path counts as crossing until the last
leaf it is linked to. Read to the letter, Algorithm 2 puts the boundary before the last leaf of a run; here it stands
after it, as in the paper's figure 3. On real pages it cuts too often, as every change of markup ends a segment.
"""

from __future__ import annotations

from tabellion.model.page_tree import PageTree

DELTA = 0.34  # the paper's, found by experiment there


def partition_flat(page: PageTree, delta: float = DELTA) -> list[int]:
    """The first leaves of the segments, 0 included.

    >>> from tabellion.read.page_tree import parse_page_tree
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
