"""What mining saw on a page, drawn: its segments, labels, facts, and what stands beside them (SVG).

In: mined sites and the address or file of one of their pages. Out: the text of a file that needs nothing else. Each
text of the page is a line, in page order, indented by the labels over it; segments are bands with numbers. Labels are
blue, facts green with the name of their unified attribute and the chance that they are facts, other texts that change
grey, what all pages share light. Fails on a page that is in none of the sites, with an error that says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from tabellion.errors import SourceMissingError
from tabellion.mine.blocks import Blocks
from tabellion.mine.facts import Fact
from tabellion.mine.slots import PageSlots, SlotKey
from tabellion.mine.things import UnifiedSites
from tabellion.mine.top_down import cut_blocks

_ROW, _STEP, _WIDE, _LEFT, _LETTERS = 18, 24, 1100, 60, 90  # pixels: line, indent, width, margin; letters shown
_BANDS = ("#ffffff", "#f3f5f8")
_LABEL, _FACT, _BESIDE, _SHARED = "#0b4fa0", "#116b2e", "#5f5f5f", "#767676"


def explain_page(unified: UnifiedSites, page: str) -> str:
    """A page of mined sites as SVG."""
    named = {
        (member.site, schema.kind, member.slot): attribute.name
        for schema in unified.schemas
        for attribute in schema.attributes
        for member in attribute.members
    }
    for template in unified.templates:
        for source in template.sources:
            view = template.views.get(source)
            if source == page or source.endswith(f"/{page}") or (view is not None and view.page.address == page):
                tree = view.page if view is not None else template.load(source)
                if tree is not None:
                    seen = view or template.facts.view(tree)
                    names = {
                        slot: name
                        for (site, kind, slot), name in named.items()
                        if site == template.site.name and kind == template.kind
                    }
                    return "\n".join(_draw(seen, template.facts.read(seen), names)) + "\n"
    raise SourceMissingError(f"{page}: is no page of the sites given; name it as `mine --unified` prints its source")


def _draw(seen: PageSlots, facts: list[Fact], names: dict[SlotKey, str]) -> Iterator[str]:
    page = seen.page
    told = {fact.leaf: fact for fact in facts}
    labels = {text for fact in facts for text in fact.label}
    starts = cut_blocks(Blocks(page))
    height = _ROW * (len(page) + 2)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDE}" height="{height}" viewBox="0 0 {_WIDE} {height}" '
    yield f'font-family="sans-serif" font-size="13"><title>{escape(page.title or "page")}</title>'
    for number, (first, last) in enumerate(zip(starts, [*starts[1:], len(page)], strict=True)):
        top, tall = _ROW * (first + 1) - 13, _ROW * (last - first)
        yield f'<rect x="0" y="{top}" width="{_WIDE}" height="{tall}" fill="{_BANDS[number % 2]}"/>'
        yield f'<text x="8" y="{top + 13}" fill="{_SHARED}">{number + 1}</text>'
    for leaf, text in enumerate(page.texts):
        fact, y = told.get(leaf), _ROW * (leaf + 1)
        x = _LEFT + _STEP * (len(fact.label) if fact is not None else 0)
        shown = escape(text if len(text) <= _LETTERS else f"{text[:_LETTERS]}…")
        if fact is None:
            colour = _LABEL if text in labels else _SHARED
            yield f'<text x="{x}" y="{y}" fill="{colour}">{shown}</text>'
            continue
        colour = _FACT if fact.main else _BESIDE
        said = f"{names.get(fact.slot, '')} {fact.chance:.2f}".strip() if fact.main else f"{fact.chance:.2f}"
        yield f'<text x="{x}" y="{y}" fill="{colour}">{shown}</text>'
        yield f'<text x="{_WIDE - 8}" y="{y}" fill="{colour}" text-anchor="end">{escape(said)}</text>'
    yield "</svg>"
