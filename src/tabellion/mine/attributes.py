"""The attributes of one page of a template: label paths and values.

In: a page and what it shares with others of its template. Out: attributes in page order. Segments in which nothing
changes from page to page are decoration and are left out; labels are texts that pages share, with the headings over
them; a value is a line of text, or each link of a line of links. A value that nothing names is kept where its kind of
place holds one text of its own on most pages, as a title does, or where the page states it in schema.org markup. Fails
on facts told in sentences.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

import msgspec

from tabellion.mine.facts import TemplateFacts
from tabellion.mine.outline import TELLING, Node, Outliner, Sharing, leads_elsewhere
from tabellion.mine.schema_org import fold_text
from tabellion.mine.slots import PageSlots
from tabellion.mine.template import (
    Template,
    blocks_of,
    box_elements,
    find_subject,
    line_numbers,
    places_of,
    segments_of,
    split_label,
    stated_on,
)
from tabellion.model.markup import PageTree

_ENTRIES = frozenset(("li", "p", "dd", "div"))
_FIELDS = frozenset(("option", "select", "textarea", "button", "optgroup"))
_ENDS = frozenset('.!?…"”)')
_SEVERAL = 2  # facts in places of one kind that speak for the others there
_STEADY = 0.3  # share of the pages on which the place of a plain label may hold something else


class AttributeSettings(msgspec.Struct, frozen=True):
    """When a value without a label is kept."""

    words: int = 40  # it is not longer: else it is running text
    pages: float = 0.5  # share of the pages on which such a place holds a text of its own
    texts: float = 2.0  # how many lines with such texts a page has there, on average
    trimmings: float = 0.04  # chance of a fact below which a text goes, though something may name it
    company: float = 0.4  # share of the named texts in places of one kind that must be facts for the others to stay
    unnamed: float = 0.25  # chance from which on it stays, though the page's hierarchy gives it no place
    letters: int = 400  # longer ones are running text
    sentence: int = 12  # a text of so many words that ends as a sentence does is told, not stated


class Attribute(msgspec.Struct, frozen=True, omit_defaults=True):
    """A label path (outermost first, empty where the page names none), a value and the CSS path of the value.

    In a record of a list, `field` names its kind of place there, the same in all records.
    """

    label: tuple[str, ...]
    value: str
    path: str
    field: str = ""


def read_attributes(
    page: PageTree, template: Template, settings: AttributeSettings = AttributeSettings()
) -> list[Attribute]:
    """The attributes of a page."""
    if not len(page):
        return []
    reader = _Reader(page, template, settings)
    return list(dict.fromkeys(attribute for attribute, _, _ in reader.read()))


def read_facts(
    seen: PageSlots, learned: TemplateFacts, settings: AttributeSettings = AttributeSettings()
) -> list[Attribute]:
    """The attributes of a page that tell of its own subject.

    Of what the page's labels name, those texts go that stand in slots of trimmings, unless they stand with facts:
    "Student body: Coed" says the same on every page, but stands in a row like those of the facts around it. Texts in
    slots that hold facts come in besides, though nothing names them.
    """
    page = seen.page
    if not len(page):
        return []
    facts = learned.read(seen)
    chances = {fact.leaf: fact.chance for fact in facts}
    reader = _Reader(page, learned.template, settings)
    found: dict[Attribute, None] = {}
    covered: set[int] = set()
    for attribute, first, last in reader.choose(chances):
        found[attribute] = None
        covered.update(range(first, last))
    for fact in facts:
        text = page.texts[fact.leaf]
        stays = fact.placed and fact.chance >= settings.unnamed and len(text) <= settings.letters
        if stays and fact.leaf not in covered:
            path = page.css_path(int(page.holder[fact.leaf]))
            found[Attribute(fact.label if fact.tight else (), text, path)] = None
    return list(found)


Spanned = tuple[Attribute, int, int]
"""An attribute, with the first leaf of its value and the one after the last."""


class _Reader:
    def __init__(self, page: PageTree, template: Template, settings: AttributeSettings) -> None:
        self.page = page
        self.template = template
        self.settings = settings
        counts = template.counts(page)
        self.often = [template.often(count) for count in counts]
        self.places = places_of(page)
        times = Counter(zip(page.texts, self.places, strict=True))
        steady = [
            often and template.slot(place)[0] <= _STEADY and times[text, place] == 1
            for text, place, often in zip(page.texts, self.places, self.often, strict=True)
        ]
        self.sharing = Sharing([template.shares(count) for count in counts], self.often, steady)
        self.subject = find_subject(page)
        self.stated = stated_on(page)
        self.boxes = box_elements(page)
        self.lines = line_numbers(page)

    def read(self) -> Iterator[Spanned]:
        blocks, starts = blocks_of(self.page), segments_of(self.page)
        nodes = Outliner(blocks, self.sharing).combine(blocks.root.parts or [blocks.root])
        live = [False] * len(self.page)
        for first, last in zip(starts, [*starts[1:], len(self.page)], strict=True):
            changes = any(
                not often and TELLING.search(text)
                for often, text in zip(self.often[first:last], self.page.texts[first:last], strict=True)
            )
            live[first:last] = [changes] * (last - first)
        self.live = live
        for leaf, holder in enumerate(self.page.holder.tolist()):
            if self.page.tags[holder] in _FIELDS:
                live[leaf] = False
        yield from self._walk(nodes, (), True)

    def choose(self, chances: Mapping[int, float]) -> Iterator[Spanned]:
        """The attributes that are likely enough, or that are named and stand in places of one kind with such."""
        told: list[tuple[Spanned, bool]] = []
        company: dict[int, list[bool]] = {}
        for spanned in self.read():
            attribute, first, last = spanned
            chance = max((chances[leaf] for leaf in range(first, last) if leaf in chances), default=1.0)
            likely = chance >= self.settings.trimmings or fold_text(attribute.value) in self.stated
            told.append((spanned, likely))
            if attribute.label:
                company.setdefault(self._place(first), []).append(likely)
        for spanned, likely in told:
            beside = company.get(self._place(spanned[1]), []) if spanned[0].label else []
            if likely or (sum(beside) >= _SEVERAL and sum(beside) >= self.settings.company * len(beside)):
                yield spanned

    def _place(self, leaf: int) -> int:
        """The kind of place that a leaf stands in."""
        return self.page.path_numbers[int(self.page.holder[leaf])]

    def _walk(self, nodes: list[Node], labels: tuple[str, ...], tight: bool) -> Iterator[Spanned]:
        """The attributes of nodes below a label path."""
        lines: list[list[int]] = []
        for node in nodes:
            if node.leaf is not None and not node.children and self.live[node.leaf]:
                if lines and self.lines[lines[-1][-1]] == self.lines[node.leaf]:
                    lines[-1].append(node.leaf)
                else:
                    lines.append([node.leaf])
        elsewhere = [line for line in lines if not self._leads_away(line)]
        lines = elsewhere or lines
        listed = self._listed(lines)
        close = False
        if labels and not tight:
            own = sum(not all(map(self._is_known, line)) for line in lines)
            if 2 * own < len(lines):
                lines = [line for line in lines if not all(map(self._is_known, line))]
                listed = self._listed(lines)
            close = len({self._kind(line) for line in lines}) == 1
        for number, line in enumerate(lines):
            named = labels if tight or number in listed or close else ()
            yield from self._line(line, named, number in listed)
        for node in nodes:
            if node.leaf is None or node.children:
                below, near = labels, tight
                if node.leaf is not None:
                    if self.sharing.shared[node.leaf] and not leads_elsewhere(self.page, node):
                        below, near = (*labels, self._label(node.leaf)), node.tight
                    elif self.live[node.leaf] and not self.sharing.shared[node.leaf]:
                        yield from self._line([node.leaf], labels, False)
                yield from self._walk(node.children, below, near)

    def _kind(self, line: list[int]) -> int:
        """The kind of box that a line stands in."""
        return self.page.path_numbers[self.boxes[line[0]]]

    def _listed(self, lines: list[list[int]]) -> set[int]:
        """The lines that are entries of a list: several of one kind side by side, not links, most the page's own."""
        kinds: dict[int, list[int]] = {}
        for number, line in enumerate(lines):
            kinds.setdefault(self._kind(line), []).append(number)
        found: set[int] = set()
        for numbers in kinds.values():
            if self.page.tags[self.boxes[lines[numbers[0]][0]]] not in _ENTRIES:
                continue
            around = [int(self.page.parents[self.boxes[lines[number][0]]]) for number in numbers]
            beside = sum(one == other for one, other in pairwise(around))
            linked = sum(all(self.page.link[leaf] >= 0 for leaf in lines[number]) for number in numbers)
            own = sum(not all(map(self._is_known, lines[number])) for number in numbers)
            if len(numbers) >= 3 and 2 * beside >= len(numbers) - 1 and 2 * linked <= len(numbers) <= 2 * own:
                found.update(numbers)
        return found

    def _is_known(self, leaf: int) -> bool:
        """Whether most pages have the leaf's text, here or elsewhere."""
        return self.often[leaf] or self.template.is_known(self.page.texts[leaf])

    def _leads_away(self, line: list[int]) -> bool:
        """Whether a line is only links that most pages have, as those to more of the same are."""
        return all(self.often[leaf] and self.page.link[leaf] >= 0 for leaf in line)

    def _label(self, leaf: int) -> str:
        """The text of a label, without the page's subject where that is part of it."""
        text = self.page.texts[leaf]
        if self.subject and self.subject in text:
            text = text.replace(self.subject, "").strip(" -:|,") or text
        return text

    def _varies(self, leaf: int) -> bool:
        """Whether a leaf's kind of place changes its text from page to page."""
        return not self.often[leaf] or self.template.slot(self.places[leaf])[0] >= self.settings.pages

    def _line(self, leaves: list[int], labels: tuple[str, ...], listed: bool) -> Iterator[Spanned]:
        """The values of one line: each part of an enumeration, else the whole line, and its parts that have names."""
        page = self.page
        first, last = leaves[0], leaves[-1] + 1
        if len(leaves) > 1:
            links = {int(page.link[leaf]) for leaf in leaves}
            apart = (len(links) > 1 and min(links) >= 0) or last - first >= 2 * len(leaves) - 1
            if apart:
                away = [leaf for leaf in leaves if self._leads_away([leaf])]
                leaves = [leaf for leaf in leaves if leaf not in away] or leaves
            if apart or (not labels and all(page.attributes[int(page.holder[leaf])].get("class") for leaf in leaves)):
                for leaf in leaves:
                    yield from self._value(leaf, leaf + 1, labels, listed)
            if apart:
                return
        while len(leaves) > 1 and self._leads_away(leaves[-1:]):
            leaves, last = leaves[:-1], leaves[-2] + 1  # "Map It" beside an address
        if not labels and not listed:
            own = [leaf for leaf in leaves if not self.often[leaf]]
            if own and len(own) < len(leaves):
                first, last = own[0], own[-1] + 1
        yield from self._value(first, last, labels, listed)

    def _value(self, first: int, last: int, labels: tuple[str, ...], listed: bool) -> Iterator[Spanned]:
        """One value, with what its text names itself by a colon."""
        page, template = self.page, self.template
        value = page.join(first, last)
        if not TELLING.search(value) or (value.endswith(":") and self.sharing.shared[last - 1]):
            return
        path = page.css_path(int(page.holder[first]))
        split = split_label(value)
        if split is not None and template.is_prefix(split[0]):
            yield Attribute((*labels, split[0]), split[1], path), first, last
            yield Attribute((), value, path), first, last
            return
        if fold_text(value) in self.stated:
            yield Attribute(labels, value, path), first, last
            return
        if not listed and not any(map(self._varies, range(first, last))):
            return
        if not labels and not listed:
            share, texts = template.slot(self.places[first])
            words = len(value.split())
            if all(self.often[first:last]) or words > self.settings.words:
                return
            if words >= self.settings.sentence and value[-1] in _ENDS:
                return
            if share < self.settings.pages or texts > self.settings.texts:
                return
        yield Attribute(labels, value, path), first, last
