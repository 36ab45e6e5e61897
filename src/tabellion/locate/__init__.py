"""Where tables may be on a page. `locate_regions` enters the room."""

from __future__ import annotations

from tabellion.locate.islands import locate_islands
from tabellion.model.document import Sheet
from tabellion.model.region import Region


def locate_regions(page: Sheet) -> list[Region]:
    """The parts of a page that may hold tables, in reading order."""
    return locate_islands(page)
