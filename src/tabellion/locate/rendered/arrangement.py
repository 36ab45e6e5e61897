"""How boxes lie beside each other: the parts of an element, and the rows and columns that they take.

How the parts of an element lie beside each other: the candidates for tables on a rendered page. In: a `RenderedPage`.
Out: for each element whose parts form rows and columns the boxes of its cells. Beyond VENTex, whose rule 3 allows td,
th and div only, any element may be a cell, and so may bare runs of text. An element whose parts lie both beside and
below each other is a grid (absolutely placed text, CSS grids); one whose parts lie below each other, some of them being
rows of parts beside each other, is a stack (flex rows, CSS tables, tables). Parts are looked at level by level, so that
weakly aligned tables, whose cells do not touch, are found as well.

The topology of boxes: which rows and columns they take (VENTex, sections 4 and 5.1), by their projections. In: the
boxes of the cells of a frame. Out: for each its first row and column and how many it takes. From the narrowest to the
widest, a cell joins the one column that its projection meets, begins a new one where it meets none, and spans where it
meets several. Rows and columns in which all cells are empty are purged and the structure is closed again. The double
topological grid of the paper (`papers.ventex`) does the same from borders; projections are taken because cells that
overlap in part, as words of running text do, then fall together instead of making columns.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.markup import Boxes, RenderedPage, Trait

Ints = NDArray[np.int32]
MARGIN = 3.0  # rule 6: borders within so many pixels are one


class Topology(msgspec.Struct, frozen=True, eq=False):
    """Rows and columns of cells; `kept` says which cells are left after cleaning, the other arrays are of those."""

    kept: NDArray[np.intp]
    row: Ints
    column: Ints
    down: Ints
    across: Ints
    rows: int
    columns: int
    overlaps: int  # cells that share a slot with an earlier one

    def __len__(self) -> int:
        return len(self.kept)


def find_topology(boxes: Boxes, filled: NDArray[np.bool_], columns: Sequence[int] | None = None) -> Topology:
    """The rows and columns of cells, spacers purged.

    `filled` says which cells show something; `columns` gives the columns where they do not follow from the boxes.
    """
    row, down = _tracks(boxes[:, 1], boxes[:, 3])
    if columns is None:
        column, across = _tracks(boxes[:, 0], boxes[:, 2])
    else:
        column, across = np.array(columns, dtype=np.int32), np.ones(len(columns), dtype=np.int32)
    row, down, kept_rows = _clean(row, down, filled)
    column, across, kept_columns = _clean(column, across, filled)
    left = np.flatnonzero((down > 0) & (across > 0))
    return settle_topology(left, row[left], column[left], down[left], across[left], kept_rows, kept_columns)


def settle_topology(
    kept: NDArray[np.intp], row: Ints, column: Ints, down: Ints, across: Ints, rows: int, columns: int
) -> Topology:
    """The topology of the cells that are left, in reading order."""
    order = np.lexsort((column, row))
    row, column, down, across = row[order], column[order], down[order], across[order]
    return Topology(
        kept=kept[order],
        row=row,
        column=column,
        down=down,
        across=across,
        rows=rows,
        columns=columns,
        overlaps=_count_overlaps(row, column, down, across),
    )


def trimmed(low: NDArray[np.float32], high: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Intervals a little shorter, so that those which touch or share a border do not overlap."""
    trim = np.minimum(MARGIN / 2, (high - low) / 4)
    return low + trim, high - trim


def _tracks(low: NDArray[np.float32], high: NDArray[np.float32]) -> tuple[Ints, Ints]:
    """For each interval the first track it takes, and how many."""
    starts, ends = trimmed(low, high)
    lows: list[float] = []  # of the tracks, which stay apart and in order
    highs: list[float] = []
    for at in np.argsort(high - low, kind="stable").tolist():
        start, end = float(starts[at]), float(ends[at])
        first_met, last_met = bisect_right(highs, start), bisect_left(lows, end) - 1
        if first_met > last_met:
            lows.insert(first_met, start)
            highs.insert(first_met, end)
        elif first_met == last_met:
            lows[first_met], highs[first_met] = min(lows[first_met], start), max(highs[first_met], end)
    track_low, track_high = np.array(lows), np.array(highs)
    first = np.searchsorted(track_high, starts, side="right")
    last = np.searchsorted(track_low, ends, side="left") - 1
    first = np.minimum(first, len(track_low) - 1)
    return first.astype(np.int32), np.maximum(1, last - first + 1).astype(np.int32)


def _clean(first: Ints, count: Ints, filled: NDArray[np.bool_]) -> tuple[Ints, Ints, int]:
    """Tracks without those in which no filled cell begins; cells that lay in such alone take none."""
    tracks = int((first + count).max(initial=0))
    used = np.zeros(tracks + 1, dtype=bool)
    used[first[filled]] = True
    before = np.concatenate([[0], np.cumsum(used[:tracks])])
    end = np.minimum(first + count, tracks)
    left = before[end] - before[first]
    return before[first].astype(np.int32), left.astype(np.int32), int(before[-1])


