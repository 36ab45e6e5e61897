"""Chooses how much a word counts by where it stands (`tabellion.library.search.Weights`), by folds.

    python bench/library_weights.py [LIBRARY] [--questions N]

Every choice of weights answers all questions of bench/library_relevance.py once. The best choice is looked for by going
up one weight at a time. What is reported as held-out is each fifth of the questions answered with the choice that was
best on the other four; questions about the same table are in the same fifth.
"""

from __future__ import annotations

import argparse
import tempfile
import zlib
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from library_relevance import DEPTH, Question, corpora_library, make_questions, read_entries
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.questions import parse_question
from tabellion.library.search import Searcher, Weights

FOLDS = 5
STEPS = (0.5, 0.7, 1.4, 2.0)
ROUNDS = 2


def reciprocal_ranks(library: Library, weights: Weights, questions: list[Question]) -> NDArray[np.float64]:
    """For each question one over the rank of the first right table."""
    searcher = Searcher(library.folder, library.catalogue, library.index, weights)
    opened = library.index.open().searcher()
    found = np.zeros(len(questions))
    for number, question in enumerate(questions):
        query = searcher.build_query(parse_question(question.text))
        for rank, (_, at) in enumerate(opened.search(query, DEPTH, count=False).hits, 1):
            if opened.doc(at)["table_id"][0] in question.wanted:
                found[number] = 1 / rank
                break
    return found


def climb(library: Library, questions: list[Question]) -> dict[Weights, NDArray[np.float64]]:
    """All choices that were tried on the way up."""
    best = Weights()
    tried = {best: reciprocal_ranks(library, best, questions)}
    for _ in range(ROUNDS):
        for name in Weights.__struct_fields__:
            for step in STEPS:
                changed = msgspec.structs.replace(best, **{name: round(getattr(best, name) * step, 3)})
                if changed not in tried:
                    tried[changed] = reciprocal_ranks(library, changed, questions)
            best = max(tried, key=lambda one: tried[one].mean())
        print(f"{tried[best].mean():.4f}  {best}", flush=True)
    return tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?")
    parser.add_argument("--questions", type=int, default=1_500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(given.library) if given.library else corpora_library(Path(folder) / "library")
        library.index.catch_up(wait=True)
        questions = make_questions(read_entries(library), given.questions)
        tried = climb(library, questions)
        fold = np.array([zlib.crc32(min(question.wanted).encode()) % FOLDS for question in questions])
        held = np.concatenate(
            [
                max(tried.values(), key=lambda ranks, out=out: ranks[fold != out].mean())[fold == out]  # type: ignore[misc]
                for out in range(FOLDS)
            ]
        )
        print(f"{len(questions):,} questions, {len(tried)} choices: MRR {tried[Weights()].mean():.4f} as it is, "
              f"{held.mean():.4f} held out")  # fmt: skip


if __name__ == "__main__":
    main()
