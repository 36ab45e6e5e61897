"""How sets and classes are counted when readings are scored."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from typing import Any


class Tally:
    """True positives, false positives and false negatives of sets, summed over cases."""

    def __init__(self) -> None:
        self.hit = self.extra = self.missed = 0
        self.single: list[float] = []

    def add(self, found: Iterable[Any], gold: Iterable[Any]) -> None:
        found, gold = set(found), set(gold)
        hit, extra, missed = len(found & gold), len(found - gold), len(gold - found)
        self.hit, self.extra, self.missed = self.hit + hit, self.extra + extra, self.missed + missed
        self.single.append(ratio(2 * hit, 2 * hit + extra + missed))

    def scores(self) -> dict[str, Any]:
        found = self.hit + self.extra
        return {
            "p": round(self.hit / found, 4) if found else float(not self.missed),
            "r": round(ratio(self.hit, self.hit + self.missed), 4),
            "f1": round(ratio(2 * self.hit, 2 * self.hit + self.extra + self.missed), 4),
            "macro": round(statistics.fmean(self.single), 4) if self.single else 1.0,
            "gold": self.hit + self.missed,
        }


class Classes:
    """Per-class F1 of single labels; a prediction of None is a miss and nothing else."""

    def __init__(self) -> None:
        self.pairs: Counter[tuple[str | None, str]] = Counter()

    def add(self, found: str | None, gold: str) -> None:
        self.pairs[found, gold] += 1

    def scores(self) -> dict[str, Any]:
        each = {}
        for kind in sorted({g for _, g in self.pairs}):
            hit = self.pairs[kind, kind]
            found = sum(n for (f, _), n in self.pairs.items() if f == kind)
            gold = sum(n for (_, g), n in self.pairs.items() if g == kind)
            each[kind] = round(2 * hit / (found + gold), 4)
        total = sum(self.pairs.values())
        right = sum(n for (f, g), n in self.pairs.items() if f == g)
        return {
            "macro_f1": round(statistics.fmean(each.values()), 4) if each else 1.0,
            "accuracy": round(ratio(right, total), 4),
            "f1": each,
            "gold": total,
        }


def ratio(part: float, whole: float) -> float:
    return part / whole if whole else 1.0


def rounded(value: Any) -> Any:
    """Figures to four places, however they are nested."""
    if isinstance(value, dict):
        return {name: rounded(inner) for name, inner in value.items()}
    return round(value, 4) if isinstance(value, float) else value
