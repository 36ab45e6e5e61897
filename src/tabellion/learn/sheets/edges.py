"""Learning where tables begin and end, from corpora that mark titles, heads, bodies and notes.

In: saus-lines and troy200 (a class a line), statsheets, sheetcuts and fuste (table ranges). Out: the weights
`edges-top` and `edges-bottom`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from tabellion.label.edge_features import EDGE_FEATURES, EdgeRow, edge_features, view_edge
from tabellion.label.edges import BOTTOM_WEIGHTS, TOP_WEIGHTS, EdgeSettings
from tabellion.learn.boosting import BoostingSettings, Examples, fit_trees, judge_unseen
from tabellion.learn.cards import Card, Material, write_card
from tabellion.learn.corpora import LeftOut, is_seen
from tabellion.learn.sheets.gold import ROLES, Allowed, Case, allowed_roles, load_cases
from tabellion.learn.sheets.variants import plain
from tabellion.model.grid import Grid
from tabellion.model.place import rect_at

RANGED = ("statsheets", "sheetcuts", "fuste")
CORPORA = ("saus-lines", "troy200", *RANGED)
SETTINGS = BoostingSettings(rounds=100, leaves=15, rate=0.08, least_rows=8, columns=0.4)


class EdgeGold(msgspec.Struct, frozen=True, eq=False):
    """Rows near an edge, from the core outwards, and which of them belong to the table."""

    above: bool
    rows: list[EdgeRow]
    inside: list[bool]


def gold_edges(case: Case, settings: EdgeSettings = EdgeSettings()) -> Iterator[EdgeGold]:
    """Both edges of every table of a case, as it looks and without any formatting."""
    for grid in (*case.grids, *map(plain, case.grids)):
        filled = np.flatnonzero(grid.filled.any(axis=1)).tolist()
        tables = sorted(_tables(case, grid, filled))
        for i, (first, last, core) in enumerate(tables):
            before = tables[i - 1][1] if i else -1
            after = tables[i + 1][0] if i + 1 < len(tables) else grid.shape[0]
            sure = core[: max(settings.least_core, len(core) - settings.tail)]
            above = [row for row in filled if before < row < core[0]][::-1][: settings.above]
            below = [row for row in filled if sure[-1] < row < after][: settings.below + settings.tail]
            for upper, rows in ((True, above), (False, below)):
                inside = [first <= row <= last for row in rows]
                if rows and inside == sorted(inside, reverse=True):
                    yield EdgeGold(upper, view_edge(grid, sure, rows, above=upper), inside)


def _tables(case: Case, grid: Grid, filled: list[int]) -> Iterator[tuple[int, int, list[int]]]:
    """First and last row of each table, and the rows that surely hold its data."""
    allowed = allowed_roles(case, grid)
    if case.corpus in RANGED:
        for text in case.gold["tables"]:
            area = rect_at(text)
            inside = [row for row in filled if area.top <= grid.row_of[row] <= area.bottom]
            core = [row for row in inside if _may_be(allowed, row, "data", "derived")]
            core = [row for row in core if not _may_be(allowed, row, "header")]
            if core:
                yield inside[0], inside[-1], core
        return
    inside = [row for row in filled if allowed[row].any() and not _may_be(allowed, row, "title", "note")]
    core = [row for row in inside if _may_be(allowed, row, "data", "derived")]
    if core:
        yield inside[0], inside[-1], core


def _may_be(allowed: Allowed, row: int, *roles: str) -> bool:
    return any(allowed[row, i] for i, role in enumerate(ROLES) if role in roles)


def train_edges(folder: Path, left_out: LeftOut) -> None:
    """Write the weights of both edges, from all documents but those of the fold left out."""
    material: dict[str, Material] = {}
    golds: list[tuple[int, EdgeGold]] = []  # each with its fold
    for corpus in CORPORA:
        cases = [case for case in load_cases(corpus) if is_seen(corpus, case.fold, left_out)]
        found = [(case.fold, gold) for case in cases for gold in gold_edges(case)]
        material[corpus] = Material(len(cases), sum(len(gold.rows) for _, gold in found))
        golds += found
    for name, above in ((TOP_WEIGHTS, True), (BOTTOM_WEIGHTS, False)):
        part = [
            Examples(fold, edge_features(gold.rows), np.array(gold.inside), np.ones(len(gold.rows), dtype=bool))
            for fold, gold in golds
            if gold.above == above
        ]
        fit_trees(part, tuple(EDGE_FEATURES), SETTINGS).save(folder / f"{name}.npz")
        scores = judge_unseen(part, tuple(EDGE_FEATURES), SETTINGS) if left_out is None else {}
        method = "boosted trees on rows measured against a table's core"
        write_card(folder, Card(name, method, material, left_out, scores))
