"""Learning the columns, the rows and the header rows of printed tables.

In: the laid tables of the printed documents but those of the fold left out. Out: the weights of `recognise.printed`:
which rivers part columns (a first look and a second), which words are one text over several columns, which lines go on
with the row above, which runs of lines are rows. Each judge learns from what those before it say of unseen documents.

Header rows are learned from tables of jats, of articles and of the specimens whose head rows are known, recognised from
their gold places with the weights of the same folder. Out: the weights `printed_header_rows`. A recognised row is of
the head if most of its words are. Some publishers' markup ends the head under a text that spans columns, and calls what
tells those columns apart data: such heads are taken as they are printed (`whole_head`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.pages.headers import MOST_ROWS, PRINTED_ROWS, header_examples
from tabellion.label.pages.headers import ROW_FEATURES as HEADER_FEATURES
from tabellion.label.pages.view import view_tables
from tabellion.learn.corpora import LeftOut, is_seen, spread
from tabellion.learn.fitting import Across, BoostingSettings, Examples, fit_across, fit_trees, judge_unseen
from tabellion.learn.printed.gold import GoldCell, GoldTable
from tabellion.learn.printed.locate import PRINTED_CORPORA, SPECIMENS, PrintedCase, printed_cases, printed_material
from tabellion.learn.scoring.articles import is_number
from tabellion.learn.training import Card, write_card
from tabellion.model.document import PrintedRegion
from tabellion.model.place import Box, Place
from tabellion.recognise.printed.columns import Columns, choose_columns
from tabellion.recognise.printed.grid import PrintedTable, recognise_table_rows
from tabellion.recognise.printed.line_facts import LineFacts, line_facts, widen_phrases
from tabellion.recognise.printed.line_joins import JOIN_FEATURES, JOINS, join_features, settle_joins
from tabellion.recognise.printed.phrases import SPAN_FEATURES, SPANS, Phrase, doubts, join_phrases, span_features
from tabellion.recognise.printed.rivers import (
    FIRST_RIVERS,
    OWN_FEATURES,
    RIVER_FEATURES,
    RIVERS,
    River,
    add_neighbours,
    candidate_rivers,
    river_features,
    ruled_separators,
    settle_rivers,
)
from tabellion.recognise.printed.row_features import ROW_FEATURES, row_features
from tabellion.recognise.printed.rows import ROWS, find_blocks, row_candidates, without_words
from tabellion.recognise.printed.text import LineRuns, Strip, lay_strip
from tabellion.weights import Weights

TREES = BoostingSettings(rounds=140, leaves=15, rate=0.06, least_rows=10, ridge=2.0, columns=0.5, rows=0.8)
_FOUND, _FOUND_IN_SPECIMEN = 0.75, 0.95  # share of a table's text whose place must be known
_FEWEST_WORDS = 2  # of a part
_MISPLACED = 0.08  # share of a column's words that may lie beyond a river that parts it
_MOST_WEIGHT, _MOST_SPECIMEN_WEIGHT = 60.0, 6.0  # of all examples of one table
_LIKELY = 0.5


class Laid(msgspec.Struct, frozen=True, eq=False):
    """A gold table in its strip: the cell of each word (or -1), its rivers and what is true of them."""

    corpus: str
    fold: int
    cells: tuple[GoldCell, ...]
    strip: Strip
    cell_of: NDArray[np.int64]
    runs: list[LineRuns]
    rivers: list[River]
    rows: NDArray[np.float64]
    parts_columns: NDArray[np.bool_]
    known: NDArray[np.bool_]

    def weight(self, count: int) -> float:
        if self.corpus == SPECIMENS:
            return min(1.0, _MOST_SPECIMEN_WEIGHT / max(count, 1))
        return min(1.0, _MOST_WEIGHT / max(count, 1))

    def examples(self, rows: NDArray[np.float64], true: NDArray[np.bool_], known: NDArray[np.bool_]) -> Examples:
        return Examples(self.fold, rows, true, known, self.weight(len(rows)))


@lru_cache(maxsize=1)
def laid_tables() -> tuple[Laid, ...]:
    """The tables of all documents whose words were found."""
    cases = [case for name in (*PRINTED_CORPORA, SPECIMENS) for case in printed_cases(name)]
    return tuple(laid for found in spread(_lay_all, cases) for laid in found)


def _lay_all(case: PrintedCase) -> list[Laid]:
    return [laid for table in case.tables if (laid := _lay(case, table)) is not None]


def _lay(case: PrintedCase, table: GoldTable) -> Laid | None:
    if table.found < (_FOUND_IN_SPECIMEN if case.corpus == SPECIMENS else _FOUND):
        return None
    words = [(view, table.words_of(k)) for k, view in enumerate(case.views)]
    words = [(view, cells) for view, cells in words if len(cells) >= _FEWEST_WORDS]
    if not words:
        return None
    boxes = [view.words.box[list(cells)] for view, cells in words]
    hulls = [Box(*(b[:, :2].min(axis=0) - 1).tolist(), *(b[:, 2:].max(axis=0) + 1).tolist()) for b in boxes]
    strip = lay_strip([(view, box) for (view, _), box in zip(words, hulls, strict=True)])
    cell_of = np.array(
        [words[p][1].get(s, -1) for s, p in zip(strip.source.tolist(), strip.part_of.tolist(), strict=True)],
        dtype=np.int64,
    )
    runs = [LineRuns(strip, line) for line in strip.lines]
    rivers = candidate_rivers(strip, runs)
    if not rivers or len(strip) < 2:
        return None
    true, known = _true_rivers(strip, table.cells, cell_of, rivers)
    rows = river_features(strip, rivers, runs)
    return Laid(case.corpus, case.fold, table.cells, strip, cell_of, runs, rivers, rows, true, known)


def _true_rivers(
    strip: Strip, cells: tuple[GoldCell, ...], cell_of: NDArray[np.int64], rivers: list[River]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rivers part two columns; of several between the same columns the clearest, the others are not judged."""
    column = np.array([cells[k].column if k >= 0 and cells[k].column_span == 1 else -1 for k in cell_of])
    x = (strip.box[:, 0] + strip.box[:, 2]) / 2
    columns = np.unique(column[column >= 0])
    parts: dict[int, list[int]] = {}
    for n, river in enumerate(rivers):
        before = x < river.x
        for k, following in pairwise(columns.tolist()):
            wrong = max(float((~before[column == k]).mean()), float(before[column == following].mean()))
            strays = (~before[(column >= 0) & (column <= k)]).sum() + before[column > k].sum()
            if max(wrong, strays / (column >= 0).sum()) < _MISPLACED:
                parts.setdefault(k, []).append(n)
                break
    true, known = np.zeros(len(rivers), dtype=bool), np.ones(len(rivers), dtype=bool)
    for found in parts.values():
        best = min(found, key=lambda n: (rivers[n].cover, rivers[n].left - rivers[n].right))
        known[found] = False
        true[best] = known[best] = True
    return true, known


