"""One tuple for each value, with its paths and its unit (Chen and Cafarella 2013, section 3.3, algorithm 2).

In: a frame with its header trees, the notes of its sheet. Out: `Tuples`, columnar. Every filled cell of the value
region has a tuple, and so has every cell of a key, which is a field besides. The value of a mark for a missing one is
null; so is that of a lone letter or sign in a column of numbers. A number that is not plain (`32.5 ± 0.6`, `<0.05`) is
a number, and a `Quantity` says how far it can be off. A value without any header is kept all the same. Fails where a
column of numbers uses single letters as codes.

The unit of a value is what its own text or format says, else what the nearest label or title that names one says. In:
a frame, the places of its values, the paths of their rows and columns. Out: for each value the index of its unit, and
the units. Order: own text, number format, top labels from the nearest, what a column of units ("Unit", "Einheit") has
in the value's row, left labels from the nearest, the head of the stub, the title; a scale said further out completes a
currency said further in. The head of a column of numbers in the stub ("% of the cycle") speaks of those numbers. What a
title excepts ("in millions, except per share data") has no unit by it: lines with such a label. Fails where a title's
unit does not hold for a column and nothing says which ("in thousands, except as indicated").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, reduce
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.frame import Frame, Nested
from tabellion.model.grid import Content, Grid
from tabellion.model.table import Paths, Quantity, Tuples
from tabellion.patterns import lazy_pattern
from tabellion.relate.titles import title_cells
from tabellion.values import is_missing_mark
from tabellion.values.number import read_quantities, settle_conventions, suspects_quantity
from tabellion.values.unit import Unit, find_format_unit, find_stated_unit, find_unit, read_unit
from tabellion.values.vocabulary import words_for

if TYPE_CHECKING:
    from tabellion.model.table import Paths


_EMPTY, _TEXT, _NUMBER, _MISSING = map(int, (Content.EMPTY, Content.TEXT, Content.NUMBER, Content.MISSING))
_LONGEST_MARK = 24
_NUMERIC_SHARE = 0.6  # a column is of numbers if they are at least this share of what it says


def build_tuples(nested: Nested, note_texts: Mapping[str, str]) -> Tuples:
    """The tuples of a frame, row by row."""
    frame, quantities = nested.frame, find_quantities(nested.frame)
    grid = _with_missing(frame, _with_numbers(frame.grid, quantities))
    rows, columns = np.nonzero(value_cells(nested))
    row_paths = Paths(grid, nested.left, nested.row_nodes, note_texts)
    column_paths = Paths(grid, nested.top, nested.column_nodes, note_texts)
    kept_columns = {column: column_paths[column] for column in nested.column_nodes}
    unit_ids, units = find_units(frame, grid, rows, columns, row_paths, column_paths)
    return Tuples(
        grid=grid,
        rows=rows.astype(np.int32),
        columns=columns.astype(np.int32),
        row_paths=row_paths,
        column_paths=kept_columns,
        unit_ids=unit_ids,
        units=units,
        confidence=frame.confidence,
        note_texts=note_texts,
        quantities=quantities,
    )


def find_quantities(frame: Frame) -> dict[int, Quantity]:
    """The numbers of the value region that are not plain, by flat cell; each column is told by all that it says."""
    grid, width = frame.grid, frame.grid.shape[1]
    if not frame.body_rows or not frame.value_columns:
        return {}
    body = np.asarray(frame.body_rows)
    texts = {column: body[grid.content[body, column] == _TEXT] for column in frame.value_columns}
    suspected = [
        column for column, rows in texts.items() if any(map(suspects_quantity, set(grid.text[rows, column].tolist())))
    ]
    if not suspected:
        return {}
    region = grid.text[np.ix_(body, np.asarray(frame.value_columns))]
    conventions = settle_conventions(dict.fromkeys(region.ravel().tolist()))
    found: dict[int, Quantity] = {}
    for column in suspected:
        rows = texts[column]
        said = read_quantities(grid.text[rows, column].tolist(), conventions)
        for row in rows.tolist() if said else ():
            if (quantity := said.get(grid.text[row, column])) is not None:
                found[row * width + column] = quantity
    return found


def _with_numbers(grid: Grid, quantities: Mapping[int, Quantity]) -> Grid:
    """The grid in which numbers that are not plain are numbers."""
    numbers = {cell: quantity.value for cell, quantity in quantities.items() if quantity.value is not None}
    if not numbers:
        return grid
    content, number = grid.content.copy(), grid.number.copy()
    at = np.unravel_index(list(numbers), grid.shape)
    content[at], number[at] = _NUMBER, list(numbers.values())
    return msgspec.structs.replace(grid, content=content, number=number)


def value_cells(nested: Nested) -> NDArray[np.bool_]:
    """Which cells of the grid hold a value."""
    frame, grid = nested.frame, nested.frame.grid
    found = np.zeros(grid.shape, dtype=bool)
    if frame.stated:
        for cell in frame.stated.values:
            found[cell] = True
        return _with_fixed(found, frame)
    if not frame.body_rows or not frame.fields:
        return found
    region = (np.asarray(frame.body_rows)[:, None], np.asarray(frame.fields))
    held = grid.content[region] != _EMPTY
    found[region] = held & ~grid.covered[region] if len(grid.spans) else held
    for group in _group_rows(frame):
        found[group] &= grid.content[group] != _TEXT
    key = {column for column in frame.fields if column in frame.stub_columns}
    parents = {node.parent for node in nested.left.nodes}
    for tree in (nested.top, nested.left):
        said = ((cell, node.id) for node in tree.nodes for cell in node.cells)
        labels = [cell for cell, node in said if cell[1] not in key or node in parents]
        if labels:
            found[tuple(np.array(labels, dtype=np.intp).T)] = False
    return _with_fixed(found, frame)


def _with_fixed(found: NDArray[np.bool_], frame: Frame) -> NDArray[np.bool_]:
    """The values with what people said of single cells."""
    for (row, column), role in frame.fixes.cells.items():
        if frame.rect.holds(row, column):
            found[row, column] = role in ("value", "derived") and bool(frame.grid.filled[row, column])
    return found


def _group_rows(frame: Frame) -> list[int]:
    """Rows that label the rows below them: a text in their value columns is part of that label."""
    return [row for row in frame.body_rows if frame.labels.roles[row] == "group"]


def _with_missing(frame: Frame, grid: Grid) -> Grid:
    """The grid of a frame in which lone letters and signs among numbers are missing values."""
    if not frame.body_rows or not frame.value_columns:
        return grid
    region = (np.asarray(frame.body_rows)[:, None], np.asarray(frame.value_columns))
    marks = _lone_marks(frame, grid.content[region])
    if not marks.any():
        return grid
    content = grid.content.copy()
    content[region] = np.where(marks, _MISSING, content[region])
    return msgspec.structs.replace(grid, content=content)


def _lone_marks(frame: Frame, content: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Texts of the value region that stand for a missing value, given that their column is of numbers."""
    grid = frame.grid
    marks = np.zeros(content.shape, dtype=bool)
    numbers = (content == _NUMBER).sum(axis=0)
    for j in np.nonzero(numbers)[0].tolist():
        column = frame.value_columns[j]
        texts = np.nonzero(content[:, j] == _TEXT)[0].tolist()
        lone = [i for i in texts if _looks_like_mark(grid.text[frame.body_rows[i], column])]
        if numbers[j] >= _NUMERIC_SHARE * (numbers[j] + len(texts) - len(lone)):
            marks[lone, j] = True
    return marks


