"""One schema over sites: which slots of different sites mean the same.

In: for each site its slots that tell of the pages' things: label, names in the markup, texts. Out: unified attributes,
each with the slots that belong to it, how sure that is, and why. Two slots are compared by label, by what markup calls
them, by the kinds, words and shapes of their texts, by texts that both have, and by where they stand; learned trees
weigh that, which have seen other verticals. Slots are then joined, the surest first, as long as all pairs of the two
groups speak for it on the mean; slots of one site are joined where they say the same on most pages. Fails where a
site names nothing and its texts look like those of another attribute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.facts import MEANS, SlotProfile
from tabellion.mine.schema_org import fold_text
from tabellion.mine.slots import KINDS, SlotKey
from tabellion.weights import Weights

WEIGHTS = "mined_attributes"
FEATURES = (
    "label_same", "label_stems", "label_within", "both_labelled", "one_labelled", "last_word", "hints", "hint_label",
    "named_alike", "texts", "texts_within", "text_words", "shapes", "least_main", "most_main", "label_known",
    *(f"both_{kind}" for kind in KINDS), *(f"{kind}_apart" for kind in KINDS), *(f"{mean}_apart" for mean in MEANS),
)  # fmt: skip


def _last(name: str) -> str:
    return name.rpartition(" ")[2]


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return sum(value * large[word] for word, value in small.items() if word in large)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    if not one or not other or one.isdisjoint(other):
        return 0.0
    both = len(one & other)
    return both / (len(one) + len(other) - both)


def _within(one: frozenset[str], other: frozenset[str]) -> float:
    if not one or not other or one.isdisjoint(other):
        return 0.0
    return len(one & other) / min(len(one), len(other))


def compare_slots(
    profiles: Sequence[SlotProfile], pairs: Sequence[tuple[int, int]], known: Mapping[str, int]
) -> NDArray[np.float64]:
    """For each pair what speaks for and against its being one attribute (`FEATURES`); `known`: label → sites."""
    if not pairs:
        return np.zeros((0, len(FEATURES)))
    named = [each.stems | each.hint_stems for each in profiles]
    said = [_compare(profiles[one], profiles[other], _share(named[one], named[other]), known) for one, other in pairs]
    kinds, means = np.array([each.kinds for each in profiles]), np.array([each.means for each in profiles])
    ones, others = np.array(pairs).T
    both, apart = np.minimum(kinds[ones], kinds[others]), np.abs(kinds[ones] - kinds[others])
    return np.hstack([np.array(said), both, apart, np.abs(means[ones] - means[others])])


def _compare(one: SlotProfile, other: SlotProfile, named: float, known: Mapping[str, int]) -> list[float]:
    """What the labels, markup and texts of two slots say."""
    labelled = bool(one.name) + bool(other.name)
    hint_label = max(_within(one.hint_stems, other.stems), _within(other.hint_stems, one.stems))
    return [
        float(bool(one.name) and one.name == other.name),
        _share(one.stems, other.stems),
        _within(one.stems, other.stems),
        float(labelled == 2),
        float(labelled == 1),
        float(bool(one.name) and _last(one.name) == _last(other.name)),
        _share(one.hint_stems, other.hint_stems),
        hint_label,
        named,
        _share(one.folded, other.folded),
        _within(one.folded, other.folded),
        _cosine(one.words, other.words),
        _cosine(one.shapes, other.shapes),
        min(one.main, other.main),
        max(one.main, other.main),
        float(min(known.get(one.name, 0), known.get(other.name, 0))),
    ]


def label_sites(profiles: Sequence[SlotProfile]) -> dict[str, int]:
    """On how many sites each label names something."""
    return Counter(name for _, name in {(each.site, each.name) for each in profiles if each.name})


def candidate_pairs(profiles: Sequence[SlotProfile]) -> Iterator[tuple[int, int]]:
    """The pairs of slots of different sites."""
    for one, other in combinations(range(len(profiles)), 2):
        if profiles[one].site != profiles[other].site:
            yield one, other


def same_on_site(one: SlotProfile, other: SlotProfile) -> bool:
    """Whether two slots of one site say the same on most pages that have both."""
    both = one.texts.keys() & other.texts.keys()
    if len(both) < _TWIN_PAGES or 2 * len(both) < max(len(one.texts), len(other.texts)):
        return False
    same = sum(set(one.texts[page]) == set(other.texts[page]) for page in both)
    return same >= _TWINS * len(both)


_TWIN_PAGES, _TWINS = 3, 0.8


def join_slots(
    profiles: Sequence[SlotProfile], pairs: Sequence[tuple[int, int]], likely: NDArray[np.float64], least: float
) -> list[list[int]]:
    """Groups of slots: the surest pair first, groups joined where the mean over their pairs is at least `least`."""
    count = len(profiles)
    chance = np.zeros((count, count))
    told = np.zeros((count, count))
    for (one, other), value in zip(pairs, likely.tolist(), strict=True):
        chance[one, other] = chance[other, one] = value
        told[one, other] = told[other, one] = 1.0
    groups: dict[int, list[int]] = {number: [number] for number in range(count)}
    sites: dict[int, set[str]] = {number: {profiles[number].site} for number in range(count)}
    sums, numbers = chance.copy(), told.copy()
    for one, other in combinations(range(count), 2):
        beside = profiles[one].site == profiles[other].site and one in groups and other in groups
        if beside and same_on_site(profiles[one], profiles[other]):
            _join(groups, sites, sums, numbers, one, other)
    while True:
        mean = np.where(numbers > 0, sums / np.maximum(numbers, 1), 0.0)
        for one, other in np.argwhere(mean >= least).tolist():
            if sites.get(one, set()) & sites.get(other, set()):
                mean[one, other] = 0.0
        if not mean.size or mean.max() < least:
            break
        first, second = divmod(int(mean.argmax()), count)
        _join(groups, sites, sums, numbers, first, second)
    return list(groups.values())


def _join(
    groups: dict[int, list[int]],
    sites: dict[int, set[str]],
    sums: NDArray[np.float64],
    numbers: NDArray[np.float64],
    one: int,
    other: int,
) -> None:
    """Put the second group to the first."""
    groups[one] += groups.pop(other)
    sites[one] |= sites.pop(other)
    for table in (sums, numbers):
        table[one] += table[other]
        table[:, one] = table[one]
        table[other] = 0.0
        table[:, other] = 0.0
        table[one, one] = 0.0


class Member(msgspec.Struct, frozen=True, omit_defaults=True):
    """A slot of a site that belongs to a unified attribute, how sure that is, and what speaks for it."""

    site: str
    label: str
    slot: SlotKey
    probability: float
    evidence: tuple[str, ...] = ()
    fixed: bool = False  # said by a person: stays as it is


class UnifiedAttribute(msgspec.Struct, frozen=True):
    """An attribute of one kind of things over sites: its name, the type of its texts, and the slots it stands in."""

    name: str
    type: str
    members: tuple[Member, ...]


JOINED = 0.2  # mean chance of the pairs of two groups from which on they are one attribute
_SAID = 0.5  # a member that only its own site speaks for


def unify_slots(
    profiles: Sequence[SlotProfile], fixed: Mapping[tuple[str, SlotKey], str] = {}
) -> list[UnifiedAttribute]:
    """The unified attributes of slots of several sites; those of most sites first. `fixed`: what a person says."""
    known = label_sites(profiles)
    pairs = [
        pair for pair in candidate_pairs(profiles)
        if not any((profiles[each].site, profiles[each].key) in fixed for each in pair)
    ]  # fmt: skip
    rows = compare_slots(profiles, pairs, known)
    likely = Weights().boosted(WEIGHTS, FEATURES).probabilities(rows) if len(rows) else np.zeros(0)
    chance = dict(zip(pairs, likely.tolist(), strict=True))
    groups: dict[str, list[int]] = {}
    free: list[list[int]] = []
    for group in join_slots(profiles, pairs, likely, JOINED):
        rest = [number for number in group if (profiles[number].site, profiles[number].key) not in fixed]
        for number in set(group) - set(rest):
            groups.setdefault(fixed[profiles[number].site, profiles[number].key], []).append(number)
        if rest:
            free.append(rest)
    free.sort(key=lambda group: (-len({profiles[n].site for n in group}), -max(profiles[n].main for n in group)))
    for group in free:
        told = [profiles[number] for number in group]
        if len({each.site for each in told}) < 2 and not any(each.name for each in told):
            continue  # nothing names it and no other site has it
        name = _own_name(told, groups)
        groups[name] = group
    return [_attribute(name, group, profiles, chance, fixed) for name, group in groups.items()]


def _own_name(told: Sequence[SlotProfile], taken: Mapping[str, list[int]]) -> str:
    """What most sites call it; else what markup calls it, or what its texts are; a number where that is taken."""
    names = Counter(each.label for each in told if each.label)
    folded = Counter(name for _, name in {(each.site, each.name) for each in told if each.name})
    hints = Counter(hint for each in told for hint in sorted(each.hints))
    if names:
        chosen = max(names, key=lambda name: (folded[fold_text(name)], names[name], -len(name)))
    elif hints and hints.most_common(1)[0][1] >= max(2, len(told) / 2):
        chosen = hints.most_common(1)[0][0]
    else:
        chosen = _type_of(told)
    number, name = 1, chosen
    while name in taken:
        number += 1
        name = f"{chosen} {number}"
    return name


def _type_of(told: Sequence[SlotProfile]) -> str:
    """The kind of value that most texts are."""
    kinds = np.mean([each.kinds for each in told], axis=0)
    order = [kind for kind in ("money", "phone", "web", "date", "number") if kinds[KINDS.index(kind)] >= _TYPED]
    return order[0] if order else "text"


_TYPED = 0.6


def _attribute(
    name: str,
    group: Sequence[int],
    profiles: Sequence[SlotProfile],
    chance: Mapping[tuple[int, int], float],
    fixed: Mapping[tuple[str, SlotKey], str],
) -> UnifiedAttribute:
    members = []
    for number in group:
        mine = profiles[number]
        by_hand = (mine.site, mine.key) in fixed
        told = [(chance.get((min(number, o), max(number, o))), profiles[o]) for o in group if o != number]
        sure = [value for value, _ in told if value is not None]
        members.append(
            Member(
                site=mine.site,
                label=mine.label,
                slot=mine.key,
                probability=1.0 if by_hand else round(float(np.mean(sure)) if sure else _SAID, 3),
                evidence=("said by a person",) if by_hand else tuple(_evidence(mine, [other for _, other in told])),
                fixed=by_hand,
            )
        )
    return UnifiedAttribute(name, _type_of([profiles[number] for number in group]), tuple(members))


def _evidence(mine: SlotProfile, others: Sequence[SlotProfile]) -> Iterator[str]:
    """What speaks for a slot's place in its group, in words."""
    if any(mine.name and mine.name == other.name for other in others):
        yield "same label"
    elif any(mine.stems & other.stems for other in others):
        yield "words of the label"
    if any(mine.hint_stems & (other.hint_stems | other.stems) for other in others):
        yield "names in the markup"
    if any(mine.folded & other.folded for other in others):
        yield "same values"
    if any(_cosine(mine.shapes, other.shapes) >= _TYPED for other in others):
        yield "values of one shape"
    if any(_cosine(mine.words, other.words) >= _TYPED for other in others):
        yield "words in the values"
