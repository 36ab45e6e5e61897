"""The RDF of documents, written when they are read, so that SPARQL needs not read them again.

In: an extraction. Out: its facts as N-Quads, packed, which lie beside the segment of its tuples; and those of some
documents read back. They are derived: a document that has none, as one of an older library or a very long one, is read
from its original when SPARQL is asked. They are made only where the extra `sparql` is installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pyarrow as pa

from tabellion.export.cube import describe_extraction
from tabellion.library.files import whole_file
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
            graphs[expand_name(description.graph)] = None
            yield description

    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        for piece in SYNTAXES["nquads"].pieces(noted()):
            stream.write(piece)
    return Quads(tuple(graphs), sink.getvalue().to_pybytes())


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


def _whole(path: Path) -> bytes:
    """The bytes of a file behind their hash; none where they do not fit it."""
    data = path.read_bytes()
    return data[32:] if hashlib.sha256(data[32:]).digest() == data[:32] else b""


def quads_path(folder: Path, segment_id: str) -> Path:
    return folder / f"{segment_id}{QUADS}"
