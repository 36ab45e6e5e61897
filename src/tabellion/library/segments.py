"""Segments: tuples of some documents in one Parquet file that is written once and never changed.

In: Arrow tables. Out: a file, and what the catalogue must know of it. A segment
without a row in the catalogue is invisible, so a killed writer leaves nothing but a file to clear away.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from tabellion.library.folder import whole_file
from tabellion.library.tidy import SCHEMA

ENDING = ".parquet"
_ROW_GROUP = 131_072  # rows: large enough to scan fast, small enough to skip most of a segment for one table


class Segment(msgspec.Struct, frozen=True):
    """What the catalogue says of a segment."""

    segment_id: str
    rows: int
    bytes: int
    sha256: str


def write_segment(folder: Path, segment_id: str, parts: Iterable[pa.Table]) -> Segment:
    """Write tuples as one new segment."""
    table = pa.concat_tables([SCHEMA.empty_table(), *parts]).combine_chunks()
    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        compression_level=6,
        row_group_size=_ROW_GROUP,
        use_dictionary=[name for name in _leaves() if name not in ("row", "column", "left_columns.list.element")],
        column_encoding={"row": "DELTA_BINARY_PACKED", "column": "DELTA_BINARY_PACKED"},
        write_page_index=False,
    )
    data = sink.getvalue()
    sha256 = hashlib.sha256(data).hexdigest()
    with whole_file(segment_path(folder, segment_id)) as part:
        part.write_bytes(data)
    return Segment(segment_id, table.num_rows, len(data), sha256)


def segment_path(folder: Path, segment_id: str) -> Path:
    return folder / f"{segment_id}{ENDING}"


def open_segments(folder: Path, segment_ids: Sequence[str]) -> ds.Dataset:
    """Some segments as one dataset, of which only what is asked for is read."""
    return ds.dataset([str(segment_path(folder, one)) for one in segment_ids], schema=SCHEMA, format="parquet")


def _leaves() -> list[str]:
    """The columns as Parquet names them: a list by its element."""
    return [f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in SCHEMA]
