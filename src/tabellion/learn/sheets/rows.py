"""Learning what rows are for: trees over all features, a chain over the same, and the paper's own chain.

In: the row examples of all corpora but those of the fold left out. Out: weights `rows`, `rows_crf`, `rows_paper`.
Where a corpus leaves several roles open, a first model, trained on the rows that are told, picks among them. What is
learned from is mended where annotators slipped; what is scored against is not.

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
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.papers.chen_rows import PAPER_FEATURES, paper_features
from tabellion.label.rows.features import feature_names, row_features
from tabellion.label.rows.labels import BOOSTED, CRF, PAPER, steps_of
from tabellion.label.rows.view import RowView, view_rows
from tabellion.learn.corpora import FOLDS, LeftOut, is_seen
from tabellion.learn.fitting import BoostingSettings, ChainSettings, train_boosted, train_chain
from tabellion.learn.sheets.gold import ROLES, Allowed, Case, allowed_roles, load_cases
from tabellion.learn.sheets.variants import closed, merge_titles
from tabellion.learn.training import Card, Material, write_card
from tabellion.weights.boosted import Boosted
from tabellion.weights.linear import Chain

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


TREES = BoostingSettings(rounds=70, leaves=15, depth=6, rate=0.15, least_rows=10, random_splits=True, members=3)
FIRST_TREES = msgspec.structs.replace(TREES, rounds=40, members=1)
CHAIN = ChainSettings(ridge=1.0, iterations=80)
PAPER_CHAIN = ChainSettings(ridge=0.1, iterations=200)
STEPS = 4  # a chain asks of each feature whether it is above that many numbers, at most
CHAIN_CORPORA = ("saus-lines", "troy200", "statsheets")

Sequence = tuple[RowExample, NDArray[np.intp]]
"""An example with the role of each row, as far as it is told."""


def train_rows(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights of all three methods; the card tells their scores where nothing is left out."""
    scores = _cross_validated() if left_out is None else {}
    learned = row_material(left_out)
    methods = {
        BOOSTED: "gradient-boosted trees over features of a row and its neighbours",
        CRF: "linear-chain conditional random field over the same features",
        PAPER: "linear-chain conditional random field, Chen and Cafarella 2013, Table 4",
    }
    _trees(left_out).save(folder / f"{BOOSTED}.npz")
    _chain(left_out).save(folder / f"{CRF}.json")
    _paper_chain(left_out).save(folder / f"{PAPER}.json")
    for name, method in methods.items():
        write_card(folder, Card(name, method, learned, left_out=left_out, scores=scores.get(name, {})))


def _seen(left_out: LeftOut) -> list[RowExample]:
    return [example for example in row_examples() if is_seen(example.case.corpus, example.case.fold, left_out)]


@lru_cache(maxsize=FOLDS + 1)
def role_sequences(left_out: LeftOut) -> list[Sequence]:
    """The examples that may be seen, each row with its role: open ones as a first model sees them."""
    examples = _seen(left_out)
    told = [example.kept & (example.allowed.sum(axis=1) == 1) for example in examples]
    roles = [example.allowed.argmax(axis=1) for example in examples]
    first = _fit(examples, told, roles, FIRST_TREES)
    return [(example, _mended(example, _picked(example, first))) for example in examples]


def _picked(example: RowExample, first: Boosted) -> NDArray[np.intp]:
    role: NDArray[np.intp] = example.allowed.argmax(axis=1)
    open_rows = example.kept & (example.allowed.sum(axis=1) > 1)
    if open_rows.any():
        likely = first.probabilities(example.features[open_rows])
        role[open_rows] = np.where(example.allowed[open_rows], likely, -1.0).argmax(axis=1)
    return role


def _mended(example: RowExample, role: NDArray[np.intp]) -> NDArray[np.intp]:
    """Roles without two slips of annotators: a group above the first header is a title, a title below all is a note."""
    title, header, note = (ROLES.index(name) for name in ("title", "header", "note"))
    headers = np.flatnonzero(role == header)
    if not len(headers) or example.case.corpus not in FULLY_TOLD:
        return role
    row = np.arange(len(role))
    body = np.flatnonzero(np.isin(role, [ROLES.index(name) for name in ("data", "derived")]))
    above = (row < headers[0]) & (row < (body[0] if len(body) else len(role))) & (role == ROLES.index("group"))
    below = (row > max(headers[-1], body[-1] if len(body) else len(role))) & (role == title)
    return np.where(above, title, np.where(below, note, role))


