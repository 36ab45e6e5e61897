"""Measuring the whole flow on the corpora, in two ways: documents unseen (by folds), and whole corpora unseen.

By folds the weights have seen other documents of the same corpus, often of the same publisher. Left out, they have seen
none of it: what strangers' documents may expect. In: the names of corpora. Out: the figures of each, and at the end the
headline figures of both ways beside each other.

Of spreadsheets. In: folders of weights by fold (`train --folds`). Each document is read with the weights of the fold
that left it out, and the lines are scored by `learn.scoring.sheets`. stattrees and sheetcuts hold sheets of agencies of
statsheets: they are read with the weights that have not seen the agency.

Of PDF tables. In: folders of weights by fold (`train --folds`). Each document of icdar2013 (parts on several pages
apart), jats and articles is read with the weights of the fold that left it out, and `learn.scoring.articles` scores
what was read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from tabellion.errors import MissingExtraError, UsageError
from tabellion.learn.corpora import MEASURED, RENDERED_CORPORA, corpus_folder, find_corpus, load_gold
from tabellion.learn.parts import LEARNED_FROM, SHEETS
from tabellion.learn.printed.gold import GoldCell
from tabellion.learn.printed.locate import fold_of
from tabellion.learn.printed.structure import whole_head
from tabellion.learn.scoring.articles import describe as describe_printed
from tabellion.learn.scoring.articles import evaluate
from tabellion.learn.scoring.printed import load_gold as load_printed_gold
from tabellion.learn.scoring.readings import predict, rounded, weights_for
from tabellion.learn.scoring.sheets import describe, headline, score
from tabellion.learn.sheets.gold import SPLIT_KEYS, folds_of
from tabellion.learn.training import corpus_targets, default_folds, fold_targets, train_from_readings, train_missing
from tabellion.model.methods import FrameMethod, ParentMethod, ReaderMethod, RowMethod
from tabellion.pipeline import Settings
from tabellion.read.chromium.process import find_chromium


def measure_printed(
    corpus: str, folds: Path | None, only: int | None = None, *, left_out: bool = False
) -> dict[str, Any]:
    """Score one corpus with the weights under `folds` (without: the shipped ones); with `only`, that fold alone.

    With `left_out` with weights that have not seen the corpus at all.
    """
    folder = find_corpus(corpus)
    chosen = {name: fold for name, fold in fold_of(corpus).items() if only in (None, fold)}
    golds = [gold for gold in load_printed_gold(folder) if gold["id"] in chosen]
    apart = corpus == "icdar2013"
    unseen = corpus if left_out else None
    jobs = [
        (
            folder / "pdf" / gold["source"],
            Settings(weights=weights_for(folds, chosen[gold["id"]], unseen), pages_apart=apart),
        )
        for gold in golds
    ]
    found = predict(jobs, (folds or default_folds() / "shipped") / f"{corpus}{'.left-out' * left_out}.jsonl")
    result = evaluate(golds, found)
    if not apart:
        whole = evaluate(with_whole_heads(golds), found)
        result |= {f"{name}_whole_heads": whole[name] for name in ("tables", "header_rows", "numbers_F1")}
    return result


def with_whole_heads(golds: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The gold of articles without tables whose markup ends the head under a text that spans columns.

    Some publishers' markup calls data what tells those columns apart: a table that is read as it is printed counts as
    wrong there.
    """

    def is_whole(table: dict[str, Any]) -> bool:
        heads = int(table["header_rows"] or 0)
        cells = [
            GoldCell(c["row"], c["column"], c.get("row_span") or 1, c.get("column_span") or 1, c["text"])
            for c in table["cells"]
            if c["text"].strip()
        ]
        return whole_head(cells, heads) == heads

    return [{**gold, "tables": [table for table in gold["tables"] if is_whole(table)]} for gold in golds]


def print_printed_figures(corpus: str, folds: Path | None, *, left_out: bool = False) -> dict[str, Any]:
    """Measure and print, the figures as JSON last."""
    result = measure_printed(corpus, folds, left_out=left_out)
    for line in describe_printed(result):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{json.dumps({'name': corpus, **rounded(result)})}\n")
    return result


