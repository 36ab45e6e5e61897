"""The figures of mined sites and of segments, by weights that have not seen the vertical where one is mined.

In: the corpora swde, unified, recipes, news-front and segments. Each is mined as a user would, by the command line, and
`learn.scoring` scores what is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from tabellion.errors import TabellionError
from tabellion.learn.corpora import assign_folds, find_corpus
from tabellion.learn.scoring.readings import rounded
from tabellion.learn.scoring.site_concepts import score_news, score_recipes, score_segments
from tabellion.learn.scoring.sites import Corpus, Json, parse_output, score_swde, score_unified

SCORERS: dict[str, Callable[[Corpus, list[Json]], tuple[Json, list[str]]]] = {
    "swde": score_swde,
    "unified": score_unified,
    "recipes": score_recipes,
    "news-front": score_news,
    "segments": score_segments,
}
COMMANDS = {
    "swde": ("mine", "--format", "jsonl", "--instances"),
    "unified": ("mine", "--format", "jsonl", "--unified"),
    "recipes": ("mine", "--format", "json"),
    "news-front": ("mine", "--format", "json"),
    "segments": ("segment", "--format", "json"),
}
_START = "from tabellion.cli import app; app()"


def predict_sites(corpus: Corpus, folds: Path | None = None) -> Iterator[Json]:
    """What the command prints of each site, vertical or page; by weights that have not seen its vertical."""
    folds_of = assign_folds("unified", {row["vertical"] for row in corpus.gold if "vertical" in row})
    for arguments, source in corpus.calls():
        command = [sys.executable, "-c", _START, *COMMANDS[corpus.name], *arguments]
        blind = folds is not None and corpus.name in ("swde", "unified")
        fold = folds_of[Path(arguments[0]).name.partition("-")[0]] if blind else None
        around = os.environ | ({"TABELLION_WEIGHTS": str(folds / f"fold{fold}")} if folds and blind else {})
        done = subprocess.run(command, capture_output=True, check=False, env=around)  # noqa: S603
        if done.returncode > 1:
            raise TabellionError(done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2])
        for item in parse_output(done.stdout.decode("utf-8", "replace"))[0]:
            yield {"source": source, **item} if source else item


def describe_sites(folder: Path, predictions: Path | None = None, folds: Path | None = None) -> Iterator[str]:
    """The figures of a corpus, one line each, as JSON last; of a file of predictions where one is given."""
    corpus = Corpus(folder)
    if predictions is not None:
        found = parse_output(predictions.read_text(encoding="utf-8"))[0]
    else:
        found = list(predict_sites(corpus, folds))
    result, lines = SCORERS[corpus.name](corpus, found)
    yield f"{corpus.name} ({corpus.side})"
    yield from lines
    for key, value in result.items():
        yield f"  {key:<30}{value:>10.3f}" if isinstance(value, float) else f"  {key:<30}{value:>10}"
    yield json.dumps({"name": folder.name, **rounded(result)})


def print_site_figures(corpus: str, folds: Path | None = None) -> Json:
    """Mine, measure and print; the figures come last."""
    line = ""
    for line in describe_sites(find_corpus(corpus), folds=folds):
        sys.stdout.write(f"{line}\n")
    figures: Json = json.loads(line)
    return figures
