"""The slots of a template over all of its pages: which hold facts of a page's own subject, and what each is like.

Facts, told from menus, related items, advertising and comments. In: pages of one template. Out: for each page its texts
that change from page to page, each with the labels over it and the chance that it is a fact of the page's own subject.
The slots of the template (candidates of each page by `mine.slots`, joined and parted) have one row of numbers each:
what is seen of them on pages, and how their texts change from page to page. Learned trees judge them, which have seen
sites of other matters; nothing is thrown away. A template is learned from some pages; a slot that only later pages have
is judged by what is seen of it there. Fails on a page alone, where nothing changes.

Profiles, by which slots are compared with those of other sites. In: the pages, the slots and the chance of each that it
holds facts. Out: for each slot that may be an attribute its label, what markup calls it, its texts by page, and their
words, shapes and kinds. A label that stands in the texts themselves ("Phone: 334-229-4400") is no part of what is
compared. Fails where the nearest label is that of something else ("Image Viewer" over a price).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.labels import stems_of
from tabellion.mine.schema_org import fold_text
from tabellion.mine.slots import FEATURES, PAGE_FEATURES, WORDS, Candidate, PageSlots, SlotKey, read_slots, value_kinds
from tabellion.mine.template import Template, bare_value, learn_template
from tabellion.model.markup import PageTree
from tabellion.weights import Weights

_PART_PAGES, _PART_TIMES = 3, 1.4  # pages that tell parts of a slot, and texts a page from which on it may have some
_PART_SHARE, _PART_ALIKE = 0.5, 0.6  # share of the pages that have a part's word; of texts that two words share
_STEM, _BOTH = 4, 0.1  # first letters that like labels share; share of the pages that may have two like slots


class SlotTable(msgspec.Struct, frozen=True, eq=False):
    """The slots of a template, each with a row of `FEATURES`."""

    numbers: dict[SlotKey, int]
    rows: NDArray[np.float64]


def same_slots(pages: Sequence[PageSlots]) -> dict[SlotKey, SlotKey]:
    """Slots that are one under several names, each with the one that stands for it.

    "Genre:" and "Genres:" at one kind of place, where labels have the same first letters and no page has both; places
    that nothing names but what happens to stand before them, where no page has both.
    """
    on: dict[SlotKey, set[int]] = {}
    named: dict[SlotKey, bool] = {}
    for number, each in enumerate(pages):
        for candidate in each.candidates:
            on.setdefault(candidate.slot, set()).add(number)
            named[candidate.slot] = bool(candidate.tight and candidate.label)
    alike: dict[tuple[str, str], list[SlotKey]] = {}
    for slot in sorted(on, key=lambda slot: -len(on[slot])):
        alike.setdefault((slot[1], slot[0][:_STEM] if named[slot] else ""), []).append(slot)
    found: dict[SlotKey, SlotKey] = {}
    for (_, stem), slots in alike.items():
        for number, slot in enumerate(slots):
            for other in slots[:number]:
                apart = len(on[slot] & on[other]) <= _BOTH * len(on[slot])
                if other not in found and apart and (not stem or _same_word(slot[0], other[0])):
                    found[slot] = other
                    on[other] |= on[slot]
                    break
    return found


def _same_word(one: str, other: str) -> bool:
    """Whether two labels differ in their last letters alone."""
    return abs(len(one) - len(other)) <= 2 and (one[:-2] == other[: len(one) - 2] or one.startswith(other[:-1]))


def stand_in(each: PageSlots, same: Mapping[SlotKey, SlotKey]) -> PageSlots:
    """The candidates of a page with the slots that stand for theirs."""
    made = [
        msgspec.structs.replace(candidate, slot=same[candidate.slot]) if candidate.slot in same else candidate
        for candidate in each.candidates
    ]
    return msgspec.structs.replace(each, candidates=made)


def part_slots(pages: Sequence[PageSlots]) -> dict[SlotKey, dict[str, str]]:
    """For slots that hold several things on each page: which words tell them apart, and the part each stands for.

    "16 mpg city / 22 mpg highway" and "4.0 litre engine" in entries of one list: words that come back on most pages,
    and always together, make a part.
    """
    held: dict[SlotKey, list[tuple[int, frozenset[str]]]] = {}
    for number, each in enumerate(pages):
        for candidate in each.candidates:
            words = frozenset(WORDS.findall(each.page.texts[candidate.leaf].casefold()))
            held.setdefault(candidate.slot, []).append((number, words))
    found: dict[SlotKey, dict[str, str]] = {}
    for slot, texts in held.items():
        on = len({number for number, _ in texts})
        if on >= _PART_PAGES and len(texts) >= _PART_TIMES * on:
            parts = _find_parts(texts, on)
            if parts:
                found[slot] = parts
    return found


def _find_parts(texts: list[tuple[int, frozenset[str]]], pages: int) -> dict[str, str]:
    where: dict[str, set[int]] = {}
    on: dict[str, set[int]] = {}
    for number, (page, words) in enumerate(texts):
        for word in words:
            where.setdefault(word, set()).add(number)
            on.setdefault(word, set()).add(page)
    common = sorted((word for word in on if len(on[word]) >= _PART_SHARE * pages), key=lambda word: -len(where[word]))
    parts: dict[str, str] = {}
    for word in common:
        if len(where[word]) > _PART_TIMES * len(on[word]):
            continue  # in several texts of a page: it tells nothing apart
        like = next((other for other in parts if _overlap(where[word], where[other]) >= _PART_ALIKE), None)
        parts[word] = parts[like] if like is not None else word
    return parts


def _overlap(one: set[int], other: set[int]) -> float:
    return len(one & other) / len(one | other)


def place_in_parts(each: PageSlots, parts: Mapping[SlotKey, Mapping[str, str]]) -> PageSlots:
    """The candidates of a page with their slots parted."""
    made: list[Candidate] = []
    for candidate in each.candidates:
        words = parts.get(candidate.slot)
        if words:
            found = Counter(
                words[word] for word in WORDS.findall(each.page.texts[candidate.leaf].casefold()) if word in words
            )
            part = found.most_common(1)[0][0] if found else ""
            candidate = msgspec.structs.replace(candidate, slot=(*candidate.slot[:2], part))
        made.append(candidate)
    return msgspec.structs.replace(each, candidates=made)


def gather_slots(pages: Sequence[PageSlots]) -> SlotTable:
    """The slots of some pages of a template."""
    numbers: dict[SlotKey, int] = {}
    held: list[dict[int, list[str]]] = []
    sums: list[NDArray[np.float64]] = []
    for each in pages:
        texts: dict[int, list[str]] = {}
        for candidate, row in zip(each.candidates, each.rows, strict=True):
            number = numbers.setdefault(candidate.slot, len(numbers))
            texts.setdefault(number, []).append(each.page.texts[candidate.leaf])
            if number == len(sums):
                sums.append(np.zeros(PAGE_FEATURES))
            sums[number] += row
        held.append(texts)
    told = np.array(sums) if sums else np.zeros((0, PAGE_FEATURES))
    return SlotTable(numbers, np.hstack([*_over_pages(held, told)]))


def _over_pages(held: list[dict[int, list[str]]], sums: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """The means of what is seen on pages, then what only several pages tell."""
    count = len(sums)
    pages, times, squares = (np.zeros(count) for _ in range(3))
    texts: list[list[str]] = [[] for _ in range(count)]
    for page in held:
        for number, found in page.items():
            pages[number] += 1
            times[number] += len(found)
            squares[number] += len(found) ** 2
            texts[number] += found
    yield sums / np.maximum(times, 1)[:, None]
    most = max(1, len(held))
    mean = times / np.maximum(pages, 1)
    distinct = np.array([len(set(each)) / max(1, len(each)) for each in texts])
    often = np.array([max(Counter(each).values(), default=0) / max(1, len(each)) for each in texts])
    vary = np.sqrt(np.maximum(0.0, squares / np.maximum(pages, 1) - mean**2))
    yield np.column_stack(
        [pages / most, np.log1p(mean), distinct, np.log1p(vary), often, np.full(count, math.log1p(most))]
    )


WEIGHTS = "mined_facts"
MAIN = 0.05  # chance from which on a text is a fact: few slots are facts, and a fact lost costs more than one too many


class Fact(msgspec.Struct, frozen=True):
    """A text of a page: its leaf, its slot, the labels over it, and the chance that it is a fact of the subject."""

    leaf: int
    slot: SlotKey
    label: tuple[str, ...]
    tight: bool
    placed: bool
    chance: float

    @property
    def main(self) -> bool:
        return self.chance >= MAIN


class TemplateFacts(msgspec.Struct, frozen=True, eq=False):
    """What was learned of a template: what its pages share, its slots, how they are parted, and the chance of each."""

    template: Template
    same: dict[SlotKey, SlotKey]
    parts: dict[SlotKey, dict[str, str]]
    slots: SlotTable
    chances: NDArray[np.float64]

    def view(self, page: PageTree) -> PageSlots:
        """The candidates of a page."""
        return place_in_parts(stand_in(read_slots(page, self.template), self.same), self.parts)

    def read(self, seen: PageSlots) -> list[Fact]:
        """The texts of a page with their chances."""
        unknown = [each for each in seen.candidates if each.slot not in self.slots.numbers]
        later: dict[SlotKey, float] = {}
        if unknown:
            alone = gather_slots([seen])
            later = dict(zip(alone.numbers, judge_slots(alone.rows).tolist(), strict=True))
        return [self._fact(each, later) for each in seen.candidates]

    def _fact(self, each: Candidate, later: dict[SlotKey, float]) -> Fact:
        number = self.slots.numbers.get(each.slot)
        chance = later[each.slot] if number is None else float(self.chances[number])
        return Fact(each.leaf, each.slot, each.label, each.tight, each.placed, chance)


def learn_facts(pages: Iterable[PageTree]) -> tuple[TemplateFacts, list[PageSlots]]:
    """What is to be known of a template to read its pages, and what was seen of these pages."""
    facts, views = view_template(list(pages))
    return msgspec.structs.replace(facts, chances=judge_slots(facts.slots.rows)), views


def view_template(trees: list[PageTree]) -> tuple[TemplateFacts, list[PageSlots]]:
    """The same, before the slots are judged."""
    template = learn_template(trees)
    views = [read_slots(page, template) for page in trees]
    same = same_slots(views)
    views = [stand_in(each, same) for each in views]
    parts = part_slots(views)
    views = [place_in_parts(each, parts) for each in views]
    slots = gather_slots(views)
    return TemplateFacts(template, same, parts, slots, np.zeros(len(slots.rows))), views


def judge_slots(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """The chance of each slot that it holds facts of the page's own subject."""
    return Weights().boosted(WEIGHTS, FEATURES).probabilities(rows) if len(rows) else np.zeros(0)


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
