"""The files of a library: each appears whole or not at all; locks keep processes apart.

Where a library keeps its files, and how a file appears there whole or not at all. In: a folder. Out: the paths inside
it. A file is written under another name and renamed, so that a killed process or a full disk leaves at most a file that
nothing refers to.

Locks between processes, by files: gone with the process that holds them, however it ends. In: the path of a lock file.
Out: a context. Writers share one lock, so that what looks like leavings of a killed writer is cleared away only while
nobody writes; the index has one that only one process holds.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from tabellion.errors import LibraryError

PATIENCE = 0.05  # seconds between two tries to get a lock


@contextmanager
def locked(path: Path, *, shared: bool = False, wait: float = 0.0) -> Iterator[bool]:
    """Whether the lock was got within `wait` seconds; it is given back at the end."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        yield _acquire(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, time.monotonic() + wait)
    finally:
        os.close(handle)


def _acquire(handle: int, how: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, how | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(PATIENCE)
        else:
            return True


PART = ".part"  # the ending of files that are still being written


class Folder:
    """The paths of one library."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def catalogue(self) -> Path:
        return self.root / "catalogue.sqlite"

    @property
    def originals(self) -> Path:
        return self.root / "originals"

    @property
    def segments(self) -> Path:
        return self.root / "segments"

    @property
    def mined(self) -> Path:
        """What was mined from sites, whole: taxonomies and instances."""
        return self.root / "mined"

    @property
    def annotations(self) -> Path:
        """What annotators said of tables, each for themselves."""
        return self.root / "annotations"

    @property
    def index(self) -> Path:
        return self.root / "index"

    @property
    def weights(self) -> Path:
        """Weights that were learned from the corrections of this library, where they were installed."""
        return self.root / "weights"

    @property
    def applied(self) -> Path:
        """Up to which change of the catalogue the index goes."""
        return self.root / "index.json"

    @property
    def graph(self) -> Path:
        """The tables as RDF, for SPARQL; can be thrown away at any time."""
        return self.root / "graph"

    @property
    def graph_lock(self) -> Path:
        return self.root / "graph.lock"

    @property
    def write_lock(self) -> Path:
        return self.root / "write.lock"

    @property
    def index_lock(self) -> Path:
        return self.root / "index.lock"

    def make(self) -> None:
        """Make the folder and its rooms."""
        try:
            for path in (self.root, self.originals, self.segments, self.index):
                path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"{self.root}: no library can be made here ({error.strerror})") from error


def default_place() -> str:
    """The user's own library: `TABELLION_LIBRARY`, else a folder in the data folder of the platform."""
    return os.environ.get("TABELLION_LIBRARY") or str(_own_folder())


def _own_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "tabellion" / "library"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "tabellion" / "library"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tabellion" / "library"


def file_hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, that gets its name once all is written; `bring_to_disk` makes it outlast a power failure."""
    part = path.with_name(f".{uuid4().hex}{PART}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def bring_to_disk(folder: Path) -> None:
    """Return once all that was written under a folder is on its disk.

    One call for a file system where the platform has it: many small files take milliseconds each one by one.
    """
    handle = os.open(folder, os.O_RDONLY)
    try:
        if _sync_file_system is not None:
            if _sync_file_system(handle):
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(folder))
        else:
            os.sync()
    finally:
        os.close(handle)


def bring_files_to_disk(paths: Iterable[Path]) -> None:
    """The same for a few files alone: it does not wait for what others write on that disk."""
    there = [path for path in paths if path.exists()]
    for path in dict.fromkeys([*there, *(path.parent for path in there)]):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _find_sync() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None, use_errno=True)
    return library.syncfs if hasattr(library, "syncfs") else None


_sync_file_system = _find_sync()
