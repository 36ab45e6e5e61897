"""The slots of a page: kinds of places that hold a text of their own on each page of a template, and how they look.

In: a page, and what the pages of its template share. Out: its candidates for values (a text, where it stands, what
names it), each with a row of numbers: what it looks like, where it stands, how often its surroundings come back on the
page. A slot is known by the text that names it and by the tags around it, so that it is found again on every page.
`mine.template_slots` brings the pages together.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.mine.outline import TELLING, Node, Outliner, Sharing, leads_elsewhere, tells_of_many
from tabellion.mine.schema_org import fold_text
from tabellion.mine.template import (
    Template,
    blocks_of,
    find_subject,
    folded_texts,
    line_numbers,
    mask_text,
    places_of,
    segments_of,
    split_label,
    stated_on,
)
from tabellion.model.markup import PageTree
from tabellion.patterns import short_pattern

SlotKey = tuple[str, str, str]  # what names the slot, folded; the tags and classes around it; what its texts share

_FIELDS = frozenset(("option", "select", "textarea", "button", "optgroup"))
_MONEY = re.compile(r"^[^\w]{0,3}(?:[$€£¥]|(?:USD|EUR|GBP|US)\b)\s?\d|\d\s?(?:€|EUR|USD|GBP)\b")
_DATE = re.compile(r"\b(?:19|20)\d\d\b|\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b")
_PHONE = re.compile(r"(?:\+?\d[\s.-]?)?\(?\d{3}\)?[\s./-]{1,3}\d{3}[\s.-]\d{4}")
_NUMBER = re.compile(r"^\W{0,3}[\d.,]+\W{0,2}\w{0,6}$")
_WEB = short_pattern(r"^(?:https?://)?(?:www\.)?[\w-]+\.(?:[\w.-]+)(?:/\S*)?$|\S@\S+\.\w")
_NAME = re.compile(r"^[A-Z][\w.'’&-]*(?:[\s,]+[A-Z][\w.'’&-]*){0,5}[\s,]*$")
_ANCHOR_BACK = 4  # leaves that are gone back to find what names a place
_AROUND = 3  # elements around a text that tell one slot from another
_STEADY = 0.3
WORDS = re.compile(r"[^\W\d_]{2,}")
_NEAR = 8  # leaves on each side that make the surroundings of a text
_HINT = re.compile(r"[a-z]+|[A-Z][a-z]+|[A-Z]{2,}")
_LITTLE = (
    "div span box item list content main left right top bottom first last row col column cell text body wrap wrapper "
    "container inner outer block section module mod value data info details detail label field line link clear fl fr "
    "bold small big font style normal default odd even nav header footer"
)
_SAYING_LITTLE = frozenset(_LITTLE.split())
_VARYING = 0.25  # share of the pages on which a place must change its text, for a text of most pages to be a value

FEATURES = (
    "position", "offset", "count", "anywhere", "words", "letters", "digits", "capital", "sentence", "link", "bold",
    "size", "hidden", "heading", "cell", "entry", "paragraph", "definition", "tight", "loose", "label_depth",
    "label_colon", "label_words", "before_often", "before_colon", "after_often", "line", "table", "segment_size",
    "segment_links", "segment_own", "siblings", "sibling_leaves", "unit_siblings", "place_share", "place_texts",
    "titled", "stated", "money", "date", "phone", "number", "web", "name", "anchored", "marked_class", "depth",
    "inside", "near_labels", "near_often", "near_links", "pages", "times", "distinct", "times_vary",
    "same_elsewhere", "seen",
)  # fmt: skip
_IN_ARRAYS = (
    "link", "bold", "size", "hidden", "table", "segment_size", "segment_links", "segment_own", "near_labels",
    "near_often", "near_links",
)  # fmt: skip
_OF_ARRAYS = (0.0,) * len(_IN_ARRAYS)  # put in for a whole page at once
_HEADINGS = {f"h{level}": 7 - level for level in range(1, 7)}
KINDS = ("money", "date", "phone", "number", "web", "name")
PAGE_FEATURES = len(FEATURES) - 6


class Candidate(msgspec.Struct, frozen=True):
    """A text of a page that may be a value: its leaf, its slot, and the labels over it.

    `tight`: the nearest label stands in the same line, row or entry, or in the text itself, before a colon. `hints` are
    the words of the names that the page's markup gives the place. `placed`: the page's hierarchy has a place for it;
    the cells of tables of many things have none.
    """

    leaf: int
    slot: SlotKey
    label: tuple[str, ...]
    tight: bool
    hints: tuple[str, ...] = ()
    placed: bool = True


class PageSlots(msgspec.Struct, frozen=True, eq=False):
    """The candidates of one page in page order, and what is seen of each."""

    page: PageTree
    candidates: list[Candidate]
    rows: NDArray[np.float64]  # (candidates, features of a page)


def read_slots(page: PageTree, template: Template) -> PageSlots:
    """The candidates of a page."""
    return _SlotReader(page, template).read() if len(page) else PageSlots(page, [], np.zeros((0, PAGE_FEATURES)))


class _SlotReader:
    def __init__(self, page: PageTree, template: Template) -> None:
        self.page, self.template = page, template
        self.counts = template.counts(page)
        self.often = [template.often(count) for count in self.counts]
        self.places = places_of(page)
        self.lines = line_numbers(page)
        self.subject = find_subject(page)
        self.title = fold_text(page.title or "")
        self.stated = stated_on(page)
        self.folded = folded_texts(page)
        self.holders = page.holder.tolist()
        self._hinted: dict[int, tuple[str, ...]] = {}
        self._name_leaves()
        self._segment_leaves()
        self._count_siblings()

    def _name_leaves(self) -> None:
        """For each leaf the labels over it, and whether the nearest is close."""
        page, template = self.page, self.template
        times = Counter(zip(page.texts, self.places, strict=True))
        steady = [
            often and template.slot(place)[0] <= _STEADY and times[text, place] == 1
            for text, place, often in zip(page.texts, self.places, self.often, strict=True)
        ]
        shared = [template.shares(count) for count in self.counts]
        blocks = blocks_of(page)
        nodes = Outliner(blocks, Sharing(shared, self.often, steady)).combine(blocks.root.parts or [blocks.root])
        self.labels: dict[int, tuple[tuple[int, ...], bool]] = {}
        self.heads: set[int] = set()
        waiting: list[tuple[Node, tuple[int, ...], bool]] = [(node, (), False) for node in reversed(nodes)]
        while waiting:
            node, above, tight = waiting.pop()
            below, near = above, tight
            if node.leaf is not None:
                self.labels[node.leaf] = (above, tight)
                if node.children and shared[node.leaf]:
                    self.heads.add(node.leaf)
                    if not leads_elsewhere(page, node):
                        below, near = (*above, node.leaf), node.tight
            waiting.extend((child, below, near) for child in reversed(node.children))
        self.tables = np.zeros(len(page), dtype=bool)
        for table in page.tables:
            if tells_of_many(table):
                self.tables[table.first : table.last] = True

    def _segment_leaves(self) -> None:
        """For each leaf the size of its segment, the share of links in it and that of texts of this page alone."""
        page, starts = self.page, segments_of(self.page)
        self.segments = np.zeros((len(page), 3))
        linked, own = page.link >= 0, ~np.array(self.often)
        for first, last in zip(starts, [*starts[1:], len(page)], strict=True):
            self.segments[first:last] = (
                math.log1p(last - first),
                linked[first:last].mean(),
                own[first:last].mean(),
            )

    def _count_siblings(self) -> None:
        """For each element how often its like stands beside it, and the most of it and those around it."""
        page = self.page
        parents = page.parents.tolist()
        looks = [(p, t, a.get("class", "")) for p, t, a in zip(parents, page.tags, page.attributes, strict=True)]
        sizes = (page.last - page.first).tolist()
        alike = Counter(look for look, size in zip(looks, sizes, strict=True) if size)
        near = [0] * len(parents)
        most: list[tuple[int, int]] = [(0, 0)] * len(parents)
        for element, parent in enumerate(parents):
            own = alike[looks[element]]
            near[element] = own
            above = most[parent] if parent >= 0 else (0, 0)
            tag = page.tags[element]
            most[element] = max(above, (own, sizes[element])) if tag not in ("br", "td", "p") and own > 1 else above
        self.siblings, self.near = most, near

    def read(self) -> PageSlots:
        page, template = self.page, self.template
        candidates: list[Candidate] = []
        rows: list[list[float]] = []
        self.start = self._subject_leaf()
        line_sizes = Counter(self.lines)
        for leaf, text in enumerate(page.texts):
            holder = self.holders[leaf]
            if page.tags[holder] in _FIELDS or not TELLING.search(text):
                continue
            above, tight = self.labels.get(leaf, ((), False))
            if leaf in self.heads:
                continue
            share, texts = template.slot(self.places[leaf])
            folded = self.folded[leaf]
            stated = folded in self.stated
            if self.often[leaf] and not (share >= _VARYING or (above and tight) or stated):
                continue
            anchor, steps = self._anchor(leaf)
            naming = above[-1] if above and tight else anchor
            name = self._named(naming) if naming is not None else ""
            labels = tuple(map(self._label, above))
            split = None if above and tight else split_label(text)
            inside = split is not None and template.is_prefix(split[0])
            if split is not None and inside:
                name, labels = fold_text(split[0]), (*labels, split[0])
            tail = "/".join(self.places[leaf].rsplit("/", _AROUND)[-_AROUND:])
            slot = (name, tail, "")
            candidates.append(Candidate(leaf, slot, labels, tight or inside, self._hints(holder), leaf in self.labels))
            seen = self._look(leaf, text, folded, above, tight)
            seen += [line_sizes[self.lines[leaf]], *_OF_ARRAYS[4:8]]
            siblings, leaves = self.siblings[holder]
            seen += [math.log1p(siblings), math.log1p(leaves), math.log1p(self.near[holder]), share, math.log1p(texts)]
            seen += [len(folded) > 2 and folded in self.title, stated, *value_kinds(text)]
            seen += [steps, bool(page.attributes[holder].get("class")), page.depths[holder], inside, *_OF_ARRAYS[8:]]
            rows.append(seen)
        return PageSlots(page, candidates, self._whole_rows(candidates, rows))

    def _whole_rows(self, candidates: list[Candidate], rows: list[list[float]]) -> NDArray[np.float64]:
        """The rows with what the page has in arrays put in."""
        if not rows:
            return np.zeros((0, PAGE_FEATURES))
        page, leaves = self.page, [each.leaf for each in candidates]
        told = np.array(rows, dtype=np.float64)
        looks = np.column_stack([page.link >= 0, page.bold, page.size, page.hidden, self.tables])
        every = np.hstack([looks, self.segments, self._surroundings()])
        told[:, [FEATURES.index(name) for name in _IN_ARRAYS]] = every[leaves]
        return told

    def _surroundings(self) -> NDArray[np.float64]:
        """For each leaf which shares of those around it are labels of something close, of most pages, and links."""
        page = self.page
        close = np.zeros(len(page))
        for above, tight in self.labels.values():
            if above and tight:
                close[above[-1]] = 1.0
        seen = np.column_stack([close, np.array(self.often, dtype=np.float64), page.link >= 0])
        sums = np.vstack([np.zeros(3), np.cumsum(seen, axis=0)])
        at = np.arange(len(page))
        first, last = np.maximum(at - _NEAR, 0), np.minimum(at + _NEAR + 1, len(page))
        return np.asarray((sums[last] - sums[first]) / (last - first)[:, None])

    def _hints(self, holder: int) -> tuple[str, ...]:
        """The telling words of the classes, ids and properties of the elements right around a text."""
        if holder in self._hinted:
            return self._hinted[holder]
        page = self.page
        found: dict[str, None] = {}
        for element in (holder, int(page.parents[holder])) if holder else (holder,):
            attributes = page.attributes[element]
            for name in ("itemprop", "class", "id"):
                for word in _HINT.findall(attributes.get(name, "")):
                    if len(word) > 2 and word.lower() not in _SAYING_LITTLE:
                        found[word.lower()] = None
        self._hinted[holder] = tuple(found)
        return self._hinted[holder]

    def _subject_leaf(self) -> int:
        texts = self.page.texts
        found = [leaf for leaf, text in enumerate(texts) if text == self.subject]
        heads = [leaf for leaf in found if self.page.tags[self.holders[leaf]] in ("h1", "h2")]
        return (heads or found or [0])[0]

    def _named(self, leaf: int) -> str:
        """The text of a leaf that names another, folded, the page's subject masked."""
        text = self.page.texts[leaf]
        masked = mask_text(text, self.subject, bool(self.page.link[leaf] >= 0))
        return self.folded[leaf] if masked is text else fold_text(masked)

    def _label(self, leaf: int) -> str:
        """The text of a label, without the page's subject where that is part of it."""
        text = self.page.texts[leaf]
        if self.subject and self.subject in text:
            text = text.replace(self.subject, "").strip(" -:|,") or text
        return text

    def _anchor(self, leaf: int) -> tuple[int | None, int]:
        """The nearest text before a leaf that most pages have there, and how far back it is."""
        for back in range(1, _ANCHOR_BACK + 1):
            before = leaf - back
            if before < 0:
                break
            if self.often[before] and any(map(str.isalpha, self.page.texts[before])):
                return before, back
        return None, _ANCHOR_BACK + 1

    def _look(self, leaf: int, text: str, folded: str, above: tuple[int, ...], tight: bool) -> list[float]:
        """What a text looks like, where it stands and what stands around it."""
        page, holder = self.page, self.holders[leaf]
        pages = max(1, self.template.pages)
        tag, around = page.tags[holder], page.tags[max(0, int(page.parents[holder]))]
        tags = (tag, around)
        near = page.texts[above[-1]] if above else ""
        words = len(text.split())
        before, after = max(0, leaf - 1), min(len(page) - 1, leaf + 1)
        return [
            leaf / len(page),
            max(-4.0, min(4.0, (leaf - self.start) / 50)),
            self.counts[leaf] / pages,
            self.template.anywhere.get(text, 0) / pages,
            math.log1p(words),
            math.log1p(len(text)),
            sum(map(str.isdigit, text)) / len(text),
            text[:1].isupper(),
            text[-1] in ".!?…" and words > 5,
            *_OF_ARRAYS[:4],
            _HEADINGS.get(tag) or _HEADINGS.get(around, 0),
            "td" in tags or "th" in tags,
            "li" in tags,
            "p" in tags,
            "dd" in tags or "dt" in tags,
            bool(above) and tight,
            bool(above) and not tight,
            len(above),
            near.endswith(":"),
            len(near.split()),
            self.often[before],
            page.texts[before].endswith(":"),
            self.often[after],
        ]


@lru_cache(maxsize=20_000)
def value_kinds(text: str) -> tuple[bool, ...]:
    """What kinds of value a text may be."""
    patterns = (_MONEY, _DATE, _PHONE, _NUMBER, _WEB, _NAME)
    return tuple(pattern.search(text) is not None for pattern in patterns)
