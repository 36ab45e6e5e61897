"""The figures of the whole flow on web pages of sites that its weights have not seen.

In: folders of weights by fold (`train --folds`). Each page is read with the weights of the fold that left its site out;
`learn.scoring.web` scores the lines. The pages of `visual` are rendered; their tables were taken from the other
corpora, so each is read with the weights of the fold that left its source out.

The figures of mined sites and of segments, by weights that have not seen the vertical where one is mined. In: the
corpora swde, unified, recipes, news-front and segments. Each is mined as a user would, by the command line, and
`learn.scoring` scores what is printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tabellion.errors import TabellionError
from tabellion.learn.corpora import RENDERED_CORPORA, assign_folds, corpus_folder, find_corpus, load_gold
from tabellion.learn.scoring.readings import predict, rounded, weights_for
from tabellion.learn.scoring.site_concepts import score_news, score_recipes, score_segments
from tabellion.learn.scoring.sites import Corpus, Json, parse_output, score_swde, score_unified
from tabellion.learn.scoring.web import describe, measure
from tabellion.learn.training import default_folds
from tabellion.learn.web.cases import WEB_CORPORA
from tabellion.model.methods import FrameMethod, GenuineMethod, HeaderMethod, RenderChoice
from tabellion.pipeline import Settings

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


def measure_web(
    corpus: str,
    folds: Path | None,
    genuine: GenuineMethod = "boosted",
    headers: HeaderMethod = "boosted",
    frames: FrameMethod = "arranged",
    step: int = 1,
    *,
    rendered: bool = False,
    left_out: bool = False,
) -> dict[str, Any]:
    """Score one corpus of web pages (every `step`th) with the weights under `folds`; the predictions stay there.

    The pages of `visual` are always rendered, others where `rendered` says so. With `left_out` header lines are told by
    weights that have not seen the corpus at all.
    """
    folder = find_corpus(corpus)
    golds = load_gold(folder)[::step]
    render: RenderChoice = "always" if rendered or corpus in RENDERED_CORPORA else "never"
    fold_of = _source_folds(golds) if corpus in RENDERED_CORPORA else _own_folds(corpus, golds)
    jobs = [
        (
            folder / "pages" / gold["file"],
            Settings(
                weights=weights_for(folds, fold_of[gold["file"]], corpus if left_out else None),
                genuine=genuine,
                headers=headers,
                render=render,
                frames=frames,
            ),
        )
        for gold in golds
    ]
    kept = (
        folds or default_folds() / "shipped"
    ) / f"{corpus}.{genuine}.{headers}.{frames}{'.left-out' * left_out}.jsonl"
    return measure(corpus, golds, predict(jobs, kept, workers=1))


def _own_folds(corpus: str, golds: list[dict[str, Any]]) -> dict[str, int]:
    """The fold of each file of a corpus that weights are trained on."""
    key = WEB_CORPORA[corpus]
    fold_of = assign_folds(corpus, (gold[key] for gold in golds))
    return {gold["file"]: fold_of[gold[key]] for gold in golds}


def _source_folds(golds: list[dict[str, Any]]) -> dict[str, int]:
    """The fold of the page that each table of `visual` was taken from: keys are web-PAGE-N, t2d-PAGE and wiki-ID-N."""
    known: dict[str, int] = {}
    for corpus, prefix in (("webtables", "web"), ("t2dv2", "t2d"), ("wiki-headers", "wiki")):
        folder = corpus_folder(corpus)
        sources = load_gold(folder) if folder else []
        folds = _own_folds(corpus, sources)
        for source in sources:
            name = source["page"] if prefix == "wiki" else source["file"].removesuffix(".html").replace(".", "_")
            known[f"{prefix}-{name}"] = folds[source["file"]]
    found = {}
    for gold in golds:
        key = gold["key"].replace(".", "_")
        found[gold["file"]] = known.get(key, known.get(key.rpartition("-")[0], 0))
    return found


def print_web_figures(
    corpus: str,
    folds: Path | None,
    frames: FrameMethod = "arranged",
    *,
    rendered: bool = False,
    left_out: bool = False,
) -> dict[str, Any]:
    """Measure and print."""
    sys.stdout.write(f"{corpus}\n")
    result = measure_web(corpus, folds, frames=frames, rendered=rendered, left_out=left_out)
    for line in describe(result):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{json.dumps(rounded(result))}\n")
    return result
