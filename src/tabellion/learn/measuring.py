"""Measuring the whole flow on the corpora, in two ways: documents unseen (by folds), and whole corpora unseen.

By folds the weights have seen other documents of the same corpus, often of the same publisher. Left out, they have seen
none of it: what strangers' documents may expect. In: the names of corpora. Out: the figures of each, and at the end the
headline figures of both ways beside each other.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from tabellion.errors import UsageError
from tabellion.learn.corpora import MEASURED, find_corpus
from tabellion.learn.parts import LEARNED_FROM, SHEETS
from tabellion.learn.training import corpus_targets, fold_targets, train_from_readings, train_missing
from tabellion.model.methods import FrameMethod, ParentMethod, RowMethod

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
"""What stands in the table at the end."""


class Methods(msgspec.Struct, frozen=True):
    """How documents are read."""

    rows: RowMethod = "boosted"
    parents: ParentMethod = "boosted"
    frames: FrameMethod = "arranged"
    render: bool = False


def measure(corpora: Sequence[str], folds: Path, ways: Sequence[Way], methods: Methods = Methods()) -> None:
    """Print the figures of the corpora that are named, of all where none is."""
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
        _train_missing(groups, folds, way)
        sys.stdout.write(f"== {WAYS[way]}\n")
        for name, result in _results(chosen, folds, way, methods):
            for figure in HEADLINES.get(name, ()):
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
            train_missing([SHEETS], fold_targets(folds))
            train_from_readings(["confidence"], lacking, folds, None)


def _results(chosen: Sequence[str], folds: Path, way: Way, methods: Methods) -> Iterable[tuple[str, dict[str, Any]]]:
    """Each corpus with its figures, which are printed as well."""
    from tabellion.learn.printed.measure import print_printed_figures
    from tabellion.learn.sheets.measure import print_figures
    from tabellion.learn.web.measure import print_web_figures
    from tabellion.learn.web.sites import print_site_figures

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
