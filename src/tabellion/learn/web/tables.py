"""Learning of web tables: which are genuine, from the markup and as drawn, and which of their lines are headers.

Genuine tables: boosted trees over all features, calibrated on unseen sites. In: the labelled tables of all web corpora
but those of the fold left out. Out: the weights `genuine`. Tables that are layout by rule weigh little, since they are
easy; those of t2dv2 and wiki-headers too, since they stand alone on bare pages. The score of the trees is stretched so
that it is right as a probability on sites that they have not seen.

As drawn: the features of the markup, and those that only drawing shows, each page drawn by Chromium. Out: the weights
`genuine_drawn`. Tables that are not drawn (hidden ones) are learned from as well, since labelled tables are few, with a
mark in place of what drawing would show; they are judged by the markup alone. Fails without Chromium, with an error
that says what to install.

Headers: which leading rows and columns. Out: the weights `web_header_rows` and `web_header_columns`. Of each table the
trees see its header lines and the first line that is none. The left headers of wiki-headers are the editors' taste and
are not learned from.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.pages.frames import orientation_of
from tabellion.label.pages.headers import (
    COLUMN_FEATURES,
    COLUMNS,
    ROW_FEATURES,
    ROWS,
    HeaderLines,
    decide_headers,
    header_examples,
)
from tabellion.label.pages.view import view_tables
from tabellion.label.papers.ontominer import cluster_headers
from tabellion.learn.corpora import FOLDS, LeftOut, is_seen, remember_rows, spread
from tabellion.learn.fitting import BoostingSettings, train_boosted
from tabellion.learn.parts import room_digest
from tabellion.learn.training import Card, Material, write_card
from tabellion.learn.web.cases import WEB_CORPORA, WebCase, header_gold, web_cases
from tabellion.locate.rendered.arrangement import Arrangement
from tabellion.locate.rendered.regions import candidate_nodes, drawn_rows
from tabellion.locate.web.features import FEATURES, genuine_features
from tabellion.locate.web.genuine import DRAWN, DRAWN_ROWS, GENUINE, worth_a_look
from tabellion.locate.web.views import view_candidates
from tabellion.model.document import MarkupRegion
from tabellion.model.markup import RenderedPage
from tabellion.model.place import Place
from tabellion.read import Rendering, read_document
from tabellion.recognise.web.table import recognise_table
from tabellion.weights.boosted import Boosted

TREES = BoostingSettings(rounds=300, leaves=8, rate=0.05, least_rows=10, columns=0.4, rows=0.8)
_WEIGHT_BY_RULE = 0.15
_WEIGHT_ALONE = 0.1
_WEIGHT_UNSURE = 0.7


Examples = tuple[tuple[WebCase, ...], NDArray[np.float64]]


class Judge(NamedTuple):
    """What trees are made from: their name, what they see of a table, and how they grow."""

    name: str
    features: tuple[str, ...]
    examples: Callable[[], Examples]
    growth: BoostingSettings


def train_genuine(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights; the card tells the scores where nothing is left out."""
    scores = figures(chances(BY_MARKUP)) if left_out is None else {}
    calibrated_trees(BY_MARKUP, left_out).save(folder / f"{GENUINE}.npz")
    method = "gradient-boosted trees over layout, content, markup, looks and surroundings"
    write_card(folder, Card(GENUINE, method, material(left_out), left_out=left_out, scores=scores))


@lru_cache(maxsize=1)
def genuine_examples() -> Examples:
    """The cases that are worth a look, and their features."""
    kept: list[WebCase] = []
    rows: list[NDArray[np.float64]] = []
    by_page: dict[int, list[WebCase]] = {}
    for case in web_cases():
        by_page.setdefault(id(case.page), []).append(case)
    for cases in by_page.values():
        page = cases[0].page
        wanted = worth_a_look(page)
        if not wanted:
            continue
        features = dict(zip(wanted, genuine_features(view_candidates(page, wanted)), strict=True))
        for case in cases:
            if case.number in features:
                kept.append(case)
                rows.append(features[case.number])
    return tuple(kept), np.array(rows)


def weight_of(case: WebCase) -> float:
    """How much a case counts in training."""
    if case.corpus != "webtables":
        return _WEIGHT_ALONE
    if not case.by_hand:
        return _WEIGHT_BY_RULE
    return 1.0 if case.gold["sure"] else _WEIGHT_UNSURE


BY_MARKUP = Judge(GENUINE, FEATURES, genuine_examples, TREES)


@lru_cache(maxsize=2 * (FOLDS + 1))
def calibrated_trees(judge: Judge, left_out: LeftOut) -> Boosted:
    """Trees that have not seen a fold, their scores stretched to be right on the folds left out in turn."""
    cases, rows = judge.examples()
    seen = np.array([is_seen(case.corpus, case.fold, left_out) for case in cases])
    trees = _fit(judge, rows[seen], [case for case, kept in zip(cases, seen, strict=True) if kept])
    slope = _slope(judge, left_out)
    return msgspec.structs.replace(trees, value=trees.value * slope)


