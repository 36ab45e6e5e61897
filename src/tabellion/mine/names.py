"""What each page's thing is called: the slot of a template that holds its name.

In: pages of one template, with their slots. Out: for each page a name. What pages put around a name alike ("… at
Example.org", "Reviews of …") is cut off; the slot is then chosen by learned trees, which see how far its texts are the
page's title, how they are set, how often they come back, whether the page states them as a name. The parts of the
title, and headings of several texts, are slots here too. Fails on a page alone whose title says more than the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.schema_org import fold_text, read_stated
from tabellion.mine.slots import PageSlots, SlotKey
from tabellion.mine.template import folded_texts
from tabellion.weights import Weights

FEATURES = (
    "titled", "covers", "begins_title", "title_part", "whole_heading", "heading", "size", "bold", "link", "first",
    "offset", "pages", "once", "distinct", "words", "digits", "capitals", "comes_back", "within_others", "stated",
    "labelled", "cut", "begins_own", "covers_own", "alone", "elsewhere", "own_title", "rank",
)  # fmt: skip
WEIGHTS = "mined_names"

_BREAKS = re.compile(r"(?<!\s)\s+[-–—|»>•·~]+\s+|(?:(?<!\s)\s+)?::\s*|:\s+|(?:(?<!\s)\s+)?\|\s*")
_HEADINGS = {f"h{level}": 7 - level for level in range(1, 7)}
_ALIKE = 0.9  # share of the pages that must have a word at one end of a text, that it is no part of the name
_FEW = 3  # pages that must differ before anything is cut off
_WORDS = 25
_SECOND = 0.005  # what a second witness adds
_SEVERAL = 4  # pages from which on it is told whose own a text is
_OWN = 0.5  # share of the pages, or of the other pages, that tells it
_ELSEWHERE = 0.2  # what is left of a chance where most other pages have the text too, as they do that of a menu
_SOME = 12  # pages on which a name is looked for that is another page's
_PARTS = 4  # parts of a title that are looked at


class NameSlot(msgspec.Struct, eq=False):
    """The texts of a slot by page (its first text there), and where they stand."""

    texts: dict[int, str]
    places: dict[int, tuple[int, float, float, bool, bool, bool]]  # leaf, heading, size, bold, link, labelled
    times: int = 0
    kind: str = "leaf"
    cut: int = 0


def name_slots(pages: Sequence[PageSlots]) -> dict[SlotKey, NameSlot]:
    """The slots that may hold names: those of texts, whole headings, parts of the title."""
    found: dict[SlotKey, NameSlot] = {}
    for number, slots in enumerate(pages):
        page = slots.page
        holders = page.holder.tolist()
        for each in slots.candidates:
            slot = found.setdefault(("", each.slot[1], ""), NameSlot({}, {}))
            slot.times += 1
            text = page.texts[each.leaf]
            if number in slot.texts or len(text.split()) > _WORDS:
                continue
            slot.texts[number] = text
            tags = [page.tags[element] for element in page.ancestors(holders[each.leaf])[:3]]
            level = max((_HEADINGS.get(tag, 0) for tag in tags), default=0)
            look = (float(page.size[each.leaf]), bool(page.bold[each.leaf]), bool(page.link[each.leaf] >= 0))
            slot.places[number] = (each.leaf, float(level), *look, each.tight)
        for element, tag in enumerate(page.tags):
            first, last = int(page.first[element]), int(page.last[element])
            if tag in _HEADINGS and 1 < last - first <= 6:
                key = (f"<{tag}>", page.attributes[element].get("class", ""), "")
                slot = found.setdefault(key, NameSlot({}, {}, kind="heading"))
                slot.times += 1
                if number not in slot.texts:
                    slot.texts[number] = page.join(first, last)
                    look = (float(page.size[first]), bool(page.bold[first]), bool(page.link[first] >= 0))
                    slot.places[number] = (first, float(_HEADINGS[tag]), *look, False)
        for part, text in enumerate(_BREAKS.split(page.title or "")[:_PARTS]):
            if text.strip():
                slot = found.setdefault(("<title>", str(part), ""), NameSlot({}, {}, kind="title"))
                slot.times += 1
                slot.texts[number] = text.strip()
                slot.places[number] = (0, 0.0, 0.0, False, False, False)
    for slot in found.values():
        slot.cut = _cut_ends(slot)
    return found


def _cut_ends(slot: NameSlot) -> int:
    """Cut off the words that nearly all pages have at the ends; how many that are."""
    own, count = cut_alike(slot.texts)
    slot.texts = {number: text.strip(" -–—|:,;»'\"") or slot.texts[number] for number, text in own.items()}
    return count


def cut_alike(texts: Mapping[int, str]) -> tuple[dict[int, str], int]:
    """Texts without the words that nearly all of them begin or end with, and how many words that are.

    >>> cut_alike({0: "Stats of Bibby - News", 1: "Stats of Wafer - News", 2: "Stats of Uzoh - News"})
    ({0: 'Bibby', 1: 'Wafer', 2: 'Uzoh'}, 4)
    """
    words = {number: text.split() for number, text in texts.items()}
    count = 0
    if len({tuple(each) for each in words.values()}) < _FEW:
        return dict(texts), count
    for last in (False, True):
        while True:
            ends = Counter(each[-1 if last else 0].casefold() for each in words.values() if len(each) > 1)
            word, times = ends.most_common(1)[0] if ends else ("", 0)
            if times < _ALIKE * len(words):
                break
            for number, each in words.items():
                if len(each) > 1 and each[-1 if last else 0].casefold() == word:
                    words[number] = each[:-1] if last else each[1:]
            count += 1
    return {number: " ".join(each) for number, each in words.items()}, count


def name_features(pages: Sequence[PageSlots], slots: Mapping[SlotKey, NameSlot]) -> NDArray[np.float64]:
    """One row of `FEATURES` for each slot."""
    own, _ = cut_alike({number: each.page.title or "" for number, each in enumerate(pages)})
    told = [_PageTexts(each, own[number]) for number, each in enumerate(pages)]
    rows = np.array([_slot_row(slot, told) for slot in slots.values()])
    if len(rows):
        order = np.argsort(np.argsort(-(rows[:, 0] * rows[:, 1] + 0.1 * rows[:, 5]), kind="stable"), kind="stable")
        rows[:, -1] = np.minimum(order, 10)
    return rows


class _PageTexts:
    """What names are compared with on one page."""

    def __init__(self, slots: PageSlots, own: str) -> None:
        page = slots.page
        self.size = max(1, len(page))
        self.title = fold_text(page.title or "")
        self.own = fold_text(own)  # the title without what all pages have at its ends
        folded = folded_texts(page)
        self.times = Counter(folded)
        self.all = " | ".join(folded)
        names = [each.get("name") or each.get("headline") for each in read_stated(page.data)]
        marked = [
            attributes.get("content") or page.text_of(element)
            for element, attributes in enumerate(page.attributes)
            if attributes.get("itemprop") == "name"
        ]
        self.stated = {fold_text(name) for name in (*names, *marked) if isinstance(name, str)}


def _slot_row(slot: NameSlot, pages: Sequence[_PageTexts]) -> list[float]:
    rows: list[tuple[float, ...]] = []
    for number, text in slot.texts.items():
        page, folded = pages[number], fold_text(text)
        leaf, heading, size, bold, link, labelled = slot.places[number]
        inside = bool(folded) and folded in page.title
        row = (
            inside,
            len(folded) / max(1, len(page.title)) if inside else 0.0,
            inside and page.title.startswith(folded),
            slot.kind == "title",
            slot.kind == "heading",
            heading,
            size,
            bold,
            link,
            leaf / page.size,
            min(leaf, 400) / 100,
            0.0, 0.0, 0.0,
            min(12, len(text.split())),
            sum(map(str.isdigit, text)) / max(1, len(text)),
            sum(word[:1].isupper() for word in text.split()) / max(1, len(text.split())),
            min(6, page.times[folded]),
            min(10, page.all.count(folded)) if len(folded) > 2 else 0,
            folded in page.stated,
            labelled,
            min(6, slot.cut),
            bool(folded) and page.own.startswith(folded),
            min(1.0, len(folded) / max(1, len(page.own))) if folded and folded in page.own else 0.0,
            0.0, 0.0, 0.0, 0.0,
        )  # fmt: skip
        rows.append(row)
    count = max(1, len(slot.texts))
    row = np.array(rows, dtype=np.float64).reshape(-1, len(FEATURES)).sum(axis=0) / count
    row[11], row[12] = count / max(1, len(pages)), slot.times / count
    row[13] = len(set(slot.texts.values())) / count
    row[24] = len(pages) == 1
    shown = [(number, fold_text(text)) for number, text in list(slot.texts.items())[:_SOME]]
    others = [(folded, page) for number, folded in shown for at, page in enumerate(pages[:_SOME]) if at != number]
    row[25] = sum(folded in page.all for folded, page in others) / max(1, len(others))
    row[26] = row[0] - sum(bool(folded) and folded in page.title for folded, page in others) / max(1, len(others))
    return [float(value) for value in row]


def choose_names(pages: Sequence[PageSlots]) -> list[str | None]:
    """The name of each page's thing: of the likeliest slot that the page has."""
    slots = name_slots(pages)
    if not slots:
        return [None] * len(pages)
    rows = name_features(pages, slots)
    likely = Weights().boosted(WEIGHTS, FEATURES).probabilities(rows) * may_name(rows, len(pages))
    return list(names_by_slot(len(pages), slots, likely))


