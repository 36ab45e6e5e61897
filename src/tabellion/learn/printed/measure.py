"""The figures of PDF tables on documents that the weights have not seen.

In: folders of weights by fold (`train --folds`). Each document of icdar2013 (parts on several pages apart), jats and
articles is read with the weights of the fold that left it out, and `learn.scoring.articles` scores what was read.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from tabellion.learn.corpora import find_corpus
from tabellion.learn.printed.cases import fold_of
from tabellion.learn.scoring.articles import describe, evaluate
from tabellion.learn.scoring.printed import load_gold
from tabellion.learn.scoring.readings import predict, rounded, weights_for
from tabellion.learn.training import default_folds
from tabellion.pipeline import Settings


def measure_printed(
    corpus: str, folds: Path | None, only: int | None = None, *, left_out: bool = False
) -> dict[str, Any]:
    """Score one corpus with the weights under `folds` (without: the shipped ones); with `only`, that fold alone.

    With `left_out` with weights that have not seen the corpus at all.
    """
    folder = find_corpus(corpus)
    chosen = {name: fold for name, fold in fold_of(corpus).items() if only in (None, fold)}
    golds = [gold for gold in load_gold(folder) if gold["id"] in chosen]
    apart = corpus == "icdar2013"
    unseen = corpus if left_out else None
    jobs = [
        (
            folder / "pdf" / gold["source"],
            Settings(weights=weights_for(folds, chosen[gold["id"]], unseen), pages_apart=apart),
        )
        for gold in golds
    ]
    return evaluate(
        golds, predict(jobs, (folds or default_folds() / "shipped") / f"{corpus}{'.left-out' * left_out}.jsonl")
    )


def print_printed_figures(corpus: str, folds: Path | None, *, left_out: bool = False) -> dict[str, Any]:
    """Measure and print, the figures as JSON last."""
    result = measure_printed(corpus, folds, left_out=left_out)
    for line in describe(result):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{json.dumps({'name': corpus, **rounded(result)})}\n")
    return result
