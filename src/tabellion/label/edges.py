"""Where a table begins and ends, once its core is known.

In: labelled rows and their blocks. Out: the same blocks with their upper and lower edges settled: rows near an edge are
measured against the columns of the core (`edge_features`), what the row labeller thinks of them has its say, and the
cut that fits best parts head from titles, and body from notes. A row's own look, which the row labeller goes by, does
not tell a unit stated above a head from the head.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.blocks import Block
from tabellion.label.edge_features import (
    EDGE_FEATURES,
    EdgeRow,
    edge_features,
    names_source,
    states_unit,
    tells_nothing_apart,
    view_edge,
)
from tabellion.model.frame import ROW_ROLES, RowLabels, RowRole
from tabellion.model.grid import Content, Grid
from tabellion.weights import Weights

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
    stated: float = -3.5  # log-odds that a unit stated above a head is the head
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
    filled = np.flatnonzero((grid.content != Content.EMPTY).any(axis=1)).tolist()
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
    note = [row for row in rows if row > max([core[-1], *tail])]
    title = [row for row in rows if row < min([core[0], *head])]
    return Block(title=title, header=head, body=core + tail, note=note, lead=(upper.lead, lower.lead))


def _last_dense(grid: Grid, body: list[int]) -> int:
    """The place of the last row of a body that says more than one thing; its last row where none does."""
    dense = np.flatnonzero((grid.content[body] != Content.EMPTY).sum(axis=1) > 1)
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
        if states_unit(row):
            odds[i] = min(odds[i], settings.stated)
        elif names_source(row):
            odds[i] = min(odds[i], settings.sourced)
        elif tells_nothing_apart(row):
            odds[i] = min(odds[i], settings.undivided)
    return best_cut(odds)


def cut_bottom(rows: Sequence[EdgeRow], weights: Weights, told: NDArray[np.float64] | float = 0.0) -> EdgeCut:
    """How many of the rows below the core, nearest first, are still its body."""
    if not rows:
        return NO_ROWS
    if isinstance(told, np.ndarray) and (np.abs(told) >= SURE).all():
        inside = told > 0
        if not (inside[1:] & ~inside[:-1]).any():
            return best_cut(told)
    chance = weights.boosted(BOTTOM_WEIGHTS, EDGE_FEATURES).probabilities(edge_features(rows))
    return best_cut(log_odds(chance) + ROW_SHARE * told)


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
