"""The files of a library: each appears whole or not at all; locks keep processes apart.

Where a library keeps its files, and how a file appears there whole or not at all. In: a folder. Out: the paths inside
it. A file is written under another name and renamed, so that a killed process or a full disk leaves at most a file that
nothing refers to. Originals and segments may lie in object storage instead, under an address that fsspec knows; an
object is whole as soon as it is there.

Locks between processes, by files: gone with the process that holds them, however it ends. In: the path of a lock file.
Out: a context. Writers share one lock, so that what looks like leavings of a killed writer is cleared away only while
nobody writes; the index has one that only one process holds.
"""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar, cast
from urllib.parse import quote
from uuid import uuid4

import msgspec

from tabellion.errors import LibraryError, MissingExtraError

Held = TypeVar("Held")
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


LEAVINGS = b"leavings"  # in the mark, where there are some for certain
PART = ".part"  # the ending of files that are still being written
SUMS = "SHA256SUMS"
_LONG = 60.0  # seconds that a writer waits for another one of the same room
_LONGEST = 255  # letters of the name of a file


def name_file(said: str, ending: str) -> str:
    """What the file of something is called that people have named; a name that no file can have is refused.

    >>> name_file("Ada / Grace", ".json")
    'Ada%20%2F%20Grace.json'
    """
    name = quote(said, safe="") + ending
    if len(name) > _LONGEST:
        raise LibraryError(f"{said[:20]}…: is too long for a name here")
    return name


class Folder:
    """The paths of one library; with `store`, the address in object storage that has its originals and segments."""

    def __init__(self, root: Path, store: str | None = None) -> None:
        self.root, self.store = root, store

    @property
    def catalogue(self) -> Path:
        return self.root / "catalogue.sqlite"

    @property
    def originals(self) -> Path:
        return open_room(f"{self.store}/originals") if self.store else self.root / "originals"

    @property
    def segments(self) -> Path:
        return open_room(f"{self.store}/segments") if self.store else self.root / "segments"

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
    def unfinished(self) -> Path:
        """The mark that files may be there which the catalogue does not name."""
        return self.root / "unfinished"

    @property
    def write_lock(self) -> Path:
        return self.root / "write.lock"

    @property
    def index_lock(self) -> Path:
        return self.root / "index.lock"

    def make(self) -> None:
        """Make the folder and its rooms."""
        try:
            for path in (self.root, self.index, *(() if self.store else (self.originals, self.segments))):
                path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LibraryError(f"{self.root}: no library can be made here ({error.strerror})") from error


def is_address(place: str) -> bool:
    """Whether a place is an address in object storage, not a folder.

    >>> is_address("s3://bucket/tables"), is_address("/srv/tables")
    (True, False)
    """
    return "://" in place


def open_room(place: str) -> Path:
    """A folder by its path, or one in object storage by its address, to be used alike."""
    if not is_address(place):
        return Path(place)
    try:
        from upath import UPath

        # what other machines write is seen at once
        return cast("Path", UPath(place.rstrip("/"), use_listings_cache=False))
    except (ImportError, ValueError) as error:
        raise MissingExtraError(f"{place}: {error}; pip install 'tabellion[scale]' and what it names") from error


def is_local(path: Path) -> bool:
    """Whether a path is a file of this machine."""
    return isinstance(path, Path)


def count_bytes(room: Path) -> int:
    """How much room all files under a folder take."""
    if is_local(room):
        return sum(path.stat().st_size for path in room.rglob("*") if path.is_file())
    there: Any = room
    return int(there.fs.du(there.path)) if room.exists() else 0


def mark_unfinished(folder: Folder, forgotten: Iterable[str] = ()) -> None:
    """Let the next writer look for leavings, and for originals of these hashes, which are to be forgotten.

    The mark keeps its time, which says since when there may be leavings. On a full disk there is no room for it, nor
    need of one.
    """
    with suppress(OSError):
        begun = folder.unfinished.stat().st_mtime_ns if folder.unfinished.exists() else 0
        with folder.unfinished.open("ab") as file:
            file.write(b"".join(one + b"\n" for one in (LEAVINGS, *map(str.encode, forgotten))))
        if begun:
            os.utime(folder.unfinished, ns=(begun, begun))


def has_originals(folder: Folder) -> bool:
    """Whether there are originals in a folder, whatever else is missing there."""
    return next(folder.root.glob("originals/??/*"), None) is not None


