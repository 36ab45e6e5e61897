"""Ways to cut a sheet into tables: candidates, of which the finished reading decides.

In: a grid and the frames of its reading as a whole. Out: cuts, each a tuple of parts: where an area is marked as one
thing (a named range, what is printed), at blank rows below which a table may begin, at blank columns, where the
sequence of heads comes again, where a column of labels stands right of numbers. What no part of a cut holds is title or
note. Fails where tables interlock.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect

Cut = tuple[Rect, ...]


class CutSettings(msgspec.Struct, frozen=True):
    """What may be a table of its own."""

    texts: float = 0.6  # share of a column's cells that are texts where it holds labels
    dense: float = 0.3  # share of the body's rows that it fills
    first_rows: int = 4  # filled rows of a part among which its head is, title included
    headed: float = 0.5  # share of a part's columns that its head says texts in
    most_parts: int = 12  # of one cut: a list with a blank line after each entry is no row of tables
    single: int = 4  # blank bands at which a grid is cut in two, where there are no more


SETTINGS = CutSettings()


def may_be_table(grid: Grid, part: Rect) -> bool:
    """Whether a part has two columns, a row of texts among its first rows and rows below it."""
    content = grid.content[part.top : part.bottom + 1, part.left : part.right + 1]
    content = content[(content != Content.EMPTY).any(axis=1)]
    columns = int((content != Content.EMPTY).any(axis=0).sum())
    texts = (content[: SETTINGS.first_rows] == Content.TEXT).sum(axis=1)
    heads = np.flatnonzero(texts >= max(2, SETTINGS.headed * columns))
    return columns > 1 and len(heads) > 0 and len(content) > heads[0] + 2


def find_cuts(grid: Grid, frames: tuple[Frame, ...]) -> Iterator[Cut]:
    """The cuts of a grid that have two parts which may be tables, or one that is marked; each comes once."""
    used = used_part(grid)
    if used is None:
        return
    seen: set[Cut] = set()
    for cut in _marked_cuts(grid, used):
        if cut not in seen:
            seen.add(cut)
            yield cut
    for cut in (*_row_cuts(grid, used), *_column_cuts(grid, frames, used)):
        if cut in seen or not 1 < len(cut) <= SETTINGS.most_parts:
            continue
        seen.add(cut)
        if sum(may_be_table(grid, part) for part in cut) > 1:
            yield cut


def used_part(grid: Grid) -> Rect | None:
    """What is filled of a grid; None where that is one row or column."""
    rows, columns = np.flatnonzero(grid.filled.any(axis=1)), np.flatnonzero(grid.filled.any(axis=0))
    if len(rows) < 2 or len(columns) < 2:
        return None
    return Rect(int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1]))


def _marked_cuts(grid: Grid, used: Rect) -> Iterator[Cut]:
    """What is named or printed as one area, apart from all above, below and beside it."""
    for marked in grid.marked.areas:
        top, left = max(marked.area.top, used.top), max(marked.area.left, used.left)
        bottom, right = min(marked.area.bottom, used.bottom), min(marked.area.right, used.right)
        area = Rect(top, left, bottom, right)
        if marked.kind not in ("name", "print") or top >= bottom or left >= right or area == used:
            continue
        around = (
            Rect(used.top, used.left, top - 1, used.right),
            Rect(top, used.left, bottom, left - 1),
            area,
            Rect(top, right + 1, bottom, used.right),
            Rect(bottom + 1, used.left, used.bottom, used.right),
        )
        parts = tuple(part for part in around if part.top <= part.bottom and part.left <= part.right)
        if may_be_table(grid, area):
            yield parts


def _row_cuts(grid: Grid, used: Rect) -> Iterator[Cut]:
    """At blank rows below which a table may begin: at all of them, then at each."""
    said = np.asarray(grid.filled.any(axis=1))
    starts = [row for row in range(used.top + 1, used.bottom + 1) if said[row] and not said[row - 1]]
    ends = [*starts[1:], used.bottom + 1][: len(starts)]
    starts = [row for row, end in zip(starts, ends, strict=True) if _begins(grid, used, row, end)]
    for chosen in [starts, *([row] for row in starts if len(starts) <= SETTINGS.single)] if starts else []:
        lines = [used.top, *chosen, used.bottom + 1]
        yield tuple(Rect(top, used.left, bottom - 1, used.right) for top, bottom in pairwise(lines))


def _begins(grid: Grid, used: Rect, row: int, end: int) -> bool:
    """Whether the rows after a blank one begin as a table does, or have its title before another blank one."""
    if may_be_table(grid, Rect(row, used.left, end - 1, used.right)):
        return True
    lone = end - row <= 2 and (grid.filled[row:end].sum(axis=1) == 1).all()
    after = next((at for at in range(end, used.bottom + 1) if grid.filled[at].any()), None)
    return bool(lone and after is not None and may_be_table(grid, Rect(after, used.left, used.bottom, used.right)))


def _column_cuts(grid: Grid, frames: tuple[Frame, ...], used: Rect) -> Iterator[Cut]:
    """Each table cut beside: what stands above and below it are parts too."""
    for frame in frames:
        rect = frame.rect
        for starts in _column_starts(grid, frame):
            sides = [rect.left, *starts, rect.right + 1]
            inside = [Rect(rect.top, left, rect.bottom, right - 1) for left, right in pairwise(sides)]
            above = [Rect(used.top, used.left, rect.top - 1, used.right)] if rect.top > used.top else []
            below = [Rect(rect.bottom + 1, used.left, used.bottom, used.right)] if rect.bottom < used.bottom else []
            yield (*above, *inside, *below)


def _column_starts(grid: Grid, frame: Frame) -> Iterator[list[int]]:
    """Columns at which tables beside the first may begin, by their labels where nothing else tells."""
    columns = np.arange(frame.rect.left, frame.rect.right + 1)
    rows = [*frame.header_rows, *frame.body_rows]
    said = (grid.content.ravel()[grid.home] != Content.EMPTY)[rows][:, columns].any(axis=0)
    after_blank = columns[1:][said[1:] & ~said[:-1]].tolist()
    yield after_blank
    for start in after_blank:
        yield [start]
    again = _head_again(grid, frame, columns)
    yield again
    if not after_blank and not again:
        yield from ([start] for start in _labels_again(grid, frame, columns))


def _head_again(grid: Grid, frame: Frame, columns: NDArray[np.intp]) -> list[int]:
    """Where the sequence of heads begins anew: the first head's text comes again with the second's after it."""
    for row in frame.header_rows[::-1]:
        texts = [str(text) for text in grid.label[row, columns]]
        if len(texts) > 3 and texts[0] and texts[1] and texts[0] != texts[1]:
            pairs = list(pairwise(texts))
            again = [int(columns[i]) for i in range(2, len(pairs)) if pairs[i] == pairs[0]]
            if again:
                return again
    return []


def _labels_again(grid: Grid, frame: Frame, columns: NDArray[np.intp]) -> list[int]:
    """Columns of labels that stand right of numbers and left of others."""
    content = grid.content[list(frame.body_rows)][:, columns]
    filled = (content != Content.EMPTY).sum(axis=0)
    texts = (content == Content.TEXT).sum(axis=0) > SETTINGS.texts * np.maximum(filled, 1)
    numbers = (content == Content.NUMBER).sum(axis=0) > SETTINGS.texts * np.maximum(filled, 1)
    labels = texts & (filled > SETTINGS.dense * len(content))
    before = np.logical_or.accumulate(numbers)
    after = np.logical_or.accumulate(numbers[::-1])[::-1]
    first = labels & ~np.concatenate([[False], labels[:-1]])
    return [int(column) for column in columns[first & before & after]]
