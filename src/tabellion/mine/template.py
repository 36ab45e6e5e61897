"""What the pages of one template share: the texts that come back, and the places whose text changes.

In: some pages of one template. Out: for each leaf of any such page, on how many of those pages its text stands at the
like place. The paper aligns the segments of two pages (section 6.1, see `alignment`); counting over all pages given
keeps labels apart that only some pages have. Fails on a page alone, where nothing can be told apart.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TypeVar

import msgspec

from tabellion.mine.blocks import INLINE, Blocks
from tabellion.mine.hierarchy import cut_blocks
from tabellion.mine.schema_org import fold_text, marked_texts, read_stated, stated_texts
from tabellion.model.markup import NO_ELEMENT, PageTree

_SUBJECT_WORDS = 14
_ENTRY_LEAVES = 10  # an entry of a list that is one line has at most so many texts
_ENTRY_WORDS = 40  # and words
_ENTRY_BREAKS = frozenset(("br", "hr", "ul", "ol", "dl", "table", "h1", "h2", "h3", "h4", "h5", "h6"))
_AROUND = 4  # elements around a text that tell its place
_NUMBER = re.compile(r"\d[\d.,]*")
_LABELLED = re.compile(r"([^:=]{1,60}?)(?::\s+|\s+=\s+)(\S.*)")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
SHARED = 0.2  # share of the pages that a label is on at least
OFTEN = 0.5  # share of the pages from which on a text is the template's, whatever it looks like


T = TypeVar("T")


def _once(compute: Callable[[PageTree], T]) -> Callable[[PageTree], T]:
    """What is asked of a page again and again is worked out once and kept with the page."""
    name = f"once_{compute.__name__}"

    @wraps(compute)
    def found(page: PageTree) -> T:
        memory: dict[str, T] = page.__dict__
        if name not in memory:
            memory[name] = compute(page)
        return memory[name]

    return found


def split_label(text: str) -> tuple[str, str] | None:
    """The label that a text begins with, and what follows its colon or equals sign; None where it has none.

    >>> split_label("Engine: 4.0L V-6"), split_label("Engine = 4.0L V-6"), split_label("12:30")
    (('Engine', '4.0L V-6'), ('Engine', '4.0L V-6'), None)
    """
    split = _LABELLED.fullmatch(text)
    return (split[1], split[2]) if split else None


def bare_value(value: str, label: Sequence[str]) -> str:
    """A value without its own label and what parts them.

    >>> bare_value("Engine: 4.0L V-6", ["Engine"]), bare_value(": Italian", ["Cuisine"]), bare_value("12:30", [])
    ('4.0L V-6', 'Italian', '12:30')
    """
    inside = split_label(value)
    if inside is not None and label and inside[0].strip(": ") == label[-1].strip(": "):
        value = inside[1]
    return value.strip(" :|=\u00a0") or value


class Template(msgspec.Struct, frozen=True, eq=False):
    """How many pages have a text at a kind of place, and how often a kind of place changes its text."""

    pages: int
    texts: dict[tuple[str, str], int]
    prefixes: dict[str, int]
    slots: dict[str, tuple[int, int]]  # place -> pages on which it holds a text of its own, lines with such in all
    anywhere: dict[str, int]  # text -> pages that have it, wherever it stands

    def counts(self, page: PageTree) -> list[int]:
        """For each leaf on how many of the pages its text stands at such a place, the page's subject masked."""
        return [self.texts.get(key, 0) for key in _keys(page)]

    def often(self, count: int) -> bool:
        """Whether a text on so many pages is the template's."""
        return count >= max(2, OFTEN * self.pages)

    def is_known(self, text: str) -> bool:
        """Whether most pages have this text somewhere."""
        return self.often(self.anywhere.get(text, 0))

    def shares(self, count: int) -> bool:
        """Whether a text on so many pages may be a label, as not every page needs every label."""
        return count >= max(2, SHARED * self.pages)

    def is_prefix(self, text: str) -> bool:
        """Whether pages write this before a colon or an equals sign again and again, with different texts after it."""
        return self.prefixes.get(text, 0) >= max(2, OFTEN * self.pages / 2)

    def slot(self, place: str) -> tuple[float, float]:
        """On which share of the pages a place holds a text of its own, and how many such texts a page then."""
        pages, texts = self.slots.get(place, (0, 0))
        return pages / max(1, self.pages), texts / max(1, pages)


def learn_template(pages: Iterable[PageTree]) -> Template:
    """What the pages share."""
    texts: Counter[tuple[str, str]] = Counter()
    prefixes: dict[str, set[str]] = {}
    kept: list[tuple[list[tuple[str, str]], list[str], list[int]]] = []
    anywhere: Counter[str] = Counter()
    for page in pages:
        keys = _keys(page)
        texts.update(set(keys))
        kept.append((keys, places_of(page), line_numbers(page)))
        anywhere.update(set(page.texts))
        for text in page.texts:
            split = split_label(text)
            if split is not None and len(split[0].split()) <= 5:
                prefixes.setdefault(split[0], set()).add(split[1])
    slots: dict[str, tuple[int, int]] = {}
    most = max(2, OFTEN * len(kept))
    for keys, places, lines in kept:
        seen = {(place, line) for key, place, line in zip(keys, places, lines, strict=True) if texts[key] < most}
        own = Counter(place for place, _ in seen)
        for place, number in own.items():
            before = slots.get(place, (0, 0))
            slots[place] = (before[0] + 1, before[1] + number)
    return Template(
        len(kept), dict(texts), {head: len(rests) for head, rests in prefixes.items()}, slots, dict(anywhere)
    )