def _fit(judge: Judge, rows: NDArray[np.float64], cases: list[WebCase]) -> Boosted:
    """Trees over some rows of features."""
    labels = np.array([case.genuine for case in cases], dtype=np.int64)
    weights = np.array([weight_of(case) for case in cases])
    return train_boosted(rows, labels, judge.features, ("layout", "genuine"), weights, judge.growth)


def _slope(judge: Judge, left_out: LeftOut) -> float:
    """By how much scores must be stretched: the slope of a logistic fit on scores of unseen folds (Platt)."""
    cases, rows = judge.examples()
    scores, labels, weights = [], [], []
    for fold in range(FOLDS):
        if fold == left_out:
            continue
        chosen = [
            at for at, case in enumerate(cases) if case.fold != fold and is_seen(case.corpus, case.fold, left_out)
        ]
        tested = [at for at, case in enumerate(cases) if case.fold == fold and case.corpus == "webtables"]
        trees = _fit(judge, rows[chosen], [cases[at] for at in chosen])
        scores.append(trees.scores(rows[tested])[:, 0])
        labels += [cases[at].genuine for at in tested]
        weights += [weight_of(cases[at]) for at in tested]
    return _logistic_slope(np.concatenate(scores), np.array(labels, dtype=float), np.array(weights))


