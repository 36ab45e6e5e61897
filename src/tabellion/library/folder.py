"""Where a library keeps its files, and how a file appears there whole or not at all.

In: a folder. Out: the paths inside it. A file is written under another name, brought to the disk and renamed, so that
a killed process or a full disk leaves at most a file that nothing refers to.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from tabellion.errors import LibraryError

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
    def index(self) -> Path:
        return self.root / "index"

    @property
    def applied(self) -> Path:
        """Up to which change of the catalogue the index goes."""
        return self.root / "index.json"

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


def default_folder() -> Path:
    """The user's own library: `TABELLION_LIBRARY`, else in the data folder of the platform."""
    if chosen := os.environ.get("TABELLION_LIBRARY"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "tabellion" / "library"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home())) / "tabellion" / "library"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "tabellion" / "library"


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A path to write to, that gets its name once all is written and on the disk."""
    part = path.with_name(f".{uuid4().hex}{PART}")
    try:
        yield part
        bring_to_disk(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def bring_to_disk(path: Path) -> None:
    """Return once the operating system has the file, or the entries of the folder, on its disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError) if path.is_dir() else contextlib.nullcontext():
            os.fsync(handle)
    finally:
        os.close(handle)
