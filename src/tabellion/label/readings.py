"""Whole readings of a sheet are compared, and the best is kept.

In: a grid. Out: its row labels and frames, by the cut of the grid whose finished reading is most likely right. A sheet
has few sensible ways to be cut: not at all, at its blank columns, where a head comes again, where a column of labels
stands right of numbers. Each is read to the end; the confidence of its frames, weighed by the cells that they hold, is
the expected share of the sheet that is read rightly, and the largest wins. Tables that stack are parted by their heads
(`blocks`): cuts at blank rows parted more tables that are one than they found.
Fails where no cut among these is right: tables that interlock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame, RowLabels, RowRole
from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect

Bools = NDArray[np.bool_]


class ReadingSettings(msgspec.Struct, frozen=True):
    """When other readings are looked at, and when one is better."""

    sure: float = 0.9  # confidence from which on no other reading is looked at
    most_cells: int = 400_000  # of a grid that is read more than once
    gain: float = 0.05  # of the share read rightly by which a cut must be better
    most_parts: int = 12  # of one cut: a list with a blank line after each entry is no row of tables
    texts: float = 0.6  # share of a column's cells that are texts where it holds labels
    dense: float = 0.3  # share of the body's rows that it fills
    first_rows: int = 4  # filled rows of a part among which its head is, title included
    headed: float = 0.5  # share of a part's columns that its head says texts in


SETTINGS = ReadingSettings()


class Reading(msgspec.Struct, frozen=True, eq=False):
    """The labelled rows of a grid, or of a part of it, and the frames among them."""

    labels: RowLabels
    frames: tuple[Frame, ...]

    @property
    def score(self) -> float:
        """The expected number of cells in frames that are read rightly."""
        return sum(frame.confidence * _cells(frame) for frame in self.frames)


class Reader(msgspec.Struct, frozen=True, eq=False):
    """`read` reads a grid to the end, with given roles of rows; `rate` tells how likely a frame is right."""

    read: Callable[[Grid, Mapping[int, RowRole]], Reading]
    rate: Callable[[Frame], float]


def best_reading(grid: Grid, reader: Reader, given: Mapping[int, RowRole]) -> Reading:
    """The reading that is most likely right, of the whole grid and of its cuts."""
    best = reader.read(grid, given)
    if grid.content.size > SETTINGS.most_cells or _is_sure(best):
        return best
    tried: set[tuple[Rect, ...]] = set()
    filled = int(grid.filled.sum())
    for cut in find_cuts(grid, best.frames):
        if cut in tried or len(cut) > SETTINGS.most_parts or sum(_may_be_table(grid, part) for part in cut) < 2:
            continue
        tried.add(cut)
        parts = [_read_part(grid, part, reader, given) for part in cut]
        joined = join_parts(grid, best, parts, reader)
        if joined.score > best.score + SETTINGS.gain * filled:
            best = joined
    return best


def _is_sure(reading: Reading) -> bool:
    """Whether every frame is surely right."""
    return bool(reading.frames) and all(frame.confidence >= SETTINGS.sure for frame in reading.frames)


def _cells(frame: Frame) -> int:
    rect = frame.rect
    return int(frame.grid.filled[rect.top : rect.bottom + 1, rect.left : rect.right + 1].sum())


def _may_be_table(grid: Grid, part: Rect) -> bool:
    """Whether a part has two columns, a row of texts among its first rows and rows below it."""
    content = grid.content[part.top : part.bottom + 1, part.left : part.right + 1]
    content = content[(content != Content.EMPTY).any(axis=1)]
    columns = int((content != Content.EMPTY).any(axis=0).sum())
    texts = (content[: SETTINGS.first_rows] == Content.TEXT).sum(axis=1)
    heads = np.flatnonzero(texts >= max(2, SETTINGS.headed * columns))
    return columns > 1 and len(heads) > 0 and len(content) > heads[0] + 2


def _read_part(grid: Grid, part: Rect, reader: Reader, given: Mapping[int, RowRole]) -> Reading:
    """One part read; what has no head, or hardly a row below it, is no table of its own."""
    inside = {row: role for row, role in given.items() if part.top <= row <= part.bottom}
    reading = reader.read(only(grid, part), inside)
    return Reading(reading.labels, tuple(frame for frame in reading.frames if _stands_alone(frame)))


def _stands_alone(frame: Frame) -> bool:
    """Whether a frame has a head, some rows, and values beside labels or one another."""
    return bool(
        frame.header_rows and frame.value_columns and len(frame.body_rows) > 1 and frame.rect.left < frame.rect.right
    )


def only(grid: Grid, part: Rect) -> Grid:
    """The grid with nothing in it but what stands in one part; rows and columns keep their numbers."""
    outside = np.ones(grid.shape, dtype=bool)
    outside[part.top : part.bottom + 1, part.left : part.right + 1] = False
    return msgspec.structs.replace(
        grid,
        content=np.where(outside, np.uint8(Content.EMPTY), grid.content),
        text=np.where(outside, "", grid.text),
        label=np.where(outside, "", grid.label),
    )


def join_parts(grid: Grid, whole: Reading, parts: list[Reading], reader: Reader) -> Reading:
    """One reading of parts: rows of parts without a frame are titles of the next frame, or notes of the last."""
    roles = list(whole.labels.roles)
    probability = whole.labels.probability.copy()
    frames: list[Frame] = []
    waiting: list[int] = []
    for part in parts:
        said = [row for row, role in enumerate(part.labels.roles) if role != "blank"]
        if not part.frames:
            waiting += said
            continue
        for row in said:
            roles[row], probability[row] = part.labels.roles[row], part.labels.probability[row]
        above = [row for row in waiting if row < part.frames[0].rect.top]
        for frame in part.frames:
            title = tuple(sorted({*above, *frame.title_rows}))
            own = tuple(_joined_roles(whole.labels, part.labels))
            labels = RowLabels(grid=grid, roles=own, probability=part.labels.probability)
            placed = msgspec.structs.replace(frame, labels=labels, title_rows=title)
            frames.append(msgspec.structs.replace(placed, confidence=reader.rate(placed)))
        waiting = [row for row in waiting if row not in above]
    if frames and waiting:
        note = tuple(sorted({*waiting, *frames[-1].note_rows}))
        frames[-1] = msgspec.structs.replace(frames[-1], note_rows=note)
    frames.sort(key=lambda frame: frame.rect)
    return Reading(RowLabels(grid=grid, roles=tuple(roles), probability=probability), tuple(frames))


def _joined_roles(whole: RowLabels, part: RowLabels) -> Iterator[RowRole]:
    """The roles of rows as one part sees them; where it sees nothing, titles and notes of the whole."""
    for role, outside in zip(part.roles, whole.roles, strict=True):
        yield role if role != "blank" or outside not in ("title", "note") else outside


def find_cuts(grid: Grid, frames: tuple[Frame, ...]) -> Iterator[tuple[Rect, ...]]:
    """Ways to cut a grid: its tables at blank columns, and where heads or labels come again."""
    filled = grid.filled
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    if len(rows) < 2 or len(columns) < 2:
        return
    used = Rect(int(rows[0]), int(columns[0]), int(rows[-1]), int(columns[-1]))
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
