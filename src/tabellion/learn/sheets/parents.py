"""Learning which header stands under which, and measuring it (Chen and Cafarella 2013, section 3.2).

In: gold frames of troy200 and stattrees, senbazuru-left (left), hitab-top (top). Out: four weights files: boosted trees
and the paper's linear SVM with Platt's sigmoid, for left and top each. The top learns from each header three times: as
it is, and with its merges undone and the texts at the left or in the middle of what they cover, since few corpora with
trees have headers that are centred without merges. The boosted left learns from poorer readings by rules as well, since
the rules were written by people who had seen these corpora and look too good on them.

How well headers are nested on gold frames whose documents the weights have not seen. In: a trainer. Out: for each
weights file its figures, cross-validated: micro F1 of the edges of one side, and edges wrong or missing per document.
Frames are gold, so these figures say nothing of the finding of frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tabellion.learn.corpora import FOLDS, LeftOut, is_seen
from tabellion.learn.fitting import BoostingSettings, train_boosted
from tabellion.learn.sheets.gold import Case, load_cases
from tabellion.learn.sheets.nest_gold import Cell, GoldFrame, gold_frames, unmerge_headers
from tabellion.learn.training import Card, Material, write_card
from tabellion.model.frame import HeaderTree
from tabellion.model.methods import ParentMethod
from tabellion.nest import nest_headers
from tabellion.nest.attributes import read_attributes
from tabellion.nest.pair_view import PairView
from tabellion.nest.rules import climb_poorly
from tabellion.nest.spread import HeaderCells, spread_headers
from tabellion.nest.stub import find_strands
from tabellion.nest.top_features import Head, TopView, top_pairs
from tabellion.nest.tree import (
    LEFT_NAMES,
    LEFT_WEIGHTS,
    TOP_NAMES,
    TOP_WEIGHTS,
    left_table,
    left_view,
    top_table,
)
from tabellion.weights import Weights
from tabellion.weights.linear import Linear

Edge = tuple[Cell, Cell]

JUDGED = {"left": ("senbazuru-left", "troy200"), "top": ("troy200", "hitab-top")}


class Tally:
    """Edges found, wanted and both, summed over documents."""

    def __init__(self) -> None:
        self.hits = self.found = self.wanted = self.documents = 0

    def add(self, found: set[Edge], wanted: set[Edge]) -> None:
        self.hits += len(found & wanted)
        self.found += len(found)
        self.wanted += len(wanted)
        self.documents += 1

    def figures(self, name: str) -> dict[str, float]:
        wrong = self.found + self.wanted - 2 * self.hits
        return {
            f"{name} F1": round(2 * self.hits / max(self.found + self.wanted, 1), 4),
            f"{name} errors a document": round(wrong / max(self.documents, 1), 3),
        }


def cross_validate(train: Callable[[Path, int], None]) -> dict[str, dict[str, float]]:
    """The figures of each weights file that `train` writes into a folder, with one fold left out."""
    tallies = {(side, method, corpus): Tally() for side, method, corpus in _kinds()}
    for fold in range(FOLDS):
        with TemporaryDirectory() as folder:
            train(Path(folder), fold)
            for corpus in dict.fromkeys(corpus for corpora in JUDGED.values() for corpus in corpora):
                for case in load_cases(corpus):
                    if case.fold == fold:
                        _judge(case, Weights(folder), tallies)
    figures: dict[str, dict[str, float]] = {}
    for (side, method, corpus), tally in tallies.items():
        name = (LEFT_WEIGHTS if side == "left" else TOP_WEIGHTS)[method]
        figures.setdefault(name, {}).update(tally.figures(corpus))
    return figures


def _kinds() -> Iterator[tuple[str, ParentMethod, str]]:
    methods: tuple[ParentMethod, ...] = ("boosted", "svm")
    return ((side, method, corpus) for side, corpora in JUDGED.items() for method in methods for corpus in corpora)


def _judge(case: Case, weights: Weights, tallies: dict[tuple[str, ParentMethod, str], Tally]) -> None:
    golds = list(gold_frames(case))
    for side, method, corpus in tallies:
        if corpus != case.corpus or not golds:
            continue
        found: set[Edge] = set()
        wanted: set[Edge] = set()
        for gold in golds:
            nested = nest_headers(gold.frame, weights, method)
            found |= edges_of(nested.left if side == "left" else nested.top)
            wanted |= {(parent, child) for child, parent in (gold.left if side == "left" else gold.top).items()}
        tallies[side, method, corpus].add(found, wanted)


def edges_of(tree: HeaderTree) -> set[Edge]:
    """(first cell of the parent, first cell of the child) of every pair of a tree."""
    nodes = tree.nodes
    return {(nodes[node.parent].cells[0], node.cells[0]) for node in nodes if node.parent is not None}


CORPORA = {"left": ("troy200", "senbazuru-left", "stattrees"), "top": ("troy200", "hitab-top", "stattrees")}
LEFT_SETTINGS = BoostingSettings(rounds=40, leaves=4, rate=0.1, least_rows=30, ridge=20.0, columns=0.5, rows=0.8)
POOR_READINGS = (0.15, 0.25)  # weight of examples whose ladder goes by indent alone, and has no repeats
TOP_SETTINGS = BoostingSettings(rounds=60, leaves=8, rate=0.1, least_rows=20, ridge=5.0)
CLASSES = ("no", "yes")
RULES_SEEN = "the rules among its features were written with these documents in view, so its scores flatter it"
WEIGHTS = {"left": LEFT_WEIGHTS, "top": TOP_WEIGHTS}


class Examples(msgspec.Struct, frozen=True, eq=False):
    """Pairs of one strand or header with their truth."""

    table: NDArray[np.float64]
    truth: NDArray[np.bool_]
    weight: NDArray[np.float64]


def train_parents(folder: Path, left_out: LeftOut) -> None:
    """All four weights files, without the documents of one fold where `left_out` names it."""
    scores = cross_validate(train_parents) if left_out is None else {}
    methods: tuple[ParentMethod, ...] = ("boosted", "svm")
    for side, corpora in CORPORA.items():
        golds = [
            gold
            for corpus in corpora
            for case in load_cases(corpus)
            if is_seen(case.corpus, case.fold, left_out)
            for gold in gold_frames(case)
            if side not in gold.untold
        ]
        for method in methods:
            train_side(folder, side, golds, left_out, method, scores.get(WEIGHTS[side][method]))


def train_side(
    folder: Path,
    side: str,
    golds: list[GoldFrame],
    left_out: LeftOut,
    method: ParentMethod = "boosted",
    scores: dict[str, float] | None = None,
) -> None:
    """The weights file of one side by one method, from the given frames."""
    _train(folder, side, method, [e for gold in golds for e in examples_of(gold, side, method)])
    card = _card(side, method, golds, left_out)
    write_card(folder, msgspec.structs.replace(card, name=WEIGHTS[side][method], scores=scores or {}))


def examples_of(gold: GoldFrame, side: str, method: ParentMethod) -> Iterator[Examples]:
    """The pairs of a gold frame's left or top header with their truth."""
    if side == "left":
        yield from _left_examples(gold, method)
    else:
        for variant in (gold, *unmerge_headers(gold)):
            cells = spread_headers(variant.frame)
            if len(cells):
                pairs = top_pairs(cells)
                table = top_table(TopView([Head(cells, variant.frame.value_columns, pairs)]), method)
                truth = true_parents(cells, variant.top)[pairs[1]] == pairs[0]
                yield Examples(table, truth, np.ones(len(truth)))


