"""Learning which leading rows of printed tables are headers.

In: tables of jats, of articles and of the specimens whose head rows are known, recognised from their gold places with
the weights of the same folder. Out: the weights `printed_header_rows`. A recognised row is of the head if most of its
words are. Some publishers' markup ends the head under a text that spans columns, and calls what tells those columns
apart data: such heads are taken as they are printed (`whole_head`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tabellion.label.pages.headers import MOST_ROWS, PRINTED_ROWS, ROW_FEATURES, header_examples
from tabellion.label.pages.view import view_tables
from tabellion.learn.boosting import BoostingSettings, Examples, fit_trees, judge_unseen
from tabellion.learn.cards import Card, write_card
from tabellion.learn.corpora import LeftOut, is_seen
from tabellion.learn.printed.cases import SPECIMENS, PrintedCase, printed_cases
from tabellion.learn.printed.gold import GoldCell, GoldTable
from tabellion.learn.printed.locate import printed_material
from tabellion.learn.scoring.articles import is_number
from tabellion.model.place import Box, Place
from tabellion.model.region import PrintedRegion
from tabellion.recognise.printed.grid import PrintedTable, recognise_table_rows
from tabellion.weights import Weights

TREES = BoostingSettings(rounds=250, leaves=8, rate=0.05, least_rows=10, columns=0.15, rows=0.7)
CORPORA = ("jats", "articles", SPECIMENS)
_FOUND = 0.75
_FEWEST_WORDS = 2
_SPECIMEN_WEIGHT = 0.15


def train_printed_headers(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights."""
    examples = [
        example
        for corpus in CORPORA
        for case in printed_cases(corpus)
        if is_seen(case.corpus, case.fold, left_out)
        for example in _examples(case, Weights(folder))
    ]
    fit_trees(examples, ROW_FEATURES, TREES).save(folder / f"{PRINTED_ROWS}.npz")
    method = "gradient-boosted trees over a row, its neighbours and the shape of the table"
    material = {name: seen for name, seen in printed_material(left_out).items() if name in CORPORA}
    scores = judge_unseen(examples, ROW_FEATURES, TREES) if left_out is None else {}
    write_card(folder, Card(PRINTED_ROWS, method, material, left_out, scores))


def _examples(case: PrintedCase, weights: Weights) -> list[Examples]:
    found = []
    for table in case.tables:
        region = gold_region(case, table) if table.found > _FOUND and table.gold.get("header_rows") else None
        if region is None:
            continue
        printed = PrintedTable(region, weights)
        grid, rows = recognise_table_rows(printed)
        views = view_tables([grid])
        seen, _ = header_examples(views)
        share = _head_share(case, table, printed)
        true = np.array([share[rows[r]] > 0.5 for r in views.tables[0].rows[: len(seen)].tolist()], dtype=bool)
        first = int(np.argmin(true)) if not true.all() else len(true)
        shown = min(first + 1, len(true), MOST_ROWS)
        weight = _SPECIMEN_WEIGHT if case.corpus == SPECIMENS else 1.0
        found.append(Examples(case.fold, seen[:shown], true[:shown], np.ones(shown, dtype=bool), weight))
    return found


def gold_region(case: PrintedCase, table: GoldTable) -> PrintedRegion | None:
    """The region that a gold table is printed in, with its parts on later pages."""
    parts: list[PrintedRegion] = []
    for number, view in enumerate(case.views):
        words = list(table.words_of(number))
        if len(words) >= _FEWEST_WORDS:
            boxes = view.words.box[words]
            box = Box(*(boxes[:, :2].min(axis=0) - 1).tolist(), *(boxes[:, 2:].max(axis=0) + 1).tolist())
            parts.append(PrintedRegion(view, Place(page=view.number, box=box), box))
    if not parts:
        return None
    first, *rest = parts
    return PrintedRegion(first.page, first.place, first.box, parts=tuple(rest))


def whole_head(cells: Sequence[GoldCell], heads: int) -> int:
    """How many rows the head has: those that are marked, and rows of words that tell apart what the last one spans.

    >>> row = [GoldCell(0, 1, 1, 2, "Share"), GoldCell(1, 1, 1, 1, "men"), GoldCell(1, 2, 1, 1, "women")]
    >>> whole_head(row, 1), whole_head([row[0], GoldCell(1, 1, 1, 1, "12"), GoldCell(1, 2, 1, 1, "14")], 1)
    (2, 1)
    """
    while heads:
        below = [cell for cell in cells if cell.row == heads]
        spans = [cell for cell in cells if cell.row + cell.row_span == heads and cell.column_span > 1]
        parted = (sum(s.column <= c.column < s.column + s.column_span for c in below) > 1 for s in spans)
        if any(is_number(cell.text) for cell in below) or not any(parted):
            break
        heads += 1
    return heads


@lru_cache(maxsize=64)
def _cells_of(case: PrintedCase, table: GoldTable) -> tuple[dict[int, int], ...]:
    """The cell of each word, for every view that the table is on."""
    words = (table.words_of(number) for number in range(len(case.views)))
    return tuple(cells for cells in words if len(cells) >= _FEWEST_WORDS)


def _head_share(case: PrintedCase, table: GoldTable, printed: PrintedTable) -> NDArray[np.float64]:
    """For each row the share of its words that are of the gold's head."""
    cells_of, heads = _cells_of(case, table), whole_head(table.cells, int(table.gold["header_rows"]))
    strip = printed.strip
    inside, known = np.zeros(printed.cells.rows), np.zeros(printed.cells.rows)
    for cell in printed.cells.cells:
        for word in cell.words:
            gold = cells_of[int(strip.part_of[word])].get(int(strip.source[word]))
            if gold is not None:
                known[cell.row] += 1
                inside[cell.row] += table.cells[gold].row < heads
    return np.asarray(inside / np.maximum(known, 1))
