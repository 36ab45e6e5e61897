"""Pages as a picture, SVG or PNG, with what was understood drawn over them: of a PDF, and of a site that was mined.

Of a PDF. In: an extraction. Out: the pages that hold tables, one below the other: words and rules as printed, each
table in a frame with its id, each cell in the colour of its role. The words are drawn from what was read, so that the
picture also shows what was not. Fails to mark cells whose text has no place on the page, such as those of scanned
tables. As PNG they are drawn as they are printed, at 144 dots an inch; fewer where a page is so large that its picture
would not fit in memory. Pages are drawn and written one after the other.

Of a mined site. In: mined sites and the address or file of one of their pages. Out: a drawing of its segments, labels
and facts. Where the page can be rendered, its words stand where a reader sees them, over the boxes of their segments;
else each text is a line, in page order, indented by the labels over it, and segments are bands with numbers. Labels are
blue, facts green with the name of their unified attribute and the chance that they are facts, other texts that change
grey, what all pages share light. Fails on a page that is in none of the sites, with an error that says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tabellion.cli.drawing.sheet import SHOWN_ROLES
from tabellion.errors import SourceMissingError, TabellionError
from tabellion.export.chart import encode_png
from tabellion.model.grid import GridPart
from tabellion.model.markup import PageTree, RenderedPage
from tabellion.model.place import Box
from tabellion.model.printed import DrawnBox, DrawnLine, DrawnText, PrintedPage, Scene
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.read.pdf.document import PrintedPages
from tabellion.read.pdf.picture import PictureMark, Pixels, picture_marks
from tabellion.relate import CELL_ROLES, label_cells

if TYPE_CHECKING:
    from tabellion.mine.facts import Fact
    from tabellion.mine.slots import PageSlots, SlotKey
    from tabellion.mine.things import UnifiedSites

COLOURS = {
    "title": "#ffd58a",
    "header": "#7fb2ff",
    "stub": "#a8dcf5",
    "group": "#dcb0ef",
    "value": "#e4e8ec",
    "derived": "#a9e5a2",
    "note": "#d8d2c0",
    "other": "#d0d0d0",
}
GAP = 24  # points between two pages
FRAME = "#d0021b"
BEHIND = "#8a8f94"  # the colour behind the pages
_MOST_PAGES = 40  # of a longer document the first ones are drawn


def mark_pages(extraction: Extraction) -> list[tuple[PrintedPage, list[PictureMark]]]:
    """The pages that hold tables, with their marks; of a long document the first ones."""
    tables: dict[int, list[tuple[Table, GridPart]]] = {}
    for table in extraction.tables:
        for part in table.grid.parts or (GridPart(table.place, (0, table.grid.shape[0] - 1)),):
            tables.setdefault(part.place.page or 0, []).append((table, part))
    pages = [page for page in extraction.document.pages if isinstance(page, PrintedPage) and page.number in tables]
    return [
        (page, [mark for table, part in tables[page.number] for mark in _mark_table(table, part)])
        for page in pages[:_MOST_PAGES]
    ]


def mark_legend() -> list[PictureMark]:
    """The colours and their meaning, for the top of the first page."""
    return [
        PictureMark(Box(8 + 52 * number, 6, 58 + 52 * number, 18), colour, True, *[SHOWN_ROLES.get(role, role)] * 2)
        for number, (role, colour) in enumerate(COLOURS.items())
    ]


def _mark_table(table: Table, part: GridPart) -> Iterator[PictureMark]:
    """The cells of a table on one page, and a frame around them."""
    grid, roles = table.grid, label_cells(table.nested)
    if grid.boxes is not None:
        for row in range(part.rows[0], part.rows[1] + 1):
            for column in range(grid.shape[1]):
                role = CELL_ROLES[roles[row, column]]
                if role is not None:
                    box = Box(*grid.boxes[row, column].tolist())
                    said = f"{role}: {grid.text[row, column]}"
                    if box.left == box.left:  # a cell without print has no box
                        yield PictureMark(_wider(box, 1.5), COLOURS[role], True, said)
    if part.place.box is not None:
        yield PictureMark(_wider(part.place.box, 4), FRAME, False, f"table {table.id}", table.id)


def _wider(box: Box, margin: float) -> Box:
    return Box(box.left - margin, box.top - margin, box.right + margin, box.bottom + margin)


def write_svg(extraction: Extraction, path: Path) -> None:
    """Write the picture."""
    path.write_text("".join(_draw(extraction)), encoding="utf-8")


def _draw(extraction: Extraction) -> Iterator[str]:
    shown = mark_pages(extraction)
    width = max((page.width for page, _ in shown), default=300.0)
    height = sum(page.height + GAP for page, _ in shown) + GAP
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="sans-serif">\n'
    yield f'<rect width="{width:g}" height="{height:g}" fill="{BEHIND}"/>\n'
    top = float(GAP)
    for page, marks in shown:
        yield f'<g transform="translate({(width - page.width) / 2:g},{top:g})">\n'
        yield f'<rect width="{page.width:g}" height="{page.height:g}" fill="#fff"/>\n'
        yield from map(_draw_mark, marks)
        yield from _draw_print(page)
        yield "</g>\n"
        top += page.height + GAP
    yield from map(_draw_mark, mark_legend())
    yield "</svg>\n"


def _draw_mark(mark: PictureMark) -> str:
    left, top, right, bottom = mark.box
    place = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}" height="{bottom - top:.1f}"'
    look = f'fill="{mark.colour}"' if mark.filled else f'fill="none" stroke="{mark.colour}" stroke-width="1"'
    drawn = f"<rect {place} {look}><title>{escape(mark.said)}</title></rect>\n"
    if mark.letters:
        x, y = (left + 4, bottom - 3) if mark.filled else (left, top - 2)
        colour = "#000" if mark.filled else mark.colour
        drawn += f'<text x="{x:.1f}" y="{y:.1f}" font-size="7" fill="{colour}">{escape(mark.letters)}</text>\n'
    return drawn


def _draw_print(page: PrintedPage) -> Iterator[str]:
    """Rules and words as they lie on the page; sideways text too."""
    for left, top, right, bottom in (*page.across.tolist(), *page.down.tolist()):
        across = max(right - left, 0.4), max(bottom - top, 0.4)
        yield f'<rect x="{left:.1f}" y="{top:.1f}" width="{across[0]:.1f}" height="{across[1]:.1f}" fill="#444"/>\n'
    for view in (page, *page.sideways):
        words = view.words
        for text, box, base, size, font in zip(
            words.text.tolist(), words.box.tolist(), words.baseline.tolist(), words.size.tolist(),
            words.font.tolist(), strict=True,
        ):  # fmt: skip
            weight = ' font-weight="bold"' if view.fonts[font].bold else ""
            place = f'x="{box[0]:.1f}" y="{base:.1f}" textLength="{max(box[2] - box[0], 0.1):.1f}"'
            turned = f' transform="{_turned(view)}"' if view.turn else ""
            yield (
                f'<text {place} lengthAdjust="spacingAndGlyphs" font-size="{size:.1f}"{weight}{turned}>'
                f"{escape(text)}</text>\n"
            )


def _turned(view: PrintedPage) -> str:
    """How a view of sideways text lies on its page."""
    places = {90: f"translate(0,{view.width:g}) rotate(-90)", 270: f"translate({view.height:g},0) rotate(90)"}
    return places.get(view.turn, f"translate({view.width:g},{view.height:g}) rotate(180)")


_SCALE = 2.0  # pixels a point
_LONGEST_SIDE = 5_000.0  # pixels of a page
_NARROWEST = 430.0  # points, so that the legend fits


def write_png(extraction: Extraction, path: Path) -> None:
    """Write the picture."""
    shown = mark_pages(extraction)
    longest = max((max(page.width, page.height) for page, _ in shown), default=1.0)
    scale = min(_SCALE, _LONGEST_SIDE / longest)
    widest = max([_NARROWEST, *(page.width for page, _ in shown)])
    width, gap = round(widest * scale), round(GAP * scale)
    height = gap + sum(round(page.height * scale) + gap for page, _ in shown)
    pages = extraction.document.pages

    def strips() -> Iterator[Pixels]:
        yield picture_marks(mark_legend(), (widest, GAP), scale)
        for page, marks in shown:
            size = page.width, page.height
            if isinstance(pages, PrintedPages):
                yield _multiplied(pages.picture(page.number, scale), picture_marks(marks, size, scale))
            yield np.full((gap, 1, 3), _BEHIND, dtype=np.uint8)

    path.write_bytes(b"".join(encode_png(strips(), width, height, _BEHIND)))


_BEHIND = tuple(bytes.fromhex(BEHIND[1:]))


def _multiplied(page: Pixels, marks: Pixels) -> Pixels:
    """Marks laid over a page as a marker pen does."""
    return (page.astype(np.uint16) * marks // 255).astype(np.uint8)


_ROW, _STEP, _WIDE, _LEFT, _LETTERS = 18, 24, 1100, 60, 90  # points: line, indent, width, margin; letters shown
_BANDS = ("#ffffff", "#f3f5f8")
_LABEL, _FACT, _BESIDE, _SHARED = "#0b4fa0", "#116b2e", "#5f5f5f", "#767676"
_GROUND = {_LABEL: "#d9e7fb", _FACT: "#d6f0dc", _BESIDE: "#ececec"}
_EDGE = "#b06000"
_LETTER_HEIGHT = 0.72  # of a word's box

Part = DrawnBox | DrawnLine | DrawnText
Corners = tuple[float, float, float, float]


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
    from tabellion.mine.template import segments_of

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


def _around(boxes: list[Corners]) -> Corners:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _draw_layout(seen: SeenPage, rendered: RenderedPage, places: dict[int, list[int]]) -> Iterator[Part]:
    boxes: list[Corners] = [(left, top, right, bottom) for left, top, right, bottom in rendered.words.box.tolist()]
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
    from tabellion.read.chromium.rendered import read_rendered

    try:
        pages = read_rendered(data, address=address, path=Path(source) if Path(source).exists() else None).pages
    except TabellionError:
        return None
    return next((page for page in pages if isinstance(page, RenderedPage)), None)
