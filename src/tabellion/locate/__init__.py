"""Where tables may be on a page. Start with `locate_regions`; `locate_printed` for the pages of a PDF."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import overload

from tabellion.locate.islands import locate_islands
from tabellion.locate.printed.running_text import RunningText
from tabellion.model.document import MarkupRegion, Page, PrintedRegion, Region, Sheet
from tabellion.model.markup import MarkupPage, RenderedPage
from tabellion.model.methods import FrameMethod, GenuineMethod
from tabellion.model.printed import PrintedPage
from tabellion.weights import Weights

__all__ = ["RunningText", "locate_printed", "locate_regions"]


@overload
def locate_regions(page: Sheet, weights: Weights | None = None, method: GenuineMethod = "boosted") -> list[Region]: ...
@overload
def locate_regions(
    page: MarkupPage | RenderedPage, weights: Weights | None = None, method: GenuineMethod = "boosted"
) -> list[MarkupRegion]: ...
@overload
def locate_regions(
    page: Page, weights: Weights | None = None, method: GenuineMethod = "boosted", frames: FrameMethod = "arranged"
) -> list[Region] | list[MarkupRegion]: ...
def locate_regions(
    page: Page, weights: Weights | None = None, method: GenuineMethod = "boosted", frames: FrameMethod = "arranged"
) -> list[Region] | list[MarkupRegion]:
    """The parts of a page that may hold tables, in reading order, and how sure each is one."""
    if isinstance(page, MarkupPage):
        from tabellion.locate.web.genuine import locate_tables  # a sheet costs no classifier

        return locate_tables(page, weights or Weights(), method)
    if isinstance(page, RenderedPage):
        from tabellion.locate.rendered.regions import locate_rendered  # neither does it cost the geometry of boxes

        return locate_rendered(page, weights or Weights(), method, frames)
    if isinstance(page, PrintedPage):
        raise TypeError("the pages of a PDF are located in their order: locate_printed")
    return locate_islands(page)


def locate_printed(
    pages: Iterable[PrintedPage], weights: Weights, text: RunningText | None = None
) -> Iterator[PrintedRegion]:
    """The regions of the pages of a PDF in their order, each with its parts on later pages.

    What the pages say of tables is told to `text`.
    """
    from tabellion.locate.printed import regions  # other media cost nothing of it

    return regions.join_parts(regions.locate_printed(pages, weights, text))
