"""What lies in a file, at an address that fsspec knows, or inside a WACZ file, as a stream of bytes.

In: a path or an address. Out: a stream. Whatever goes wrong with it, when it is opened or later when it is read, is
told as an error of ours that names the file: each kind of store has errors of its own.
"""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from tabellion.errors import MissingExtraError, SourceMissingError, TabellionError, TruncatedError, UnreadableError

INSIDE = "!"  # between a WACZ file and the archive in it
_WEB = ("http://", "https://")
_GONE = (404, 410)  # what a server answers where there is nothing
_BUFFER = 2**16  # bytes
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError)


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """A file, by path or by an address that fsspec knows, or an archive inside a WACZ file."""
    outer, inside, name = file.partition(INSIDE)
    if inside and outer.lower().endswith(".wacz"):
        with opened(outer) as packed, ExitStack() as held:
            with told(file):
                stream = held.enter_context(held.enter_context(zipfile.ZipFile(packed)).open(name))
            yield _buffered(cast("BinaryIO", stream), file)
        return
    with told(file):
        if "://" in file:
            store, path = open_store(file)
            stream = store.open(path, "rb")
        else:
            stream = Path(file).open("rb")  # noqa: SIM115 - closed below; what goes wrong there is not told here
    with stream:
        yield _buffered(stream, file)


@contextmanager
def opened_range(file: str, offset: int, length: int) -> Iterator[BinaryIO]:
    """Some bytes of a file at an address, in one request."""
    store, path = open_store(file)
    with told(file):
        data = store.cat_file(path, start=offset, end=offset + length)
    if len(data) > length:
        raise UnreadableError(f"{file}: its server sends no parts of files; fetch it and read it from the disk")
    yield io.BytesIO(data)


def open_store(address: str) -> tuple[Any, str]:
    """What fsspec reads an address with, and how it calls the thing there."""
    try:
        import fsspec

        store, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:  # fsspec names the package that an address needs
        raise MissingExtraError(f"{address}: {error}; pip install 'tabellion[scale]' and what it names") from error
    return store, path


@contextmanager
def told(file: str) -> Iterator[None]:
    """What goes wrong with a file, in the words of tabellion."""
    try:
        yield
    except (TabellionError, MemoryError):
        raise
    except Exception as error:  # each kind of store has errors of its own
        raise _as_told(file, error) from error


def _as_told(file: str, error: Exception) -> UnreadableError:
    cause = error.__cause__ or error.__context__ or error  # fsspec says of all that a server answers: there is nothing
    status = getattr(cause, "status", None)
    if isinstance(status, int) and status not in _GONE:
        return UnreadableError(f"{file}: its server answered {status} {getattr(cause, 'message', '')}".rstrip())
    if isinstance(error, FileNotFoundError) and (cause is error or status in _GONE or not file.startswith(_WEB)):
        return SourceMissingError(f"{file}: {'there is nothing at this address' if '://' in file else 'no such file'}")
    if isinstance(error, _DAMAGED):
        return TruncatedError(f"{file}: is damaged ({error})")
    if isinstance(error, ValueError) and file.startswith(_WEB):
        return UnreadableError(
            f"{file}: its server sends no parts of files; fetch it and read it from the disk ({error})"
        )
    note = str(cause if isinstance(error, FileNotFoundError) else error) or type(error).__name__
    return UnreadableError(f"{file}: cannot be {'fetched' if '://' in file else 'read'} ({' '.join(note.split())})")


def _buffered(stream: BinaryIO, file: str) -> BinaryIO:
    return io.BufferedReader(_Told(stream, file), _BUFFER)


class _Told(io.RawIOBase):
    """A stream whose errors are told as those of its file."""

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self._stream, self._file = stream, file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        with told(self._file):
            return self._stream.tell()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        try:
            return self._stream.seek(offset, whence)
        except OSError:  # before the beginning: a file that is too short, which readers of zip files look for
            raise
        except Exception as error:
            raise _as_told(self._file, error) from error

    def readinto(self, buffer: Any) -> int:
        with told(self._file):
            data = self._stream.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
