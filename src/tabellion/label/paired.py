"""Attribute lists that stand side by side in one table: attribute, value, attribute, value.

In: a web table without header rows. Out: the columns of each list, where every other column is set apart as that of
attributes, by its tags, look or colons. Fails where nothing but their meaning tells attributes from values.
"""

from __future__ import annotations

from tabellion.label.web_texts import EMPTY
from tabellion.label.web_view import WebView

_MARKS = ("heading", "colon", "bold", "fill")
_NEARLY_ALL = 0.9
_PAIR = 2


def find_pairs(view: WebView) -> list[tuple[int, int]]:
    """The columns of attributes and of values of each list, by their numbers in the grid; none in other tables."""
    filled = view.kind != EMPTY
    height, width = filled.shape
    if height < _PAIR or width < 2 * _PAIR or width % _PAIR or width < len(view.columns):
        return []
    names, values = filled[:, ::_PAIR], filled[:, 1::_PAIR]
    if not (names[:, 0].all() and names.any(axis=0).all() and values.any() and (values <= names).all()):
        return []
    for mark in _MARKS:
        marked = view.trait(mark) > 0
        if marked[:, ::_PAIR][names].mean() >= _NEARLY_ALL and marked[:, 1::_PAIR][values].mean() <= 1 - _NEARLY_ALL:
            columns = view.columns.tolist()
            return list(zip(columns[::_PAIR], columns[1::_PAIR], strict=True))
    return []
