"""Which candidates of a web page are tables of data (Wang, thesis chapter 6; Wang and Hu 2002).

In: a page. Out: all its candidates as regions, each with the probability that it is genuine. Leaf tables and tables
that hold others are both candidates; one that holds a genuine table is layout. What has no two rows, or no row of two
cells, or says itself that it is for layout (`role=presentation`), is not asked about. Definition lists and
preformatted text are told by plain rules, for want of labelled ones. Fails on lists of links whose rows look like
records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.candidate_view import view_candidates
from tabellion.locate.genuine_features import genuine_features
from tabellion.locate.paper_features import PAPER_FEATURES, paper_features, tamed
from tabellion.locate.plain_text import judge_definitions, judge_preformatted
from tabellion.locate.table_words import count_words
from tabellion.model.markup import Candidate, MarkupPage
from tabellion.model.place import Place
from tabellion.model.region import MarkupRegion
from tabellion.weights import Weights
from tabellion.weights.words import FORMS

GENUINE, DRAWN, TREE, SVM, WORDS = "genuine", "genuine_drawn", "genuine_tree", "genuine_svm", "genuine_words"  # weights
PAPER_ROWS = (*PAPER_FEATURES, FORMS[0])  # what the paper's classifiers see
LIKELY = 0.5
_TRIVIAL = 0.01  # the share of genuine tables among candidates without two rows of two cells, measured on webtables
_CELLS_TOGETHER = 100_000
_PRESENTATION = ("presentation", "none")


def locate_tables(
    page: MarkupPage,
    weights: Weights,
    method: Literal["boosted", "tree", "svm"] = "boosted",
    drawn: Mapping[int, NDArray[np.float64]] | None = None,
) -> list[MarkupRegion]:
    """Every candidate of a page with its probability, in document order; `tree` and `svm` are the paper's methods.

    `drawn` has the drawn features of candidates of a rendered page, by number.
    """
    chance = [_TRIVIAL] * len(page.candidates)
    for asked in _batches(page, worth_a_look(page)):
        if method == "boosted":
            odds = _by_trees(page, asked, weights, drawn or {})
        else:
            odds = _by_paper(page, asked, weights, method)
        for number, value in zip(asked, odds.tolist(), strict=True):
            chance[number] = value
    for number, candidate in enumerate(page.candidates):
        if candidate.kind == "definitions":
            chance[number] = judge_definitions(page, candidate)
        elif candidate.kind == "preformatted":
            chance[number] = judge_preformatted(candidate)
        if candidate.stated:
            chance[number] = 1.0
    _settle_nested(page.candidates, chance)
    return [
        MarkupRegion(page, Place(path=candidate.path, table_index=candidate.table_index), number, round(value, 4))
        for number, (candidate, value) in enumerate(zip(page.candidates, chance, strict=True))
    ]


def _batches(page: MarkupPage, asked: list[int]) -> Iterator[list[int]]:
    """Candidates that are judged together: all of a page, unless they have so many cells that memory counts."""
    batch: list[int] = []
    cells = 0
    for number in asked:
        candidate = page.candidates[number]
        if batch and cells > _CELLS_TOGETHER:
            yield batch
            batch, cells = [], 0
        batch.append(number)
        cells += candidate.last - candidate.first
    if batch:
        yield batch


def _by_trees(
    page: MarkupPage, asked: list[int], weights: Weights, drawn: Mapping[int, NDArray[np.float64]]
) -> NDArray[np.float64]:
    """What the trees say; those that were taught on drawn tables, of the tables that are drawn."""
    trees = weights.boosted(GENUINE)
    shown = [at for at, number in enumerate(asked) if number in drawn]
    if not shown or not weights.share_a_folder(GENUINE, DRAWN):
        return trees.probabilities(genuine_features(view_candidates(page, asked), trees.asked))
    judges = weights.boosted(DRAWN)
    rows = genuine_features(view_candidates(page, asked), trees.asked | judges.asked)
    odds = trees.probabilities(rows)
    odds[shown] = judges.probabilities(np.hstack([rows[shown], [drawn[asked[at]] for at in shown]]))
    return odds


def _by_paper(
    page: MarkupPage, asked: list[int], weights: Weights, method: Literal["tree", "svm"]
) -> NDArray[np.float64]:
    """What the paper's classifiers say, over its sixteen features."""
    words = weights.words(WORDS).features([count_words(page, number) for number in asked])
    rows = np.column_stack([paper_features(view_candidates(page, asked)), words[:, 0]])
    if method == "tree":
        return weights.boosted(TREE).probabilities(rows)
    return weights.kernel(SVM).probabilities(tamed(rows))


def worth_a_look(page: MarkupPage) -> list[int]:
    """The candidates of a page that have two rows that show something, and a row of two such cells."""
    told = [number for number, candidate in enumerate(page.candidates) if _may_be_data(candidate)]
    if not told:
        return []
    cells = page.cells
    shows = (cells.length > 0) | (cells.images > 0) | (cells.forms > 0) | (cells.items > 0)
    most_rows = int(cells.row.max()) + 1
    row = np.sort(cells.candidate[shows].astype(np.int64) * most_rows + cells.row[shows])  # of each cell that shows
    of = row // most_rows
    same_row, same = row[1:] == row[:-1], of[1:] == of[:-1]
    two_cells, two_rows = set(of[1:][same_row].tolist()), set(of[1:][same & ~same_row].tolist())
    return [number for number in told if number in two_cells and number in two_rows]


def _may_be_data(candidate: Candidate) -> bool:
    """Whether a candidate is a table of three cells or more that does not say itself that it is for layout."""
    if candidate.kind not in ("table", "aria", "boxes") or candidate.last - candidate.first < 3:
        return False
    return candidate.attributes.get("role", "").lower() not in _PRESENTATION


def _settle_nested(candidates: tuple[Candidate, ...], chance: list[float]) -> None:
    """A table that holds a genuine table only places it."""
    for number in range(len(candidates) - 1, -1, -1):
        above = candidates[number].parent
        while chance[number] >= LIKELY and above is not None:
            if candidates[above].kind == "table" and chance[above] >= 1 - chance[number]:
                chance[above] = min(chance[above], 1 - chance[number])
            above = candidates[above].parent