def _fit(
    examples: list[RowExample], kept: list[NDArray[np.bool_]], roles: list[NDArray[np.intp]], settings: BoostingSettings
) -> Boosted:
    return train_boosted(
        np.vstack([example.features[rows] for example, rows in zip(examples, kept, strict=True)]),
        np.concatenate([role[rows] for role, rows in zip(roles, kept, strict=True)]),
        feature_names(),
        ROLES,
        np.concatenate([np.full(rows.sum(), example.weight) for example, rows in zip(examples, kept, strict=True)]),
        settings,
    )


@lru_cache(maxsize=FOLDS + 1)
def _trees(left_out: LeftOut) -> Boosted:
    return fit_roles(role_sequences(left_out))


def fit_roles(sequences: list[Sequence]) -> Boosted:
    """The trees that tell the roles of these rows."""
    examples, roles = zip(*sequences, strict=True)
    return _fit(list(examples), [example.kept for example in examples], list(roles), TREES)


def _chained(left_out: LeftOut) -> list[Sequence]:
    return [
        (example, roles)
        for example, roles in role_sequences(left_out)
        if example.case.corpus in CHAIN_CORPORA and not example.varied
    ]


@lru_cache(maxsize=FOLDS + 1)
def _chain(left_out: LeftOut) -> Chain:
    sequences = _chained(left_out)
    steps = _steps(np.vstack([example.features[example.kept] for example, _ in sequences]))
    return train_chain(
        [(steps_of(example.features[example.kept], steps) > 0, role[example.kept]) for example, role in sequences],
        steps,
        ROLES,
        CHAIN,
        feature_names(),
    )


@lru_cache(maxsize=FOLDS + 1)
def _paper_chain(left_out: LeftOut) -> Chain:
    sequences = _chained(left_out)
    return train_chain(
        [(example.paper[example.kept] > 0, role[example.kept]) for example, role in sequences],
        tuple(PAPER_FEATURES),
        ROLES,
        PAPER_CHAIN,
    )


def _steps(rows: NDArray[np.floating]) -> tuple[str, ...]:
    """For each feature the numbers that part its values most evenly."""
    steps: list[str] = []
    for name, column in zip(feature_names(), rows.T, strict=True):
        values, counts = np.unique(column, return_counts=True)
        if len(values) > STEPS + 1:
            reached = np.searchsorted(counts.cumsum() / counts.sum(), (np.arange(STEPS) + 1) / (STEPS + 1))
            values = np.append(values[np.unique(np.minimum(reached, len(values) - 2))], values[-1])
        steps.extend(f"{name}>{value:g}" for value in values[:-1])
    return tuple(steps)


def row_material(left_out: LeftOut) -> dict[str, Material]:
    """What each corpus gave to learn from."""
    found: dict[str, Material] = {}
    for example in _seen(left_out):
        if not example.varied:
            old = found.get(example.case.corpus, Material(0, 0))
            count = old.examples + int(example.allowed.any(axis=1).sum())
            found[example.case.corpus] = Material(old.documents + 1, count)
    return found


def _cross_validated() -> dict[str, dict[str, float]]:
    """How each method labels the sheets of the fold that it has not seen."""
    scores = {name: RowScores() for name in (BOOSTED, CRF, PAPER)}
    for fold in range(FOLDS):
        for example in row_examples():
            if example.case.fold == fold and not example.varied:
                chain, paper = _chain(fold), _paper_chain(fold)
                guesses = {
                    BOOSTED: _trees(fold).scores(example.features).argmax(axis=1),
                    CRF: chain.decode(chain.emissions(steps_of(example.features, chain.features))),
                    PAPER: paper.decode(paper.emissions(example.paper)),
                }
                for name, guess in guesses.items():
                    scores[name].add(example, guess)
    return {name: score.figures() for name, score in scores.items()}
