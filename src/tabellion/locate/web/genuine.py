"""Which candidates of a web page are tables of data, and why (Wang, thesis chapter 6).

In: a page. Out: all its candidates as regions, each with the probability that it is genuine. Leaf tables and tables
that hold others are both candidates; one that holds a genuine table is layout. What has no two rows, or no row of two
cells, or says itself that it is for layout (`role=presentation`, `datatable=0`), is not asked about. Definition lists
and preformatted text are told by plain rules, for want of labelled ones. Fails on lists of links whose rows look like
records.

Whether a definition list, or text in a `<pre>`, is a table of data: by plain rules. In: a candidate. Out: a
probability, coarse: there are no labelled ones to learn from. A definition list is one record if its terms are short
words, single and distinct, and what is said of them is short and no prose or field; links are values too where each
term has one of its own, and the terms lead nowhere. Preformatted text is a table if most of its lines have gaps at the
same places, and most of what stands there are words or numbers.

Why a candidate of a web page was judged as it was: the features that weighed most. In: a region. Out: the features in
order of their weight, those that speak for a table above nought. Candidates that were not asked about (too small, for
layout by their own word) have one reason each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tabellion.locate.papers.wang import PAPER_FEATURES, count_words, paper_features, tamed
from tabellion.locate.rendered.candidates import DRAWN_FEATURES
from tabellion.locate.web.features import FEATURES, genuine_features
from tabellion.locate.web.views import view_candidates
from tabellion.model.document import Mark, MarkupRegion
from tabellion.model.markup import Candidate, MarkupPage
from tabellion.model.place import Place
from tabellion.values.aligned import find_gaps, rule_runs, without_bars
from tabellion.weights import Weights
from tabellion.weights.boosted import weigh_features
from tabellion.weights.linear import FORMS

_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(r"[^\W\d_]{3,}[.!?…](?:\s|$)")
_SHORT_TERM = 40
_SHORT_SAYING = 120
_LEAST_PAIRS = 3
_MOST_SIGNS = 0.5  # the share of the parts of aligned text that may be neither words nor numbers
_LIKELY, _UNLIKELY = 0.7, 0.1


def judge_definitions(page: MarkupPage, candidate: Candidate) -> float:
    """The probability that a definition list is a record."""
    part = slice(candidate.first, candidate.last)
    term = (page.cells.marks[part] & Mark.HEADING) > 0
    length = page.cells.length[part]
    pairs = min(int(term.sum()), int((~term).sum()))
    if pairs < _LEAST_PAIRS or abs(int(term.sum()) - int((~term).sum())) > 1:
        return _UNLIKELY
    terms, sayings = page.cells.text[part][term].tolist(), page.cells.text[part][~term].tolist()
    short = (length[term] <= _SHORT_TERM).mean() > 0.9 and (length[~term] <= _SHORT_SAYING).mean() > 0.9
    single = not any("\n" in text for text in terms) and len(set(terms)) == len(terms)
    dated = sum(bool(_DIGIT.search(text)) for text in terms) > 0.3 * len(terms)
    prose = sum(bool(_SENTENCE.search(text)) for text in sayings) > 0.3 * len(sayings)
    linked = page.cells.linked[part][~term].sum() > 0.8 * max(1, length[~term].sum())
    menu = page.cells.linked[part][term].any() or sum("\n" in text for text in sayings) > 0.3 * len(sayings)
    asking = page.cells.forms[part].any() or (length[~term] == 0).mean() > 0.3
    return _LIKELY if short and single and not ((linked and menu) or asking or dated or prose) else _UNLIKELY


def judge_preformatted(candidate: Candidate) -> float:
    """The probability that preformatted text is a table; most of what a drawing holds are signs."""
    lines = (candidate.text or "").split("\n")
    if not find_gaps(lines):
        return _UNLIKELY
    said = [part for line in without_bars(lines) if not rule_runs(line) for part in line.split()]
    signs = sum(not any(map(str.isalnum, part)) for part in said)
    return _LIKELY if signs <= _MOST_SIGNS * len(said) else _UNLIKELY


GENUINE, DRAWN, TREE, SVM, WORDS = "genuine", "genuine_drawn", "genuine_tree", "genuine_svm", "genuine_words"  # weights
PAPER_ROWS = (*PAPER_FEATURES, FORMS[0])  # what the paper's classifiers see
DRAWN_ROWS = (*FEATURES, *DRAWN_FEATURES)  # what is seen of a drawn table
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
    trees = weights.boosted(GENUINE, FEATURES)
    shown = [at for at, number in enumerate(asked) if number in drawn]
    if not shown or not weights.share_a_folder(GENUINE, DRAWN):
        return trees.probabilities(genuine_features(view_candidates(page, asked), trees.asked))
    judges = weights.boosted(DRAWN, DRAWN_ROWS)
    rows = genuine_features(view_candidates(page, asked), trees.asked | judges.asked)
    odds = trees.probabilities(rows)
    odds[shown] = judges.probabilities(np.hstack([rows[shown], [drawn[asked[at]] for at in shown]]))
    return odds


def _by_paper(
    page: MarkupPage, asked: list[int], weights: Weights, method: Literal["tree", "svm"]
) -> NDArray[np.float64]:
    """What the paper's classifiers say, over its sixteen features."""
    words = weights.words(WORDS, FORMS).tell([count_words(page, number) for number in asked])
    rows = np.column_stack([paper_features(view_candidates(page, asked)), words[:, 0]])
    if method == "tree":
        return weights.boosted(TREE, PAPER_ROWS).probabilities(rows)
    return weights.kernel(SVM, PAPER_ROWS).probabilities(tamed(rows))


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
    return not _is_layout_by_its_word(candidate)


def _is_layout_by_its_word(candidate: Candidate) -> bool:
    """Whether the author says that a table only places things: by its role, or to readers of the screen."""
    said = candidate.attributes
    return said.get("role", "").lower() in _PRESENTATION or said.get("datatable", "").strip() == "0"


def _settle_nested(candidates: tuple[Candidate, ...], chance: list[float]) -> None:
    """A table that holds a genuine table only places it."""
    for number in range(len(candidates) - 1, -1, -1):
        above = candidates[number].parent
        while chance[number] >= LIKELY and above is not None:
            if candidates[above].kind == "table" and chance[above] >= 1 - chance[number]:
                chance[above] = min(chance[above], 1 - chance[number])
            above = candidates[above].parent


def explain_region(region: MarkupRegion, weights: Weights, most: int = 5) -> tuple[tuple[str, float], ...]:
    """The features that weighed most, each with what it added to the log-odds."""
    candidate = region.candidate
    if candidate.kind in ("definitions", "preformatted"):
        return ((f"{candidate.kind} judged by rule", 0.0),)
    if _is_layout_by_its_word(candidate):
        return (("it says that it is for layout", 0.0),)
    if region.number not in worth_a_look(region.page):
        return (("no two rows with a row of two cells", 0.0),)
    row = genuine_features(view_candidates(region.page, [region.number]))
    trees = weights.boosted(GENUINE, FEATURES)
    if region.drawn is not None and weights.share_a_folder(GENUINE, DRAWN):
        trees, row = weights.boosted(DRAWN, DRAWN_ROWS), np.hstack([row, region.drawn[None]])
    moved = weigh_features(trees, row)[0]
    order = np.argsort(-np.abs(moved))[:most].tolist()
    return tuple((trees.features[number], round(float(moved[number]), 3)) for number in order)
