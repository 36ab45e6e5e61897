"""What killed processes leave behind: files that no row of the catalogue names. They are invisible and cleared away.

In: a library. Out: nothing is left that no one refers to. Only while nobody writes, since a file that is just being
written looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, delete, select

from tabellion.library.catalogue import Catalogue
from tabellion.library.folder import PART, Folder
from tabellion.library.locks import locked
from tabellion.library.originals import list_originals
from tabellion.library.schema import documents, history, segments
from tabellion.library.segments import ENDING

_LONG_WAIT = 600.0  # seconds that a writer waits while leavings are cleared away


def sweep(folder: Folder, catalogue: Catalogue, *, always: bool = False) -> int:
    """Clear away what unfinished runs left, where there were any; returns how many files that were."""
    if not always and not _mark(folder).exists():
        return 0
    with locked(folder.write_lock) as alone:
        if not alone:
            return 0
        with catalogue.writing() as connection:
            connection.execute(delete(segments).where(segments.c.dead >= segments.c.rows))
            named = _named(connection)
        files = [path for path in _files(folder) if path.name not in named]
        for path in files:
            path.unlink(missing_ok=True)
        _mark(folder).unlink(missing_ok=True)
    return len(files)


@contextmanager
def writing_mark(folder: Folder) -> Iterator[None]:
    """While files are written that the catalogue does not name yet. A process that is killed leaves the mark."""
    with locked(folder.write_lock, shared=True, wait=_LONG_WAIT):
        _mark(folder).touch()
        yield
    with locked(folder.write_lock) as alone:
        if alone:
            _mark(folder).unlink(missing_ok=True)


def _mark(folder: Folder) -> Path:
    return folder.root / "unfinished"


def _named(connection: Connection) -> set[str]:
    """The names of all files that the catalogue knows."""
    found = {f"{segment_id}{ENDING}" for segment_id in connection.execute(select(segments.c.segment_id)).scalars()}
    for held in (documents, history):
        for sha256 in connection.execute(select(held.c.sha256).distinct()).scalars():
            found |= {sha256, f"{sha256}.gz"}
    return found


def _files(folder: Folder) -> Iterator[Path]:
    yield from folder.segments.glob(f"*{ENDING}")
    yield from (path for _, path in list_originals(folder.originals))
    yield from folder.root.rglob(f".*{PART}")
