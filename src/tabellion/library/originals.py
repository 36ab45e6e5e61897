"""The documents themselves, kept by content hash and never changed.

In: bytes. Out: a file named by their SHA-256, packed with gzip where that saves space. The same bytes are kept once.
"""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Iterator
from pathlib import Path

from tabellion.errors import LibraryError
from tabellion.library.folder import whole_file

PACKED = ".gz"
_WORTH_PACKING = 0.9  # a packed file must be smaller than this share; xlsx and most pdf are packed already
_LEVEL = 6


def original_paths(originals: Path, sha256: str) -> tuple[Path, Path]:
    """Where a document may lie: as it is, or packed."""
    plain = originals / sha256[:2] / sha256
    return plain, plain.with_name(sha256 + PACKED)


def find_original(originals: Path, sha256: str) -> Path | None:
    """The file that holds a document, or None."""
    return next((path for path in original_paths(originals, sha256) if path.exists()), None)


def keep_original(originals: Path, data: bytes, sha256: str) -> None:
    """Keep these bytes, unless they are kept already."""
    if find_original(originals, sha256):
        return
    plain, packed = original_paths(originals, sha256)
    plain.parent.mkdir(parents=True, exist_ok=True)
    smaller = gzip.compress(data, _LEVEL, mtime=0)
    worth = len(smaller) < _WORTH_PACKING * len(data)
    with whole_file(packed if worth else plain) as part:
        part.write_bytes(smaller if worth else data)


def load_original(originals: Path, sha256: str) -> bytes:
    """The bytes of a document, checked against their hash."""
    path = find_original(originals, sha256)
    if path is None:
        raise LibraryError(f"{originals}: the document {sha256} is missing")
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == PACKED else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise LibraryError(f"{path}: cannot be read ({error})") from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise LibraryError(f"{path}: its bytes are not those that were kept")
    return data


def list_originals(originals: Path) -> Iterator[tuple[str, Path]]:
    """Hash and path of every document that is kept."""
    for path in sorted(originals.glob("??/*")):
        if not path.name.startswith("."):
            yield path.name.removesuffix(PACKED), path
