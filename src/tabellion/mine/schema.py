"""One schema over sites: which slots of different sites mean the same.

In: for each site its slots that tell of the pages' things: label, names in the markup, texts. Out: unified attributes,
each with the slots that belong to it, how sure that is, and why. Two slots are compared by label, by what markup calls
them, by the kinds, words and shapes of their texts, by texts that both have, and by where they stand; learned trees
weigh that, which have seen other verticals. Slots are then joined, the surest first, as long as all pairs of the two
groups speak for it on the mean; slots of one site are joined where they say the same on most pages. Fails where a
site names nothing and its texts look like those of another attribute.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.concepts import stems_of
from tabellion.mine.schema_org import fold_text
from tabellion.mine.slots import FEATURES as SLOT_FEATURES
from tabellion.mine.slots import KINDS, WORDS, SlotKey

WEIGHTS = "mined_attributes"
_MEANS = ("words", "letters", "digits", "capital", "link", "times", "distinct", "offset", "position", "pages", "titled")
FEATURES = (
    "label_same", "label_stems", "label_within", "both_labelled", "one_labelled", "last_word", "hints", "hint_label",
    "named_alike", "texts", "texts_within", "text_words", "shapes", "least_main", "most_main", "label_known",
    *(f"both_{kind}" for kind in KINDS), *(f"{kind}_apart" for kind in KINDS), *(f"{mean}_apart" for mean in _MEANS),
)  # fmt: skip
_MOST_TEXTS = 300
_STRIPPED = ":*?.-–—= "


class SlotProfile(msgspec.Struct, eq=False, dict=True):
    """What is known of a slot of a site: its texts by page (a number), its label and hints, its row of numbers."""

    site: str
    key: SlotKey
    row: NDArray[np.float64]
    main: float
    label: str = ""
    hints: frozenset[str] = frozenset()
    texts: dict[int, list[str]] = msgspec.field(default_factory=dict)

    def settle(self) -> None:
        """Take down what comparing asks for again and again."""
        all_texts = [text for page in self.texts.values() for text in page][:_MOST_TEXTS]
        self.folded = frozenset(filter(None, map(fold_text, all_texts)))
        bare = self.label.strip(_STRIPPED)
        self.name = fold_text(bare)
        self.stems = stems_of(bare, "en")
        self.last = self.name.rpartition(" ")[2]
        self.hint_stems = frozenset(stem for hint in self.hints for stem in stems_of(hint, "en"))
        self.words = _unit(Counter(word for text in all_texts for word in set(WORDS.findall(text.casefold()))))
        self.shapes = _unit(Counter(_shape(text) for text in all_texts))
        self.kinds = self.row[_places(KINDS)]
        self.means = self.row[_places(_MEANS)]


def _places(names: Sequence[str]) -> list[int]:
    return [SLOT_FEATURES.index(name) for name in names]


def _unit(counts: Counter[str]) -> dict[str, float]:
    """Counts as a vector of length one."""
    length = math.sqrt(sum(count * count for count in counts.values())) or 1.0
    return {word: count / length for word, count in counts.items()}


def _shape(text: str) -> str:
    """A text with its letters and digits run together: `$ 9,9`, `A a`.

    >>> _shape("$1,250.00"), _shape("New York, NY 10019")
    ('$9,9.9', 'Aa Aa, A 9')
    """
    shape: list[str] = []
    for letter in text[:40]:
        kind = "9" if letter.isdigit() else ("A" if letter.isupper() else "a") if letter.isalpha() else letter
        if not shape or shape[-1] != kind:
            shape.append(kind)
    return "".join(shape)


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    small, large = (one, other) if len(one) <= len(other) else (other, one)
    return sum(value * large[word] for word, value in small.items() if word in large)


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _within(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0


def compare(one: SlotProfile, other: SlotProfile, known: Mapping[str, int]) -> list[float]:
    """What speaks for and against two slots being one attribute: a row of `FEATURES`; `known`: label → sites."""
    labelled = bool(one.name) + bool(other.name)
    hint_label = max(_within(one.hint_stems, other.stems), _within(other.hint_stems, one.stems))
    named = _share(one.stems | one.hint_stems, other.stems | other.hint_stems)
    both, apart = np.minimum(one.kinds, other.kinds), np.abs(one.kinds - other.kinds)
    return [
        float(bool(one.name) and one.name == other.name),
        _share(one.stems, other.stems),
        _within(one.stems, other.stems),
        float(labelled == 2),
        float(labelled == 1),
        float(bool(one.last) and one.last == other.last),
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
        *both.tolist(),
        *apart.tolist(),
        *np.abs(one.means - other.means).tolist(),
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
        if profiles[one].site == profiles[other].site and one in groups and other in groups:
            if same_on_site(profiles[one], profiles[other]):
                _join(groups, sites, sums, numbers, one, other)
    while True:
        mean = np.where(numbers > 0, sums / np.maximum(numbers, 1), 0.0)
        for one, other in np.argwhere(mean >= least).tolist():
            if sites.get(one, set()) & sites.get(other, set()):
                mean[one, other] = 0.0
        if not mean.size or mean.max() < least:
            break
        one, other = np.unravel_index(int(mean.argmax()), mean.shape)
        _join(groups, sites, sums, numbers, int(one), int(other))
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
