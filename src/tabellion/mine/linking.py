"""The same thing on two sites: by name and by attributes.

In: things of several sites with unified attributes. Out: pairs of keys, with a probability and what speaks for it.
Names are compared by their words, rare ones counting more; then what both sites say under one unified attribute: an
attribute whose values tell the things of a site apart (a number, a telephone) decides, others add. Only things whose
names share a rare word are compared, so that the work stays small. Fails on things whose names say little and that
share no key.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from tabellion.mine.schema_org import fold_text
from tabellion.mine.things import NAME, Thing

LIKELY = 0.8  # chance from which on two things are said to be one
_BLOCK = 50  # things that share a word; more share a common one
_TELLING = 0.9  # share of different values that makes an attribute a key
_TOLD = 3  # values that it must have for that


class SameThing(msgspec.Struct, frozen=True):
    """Two things that are one."""

    one: str
    other: str
    probability: float
    evidence: tuple[str, ...]


class _Told(msgspec.Struct, frozen=True, eq=False):
    thing: Thing
    words: frozenset[str]
    values: dict[str, frozenset[str]]


def link_things(things: Sequence[Thing], likely: float = LIKELY) -> list[SameThing]:
    """The things of different sites that are one; each with at most one of another site, the likeliest."""
    told = [_tell(thing) for thing in things if thing.name]
    common = Counter(word for each in told for word in each.words)
    rare = {word: math.log(1 + len(told) / count) for word, count in common.items()}
    keys = _telling_attributes(told)
    pairs = sorted(
        (pair for one, other in _candidates(told, common) if (pair := _compare(one, other, rare, keys))),
        key=lambda pair: -pair[0].probability,
    )
    taken: set[tuple[str, str]] = set()
    found: list[SameThing] = []
    for same, one, other in pairs:
        places = {(same.one, other.site), (same.other, one.site)}
        if same.probability >= likely and not places & taken:
            taken |= places
            found.append(same)
    return found


def _tell(thing: Thing) -> _Told:
    values: dict[str, set[str]] = defaultdict(set)
    for attribute in thing.attributes:
        if attribute.unified and attribute.unified != NAME:
            values[attribute.unified].add(fold_text(attribute.value))
    words = frozenset(fold_text(thing.name or "").split())
    return _Told(thing, words, {name: frozenset(texts - {""}) for name, texts in values.items()})


def _telling_attributes(told: Iterable[_Told]) -> frozenset[tuple[str, str]]:
    """By kind the attributes whose values are different for nearly all things of every site."""
    counts: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for each in told:
        for name, texts in each.values.items():
            counts[each.thing.kind, name, each.thing.site] += texts
    apart: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for (kind, name, _), told_texts in counts.items():
        if len(told_texts) >= _TOLD:
            apart[kind, name].append(len(set(told_texts)) >= _TELLING * len(told_texts))
    return frozenset(place for place, tells in apart.items() if len(tells) > 1 and all(tells))


def _candidates(told: Sequence[_Told], common: Counter[str]) -> Iterator[tuple[_Told, _Told]]:
    """Pairs of things of one kind and different sites that share a rare word of their names."""
    blocks: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, each in enumerate(told):
        for word in sorted(each.words, key=lambda word: common[word])[:3]:
            blocks[each.thing.kind, word].append(number)
    seen: set[tuple[int, int]] = set()
    for numbers in blocks.values():
        if len(numbers) > _BLOCK:
            continue
        for at, one in enumerate(numbers):
            for other in numbers[at + 1 :]:
                if told[one].thing.site != told[other].thing.site and (one, other) not in seen:
                    seen.add((one, other))
                    yield told[one], told[other]


def _compare(
    one: _Told, other: _Told, rare: dict[str, float], keys: frozenset[tuple[str, str]]
) -> tuple[SameThing, Thing, Thing] | None:
    shared, every = one.words & other.words, one.words | other.words
    alike = sum(rare[word] for word in shared) / max(1e-9, sum(rare[word] for word in every))
    both = [name for name in one.values if name in other.values]
    agree = [name for name in both if one.values[name] & other.values[name]]
    telling = [name for name in both if (one.thing.kind, name) in keys]
    score = 8 * (alike - 0.75) + 1.5 * len(agree) - 0.5 * (len(both) - len(agree))
    score += sum(3.0 if name in agree else -2.0 for name in telling)
    probability = 1 / (1 + math.exp(-score))
    evidence = (["same name"] if alike > _TELLING else ["words of the name"]) + [f"same {name}" for name in agree]
    pair = SameThing(one.thing.key, other.thing.key, round(probability, 3), tuple(evidence))
    return (pair, one.thing, other.thing) if shared else None