def say_nothing_here(place: str) -> str:
    """What is said where there is no catalogue, or an empty one."""
    if has_originals(Folder(Path(place))):
        return (
            f"{place}: the catalogue of this library is gone, its originals are here; `tabellion restore` a "
            "backup at another place, or `tabellion rebuild` to see what is left"
        )
    return f"{place}: there is no library here; create one with `tabellion add`"


def take_away(path: Path) -> None:
    """Remove whatever stands at a path: a file, a link, a folder with all in it, or nothing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)  # another process may be at it too
    else:
        path.unlink(missing_ok=True)


def make_way(folder: Folder) -> None:
    """Take away what is no folder where one belongs, and what is a folder where a file belongs; make the rooms."""
    beside = [folder.catalogue.with_name(folder.catalogue.name + side) for side in ("-wal", "-shm", "-journal")]
    locks = [folder.write_lock, folder.index_lock, folder.graph_lock]
    rooms = [room for room in (folder.originals, folder.segments) if is_local(room)]
    within = [path for room in rooms if room.is_dir() for path in room.glob("*")]
    shelves = [path for path in within if path.parent == folder.originals and not path.name.startswith(".")]
    files = [path for path in within if path.parent == folder.segments and path.suffix]
    files += [path for shelf in shelves if shelf.is_dir() for path in shelf.iterdir()]
    for path in (*rooms, folder.index, folder.graph, folder.mined, folder.annotations, *shelves):
        if path.exists() and not path.is_dir():
            path.unlink()
    for path in (*beside, *locks, folder.applied, folder.unfinished, folder.mined / SUMS, *files):
        if path.is_dir():
            take_away(path)
    folder.make()


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
    if not is_local(path):
        yield path
        return
    part = path.with_name(f".{uuid4().hex}{PART}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def summed_file(path: Path) -> Iterator[Path]:
    """The same, with its hash in `SHA256SUMS` beside it, by which damage is told (`unlike_sums`).

    While it is replaced both hashes stand there: a process that is killed leaves nothing that looks damaged.
    """
    room = path.parent
    with locked(room / "sums.lock", wait=_LONG):
        before = [line for line in read_sums(room) if line[1] != path.name]
        old = [line for line in read_sums(room) if line[1] == path.name]
        with whole_file(path) as part:
            yield part
            new = (file_hash(part), path.name)
            write_sums(room, [*before, *old, new])
        write_sums(room, [*before, new])


def read_sums(room: Path) -> list[tuple[str, str]]:
    """The lines of `SHA256SUMS`: hash and name; a line that is none gives a name that no file has."""
    try:
        lines = (room / SUMS).read_bytes().decode("utf-8", "replace").splitlines()
    except FileNotFoundError:
        return []
    except OSError:  # a folder, or the room is none
        return [("", SUMS)]
    return [(digest, name) for digest, _, name in (line.partition("  ") for line in lines)]


def write_sums(room: Path, lines: Iterable[tuple[str, str]] | None = None) -> None:
    """Write `SHA256SUMS`, as the program sha256sum reads it; without lines, those of all files of the room."""
    files = (path for path in sorted(room.iterdir()) if path.name != SUMS and path.suffix != ".lock")
    held = lines if lines is not None else [(file_hash(path), path.name) for path in files]
    with whole_file(room / SUMS) as part:
        part.write_text("".join(f"{digest}  {name}\n" for digest, name in held), encoding="utf-8")


def unlike_sums(room: Path) -> list[str]:
    """The files of a room that are not as they were written, or gone."""
    held: dict[str, set[str]] = {}
    for digest, name in read_sums(room):
        held.setdefault(name, set()).add(digest)
    return [name for name, fit in held.items() if not _is_one_of(room / name, fit)]


def unsummed_files(room: Path) -> list[str]:
    """The files of a room of which no hash is noted: nobody here wrote them, or the note is gone."""
    known = {SUMS, *(name for _, name in read_sums(room))}
    found = (path for path in sorted(room.iterdir()) if path.suffix not in (".lock", PART)) if room.is_dir() else ()
    return [path.name for path in found if path.name not in known]


def _is_one_of(path: Path, hashes: set[str]) -> bool:
    try:
        return file_hash(path) in hashes
    except (OSError, ValueError):  # gone, or no name at all
        return False


def decode_file(path: Path, kind: type[Held]) -> Held:
    """What a file of JSON holds."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.MsgspecError as error:
        raise LibraryError(f"{path}: damaged ({error}); run `tabellion verify`") from None


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