def _logistic_slope(scores: NDArray[np.float64], labels: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    """The slope that makes labels most likely, by Newton's method."""
    slope = 1.0
    for _ in range(30):
        chance = 1 / (1 + np.exp(-slope * scores))
        gradient = float((weights * (labels - chance) * scores).sum())
        curvature = float((weights * chance * (1 - chance) * scores * scores).sum())
        slope = max(0.2, slope + gradient / max(1e-9, curvature))
    return slope


def material(left_out: LeftOut) -> dict[str, Material]:
    """What was seen, by corpus."""
    found: dict[str, Material] = {}
    for corpus in WEB_CORPORA:
        cases = [case for case in web_cases() if case.corpus == corpus and is_seen(corpus, case.fold, left_out)]
        found[corpus] = Material(len({case.file for case in cases}), len(cases))
    return found


def chances(judge: Judge) -> dict[int, float]:
    """The probability of each case, by its id, from trees that saw other sites."""
    cases, rows = judge.examples()
    found = {}
    for fold in range(FOLDS):
        tested = [at for at, case in enumerate(cases) if case.fold == fold]
        odds = calibrated_trees(judge, fold).probabilities(rows[tested])
        for at, value in zip(tested, odds.tolist(), strict=True):
            found[id(cases[at])] = value
    return found


def figures(chance: dict[int, float]) -> dict[str, float]:
    """Precision, recall and F on the sure tables of webtables and on all read by hand, from the probability of each.

    A case without a probability counts as layout.
    """
    found: dict[str, float] = {}
    judged = [case for case in web_cases() if case.corpus == "webtables" and case.by_hand]
    for name, chosen in (("sure", [case for case in judged if case.gold["sure"]]), ("hand", judged)):
        said = [chance.get(id(case), 0.0) >= 0.5 for case in chosen]
        hits = sum(guess and case.genuine for guess, case in zip(said, chosen, strict=True))
        precision, recall = hits / max(1, sum(said)), hits / max(1, sum(case.genuine for case in chosen))
        found[f"{name} precision"], found[f"{name} recall"] = round(precision, 4), round(recall, 4)
        found[f"{name} F"] = round(2 * precision * recall / max(1e-9, precision + recall), 4)
    errors = [(chance.get(id(case), 0.0) - case.genuine) ** 2 for case in judged]
    found["Brier score"] = round(float(np.mean(errors)), 4)
    return found


_MEMBERS = 6  # ensembles that are averaged: labelled tables are few, and one ensemble depends on its seed
_LEAVES = 6  # steadier over seeds than the 8 of the markup alone: features are more, tables are not
_NOT_DRAWN = -1.0  # in place of what drawing shows, which is never below nought


def train_genuine_drawn(folder: Path, left_out: LeftOut = None) -> None:
    """Write the weights; the card tells the scores where nothing is left out."""
    scores = figures(chances(BY_MARKUP) | _chances_drawn()) if left_out is None else {}
    calibrated_trees(BY_DRAWING, left_out).save(folder / f"{DRAWN}.npz")
    method = "gradient-boosted trees over the features of `genuine` and of the drawn table"
    write_card(folder, Card(DRAWN, method, material(left_out), left_out=left_out, scores=scores))


def _chances_drawn() -> dict[int, float]:
    """The probability of each case that is drawn."""
    cases, rows = drawn_examples()
    shown = {id(case) for case, row in zip(cases, rows, strict=True) if row[-1] != _NOT_DRAWN}
    return {one: chance for one, chance in chances(BY_DRAWING).items() if one in shown}


@lru_cache(maxsize=1)
def drawn_examples() -> Examples:
    """The cases, and their features in the markup and as drawn."""
    cases, rows = genuine_examples()
    paths = list(dict.fromkeys(case.path for case in cases))
    shown = dict(zip(paths, spread(_kept_drawing, paths, chunk=8), strict=True))
    hidden = np.full(len(DRAWN_ROWS) - len(FEATURES), _NOT_DRAWN)
    return cases, np.hstack([rows, [shown[case.path].get(case.number, hidden) for case in cases]])


DRAWING = ("tabellion.read.chromium", "tabellion.read.web", "tabellion.locate.rendered", "tabellion.model")
"""The rooms that tell how a page is drawn: drawing all pages takes longer than all training."""


def _kept_drawing(path: Path) -> dict[int, NDArray[np.float64]]:
    return remember_rows(path, room_digest(*DRAWING), _drawn_page)


def _drawn_page(path: Path) -> dict[int, NDArray[np.float64]]:
    page = read_document(path, rendering=Rendering()).pages[0]
    if not isinstance(page, RenderedPage):
        return {}
    return drawn_rows(page, Arrangement(page), candidate_nodes(page))


BY_DRAWING = Judge(
    DRAWN,
    DRAWN_ROWS,
    drawn_examples,
    msgspec.structs.replace(TREES, members=_MEMBERS, leaves=_LEAVES),
)


HEADER_TREES = BoostingSettings(rounds=250, leaves=8, rate=0.05, least_rows=10, columns=0.15, rows=0.7)
_WEIGHTS = {"t2dv2": 0.5, "wiki-headers": 0.5}
_WEIGHT_UNSURE_HEADERS = 0.6

Example = tuple[WebCase, NDArray[np.float64], NDArray[np.float64], HeaderLines]
"""A case, what the trees see of its rows and columns, and what the paper's clustering says."""


def train_web_headers(folder: Path, left_out: LeftOut = None) -> None:
    """Write both weights; the cards tell the scores where nothing is left out."""
    scores = cross_validated() if left_out is None else {}
    for name, features, side in ((ROWS, ROW_FEATURES, 0), (COLUMNS, COLUMN_FEATURES, 1)):
        _trees(left_out, side, features).save(folder / f"{name}.npz")
        method = "gradient-boosted trees over a line, its neighbours and the shape of the table"
        write_card(folder, Card(name, method, material(left_out), left_out=left_out, scores=scores))


@lru_cache(maxsize=1)
def header_cases() -> tuple[Example, ...]:
    """The genuine tables with what is seen of them."""
    found = []
    for case in web_cases():
        if case.genuine:
            candidate = case.page.candidates[case.number]
            grid = recognise_table(MarkupRegion(case.page, Place(path=candidate.path), case.number))
            views = view_tables([grid])
            rows, columns = header_examples(views)
            if len(rows) and len(columns):
                found.append((case, rows, columns, cluster_headers(views.tables[0])))
    return tuple(found)


@lru_cache(maxsize=2 * FOLDS + 2)
def _trees(left_out: LeftOut, side: int, features: tuple[str, ...]) -> Boosted:
    rows: list[NDArray[np.float64]] = []
    labels: list[int] = []
    weights: list[float] = []
    for example in header_cases():
        case, count = example[0], header_gold(example[0])[side]
        if not is_seen(case.corpus, case.fold, left_out) or count is None:
            continue
        lines = (example[1], example[2])[side][: count + 1]
        rows += list(lines)
        labels += [int(at < count) for at in range(len(lines))]
        weights += [_weight(case)] * len(lines)
    return train_boosted(
        np.array(rows), np.array(labels), features, ("data", "header"), np.array(weights), HEADER_TREES
    )


def _weight(case: WebCase) -> float:
    if case.corpus != "webtables":
        return _WEIGHTS[case.corpus]
    return 1.0 if case.gold["sure"] and case.gold["orientation_sure"] else _WEIGHT_UNSURE_HEADERS


def cross_validated() -> dict[str, float]:
    """Orientation and header lines of the sure tables of webtables: learned, and by the paper's clustering."""
    right: dict[str, list[bool]] = {}
    for case, rows, columns, clustered in header_cases():
        if case.corpus != "webtables" or not (case.gold["sure"] and case.gold["orientation_sure"]):
            continue
        learned = decide_headers(
            _trees(case.fold, 0, ROW_FEATURES).probabilities(rows),
            _trees(case.fold, 1, COLUMN_FEATURES).probabilities(columns),
        )
        for name, found in (("learned", learned), ("ontominer", clustered)):
            right.setdefault(f"{name} orientation", []).append(orientation_of(found) == case.gold["orientation"])
            right.setdefault(f"{name} header rows", []).append(found.rows == case.gold["header_rows"])
            right.setdefault(f"{name} header columns", []).append(found.columns == case.gold["header_columns"])
    return {name: round(float(np.mean(values)), 4) for name, values in right.items()}
