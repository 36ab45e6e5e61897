"""The frames of a rendered page: every candidate that its boxes give, before they are judged.

In: a `RenderedPage`. Out: frames of at least two columns and two rows whose cells do not overlap (VENTex, rules 8 and
9), spacers purged. Elements that hold the very same cells give one frame.
"""

from __future__ import annotations

from collections.abc import Callable

from tabellion.locate.arrangement import Arranged, Arrangement
from tabellion.locate.box_page import BoxFrame
from tabellion.locate.text_columns import cut_text_block
from tabellion.locate.topology import Topology, find_topology
from tabellion.model.rendered import RenderedPage

_OVERLAPPING = 0.1  # the share of cells that may overlap: rule 8, with some tolerance for decoration
_FEWEST = 2  # rows and columns of a frame that may be part of a larger one


def find_frames(
    page: RenderedPage, arrangement: Arrangement, recognise: Callable[..., Topology] = find_topology
) -> list[BoxFrame]:
    """All frames, in document order; of elements with the same cells the innermost counts.

    `recognise` tells rows and columns: `find_topology` from projections, `lay_on_grid` on the double topological grid.
    """
    found: dict[tuple[int, int, int], BoxFrame] = {}
    for arranged in (*arrangement.candidates(), *_text_frames(page, arrangement)):
        frame = frame_of(arranged, recognise)
        if frame is not None:
            first, end = frame.words
            found[first, end, len(frame.topology)] = frame
    return sorted(found.values(), key=lambda frame: (frame.words[0], -frame.words[1]))


def frame_of(arranged: Arranged, recognise: Callable[..., Topology] = find_topology) -> BoxFrame | None:
    """The frame of cells, or None where they make no rows and columns."""
    filled = arranged.filled
    if not filled.sum() >= _FEWEST * _FEWEST:
        return None
    topology = recognise(arranged.box, filled, arranged.columns)
    if topology.rows < _FEWEST or topology.columns < _FEWEST:
        return None
    if topology.overlaps > _OVERLAPPING * len(topology):
        return None
    return BoxFrame(arranged.node, arranged.cells, arranged.box, topology, arranged.cut)


def _text_frames(page: RenderedPage, arrangement: Arrangement) -> list[Arranged]:
    found = []
    for block in arrangement.text_blocks():
        cells, columns = cut_text_block(page.words, block.first, block.end)
        if cells:
            found.append(arrangement.arranged(block.node, cells, columns))
    return found