def _looks_like_mark(text: str) -> bool:
    return len(text) <= _LONGEST_MARK and is_missing_mark(text, strict=False)


_SIGNS, _CODES = "%％‰$€£¥￥₹₽₩¢", ("USD", "EUR", "GBP", "CHF")
_OWN = lazy_pattern(rf"[{_SIGNS}]|\b(?:{'|'.join(_CODES)})\b")
_MOST_ROWS = 5_000  # a longer table lists records: its row labels are names, not measures
_YEAR = lazy_pattern(r"(?:1[89]|20)\d\d")
_EXCEPTION = lazy_pattern(
    r"[,;]?\s{0,3}\b(?:except(?:ing)?(?: for)?|unless|sauf|außer|salvo|excepto)\b(?P<what>[^()\[\].;]*)", re.IGNORECASE
)
_PARTS = lazy_pattern(r",| and | or | et | und | y ")
_NO_NAME = lazy_pattern(
    r"\b(?:data|amounts?|figures?|information|items?|values?)\b|\b(?:otherwise|as|where|when|if|noted|indicated)\b.*"
)


def find_units(
    frame: Frame,
    grid: Grid,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    row_paths: Paths,
    column_paths: Paths,
) -> tuple[NDArray[np.int16], tuple[str | None, ...]]:
    """For each value the index of its unit, and the units; `grid` says which values are numbers."""
    known = _Numbered()
    by_column = _said_by_lines(columns, column_paths, grid.shape[1], known)
    by_row = _said_by_lines(rows, row_paths, grid.shape[0], known, _MOST_ROWS)
    listed = _said_by_unit_column(frame, grid.shape[0], known)
    by_row = np.where(listed > 0, listed, by_row)
    numeric = np.flatnonzero(grid.content[rows, columns] == _NUMBER)
    row, column = rows[numeric], columns[numeric]
    own = _said_by_values(frame, row, column, known)
    around, excepted = said_around(frame)
    wider = known.number(around)
    apart = _says_any(columns, column_paths, grid.shape[1], excepted)[column]
    apart |= _says_any(rows, row_paths, grid.shape[0], excepted)[row]
    ids = np.zeros(len(rows), dtype=np.int16)
    many = len(known.units)
    if many > 1:
        near = (own * many + by_column[column]) * many + by_row[row]
        told = 2 * near + apart
        kinds = distinct(told)
        final = np.zeros(len(kinds), dtype=np.int16)
        for index, (kind, spared) in enumerate(divmod(kind, 2) for kind in kinds.tolist()):
            said = (kind // many**2, kind // many % many, kind % many, 0 if spared else wider)
            final[index] = known.number(complete([known.units[one] for one in said]))
        ids[numeric] = final[kinds.searchsorted(told)]
    return ids, tuple(str(unit) if unit else None for unit in known.units)


def _said_by_unit_column(frame: Frame, count: int, known: _Numbered) -> NDArray[np.int64]:
    """What a column under "Unit" has in each row."""
    found = np.zeros(count, dtype=np.int64)
    grid, head = frame.grid, list(frame.header_rows)
    heads = grid.label.ravel()[grid.home[head, frame.rect.left : frame.rect.right + 1]].T.tolist()
    for column, labels in enumerate(heads, frame.rect.left):
        nearest = next((label for label in reversed(labels) if label), "")
        if nearest.casefold().strip(" .:()") not in _unit_heads():
            continue
        home = grid.home[list(frame.body_rows), column]
        told = grid.content.ravel()[home] == _TEXT
        for row, label in zip(np.array(frame.body_rows)[told].tolist(), grid.label.ravel()[home[told]], strict=True):
            found[row] = known.number(read_unit(str(label)))
    return found


@cache
def _unit_heads() -> frozenset[str]:
    return frozenset(words_for("unit"))


class _Numbered:
    """Units by number; 0 is none."""

    def __init__(self) -> None:
        self.units: list[Unit | None] = [None]
        self._numbers: dict[Unit | None, int] = {None: 0}

    def number(self, unit: Unit | None) -> int:
        if unit not in self._numbers:
            self._numbers[unit] = len(self.units)
            self.units.append(unit)
        return self._numbers[unit]


def _said_by_values(
    frame: Frame, rows: NDArray[np.intp], columns: NDArray[np.intp], known: _Numbered
) -> NDArray[np.int64]:
    """What each value's own text says, else its number format."""
    grid = frame.grid
    formats = (find_format_unit(style.number_format) if style.number_format else None for style in grid.styles)
    by_style = np.array([known.number(unit) for unit in formats], dtype=np.int64)
    found = by_style[grid.style[rows, columns]]
    texts = grid.text[rows, columns].tolist()
    together = "\n".join(texts)
    if any(sign in together for sign in (*_SIGNS, *_CODES)):  # one look spares plain sheets a million
        for index, text in enumerate(texts):
            sign = _OWN.search(text)
            if sign:
                found[index] = known.number(find_unit(sign[0]))
    return found


def _said_by_lines(
    lines: NDArray[np.intp], paths: Paths, count: int, known: _Numbered, most: int | None = None
) -> NDArray[np.int64]:
    """The number of what the labels of each line with values say, the nearest first; nothing where there are more."""
    found = np.zeros(count, dtype=np.int64)
    held = np.zeros(count, dtype=bool)
    held[lines] = True
    with_values = np.flatnonzero(held).tolist()
    if most is not None and len(with_values) > most:
        return found
    by_node = [find_label_unit(node.text) for node in paths.tree.nodes]
    if any(by_node):
        for line in with_values:
            said = [by_node[node.id] for node in reversed(paths.nodes(line))]
            found[line] = known.number(complete(said))
    return found


def find_label_unit(label: str) -> Unit | None:
    """What one label says; a year says nothing."""
    return None if _YEAR.fullmatch(label) else find_unit(label)


def _says_any(lines: NDArray[np.intp], paths: Paths, count: int, words: tuple[str, ...]) -> NDArray[np.bool_]:
    """Which lines have a label with one of some words, at the beginning of a word."""
    found = np.zeros(count, dtype=bool)
    if words:
        told = [any(f" {word}" in f" {node.text.casefold()}" for word in words) for node in paths.tree.nodes]
        for line in set(lines.tolist()) if any(told) else ():
            found[line] = any(told[node.id] for node in paths.nodes(line))
    return found


def part_exception(text: str) -> tuple[str, tuple[str, ...]]:
    """A text without what it excepts, and the words of that.

    >>> part_exception("Income (in millions, except share and per share data)")
    ('Income (in millions)', ('share', 'per share'))
    >>> part_exception("[In thousands unless otherwise stated]")
    ('[In thousands]', ())
    """
    said = _EXCEPTION.search(text)
    if not said:
        return text, ()
    what = [_NO_NAME.sub("", part).strip().removesuffix("s") for part in _PARTS.split(said["what"].casefold())]
    return text[: said.start()] + text[said.end() :], tuple(part for part in what if part)


def said_around(frame: Frame) -> tuple[Unit | None, tuple[str, ...]]:
    """What the head of the stub and the titles say, the nearest first; and what they except."""
    grid = frame.grid
    body = list(frame.body_rows)
    corner = [
        part_exception(str(grid.label[row, column]))
        for row in frame.header_rows
        for column in frame.stub_columns
        if grid.content[row, column] == _TEXT and 0 < len(body) >= 2 * (grid.content[body, column] == _NUMBER).sum()
    ]
    titles = [
        str(grid.label[line.row, column])
        for line in reversed(title_cells(frame))
        for column in line.columns
        if grid.content[line.row, column] == _TEXT
    ]
    above = [part_exception(text) for text in (*titles, *reversed((grid.caption or "").split("\n")))]
    units = [*(find_unit(text) for text, _ in corner), *(find_stated_unit(text) for text, _ in above)]
    return complete(units), tuple(word for _, words in (*corner, *above) for word in words)


def complete(said: list[Unit | None]) -> Unit | None:
    """One unit of several, the nearest first: a wider one only adds what is still open."""
    units = [unit for unit in said if unit]
    return reduce(lambda near, far: near.within(far), units) if units else None
