"""The figures of PDF tables on documents that the weights have not seen.

In: folders of weights by fold (`train --folds`). Each document of icdar2013 (parts on several pages apart) and jats is
read with the weights of the fold that left it out, and the corpus's measuring script scores what was printed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tabellion.errors import TabellionError
from tabellion.export import error_json, to_json
from tabellion.learn.corpora import corpus_folder
from tabellion.learn.printed.cases import fold_of
from tabellion.learn.sheets.measure import load_script
from tabellion.pipeline import Settings, extract_document


def measure_printed(corpus: str, folds: Path, only: int | None = None) -> dict[str, Any]:
    """Score one corpus with the weights under `folds`, where what was read is kept; with `only`, that fold alone."""
    script = load_script("pdf")
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    chosen = {name: fold for name, fold in fold_of(corpus).items() if only in (None, fold)}
    golds = [gold for gold in script.load_gold(folder) if gold["id"] in chosen]
    jobs = [(folder / "pdf" / gold["source"], folds / f"fold{chosen[gold['id']]}") for gold in golds]
    predictions = folds / f"{corpus}.jsonl"
    predictions.write_bytes(b"".join(_read_all(jobs, apart=corpus == "icdar2013")))
    with predictions.open(encoding="utf-8") as lines:
        result: dict[str, Any] = script.evaluate(golds, script.parse_lines(lines), None)
    return result


def _read_all(jobs: list[tuple[Path, Path]], *, apart: bool) -> Iterator[bytes]:
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        yield from pool.map(_line, *zip(*((*job, apart) for job in jobs), strict=True))


def _line(path: Path, weights: Path, apart: bool) -> bytes:
    try:
        return to_json(extract_document(path, Settings(weights=str(weights), pages_apart=apart)), every=True) + b"\n"
    except TabellionError as error:
        return error_json(str(path), error.kind, str(error)) + b"\n"


def print_printed_figures(corpora: Iterable[str], folds: Path) -> None:
    """Measure and print, a block a corpus, the figures as JSON last."""
    script = load_script("pdf")
    for corpus in corpora:
        result = measure_printed(corpus, folds)
        script.report(result)
        sys.stdout.write(f"{json.dumps(script.rounded(result))}\n")
