"""The eighteen features of a row by Chen and Cafarella 2013, Appendix A, Table 4: eight of layout, ten of text.

In: a `RowView`. Out: (rows, 18) of noughts and ones, in the order of the table. "Row is blank" is kept though the
labeller only meets filled rows (their definition 2), so that it never holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tabellion.label.rows.view import RowView
from tabellion.model.grid import TEXT

PaperFeature = Callable[[RowView], NDArray[Any]]
TextTest = Callable[[list[str]], bool]

MANY_WORDS = 40
MOST = 0.6
_WORD = re.compile(r"[^\W\d_]+")


def any_cell(look: Callable[[RowView], NDArray[Any]]) -> PaperFeature:
    """Whether a filled cell of the row has a look."""
    return lambda view: np.asarray((look(view) & view.filled).any(axis=1))


def left_aligned(view: RowView) -> NDArray[Any]:
    """Aligned left by style, or text without an alignment of its own."""
    align = view.look("align")
    plain = np.array([style.align is None for style in view.grid.styles])[view.style]
    return np.asarray((align == "left") | (plain & (view.content == TEXT)))


def merged(view: RowView) -> NDArray[Any]:
    return np.isin(np.arange(len(view)), view.spans[:, 0])


def row_texts(view: RowView) -> list[list[str]]:
    """The texts of each row."""

    def compute() -> list[list[str]]:
        texts: list[list[str]] = [[] for _ in range(len(view))]
        rows, columns = np.nonzero(view.text)
        cells = view.grid.text[view.rows[rows], view.columns[columns]]
        for row, text in zip(rows.tolist(), cells.tolist(), strict=True):
            texts[row].append(text)
        return texts

    return view.once("row texts", compute)


def of_texts(test: TextTest) -> PaperFeature:
    return lambda view: np.array([test(texts) for texts in row_texts(view)], dtype=bool)


def of_words(test: Callable[[str], bool]) -> PaperFeature:
    """Whether a row has words and all of them pass."""

    def feature(texts: list[str]) -> bool:
        words = [word for text in texts for word in _WORD.findall(text)]
        return bool(words) and all(test(word) for word in words)

    return of_texts(feature)


PAPER_FEATURES: dict[str, PaperFeature] = {
    "has a bold cell": any_cell(lambda view: view.look("bold")),
    "reaches the left bound": lambda view: view.filled[:, 0],
    "reaches the right bound": lambda view: view.filled[:, -1],
    "has an indented cell": any_cell(lambda view: view.of(view.grid.indent) > 0),
    "has a centred cell": any_cell(lambda view: view.look("align") == "center"),
    "has a left-aligned cell": any_cell(left_aligned),
    "has a merged cell": merged,
    "has only one column": lambda view: view.filled.sum(axis=1) == 1,
    "contains a colon": of_texts(lambda texts: any(":" in text for text in texts)),
    "contains punctuation": of_texts(lambda texts: any(re.search(r"[.,;:!?]", text) for text in texts)),
    "has a cell of many words": of_texts(lambda texts: any(len(text.split()) > MANY_WORDS for text in texts)),
    "numbers are years": lambda view: view.year.sum(axis=1) > MOST * np.maximum(1, view.number.sum(axis=1)),
    "is blank": lambda view: np.asarray(~view.filled.any(axis=1)),
    "all words lower case": of_words(str.islower),
    "all words upper case": of_words(str.isupper),
    "all words capitalised": of_words(lambda word: word[0].isupper()),
    "cells are numbers": lambda view: view.number.sum(axis=1) > MOST * view.filled.sum(axis=1),
    "words start with table": of_texts(lambda texts: any(text.strip().lower().startswith("table") for text in texts)),
}
"""Table 4, in its order."""


def paper_features(view: RowView) -> NDArray[np.float64]:
    """(rows, 18), as `PAPER_FEATURES` names them."""
    if not len(view):
        return np.zeros((0, len(PAPER_FEATURES)))
    return np.column_stack([feature(view) for feature in PAPER_FEATURES.values()]).astype(np.float64)
