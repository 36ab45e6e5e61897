"""Chooses how often a word counts by where it stands (`tabellion.library.index.TELLING`), by folds.

    python bench/library_weights.py [LIBRARY] [--questions N]

Every choice answers all questions of bench/library_relevance.py, ranked here as the index ranks: BM25 over one field in
which a word stands as often as it counts, and with little weight (`Weights.rest`) over one of all other words. The best
choice is looked for by going up one number at a time. What is reported as held-out is each fifth of the questions
answered with the choice that was best on the other four; questions about the same table are in the same fifth.
"""

from __future__ import annotations

import argparse
import tempfile
import zlib
from collections import Counter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from library_relevance import DEPTH, Entry, Question, corpora_library, make_questions, read_entries
from tabellion.library import open_library
from tabellion.library.entries import TELLING, TEXT_FIELDS, describe_entry
from tabellion.library.joins.sketch import Cells
from tabellion.library.search import Weights
from tabellion.library.terms import BREAK, DEFAULT, is_stop_word, terms

FOLDS = 5
STEPS = (0.5, 0.7, 1.4, 2.0)
ROUNDS = 2
SATURATION, SHORTNESS = 1.2, 0.75  # of BM25, as the index has them
Choice = tuple[int, ...]


class Ranker:
    """The tables of a library and the questions, as counts of words by field."""

    def __init__(self, entries: list[Entry], questions: list[Question]) -> None:
        self.questions = [
            [term for word in one.text.split() if not is_stop_word(word, DEFAULT) for term in terms(word, DEFAULT)]
            for one in questions
        ]
        row = {entry.table.table_id: at for at, entry in enumerate(entries)}
        self.wanted = [np.array([row[table] for table in one.wanted]) for one in questions]
        self.words = {word: at for at, word in enumerate(sorted({w for asked in self.questions for w in asked}))}
        self.lengths = np.zeros((len(TEXT_FIELDS), len(entries)))
        self.counts = np.zeros((len(TEXT_FIELDS), len(self.words), len(entries)), dtype=np.float32)
        for at, entry in enumerate(entries):
            described = describe_entry(entry.document, entry.table, Cells(entry.texts, [], []))
            for number, field in enumerate(TEXT_FIELDS):
                held = Counter(word for word in str(described[field]).split() if word != BREAK)
                self.lengths[number, at] = held.total()
                for word in held.keys() & self.words.keys():
                    self.counts[number, self.words[word], at] = held[word]

    def reciprocal_ranks(self, choice: Choice, rest: float) -> NDArray[np.float64]:
        """For each question one over the rank of the first right table."""
        telling = dict(zip(TELLING, choice, strict=True))
        often = np.array([telling.get(field, 0) for field in TEXT_FIELDS], dtype=np.float32)
        others = np.array([field not in telling for field in TEXT_FIELDS], dtype=np.float32)
        scores = self._rank(often) + rest * self._rank(others)
        found = np.zeros(len(self.questions))
        for number, asked in enumerate(self.questions):
            score = scores[[self.words[word] for word in asked]].sum(0)
            best = score[self.wanted[number]].max()
            rank = 1 + int((score > best).sum())
            found[number] = 1 / rank if best > 0 and rank <= DEPTH else 0.0
        return found

    def _rank(self, often: NDArray[np.float32]) -> NDArray[np.float32]:
        """What each word counts for each table, where fields count so often."""
        counts = np.tensordot(often, self.counts, 1)
        lengths = often @ self.lengths
        norm = SATURATION * (1 - SHORTNESS + SHORTNESS * lengths / max(lengths.mean(), 1e-9))
        tables = (counts > 0).sum(1, keepdims=True)
        rare = np.log1p((counts.shape[1] - tables + 0.5) / (tables + 0.5))
        return np.asarray(rare * counts * (1 + SATURATION) / (counts + norm + 1e-9), dtype=np.float32)


def climb(ranker: Ranker, rest: float) -> dict[Choice, NDArray[np.float64]]:
    """All choices that were tried on the way up."""
    best = tuple(TELLING.values())
    tried = {best: ranker.reciprocal_ranks(best, rest)}
    for _ in range(ROUNDS):
        for at in range(len(best)):
            for step in STEPS:
                changed = (*best[:at], max(1, round(best[at] * step)), *best[at + 1 :])
                if changed not in tried:
                    tried[changed] = ranker.reciprocal_ranks(changed, rest)
            best = max(tried, key=lambda one: tried[one].mean())
        print(f"{tried[best].mean():.4f}  {dict(zip(TELLING, best, strict=True))}", flush=True)
    return tried


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?")
    parser.add_argument("--questions", type=int, default=1_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(given.library) if given.library else corpora_library(Path(folder) / "library")
        with library:
            entries = read_entries(library)
        questions = make_questions(entries, given.questions)
        tried = climb(Ranker(entries, questions), Weights().rest)
        fold = np.array([zlib.crc32(min(question.wanted).encode()) % FOLDS for question in questions])
        held = np.concatenate(
            [
                max(tried.values(), key=lambda ranks, out=out: ranks[fold != out].mean())[fold == out]  # type: ignore[misc]
                for out in range(FOLDS)
            ]
        )
        print(f"{len(questions):,} questions, {len(tried)} choices: MRR {tried[tuple(TELLING.values())].mean():.4f} "
              f"as it is, {held.mean():.4f} held out")  # fmt: skip


if __name__ == "__main__":
    main()
