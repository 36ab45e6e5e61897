"""The rows and the columns of web tables as lines, in one layout: what is told of rows is told of columns at once.

In: views of tables. Out: `Sides`: every table twice, first all with their rows as lines and their columns as cross
lines, then all turned. Slots stand cross line after cross line, so that a line is compared with the lines after it
within a stretch of an array. Fails on tables without slots: callers leave them out.
"""

from __future__ import annotations

import math
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.label.web_view import Ints, WebViews

FIRST_LINES = 5  # lines that may be headers, and the one after them


class Sides(msgspec.Struct, frozen=True, eq=False):
    """Where the lines and cross lines of every table are; a side is a table, or a table turned."""

    table: Ints  # of each slot as the views have them
    row: Ints
    column: Ints
    lines: Ints  # how many each side has
    crosses: Ints
    order: Ints  # the slots as the sides have them: the number of each in the views
    cross: Ints  # the cross line of each, counted over all sides
    line: Ints  # the line of each within its side
    starts: Ints  # the place of the first slot of each cross line
    side: Ints  # the side of each cross line
    side_starts: Ints  # the first cross line of each side
    first: Ints  # cross lines × first lines, and the one after them: the places of their slots
    there: NDArray[np.bool_]  # sides × first lines: whether a side has so many lines

    def line_sums(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sides × lines × values: the sums over the slots of each line; of slots × values, as in the views."""
        wide, most = values.shape[1], max(FIRST_LINES, int(self.lines.max()))
        shape = (len(self.lines) // 2, most, wide)
        weights, of = values.ravel(), np.arange(wide)
        sums = [
            np.bincount(((self.table * most + line)[:, None] * wide + of).ravel(), weights, math.prod(shape))
            for line in (self.row, self.column)
        ]
        return np.concatenate(sums, dtype=np.float64).reshape(-1, most, wide)

    def over_crosses(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum over the cross lines of each side."""
        return np.add.reduceat(values, self.side_starts, axis=0)

    def over_slots(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum over the slots of each cross line, which are the last axis."""
        return np.add.reduceat(values, self.starts, axis=-1)


def lay_sides(views: WebViews) -> Sides:
    """The layout of tables that have slots."""
    heights, widths = views.shapes.T
    sizes = heights * widths
    table = np.repeat(np.arange(len(sizes)), sizes)
    before = (sizes.cumsum() - sizes)[table]
    slots = np.arange(len(table))
    row, column = np.divmod(slots - before, widths[table])
    turned = np.empty_like(slots)
    turned[before + column * heights[table] + row] = slots
    lines, crosses = np.append(heights, widths), np.append(widths, heights)
    side = np.repeat(np.arange(len(lines)), crosses)
    length = lines[side]
    starts = length.cumsum() - length
    cross = np.repeat(np.arange(len(side)), length)
    places = np.arange(FIRST_LINES + 1)
    return Sides(
        table=table,
        row=row,
        column=column,
        lines=lines,
        crosses=crosses,
        order=np.append(turned, slots),
        cross=cross,
        line=np.arange(len(cross)) - starts[cross],
        starts=starts,
        side=side,
        side_starts=crosses.cumsum() - crosses,
        first=starts[:, None] + np.minimum(places, length[:, None] - 1),
        there=places[:-1] < lines[:, None],
    )
