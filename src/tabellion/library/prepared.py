"""What is written when a document is read, so that it need not be read again: its RDF, and views of large documents.

Views. In: an extraction. Out: a file beside the segment of its tuples: the description of each table, its cells in
batches of rows, and the paths of its rows and columns; and windows of it read back, so that opening a large document
reads only what is seen.

Quads. In: an extraction. Out: its facts as N-Quads, packed, which lie beside the segment of its tuples; and those of
some documents read back. They are made only where the extra `sparql` is installed.

Both are derived: a document that has none, as a small one, a very long one or one of an older library, is read from its
original when it is opened or when SPARQL is asked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tabellion.export.cube import describe_extraction
from tabellion.library.description import describe_table, runs_of
from tabellion.library.files import whole_file
from tabellion.library.surface import Cell, Surfaces, Whole, Window, list_surfaces
from tabellion.model.frame import HeaderTree
from tabellion.model.grid import Grid
from tabellion.model.place import Rect
from tabellion.model.style import Style
from tabellion.model.table import Path as LabelPath
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.rdf import SYNTAXES, Description, expand_name

QUADS = ".quads"  # the ending of their file
_MOST = 100_000  # values of a document whose facts are written beforehand: some seconds' work


class Quads(msgspec.Struct, frozen=True):
    """The facts of one document, packed, and the graphs that they are in."""

    graphs: tuple[str, ...]
    packed: bytes

    def unpack(self) -> bytes:
        with pa.CompressedInputStream(pa.BufferReader(self.packed), "zstd") as stream:
            read: bytes = stream.read()
            return read


def describe_quads(extraction: Extraction) -> Quads:
    """The facts of an extraction as N-Quads."""
    graphs: dict[str, None] = {}

    def noted() -> Iterator[Description]:
        for description in describe_extraction(extraction):
            graphs[description.graph] = None
            yield description

    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        for piece in SYNTAXES["nquads"].pieces(noted()):
            stream.write(piece)
    return Quads(tuple(map(expand_name, graphs)), sink.getvalue().to_pybytes())


@cache
def are_wanted() -> bool:
    """Whether anybody can ask in SPARQL here."""
    return find_spec("pyoxigraph") is not None


def are_few(values: int) -> bool:
    """Whether a document with so many values is described beforehand."""
    return values <= _MOST


def pack_quads(held: Mapping[str, Quads]) -> bytes:
    """The facts of the documents of a segment as their file has them; nothing where there are none."""
    data = msgspec.msgpack.encode(held)
    return hashlib.sha256(data).digest() + data if held else b""


def write_quads(folder: Path, segment_id: str, packed: bytes) -> bool:
    """Write the facts of the documents of a segment beside it, where there are any."""
    if packed:
        with whole_file(quads_path(folder, segment_id)) as part:
            part.write_bytes(packed)
    return bool(packed)


def read_quads(folder: Path, segment_ids: Iterable[str], documents: Sequence[str]) -> Iterator[tuple[str, Quads]]:
    """The facts of some documents, a segment at a time; nothing of those that have none."""
    wanted = set(documents)
    for segment_id in segment_ids:
        try:
            held = msgspec.msgpack.decode(_whole(quads_path(folder, segment_id)), type=dict[str, Quads])
        except (OSError, msgspec.MsgspecError):
            continue
        yield from ((one, quads) for one, quads in held.items() if one in wanted)


def are_damaged(folder: Path, segment_id: str) -> bool:
    """Whether there are facts beside a segment that are not as they were written."""
    path = quads_path(folder, segment_id)
    return path.exists() and not _whole(path)


def quads_documents(folder: Path, segment_id: str) -> set[str]:
    """The documents whose facts lie beside a segment."""
    try:
        return set(msgspec.msgpack.decode(_whole(quads_path(folder, segment_id)), type=dict[str, msgspec.Raw]))
    except msgspec.MsgspecError:
        return set()


def _whole(path: Path) -> bytes:
    """The bytes of a file behind their hash; none where they do not fit it."""
    try:
        data = path.read_bytes()
    except OSError:
        return b""
    return data[32:] if hashlib.sha256(data[32:]).digest() == data[:32] else b""


def quads_path(folder: Path, segment_id: str) -> Path:
    return folder / f"{segment_id}{QUADS}"


VIEW = ".view"  # the ending of their files
_LARGE = 50_000  # cells of a document that takes about a second to read again
_MANY_PAGES = 5  # the same, of a PDF
_BATCH = 16_384  # cells that are read together: a screen takes one or two batches
_HASH = 32
_LENGTH = 8


class _Surface(msgspec.Struct, frozen=True):
    """A sheet, or the grid of a table: its size, its looks, and the first and last row of each batch of cells."""

    rows: int
    columns: int
    styles: list[Style]
    batches: list[tuple[int, int]]


class _Lines(msgspec.Struct, frozen=True):
    """The rows or columns of a table with values: the cells of their labels, and how many values each has."""

    lines: list[int]
    labels: list[list[tuple[int, int]]]
    values: list[int]


class _Node(msgspec.Struct, frozen=True, array_like=True):
    id: int
    text: str
    cells: list[tuple[int, int]]
    probability: float


class _Side(msgspec.Struct, frozen=True):
    nodes: list[_Node]
    own: _Lines


class _Tables(msgspec.Struct, frozen=True):
    """What stands at the beginning of the file."""

    surfaces: list[_Surface]
    surface_of: dict[str, int]
    frames: dict[str, list[int]]
    places: dict[str, dict[str, Any]]
    parts: dict[str, tuple[int, int]]  # name -> where it begins behind this, and its length


def is_large(extraction: Extraction) -> bool:
    """Whether a document is so large that it is written as it is looked at."""
    if extraction.document.medium == "pdf" and len(extraction.document.pages) > _MANY_PAGES:
        return True
    return sum(grid.content.size for grid in {id(one.grid): one.grid for one in extraction.tables}.values()) >= _LARGE


def pack_view(extraction: Extraction, source: str) -> bytes:
    """A document as it is looked at, as the bytes of its file."""
    drawn = Surfaces(extraction)
    whole, surface_of = list_surfaces(drawn)
    parts: dict[str, bytes] = {}
    surfaces: list[_Surface] = []
    for number, one in enumerate(whole):
        batches = []
        for at, (rows, data) in enumerate(_batches(one)):
            batches.append(rows)
            parts[f"cells {number} {at}"] = data
        surfaces.append(_Surface(one.rows, one.columns, list(one.styles), batches))
    for table in extraction.tables:
        described = describe_table(table, extraction, drawn, source)
        parts[f"table {table.id}"] = _packed(msgspec.json.encode(described))
        parts[f"paths {table.id}"] = _packed(msgspec.msgpack.encode(_sides(table)))
    places: dict[str, tuple[int, int]] = {}
    at = 0
    for name, data in parts.items():
        places[name] = (at, len(data))
        at += len(data)
    head = msgspec.msgpack.encode(
        _Tables(
            surfaces,
            surface_of,
            {one.id: list(one.grid.source_rect(one.frame.rect)) for one in extraction.tables},
            {one.id: msgspec.to_builtins(one.place) for one in extraction.tables},
            places,
        )
    )
    body = b"".join((len(head).to_bytes(_LENGTH, "big"), head, *parts.values()))
    return hashlib.sha256(body).digest() + body


def _batches(one: Whole) -> Iterator[tuple[tuple[int, int], bytes]]:
    """The cells of a surface, whole rows together."""
    rows = one.cells["row"].to_numpy()
    first = 0
    while first < len(rows):
        last = min(len(rows), first + _BATCH)
        if last < len(rows):
            last = int(np.searchsorted(rows, rows[last - 1], side="right"))
        sink = pa.BufferOutputStream()
        part = one.cells.slice(first, last - first)
        with pa.ipc.new_stream(sink, part.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as stream:
            stream.write_table(part)
        yield (int(rows[first]), int(rows[last - 1])), sink.getvalue().to_pybytes()
        first = last


def _packed(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _unpacked(data: bytes) -> bytes:
    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        read: bytes = stream.read()
        return read


def _sides(table: Table) -> dict[str, _Side]:
    tuples, grid = table.tuples, table.grid
    return {
        "left": _Side(_nodes(table.left, grid), _lines(tuples.rows, tuples.row_paths, grid.row_of)),
        "top": _Side(_nodes(table.top, grid), _lines(tuples.columns, tuples.column_paths, grid.column_of)),
    }


def _nodes(tree: HeaderTree, grid: Grid) -> list[_Node]:
    rows, columns = grid.row_of, grid.column_of
    return [
        _Node(one.id, one.text, [(int(rows[r]), int(columns[c])) for r, c in one.cells], round(one.probability, 3))
        for one in tree.nodes
    ]


def _lines(held: NDArray[np.int32], paths: Mapping[int, LabelPath], source: NDArray[np.int32]) -> _Lines:
    lines, counts = np.unique(held, return_counts=True)
    labels = [list(paths.get(line, LabelPath()).cells) for line in lines.tolist()]
    return _Lines(source[lines].tolist(), labels, counts.tolist())


def write_views(folder: Path, segment_id: str, views: Mapping[str, bytes]) -> list[Path]:
    """Write the views of the documents of a segment beside it; returns where."""
    for document_id, data in views.items():
        with whole_file(view_path(folder, segment_id, document_id)) as part:
            part.write_bytes(data)
    return [view_path(folder, segment_id, document_id) for document_id in views]


def drop_views(folder: Path, document_id: str, keep: str | None) -> None:
    """Take away the views of earlier readings of a document."""
    for path in folder.glob(f"*.{document_id}{VIEW}"):
        if keep is None or path != view_path(folder, keep, document_id):
            path.unlink(missing_ok=True)


def view_path(folder: Path, segment_id: str, document_id: str) -> Path:
    return folder / f"{segment_id}.{document_id}{VIEW}"


def is_damaged(path: Path) -> bool:
    """Whether a view is not as it was written."""
    try:
        data = path.read_bytes()
    except OSError:
        return True
    return hashlib.sha256(data[_HASH:]).digest() != data[:_HASH]


class View:
    """A large document as it is looked at; parts of its file are read as they are asked for."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with path.open("rb") as file:
            file.seek(_HASH)
            length = int.from_bytes(file.read(_LENGTH), "big")
            self.tables = msgspec.msgpack.decode(file.read(length), type=_Tables)
        self._begin = _HASH + _LENGTH + length
        self._last: tuple[str, dict[str, _Side]] = ("", {})  # the paths of the table that was last asked

    def holds(self, table: str) -> bool:
        return table in self.tables.frames

    def describe(self, table: str) -> dict[str, Any]:
        """What has to be drawn around the cells of a table."""
        described: dict[str, Any] = msgspec.json.decode(_unpacked(self._part(f"table {table}")))
        return described

    def window(self, table: str, wanted: Rect, most: int) -> Window:
        """The cells of a part of the sheet of a table, or of its grid."""
        number = self.tables.surface_of[table]
        surface = self.tables.surfaces[number]
        found: list[Cell] = []
        for at, (first, last) in enumerate(surface.batches):
            if first <= wanted.bottom and last >= wanted.top:
                found += _cells(self._part(f"cells {number} {at}"), wanted)
        return Window(surface.rows, surface.columns, surface.styles, found[:most])

    def cell(self, table: str, row: int, column: int) -> Cell | None:
        """The cell that speaks for a place of the source."""
        near = self.window(table, Rect(row, column, row, column), 1).cells
        return near[0] if near else None

    def paths(self, table: str, row: int, column: int) -> dict[str, list[tuple[int, int]]]:
        """The cells of the labels of a value, left and top."""
        sides = self._sides(table)
        return {f"{name}_cells": _labels(side.own, row if name == "left" else column) for name, side in sides.items()}

    def header(self, table: str, row: int, column: int) -> dict[str, Any] | None:
        """The header that a cell is, the values under it by their rows and columns, and its path."""
        sides = self._sides(table)
        for name, side in sides.items():
            node = next((one for one in side.nodes if (row, column) in one.cells), None)
            if node is None:
                continue
            own, other = side.own, sides["top" if name == "left" else "left"].own
            mine = [at for at, cells in enumerate(own.labels) if any(cell in cells for cell in node.cells)]
            texts = {cell: one.text for one in side.nodes for cell in one.cells}
            path = own.labels[mine[0]] if mine else [node.cells[0]]
            until = next(at for at, cell in enumerate(path) if cell in node.cells) + 1
            lines = runs_of([own.lines[at] for at in mine])
            across = runs_of(other.lines) if mine else []
            return {
                "side": name,
                "id": node.id,
                "path": [texts.get(cell, "") for cell in path[:until]],
                "rows": lines if name == "left" else across,
                "columns": across if name == "left" else lines,
                "values": sum(own.values[at] for at in mine),
                "probability": node.probability,
            }
        return None

    def _sides(self, table: str) -> dict[str, _Side]:
        name, sides = self._last
        if name != table:
            sides = msgspec.msgpack.decode(_unpacked(self._part(f"paths {table}")), type=dict[str, _Side])
            self._last = (table, sides)
        return sides

    def _part(self, name: str) -> bytes:
        begin, length = self.tables.parts[name]
        with self.path.open("rb") as file:
            file.seek(self._begin + begin)
            return file.read(length)


def _labels(own: _Lines, line: int) -> list[tuple[int, int]]:
    at = int(np.searchsorted(own.lines, line))
    return own.labels[at] if at < len(own.lines) and own.lines[at] == line else []


def _cells(data: bytes, wanted: Rect) -> Sequence[Cell]:
    """The cells of a batch that stand in a part of the surface."""
    held = pa.ipc.open_stream(data).read_all()
    rows, columns = held["row"].to_numpy(), held["column"].to_numpy()
    inside = (rows >= wanted.top) & (rows <= wanted.bottom) & (columns >= wanted.left) & (columns <= wanted.right)
    return [Cell(**one) for one in held.take(pa.array(np.flatnonzero(inside))).to_pylist()]
