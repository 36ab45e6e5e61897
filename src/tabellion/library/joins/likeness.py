"""What two tables have in common, told by their sketches, and how much that says.

In: the table that is asked for, and others that share labels with it. Out: for each of them the best way to bring the
two together (`rows`: the same rows; `columns`: the same columns; `across`: rows of one are columns of the other) with
what they share there, and a score: a weighted sum of what is seen (`WEIGHTS`), the greater the better. A way in which
many tables are equally alike says little of any of them, so a crowd takes from the score. Fails where tables of one
template differ in nothing but what they are about.

Labels of two tables that only nearly agree: offered, never taken as the same by themselves.

In: labels of two tables that have no partner as they are. Out: pairs with how alike they are, each label in one. Pairs
have nearly the same letters, or all words of one label stand in the other, and no other number. Fails on other names
for the same thing that have no letters in common.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import SequenceMatcher
from typing import Literal

import msgspec

from tabellion.library.joins.sketch import ColumnSketch, Sketch, plain_label, unpack_hashes

Way = Literal["rows", "columns", "across"]
STUB = -1  # stands for the stub where a column is named by its number
TOP = -2  # stands for the labels over the columns
_SIDES = 5  # sets of labels of a table that others are looked up by
_POWER = 200  # hundredths of a power of ten, of both quartiles together, at which magnitudes are unlike
_AS_STRONG = 0.9  # share of a way's strength at which another table belongs to its crowd
_NEAR = 0.1  # share of its length at which a span of numbers goes on in another

# how much what is seen counts: fitted on cut tables of the corpora, by folds (bench/joins_weights.py)
WEIGHTS: dict[str, float] = {
    "across_mine": 0.55,
    "across_strength": -1.10,
    "across_theirs": 0.77,
    "beside": -1.13,
    "both_stubs": 3.17,
    "caption": 10.27,
    "captions": -4.94,
    "columns": 1.02,
    "columns_mine": -0.34,
    "columns_theirs": 2.65,
    "crowd": -1.15,
    "far": -4.29,
    "heads": -0.90,
    "kinds": 5.09,
    "magnitudes": 1.74,
    "only_cells": 0.17,
    "only_left": 0.41,
    "only_top": 3.16,
    "other_stub": -0.94,
    "rare_cells": 3.35,
    "rare_left": 3.07,
    "rare_top": 5.11,
    "rows": 0.51,
    "rows_mine": 0.18,
    "rows_theirs": 2.65,
    "same_stub": 4.02,
    "strength": 0.45,
    "units": 1.46,
    "unlike_span": -2.92,
}


class Side(msgspec.Struct, frozen=True):
    """A set of labels of a table: those of its rows, over its columns, or in one of its columns."""

    where: int
    labels: frozenset[int]
    strength: float


class Likeness(msgspec.Struct, frozen=True):
    """One way to bring two tables together."""

    way: Way
    mine: int
    theirs: int
    shared: int
    of_mine: int
    of_theirs: int
    score: float


class Asked(msgspec.Struct, frozen=True):
    """The table that partners are looked for, with how telling labels are."""

    sketch: Sketch
    weight: Callable[[int], float]
    only: float  # the weight of a label that two tables alone have

    def sides(self) -> list[Side]:
        """The labels of rows and columns, and of the columns of words the most telling."""
        found = [Side(side, labels, sum(map(self.weight, labels))) for side, labels in label_sets(self.sketch)]
        return sorted(found, key=lambda side: (side.where >= 0, -side.strength))[:_SIDES]


class Common(msgspec.Struct, frozen=True):
    """What one set of labels shares with another."""

    way: Way
    mine: Side
    theirs: int
    of_theirs: int
    shared: int
    strength: float
    theirs_part: float

    @property
    def measure(self) -> float:
        return self.strength * math.sqrt(self.strength / self.mine.strength * self.theirs_part)


def label_sets(sketch: Sketch) -> list[tuple[int, frozenset[int]]]:
    """All sets of labels of a table that another could have too."""
    found = [(STUB, unpack_hashes(sketch.left)), (TOP, unpack_hashes(sketch.top))]
    found += [(number, unpack_hashes(one.labels)) for number, one in enumerate(sketch.columns) if one.labels]
    return [(side, labels) for side, labels in found if labels]


def compare(asked: Asked, sides: list[Side], others: Mapping[str, Sketch]) -> Iterator[tuple[str, Likeness]]:
    """Every way to each of the others, with its score."""
    for table_id, common, seen in observe(asked, sides, others):
        score = sum(WEIGHTS[name] * value for name, value in seen.items())
        yield table_id, Likeness(
            common.way, common.mine.where, common.theirs, common.shared, len(common.mine.labels), common.of_theirs,
            round(score, 3),
        )  # fmt: skip


def observe(
    asked: Asked, sides: list[Side], others: Mapping[str, Sketch]
) -> Iterator[tuple[str, Common, dict[str, float]]]:
    """What is seen of the best way of each kind to each of the others."""
    found: list[tuple[str, Common, dict[str, float]]] = []
    for table_id, other in others.items():
        best: dict[Way, Common] = {}
        telling = {"left": 0.0, "cells": 0.0, "top": 0.0}
        only = dict.fromkeys(telling, 0)
        for common, weights in _in_common(asked, sides, other):
            if common.way not in best or common.measure > best[common.way].measure:
                best[common.way] = common
            if common.way != "across":
                kind = "top" if common.way == "columns" else "left" if common.mine.where == common.theirs else "cells"
                telling[kind] = max(telling[kind], *(weight / asked.only for weight in weights))
                only[kind] += sum(weight >= asked.only for weight in weights)
        whole = sum(common.strength for way, common in best.items() if way != "across")
        about = _about(asked, other, only)
        found += [(table_id, one, _seen(one, asked.sketch, other, telling, about, whole)) for one in best.values()]
    measures: dict[Way, list[float]] = {}
    for _, common, _ in found:
        measures.setdefault(common.way, []).append(common.measure)
    for held in measures.values():
        held.sort()
    for table_id, common, seen in found:
        held = measures[common.way]
        crowd = math.log(1 + len(held) - bisect_left(held, _AS_STRONG * common.measure))
        yield table_id, common, seen | {"crowd": crowd if common.way != "across" else 0.0}


def _in_common(asked: Asked, sides: list[Side], other: Sketch) -> Iterator[tuple[Common, list[float]]]:
    theirs = label_sets(other)
    for side in sides:
        for where, labels in theirs:
            shared = side.labels & labels
            if not shared:
                continue
            way: Way = "rows" if TOP not in (side.where, where) else "across"
            if side.where == where == TOP:
                way = "columns"
            weights = [asked.weight(label) for label in shared]
            strength = sum(weights)
            # labels that only they have were not looked up: as telling as those that are shared
            theirs_part = len(shared) / len(labels)
            yield Common(way, side, where, len(labels), len(shared), strength, theirs_part), weights


def _about(asked: Asked, other: Sketch, only: Mapping[str, int]) -> dict[str, float]:
    """What is seen of two tables whatever way they are brought together."""
    mine, theirs = unpack_hashes(asked.sketch.caption), unpack_hashes(other.caption)
    both = bool(mine and theirs)
    return {
        **{f"only_{kind}": math.log(1 + count) for kind, count in only.items()},
        "captions": float(both),
        "caption": len(mine & theirs) / len(theirs) if both else 0.0,
    }


def _seen(
    common: Common, one: Sketch, other: Sketch, telling: Mapping[str, float], about: dict[str, float], whole: float
) -> dict[str, float]:
    rows, columns = float(common.way == "rows"), float(common.way == "columns")
    along = rows + columns  # not across
    mine, theirs = math.log(common.strength / common.mine.strength), math.log(common.theirs_part)
    stubs = one.stub and other.stub
    span = _span(one, other)
    pairs = list(_paired(one, other))
    near = [_near(a, b) for a, b in pairs if a.low is not None and b.low is not None]
    kinds = sum(a.number == b.number for a, b in pairs) / len(pairs) if pairs else 1.0
    heads = _overlap({column.head for column in one.columns} - {0}, {column.head for column in other.columns} - {0})
    units = _overlap({column.unit for column in one.columns}, {column.unit for column in other.columns})
    return about | {
        "rows": rows,
        "columns": columns,
        "rows_mine": rows * mine,
        "rows_theirs": rows * theirs,
        "columns_mine": columns * mine,
        "columns_theirs": columns * theirs,
        "across_mine": (1 - along) * mine,
        "across_theirs": (1 - along) * theirs,
        "strength": along * math.log(common.strength),
        "across_strength": (1 - along) * math.log(common.strength),
        "same_stub": along * bool(stubs and one.stub == other.stub),
        "other_stub": along * bool(stubs and one.stub != other.stub),
        "both_stubs": rows * (common.mine.where == common.theirs == STUB),
        "kinds": columns * (kinds - 1),
        "magnitudes": columns * (sum(near) / len(near) - 0.5 if near else 0.0),
        "units": along * (units - 1),
        "heads": rows * heads,
        "rare_left": columns * telling["left"],
        "rare_cells": columns * telling["cells"],
        "rare_top": rows * telling["top"],
        "beside": along * math.log(1 + max(whole - common.strength, 0.0)),
        "far": along * (span == "far"),
        "unlike_span": along * (span == "one"),
    }


def _span(one: Sketch, other: Sketch) -> str | None:
    """Whether only one table calls its rows by numbers, or both do by numbers that are far apart."""
    if not one.span or not other.span:
        return "one" if one.span or other.span else None
    gap = max(one.span[0], other.span[0]) - min(one.span[1], other.span[1])
    length = max(one.span[1] - one.span[0], other.span[1] - other.span[0], 1)
    return "far" if gap > max(2, _NEAR * length) else None


def _overlap(one: set[int], other: set[int]) -> float:
    return len(one & other) / (len(one | other) or 1)


def _paired(one: Sketch, other: Sketch) -> Iterator[tuple[ColumnSketch, ColumnSketch]]:
    """Columns under the same label."""
    heads = {column.head: column for column in other.columns if column.head}
    for column in one.columns:
        if column.head in heads:
            yield column, heads[column.head]


def _near(one: ColumnSketch, other: ColumnSketch) -> float:
    """How much the magnitudes of two columns agree: 1 where they are the same, 0 where they are a power apart."""
    apart = abs((one.low or 0) - (other.low or 0)) + abs((one.high or 0) - (other.high or 0))
    return max(0.0, 1.0 - apart / _POWER)


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