def may_name(rows: NDArray[np.float64], pages: int) -> NDArray[np.float64]:
    """How far slots may hold names: their texts differ from page to page; those on most other pages are doubtful."""
    if pages < _SEVERAL:
        return np.ones(len(rows))
    distinct, elsewhere = rows[:, FEATURES.index("distinct")], rows[:, FEATURES.index("elsewhere")]
    return np.asarray((distinct >= _OWN) * np.where(elsewhere <= 1 - _OWN, 1.0, _ELSEWHERE))


def names_by_slot(pages: int, slots: Mapping[SlotKey, NameSlot], likely: NDArray[np.float64]) -> Iterator[str | None]:
    """For each page the text that its slots speak for: the likeliest one, and those that say the same."""
    weighed = list(zip(slots.values(), likely.tolist(), strict=True))
    for number in range(pages):
        votes: dict[str, list[tuple[float, str]]] = {}
        for slot, chance in weighed:
            if number in slot.texts:
                votes.setdefault(fold_text(slot.texts[number]), []).append((chance, slot.texts[number]))
        best = max(votes.values(), key=lambda each: _weigh([chance for chance, _ in each]), default=None)
        yield max(best)[1] if best else None


def _weigh(chances: Sequence[float]) -> float:
    """How much several witnesses say together: as much as the best of them, the others count for little."""
    return max(chances) + _SECOND * min(1.0, sum(chances) - max(chances))
