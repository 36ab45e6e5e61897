"""The slots of a template, over all of its pages: which are one, which hold several things, and what is seen of each.

In: the candidates of each page (`mine.slots`). Out: the same with slots joined and parted, and for each slot one row of
numbers: what is seen of it on pages, and how its texts change from page to page. What the numbers mean is learned
(`mine.facts`), not said here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.slots import PAGE_FEATURES, WORDS, Candidate, PageSlots, SlotKey

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
