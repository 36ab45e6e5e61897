"""Headers with their merges undone, to learn from: the same trees, told by place alone.

In: a gold frame. Out: two variants of it, the texts of merged header cells at the left or in the middle of what they
covered. Only cells merged across columns of the header are undone.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np

from tabellion.learn.nest_gold import Cell, GoldFrame
from tabellion.model.grid import Content


def unmerge_headers(gold: GoldFrame) -> Iterator[GoldFrame]:
    """The frame with its header texts at the left, and in the middle, of what was merged."""
    grid, header = gold.frame.grid, set(gold.frame.header_rows)
    wide = [
        (r, c, d, a) for r, c, d, a in grid.spans.tolist() if r in header and a > 1 and c in gold.frame.value_columns
    ]
    if not wide:
        return
    for middle in (False, True):
        moved: dict[Cell, Cell] = {(r, c): (r, c + (a - 1) // 2 if middle else c) for r, c, _, a in wide}
        spans = [(r, c, d, a) for r, c, d, a in grid.spans.tolist() if (r, c) not in moved]
        spans += [(*moved[r, c], d, 1) for r, c, d, _ in wide if d > 1]
        changed = {}
        for name, blank in (("text", ""), ("label", ""), ("content", Content.EMPTY)):
            array = getattr(grid, name).copy()
            for old in moved:
                array[old] = blank
            for old, new in moved.items():
                array[new] = getattr(grid, name)[old]
            changed[name] = array
        replaced = msgspec.structs.replace(
            grid, **changed, spans=np.array(sorted(spans), dtype=np.int32).reshape(-1, 4)
        )
        labels = msgspec.structs.replace(gold.frame.labels, grid=replaced)
        frame = msgspec.structs.replace(gold.frame, labels=labels)
        top = {moved.get(child, child): moved.get(parent, parent) for child, parent in gold.top.items()}
        yield GoldFrame(gold.case, frame, gold.left, top)