def _left_examples(gold: GoldFrame, method: ParentMethod) -> Iterator[Examples]:
    for strand in find_strands(gold.frame):
        if not len(strand):
            continue
        attributes = read_attributes(gold.frame, strand)
        view = left_view(attributes, method)
        cells = list(zip(strand.row.tolist(), strand.column.tolist(), strict=True))
        truth = _parents_among(cells, gold.left)[view.down] == view.up
        weight = np.full(len(truth), len(strand) ** -0.5)  # one long strand is one kind of layout, not many
        yield Examples(left_table(view, method), truth, weight)
        for ladder, share in zip(climb_poorly(attributes), POOR_READINGS, strict=True):
            if method == "boosted" and not np.array_equal(ladder, view.ladder):
                poorer = PairView(attributes, ladder, (view.up, view.down))
                yield Examples(left_table(poorer, method), truth, share * weight)


def true_parents(cells: HeaderCells, edges: dict[Cell, Cell]) -> NDArray[np.intp]:
    """The gold parent of each header cell, -1 for a root."""
    return _parents_among(list(zip(cells.row.tolist(), cells.column.tolist(), strict=True)), edges)


def _parents_among(cells: list[Cell], edges: dict[Cell, Cell]) -> NDArray[np.intp]:
    place = {cell: number for number, cell in enumerate(cells)}
    return np.array([place.get(edges.get(cell, (-1, -1)), -1) for cell in cells], dtype=np.intp)


def _train(folder: Path, side: str, method: ParentMethod, examples: list[Examples]) -> None:
    table = np.concatenate([e.table for e in examples])
    truth = np.concatenate([e.truth for e in examples])
    weight = np.concatenate([e.weight for e in examples])
    weight = weight / weight.mean()
    name, names = WEIGHTS[side][method], (LEFT_NAMES if side == "left" else TOP_NAMES)[method]
    if method == "svm":
        train_linear(table, truth, weight, names).save(folder / f"{name}.json")
        return
    settings = LEFT_SETTINGS if side == "left" else TOP_SETTINGS
    boosted = train_boosted(table, truth.astype(np.int64), names, CLASSES, weight, settings)
    boosted.save(folder / f"{name}.npz")


def train_linear(
    table: NDArray[np.float64], truth: NDArray[np.bool_], weight: NDArray[np.float64], features: tuple[str, ...]
) -> Linear:
    """A linear SVM, and Platt's sigmoid over its margins."""
    machine = LinearSVC(C=1.0, dual=False, max_iter=5000).fit(table, truth, sample_weight=weight)
    margin = machine.decision_function(table)
    platt = LogisticRegression(C=1e6).fit(margin[:, None], truth, sample_weight=weight)
    return Linear(
        features=features,
        weight=tuple(float(w) for w in machine.coef_[0]),
        intercept=float(machine.intercept_[0]),
        slope=float(platt.coef_[0, 0]),
        offset=float(platt.intercept_[0]),
    )


def _card(side: str, method: ParentMethod, golds: list[GoldFrame], left_out: LeftOut) -> Card:
    """What the weights learned from; examples are gold edges."""
    how = "boosted trees over candidate pairs" if method == "boosted" else "linear SVM with Platt's sigmoid"
    material: dict[str, Material] = {}
    for corpus in dict.fromkeys(gold.case.corpus for gold in golds):
        own = [gold for gold in golds if gold.case.corpus == corpus]
        edges = sum(len(gold.left if side == "left" else gold.top) for gold in own)
        material[corpus] = Material(len({gold.case.file for gold in own}), edges)
    seen = f"; {RULES_SEEN}" if (side, method) == ("left", "boosted") else ""
    return Card(
        name="",
        method=f"{how}, {side} attributes (Chen and Cafarella 2013, section 3.2){seen}",
        trained_on=material,
        left_out=left_out,
    )
