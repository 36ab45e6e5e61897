"""Fits how much of what two tables have in common counts (`tabellion.library.joins.likeness.WEIGHTS`), by folds.

    python bench/joins_weights.py LIBRARY [--cases N]

LIBRARY holds the tables of the dev corpora (bench/library_relevance.py makes one); they are cut into cases
(bench/join_cases.py). A case is a choice among all ways to all candidates; the weights make the right table the
likeliest (multinomial logistic regression). Printed: the share of cases with the right table first and among the first
five, each fifth with the weights of the other four, and the weights of all.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from join_cases import Case, make_cases
from tabellion.library import open_library
from tabellion.library.joins.likeness import observe
from tabellion.library.joins.partners import Lookup
from tabellion.library.library import Library

FOLDS = 5
STEPS, SPEED, SHRINK = 300, 0.06, 3e-3


class Seen(NamedTuple):
    """A case: what is seen of each way to each candidate, and which candidates are right."""

    cut: str
    tables: list[str]
    values: NDArray[np.float64]
    right: NDArray[np.bool_]


def see(library: Library, cases: list[Case]) -> tuple[list[str], list[Seen]]:
    found, names = [], list[str]()
    lookup = Lookup(library.index.open())
    for case in cases:
        asked = lookup.ask(case.asked)
        assert asked
        sides = asked.sides()
        others = lookup.candidates(sides)
        others.pop(case.asked, None)
        ways = list(observe(asked, sides, others))
        names = names or sorted(ways[0][2])
        values = np.array([[seen[name] for name in names] for _, _, seen in ways]).reshape(len(ways), len(names))
        tables = [table for table, _, _ in ways]
        found.append(Seen(case.cut, tables, values, np.array([table == case.wanted for table in tables])))
    return names, found


def fit(cases: list[Seen]) -> NDArray[np.float64]:
    """The weights under which the right tables are likeliest, by Adam."""
    scale = np.concatenate([case.values for case in cases]).std(0) + 1e-9
    weights = np.zeros(len(scale))
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    cases = [case for case in cases if case.right.any()]
    for step in range(1, STEPS + 1):
        slope = SHRINK * weights
        for case in cases:
            values = case.values / scale
            chance = np.exp(values @ weights - (values @ weights).max())
            wanted = np.where(case.right, chance, 0)
            slope -= (wanted / wanted.sum() - chance / chance.sum()) @ values / len(cases)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        weights -= SPEED * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights / scale


def rank(case: Seen, weights: NDArray[np.float64]) -> int:
    """The place of the right table; 99 where it is not among the candidates."""
    order = np.argsort(-(case.values @ weights), kind="stable")
    tables = list(dict.fromkeys(case.tables[at] for at in order))
    right = {table for table, is_right in zip(case.tables, case.right, strict=True) if is_right}
    return next((place for place, table in enumerate(tables, 1) if table in right), 99)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library")
    parser.add_argument("--cases", type=int, default=600)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_library(given.library) as source:
        library, cases = make_cases(source, Path(folder) / "cut", given.cases)
        names, seen = see(library, cases)
    places = {}
    for fold in range(FOLDS):
        weights = fit([case for at, case in enumerate(seen) if at % FOLDS != fold])
        places |= {at: rank(case, weights) for at, case in enumerate(seen) if at % FOLDS == fold}
    for cut in ("columns", "rows", ""):
        held = np.array([places[at] for at, case in enumerate(seen) if cut in (case.cut, "")])
        print(f"{cut or 'all':8} {len(held):4} cases  first {(held == 1).mean():.3f}  five {(held <= 5).mean():.3f}")
    for name, weight in zip(names, fit(seen), strict=True):
        print(f'    "{name}": {weight:.3f},')


if __name__ == "__main__":
    main()
