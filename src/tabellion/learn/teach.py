"""Learning from corrections: parents trained with repaired tables beside the corpora, compared, installed on demand.

In: a library with corrections, the corpora. Out: figures without and with the corrections, cross-validated by document
on both, so that what gets worse shows as well; and, only when told, weights in the library's own folder, which then
come before those that are shipped. The shipped weights are never touched.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from tabellion.learn.cases import load_cases
from tabellion.learn.corrected import CORPUS
from tabellion.learn.folds import FOLDS
from tabellion.learn.nest_gold import GoldFrame, gold_frames
from tabellion.learn.nest_scores import JUDGED, Edge, Tally, edges_of
from tabellion.learn.parents import CORPORA, train_side
from tabellion.nest import nest_headers
from tabellion.weights import Weights

SIDES = ("left", "top")


class Comparison(msgspec.Struct, frozen=True):
    """One figure without and with the corrections; `part` is what was learned: left or top parents, or rows."""

    part: str
    corpus: str
    figure: str
    before: float
    after: float


def compare_teaching(golds: Sequence[GoldFrame]) -> list[Comparison]:
    """Cross-validated figures of the parents, without and with the corrections to learn from."""
    tallies = {
        (side, corpus, taught): Tally() for side in SIDES for corpus in _judged(side) for taught in (False, True)
    }
    with TemporaryDirectory() as folder:
        for fold in range(FOLDS):
            for taught in (False, True):
                extra = [gold for gold in golds if gold.case.fold != fold] if taught else []
                place = Path(folder) / f"{fold}-{taught}"
                place.mkdir()
                for side in SIDES:
                    train_side(place, side, _material(side, fold) + extra, fold)
                _judge(Weights(place), fold, golds, taught, tallies)
    found = []
    for side in SIDES:
        for corpus in _judged(side):
            pair = [tallies[side, corpus, taught] for taught in (False, True)]
            if not any(tally.found + tally.wanted for tally in pair):
                continue  # no header of these documents stands under another one
            before, after = (tally.figures(corpus) for tally in pair)
            for name, value in before.items():
                found.append(Comparison(side, corpus, name.removeprefix(f"{corpus} "), value, after[name]))
    return found


def train_taught(folder: Path, golds: Sequence[GoldFrame]) -> list[Path]:
    """Weights of all that there is to learn from, in a folder."""
    with appearing(folder) as made:
        for side in SIDES:
            train_side(made, side, [*_material(side, None), *golds], None)
    return sorted(folder.glob("*_parents.*"))


@contextmanager
def appearing(folder: Path) -> Iterator[Path]:
    """A folder to write to, whose files come to another one once all are written."""
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as made:
        yield Path(made)
        for path in sorted(Path(made).iterdir()):
            shutil.move(path, folder / path.name)


def _judged(side: str) -> tuple[str, ...]:
    return (*JUDGED[side], CORPUS)


def _material(side: str, left_out: int | None) -> list[GoldFrame]:
    return [
        gold
        for corpus in CORPORA[side]
        for case in load_cases(corpus)
        if case.fold != left_out
        for gold in gold_frames(case)
    ]


def _judge(
    weights: Weights,
    fold: int,
    golds: Sequence[GoldFrame],
    taught: bool,
    tallies: dict[tuple[str, str, bool], Tally],
) -> None:
    """Add up how the documents of a fold are read with weights that have not seen them."""
    for side in SIDES:
        for corpus in _judged(side):
            held = [gold for gold in golds if gold.case.fold == fold] if corpus == CORPUS else None
            if held is None:
                held = [gold for case in load_cases(corpus) if case.fold == fold for gold in gold_frames(case)]
            documents: dict[tuple[str, int], tuple[set[Edge], set[Edge]]] = {}
            for gold in held:
                nested = nest_headers(gold.frame, weights)
                found, wanted = documents.setdefault((gold.case.file, id(gold.frame.grid)), (set(), set()))
                found |= edges_of(nested.left if side == "left" else nested.top)
                edges = gold.left if side == "left" else gold.top
                wanted |= {(parent, child) for child, parent in edges.items()}
            for found, wanted in documents.values():
                tallies[side, corpus, taught].add(found, wanted)
