"""What mining saw on a page, drawn: its segments, labels, facts, and what stands beside them.

In: mined sites and the address or file of one of their pages. Out: a drawing. Where the page can be rendered, its words
stand where a reader sees them, over the boxes of their segments; else each text is a line, in page order, indented by
the labels over it, and segments are bands with numbers. Labels are blue, facts green with the name of their unified
attribute and the chance that they are facts, other texts that change grey, what all pages share light. Fails on a page
that is in none of the sites, with an error that says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

import msgspec

from tabellion.errors import SourceMissingError, TabellionError
from tabellion.mine.facts import Fact
from tabellion.mine.slots import PageSlots, SlotKey
from tabellion.mine.template import segments_of
from tabellion.mine.things import UnifiedSites
from tabellion.model.markup import PageTree, RenderedPage
from tabellion.model.printed import DrawnBox, DrawnLine, DrawnText, Scene

_ROW, _STEP, _WIDE, _LEFT, _LETTERS = 18, 24, 1100, 60, 90  # points: line, indent, width, margin; letters shown
_BANDS = ("#ffffff", "#f3f5f8")
_LABEL, _FACT, _BESIDE, _SHARED = "#0b4fa0", "#116b2e", "#5f5f5f", "#767676"
_GROUND = {_LABEL: "#d9e7fb", _FACT: "#d6f0dc", _BESIDE: "#ececec"}
_EDGE = "#b06000"
_LETTER_HEIGHT = 0.72  # of a word's box

Part = DrawnBox | DrawnLine | DrawnText
Box = tuple[float, float, float, float]


class SeenPage(msgspec.Struct, frozen=True, eq=False):
    """A page of mined sites: its source, and for each text what it was taken for."""

    source: str
    page: PageTree
    facts: dict[int, Fact]
    labels: frozenset[str]
    names: dict[SlotKey, str]

    def colour(self, leaf: int) -> str:
        """The colour that says what a text was taken for."""
        fact = self.facts.get(leaf)
        if fact is None:
            return _LABEL if self.page.texts[leaf] in self.labels else _SHARED
        return _FACT if fact.main else _BESIDE

    def said(self, leaf: int) -> str:
        """The unified attribute of a fact, and its chance."""
        fact = self.facts.get(leaf)
        if fact is None:
            return ""
        name = self.names.get(fact.slot, "") if fact.main else ""
        return f"{name} {fact.chance:.2f}".strip()


def find_page(unified: UnifiedSites, wanted: str) -> SeenPage:
    """What was seen on a page, named by its address or file."""
    for template in unified.templates:
        for source in template.sources:
            view = template.views.get(source)
            at = view.page.address if view is not None else None
            if wanted not in (source, at) and not source.endswith(f"/{wanted}"):
                continue
            tree = view.page if view is not None else template.load(source)
            if tree is not None:
                seen = view or template.facts.view(tree)
                return _tell(
                    source, seen, template.facts.read(seen), _names(unified, template.site.name, template.kind)
                )
    raise SourceMissingError(f"{wanted}: is no page of the sites given; name it as `mine --unified` prints its source")


def _names(unified: UnifiedSites, site: str, kind: str) -> dict[SlotKey, str]:
    """The unified attribute of each slot of a site."""
    return {
        member.slot: attribute.name
        for schema in unified.schemas
        if schema.kind == kind
        for attribute in schema.attributes
        for member in attribute.members
        if member.site == site
    }


def _tell(source: str, seen: PageSlots, facts: list[Fact], names: dict[SlotKey, str]) -> SeenPage:
    labels = frozenset(text for fact in facts for text in fact.label)
    return SeenPage(source, seen.page, {fact.leaf: fact for fact in facts}, labels, names)


def draw_page(seen: SeenPage, rendered: RenderedPage | None = None) -> Scene:
    """A page as a drawing: over its layout where it is rendered, else a line for each text."""
    if rendered is not None and len(rendered.words):
        places = _place_leaves(seen.page, rendered)
        return Scene(rendered.width, rendered.height, tuple(_draw_layout(seen, rendered, places)))
    return Scene(_WIDE, _ROW * (len(seen.page) + 2), tuple(_draw_lines(seen)))


def _segments(page: PageTree) -> list[tuple[int, int]]:
    starts = segments_of(page) if len(page) else []
    return list(zip(starts, [*starts[1:], len(page)], strict=True)) if starts else []


def _draw_lines(seen: SeenPage) -> Iterator[Part]:
    page = seen.page
    for number, (first, last) in enumerate(_segments(page)):
        top = _ROW * (first + 1) - 13
        yield DrawnBox(0, top, _WIDE, _ROW * (last - first), _BANDS[number % 2])
        yield DrawnText(8, top + 13, str(number + 1), 13, colour=_SHARED)
    for leaf, text in enumerate(page.texts):
        fact, y, colour = seen.facts.get(leaf), _ROW * (leaf + 1), seen.colour(leaf)
        x = _LEFT + _STEP * (len(fact.label) if fact is not None else 0)
        yield DrawnText(x, y, text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…", 13, colour=colour)
        if fact is not None:
            yield DrawnText(_WIDE - 8, y, seen.said(leaf), 13, "end", colour)


def _place_leaves(page: PageTree, rendered: RenderedPage) -> dict[int, list[int]]:
    """The words of each text of the page; both stand in document order, hidden texts are not drawn."""
    told = [(word, leaf) for leaf, text in enumerate(page.texts) for word in text.split()]
    drawn = [str(word) for word in rendered.words.text.tolist()]
    matcher = SequenceMatcher(None, [word for word, _ in told], drawn, autojunk=False)
    found: dict[int, list[int]] = {}
    for first, at, length in matcher.get_matching_blocks():
        for step in range(length):
            found.setdefault(told[first + step][1], []).append(at + step)
    return found


def _around(boxes: list[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _draw_layout(seen: SeenPage, rendered: RenderedPage, places: dict[int, list[int]]) -> Iterator[Part]:
    boxes: list[Box] = [(left, top, right, bottom) for left, top, right, bottom in rendered.words.box.tolist()]
    yield DrawnBox(0, 0, rendered.width, rendered.height, _BANDS[0])
    for number, (first, last) in enumerate(_segments(seen.page)):
        held = [boxes[word] for leaf in range(first, last) for word in places.get(leaf, ())]
        if held:
            left, top, right, bottom = _around(held)
            corners = ((left - 3, top - 3), (right + 3, top - 3), (right + 3, bottom + 3), (left - 3, bottom + 3))
            yield DrawnLine((*corners, corners[0]), _EDGE, 0.8, f"segment {number + 1}")
            yield DrawnText(left - 5, top + 7, str(number + 1), 8, "end", _EDGE)
    for leaf, words in places.items():
        colour, said = seen.colour(leaf), seen.said(leaf)
        for word in words:
            left, top, right, bottom = boxes[word]
            if colour in _GROUND:
                yield DrawnBox(left, top, right - left, bottom - top, _GROUND[colour], said)
            size = max(4.0, (bottom - top) * _LETTER_HEIGHT)
            yield DrawnText(left, top + (bottom - top) * 0.78, str(rendered.words.text[word]), size, colour=colour)
        if said and colour == _FACT:
            left, top, _, _ = boxes[words[0]]
            yield DrawnText(left, top + 1, said, 6, colour=_FACT)


def render_page(data: bytes, address: str | None, source: str) -> RenderedPage | None:
    """A page as Chromium draws it; None where there is no Chromium or it cannot draw the page."""
    from pathlib import Path

    from tabellion.read.chromium.rendered import read_rendered

    try:
        pages = read_rendered(data, address=address, path=Path(source) if Path(source).exists() else None).pages
    except TabellionError:
        return None
    return next((page for page in pages if isinstance(page, RenderedPage)), None)