def train_printed_structure(folder: Path, left_out: LeftOut = None) -> None:
    """Write the five weights."""
    tables = [t for t in laid_tables() if is_seen(t.corpus, t.fold, left_out)]
    own = [t.examples(t.rows[:, :OWN_FEATURES], t.parts_columns, t.known) for t in tables]
    first = fit_across(own, RIVER_FEATURES[:OWN_FEATURES], TREES)
    rows = [_with_neighbours(t.rows, said) for t, said in zip(tables, first.say(own), strict=True)]
    river_examples = [t.examples(r, t.parts_columns, t.known) for t, r in zip(tables, rows, strict=True)]
    rivers = fit_across(river_examples, RIVER_FEATURES, TREES)
    cut = [_Cut(t, settle_rivers(r, said)) for t, r, said in zip(tables, rows, rivers.say(river_examples), strict=True)]
    beside = [c.span_examples() for c in cut]
    spans = fit_across(beside, SPAN_FEATURES, TREES)
    for c, said in zip(cut, spans.say(beside), strict=True):
        c.find_phrases(said)
    lines = [c.join_examples() for c in cut]
    joins = fit_across(lines, JOIN_FEATURES, TREES)
    runs = [c.row_examples(said) for c, said in zip(cut, joins.say(lines), strict=True)]
    groups = fit_across(runs, ROW_FEATURES, TREES)
    named: tuple[tuple[str, Across, list[Examples]], ...] = (
        (FIRST_RIVERS, first, own),
        (RIVERS, rivers, river_examples),
        (SPANS, spans, beside),
        (JOINS, joins, lines),
        (ROWS, groups, runs),
    )
    for name, across, examples in named:
        across.trees.save(folder / f"{name}.npz")
        method = "gradient-boosted trees over white, alignment and rulings, each on what the one before says"
        write_card(folder, Card(name, method, printed_material(left_out), left_out, across.figures(examples)))