def measure_corpus(
    corpus: str,
    folds: Path | None,
    rows: RowMethod = "boosted",
    parents: ParentMethod = "boosted",
    *,
    reader: ReaderMethod = "staged",
    left_out: bool = False,
    most_bytes: int | None = None,
) -> dict[str, Any]:
    """Score one corpus with the weights under `folds` (without: the shipped ones); the predictions stay for a look.

    With `left_out` those that have not seen the corpus at all; with `most_bytes` only files that are no larger.
    """
    folder = find_corpus(corpus)
    fold_of, key = folds_of(corpus), SPLIT_KEYS[corpus]
    files = [(folder / "inputs" / gold["file"], fold_of[gold[key]]) for gold in load_gold(folder)]
    files = [(path, fold) for path, fold in files if most_bytes is None or path.stat().st_size <= most_bytes]
    chosen = None if most_bytes is None else {path.name for path, _ in files}
    files += [(path, 0) for path in sorted((folder / "examples").glob("*.xlsx"))]
    unseen = corpus if left_out else None
    jobs = [
        (path, Settings(reader=reader, weights=weights_for(folds, fold, unseen), rows=rows, parents=parents))
        for path, fold in dict(files).items()
    ]
    kept = (folds or default_folds() / "shipped") / f"{corpus}.{reader}.{rows}.{parents}{'.left-out' * left_out}.jsonl"
    return score(folder, predict(jobs, kept), chosen)


def print_figures(
    corpus: str, folds: Path | None, rows: RowMethod, parents: ParentMethod, *, left_out: bool = False
) -> dict[str, Any]:
    """Measure and print, the headline figures last."""
    result = measure_corpus(corpus, folds, rows, parents, left_out=left_out)
    for line in describe(result):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(f"{json.dumps({'name': corpus, **headline(result)})}\n")
    return result


Way = Literal["shipped", "folds", "corpus"]
"""Which weights read a document: the shipped ones, those without its fold, those without its corpus."""

WAYS: dict[Way, str] = {"shipped": "shipped weights", "folds": "by folds", "corpus": "corpus left out"}

HEADLINES = {
    "troy200": ("entry_label.f1", "label_label.f1", "perfect_share"),
    "senbazuru-left": ("pairs.f1", "repairs.mean"),
    "saus-lines": ("lines.macro_f1", "lines4.errors_per_sheet"),
    "statsheets": ("tables_exact.f1", "tables_half.f1"),
    "hitab-top": ("top.f1",),
    "stattrees": ("left_by_table", "top_by_table", "right_share"),
    "sheetcuts": ("tables_exact.f1", "tables_half.f1"),
    "fuste": ("tables_exact.f1", "tables_half.f1"),
    "webtables": ("header_rows_accuracy", "header_columns_accuracy", "values_with_labels", "values_without_left"),
    "wiki-headers": ("top.f", "header_rows_accuracy"),
    "icdar2013": ("cells_F1", "iou50_F1"),
    "jats": ("pooled_F1", "tables_F1", "header_rows", "numbers_F1", "metadata.accuracy"),
    "articles": ("pooled_F1", "tables_F1", "header_rows", "numbers_F1", "metadata.accuracy"),
}
"""What stands in the table at the end, and how far the confidence of sheets and web tables can be trusted."""

TRUST = ("confidence.sure", "confidence.right_where_sure")


class Methods(msgspec.Struct, frozen=True):
    """How documents are read."""

    rows: RowMethod = "boosted"
    parents: ParentMethod = "boosted"
    frames: FrameMethod = "arranged"
    render: bool = False


def measurable() -> tuple[list[str], dict[str, str]]:
    """The corpora that can be measured here, and those that cannot, with why."""
    names = [name for names in MEASURED.values() for name in names]
    absent = {name: "not found (docs/corpora.md)" for name in names if corpus_folder(name) is None}
    try:
        find_chromium()
    except MissingExtraError:
        absent |= dict.fromkeys(RENDERED_CORPORA, "no Chromium")
    return [name for name in names if name not in absent], absent


