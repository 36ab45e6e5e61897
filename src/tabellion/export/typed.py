"""The typed values and addresses of many cells at once: as a grid gives them one by one, without one call per cell."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tabellion.model.arrays import distinct
from tabellion.model.grid import Content, Grid
from tabellion.model.place import column_letters
from tabellion.model.table import Quantity, Table, Tuples

Value = float | int | str | None
_EXACT = 2.0**53  # whole numbers up to here are exact in a double
_SOME = 4_000
_SILENT = (Content.EMPTY, Content.MISSING)
KINDS = {  # what a cell holds, in the words of the output contract
    Content.EMPTY: "empty",
    Content.TEXT: "text",
    Content.NUMBER: "number",
    Content.DATE: "date",
    Content.MISSING: "text",
    Content.LINK: "link",
    Content.IMAGE: "image",
    Content.FORM: "form",
}


def typed_values(grid: Grid, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> list[Value]:
    """Numbers, ISO dates and texts of the given cells; None where a value is missing."""
    content, number = grid.content[rows, columns], grid.number[rows, columns]
    values: NDArray[np.object_] = grid.label[rows, columns]  # a copy: fancy indexing
    numeric = content == Content.NUMBER
    whole = numeric & (np.abs(number) < _EXACT) & (number == np.floor(number))
    values[numeric] = number[numeric].tolist()
    values[whole] = number[whole].astype(np.int64).tolist()
    values[np.isin(content, _SILENT)] = None
    for index in np.nonzero(content == Content.DATE)[0].tolist():
        values[index] = grid.value(int(rows[index]), int(columns[index]))
    found: list[Value] = values.tolist()
    return found


def cell_addresses(grid: Grid, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> list[str]:
    """The A1 addresses of the given cells in their source."""
    letters = {column: column_letters(int(grid.column_of[column])) for column in distinct(columns).tolist()}
    numbers = (grid.row_of[rows].astype(np.int64) + 1).tolist()
    return [f"{letters[column]}{number}" for column, number in zip(columns.tolist(), numbers, strict=True)]


def value_pages(table: Table) -> list[int | None]:
    """The page that each value stands on; a table that goes on over several has values on each."""
    pages = np.full(table.grid.shape[0], table.place.page or 0, np.int32)
    for part in table.grid.parts:
        pages[part.rows[0] : part.rows[1] + 1] = part.place.page or 0
    return [page or None for page in pages[table.tuples.rows].tolist()]


def value_boxes(table: Table) -> list[list[float] | None]:
    """Where the text of each value is printed, to two places; None where it is not printed."""
    tuples, boxes = table.tuples, table.grid.boxes
    if boxes is None:
        return [None] * len(tuples)
    printed = np.round(boxes[tuples.rows, tuples.columns].astype(np.float64), 2).tolist()
    return [None if box[0] != box[0] else box for box in printed]


VALUE_KINDS = [KINDS[content] if content != Content.MISSING else "missing" for content in Content]


SPREAD = ("low", "high", "error", "bound")  # what a text may say of how far its number can be off


class Shown(NamedTuple):
    """A value with what is its own; `row` and `column` are the grid's."""

    row: int
    column: int
    address: str
    text: str
    value: Value
    kind: str
    unit: str | None
    quantity: Quantity

    @property
    def spread(self) -> dict[str, float | str | None]:
        """How far the number can be off, by name; None where the text does not say it."""
        return dict(zip(SPREAD, self.quantity[1:], strict=True))


def shown_values(tuples: Tuples) -> Iterator[Shown]:
    """The values of a table one by one, made some thousand at a time, so that few are held at once."""
    grid = tuples.grid
    for start in range(0, len(tuples), _SOME):
        some = slice(start, start + _SOME)
        rows, columns = tuples.rows[some], tuples.columns[some]
        yield from map(
            Shown,
            rows.tolist(),
            columns.tolist(),
            cell_addresses(grid, rows, columns),
            grid.text[rows, columns].tolist(),
            typed_values(grid, rows, columns),
            _kinds(grid, rows, columns),
            [tuples.units[unit] for unit in tuples.unit_ids[some].tolist()],
            map(tuples.quantity_of, rows.tolist(), columns.tolist()),
        )


def value_kinds(tuples: Tuples) -> list[str]:
    """What each value is: number, date, text, link, image, form or missing."""
    return _kinds(tuples.grid, tuples.rows, tuples.columns)


def _kinds(grid: Grid, rows: NDArray[np.integer], columns: NDArray[np.integer]) -> list[str]:
    found: list[str] = np.array(VALUE_KINDS, dtype=object)[grid.content[rows, columns]].tolist()
    return found
