"""The figures of spreadsheets on documents that the weights have not seen.

In: folders of weights by fold (`train --folds`). Each document is read with the weights of the fold that left it out,
and the lines are scored by `learn.scoring.sheets`. stattrees and sheetcuts hold sheets of agencies of statsheets: they
are read with the weights that have not seen the agency.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tabellion.learn.corpora import find_corpus, load_gold
from tabellion.learn.scoring.readings import predict, read_lines, weights_for
from tabellion.learn.scoring.sheets import describe, headline, score
from tabellion.learn.sheets.gold import SPLIT_KEYS, folds_of
from tabellion.learn.training import default_folds
from tabellion.model.methods import ParentMethod, RowMethod
from tabellion.pipeline import Settings


def measure_corpus(
    corpus: str,
    folds: Path | None,
    rows: RowMethod = "boosted",
    parents: ParentMethod = "boosted",
    *,
    left_out: bool = False,
) -> dict[str, Any]:
    """Score one corpus with the weights under `folds` (without: the shipped ones); the predictions stay for a look.

    With `left_out` those that have not seen the corpus at all.
    """
    folder = find_corpus(corpus)
    fold_of, key = folds_of(corpus), SPLIT_KEYS[corpus]
    files = [(folder / "inputs" / gold["file"], fold_of[gold[key]]) for gold in load_gold(folder)]
    files += [(path, 0) for path in sorted((folder / "examples").glob("*.xlsx"))]
    unseen = corpus if left_out else None
    jobs = [
        (path, Settings(weights=weights_for(folds, fold, unseen), rows=rows, parents=parents))
        for path, fold in dict(files).items()
    ]
    kept = (folds or default_folds() / "shipped") / f"{corpus}.{rows}.{parents}{'.left-out' * left_out}.jsonl"
    return score(folder, predict(jobs, kept))


def score_predictions(corpus: str, predictions: Path) -> dict[str, Any]:
    """The figures of a file of predictions."""
    with predictions.open(encoding="utf-8") as lines:
        return score(find_corpus(corpus), read_lines(lines))


def print_figures(
    corpus: str, folds: Path | None, rows: RowMethod, parents: ParentMethod, *, left_out: bool = False
) -> dict[str, Any]:
    """Measure and print, the headline figures last."""
    result = measure_corpus(corpus, folds, rows, parents, left_out=left_out)
    for line in describe(result):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{json.dumps({'name': corpus, **headline(result)})}\n")
    return result
