"""A region to a `Grid` of styled cells with spans. Start with `recognise_grid`."""

from __future__ import annotations

from tabellion.model.grid import Grid
from tabellion.model.region import MarkupRegion, Region
from tabellion.recognise.printed.grid import recognise_parts, recognise_printed
from tabellion.recognise.sheet import recognise_sheet
from tabellion.recognise.web.table import recognise_table

__all__ = ["recognise_grid", "recognise_parts", "recognise_printed"]


def recognise_grid(region: Region | MarkupRegion) -> Grid:
    """The rows and columns of a region."""
    return recognise_table(region) if isinstance(region, MarkupRegion) else recognise_sheet(region)
