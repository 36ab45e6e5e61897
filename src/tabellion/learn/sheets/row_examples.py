"""Rows to learn from, and the measures of how well rows are labelled.

Rows to learn from: features and allowed roles of the labelled sheets, and of variants of them. A sheet without its
title, or without title and notes, is as real as the sheet itself; learning from such variants too keeps a method from
leaning on what one office always does. So are sheets without blank rows, and with titles merged over all columns.
Of long runs of data rows only a part is kept.

How well rows are labelled: by the measures of the corpora that tell all six roles, by what is allowed elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.papers.chen_rows import paper_features
from tabellion.label.rows.features import row_features
from tabellion.label.rows.view import RowView, view_rows
from tabellion.learn.sheets.gold import ROLES, Allowed, Case, allowed_roles, load_cases
from tabellion.learn.sheets.variants import closed, merge_titles

CORPUS_WEIGHT = {
    "saus-lines": 1.0,
    "troy200": 1.0,
    "statsheets": 1.0,
    "sheetcuts": 1.0,
    "fuste": 1.0,
    "stattrees": 0.5,
    "senbazuru-left": 0.5,
    "hitab-top": 0.3,
}
"""What a row counts: the first two tell all six roles, the last has neither looks nor titles, stattrees has sheets
that statsheets has too."""

VARIED = ("saus-lines", "troy200", "statsheets", "sheetcuts", "fuste")
VARIANT_WEIGHT = 0.3
ENOUGH = 100  # rows of a sheet that are all learned from
NEAR = 4  # rows around one that is not data are always kept


class RowExample(msgspec.Struct, frozen=True, eq=False):
    """The filled rows of one sheet, or of a variant of it."""

    case: Case
    features: NDArray[np.float32]
    paper: NDArray[np.float64]
    allowed: Allowed
    kept: NDArray[np.bool_]  # rows to learn from
    weight: float
    varied: bool


@lru_cache(maxsize=1)
def row_examples() -> tuple[RowExample, ...]:
    """All examples of all corpora."""
    return tuple(
        example
        for corpus in CORPUS_WEIGHT
        for case in load_cases(corpus)
        for grid in case.grids
        for example in _examples(case, view_rows(grid), allowed_roles(case, grid))
    )


def _examples(case: Case, view: RowView, allowed: Allowed) -> Iterator[RowExample]:
    if not allowed[view.rows].any():
        return
    weight = CORPUS_WEIGHT[case.corpus]
    yield row_example(case, view, allowed[view.rows], weight, varied=False)
    if case.corpus in VARIED:
        for part, roles in _variants(view, allowed):
            yield row_example(case, part, roles, weight * VARIANT_WEIGHT, varied=True)


def _variants(view: RowView, allowed: Allowed) -> Iterator[tuple[RowView, Allowed]]:
    """Other ways in which a sheet might be laid out, with the roles of their filled rows."""
    grid, told = view.grid, allowed[view.rows]
    title, note = (_only(told, role) for role in ("title", "note"))
    for kept in [kept for left_out, kept in ((title, ~title), (note, ~title & ~note)) if left_out.any()]:
        yield RowView(grid, view.rows[kept], view.columns), told[kept]
    titles = view.rows[title].tolist()
    tight, kept_rows = closed(grid)
    if len(kept_rows) < grid.shape[0]:
        yield view_rows(tight), told
    if titles:
        yield view_rows(closed(merge_titles(grid, titles))[0]), told


def row_example(case: Case, view: RowView, allowed: Allowed, weight: float, varied: bool) -> RowExample:
    """The rows of a view with the roles that they may have."""
    return RowExample(
        case=case,
        features=row_features(view),
        paper=paper_features(view),
        allowed=allowed,
        kept=_kept(allowed),
        weight=weight,
        varied=varied,
    )


def _only(allowed: Allowed, role: str) -> NDArray[np.bool_]:
    """Rows that may have no other role."""
    alone = np.asarray(allowed.sum(axis=1) == 1)
    return np.asarray(allowed[:, [str(name) for name in ROLES].index(role)] & alone)


def _kept(allowed: Allowed) -> NDArray[np.bool_]:
    """All rows of a sheet of usual size; of a long one those near a row that is not data, and some of the others."""
    count = len(allowed)
    told = np.asarray(allowed.any(axis=1))
    if count <= ENOUGH:
        return told
    row = np.arange(count)
    edges = np.concatenate([[-1], np.flatnonzero(~allowed[:, ROLES.index("data")]), [count]])
    after = edges[np.searchsorted(edges, row)] - row
    before = row - edges[np.searchsorted(edges, row, side="right") - 1]
    return np.asarray(told & ((np.minimum(after, before) <= NEAR) | (row % (count // ENOUGH) == 0)))


FOUR = np.array([ROLES.index("data") if role in ("group", "derived") else i for i, role in enumerate(ROLES)])
"""The paper's four classes: groups and totals are data."""

FULLY_TOLD = ("saus-lines", "troy200")


class RowScores:
    """Gathers guesses sheet by sheet."""

    def __init__(self) -> None:
        self.confusion: dict[str, NDArray[np.int64]] = defaultdict(lambda: np.zeros((len(ROLES), len(ROLES)), np.int64))
        self.right: dict[str, int] = defaultdict(int)
        self.rows: dict[str, int] = defaultdict(int)
        self.sheets: dict[str, int] = defaultdict(int)

    def add(self, example: RowExample, guess: NDArray[np.integer]) -> None:
        told = example.allowed.any(axis=1)
        allowed, guess, corpus = example.allowed[told], guess[told], example.case.corpus
        np.add.at(self.confusion[corpus], (allowed.argmax(axis=1), guess), 1)
        self.right[corpus] += int(allowed[np.arange(len(guess)), guess].sum())
        self.rows[corpus] += len(guess)
        self.sheets[corpus] += 1

    def figures(self) -> dict[str, float]:
        """Macro F1 (six roles) and errors per sheet (four) where all is told; else the share of allowed guesses."""
        found: dict[str, float] = {}
        for corpus, confusion in self.confusion.items():
            found[f"{corpus} accuracy"] = round(self.right[corpus] / self.rows[corpus], 4)
            if corpus in FULLY_TOLD:
                hits = np.diag(confusion)
                f1 = 2 * hits / np.maximum(1, confusion.sum(axis=0) + confusion.sum(axis=1))
                four = np.zeros_like(confusion)
                np.add.at(four, (FOUR[:, None], FOUR[None, :]), confusion)
                found[f"{corpus} macro F1"] = round(float(f1.mean()), 4)
                found[f"{corpus} errors a sheet, four classes"] = round(
                    int(four.sum() - np.trace(four)) / self.sheets[corpus], 3
                )
                found |= {f"{corpus} F1 {role}": round(float(f), 4) for role, f in zip(ROLES, f1, strict=True)}
        return found
