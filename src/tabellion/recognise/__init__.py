"""A region to a `Grid` of styled cells with spans. Start with `recognise_grid`."""

from __future__ import annotations

from tabellion.model.document import MarkupRegion, PrintedRegion, Region
from tabellion.model.grid import Grid
from tabellion.weights import Weights

__all__ = ["recognise_grid", "recognise_parts", "recognise_printed"]


def recognise_grid(region: Region | MarkupRegion) -> Grid:
    """The rows and columns of a region of a sheet or a web page; what one medium needs costs the others nothing."""
    if isinstance(region, MarkupRegion):
        from tabellion.recognise.web.table import recognise_table

        return recognise_table(region)
    from tabellion.recognise.sheet import recognise_sheet

    return recognise_sheet(region)


def recognise_printed(region: PrintedRegion, weights: Weights) -> Grid:
    """The grid of a region of print, all parts of it as one."""
    from tabellion.recognise.printed import grid

    return grid.in_reading_order(grid.recognise_printed(region, weights))


def recognise_parts(region: PrintedRegion, weights: Weights) -> list[Grid]:
    """One grid for each part of a region of print, as printed on its page."""
    from tabellion.recognise.printed import grid

    return [grid.in_reading_order(part) for part in grid.recognise_parts(region, weights)]
