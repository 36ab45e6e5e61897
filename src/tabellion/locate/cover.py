"""Which of nested frames are kept: the best cover of a page.

In: frames with their probabilities. Out: those that stand, none within another. From the inside out, a frame gives way
to one around it only where that one goes on with the same columns: the head and the body of a table are one table, a
table and the menu above it are not. Frames that hold a table found in the markup only place it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.box_page import BoxFrame
from tabellion.locate.topology import MARGIN

WordRange = tuple[int, int]
_WHOLE = 3  # rows from which an inner frame is a table of its own


def choose_frames(
    frames: Sequence[BoxFrame], likely: NDArray[np.bool_], known: Sequence[WordRange]
) -> tuple[list[int], list[int]]:
    """The numbers of the frames that stand, and of those that gave way; `known`: words of tables from the markup."""
    order = sorted(range(len(frames)), key=lambda number: len(frames[number].topology))
    chosen: list[int] = []
    gave_way: list[int] = []
    for number in order:
        if not likely[number]:
            continue
        frame = frames[number]
        if any(_meets(frame.words, words) for words in known):
            gave_way.append(number)
            continue
        inner = [each for each in chosen if _meets(frame.words, frames[each].words)]
        if not inner:
            chosen.append(number)
        elif _goes_on(frame, [frames[each] for each in inner]):
            chosen = [each for each in chosen if each not in inner] + [number]
            gave_way += inner
        else:
            gave_way.append(number)
    return sorted(chosen), sorted(gave_way)


def _meets(one: WordRange, other: WordRange) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _goes_on(outer: BoxFrame, inner: Sequence[BoxFrame]) -> bool:
    """Whether all rows of a frame have the columns of the frames within it."""
    if sum(frame.topology.rows >= _WHOLE for frame in inner) > 1:
        return False
    largest = max(inner, key=lambda frame: len(frame.topology))
    if outer.topology.columns > largest.topology.columns:
        return False
    lefts, rights = _edges(largest)
    begun = [frame.words for frame in inner]
    added = False
    for row in range(outer.topology.rows):
        cells = outer.topology.kept[outer.topology.row == row]
        new = [cell for cell in cells.tolist() if not any(_meets(_words(outer, cell), words) for words in begun)]
        if len(new) < 2:
            continue
        added = True
        box = outer.box[new]
        if not (_near(box[:, 0], lefts) | _near(box[:, 2], rights)).all():
            return False
    return added


def _words(frame: BoxFrame, cell: int) -> WordRange:
    return frame.cells[cell].first, frame.cells[cell].end


def _edges(frame: BoxFrame) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    kept = frame.box[frame.topology.kept]
    return np.unique(kept[:, 0]), np.unique(kept[:, 2])


def _near(values: NDArray[np.float32], edges: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.asarray((np.abs(values[:, None] - edges[None, :]) <= MARGIN).any(axis=1))
