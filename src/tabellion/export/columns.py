"""Tables as columns: the typed values of many cells at once, and data frames, tidy or as laid out.

`typed_values` and its like give what a grid gives cell by cell, without one call per cell; other forms stand on them.

Data frames. In: a table. Out: a frame of pandas, polars or Arrow; each is imported when it is asked for, and an error
says which extra to install where it is missing. In a tidy frame (one row per value) each level of the paths is a column
(`left_1` is the outermost); `value` is a number, null where the text is none, and `text` what the cell shows.

`lay_out` gives a table as it is laid out, for Markdown, notebooks and data frames: header paths over columns, stub
labels before rows, the values between. Rows that only group others are kept where people read, and left out where
programs do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import MissingExtraError
from tabellion.model.arrays import distinct
from tabellion.model.grid import Content, Grid
from tabellion.model.place import column_letters
from tabellion.model.table import Path, Quantity, Table, Tuples

if TYPE_CHECKING:
    import pandas
    import polars as polars_types
    import pyarrow


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


class LaidOut(msgspec.Struct, frozen=True):
    """Rows and columns of the grid that are shown, with the paths that head them."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    stub_columns: tuple[int, ...]
    row_paths: tuple[tuple[str, ...], ...]
    column_paths: tuple[tuple[str, ...], ...]
    stub_heads: tuple[str, ...]


def lay_out(table: Table, *, groups: bool) -> LaidOut:
    """The body of a table with its paths; `groups`: with the rows that hold no value."""
    frame, tuples = table.frame, table.tuples
    valued = set(tuples.rows.tolist())
    rows = [row for row in frame.body_rows if row in valued or (groups and _says_something(table, row))]
    return LaidOut(
        rows=tuple(rows),
        columns=frame.value_columns,
        stub_columns=frame.stub_columns,
        row_paths=tuple(tuples.row_paths.get(row, _EMPTY).labels for row in rows),
        column_paths=tuple(tuples.column_paths.get(column, _EMPTY).labels for column in frame.value_columns),
        stub_heads=tuple(_stub_head(table, column) for column in frame.stub_columns),
    )