def measure(
    corpora: Sequence[str], folds: Path, ways: Sequence[Way], methods: Methods = Methods(), *, train: bool = True
) -> None:
    """Print the figures of the corpora that are named, of all where none is.

    Weights by fold or without the corpus that are missing or older than their code are trained before, where `train`
    does not say otherwise.
    """
    chosen = list(corpora) or [name for names in MEASURED.values() for name in names]
    unknown = [name for name in chosen if not any(name in names for names in MEASURED.values())]
    if unknown:
        known = ", ".join(name for names in MEASURED.values() for name in names)
        raise UsageError(f"{unknown[0]} is not measured here; these are: {known}")
    for name in chosen:
        find_corpus(name)
    groups = [group for group in LEARNED_FROM if set(MEASURED[group]) & set(chosen)]
    found: dict[tuple[str, str, Way], float] = {}
    for way in ways:
        if train:
            _train_missing(groups, folds, way)
        sys.stdout.write(f"== {WAYS[way]}\n")
        for name, result in _results(chosen, folds, way, methods):
            for figure in (*HEADLINES.get(name, ()), *TRUST):
                value = _look_up(result, figure)
                if value is not None:
                    found[name, figure, way] = value
    if len(ways) > 1:
        for line in beside(found, ways):
            sys.stdout.write(f"{line}\n")


def _train_missing(groups: Sequence[str], folds: Path, way: Way) -> None:
    if way == "shipped":
        return
    targets = fold_targets(folds) if way == "folds" else corpus_targets(folds, groups)
    train_missing(groups, targets)
    if SHEETS in groups:
        lacking = [target for target in targets if not (target[0] / "confidence.npz").exists()]
        if lacking:
            train_from_readings(["confidence"], lacking, folds, None)


def _results(chosen: Sequence[str], folds: Path, way: Way, methods: Methods) -> Iterable[tuple[str, dict[str, Any]]]:
    """Each corpus with its figures, which are printed as well."""
    from tabellion.learn.web.measure import print_site_figures, print_web_figures

    weights = None if way == "shipped" else folds
    left_out = way == "corpus"
    printers: tuple[Callable[[str], dict[str, Any]], ...] = (
        lambda name: print_figures(name, weights, methods.rows, methods.parents, left_out=left_out),
        lambda name: print_web_figures(name, weights, methods.frames, rendered=methods.render, left_out=left_out),
        lambda name: print_printed_figures(name, weights, left_out=left_out),
        lambda name: print_site_figures(name, None if left_out else weights),
    )
    for names, printer in zip(MEASURED.values(), printers, strict=True):
        for name in chosen:
            if name in names and (not left_out or name in HEADLINES):
                yield name, printer(name)


def _look_up(result: dict[str, Any], figure: str) -> float | None:
    value: Any = result
    for step in figure.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return float(value) if isinstance(value, int | float) else None


def beside(found: dict[tuple[str, str, Way], float], ways: Sequence[Way]) -> list[str]:
    """The headline figures of several ways as a table in Markdown.

    >>> for line in beside({("fuste", "tables_half.f1", "folds"): 0.89}, ["folds", "corpus"]): print(line)
    | corpus | figure | by folds | corpus left out |
    | --- | --- | --- | --- |
    | fuste | tables_half.f1 | .890 | |
    """
    lines = [f"| corpus | figure | {' | '.join(WAYS[way] for way in ways)} |", "| --- | --- |" + " --- |" * len(ways)]
    for corpus, figure in dict.fromkeys((corpus, figure) for corpus, figure, _ in found):
        values = (found.get((corpus, figure, way)) for way in ways)
        cells = ("|" if value is None else f"{value:.3f} |".removeprefix("0") for value in values)
        lines.append(f"| {corpus} | {figure} | {' '.join(cells)}")
    return lines
