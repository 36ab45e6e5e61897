"""Learning how far to trust a reading, from readings that were cross-validated.

In: weights by fold. Each document of troy200, statsheets and hitab-top is read with weights that have not seen it; a
reading is right where all its values have all their labels (troy200), its range is exact (statsheets), its top tree is
the gold's (hitab-top). Out: the weights `confidence`, a logistic regression on the signals of `label.confidence`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from tabellion.export import to_json
from tabellion.label.columns import stub_probabilities
from tabellion.label.frames import CONFIDENCE_WEIGHTS, SIGNALS, confidence_signals
from tabellion.learn.cards import Card, Material, write_card
from tabellion.learn.scoring.readings import edges, first_cells, tables_on
from tabellion.learn.scoring.troy import troy_found, troy_gold
from tabellion.learn.sheets.gold import Case, load_cases
from tabellion.model.place import address, range_text, rect_at
from tabellion.model.table import Table
from tabellion.pipeline import Settings, extract_document
from tabellion.weights import Weights
from tabellion.weights.linear import Linear

CORPORA = ("troy200", "statsheets", "hitab-top")


def train_confidence(folder: Path, folds: Path) -> None:
    """Write the weights `confidence` from readings by the weights under `folds`."""
    signals, right, material = [], [], {}
    for corpus in CORPORA:
        readings = [reading for case in load_cases(corpus) for reading in judged_readings(case, folds)]
        signals += [signal for signal, _ in readings]
        right += [good for _, good in readings]
        material[corpus] = Material(len(load_cases(corpus)), len(readings))
    rows, good = np.array(signals), np.array(right)
    model = LogisticRegression(C=1.0, max_iter=2000).fit(rows, good)
    found = model.predict_proba(rows)[:, 1]
    linear = Linear(SIGNALS, tuple(model.coef_[0].tolist()), float(model.intercept_[0]))
    linear.save(folder / f"{CONFIDENCE_WEIGHTS}.json")
    scores = {
        "right": float(good.mean()),
        "brier": float(((found - good) ** 2).mean()),
        "auc": float(roc_auc_score(good, found)),
    }
    write_card(folder, Card(CONFIDENCE_WEIGHTS, "logistic regression on signals of labelling", material, scores=scores))


def judged_readings(case: Case, folds: Path) -> list[tuple[NDArray[np.float64], bool]]:
    """The signals of each table found on the annotated sheet, and whether its reading is right."""
    weights = Weights(folds / f"fold{case.fold}")
    settings = Settings(weights=str(weights.folder), sheet=case.gold.get("sheet"))
    extraction = extract_document(case.path, settings)
    document = msgspec.json.decode(to_json(extraction))
    return [(_signals(table, weights), _is_right(case, document, table)) for table in extraction.tables]


def _signals(table: Table, weights: Weights) -> NDArray[np.float64]:
    frame = table.frame
    columns = list(range(frame.rect.left, frame.rect.right + 1))
    stub = stub_probabilities(frame.grid, list(frame.header_rows), list(frame.body_rows), columns, weights)
    return confidence_signals(frame, stub)


def _is_right(case: Case, document: dict[str, Any], table: Table) -> bool:
    tables = tables_on(document, case.gold.get("sheet"))
    if case.corpus == "statsheets":
        return table.place.range in {range_text(rect_at(text)) for text in case.gold["tables"]}
    if case.corpus == "troy200":
        return bool(troy_gold(case.gold)["closed"] == troy_found(tables)["closed"])
    found = {(address(*a), address(*b)) for t in tables for a, b in edges(t, "top", first_cells(t))}
    return bool(found == {tuple(pair) for pair in case.gold["top"]})
