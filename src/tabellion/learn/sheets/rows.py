"""Learning what rows are for: trees over all features, a chain over the same, and the paper's own chain.

In: the row examples of all corpora but those of the fold left out. Out: weights `rows`, `rows_crf`, `rows_paper`.
Where a corpus leaves several roles open, a first model, trained on the rows that are told, picks among them. What is
learned from is mended where annotators slipped; what is scored against is not.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.papers.chen_rows import PAPER_FEATURES
from tabellion.label.rows.features import feature_names
from tabellion.label.rows.labels import BOOSTED, CRF, PAPER, steps_of
from tabellion.learn.boosting import BoostingSettings, train_boosted
from tabellion.learn.cards import Card, Material, write_card
from tabellion.learn.corpora import FOLDS, LeftOut, is_seen
from tabellion.learn.sheets.chains import ChainSettings, train_chain
from tabellion.learn.sheets.gold import ROLES
from tabellion.learn.sheets.row_examples import FULLY_TOLD, RowExample, RowScores, row_examples
from tabellion.weights.boosted import Boosted
from tabellion.weights.linear import Chain

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
