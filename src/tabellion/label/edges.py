"""Where the tables of a sheet begin and end: ways to cut it, and the edges of each core.

Where a table begins and ends, once its core is known. In: labelled rows and their blocks. Out: the same blocks with
their upper and lower edges settled: rows near an edge are measured against the columns of the core (`edge_features`),
what the row labeller thinks of them has its say, and the cut that fits best parts head from titles, and body from
notes. A row's own look, which the row labeller goes by, does not tell a unit stated above a head from the head.

Ways to cut a sheet into tables: candidates, of which the finished reading decides. In: a grid and the frames of its
reading as a whole. Out: cuts, each a tuple of parts: where an area is marked as one thing (a named range, what is
printed), at blank rows below which a table may begin, at blank columns, where the sequence of heads comes again, where
a column of labels stands right of numbers. What no part of a cut holds is title or note. Fails where tables interlock.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.blocks import Block
from tabellion.label.edge_features import EDGE_FEATURES, EdgeRow, edge_features, values_covered, view_edge
from tabellion.label.edge_laws import is_marked_note, is_ruled_off, names_source, states_unit, tells_nothing_apart
from tabellion.model.frame import ROW_ROLES, Frame, RowLabels, RowRole
from tabellion.model.grid import EMPTY, NUMBER, TEXT, Grid
from tabellion.model.place import Rect
from tabellion.weights import Weights

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
    content = content[(content != EMPTY).any(axis=1)]
    columns = int((content[: 2 * SETTINGS.first_rows] != EMPTY).any(axis=0).sum())  # more may stand in a table below
    texts = (content[: SETTINGS.first_rows] == TEXT).sum(axis=1)
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
        if sum(may_be_table(grid, part) for part in cut) > 1 and not _parts_cell(grid, cut, used):
            yield cut


def _parts_cell(grid: Grid, cut: Cut, used: Rect) -> bool:
    """Whether a cut goes through a merged text; one over all columns may be the title of several tables."""
    for row, column, down, across in grid.spans.tolist():
        last_row, last = row + down - 1, column + across - 1
        if grid.content[row, column] == EMPTY or (column <= used.left and last >= used.right):
            continue
        if any(part.holds(row, column) and not part.holds(last_row, last) for part in cut):
            return True
    return False


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
    said = (grid.content.ravel()[grid.home] != EMPTY)[rows][:, columns].any(axis=0)
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
    filled = (content != EMPTY).sum(axis=0)
    texts = (content == TEXT).sum(axis=0) > SETTINGS.texts * np.maximum(filled, 1)
    numbers = (content == NUMBER).sum(axis=0) > SETTINGS.texts * np.maximum(filled, 1)
    labels = texts & (filled > SETTINGS.dense * len(content))
    before = np.logical_or.accumulate(numbers)
    after = np.logical_or.accumulate(numbers[::-1])[::-1]
    first = labels & ~np.concatenate([[False], labels[:-1]])
    return [int(column) for column in columns[first & before & after]]


TOP_WEIGHTS, BOTTOM_WEIGHTS = "edges-top", "edges-bottom"
SURE = 4.0  # log-odds from which on the row labeller is believed at the lower edge without a second look
ROW_SHARE = 1.0  # how much the row labeller's log-odds count beside the edge's own
GIVEN = 1e6  # log-odds of what is certain


class EdgeSettings(msgspec.Struct, frozen=True):
    """How far an edge may move, and what is known without learning."""

    above: int = 14  # filled rows above the core that may be its head: agencies' series heads have ten and more
    below: int = 10  # filled rows below the core that may still be its body
    tail: int = 6  # last rows of the body that may turn out to be notes
    least_core: int = 3  # rows of the body that are never given up; nor is more than half of it
    stated: float = -3.5  # log-odds that a unit stated above a head, or what a line parts from it, is the head
    sourced: float = -2.2  # the same for a source
    undivided: float = -2.2  # and for a text that tells no columns apart: 89 of 2,900 such rows are heads


class EdgeCut(msgspec.Struct, frozen=True):
    """How many rows lie inside an edge, and by how many log-odds that fits better than any other number."""

    rows: int
    lead: float


MOST_LEAD = 9.0  # beyond that it makes no difference
NO_ROWS = EdgeCut(0, MOST_LEAD)


def settle_edges(
    labels: RowLabels, blocks: list[Block], weights: Weights, given: Mapping[int, RowRole] | None = None
) -> list[Block]:
    """The blocks with their upper and lower edges where they fit best; `given` roles are certain."""
    grid, told = labels.grid, row_odds(labels)
    for row, role in (given or {}).items():
        told[row] = -GIVEN if role in ("title", "note", "blank") else GIVEN
    filled = np.flatnonzero((grid.content != EMPTY).any(axis=1)).tolist()
    settled: list[Block] = []
    for i, block in enumerate(blocks):
        before = settled[-1].body[-1] if settled else -1
        after = _first_row(blocks[i + 1]) if i + 1 < len(blocks) else grid.shape[0]
        settled.append(_settle(grid, block, [row for row in filled if before < row < after], weights, told))
    return settled


def _first_row(block: Block) -> int:
    return min(block.title + block.header + block.body)


def _settle(
    grid: Grid,
    block: Block,
    rows: list[int],
    weights: Weights,
    told: NDArray[np.float64],
    settings: EdgeSettings = EdgeSettings(),
) -> Block:
    body = block.body
    dense = max(_last_dense(grid, body) + 1, len(body) // 2)
    sure = min(max(settings.least_core, len(body) - settings.tail), dense)
    core = body[:sure]
    above = [row for row in rows if row < core[0]][::-1][: settings.above]
    below = [row for row in rows if row > core[-1]][: settings.below + len(body) - sure]
    upper = cut_top(view_edge(grid, core, above, above=True), weights, told[above])
    lower = cut_bottom(view_edge(grid, core, below, above=False), weights, told[below])
    head, tail = sorted(above[: upper.rows]), below[: lower.rows]
    first, last = min([core[0], *head]), max([core[-1], *tail])
    note = [row for row in rows if row > last]
    title = [row for row in rows if row < first]
    return Block(title=title, header=head, body=core + tail, note=note, lead=(upper.lead, lower.lead))


def _last_dense(grid: Grid, body: list[int]) -> int:
    """The place of the last row of a body that says more than one thing; its last row where none does."""
    dense = np.flatnonzero((grid.content[body] != EMPTY).sum(axis=1) > 1)
    return int(dense[-1]) if len(dense) else len(body) - 1


def row_odds(labels: RowLabels) -> NDArray[np.float64]:
    """The log-odds, by the row labeller, that each row belongs to a table: that it is no title and no note."""
    outside = labels.probability[:, [ROW_ROLES.index("title"), ROW_ROLES.index("note")]].sum(axis=1)
    return log_odds(1 - outside)


def cut_top(
    rows: Sequence[EdgeRow],
    weights: Weights,
    told: NDArray[np.float64] | float = 0.0,
    settings: EdgeSettings = EdgeSettings(),
) -> EdgeCut:
    """How many of the rows above the core, nearest first, are its head; `told`: what the row labeller says."""
    if not rows:
        return NO_ROWS
    odds = log_odds(weights.boosted(TOP_WEIGHTS, EDGE_FEATURES).probabilities(edge_features(rows))) + ROW_SHARE * told
    for i, row in enumerate(rows):
        if states_unit(row) or is_ruled_off(row):
            odds[i] = min(odds[i], settings.stated)
        elif row.rank > 0 and names_source(row):
            odds[i] = min(odds[i], settings.sourced)
        elif tells_nothing_apart(row):
            odds[i] = min(odds[i], settings.undivided)
    return best_cut(odds)


def cut_bottom(
    rows: Sequence[EdgeRow],
    weights: Weights,
    told: NDArray[np.float64] | float = 0.0,
    settings: EdgeSettings = EdgeSettings(),
) -> EdgeCut:
    """How many of the rows below the core, nearest first, are still its body."""
    if not rows:
        return NO_ROWS
    marked = np.array([is_marked_note(row) or (names_source(row) and values_covered(row) == 0) for row in rows])
    if isinstance(told, np.ndarray) and not marked.any() and (np.abs(told) >= SURE).all():
        inside = told > 0
        if not (inside[1:] & ~inside[:-1]).any():
            return best_cut(told)
    chance = weights.boosted(BOTTOM_WEIGHTS, EDGE_FEATURES).probabilities(edge_features(rows))
    odds = log_odds(chance) + ROW_SHARE * told
    return best_cut(np.where(marked, np.minimum(odds, settings.stated), odds))


def log_odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    sure = np.clip(probability, 1e-4, 1 - 1e-4)
    return np.asarray(np.log(sure / (1 - sure)))


def best_cut(odds: NDArray[np.float64]) -> EdgeCut:
    """Where a run of rows, inner first, is cut so that the log-odds on both sides agree best.

    >>> best_cut(np.array([2.0, -0.5, 1.0, -2.0]))
    EdgeCut(rows=3, lead=0.5)
    """
    fits = np.concatenate([[0.0], np.cumsum(odds)])
    best = int(fits.argmax())
    second = np.delete(fits, best).max(initial=fits[best] - MOST_LEAD)
    return EdgeCut(best, float(min(fits[best] - second, MOST_LEAD)))
