"""The tuples of a table as Arrow columns: one row a value.

In: tuples. Out: arrays by name. A path is made once for its row or column and repeated by reference, and addresses are
put together by Arrow, so a million values cost no million lists or texts made one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tabellion.model.grid import Content
from tabellion.model.place import column_letters
from tabellion.model.table import Path, Tuples

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
_NOWHERE = Path()


class LinePaths(NamedTuple):
    """The distinct paths of some lines, and which of them each line has."""

    paths: list[Path]
    at: pa.Array

    def spread(self, made: pa.Array) -> pa.Array:
        """What was made for each path, repeated for each line."""
        return made.take(self.at)


def line_paths(paths: Mapping[int, Path], lines: NDArray[np.int32]) -> LinePaths:
    """The paths of the lines that values stand in."""
    distinct, at = _distinct(lines)
    return LinePaths([paths.get(line, _NOWHERE) for line in distinct.tolist()], pa.array(at))


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
        "top": top.spread(_labels(top.paths)),
        "left": left.spread(_labels(left.paths)),
        "notes": _notes(tuples, any(path.notes for path in (*left.paths, *top.paths))),
        "confidence": pa.array(np.full(len(rows), tuples.confidence, np.float64)),
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


def _labels(paths: Iterable[Path]) -> pa.Array:
    return pa.array([[clean_text(label) for label in path.labels] for path in paths], TEXTS)


def _notes(tuples: Tuples, labels_have_some: bool) -> pa.Array:
    """The notes of each tuple; most tables have none, which is seen at once."""
    if not labels_have_some and not tuples.grid.notes:
        return pa.array([[]], TEXTS).take(pa.array(np.zeros(len(tuples), np.int32)))
    lines = zip(tuples.rows.tolist(), tuples.columns.tolist(), strict=True)
    return pa.array([[clean_text(note) for note in tuples.notes_of(*cell)] for cell in lines], TEXTS)
