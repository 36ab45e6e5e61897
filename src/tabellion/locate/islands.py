"""Where tables may be on a sheet: islands of filled cells.

Usually the whole used range is one region, since titles, tables and notes are told apart by labelling,
not by gaps. Only where filled cells lie so far apart that a dense grid would be mostly empty, the
sheet is cut at its widest gaps, again and again, until each piece is dense enough.
In: a sheet. Out: regions in reading order. Fails on nothing; a piece that stays too thin to hold
(a diagonal across the sheet, say) is cut to its first rows, and an issue says so.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.document import Issue, Region, Sheet, Stored
from tabellion.model.place import Place, Rect


class IslandSettings(msgspec.Struct, frozen=True):
    """When a piece of a sheet is too thin to be one grid."""

    free_area: int = 4_000_000  # cells that a grid may hold however empty it is: about 100 MB
    thinness: int = 12  # above that: grid cells per filled cell
    gap: int = 3  # blank rows or columns that may part two pieces


def locate_islands(sheet: Sheet, settings: IslandSettings = IslandSettings()) -> list[Region]:
    """The regions of a sheet, in reading order; where it states its tables, the areas of those."""
    if sheet.stated:
        return [Region(sheet, Place(sheet=sheet.name), area) for area in _joined([one.area for one in sheet.stated])]
    cells = sheet.cells
    filled = cells.stored != Stored.EMPTY
    rows, columns = cells.row[filled], cells.column[filled]
    found: list[Region] = []
    todo = [(rows, columns)] if len(rows) else []
    while todo:
        rows, columns = todo.pop()
        if _fits(rows, columns, settings):
            found.append(_region(sheet, rows, columns))
            continue
        cut = _widest_gap(rows, columns, settings.gap)
        if cut is None:
            found.append(_clipped(sheet, rows, columns, settings))
        else:
            todo.append((rows[~cut], columns[~cut]))
            todo.append((rows[cut], columns[cut]))
    return sorted(found, key=lambda region: region.rect)


def _joined(areas: list[Rect]) -> list[Rect]:
    """Areas that overlap as one, in reading order."""
    found: list[Rect] = []
    for area in sorted(areas):
        apart = [one for one in found if not one.meets(area)]
        for one in found:
            if one.meets(area):
                area = Rect(*map(min, one[:2], area[:2]), *map(max, one[2:], area[2:]))
        found = [*apart, area]
    return sorted(found)


def _fits(rows: NDArray[np.int32], columns: NDArray[np.int32], settings: IslandSettings) -> bool:
    """Whether a grid without its long blank runs is small, or well filled."""
    area = len(distinct(rows)) * len(distinct(columns))
    return area <= max(settings.free_area, settings.thinness * len(rows))


def _widest_gap(rows: NDArray[np.int32], columns: NDArray[np.int32], least: int) -> NDArray[np.bool_] | None:
    """Which cells lie before the widest blank band, or None where no band is wide enough."""
    best, side = least, None
    for lines in (rows, columns):
        used = distinct(lines)
        widths = np.diff(used) - 1
        if len(widths) and widths.max() >= best:
            at = int(widths.argmax())
            best, side = int(widths[at]), lines <= used[at]
    return side


def _clipped(sheet: Sheet, rows: NDArray[np.int32], columns: NDArray[np.int32], settings: IslandSettings) -> Region:
    width = len(distinct(columns))
    used = distinct(rows)
    last = used[max(0, settings.free_area // width - 1)]
    region = _region(sheet, rows[rows <= last], columns[rows <= last])
    lost = int((rows > last).sum())
    note = f"cells too scattered for a grid: {lost} of {len(rows)} left out below row {int(last) + 1}"
    return msgspec.structs.replace(region, issues=(Issue("locate", note, region.place),))


def _region(sheet: Sheet, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> Region:
    rect = Rect(int(rows.min()), int(columns.min()), int(rows.max()), int(columns.max()))
    return Region(page=sheet, place=Place(sheet=sheet.name), rect=rect)
