"""The columns of a relation that name its rows, though they are fields like the others.

In: a web table whose headers stand on top only. Out: the leading columns that name the rows: those up to the first
with content, where its texts tell all rows apart (the subject column of a relation; T2Dv2 calls it the key). Where they
do not, but each of them heads the rows below it (a region over its cities), the columns after it are asked too, and
together they are the key. Every value then carries the name of its row, as in a spreadsheet. A column of bare numbers
names nothing: ranks and amounts are values.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from tabellion.label.pages.view import EMPTY, FORM, IMAGE, KINDS, LONG, NUMBER, SIGN, WebView

_DISTINCT = 0.95  # the share of distinct names; a repeated one is a slip
_FILLED = 0.9  # the share of rows that must have a name
_NAMELESS = np.isin(np.arange(KINDS), (NUMBER, IMAGE, FORM, SIGN, LONG))
_FEW = 2  # rows without which nothing is told apart
_MOST = 3  # columns that name rows together


def find_key(view: WebView, header_rows: int) -> int:
    """How many leading columns name the rows; nought where none does."""
    body = view.rows[header_rows:]
    if len(body) < _FEW or len(view.columns) < _FEW:
        return 0
    filled = view.grid.content[body[:, None], view.columns] > 0
    first = int(filled.any(axis=0).argmax())
    before: list[tuple[str, ...]] = [()] * len(body)
    for column in range(first, min(first + _MOST, len(view.columns) - 1, view.kind.shape[1])):
        own = _names(view, body, header_rows, column)
        if own is None:
            return 0
        names = [(*above, name) for above, name in zip(before, own, strict=True)]
        told = [name for name in names if any(name)]
        if len(set(told)) >= _DISTINCT * len(told):
            return column + 1
        if len(list(groupby(names))) > len(set(names)):
            return 0  # a name comes again further down: it does not head the rows below it
        before = names
    return 0


def _names(view: WebView, body: NDArray[np.intp], header_rows: int, column: int) -> list[str] | None:
    """What a column calls the rows, a span each of its rows; None where it does not name them."""
    grid, at = view.grid, view.columns[column]
    home = grid.home[body, at]
    if (grid.content.ravel()[home] > 0).mean() < _FILLED:
        return None
    kinds = view.kind[header_rows:, column]
    kinds = kinds[kinds != EMPTY]
    if not len(kinds) or _NAMELESS[kinds].mean() > 1 - _FILLED:
        return None
    return [str(name).casefold() for name in grid.label.ravel()[home]]
