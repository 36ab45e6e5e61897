"""How well rows are labelled: by the measures of the corpora that tell all six roles, by what is allowed elsewhere."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from tabellion.learn.sheets.gold import ROLES
from tabellion.learn.sheets.row_examples import RowExample

FOUR = np.array([ROLES.index("data") if role in ("group", "derived") else i for i, role in enumerate(ROLES)])
"""The paper's four classes: groups and totals are data."""

FULLY_TOLD = ("saus-lines", "troy200")


class RowScores:
    """Gathers guesses sheet by sheet."""

    def __init__(self) -> None:
        self.confusion: dict[str, NDArray[np.int64]] = defaultdict(lambda: np.zeros((len(ROLES), len(ROLES)), np.int64))
        self.right: dict[str, int] = defaultdict(int)
        self.rows: dict[str, int] = defaultdict(int)
        self.sheets: dict[str, int] = defaultdict(int)

    def add(self, example: RowExample, guess: NDArray[np.integer]) -> None:
        told = example.allowed.any(axis=1)
        allowed, guess, corpus = example.allowed[told], guess[told], example.case.corpus
        np.add.at(self.confusion[corpus], (allowed.argmax(axis=1), guess), 1)
        self.right[corpus] += int(allowed[np.arange(len(guess)), guess].sum())
        self.rows[corpus] += len(guess)
        self.sheets[corpus] += 1

    def figures(self) -> dict[str, float]:
        """Macro F1 over six roles and errors a sheet over four where all is told; else the share of allowed guesses."""
        found: dict[str, float] = {}
        for corpus, confusion in self.confusion.items():
            found[f"{corpus} accuracy"] = round(self.right[corpus] / self.rows[corpus], 4)
            if corpus in FULLY_TOLD:
                hits = np.diag(confusion)
                f1 = 2 * hits / np.maximum(1, confusion.sum(axis=0) + confusion.sum(axis=1))
                four = np.zeros_like(confusion)
                np.add.at(four, (FOUR[:, None], FOUR[None, :]), confusion)
                found[f"{corpus} macro F1"] = round(float(f1.mean()), 4)
                found[f"{corpus} errors a sheet, four classes"] = round(
                    int(four.sum() - np.trace(four)) / self.sheets[corpus], 3
                )
                found |= {f"{corpus} F1 {role}": round(float(f), 4) for role, f in zip(ROLES, f1, strict=True)}
        return found
