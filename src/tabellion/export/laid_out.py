"""A table as it is laid out: header paths over columns, stub labels before rows, the values between.

What Markdown, notebooks and data frames share. Rows that only group others are kept where people read, and left out
where programs do.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tabellion.model.grid import Content
from tabellion.model.table import Path, Table

_EMPTY = Path()


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
