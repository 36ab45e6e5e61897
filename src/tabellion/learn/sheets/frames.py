"""Learning the frame of a table: where it begins and ends, and which of its columns are stubs.

Where tables begin and end, from corpora that mark titles, heads, bodies and notes. In: saus-lines and troy200 (a class
a line), statsheets, sheetcuts and fuste (table ranges). Out: the weights `edges-top` and `edges-bottom`.

Which columns are stubs, from corpora that mark the cells of a table. In: troy200 (label and entry addresses),
statsheets and sheetcuts (header and data cells), hitab-top and stattrees (header rows and columns). Out: the weights
`columns`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.columns import COLUMN_FEATURES, COLUMN_WEIGHTS, column_features
from tabellion.label.edge_features import EDGE_FEATURES, EdgeRow, edge_features, view_edge
from tabellion.label.edges import BOTTOM_WEIGHTS, TOP_WEIGHTS, EdgeSettings
from tabellion.learn.corpora import LeftOut, is_seen
from tabellion.learn.fitting import BoostingSettings, Examples, fit_trees, judge_unseen
from tabellion.learn.sheets.gold import ROLES, Allowed, Case, allowed_roles, load_cases
from tabellion.learn.sheets.variants import plain
from tabellion.learn.training import Card, Material, write_card
from tabellion.model.grid import Grid
from tabellion.model.place import cell_at, rect_at

CORPUS_WEIGHT = {"troy200": 10.0, "statsheets": 10.0, "sheetcuts": 10.0, "stattrees": 10.0, "hitab-top": 4.0}
"""What a table counts; the stubs of hitab-top are silver."""
STUB_TREES = BoostingSettings(rounds=80, leaves=15, rate=0.08, least_rows=20, random_splits=True, members=3)
_RUN = re.compile(r"(\d+)(\D)")


class ColumnGold(msgspec.Struct, frozen=True, eq=False):
    """A table whose rows and columns are known: grid rows of head and body, grid columns, which are stubs."""

    grid: Grid
    header_rows: list[int]
    body_rows: list[int]
    columns: list[int]
    stub: NDArray[np.bool_]


def gold_columns(case: Case) -> Iterator[ColumnGold]:
    """The tables of a case with their stub columns."""
    for grid in case.grids:
        marked = dict(_marked_cells(case))
        yield from _told_tables(case, grid, marked)


def _marked_cells(case: Case) -> Iterator[tuple[tuple[int, int], str]]:
    """Sheet cell -> H (header), L (stub label) or D (data)."""
    gold = case.gold
    if case.corpus == "troy200":
        for label in gold["labels"]:
            yield cell_at(label["address"]), "H" if label["axis"] == "top" else "L"
        for entry in gold["entries"]:
            yield cell_at(entry["address"]), "D"
    elif case.corpus in ("statsheets", "sheetcuts"):
        for row, text in enumerate(gold["rows"]):
            column = 0
            for size, kind in _RUN.findall(text):
                for at in range(column, column + int(size)):
                    yield (row, at), kind
                column += int(size)


def _told_tables(case: Case, grid: Grid, marked: dict[tuple[int, int], str]) -> Iterator[ColumnGold]:
    if case.corpus == "hitab-top":
        height, width = grid.shape
        heads, stubs = case.gold["header_rows"] - 1, case.gold["header_columns"]
        if 0 < heads < height and stubs < width:
            stub = np.arange(width) < stubs
            yield ColumnGold(grid, list(range(heads)), list(range(heads, height)), list(range(width)), stub)
        return
    if case.corpus == "stattrees":
        area, heads = rect_at(case.gold["range"]), case.gold["header_rows"]
        rows = np.flatnonzero((grid.row_of >= area.top) & (grid.row_of <= area.bottom))
        inside = np.flatnonzero((grid.column_of >= area.left) & (grid.column_of <= area.right))
        below = grid.row_of[rows] >= area.top + heads
        stub = grid.column_of[inside] < area.left + case.gold["stub_columns"]
        if below.any():
            yield ColumnGold(grid, rows[~below].tolist(), rows[below].tolist(), inside.tolist(), stub)
        return
    for table in case.gold.get("tables") or [None]:
        kind = np.array(
            [[marked.get((r, c), ".") for c in grid.column_of.tolist()] for r in grid.row_of.tolist()], dtype="U1"
        )
        if table is not None:
            area = rect_at(table)
            kind[(grid.row_of < area.top) | (grid.row_of > area.bottom)] = "."
            kind[:, (grid.column_of < area.left) | (grid.column_of > area.right)] = "."
        kind[~np.isin(kind, ("H", "L", "D"))] = "."
        body = np.nonzero((kind == "D").any(axis=1))[0]
        if not len(body):
            continue
        head = [int(r) for r in np.nonzero((kind == "H").any(axis=1))[0] if r < body[0]]
        used = np.nonzero((kind != ".").any(axis=0))[0]
        columns = list(range(int(used[0]), int(used[-1]) + 1))
        part = kind[body][:, columns]
        labels, values = np.isin(part, ("H", "L")).sum(axis=0), (part == "D").sum(axis=0)
        yield ColumnGold(grid, head, body.tolist(), columns, labels > values)


def train_columns(folder: Path, left_out: LeftOut) -> None:
    """Write the weights `columns`, from all documents but those of the fold left out."""
    examples: list[Examples] = []
    material: dict[str, Material] = {}
    for corpus in CORPUS_WEIGHT:
        cases = [case for case in load_cases(corpus) if is_seen(corpus, case.fold, left_out)]
        found = [_examples(case, gold) for case in cases for gold in gold_columns(case)]
        material[corpus] = Material(len(cases), sum(len(one.rows) for one in found))
        examples += found
    names = tuple(COLUMN_FEATURES)
    fit_trees(examples, names, STUB_TREES).save(folder / f"{COLUMN_WEIGHTS}.npz")
    scores = judge_unseen(examples, names, STUB_TREES) if left_out is None else {}
    write_card(folder, Card(COLUMN_WEIGHTS, "boosted trees on column features", material, left_out, scores))


def _examples(case: Case, gold: ColumnGold) -> Examples:
    """The columns of a table that hold anything; together they weigh what a table of the corpus does."""
    rows = column_features(gold.grid, gold.header_rows, gold.body_rows, gold.columns)
    filled = rows[:, list(COLUMN_FEATURES).index("filled")] > 0
    count = int(filled.sum())
    weight = CORPUS_WEIGHT[case.corpus] / max(count, 1)
    return Examples(case.fold, rows[filled], gold.stub[filled], np.ones(count, dtype=bool), weight)


RANGED = ("statsheets", "sheetcuts", "fuste")
CORPORA = ("saus-lines", "troy200", *RANGED)
EDGE_TREES = BoostingSettings(
    rounds=150, leaves=15, depth=8, rate=0.08, least_rows=10, columns=0.4, random_splits=True, members=3
)
"""Thresholds by chance: without them trees lean on what one publisher does, and of tables of others (sheetcuts, with
statsheets left out too) one upper edge in six is wrong; with them one in fifty."""


class EdgeGold(msgspec.Struct, frozen=True, eq=False):
    """Rows near an edge, from the core outwards, and which of them belong to the table."""

    above: bool
    rows: list[EdgeRow]
    inside: list[bool]


def gold_edges(case: Case, settings: EdgeSettings = EdgeSettings()) -> Iterator[EdgeGold]:
    """Both edges of every table of a case, as it looks and without any formatting."""
    for grid in (*case.grids, *map(plain, case.grids)):
        filled = np.flatnonzero(grid.filled.any(axis=1)).tolist()
        tables = sorted(_tables_in(case, grid, filled))
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


def _tables_in(case: Case, grid: Grid, filled: list[int]) -> Iterator[tuple[int, int, list[int]]]:
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
        fit_trees(part, tuple(EDGE_FEATURES), EDGE_TREES).save(folder / f"{name}.npz")
        scores = judge_unseen(part, tuple(EDGE_FEATURES), EDGE_TREES) if left_out is None else {}
        method = "boosted trees on rows measured against a table's core"
        write_card(folder, Card(name, method, material, left_out, scores))
