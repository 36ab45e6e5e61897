"""The library: tables of many documents, kept, searched and queried.

Start with `open_library(place)`. A library is a folder: `catalogue.sqlite` (or a PostgreSQL database, by URL) says
what there is, `originals/` holds the documents by content hash, `segments/` the tuples as Parquet files that are never
changed, and `index/` a search index that can be thrown away at any time. The catalogue alone decides what is visible.
Needs the extra `library`; where a package is missing, an error says so.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tabellion.errors import MissingExtraError

if TYPE_CHECKING:
    from tabellion.library.library import Library

_NEEDED = ("sqlalchemy", "pyarrow", "duckdb", "tantivy")


def open_library(
    place: str | None = None, files: str | None = None, *, create: bool = False, isolated: bool = False
) -> Library:
    """Open the library in a folder, or at a PostgreSQL URL with `files` for its folder; by default the user's own.

    Without `create`, a place without a library is an error. With `isolated`, documents are read and queries are run in
    worker processes with limits of time and memory.
    """
    require_packages()
    from tabellion.library.library import Library

    library = Library(place, files, create=create)
    return library.isolate() if isolated else library


def require_packages() -> None:
    """An error that says what to install, where a package is missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"the library needs {', '.join(missing)}: pip install 'tabellion[library]'")


__all__ = ["open_library", "require_packages"]
