"""VENTex's own steps: frames by expansion, and the double topological grid.

LOCATEFRAMES by expansion (Gatterbauer and others 2007, VENTex, section 5.1, algorithm 1 and table 1). In: a
`RenderedPage`. Out: the frames that rules 3 to 12 leave: sets of td, th and div boxes that tile a rectangle. Each box
in turn is expanded in four directions: a side grows where boxes that begin within three pixels of it (rule 6) tile it
whole and end together; the frame is then laid on the double topological grid. The paper gives EXPAND by reference only
(its [15]); this is its plain reading. Fails, as the paper says, on weakly aligned tables and on cells of other
elements; a table whose columns are parted by gaps is lost.

The double topological grid (Gatterbauer and others 2007, VENTex, section 4; algorithm 2 and figure 6 in 5.1). In: the
boxes of the cells of a frame, and which show something. Out: their topology. The grid is double because each axis has
two sets of lines, those where boxes begin (X1, Y1) and those where they end (X2, Y2); a box is a point of the four
sets. CLEANFRAME takes out spacers, which leaves holes. They are closed on the two sets of each axis: going along it,
some beginnings followed by some ends are one track, however far the next beginning is. The paper gives the closing by a
figure only; this is its plain reading. Fails where cells of one row overlap those of another in part: such frames are
forbidden by the paper's rule 8, and running text, whose words overlap so, falls into columns here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.rendered.arrangement import MARGIN, Arrangement, Ints, Part, Topology, settle_topology, trimmed
from tabellion.locate.rendered.candidates import BoxFrame
from tabellion.model.markup import Boxes, RenderedPage


def lay_on_grid(boxes: Boxes, filled: NDArray[np.bool_], columns: Sequence[int] | None = None) -> Topology:
    """The rows and columns of cells; the arguments are those of `find_topology`, which this can stand in for."""
    kept = clean_frame(boxes, filled)
    left = boxes[kept]
    row, down = close_axis(left[:, 1], left[:, 3])
    if columns is None:
        column, across = close_axis(left[:, 0], left[:, 2])
    else:
        column, across = np.array(columns, dtype=np.int32)[kept], np.ones(len(kept), dtype=np.int32)
    rows, width = int((row + down).max(initial=0)), int((column + across).max(initial=0))
    return settle_topology(kept, row, column, down, across, rows, width)


def clean_frame(boxes: Boxes, filled: NDArray[np.bool_]) -> NDArray[np.intp]:
    """CLEANFRAME (algorithm 2): the cells without those that begin at one line, end at one line and are all empty."""
    kept = np.arange(len(boxes))
    for axis in (0, 1):
        begins, ends = _lines(boxes[kept, axis]), _lines(boxes[kept, axis + 2])
        count = int(begins.max(initial=-1)) + 1
        first, last = np.full(count, len(kept)), np.full(count, -1)
        np.minimum.at(first, begins, ends)
        np.maximum.at(last, begins, ends)
        spacer = (np.bincount(begins, weights=filled[kept], minlength=count) == 0) & (first == last)
        kept = kept[~spacer[begins]]
    return kept


def close_axis(low: NDArray[np.float32], high: NDArray[np.float32]) -> tuple[Ints, Ints]:
    """For each interval the first track it takes, and how many: where it begins and ends among beginnings and ends."""
    starts, ends = trimmed(low, high)
    place = np.concatenate([starts, ends])
    begins = np.arange(len(place)) < len(low)
    order = np.lexsort((begins, place))
    opens = begins[order] & np.concatenate([[True], ~begins[order][:-1]])[: len(order)]
    track = np.empty(len(place), dtype=np.int32)
    track[order] = np.cumsum(opens) - 1
    first, last = track[: len(low)], track[len(low) :]
    return first, np.maximum(1, last - first + 1)  # a box of no size ends where it begins


def _lines(edges: NDArray[np.float32]) -> NDArray[np.intp]:
    """The number of the line that each edge lies on: edges within the margin of rule 6 of the next are of one line."""
    order = np.argsort(edges, kind="stable")
    line = np.zeros(len(edges), dtype=np.intp)
    line[order[1:]] = np.cumsum(np.diff(edges[order]) > MARGIN)
    return line


NAMES = ("TD", "TH", "DIV")  # rule 3
LARGEST_CELL = 0.4  # rule 11: the share of the frame that one cell may cover
MOST_WORDS = 20  # rule 12
FEWEST_COLUMNS, FEWEST_ROWS = 2, 3  # rule 9
# each direction: the axis it grows along, whether to higher values
_DIRECTIONS = ((0, True), (1, True), (0, False), (1, False))


def find_paper_frames(page: RenderedPage, arrangement: Arrangement) -> list[BoxFrame]:
    """The frames that pass all rules and are part of no bigger one."""
    nodes = purge_congruent(page)
    boxes = page.nodes.box[nodes]
    checked = (_checked(page, arrangement, nodes[members], boxes[members]) for members in locate_frames(boxes))
    found: list[BoxFrame] = []
    for frame in sorted(filter(None, checked), key=lambda frame: -len(frame.topology)):
        first, end = frame.words
        if not any(first < other.words[1] and other.words[0] < end for other in found):
            found.append(frame)
    return sorted(found, key=lambda frame: frame.words)


def purge_congruent(page: RenderedPage) -> NDArray[np.intp]:
    """PURGECONGRUENTVENS (rule 5): of nodes with the same box the innermost."""
    wanted = np.flatnonzero(np.isin(page.nodes.name.astype(str), NAMES))
    box = page.nodes.box[wanted]
    wanted = wanted[(box[:, 2] > box[:, 0]) & (box[:, 3] > box[:, 1])]
    last = {tuple(edges): node for node, edges in zip(wanted.tolist(), page.nodes.box[wanted].tolist(), strict=True)}
    return np.array(sorted(last.values()), dtype=np.intp)


def locate_frames(boxes: Boxes) -> list[NDArray[np.intp]]:
    """LOCATEFRAMES: the members of each frame that no earlier expansion took."""
    left = np.ones(len(boxes), dtype=bool)
    frames: list[NDArray[np.intp]] = []
    for start in range(len(boxes)):
        if not left[start]:
            continue
        around, members = boxes[start].copy(), [start]
        direction = failed = 0
        while failed < len(_DIRECTIONS):
            grown = expand(boxes, around, *_DIRECTIONS[direction])
            if len(grown):
                members += grown.tolist()
                around[:2] = np.minimum(around[:2], boxes[grown, :2].min(axis=0))
                around[2:] = np.maximum(around[2:], boxes[grown, 2:].max(axis=0))
                failed = 0
            else:
                failed += 1
                direction = (direction + 1) % len(_DIRECTIONS)
        left[members] = False
        if len(members) > 1:
            frames.append(np.array(sorted(set(members)), dtype=np.intp))
    return frames


def expand(boxes: Boxes, around: NDArray[np.float32], axis: int, up: bool) -> NDArray[np.intp]:
    """EXPAND: the boxes that tile one side of a frame whole, begin at it and end together, or none."""
    near, far = (axis, axis + 2) if up else (axis + 2, axis)
    border = around[axis + 2] if up else around[axis]
    gap = boxes[:, near] - border if up else border - boxes[:, near]
    other = 1 - axis
    inside = (boxes[:, other] >= around[other] - MARGIN) & (boxes[:, other + 2] <= around[other + 2] + MARGIN)
    beside = np.flatnonzero((gap >= -0.5) & (gap <= MARGIN) & inside)
    for end in np.unique(boxes[beside, far])[:: 1 if up else -1]:
        together = _innermost(boxes, beside[np.abs(boxes[beside, far] - end) <= MARGIN])
        if _tiles(boxes[together], around, other):
            return together
    return beside[:0]


def _innermost(boxes: Boxes, chosen: NDArray[np.intp]) -> NDArray[np.intp]:
    """The boxes that hold no other: a row of cells is its cells."""
    low, high = boxes[chosen, :2], boxes[chosen, 2:]
    begins = np.asarray((low[:, None] <= low[None, :] + 0.5).all(axis=2))
    holds: NDArray[np.bool_] = begins & np.asarray((high[:, None] >= high[None, :] - 0.5).all(axis=2))
    np.fill_diagonal(holds, False)
    return np.asarray(chosen[~holds.any(axis=1)])


def _tiles(boxes: Boxes, around: NDArray[np.float32], axis: int) -> bool:
    """Whether boxes cover a side from end to end, each beginning where the one before ends."""
    order = np.argsort(boxes[:, axis], kind="stable")
    low, high = boxes[order, axis], boxes[order, axis + 2]
    starts, ends = np.append(low, around[axis + 2]), np.insert(high, 0, around[axis])
    return bool((np.abs(starts - ends) <= MARGIN).all())


def _checked(page: RenderedPage, arrangement: Arrangement, nodes: NDArray[np.intp], boxes: Boxes) -> BoxFrame | None:
    """A frame with its spacers purged (rule 10), or None where one of rules 8, 9, 11 and 12 forbids it."""
    cells = tuple(Part(node, *arrangement.words(node)) for node in nodes.tolist())
    words = np.array([max(0, cell.end - cell.first) for cell in cells])
    if _partly_overlap(boxes, 0) or _partly_overlap(boxes, 1) or not words.any():
        return None
    topology = lay_on_grid(boxes, words > 0)
    if topology.rows < FEWEST_ROWS or topology.columns < FEWEST_COLUMNS or topology.overlaps:
        return None
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    if area.max() > LARGEST_CELL * area.sum() or words.max() > MOST_WORDS:
        return None
    return BoxFrame(int(_common_ancestor(page, nodes)), cells, boxes, topology)


def _partly_overlap(boxes: Boxes, axis: int) -> bool:
    """Rule 8: whether two cells' projections overlap without one holding the other."""
    edges = np.unique(np.round(boxes[:, [axis, axis + 2]] / MARGIN).astype(np.int64), axis=0)
    low, high = edges[:, 0], edges[:, 1]
    begins_before = (low[:, None] < low[None, :]) & (high[:, None] < high[None, :])
    return bool((begins_before & (low[None, :] + 1 < high[:, None])).any())


def _common_ancestor(page: RenderedPage, nodes: NDArray[np.intp]) -> int:
    at, last = int(nodes.min()), int(nodes.max())
    while at > 0 and page.nodes.last[at] < last:
        at = int(page.nodes.parent[at])
    return max(0, at)
