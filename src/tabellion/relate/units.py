"""The unit of each value: what its own text or format says, else the nearest label or title that names one.

In: the frame, the cells of its values and the paths of their rows and columns. Out: a small list of units and one index
a value. Order: own text, number format, top labels from the nearest, left labels from the nearest, the head of the
stub, the title; a scale said further out completes a currency said further in. Fails where a title's unit does not
hold for a column that names none ("in thousands, except as indicated").
"""

from __future__ import annotations

from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.model.grid import Content, Grid
from tabellion.patterns import lazy_pattern
from tabellion.relate.paths import Paths
from tabellion.relate.titles import title_cells
from tabellion.values.unit import Unit, find_format_unit, find_stated_unit, find_unit

_OWN = lazy_pattern(r"[%％‰$€£¥￥₹₽₩¢]|\b(?:USD|EUR|GBP|CHF)\b")
_MOST_ROWS = 5_000  # a longer table lists records: its row labels are names, not measures
_NUMBER, _TEXT = int(Content.NUMBER), int(Content.TEXT)  # numpy is slow to ask an enumeration
_YEAR = lazy_pattern(r"(?:1[89]|20)\d\d")


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
    numeric = np.flatnonzero(grid.content[rows, columns] == _NUMBER)
    row, column = rows[numeric], columns[numeric]
    own = _said_by_values(frame, row, column, known)
    wider = known.number(said_around(frame))
    ids = np.zeros(len(rows), dtype=np.int16)
    many = len(known.units)
    if many > 1:
        kinds, kind_of = np.unique((own * many + by_column[column]) * many + by_row[row], return_inverse=True)
        final = np.zeros(len(kinds), dtype=np.int16)
        for index, kind in enumerate(kinds.tolist()):
            said = (kind // many**2, kind // many % many, kind % many, wider)
            final[index] = known.number(complete([known.units[one] for one in said]))
        ids[numeric] = final[kind_of]
    return ids, tuple(str(unit) if unit else None for unit in known.units)


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
    if _OWN.search("\n".join(texts)):  # one look spares plain sheets a million
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


def said_around(frame: Frame) -> Unit | None:
    """What the head of the stub and the titles say, the nearest first."""
    grid = frame.grid
    corner = [
        find_unit(str(grid.label[row, column]))
        for row in frame.header_rows
        for column in frame.stub_columns
        if grid.content[row, column] == _TEXT
    ]
    titles = [
        find_stated_unit(str(grid.label[line.row, column]))
        for line in reversed(title_cells(frame))
        for column in line.columns
        if grid.content[line.row, column] == _TEXT
    ]
    above = [find_stated_unit(line) for line in reversed((grid.caption or "").split("\n"))]
    return complete([*corner, *titles, *above])


def complete(said: list[Unit | None]) -> Unit | None:
    """One unit of several, the nearest first: a wider one only adds what is still open."""
    units = [unit for unit in said if unit]
    return reduce(lambda near, far: near.within(far), units) if units else None
