"""The tuples of a document as one Arrow table: one row per value, under the columns that every segment has.

In: tables. Out: the Arrow table as a stream of bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from tabellion.export.arrow import FIELDS, PLACES, SPREADS, LinePaths, place_columns, spread_columns, tuple_columns
from tabellion.model.table import Table

_PLACES = pa.list_(pa.int32())
SCHEMA = pa.schema(
    [
        ("table_id", pa.string()),
        ("document_id", pa.string()),
        *FIELDS,
        ("left_columns", _PLACES),  # where each label of `left` stands: for the layout, not for views
        ("sheet", pa.string()),
        *PLACES,
        *SPREADS,
    ]
)


def tidy_tables(document_id: str, tables: Sequence[Table]) -> bytes:
    """All tuples of a document."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        for table in tables:
            if len(table.tuples):
                stream.write_table(_tidy(f"{document_id}-{table.id}", document_id, table))
    found: bytes = sink.getvalue().to_pybytes()
    return found


def arrow_table(stream: bytes) -> pa.Table:
    """The Arrow table of a stream."""
    return pa.ipc.open_stream(stream).read_all()


def _tidy(table_id: str, document_id: str, table: Table) -> pa.Table:
    tuples = table.tuples
    left, top = LinePaths(tuples.row_paths, tuples.rows), LinePaths(tuples.column_paths, tuples.columns)
    columns = {
        "table_id": pa.repeat(table_id, len(tuples)),
        "document_id": pa.repeat(document_id, len(tuples)),
        **tuple_columns(tuples, left, top),
        "left_columns": left.columns,
        "sheet": pa.repeat(pa.scalar(table.place.sheet, pa.string()), len(tuples)),
        **place_columns(table),
        **spread_columns(tuples),
    }
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)
