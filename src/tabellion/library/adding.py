"""One source for the library: its bytes are fetched, read, and kept as original.

In: a path or URL. Out: a `Reading`. Runs in a worker where there are several. Whether a file is what the library has
already is told by its hash, before anything is read. A page that is rendered is kept whole, with its own style sheets,
pictures and fonts, and read from what is kept, so that it is drawn the same when it is read again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tabellion.errors import LibraryError, TabellionError, UsageError
from tabellion.library.details import Rendered, document_address
from tabellion.library.files import file_hash
from tabellion.library.kept import AddResult
from tabellion.library.originals import is_whole, store_original
from tabellion.library.reading import Reading

if TYPE_CHECKING:
    from tabellion.model.correction import Correction
    from tabellion.pipeline import Settings


class StoredSource(NamedTuple):
    """What the library has of a source: the hash of its bytes, and what is said where they are unchanged."""

    sha256: str
    result: AddResult
    medium: str
    rendered: Rendered | None


def read_source(
    source: str, originals: Path, settings: Settings, log: Sequence[Correction] = (), known: StoredSource | None = None
) -> Reading:
    """Read a source, with the corrections that were made of it, and keep its bytes."""
    import msgspec

    from tabellion.library.corrections import editions_of  # the whole flow: only where something is read
    from tabellion.library.reading import as_stored, read_for_library

    settings = as_stored(settings, known.rendered if known else None)
    data = fetch_original(source, settings)
    settings = msgspec.structs.replace(settings, network=False)  # what the page needs of the web is in it now
    editions = editions_of(originals, settings)
    reading = read_for_library(source, document_address(source), data, settings, log, editions)
    try:
        store_original(originals, data, hashlib.sha256(data).hexdigest())
    except OSError as error:
        raise LibraryError(f"{source}: cannot be kept in {originals} ({error.strerror or error})") from error
    return reading


def is_unchanged(source: str, known: StoredSource, settings: Settings, originals: Path) -> bool:
    """Whether a file has the bytes that are known and kept, and was rendered if it is to be.

    The web must be fetched to know.
    """
    if "://" in source or not is_whole(originals, known.sha256):
        return False
    try:
        if known.medium != "html" or (settings.render == "never" and known.rendered is None):
            return file_hash(Path(source)) == known.sha256
        from tabellion.library.reading import as_stored

        chosen = as_stored(settings, known.rendered)
        return (
            chosen.render == known.rendered
            and hashlib.sha256(fetch_original(source, chosen)).hexdigest() == known.sha256
        )
    except (OSError, TabellionError):
        return False


def fetch_original(source: str, settings: Settings) -> bytes:
    """The bytes that are kept of a source."""
    from tabellion.read.fetch import fetch_source

    if settings.scripts:
        raise UsageError(f"{source}: a library reads pages again from what it keeps, so their scripts do not run")
    fetched = fetch_source(source, settings.limits, private=settings.private)
    if settings.render == "never":
        return fetched.data
    from tabellion.read.web.saved import whole_page

    return whole_page(fetched, settings.limits, network=settings.network, private=settings.private)
