"""One source for the library: its bytes are fetched, kept as original, read, and told apart from what is known.

In: a path or URL and the hash that the library has for it. Out: a `Reading`, or None where nothing changed. Runs in a
worker where there are several.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from tabellion.errors import LibraryError
from tabellion.library.originals import keep_original
from tabellion.library.reading import Reading, document_address, read_for_library
from tabellion.pipeline import Settings
from tabellion.read.fetch import fetch_source


def read_source(source: str, originals: Path, known: str | None, settings: Settings) -> Reading | None:
    """Read a source, unless it is what the library knows."""
    data = fetch_source(source, settings.limits).data
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 == known:
        return None
    reading = read_for_library(source, document_address(source), data, settings)
    try:
        keep_original(originals, data, sha256)
    except OSError as error:
        raise LibraryError(f"{source}: cannot be kept in {originals} ({error.strerror or error})") from error
    return reading
