"""The figures of the whole flow on web pages of sites that its weights have not seen.

In: folders of weights by fold (`train --folds`). Each page is read with the weights of the fold that left its site out;
`webtables.py` of the measuring scripts scores the lines.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tabellion.errors import TabellionError
from tabellion.export import error_json, to_json
from tabellion.learn.corpora import corpus_folder, load_gold
from tabellion.learn.folds import assign_folds
from tabellion.learn.measure import load_script
from tabellion.learn.web_cases import WEB_CORPORA
from tabellion.pipeline import GenuineMethod, HeaderMethod, Settings, extract_document


def measure_web(
    corpus: str, folds: Path, genuine: GenuineMethod = "boosted", headers: HeaderMethod = "boosted"
) -> dict[str, Any]:
    """Score one corpus of web pages with the weights under `folds`; the predictions stay there for a look."""
    folder = corpus_folder(corpus)
    if folder is None:
        raise TabellionError(f"corpus {corpus} not found: set TABELLION_CORPORA or unpack it (docs/corpora.md)")
    golds = load_gold(folder)
    key = WEB_CORPORA[corpus]
    fold_of = assign_folds(corpus, (gold[key] for gold in golds))
    lines: dict[str, Any] = {}
    for gold in golds:
        weights = str(folds / f"fold{fold_of[gold[key]]}")
        lines[gold["file"]] = json.loads(_line(folder / "pages" / gold["file"], weights, genuine, headers))
    predictions = folds / f"{corpus}.{genuine}.{headers}.jsonl"
    predictions.write_text("".join(f"{json.dumps(line)}\n" for line in lines.values()), encoding="utf-8")
    result: dict[str, Any] = load_script("webtables").measure(corpus, golds, lines)
    return result


def _line(path: Path, weights: str, genuine: GenuineMethod, headers: HeaderMethod) -> bytes:
    try:
        settings = Settings(weights=weights, genuine=genuine, headers=headers)
        return to_json(extract_document(path, settings), every=True)
    except TabellionError as error:
        return error_json(str(path), error.kind, str(error))


def print_web_figures(corpora: Iterable[str], folds: Path) -> None:
    """Measure and print, a block a corpus."""
    script = load_script("webtables")
    for corpus in corpora:
        sys.stdout.write(f"{corpus}\n")
        script.show(measure_web(corpus, folds))