@_once
def blocks_of(page: PageTree) -> Blocks:
    """The blocks of a page."""
    return Blocks(page)


@_once
def segments_of(page: PageTree) -> list[int]:
    """The first leaves of a page's segments."""
    return cut_blocks(blocks_of(page))


@_once
def folded_texts(page: PageTree) -> list[str]:
    """The texts of a page without case and marks."""
    return list(map(fold_text, page.texts))


@_once
def stated_on(page: PageTree) -> set[str]:
    """What a page states of itself in its markup, folded."""
    return stated_texts(read_stated(page.data)) | marked_texts(page)


@_once
def places_of(page: PageTree) -> list[str]:
    """The kind of place of each leaf: the tags and classes around it."""
    names: list[str] = []
    known: dict[tuple[str, str, str], str] = {}
    for element, parent in enumerate(page.parents.tolist()):
        name = page.attributes[element].get("class", "").split(" ")[0]
        above = names[parent] if parent >= 0 else ""
        key = (above, page.tags[element], "" if any(letter.isdigit() for letter in name) else name)
        names.append(known.setdefault(key, f"{above}/{key[1]}.{key[2]}"))
    return [names[holder] for holder in page.holder.tolist()]


@_once
def find_subject(page: PageTree) -> str | None:
    """What the page is about: the longest of its short texts that its title names, a heading's first."""
    title = (page.title or "").lower()
    best: tuple[bool, int, str] | None = None
    for text, holder in zip(page.texts, page.holder.tolist(), strict=True):
        if len(text) > 2 and len(text.split()) <= _SUBJECT_WORDS and text.lower() in title:
            found = (page.tags[holder] in ("h1", "h2"), len(text), text)
            best = max(best, found) if best else found
    return best[2] if best else None


def mask_text(text: str, subject: str | None, linked: bool) -> str:
    r"""A text with the page's subject masked, and in a link the numbers too, where words remain that pages may share.

    >>> mask_text("Heat news", "Heat", False), mask_text("See all 14 reviews", None, True)
    ('\x00 news', 'See all \x01 reviews')
    >>> mask_text("Heat", "Heat", False)
    'Heat'
    """
    masked = text.replace(subject, "\x00") if subject and subject in text else text
    if linked:
        masked = _NUMBER.sub("\x01", masked)
    return masked if masked != text and len(_LETTERS.findall(masked)) >= (2 if linked else 1) else text


@_once
def _keys(page: PageTree) -> list[tuple[str, str]]:
    """The text of each leaf with the tags and classes right around it, so that a shift of the markup does no harm."""
    subject = find_subject(page)
    found: list[tuple[str, str]] = []
    for text, place, link in zip(page.texts, places_of(page), page.link.tolist(), strict=True):
        found.append((mask_text(text, subject, link >= 0), "/".join(place.rsplit("/", _AROUND)[-_AROUND:])))
    return found


@_once
def box_elements(page: PageTree) -> list[int]:
    """For each leaf the box that its line stands in; a short entry of a list is one line, whatever boxes are in it."""
    boxes: list[int] = []
    entries: list[int] = []
    for element, parent in enumerate(page.parents.tolist()):
        tag = page.tags[element]
        entry = entries[parent] if parent >= 0 else NO_ELEMENT
        if tag == "li" and _is_short_entry(page, element):
            entry = element
        entries.append(entry)
        if entry != NO_ELEMENT:
            boxes.append(entry)
        else:
            boxes.append(boxes[parent] if tag in INLINE and parent >= 0 else element)
    return [boxes[holder] for holder in page.holder.tolist()]


def _is_short_entry(page: PageTree, element: int) -> bool:
    first, last = int(page.first[element]), int(page.last[element])
    if not 1 < last - first <= _ENTRY_LEAVES:
        return False
    inside = page.tags[element + 1 : page.ends[element]]
    return _ENTRY_BREAKS.isdisjoint(inside) and sum(len(t.split()) for t in page.texts[first:last]) <= _ENTRY_WORDS


@_once
def line_numbers(page: PageTree) -> list[int]:
    """A number for each leaf that leaves of one line share: same box, no break between."""
    breaks = {int(page.first[element]) for element, tag in enumerate(page.tags) if tag in ("br", "hr")}
    numbers: list[int] = []
    number, before = 0, -1
    for leaf, box in enumerate(box_elements(page)):
        if box != before or leaf in breaks:
            number += 1
        before = box
        numbers.append(number)
    return numbers
