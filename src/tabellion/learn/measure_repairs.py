"""`python -m tabellion.learn repairs`: the strokes of a simulated user, by corpus, reading and help.

In: folders of weights by fold. Out: strokes a sheet from scratch (every pair of the gold by hand), by plain editing,
with look-alikes, with re-inference, and with both, from the default reading and from the paper's own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from tabellion.learn.cases import load_cases
from tabellion.learn.simulated_user import Goal, goal_of, repair_case
from tabellion.pipeline import ParentMethod, Settings

CORPORA = ("senbazuru-left", "troy200")
READINGS: tuple[ParentMethod, ...] = ("boosted", "svm")
HELPS = {"plain": (False, False), "look-alikes": (False, True), "re-inference": (True, False), "both": (True, True)}


class Strokes(msgspec.Struct, frozen=True):
    """What one corpus took from one reading: strokes a sheet, by help."""

    corpus: str
    parents: str
    sheets: int
    scratch: float
    strokes: dict[str, float]
    unreached: int


def measure_strokes(corpus: str, parents: ParentMethod, folds: Path) -> Strokes:
    """Repair all sheets of a corpus, each read with weights that have not seen it."""
    totals = dict.fromkeys(HELPS, 0)
    sheets = scratch = unreached = 0
    for case in load_cases(corpus):
        goal = goal_of(case)
        if goal is None:
            continue
        sheets += 1
        scratch += _pairs(goal)
        settings = Settings(weights=str(folds / f"fold{case.fold}"), parents=parents)
        for name, (follow, alike) in HELPS.items():
            done = repair_case(case, goal, settings, follow=follow, alike=alike)
            totals[name] += done.strokes
            unreached += not done.reached
    means = {name: round(total / sheets, 3) for name, total in totals.items()}
    return Strokes(corpus, parents, sheets, round(scratch / sheets, 1), means, unreached)


def _pairs(goal: Goal) -> int:
    return sum(parent is not None for parents in goal.parents.values() for parent in parents.values())


def print_strokes(folds: Path) -> None:
    """Measure and print, a line a corpus and reading."""
    for corpus in CORPORA:
        for parents in READINGS:
            sys.stdout.write(f"{msgspec.json.encode(measure_strokes(corpus, parents, folds)).decode()}\n")
            sys.stdout.flush()
