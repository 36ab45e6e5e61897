"""One source for the library: its bytes are fetched, read, and kept as original.

In: a path or URL. Out: a `Reading`. Runs in a worker where there are several. Whether a file is what the library has
already is told by its hash, before anything is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tabellion.errors import LibraryError
from tabellion.library.folder import file_hash
from tabellion.library.originals import keep_original
from tabellion.library.reading import Reading, document_address

if TYPE_CHECKING:
    from tabellion.model.correction import Correction
    from tabellion.pipeline import Settings


def read_source(source: str, originals: Path, settings: Settings, log: Sequence[Correction] = ()) -> Reading:
    """Read a source, with the corrections that were made of it, and keep its bytes."""
    from tabellion.library.editions import editions_of  # the whole flow: only where something is read
    from tabellion.library.take import read_for_library
    from tabellion.read.fetch import fetch_source

    data = fetch_source(source, settings.limits).data
    editions = editions_of(originals, settings)
    reading = read_for_library(source, document_address(source), data, settings, log, editions)
    try:
        keep_original(originals, data, hashlib.sha256(data).hexdigest())
    except OSError as error:
        raise LibraryError(f"{source}: cannot be kept in {originals} ({error.strerror or error})") from error
    return reading


def is_unchanged(source: str, sha256: str) -> bool:
    """Whether a file has these bytes; what is on the web must be fetched to know."""
    if "://" in source:
        return False
    try:
        return file_hash(Path(source)) == sha256
    except OSError:
        return False