def _count_overlaps(row: Ints, column: Ints, down: Ints, across: Ints) -> int:
    taken: set[tuple[int, int]] = set()
    overlaps = 0
    for r, c, d, a in zip(row.tolist(), column.tolist(), down.tolist(), across.tolist(), strict=True):
        slots = [(i, j) for i in range(r, r + d) for j in range(c, c + a)]
        overlaps += any(slot in taken for slot in slots)
        taken.update(slots)
    return overlaps


_OVERLAP = 2.0  # pixels that two boxes must share to lie beside (or below) each other
_MOST_PARTS = 3000  # parts of one element that are looked at
_FEWEST_ROWS, _FEWEST_CELLS = 2, 4
MOST_CELLS = 50_000  # cells of a candidate that are read
_SEEN = 8.0  # pixels from which a picture is no spacer
_THIN = 1.0  # boxes of no height or width carry nothing
_BLOCK, _INLINE, _ATOMIC = range(3)
NOTHING, ROW, STACK, GRID = range(4)


class Part(NamedTuple):
    """A part of an element: a node, or a run of bare words (node -1); words from `first` to `end`, not included."""

    node: int
    first: int
    end: int


class Arranged(msgspec.Struct, frozen=True, eq=False):
    """The cells of a candidate in document order: their words, their boxes, and which show something.

    `columns` is set where the boxes do not tell the columns.
    """

    node: int
    cells: tuple[Part, ...]
    box: Boxes
    filled: NDArray[np.bool_]
    columns: tuple[int, ...] | None = None
    cut: bool = False  # there are more cells than are read


