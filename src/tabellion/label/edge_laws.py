"""What is known of rows near the edge of a table without learning: laws that hold for all publishers.

In: a row in question, measured against the table's core (`edge_features`). Out: whether it states a unit, names a
source, is ruled off, tells no columns apart, or is a note with its mark in a cell of its own. Such rows belong to no
head, and to no body, however they look. `comes_again` tells a head that is the first row of the body. Fails where a
lone head is ruled off from its table, and on units in words that `values.unit` does not list.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from tabellion.label.edge_features import (
    EdgeRow,
    count_texts,
    gap_inwards,
    inner_values_covered,
    shape_known,
    tallest_span,
    values_covered,
    widest_inwards,
    widest_text,
)
from tabellion.model.grid import NUMBER, Content, Grid
from tabellion.patterns import lazy_pattern
from tabellion.values.date import may_be_years
from tabellion.values.unit import MONEY, SCALES, SYMBOLS
from tabellion.values.vocabulary import either_of

RULED = 0.8  # share of the core's columns under a line that parts rows
SEVERAL = 2  # texts of a row, at most, that may come again by chance
HEADED = 0.5  # share of the core's columns that a row of a head says something in
_SCALE = rf"(?:{'|'.join(SCALES.values())})(?![^\W\d])"
_NAMED = rf"(?:{'|'.join((*SCALES.values(), *(SYMBOLS[name] for name in ('%', 't', *MONEY))))})(?![^\W\d])"
_UNIT_STATED = lazy_pattern(
    rf"^\W*(?:{either_of('unit', languages=frozenset(('ja', 'zh', 'ko')))}|{either_of('unit')}\W*[:：])"
    rf"|^\W*(?:in|en|em)\s+(?:[^\W\d]+\W+)?{_NAMED}"
    rf"|^\s*[(\[（](?:.{{0,12}}[^\w])?{_NAMED}.{{0,20}}[)\]）]\W*$"
    rf"|^(?=.*[^\W\d]{{2}})\W*(?:{_SCALE}|(?:{SYMBOLS['t']})(?!\w)).{{0,12}}$",
    re.IGNORECASE,
)
_MARK = lazy_pattern(r"\W{0,2}(\d{1,2}|[*†‡]{1,3})\W{0,2}")
_SOURCE = lazy_pattern(rf"^\W*{either_of('source', 'note')}(?:(?<=:)|\s*[:：])", re.IGNORECASE)


def states_unit(row: EdgeRow) -> bool:
    """Whether a row above a head only states a unit, alone or beside a title: "(in millions)", "単位：％"."""
    if row.rank == 0 or len(row.columns) > 2 or inner_values_covered(row) < HEADED:
        return False
    wide = HEADED * (row.core.columns[-1] - row.core.columns[0] + 1)
    spans = [row.grid.span_at.get((row.row, column), (1, 1))[1] for column in row.columns]
    return any(span < wide and _UNIT_STATED.search(row.text(i)) for i, span in enumerate(spans))


def is_marked_note(row: EdgeRow) -> bool:
    """Whether a row below a table says nothing but a mark or number and a text: a list of notes in two columns.

    Where the labels of the table are such marks themselves, it goes on.
    """
    if len(row.columns) != 2 or row.grid.content[row.row, row.columns[1]] != Content.TEXT:
        return False
    return bool(_MARK.fullmatch(row.text().strip())) and values_covered(row) == 0 and not shape_known(row)


def names_source(row: EdgeRow) -> bool:
    """Whether a row above a head, or below a table, begins as a source or note does: "Source:"."""
    return len(row.columns) <= 2 and bool(_SOURCE.search(row.text()))


def is_ruled_off(row: EdgeRow) -> bool:
    """Whether a line over the whole table, with none above it, parts a text or two from the head below them.

    The first of them stands over the stub: of 249 such rows seven are heads.
    """
    few = len(row.columns) <= 2 and row.columns[0] <= row.core.columns[0]
    if row.rank == 0 or not few or widest_inwards(row) < HEADED:
        return False
    return (
        _line_above(row, row.row) < 1 - RULED
        and max(_line_above(row, at) for at in range(row.row + 1, row.inner + 1)) > RULED
    )


def _line_above(row: EdgeRow, at: int) -> float:
    """The share of the core's columns with a line above a row, drawn by it or by the row before."""
    styles, columns = row.grid.styles, row.core.columns
    drawn = np.array([styles[style].border_top for style in row.grid.style[at, columns].tolist()], dtype=bool)
    if at:
        drawn |= np.array(
            [styles[style].border_bottom for style in row.grid.style[at - 1, columns].tolist()], dtype=bool
        )
    return float(drawn.mean())


def tells_nothing_apart(row: EdgeRow) -> bool:
    """Whether a row above a head of its own says nothing that parts the columns below it.

    One text over all columns does not, the stub's included, nor one at the end of the row, nor a text or two, the first
    of them over the stub, that a blank row parts from the head.
    """
    if row.rank == 0 or widest_inwards(row) < HEADED or tallest_span(row) > 1:
        return False
    over_stub = row.columns[0] <= row.core.columns[0]
    if count_texts(row) == 1:
        at_end = row.columns[0] >= row.core.columns[-1]
        if at_end or (over_stub and widest_text(row) == 1):
            return True
    return over_stub and len(row.columns) <= 2 and gap_inwards(row) > 1


def comes_again(
    grid: Grid, head: int, below: NDArray[np.intp], columns: NDArray[np.intp], *, alike: bool = False
) -> bool:
    """Whether a head is the first row of the body: what it says stands again below it, in the same columns.

    Where it looks as the rows below do (`alike`), one such text is enough, unless a row says all of it again: then it
    is a head that is repeated. Where looks tell nothing, all that it says but over the first column has to come again,
    and numbers among it: neither years nor numbers that go up from column to column, which are heads.
    """
    said = grid.label[head, columns]
    again = (grid.label[below[:, None], columns] == said) & (said != "")
    if alike:
        return bool(again.any()) and not bool((again | (said == "")).all(axis=1).any())
    filled = grid.filled[head, columns]
    if filled.sum() <= SEVERAL or not filled[0]:
        return False
    numeric = (grid.content[head, columns] == NUMBER) & filled
    numbers = grid.number[head, columns[numeric]]
    if numeric[0] or may_be_years(numbers).all() or (len(numbers) > 1 and (np.diff(numbers) > 0).all()):
        return False
    return bool(again[:, 1:].any(axis=0)[filled[1:]].all() and not again[:, 0].any())
