"""Printed tables that are read from the right: their first column is the one at the right.

Goes in: a grid as it stands on the page. Comes out: the same grid with its columns in reading order, where most of its
letters are of a script that runs to the left; so a table of a sheet or a web page in such a script has its columns too.
Its stub is then the first column, as everywhere. Boxes stay where they are. Fails on tables whose words are all Latin
though they are laid out from the right.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Grid

_MOSTLY = 0.5  # of the letters
_BY_CELL = ("text", "label", "content", "number", "style", "indent", "marks")


def reads_leftwards(grid: Grid) -> bool:
    """Whether most letters of a grid are of a script that runs to the left."""
    texts = [str(text) for text in grid.text[grid.filled] if not str(text).isascii()]
    if not texts:
        return False
    letters = sum(map(str.isalpha, "".join(map(str, grid.text[grid.filled]))))
    leftwards = sum("\u0590" <= c < "\u0900" or "\ufb1d" <= c < "\ufeff" for text in texts for c in text)
    return leftwards > _MOSTLY * letters


def in_reading_order(grid: Grid) -> Grid:
    """The grid with its first column at the right, where it is read from there."""
    if not reads_leftwards(grid):
        return grid
    width = grid.shape[1]
    source = np.arange(grid.text.size).reshape(grid.shape)[:, ::-1].copy()
    spans = grid.spans.copy()
    for span, (row, column, _, across) in zip(spans, grid.spans.tolist(), strict=True):
        first, last = width - column - across, width - 1 - column
        source[row, [first, last]] = source[row, [last, first]]  # the first cell of a span speaks for it
        span[1] = first
    place = {int(old): new for new, old in enumerate(source.ravel())}

    def turned(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])[source]

    return msgspec.structs.replace(
        grid,
        **{
            name: turned(getattr(grid, name))
            for name in ("text", "label", "content", "number", "style", "indent", "marks")
        },
        boxes=None if grid.boxes is None else turned(grid.boxes),
        notes={place[at]: notes for at, notes in grid.notes.items()},
        spans=spans[np.lexsort((spans[:, 1], spans[:, 0]))],
    )
