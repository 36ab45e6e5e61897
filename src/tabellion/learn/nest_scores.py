"""How well headers are nested on gold frames whose documents the weights have not seen.

In: a trainer. Out: for each weights file its figures, cross-validated: micro F1 of the edges of one side, and edges
wrong or missing a document. Frames are gold, so these figures say nothing of the finding of frames.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from tabellion.learn.cases import Case, load_cases
from tabellion.learn.folds import FOLDS
from tabellion.learn.nest_gold import Cell, gold_frames
from tabellion.model.tree import HeaderTree
from tabellion.nest import nest_headers
from tabellion.nest.parents import LEFT_WEIGHTS, TOP_WEIGHTS, Method
from tabellion.weights import Weights

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


def _kinds() -> Iterator[tuple[str, Method, str]]:
    methods: tuple[Method, ...] = ("boosted", "svm")
    return ((side, method, corpus) for side, corpora in JUDGED.items() for method in methods for corpus in corpora)


def _judge(case: Case, weights: Weights, tallies: dict[tuple[str, Method, str], Tally]) -> None:
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
