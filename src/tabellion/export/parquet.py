"""Tuples as Parquet: one row a value, lists for paths, a row group for each table or for some hundred thousand rows.

In: extractions. Out: one file. `value` is a number and null elsewhere; `value_text` holds what a value that is no
number says. Cells of labels are addresses. Needs the extra `arrow`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tabellion.export.arrow import FIELDS, TEXTS, LinePaths, addresses, line_paths, texts, tuple_columns
from tabellion.export.read_back import ExportedTable
from tabellion.export.typed import VALUE_KINDS, typed_values
from tabellion.model.grid import Content
from tabellion.model.place import cell_at
from tabellion.model.table import Table, Tuple, Tuples
from tabellion.pipeline import Extraction

SCHEMA = pa.schema(
    [
        ("source", pa.string()),
        ("sheet", pa.string()),
        ("table", pa.string()),
        *FIELDS,
        ("type", pa.string()),
        ("value_text", pa.string()),
        ("left_cells", TEXTS),
        ("top_cells", TEXTS),
    ]
)
_ROW_GROUP = 262_144
_EXACT = 2.0**53


def write_parquet(extractions: Iterable[Extraction], file: BinaryIO) -> None:
    """All tuples of some documents."""
    with pq.ParquetWriter(file, SCHEMA, compression="zstd", compression_level=1, use_dictionary=_repeating()) as writer:
        for extraction in extractions:
            for table in extraction.tables:
                if len(table.tuples):
                    writer.write_table(tidy_table(table, extraction.document.source), row_group_size=_ROW_GROUP)


def tidy_table(table: Table, source: str) -> pa.Table:
    """The tuples of a table under the columns of `SCHEMA`."""
    tuples, count = table.tuples, len(table.tuples)
    left, top = line_paths(tuples.row_paths, tuples.rows), line_paths(tuples.column_paths, tuples.columns)
    columns = {
        "source": pa.repeat(source, count),
        "sheet": pa.repeat(pa.scalar(table.place.sheet, pa.string()), count),
        "table": pa.repeat(table.id, count),
        **tuple_columns(tuples, left, top),
        "type": pa.array(VALUE_KINDS).take(pa.array(tuples.grid.content[tuples.rows, tuples.columns])),
        "value_text": _value_texts(tuples),
        "left_cells": _cells(left),
        "top_cells": _cells(top),
    }
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def read_parquet(data: bytes) -> list[ExportedTable]:
    """The tables of a file written by `write_parquet`."""
    found: dict[tuple[str, str | None, str], list[Tuple]] = {}
    for batch in pq.ParquetFile(pa.BufferReader(data)).iter_batches():
        for row in batch.to_pylist():
            found.setdefault((row["source"], row["sheet"], row["table"]), []).append(_tuple(row))
    return [ExportedTable(*key, tuple(tuples)) for key, tuples in found.items()]


def _tuple(given: dict[str, Any]) -> Tuple:
    for name in ("source", "sheet", "table", "type"):
        given.pop(name)
    said, number = given.pop("value_text"), given["value"]
    if isinstance(number, float):
        given["value"] = int(number) if number.is_integer() and abs(number) < _EXACT else number
    else:
        given["value"] = said
    for name in ("top", "left", "notes"):
        given[name] = tuple(given[name])
    for name in ("top_cells", "left_cells"):
        given[name] = tuple(map(cell_at, given[name]))
    return Tuple(**given)


def _value_texts(tuples: Tuples) -> pa.Array:
    """What the values say that are no numbers; null for numbers."""
    grid, rows, columns = tuples.grid, tuples.rows, tuples.columns
    other = np.nonzero(grid.content[rows, columns] != Content.NUMBER)[0]
    if not len(other):
        return pa.nulls(len(rows), pa.string())
    said = np.full(len(rows), None, dtype=object)
    said[other] = typed_values(grid, rows[other], columns[other])
    return texts(said)


def _cells(lines: LinePaths) -> pa.Array:
    """The addresses of the labels of each path, made for all at once."""
    cells = np.array([cell for path in lines.paths for cell in path.cells], dtype=np.int32).reshape(-1, 2)
    ends = np.cumsum([0, *(len(path.cells) for path in lines.paths)], dtype=np.int32)
    return lines.spread(pa.ListArray.from_arrays(pa.array(ends), addresses(cells[:, 0], cells[:, 1])))


def _repeating() -> list[str]:
    """The columns in which the same stands again and again, as Parquet names them."""
    alone = ("row", "column", "address", "value", "text", "value_text")
    names = (f"{field.name}.list.element" if field.type == TEXTS else field.name for field in SCHEMA)
    return [name for name in names if name not in alone]
