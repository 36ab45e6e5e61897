"""Tuples as Arrow columns and as Parquet files: one row per value.

In: tuples. Out: arrays by name. A path is made once for its row or column and repeated by reference, and addresses are
put together by Arrow, so a million values cost no million lists or texts made one by one.

Tuples as Parquet: one row per value, lists for paths, a row group for each table or for some hundred thousand rows. In:
extractions. Out: one file. `value` is a number and null elsewhere; `value_text` holds what a value that is no number
says. Cells of labels are addresses. Needs the extra `arrow`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, BinaryIO

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tabellion.export.columns import SPREAD, VALUE_KINDS, typed_values, value_boxes, value_pages
from tabellion.export.forms import ExportedTable
from tabellion.model.frame import HeaderNode
from tabellion.model.grid import Content, Grid
from tabellion.model.place import cell_at, column_letters
from tabellion.model.table import Path, Paths, Table, Tuple, Tuples
from tabellion.pipeline import Extraction

TEXTS = pa.list_(pa.string())
FIELDS = (
    ("row", pa.int32()),
    ("column", pa.int32()),
    ("address", pa.string()),
    ("text", pa.string()),
    ("value", pa.float64()),
    ("unit", pa.string()),
    ("top", TEXTS),
    ("left", TEXTS),
    ("notes", TEXTS),
    ("confidence", pa.float64()),
)
PLACES = (
    ("page", pa.int32()),
    ("box", pa.list_(pa.float64())),
    ("path", pa.string()),
)  # where a value stands, beside its address: on a page of a PDF or a rendered page, in an element of a web page
SPREADS = tuple((name, pa.string() if name == "bound" else pa.float64()) for name in SPREAD)
_NOWHERE = Path()


class LinePaths:
    """The distinct paths of some lines, as Arrow columns, and which of them each line has."""

    def __init__(self, paths: Mapping[int, Path], lines: NDArray[np.int32]) -> None:
        distinct, at = _distinct(lines)
        self._at = pa.array(at)
        if isinstance(paths, Paths) and not paths.grid.notes:
            named = paths.roots(distinct.tolist())
            if named is not None:
                self._fill_names(named, paths.grid)
                return
        self._fill([paths.get(line, _NOWHERE) for line in distinct.tolist()])

    def _fill(self, paths: list[Path]) -> None:
        self.noted = any(path.notes for path in paths)
        self._labels = pa.array([[clean_text(label) for label in path.labels] for path in paths], TEXTS)
        cells = np.array([cell for path in paths for cell in path.cells], dtype=np.int32).reshape(-1, 2)
        self._columns = pa.array([label_columns(path) for path in paths], pa.list_(pa.int32()))
        ends = np.cumsum([0, *(len(path.cells) for path in paths)], dtype=np.int32)
        self._cells = pa.ListArray.from_arrays(pa.array(ends), addresses(cells[:, 0], cells[:, 1]))

    def _fill_names(self, nodes: list[HeaderNode], grid: Grid) -> None:
        """One name for each line, made for all at once."""
        self.noted = any(node.notes for node in nodes)
        ends = pa.array(np.arange(len(nodes) + 1, dtype=np.int32))
        named = np.empty(len(nodes), dtype=object)
        named[:] = [node.text for node in nodes]
        cells = np.array([node.cells[0] for node in nodes], dtype=np.intp).reshape(-1, 2)
        rows, columns = grid.row_of[cells[:, 0]], grid.column_of[cells[:, 1]]
        self._labels = pa.ListArray.from_arrays(ends, texts(named))
        self._columns = pa.ListArray.from_arrays(ends, pa.array(columns, pa.int32()))
        self._cells = pa.ListArray.from_arrays(ends, addresses(rows, columns))

    @property
    def labels(self) -> pa.Array:
        """The labels of each line."""
        return self._labels.take(self._at)

    @property
    def cells(self) -> pa.Array:
        """The addresses of those labels."""
        return self._cells.take(self._at)

    @property
    def columns(self) -> pa.Array:
        """The source columns of those labels; -1 for one that stands in no cell."""
        return self._columns.take(self._at)


def label_columns(path: Path) -> list[int]:
    """The source column of each label; -1 for one that stands in no cell."""
    columns = [column for _, column in path.cells]
    return [-1] * (len(path.labels) - len(columns)) + columns[: len(path.labels)]


def tuple_columns(tuples: Tuples, left: LinePaths, top: LinePaths) -> dict[str, pa.Array]:
    """The columns of `FIELDS`, given the paths of rows and columns; `value` is null where the text is no number."""
    grid, rows, columns = tuples.grid, tuples.rows, tuples.columns
    number = np.where(grid.content[rows, columns] == Content.NUMBER, grid.number[rows, columns], np.nan)
    return {
        "row": pa.array(grid.row_of[rows], pa.int32()),
        "column": pa.array(grid.column_of[columns], pa.int32()),
        "address": addresses(grid.row_of[rows], grid.column_of[columns]),
        "text": texts(grid.text[rows, columns]),
        "value": pa.array(number, pa.float64(), from_pandas=True),
        "unit": pa.array([*tuples.units], pa.string()).take(pa.array(tuples.unit_ids.astype(np.int32))),
        "top": top.labels,
        "left": left.labels,
        "notes": _notes(tuples, left.noted or top.noted),
        "confidence": pa.array(np.full(len(rows), tuples.confidence, np.float64)),
    }


def spread_columns(tuples: Tuples) -> dict[str, pa.Array]:
    """The columns of `SPREADS`: how far values can be off, as their texts say; most tables hold plain numbers only."""
    if not tuples.quantities:
        return {name: pa.nulls(len(tuples), kind) for name, kind in SPREADS}
    cells = zip(tuples.rows.tolist(), tuples.columns.tolist(), strict=True)
    columns = zip(*(tuples.quantity_of(*cell)[1:] for cell in cells), strict=True)
    return {name: pa.array(held, kind) for (name, kind), held in zip(SPREADS, columns, strict=True)}


def place_columns(table: Table) -> dict[str, pa.Array]:
    """The columns of `PLACES`; null where the medium has no such thing."""
    return {
        "page": pa.array(value_pages(table), pa.int32()),
        "box": pa.array(value_boxes(table), pa.list_(pa.float64())),
        "path": pa.repeat(pa.scalar(table.place.path, pa.string()), len(table.tuples)),
    }


def addresses(rows: NDArray[np.int32], columns: NDArray[np.int32]) -> pa.Array:
    """A1 addresses of cells.

    >>> addresses(np.array([23], np.int32), np.array([1], np.int32)).to_pylist()
    ['B24']
    """
    distinct, at = _distinct(columns)
    letters = pa.array([column_letters(column) for column in distinct.tolist()], pa.string())
    numbers = pc.cast(pa.array(rows.astype(np.int64) + 1), pa.string())
    return pc.binary_join_element_wise(letters.take(pa.array(at)), numbers, "")


def texts(given: NDArray[np.object_]) -> pa.Array:
    """Texts as Arrow holds them, which is no half of a letter."""
    try:
        found = pa.array(given, pa.string())
    except UnicodeEncodeError:
        return pa.array([clean_text(text) for text in given.tolist()], pa.string())
    return pc.replace_substring(found, "\0", "") if pc.any(pc.match_substring(found, "\0")).as_py() else found


def clean_text(text: str) -> str:
    """A text that every store takes: without halves of letters and zero bytes."""
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _distinct(lines: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """The distinct lines, and for each given one its place among them; without sorting, as lines are small numbers."""
    there = np.zeros(int(lines.max(initial=-1)) + 1, dtype=bool)
    there[lines] = True
    return np.nonzero(there)[0], (np.cumsum(there, dtype=np.int32) - 1).astype(np.int32)[lines]


def _notes(tuples: Tuples, labels_have_some: bool) -> pa.Array:
    """The notes of each tuple; most tables have none, which is seen at once."""
    if not labels_have_some and not tuples.grid.notes:
        return pa.array([[]], TEXTS).take(pa.array(np.zeros(len(tuples), np.int32)))
    lines = zip(tuples.rows.tolist(), tuples.columns.tolist(), strict=True)
    return pa.array([[clean_text(note) for note in tuples.notes_of(*cell)] for cell in lines], TEXTS)


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
        *PLACES,
        *SPREADS,
    ]
)
_ROW_GROUP = 262_144
_EXACT = 2.0**53
_BOUNDED = ("source", "sheet", "table", "row", "column", "value", "type", "page")
"""The columns whose least and largest value is told of each group of rows, so that readers may pass groups over."""


def write_parquet(extractions: Iterable[Extraction], file: BinaryIO) -> None:
    """All tuples of some documents."""
    with pq.ParquetWriter(
        file,
        SCHEMA,
        compression="zstd",
        compression_level=1,
        use_dictionary=_repeating(),
        write_statistics=list(_BOUNDED),
    ) as writer:
        for extraction in extractions:
            for table in extraction.tables:
                for start in range(0, len(table.tuples), _ROW_GROUP):
                    some = msgspec.structs.replace(table, tuples=table.tuples.part(start, start + _ROW_GROUP))
                    writer.write_table(tidy_table(some, extraction.document.source))


def tidy_table(table: Table, source: str) -> pa.Table:
    """The tuples of a table under the columns of `SCHEMA`."""
    tuples, count = table.tuples, len(table.tuples)
    left, top = LinePaths(tuples.row_paths, tuples.rows), LinePaths(tuples.column_paths, tuples.columns)
    columns = {
        "source": pa.repeat(source, count),
        "sheet": pa.repeat(pa.scalar(table.place.sheet, pa.string()), count),
        "table": pa.repeat(table.id, count),
        **tuple_columns(tuples, left, top),
        "type": pa.array(VALUE_KINDS).take(pa.array(tuples.grid.content[tuples.rows, tuples.columns])),
        "value_text": _value_texts(tuples),
        "left_cells": left.cells,
        "top_cells": top.cells,
        **place_columns(table),
        **spread_columns(tuples),
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
    for name in ("source", "sheet", "table", "type", *dict(PLACES)):
        given.pop(name, None)
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


def _repeating() -> list[str]:
    """The columns in which the same stands again and again, as Parquet names them."""
    alone = ("row", "column", "address", "value", "text", "value_text", "left_cells.list.element", "box.list.element")
    names = (f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in SCHEMA)
    return [name for name in names if name not in alone]
