"""Merged areas that were written out into each of their cells.

In: the texts of a sheet without merged areas and styles (delimited text). Out: spans. Programs that save a sheet as
text repeat what a merged area says in all its cells: a title stands in every column, a head over each of the columns
that it spans. Told by two signs: a row that says one longer text and nothing else, in neighbouring cells; and, above
the first row of numbers, a text repeated over cells that the next row tells apart.
Fails on areas merged over rows, and on a title that is one short word.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content

LONG = 12  # letters from which on a text repeated in neighbouring cells is no value
HEAD_ROWS = 20  # filled rows from the top that may be heads
NUMBERS = 0.5  # share of a row's cells that are numbers below which it may be a head

Span = tuple[int, int, int, int]
Texts = NDArray[np.object_]
Contents = NDArray[np.uint8]


def find_written_out(text: Texts, content: Contents) -> list[Span]:
    """Spans (row, column, rows, columns) that repeated texts speak of, in reading order."""
    return sorted({*_lines(text, content), *_heads(text, content)})


def _lines(text: Texts, content: Contents) -> list[Span]:
    """Rows that hold one longer text and nothing else, in two neighbouring cells or more."""
    said = content != Content.EMPTY
    plain = (content == Content.TEXT).sum(axis=1)
    rows = np.flatnonzero((plain > 1) & (plain == said.sum(axis=1)))
    found = []
    for row in rows[_ends_alike(text, said, rows)].tolist():
        columns = np.flatnonzero(said[row])
        first, last = int(columns[0]), int(columns[-1])
        alike = last - first + 1 == len(columns) and len(set(text[row, columns])) == 1
        if alike and len(text[row, first].strip()) >= LONG:
            found.append((row, first, 1, len(columns)))
    return found


def _ends_alike(text: Texts, said: NDArray[np.bool_], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Of some rows, whether their first and last filled cells say the same: asked of all rows at once."""
    first = said[rows].argmax(axis=1)
    last = said.shape[1] - 1 - said[rows, ::-1].argmax(axis=1)
    return np.asarray(text[rows, first] == text[rows, last], dtype=bool)


def _heads(text: Texts, content: Contents) -> list[Span]:
    """Texts above the first row of numbers that are repeated over cells which the next row tells apart."""
    filled = np.flatnonzero((content != Content.EMPTY).any(axis=1))[:HEAD_ROWS].tolist()
    found: list[Span] = []
    for row, below in pairwise(filled):
        said = int((content[row] != Content.EMPTY).sum())
        if (content[row] == Content.NUMBER).sum() >= NUMBERS * said:
            break
        for first, last in _runs(text[row], content[row]):
            under = text[below, first : last + 1].tolist()
            if all(under) and len(set(under)) == len(under):
                found.append((row, first, 1, last - first + 1))
    return found


def _runs(texts: Texts, content: Contents) -> list[tuple[int, int]]:
    """First and last cell of each text that neighbouring cells of a row repeat."""
    same = np.asarray(texts[1:] == texts[:-1], dtype=bool) & (content[1:] == Content.TEXT)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], same, [False]]).astype(np.int8)))
    return [(int(first), int(last)) for first, last in edges.reshape(-1, 2)]
