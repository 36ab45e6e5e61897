"""The column of a relation that names its rows, though it is a field like the others.

In: a web table whose headers stand on top only. Out: the leading columns that name the rows: those up to the first
with content, where its texts tell all rows apart (the subject column of a relation; T2Dv2 calls it the key). Every
value then carries the name of its row, as in a spreadsheet. A column of bare numbers names nothing: ranks and amounts
are values.
"""

from __future__ import annotations

import numpy as np

from tabellion.label.web_texts import EMPTY, FORM, IMAGE, KINDS, LONG, NUMBER, SIGN
from tabellion.label.web_view import WebView

_DISTINCT = 0.95  # the share of distinct names; a repeated one is a slip
_FILLED = 0.9  # the share of rows that must have a name
_NAMELESS = np.isin(np.arange(KINDS), (NUMBER, IMAGE, FORM, SIGN, LONG))
_FEW = 2  # rows without which nothing is told apart


def find_key(view: WebView, header_rows: int) -> int:
    """How many leading columns name the rows; nought where none does."""
    grid = view.grid
    body = view.rows[header_rows:]
    if len(body) < _FEW or len(view.columns) < _FEW:
        return 0
    filled = grid.content[body[:, None], view.columns] > 0
    first = int(filled.any(axis=0).argmax())
    if first >= len(view.columns) - 1 or first >= view.kind.shape[1] or filled[:, first].mean() < _FILLED:
        return 0
    kinds = view.kind[header_rows:, first]
    if _NAMELESS[kinds[kinds != EMPTY]].mean() > 1 - _FILLED:
        return 0
    names = [str(name).casefold() for name in grid.label[body, view.columns[first]][filled[:, first]]]
    return first + 1 if len(set(names)) >= _DISTINCT * len(names) else 0