def _with_neighbours(rows: NDArray[np.float64], said: NDArray[np.float64]) -> NDArray[np.float64]:
    both = rows.copy()
    add_neighbours(both, said)
    return both


class _Cut:
    """A table with columns chosen by judges that have not seen it, on its way to rows."""

    def __init__(self, table: Laid, chances: NDArray[np.float64]) -> None:
        self.table = table
        strip = table.strip
        self.columns: Columns = choose_columns(strip, table.runs, ruled_separators(strip), table.rivers, chances)
        self.blocks = find_blocks(strip, self.columns)
        self.strip = without_words(strip, {w for b in self.blocks for line in b.lines for w in line})
        self.doubts = doubts(self.strip, self.columns)
        self.phrases: list[list[Phrase]] = []
        self.facts: LineFacts
        self.joined, self.sure = _true_joins(self.strip, table)

    def span_examples(self) -> Examples:
        """Neighbours in different columns, and whether they are of one cell."""
        cell = self.table.cell_of
        pairs = [(self.strip.lines[d.line][d.at], self.strip.lines[d.line][d.at + 1]) for d in self.doubts]
        same = np.array([cell[a] == cell[b] for a, b in pairs], dtype=bool)
        known = np.array([cell[a] >= 0 and cell[b] >= 0 for a, b in pairs], dtype=bool)
        return self.table.examples(span_features(self.strip, self.columns, self.doubts), same, known)

    def find_phrases(self, said: NDArray[np.float64]) -> None:
        phrases = join_phrases(self.strip, self.columns, self.doubts, said > _LIKELY)
        self.phrases = widen_phrases(self.strip, self.columns, phrases, self.blocks)
        self.facts = line_facts(self.strip, self.columns, self.phrases)

    def join_examples(self) -> Examples:
        """Lines and whether they go on with the row above."""
        rows = join_features(self.strip, self.columns, self.phrases, self.facts)
        return self.table.examples(rows, self.joined, self.sure)

    def row_examples(self, said: NDArray[np.float64]) -> Examples:
        """Runs of lines and whether each is a row."""
        joins = settle_joins(self.strip, self.facts, said)
        runs = row_candidates(joins)
        starts = np.flatnonzero(~np.append(False, self.joined))
        true_runs = set(zip(starts.tolist(), [*(starts[1:] - 1).tolist(), len(self.strip) - 1], strict=True))
        unsure = np.flatnonzero(~self.sure & (np.diff(self.strip.part) == 0))
        true = np.array([run in true_runs for run in runs], dtype=bool)
        known = np.array([not ((unsure >= a - 1) & (unsure <= b)).any() for a, b in runs], dtype=bool)
        return self.table.examples(row_features(self.strip, self.phrases, self.facts, joins, runs), true, known)


def _true_joins(strip: Strip, table: Laid) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """For each line and the next: whether they are of one row, and whether that is known."""
    cells, cell_of = table.cells, table.cell_of
    held = [{int(cell_of[w]) for w in line if cell_of[w] >= 0} for line in strip.lines]
    rows = [{cells[k].row for k in line if cells[k].row_span == 1} for line in held]
    joined = np.zeros(max(len(strip) - 1, 0), dtype=bool)
    known = np.zeros(max(len(strip) - 1, 0), dtype=bool)
    for k in range(len(strip) - 1):
        if held[k] and held[k + 1]:
            known[k] = strip.part[k] == strip.part[k + 1]
            joined[k] = bool(rows[k] & rows[k + 1] if rows[k] and rows[k + 1] else held[k] & held[k + 1])
    return joined, known


HEADER_TREES = BoostingSettings(rounds=250, leaves=8, rate=0.05, least_rows=10, columns=0.15, rows=0.7)
CORPORA = ("jats", "articles", SPECIMENS)
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
    fit_trees(examples, HEADER_FEATURES, HEADER_TREES).save(folder / f"{PRINTED_ROWS}.npz")
    method = "gradient-boosted trees over a row, its neighbours and the shape of the table"
    material = {name: seen for name, seen in printed_material(left_out).items() if name in CORPORA}
    scores = judge_unseen(examples, HEADER_FEATURES, HEADER_TREES) if left_out is None else {}
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
