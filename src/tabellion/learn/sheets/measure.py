"""`python -m tabellion.learn measure`: the figures of the whole flow on documents that its weights have not seen.

In: folders of weights by fold (`train --folds`). Each document is read with the weights of the fold that left it out,
its line of the output contract is kept in a file, and the corpus's measuring script scores the file.
The scripts are found under `TABELLION_MEASURE`, else in `shared/measure` beside the checkout.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

from tabellion.errors import TabellionError
from tabellion.export import error_json, to_json
from tabellion.learn.corpora import SHEET_CORPORA, assign_folds, corpus_folder, load_gold
from tabellion.learn.sheets.gold import SPLIT_KEYS
from tabellion.model.methods import ParentMethod, RowMethod
from tabellion.pipeline import Settings, extract_document


def measure_corpus(
    corpus: str, folds: Path, rows: RowMethod = "boosted", parents: ParentMethod = "boosted"
) -> dict[str, Any]:
    """Score one corpus with the weights under `folds`; the predictions stay there for a look."""
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    golds = load_gold(folder)
    key = SPLIT_KEYS[corpus]
    fold_of = assign_folds(corpus, (gold[key] for gold in golds))
    jobs = [(folder / "inputs" / gold["file"], folds / f"fold{fold_of[gold[key]]}") for gold in golds]
    jobs += [(path, folds / "fold0") for path in sorted((folder / "examples").glob("*.xlsx"))]
    predictions = folds / f"{corpus}.{rows}.{parents}.jsonl"
    with predictions.open("wb") as file, ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        for line in pool.map(_line, *zip(*((*job, rows, parents) for job in jobs), strict=True), chunksize=8):
            file.write(line)
    return score_predictions(corpus, predictions)


def score_predictions(corpus: str, predictions: Path) -> dict[str, Any]:
    """What the measuring script says of a file of predictions."""
    script = load_script("sheets")
    folder = corpus_folder(corpus)
    with predictions.open(encoding="utf-8") as lines:
        result: dict[str, Any] = script.score(folder, script.read_lines(lines))
    return result


def load_script(name: str) -> ModuleType:
    """A measuring script as a module."""
    for folder in _script_folders():
        path = folder / f"{name}.py"
        if path.exists():
            spec = importlib.util.spec_from_file_location(f"measure_{name}", path)
            if spec is None or spec.loader is None:
                break
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise TabellionError(f"measuring script {name}.py not found: set TABELLION_MEASURE to the folder that holds it")


def _script_folders() -> Iterable[Path]:
    named = os.environ.get("TABELLION_MEASURE")
    if named:
        yield Path(named)
    checkout = Path(__file__).resolve().parents[3]
    yield from (checkout.parent / "shared" / "measure", Path.cwd().parent / "shared" / "measure")


def _line(path: Path, weights: Path, rows: RowMethod, parents: ParentMethod) -> bytes:
    settings = Settings(weights=str(weights), rows=rows, parents=parents)
    try:
        return to_json(extract_document(path, settings), every=True) + b"\n"
    except TabellionError as error:
        return error_json(str(path), error.kind, str(error)) + b"\n"


def print_figures(corpora: Iterable[str], folds: Path, rows: RowMethod, parents: ParentMethod) -> None:
    """Measure and print, a block a corpus, the headline figures last."""
    script = load_script("sheets")
    for corpus in corpora or SHEET_CORPORA:
        result = measure_corpus(corpus, folds, rows, parents)
        script.show(result)
        sys.stdout.write(f"{json.dumps(script.headline(result))}\n")