class Arrangement:
    """The parts of every element, and the candidates among the elements."""

    def __init__(self, page: RenderedPage) -> None:
        self._page = page
        nodes, words = page.nodes, page.words
        count = len(nodes)
        self._first, self._end = _word_ranges(words.node, nodes.parent)
        self._children: list[list[int]] = [[] for _ in range(count)]
        for node, parent in enumerate(nodes.parent.tolist()):
            if parent >= 0:
                self._children[parent].append(node)
        traits = nodes.traits
        atomic = (traits & int(Trait.BLOCKED)) > 0
        inline = ((traits & int(Trait.INLINE)) > 0) & ~atomic
        self._flow: list[int] = np.where(atomic, _ATOMIC, np.where(inline, _INLINE, _BLOCK)).tolist()
        size = (nodes.box[:, 2:] - nodes.box[:, :2]).min(axis=1) if count else np.zeros(0)
        content = ((traits & int(Trait.IMAGE | Trait.FORM)) > 0) & (size >= _SEEN)
        self._content = np.concatenate([[0], np.cumsum(content)])
        self._parts: dict[int, list[Part]] = {}
        self._kinds: dict[int, int] = {}

    def candidates(self) -> list[Arranged]:
        """Every element whose parts form rows and columns; of elements with the same cells the innermost."""
        found: dict[tuple[Part, Part, int], tuple[int, list[Part]]] = {}
        for node in range(len(self._page.nodes)):
            cells = self._cells(node)
            if len(cells) >= _FEWEST_CELLS:
                found[cells[0], cells[-1], len(cells)] = (node, cells)
        return [self.arranged(node, cells) for node, cells in found.values()]

    def arranged(self, node: int, cells: Sequence[Part], columns: tuple[int, ...] | None = None) -> Arranged:
        """A candidate made of cells."""
        cut, cells = len(cells) > MOST_CELLS, cells[:MOST_CELLS]
        boxes: Boxes = np.array([self.box(cell) for cell in cells], dtype=np.float32)
        filled = np.array([cell.first < cell.end or self._has_content(cell.node) for cell in cells])
        return Arranged(node, tuple(cells), boxes, filled, columns, cut)

    def _has_content(self, node: int) -> bool:
        """Whether a node without words shows a picture or a field, and not just a spacer."""
        return node >= 0 and bool(self._content[int(self._page.nodes.last[node]) + 1] > self._content[node])

    def text_blocks(self) -> list[Part]:
        """The blocks that hold text and no parts, in document order."""
        return [
            Part(node, self._first[node], self._end[node])
            for node, flow in enumerate(self._flow)
            if flow == _BLOCK and self._first[node] < self._end[node] and not self.parts(node)
        ]

    def words(self, node: int) -> tuple[int, int]:
        """The first word in a node and the end of its words."""
        return self._first[node], self._end[node]

    def box(self, part: Part) -> NDArray[np.float32]:
        """The box of a part."""
        if part.node >= 0:
            return np.asarray(self._page.nodes.box[part.node])
        return _around(self._page.words.box[part.first : part.end])

    def _cells(self, node: int) -> list[Part]:
        kind = self._kind(node)
        if kind == GRID:
            return self.parts(node)
        if kind != STACK:
            return []
        rows, cells = 0, list[Part]()
        for part in self._rows(node):
            if part.node >= 0 and self._kind(part.node) == ROW:
                rows += 1
                cells += self.parts(part.node)
            else:
                cells.append(part)
        return cells if rows >= _FEWEST_ROWS else []

    def _rows(self, node: int) -> list[Part]:
        """The parts of a stack, with stacks of rows within it (the head and body of a table) taken apart."""
        rows: list[Part] = []
        for part in self.parts(node):
            if part.node >= 0 and self._kind(part.node) == STACK and self._holds_rows(part.node):
                rows += self._rows(part.node)
            else:
                rows.append(part)
        return rows

    def _holds_rows(self, node: int) -> bool:
        kinds = [self._kind(part.node) for part in self.parts(node) if part.node >= 0]
        return bool(kinds) and (kinds.count(ROW) * 2 > len(kinds) or STACK in kinds)

    def parts(self, node: int) -> list[Part]:
        """What an element is made of: blocks, and runs of bare words between them; nothing for plain text."""
        if node in self._parts:
            return self._parts[node]
        page = self._page
        inner = self._blocks(node)
        found: list[Part] = []
        if inner:
            at = self._first[node]
            for child in inner:
                first, end = self._first[child], self._end[child]
                if first == end:
                    first = end = at
                if at < first:
                    found.append(Part(-1, at, first))
                box = page.nodes.box[child]
                if first < end or (box[2] - box[0] > _THIN and box[3] - box[1] > _THIN):
                    found.append(Part(child, first, end))
                at = max(at, end)
            if at < self._end[node]:
                found.append(Part(-1, at, self._end[node]))
            if len(found) == 1 and found[0].node >= 0:
                found = self.parts(found[0].node)
        self._parts[node] = found
        return found

    def _blocks(self, node: int) -> list[int]:
        """The blocks in an element, those in its inline children too; atomic inlines count where several hold words."""
        found: list[int] = []
        atomic: list[int] = []
        waiting = self._children[node][::-1]
        flow = self._flow
        while waiting:
            child = waiting.pop()
            if flow[child] == _INLINE:
                waiting += self._children[child][::-1]
            elif flow[child] == _ATOMIC:
                atomic.append(child)
            else:
                found.append(child)
        worded = sum(self._first[child] < self._end[child] for child in atomic)
        return sorted(found + atomic) if found or worded > 1 else found

    def _kind(self, node: int) -> int:
        if node not in self._kinds:
            if not self._children[node]:
                return NOTHING
            parts = self.parts(node)[:_MOST_PARTS]
            boxes = np.array([self.box(part) for part in parts], dtype=np.float32).reshape(-1, 4)
            self._kinds[node] = arrange(boxes)
        return self._kinds[node]


def arrange(boxes: Boxes) -> int:
    """How boxes lie: ROW (all beside each other), STACK (all below each other), GRID (both), NOTHING (neither)."""
    if len(boxes) < 2:
        return NOTHING
    across = _overlaps(boxes[:, 0], boxes[:, 2])
    down = _overlaps(boxes[:, 1], boxes[:, 3])
    beside = bool((down & ~across).any())
    below = bool((across & ~down).any())
    return (NOTHING, STACK, ROW, GRID)[2 * beside + below]


def _overlaps(low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.bool_]:
    """For each two boxes whether they share more than a border in one direction."""
    shared = np.minimum(high[:, None], high[None, :]) - np.maximum(low[:, None], low[None, :])
    return np.asarray(shared > np.minimum(_OVERLAP, 0.5 * np.minimum(high - low, (high - low)[:, None])))


def _around(boxes: Boxes) -> NDArray[np.float32]:
    return np.array(
        [boxes[:, 0].min(), boxes[:, 1].min(), boxes[:, 2].max(), boxes[:, 3].max()],
        dtype=np.float32,
    )


def _word_ranges(owner: NDArray[np.int32], parent: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """For each node the first word in it and the end of its words, which stand together in document order."""
    first, end = [len(owner)] * len(parent), [0] * len(parent)
    for word, node in enumerate(owner.tolist()):
        first[node] = min(first[node], word)
        end[node] = word + 1
    above = parent.tolist()
    for node in range(len(above) - 1, -1, -1):
        if above[node] >= 0:
            first[above[node]] = min(first[above[node]], first[node])
            end[above[node]] = max(end[above[node]], end[node])
    return first, [max(a, b) for a, b in zip(first, end, strict=True)]
