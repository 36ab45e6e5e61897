"""Labels of two tables that only nearly agree: offered, never taken as the same by themselves.

In: labels of two tables that have no partner as they are. Out: pairs with how alike they are, each label in one. Pairs
have nearly the same letters, or all words of one label stand in the other, and no other number. Fails on other names
for the same thing that have no letters in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from difflib import SequenceMatcher

from tabellion.library.joins.sketch import plain_label

NEAR = 0.8  # share of the letters that must be the same
_WITHIN = 0.85  # what it counts that all words of one label stand in the other
_TRIED = 40_000  # pairs that are compared
_OFFERED = 50
_SHORT = 4  # letters of a label below which nearly the same says nothing

Near = tuple[str, str, float]


def near_labels(mine: Iterable[str], theirs: Iterable[str], plain: Callable[[str], str] = plain_label) -> list[Near]:
    """Pairs of labels that nearly agree, the likest first.

    >>> near_labels(["Viet Namm", "Total 1990"], ["Vietnamm (former)", "Total 1991"])
    []
    >>> near_labels(["Trinidad & Tobagoo"], ["Trinidad and Tobago"])
    [('Trinidad & Tobagoo', 'Trinidad and Tobago', 0.974)]
    """
    ours, others = ({label: plain(label) for label in dict.fromkeys(side) if label} for side in (mine, theirs))
    shared = set(ours.values()) & set(others.values())
    left = [(label, said) for label, said in ours.items() if said not in shared]
    there = [(label, said) for label, said in others.items() if said not in shared]
    if len(left) * len(there) > _TRIED:
        return []
    scored = [(likeness(said, other_said), label, other) for label, said in left for other, other_said in there]
    found: dict[str, tuple[str, float]] = {}
    for score, label, other in sorted(scored, key=lambda one: (-one[0], one[1], one[2])):
        if score >= NEAR and label not in found and all(other != known for known, _ in found.values()):
            found[label] = other, round(score, 3)
    return [(label, other, score) for label, (other, score) in list(found.items())[:_OFFERED]]


def likeness(one: str, other: str) -> float:
    """How alike two labels in plain form are, 0 to 1; 0 where they name other numbers."""
    words, others = one.split(), other.split()
    if min(len(one), len(other)) < _SHORT or _numbers(words) != _numbers(others):
        return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.quick_ratio() < min(NEAR, _WITHIN) and not (set(words) <= set(others) or set(others) <= set(words)):
        return 0.0
    within = len(words) > 1 and len(others) > 1 and (set(words) <= set(others) or set(others) <= set(words))
    return max(matcher.ratio(), _WITHIN if within else 0.0)


def _numbers(words: list[str]) -> list[str]:
    return sorted(word for word in words if word.isdecimal())
