"""Outer labels that are written downwards, one sign in each row.

In: a column of the stub. Out: the runs of such signs, each with the rows that it labels. Three rows or more of a single
letter each, at even distances, are one label. It stands in the middle of its rows: they begin at the line, or at the
label, above it, and end at the line below it, or as far below as they began above.
Fails where a column of one-letter codes has no code twice and stands at even distances.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Grid

LEAST = 3  # signs of an upright label
MOST_APART = 3  # rows from one sign to the next


class Upright(msgspec.Struct, frozen=True):
    """The places of a label's signs among the rows, and the first and last place that it labels."""

    signs: tuple[int, ...]
    first: int
    last: int


def find_upright(grid: Grid, rows: NDArray[np.intp], column: int) -> list[Upright]:
    """The upright labels of a column, from the top."""
    filled = np.flatnonzero(grid.filled[rows, column]).tolist()
    found: list[Upright] = []
    for run in _runs(grid, rows, column, filled):
        free_from = found[-1].last + 1 if found else 0
        first, last = run[0], run[-1]
        while first > free_from and first - 1 not in filled and not _line(grid, rows, column, first):
            first -= 1
        end = next((place for place in filled if place > last), len(rows)) - 1
        line = next((place for place in range(last, end + 1) if _line(grid, rows, column, place + 1)), None)
        last = min(end, last + run[0] - first) if line is None else line
        found.append(Upright(tuple(run), first, last))
    return found


def _runs(grid: Grid, rows: NDArray[np.intp], column: int, filled: Sequence[int]) -> Iterator[list[int]]:
    """Runs of single letters at even distances that no line parts."""
    signs = [place for place in filled if _is_sign(str(grid.label[rows[place], column]))]
    run: list[int] = []
    for before, place in pairwise([-MOST_APART - 1, *signs]):
        apart = place - before
        goes_on = (
            run
            and apart <= MOST_APART
            and (len(run) == 1 or apart == run[1] - run[0])
            and not any(at in filled for at in range(before + 1, place))
            and not any(_line(grid, rows, column, at) for at in range(before + 1, place + 1))
        )
        if not goes_on:
            if len(run) >= LEAST:
                yield run
            run = []
        run.append(place)
    if len(run) >= LEAST:
        yield run


def _is_sign(text: str) -> bool:
    """Whether a text is one letter that is a syllable or a word: letters of alphabets in a column are codes."""
    bare = text.strip()
    return len(bare) == 1 and bare.isalpha() and not bare.isascii()


def _line(grid: Grid, rows: NDArray[np.intp], column: int, place: int) -> bool:
    """Whether a line is drawn above the row at this place."""
    if not 0 < place < len(rows):
        return True
    above, here = (grid.styles[grid.style[rows[at], column]] for at in (place - 1, place))
    return bool(above.border_bottom or here.border_top)
