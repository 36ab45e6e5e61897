"""Things known again: on another site, and since they were mined last.

On another site. In: things of several sites with unified attributes. Out: pairs of keys, with a probability and what
speaks for it. Names are compared by their words, rare ones counting more; then what both sites say under one unified
attribute: an attribute whose values tell the things of a site apart (a number, a telephone) decides, others add. Only
things whose names share a rare word are compared, so that the work stays small. Fails on things whose names say little
and that share no key.

Since last time. In: a file of histories and the things of today. Out: what is new, changed or gone, and the file
brought up to date. A thing is known again by its key; each of its unified attributes has a list of editions, with the
days on which a value was seen first and last. Things are gone where their site was read and they were not there; a site
that gave nothing at all is not read.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path

import msgspec

from tabellion.errors import UnreadableError
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


class Edition(msgspec.Struct):
    """The values of an attribute, and the days on which they were seen first and last."""

    values: list[str]
    since: str
    until: str


class KnownThing(msgspec.Struct):
    """A thing as it was seen, with the editions of its attributes, the newest last."""

    name: str | None
    kind: str
    site: str
    attributes: dict[str, list[Edition]]
    gone: str | None = None


class Change(msgspec.Struct, frozen=True):
    """Another value than before."""

    key: str
    name: str | None
    attribute: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class Changes(msgspec.Struct, frozen=True):
    """What is new, changed and gone; keys and changes in the order of the sites."""

    new: tuple[str, ...]
    changed: tuple[Change, ...]
    gone: tuple[str, ...]


def read_history(path: Path) -> dict[str, KnownThing]:
    """The histories of a file by key; empty where there is none yet."""
    if not path.exists():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, KnownThing])
    except (msgspec.DecodeError, OSError) as error:
        raise UnreadableError(f"{path}: is no history that `mine --update` wrote ({error})") from error


def update_history(path: Path, things: Iterable[Thing], today: str | None = None) -> Changes:
    """Bring a file of histories up to date; what changed."""
    day = today or date.today().isoformat()
    known = read_history(path)
    new: list[str] = []
    changed: list[Change] = []
    seen: set[str] = set()
    sites: set[str] = set()
    for thing in things:
        seen.add(thing.key)
        sites.add(thing.site)
        before = known.get(thing.key)
        if before is None or before.gone:
            new.append(thing.key)
        if before is None:
            before = known[thing.key] = KnownThing(thing.name, thing.kind, thing.site, {})
        changed += _note(before, thing, day)
        before.name, before.kind, before.gone = thing.name, thing.kind, None
    gone = [key for key, each in known.items() if each.site in sites and key not in seen and not each.gone]
    for key in gone:
        known[key].gone = day
    write_whole(path, known)
    return Changes(tuple(new), tuple(changed), tuple(gone))


def write_whole(path: Path, told: object) -> None:
    """Write a file of JSON that people read, and that is there whole or as it was before, whenever this is killed."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(msgspec.json.format(msgspec.json.encode(told), indent=1) + b"\n")
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _note(before: KnownThing, thing: Thing, day: str) -> list[Change]:
    """Add what a thing says today to its history; what is other than before."""
    told: dict[str, dict[str, None]] = {}
    for attribute in thing.attributes:
        name = attribute.unified or (attribute.label[-1].strip(" :") if attribute.label else "")
        if attribute.main and name and name != NAME:
            told.setdefault(name, {})[attribute.value] = None
    changes: list[Change] = []
    for name, values in told.items():
        editions = before.attributes.setdefault(name, [])
        if editions and editions[-1].values == list(values):
            editions[-1].until = day
            continue
        if editions:
            changes.append(Change(thing.key, thing.name, name, tuple(editions[-1].values), tuple(values)))
        editions.append(Edition(list(values), day, day))
    return changes
