"""The double topological grid (Gatterbauer and others 2007, VENTex, section 4; algorithm 2 and figure 6 in 5.1).

In: the boxes of the cells of a frame, and which show something. Out: their topology. The grid is double because each
axis has two sets of lines, those where boxes begin (X1, Y1) and those where they end (X2, Y2); a box is a point of the
four sets. CLEANFRAME takes out spacers, which leaves holes. They are closed on the two sets of each axis: going along
it, some beginnings followed by some ends are one track, however far the next beginning is. The paper gives the closing
by a figure only; this is its plain reading. Fails where cells of one row overlap those of another in part: such frames
are forbidden by the paper's rule 8, and running text, whose words overlap so, falls into columns here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.topology import MARGIN, Ints, Topology, settle_topology, trimmed
from tabellion.model.rendered import Boxes


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
