"""Learning which leading rows and columns of web tables are headers.

In: the genuine tables of all web corpora but those of the fold left out. Out: the weights `web_header_rows` and
`web_header_columns`. Of each table the trees see its header lines and the first line that is none. The left headers of
wiki-headers are the editors' taste and are not learned from.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

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
from tabellion.learn.corpora import FOLDS, LeftOut, is_seen
from tabellion.learn.fitting import BoostingSettings, train_boosted
from tabellion.learn.training import Card, write_card
from tabellion.learn.web.cases import WebCase, header_gold, web_cases
from tabellion.learn.web.genuine import material
from tabellion.model.document import MarkupRegion
from tabellion.model.place import Place
from tabellion.recognise.web.table import recognise_table
from tabellion.weights.boosted import Boosted

TREES = BoostingSettings(rounds=250, leaves=8, rate=0.05, least_rows=10, columns=0.15, rows=0.7)
_WEIGHTS = {"t2dv2": 0.5, "wiki-headers": 0.5}
_WEIGHT_UNSURE = 0.6

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
    return train_boosted(np.array(rows), np.array(labels), features, ("data", "header"), np.array(weights), TREES)


def _weight(case: WebCase) -> float:
    if case.corpus != "webtables":
        return _WEIGHTS[case.corpus]
    return 1.0 if case.gold["sure"] and case.gold["orientation_sure"] else _WEIGHT_UNSURE


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
