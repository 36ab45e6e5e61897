"""Tables that go on over pages.

Goes in: the regions of a document, page by page. Comes out: the same, where a region at the top of a page goes on
with the last one of the page before: it says so ("Table 2 continued"), or it has no caption of its own and stands at
the same place with the same columns or the same first row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
import numpy as np

from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage
from tabellion.model.region import LIKELY, PrintedRegion

_SAME_EDGE = 6.0  # type sizes that the edges of two parts may differ by
_NEAR_EDGE = 0.35  # of the page's height: what may lie between a part and the page's upper or lower edge
_FEW_LETTERS = 160  # text between a part and the edge of the page: running heads and notes, no paragraphs


def join_parts(pages: Iterable[list[PrintedRegion]]) -> Iterator[PrintedRegion]:
    """Regions in order, each with the parts on later pages that go on with it; unlikely regions pass unjoined."""
    waiting: PrintedRegion | None = None  # the last region of the last page, to which parts may be added
    for region in (region for regions in pages for region in regions):
        if region.genuine < LIKELY:
            yield region
            continue
        last = waiting and (waiting.parts[-1] if waiting.parts else waiting)
        if waiting and last and goes_on(last, region):
            waiting = msgspec.structs.replace(waiting, parts=(*waiting.parts, region))
            continue
        if waiting:
            yield waiting
        waiting = region
    if waiting:
        yield waiting


def goes_on(last: PrintedRegion, region: PrintedRegion) -> bool:
    """Whether a region goes on with the last one of the page before."""
    if region.page.number != last.page.number + 1 or region.page.turn != last.page.turn:
        return False
    label, before = region.about.label, last.about.label
    if label is not None:
        return region.about.continued and (before is None or label.casefold() == before.casefold())
    if not _first_on_page(region) or not _last_on_page(last):
        return False
    em = float(np.median(region.page.pieces.size))
    widths = abs((region.box.right - region.box.left) - (last.box.right - last.box.left)) / em
    return widths < _SAME_EDGE and abs(region.box.left - last.box.left) / em < 3 * _SAME_EDGE


def _letters_in(page: PrintedPage, box: Box) -> int:
    b = page.pieces.box
    x, y = (b[:, 0] + b[:, 2]) / 2, (b[:, 1] + b[:, 3]) / 2
    inside = (x > box.left) & (x < box.right) & (y > box.top) & (y < box.bottom)
    return sum(len(t) for t in page.pieces.text[inside])


def _first_on_page(region: PrintedRegion) -> bool:
    page = region.page
    above = Box(0.0, 0.0, page.width, region.box.top)
    return region.box.top < _NEAR_EDGE * page.height and _letters_in(page, above) < _FEW_LETTERS


def _last_on_page(region: PrintedRegion) -> bool:
    page = region.page
    below = Box(0.0, region.box.bottom, page.width, page.height)
    return region.box.bottom > (1 - _NEAR_EDGE) * page.height and _letters_in(page, below) < _FEW_LETTERS