def pad_paths(paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Paths of one length, the shorter ones filled up after their nearest label.

    >>> pad_paths([("a", "b"), ("c",)])
    [('a', 'b'), ('c', '')]
    """
    depth = max(map(len, paths), default=0)
    return [(*path, *[""] * (depth - len(path))) for path in paths]


def _says_something(table: Table, row: int) -> bool:
    columns = (*table.frame.stub_columns, *table.frame.value_columns)
    return bool((table.grid.content[row, list(columns)] != Content.EMPTY).any())


def _stub_head(table: Table, column: int) -> str:
    grid = table.grid
    said = (str(grid.label[row, column]) for row in table.frame.header_rows)
    return " ".join(text for text in said if text)


_EXTRAS = {"pandas": "pandas", "polars": "polars", "pyarrow": "arrow"}
_EMPTY = Path()


def to_pandas(table: Table, *, layout: bool = False) -> pandas.DataFrame:
    """A tidy frame; with `layout` the table as it stands, its header trees as column and row index."""
    pandas = _import("pandas")
    if layout:
        return _laid_out(table, pandas)
    return pandas.DataFrame(_tidy(table))


def to_polars(table: Table) -> polars_types.DataFrame:
    """A tidy frame."""
    polars = _import("polars")
    tidy = _tidy(table)
    schema = {name: _polars_type(polars, name) for name in tidy}
    frame: polars_types.DataFrame = polars.DataFrame(tidy, schema=schema, nan_to_null=True)
    return frame


def to_arrow(table: Table) -> pyarrow.Table:
    """A tidy table."""
    arrow = _import("pyarrow")
    tidy = _tidy(table)
    types = {
        "row": arrow.int32(),
        "column": arrow.int32(),
        "value": arrow.float64(),
        "confidence": arrow.float64(),
        "notes": arrow.list_(arrow.string()),
        **dict.fromkeys(SPREAD[:-1], arrow.float64()),
    }
    schema = arrow.schema([(name, types.get(name, arrow.string())) for name in tidy])
    made = {name: arrow.array(held, type=schema.field(name).type, from_pandas=True) for name, held in tidy.items()}
    return arrow.table(made, schema=schema)


def _polars_type(polars: ModuleType, name: str) -> Any:
    types = {
        "row": polars.Int32,
        "column": polars.Int32,
        "value": polars.Float64,
        "confidence": polars.Float64,
        "notes": polars.List(polars.String),
        **dict.fromkeys(SPREAD[:-1], polars.Float64),
    }
    return types.get(name, polars.String)


def _tidy(table: Table) -> dict[str, Any]:
    """The tuples by column."""
    tuples, grid = table.tuples, table.tuples.grid
    rows, columns = tuples.rows, tuples.columns
    number = np.where(grid.content[rows, columns] == Content.NUMBER, grid.number[rows, columns], np.nan)
    units = np.array([*tuples.units, None], dtype=object)[:-1]
    row_lines, row_at = np.unique(rows, return_inverse=True)
    column_lines, column_at = np.unique(columns, return_inverse=True)
    left = [tuples.row_paths.get(row, _EMPTY) for row in row_lines.tolist()]
    top = [tuples.column_paths.get(column, _EMPTY) for column in column_lines.tolist()]
    return {
        "address": cell_addresses(grid, rows, columns),
        "row": grid.row_of[rows],
        "column": grid.column_of[columns],
        **_levels("left", left, row_at),
        **_levels("top", top, column_at),
        "value": number,
        "text": grid.text[rows, columns].tolist(),
        "unit": units[tuples.unit_ids].tolist(),
        "notes": _notes(tuples, any(path.notes for path in (*left, *top))),
        "confidence": np.full(len(rows), tuples.confidence),
        **_spread(tuples),
    }


def _spread(tuples: Tuples) -> dict[str, Any]:
    """How far values can be off, as their texts say: numbers, NaN where nothing is said, and the sign of a bound."""
    cells = zip(tuples.rows.tolist(), tuples.columns.tolist(), strict=True)
    nothing = Quantity()
    told = [tuples.quantity_of(*cell) for cell in cells] if tuples.quantities else [nothing] * len(tuples)
    columns: list[list[Any]] = [[getattr(one, name) for one in told] for name in SPREAD]
    return {
        name: held if name == "bound" else np.array(held, dtype=np.float64)
        for name, held in zip(SPREAD, columns, strict=True)
    }


def _levels(side: str, paths: list[Path], at: NDArray[np.intp]) -> dict[str, list[str | None]]:
    """One column per level of the paths, None below the nearest label."""
    found = {}
    for level in range(max((len(path.labels) for path in paths), default=0)):
        labels = [path.labels[level] if level < len(path.labels) else None for path in paths]
        found[f"{side}_{level + 1}"] = np.array([*labels, None], dtype=object)[at].tolist()
    return found


def _notes(tuples: Tuples, labels_have_some: bool) -> list[list[str]]:
    """The notes of each tuple; most tables have none, which is seen at once."""
    if not labels_have_some and not tuples.grid.notes:
        return [[] for _ in range(len(tuples))]
    return [list(one.notes) for one in tuples]


def _laid_out(table: Table, pandas: ModuleType) -> pandas.DataFrame:
    laid, grid = lay_out(table, groups=False), table.grid
    rows = np.array(laid.rows, dtype=np.int32)
    data = {}
    for number, column in enumerate(laid.columns):
        data[number] = pandas.Series(typed_values(grid, rows, np.full(len(rows), column))).infer_objects()
    frame = pandas.DataFrame(data)
    index = pad_paths(laid.row_paths)
    columns = pad_paths(laid.column_paths)
    if index and index[0]:
        frame.index = pandas.MultiIndex.from_tuples(index) if len(index[0]) > 1 else pandas.Index([i[0] for i in index])
    if columns and columns[0]:
        wide = len(columns[0]) > 1
        frame.columns = pandas.MultiIndex.from_tuples(columns) if wide else pandas.Index([c[0] for c in columns])
    return frame


def _import(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        extra = _EXTRAS[name]
        raise MissingExtraError(f"{name} is not installed: pip install 'tabellion[{extra}]'") from error
