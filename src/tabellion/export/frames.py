"""Tables as data frames: tidy (one row per value) or as laid out.

In: a table. Out: a frame of pandas, polars or Arrow; each is imported when it is asked for, and an error says which
extra to install where it is missing. In a tidy frame each level of the paths is a column (`left_1` is the outermost);
`value` is a number, null where the text is none, and `text` what the cell shows.

`lay_out` gives a table as it is laid out, for Markdown, notebooks and data frames: header paths over columns, stub
labels before rows, the values between. Rows that only group others are kept where people read, and left out
where programs do.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.errors import MissingExtraError
from tabellion.export.typed import SPREAD, cell_addresses, typed_values
from tabellion.model.grid import Content
from tabellion.model.table import Path, Quantity, Table, Tuples

if TYPE_CHECKING:
    import pandas
    import polars as polars_types
    import pyarrow


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
