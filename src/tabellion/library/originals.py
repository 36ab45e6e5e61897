"""What a library keeps as files that are never changed: originals and segments.

The documents themselves, kept by content hash and never changed. In: bytes. Out: a file named by their SHA-256, packed
with gzip where that saves space. The same bytes are kept once.

Segments: tuples of some documents in one Parquet file that is written once and never changed. In: Arrow tables. Out: a
file, and what the catalogue must know of it. A segment without a row in the catalogue is invisible, so a killed writer
leaves nothing but a file to clear away.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from tabellion.errors import LibraryError, TabellionError
from tabellion.library.files import is_local, whole_file
from tabellion.library.reading import SCHEMA
from tabellion.read.archives import load_place
from tabellion.read.limits import DEFAULT

if TYPE_CHECKING:
    from upath import UPath

ENDING = ".parquet"
_ROW_GROUP = 131_072  # rows: large enough to scan fast, small enough to skip most of a segment for one table


_NAME = 32  # digits of a hash that make the name of a segment


class Segment(msgspec.Struct, frozen=True):
    """What the catalogue says of a segment."""

    segment_id: str
    rows: int
    bytes: int
    sha256: str


def write_segment(folder: Path, parts: Iterable[pa.Table], beside: Iterable[bytes] = ()) -> Segment:
    """Write tuples as one segment, called by its bytes and those of the files beside it: the same give the same."""
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
    segment_id = name_segment(sha256, beside)
    with whole_file(segment_path(folder, segment_id)) as part:
        part.write_bytes(data.to_pybytes())
    return Segment(segment_id, table.num_rows, len(data), sha256)


def name_segment(sha256: str, beside: Iterable[bytes]) -> str:
    """What a segment is called, by the hash of its bytes and the files beside it."""
    named = hashlib.sha256(sha256.encode())
    for one in beside:
        named.update(hashlib.sha256(one).digest())
    return named.hexdigest()[:_NAME]


def segment_path(folder: Path, segment_id: str) -> Path:
    return folder / f"{segment_id}{ENDING}"


def open_segments(folder: Path, segment_ids: Sequence[str]) -> ds.Dataset:
    """Some segments as one dataset, of which only what is asked for is read."""
    paths = [segment_path(folder, one) for one in segment_ids]
    if paths and not is_local(paths[0]):
        there = cast("UPath", paths[0]).fs
        names = [cast("UPath", path).path for path in paths]
        return ds.dataset(names, schema=SCHEMA, format="parquet", filesystem=there)
    return ds.dataset([str(path) for path in paths], schema=SCHEMA, format="parquet")


def _leaves() -> list[str]:
    """The columns as Parquet names them: a list by its element."""
    return [f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name for field in SCHEMA]


PACKED = ".gz"
REFERRED = ".refer"  # the ending of a file that says where a document lies which is not kept
_WORTH_PACKING = 0.9  # a packed file must be smaller than this share; xlsx and most pdf are packed already
_LEVEL = 6


class Reference(msgspec.Struct, frozen=True):
    """Where a document lies that is only referred to: a file or an address, or a record in a web archive."""

    file: str
    offset: int = -1
    length: int = 0  # of a record in its archive, where that is known


def original_paths(originals: Path, sha256: str) -> tuple[Path, Path, Path]:
    """Where a document may lie: as it is, packed, or elsewhere."""
    plain = originals / sha256[:2] / sha256
    return plain, plain.with_name(sha256 + PACKED), plain.with_name(sha256 + REFERRED)


def find_original(originals: Path, sha256: str) -> Path | None:
    """The file that holds a document or says where it is, or None."""
    return next((path for path in original_paths(originals, sha256) if path.exists()), None)


def store_original(originals: Path, data: bytes, sha256: str) -> None:
    """Keep these bytes, unless they are kept already; a damaged copy is replaced."""
    if is_kept(originals, sha256) and is_whole(originals, sha256):
        return
    plain, packed, referred = original_paths(originals, sha256)
    smaller = gzip.compress(data, _LEVEL, mtime=0)
    worth = len(smaller) < _WORTH_PACKING * len(data)
    _write(packed if worth else plain, smaller if worth else data)
    (plain if worth else packed).unlink(missing_ok=True)  # a damaged copy in the other form
    referred.unlink(missing_ok=True)


def refer_original(originals: Path, reference: Reference, sha256: str) -> None:
    """Note where these bytes lie, unless they are kept, or it is noted so already."""
    path, said = original_paths(originals, sha256)[-1], msgspec.json.encode(reference)
    if not is_kept(originals, sha256) and not (path.exists() and path.read_bytes() == said):
        _write(path, said)


def is_kept(originals: Path, sha256: str) -> bool:
    """Whether there is a copy of a document here."""
    return any(path.exists() for path in original_paths(originals, sha256)[:2])


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as part:
        part.write_bytes(data)


def is_whole(originals: Path, sha256: str) -> bool:
    """Whether a document is kept, with the bytes that it had."""
    try:
        load_original(originals, sha256)
    except LibraryError:
        return False
    return True


def load_original(originals: Path, sha256: str) -> bytes:
    """The bytes of a document, checked against their hash."""
    path = find_original(originals, sha256)
    if path is None:
        raise LibraryError(f"{originals}: the document {sha256} is missing")
    try:
        data = path.read_bytes()
        if path.suffix == PACKED:
            data = gzip.decompress(data)
        elif path.suffix == REFERRED:
            there = msgspec.json.decode(data, type=Reference)
            data = load_place(there.file, there.offset, DEFAULT, length=there.length)
    except (OSError, EOFError, zlib.error, msgspec.DecodeError, TabellionError) as error:
        raise LibraryError(f"{path}: cannot be read ({error})") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise LibraryError(f"{path}: its bytes are not those that were kept")
    return data


def list_originals(originals: Path) -> Iterator[tuple[str, Path]]:
    """Hash and path of every document that is kept."""
    for path in sorted(originals.glob("??/*")):
        if not path.name.startswith("."):
            yield path.name.removesuffix(PACKED).removesuffix(REFERRED), path
