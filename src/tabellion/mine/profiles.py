"""What is to be known of the slots of a template to compare them with those of other sites.

In: the pages of a template, its slots and the chance of each that it holds facts. Out: a profile of each slot that may
be an attribute: its label, what markup calls it, its texts by page, and their words, shapes and kinds. A label that
stands in the texts themselves ("Phone: 334-229-4400") is no part of what is compared. Fails where the nearest label is
that of something else ("Image Viewer" over a price): the slot is then compared under that name.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.facts import SlotTable
from tabellion.mine.labels import stems_of
from tabellion.mine.schema_org import fold_text
from tabellion.mine.slots import FEATURES, WORDS, PageSlots, SlotKey, value_kinds
from tabellion.mine.template import bare_value

MEANS = ("words", "letters", "digits", "capital", "link", "times", "distinct", "offset", "position", "pages", "titled")
_MOST_TEXTS = 300
_PAGES = 0.2  # share of the pages of a template that an attribute is on
_TIMES = 8  # texts of an attribute on one page
_STRIPPED = ":*?.-–—= "


class SlotProfile(msgspec.Struct, eq=False):
    """What is known of a slot of a site: its texts by page (a number), its label, and what comparing asks for."""

    site: str
    key: SlotKey
    main: float
    label: str
    texts: dict[int, list[str]]
    name: str  # the label, folded
    stems: frozenset[str]
    hint_stems: frozenset[str]
    hints: frozenset[str]
    folded: frozenset[str]
    words: dict[str, float]
    shapes: dict[str, float]
    kinds: NDArray[np.float64]
    means: NDArray[np.float64]


def describe_slots(
    site: str,
    pages: Sequence[PageSlots],
    slots: SlotTable,
    chances: NDArray[np.float64],
    language: str | None = "en",
    least: float = 0.0,
) -> list[SlotProfile]:
    """The slots of a template that may be attributes: likely enough, on enough pages, not too often on one."""
    texts: dict[SlotKey, dict[int, list[str]]] = {}
    labels: dict[SlotKey, Counter[str]] = {}
    hints: dict[SlotKey, Counter[str]] = {}
    for number, page in enumerate(pages):
        for each in page.candidates:
            if chances[slots.numbers[each.slot]] < least:
                continue
            texts.setdefault(each.slot, {}).setdefault(number, []).append(page.page.texts[each.leaf])
            if each.tight and each.label:
                labels.setdefault(each.slot, Counter())[each.label[-1]] += 1
            hints.setdefault(each.slot, Counter()).update(each.hints)
    found: list[SlotProfile] = []
    for slot, held in texts.items():
        times = sum(map(len, held.values()))
        if len(held) < _PAGES * len(pages) or times > _TIMES * len(held):
            continue
        label, often = labels.get(slot, Counter({"": 0})).most_common(1)[0]
        hinted = frozenset(hint for hint, count in hints[slot].items() if 2 * count >= times)
        number = slots.numbers[slot]
        found.append(
            _profile(
                site, slot, float(chances[number]), label if 2 * often >= times else "", hinted, held,
                slots.rows[number], language,
            )
        )  # fmt: skip
    return found


def _profile(
    site: str, slot: SlotKey, chance: float, label: str, hints: frozenset[str], held: dict[int, list[str]],
    row: NDArray[np.float64], language: str | None,
) -> SlotProfile:  # fmt: skip
    bare = label.strip(_STRIPPED)
    all_texts = [bare_value(text, (bare,)) for page in held.values() for text in page][:_MOST_TEXTS]
    return SlotProfile(
        site=site,
        key=slot,
        main=chance,
        label=bare,
        texts=held,
        name=fold_text(bare),
        stems=stems_of(bare, language),
        hint_stems=frozenset(stem for hint in hints for stem in stems_of(hint, language)),
        hints=hints,
        folded=frozenset(filter(None, map(fold_text, all_texts))),
        words=_unit(Counter(word for text in all_texts for word in set(WORDS.findall(text.casefold())))),
        shapes=_unit(Counter(_shape(text) for text in all_texts)),
        kinds=np.array([value_kinds(text) for text in all_texts], dtype=np.float64).mean(axis=0),
        means=row[[FEATURES.index(name) for name in MEANS]],
    )


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
