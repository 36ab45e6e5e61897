"""A search in a library without opening the whole of it, for a process that asks one question and ends.

In: the place of a library. Out: its searcher, where the library is a folder of the newest form whose index is up to
date; else nothing, and the library is to be opened. Most of the time that opening takes goes into what only writing
and asking in SQL need.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tabellion.library.files import Folder, default_place
from tabellion.library.index import IndexFolder
from tabellion.library.kept import SqliteKept
from tabellion.library.search import Searcher
from tabellion.library.steps import NEWEST


@contextmanager
def glance(place: str | None) -> Iterator[Searcher | None]:
    """The searcher of a library that is as it should be; None of any other."""
    place = place or default_place()
    folder = Folder(Path(place))
    if "://" in place or not folder.catalogue.exists() or folder.weights.is_dir():
        yield None  # the weights of a library may have to be complained of
        return
    kept, index = SqliteKept(folder.catalogue), IndexFolder(folder)
    try:
        folder = Folder(Path(place), kept.store())
        whole = kept.form() == NEWEST and index.applied() == kept.sequence()
        yield Searcher(folder, kept, index) if whole else None
    finally:
        kept.close()
