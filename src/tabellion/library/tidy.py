"""The tuples of a document as one Arrow table: one row a value, under the columns that every segment has.

In: tables. Out: the Arrow table as a stream of bytes. A path is made once for its row or column and repeated by
reference, so a million values cost no million lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tabellion.export.typed import cell_addresses
from tabellion.model.grid import Content
from tabellion.model.table import Path, Table, Tuples

_TEXTS = pa.list_(pa.string())
SCHEMA = pa.schema(
    [
        ("table_id", pa.string()),
        ("document_id", pa.string()),
        ("row", pa.int32()),
        ("column", pa.int32()),
        ("address", pa.string()),
        ("text", pa.string()),
        ("value", pa.float64()),
        ("unit", pa.string()),
        ("top", _TEXTS),
        ("left", _TEXTS),
        ("notes", _TEXTS),
        ("confidence", pa.float64()),
        ("left_columns", pa.list_(pa.int32())),  # where each label of `left` stands: for the layout, not for views
    ]
)
_NOWHERE = Path()


def tidy_tables(document_id: str, tables: Sequence[Table]) -> bytes:
    """All tuples of a document."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        for table in tables:
            if len(table.tuples):
                stream.write_table(_tidy(f"{document_id}-{table.id}", document_id, table.tuples))
    found: bytes = sink.getvalue().to_pybytes()
    return found


def arrow_table(stream: bytes) -> pa.Table:
    """The Arrow table of a stream."""
    return pa.ipc.open_stream(stream).read_all()


def _tidy(table_id: str, document_id: str, tuples: Tuples) -> pa.Table:
    grid, rows, columns = tuples.grid, tuples.rows, tuples.columns
    count = len(rows)
    number = np.where(grid.content[rows, columns] == Content.NUMBER, grid.number[rows, columns], np.nan)
    units = pa.array([*tuples.units], pa.string()).take(pa.array(tuples.unit_ids.astype(np.int32)))
    left, left_at = _paths(tuples.row_paths, rows)
    top, top_at = _paths(tuples.column_paths, columns)
    return pa.table(
        [
            pa.repeat(table_id, count),
            pa.repeat(document_id, count),
            grid.row_of[rows],
            grid.column_of[columns],
            pa.array(cell_addresses(grid, rows, columns), pa.string()),
            pa.array([clean_text(text) for text in grid.text[rows, columns].tolist()], pa.string()),
            pa.array(number, pa.float64(), from_pandas=True),
            units,
            _labels(top).take(top_at),
            _labels(left).take(left_at),
            _notes(tuples, any(path.notes for path in (*left, *top))),
            pa.array(np.full(count, tuples.confidence, np.float64)),
            pa.array([_label_columns(path) for path in left], pa.list_(pa.int32())).take(left_at),
        ],
        schema=SCHEMA,
    )


def _paths(paths: Mapping[int, Path], lines: NDArray[np.int32]) -> tuple[list[Path], pa.Array]:
    """The distinct paths of some lines, and which of them each line has."""
    distinct, at = np.unique(lines, return_inverse=True)
    return [paths.get(line, _NOWHERE) for line in distinct.tolist()], pa.array(at.astype(np.int32))


def _labels(paths: Iterable[Path]) -> pa.Array:
    return pa.array([[clean_text(label) for label in path.labels] for path in paths], _TEXTS)


def _label_columns(path: Path) -> list[int]:
    """The source column of each label; -1 for one that stands in no cell."""
    columns = [column for _, column in path.cells]
    return [-1] * (len(path.labels) - len(columns)) + columns[: len(path.labels)]


def _notes(tuples: Tuples, labels_have_some: bool) -> pa.Array:
    """The notes of each tuple; most tables have none, which is seen at once."""
    if not labels_have_some and not tuples.grid.notes:
        return pa.array([[]], _TEXTS).take(pa.array(np.zeros(len(tuples), np.int32)))
    return pa.array([[clean_text(note) for note in one.notes] for one in tuples], _TEXTS)


def clean_text(text: str) -> str:
    """A text that every store takes: without halves of letters and zero bytes."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "")
