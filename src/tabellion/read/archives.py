"""Records of web archives, and what else lies in a store. In: a file or an address, and where a record begins in it.

Out: bytes. WARC files may be plain, packed with gzip, lz4 or zstandard (with a dictionary at their beginning, too), and
lie in a WACZ file, of which they are called `FILE!NAME`; what a server packed or sent in chunks is unpacked. Addresses
are opened by fsspec, and `http://` as other documents are. A record that is not as it was written, by the checksum of
gzip, is damaged.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tabellion.errors import MissingExtraError, SourceMissingError, TooLargeError, TruncatedError, UnreadableError
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import Limits

ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4", ".wacz")
INSIDE = "!"  # between a WACZ file and the archive in it
_DICTIONARY = 0x184D2A5D  # what begins a frame that holds the dictionary of a zstandard file
_LARGEST_DICTIONARY = 2**26  # bytes
_GZIP = b"\x1f\x8b"
_HEADS = 2**20  # bytes for the heads of a record
_CHUNK, _OVERLAP = 2**20, 16  # bytes looked through at once, and again with the next
_START = re.compile(  # of a record: packed with gzip, zstandard or lz4, or plain
    rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18|(?<=\n)WARC/1\.[01]\r\n",
    re.DOTALL,
)
_FAULTS = (OSError, ValueError, EOFError, RuntimeError, TypeError, zlib.error)  # what reading a damaged archive raises


@contextmanager
def opened(file: str) -> Iterator[BinaryIO]:
    """A file, by path or by an address that fsspec knows, or an archive inside a WACZ file."""
    outer, inside, name = file.partition(INSIDE)
    if inside and outer.lower().endswith(".wacz"):
        with opened(outer) as packed, zipfile.ZipFile(packed) as archive, archive.open(name) as stream:
            yield stream  # type: ignore[misc]
        return
    if "://" not in file:
        try:
            stream = Path(file).open("rb")  # noqa: SIM115 - closed below; what goes wrong there is not told here
        except FileNotFoundError as error:
            raise SourceMissingError(f"{file}: no such file") from error
        except (OSError, ValueError) as error:
            raise UnreadableError(f"{file}: cannot be read ({error})") from error
        with stream:
            yield stream
        return
    store, path = open_store(file)
    try:
        with store.open(path, "rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise SourceMissingError(f"{file}: there is nothing at this address") from error


@contextmanager
def _opened_range(file: str, offset: int, length: int) -> Iterator[BinaryIO]:
    """Some bytes of a file at an address, in one request."""
    store, path = open_store(file)
    try:
        data = store.cat_file(path, start=offset, end=offset + length)
    except FileNotFoundError as error:
        raise SourceMissingError(f"{file}: there is nothing at this address") from error
    except OSError as error:
        raise UnreadableError(f"{file}: cannot be fetched ({error})") from error
    yield io.BytesIO(data)


def open_store(address: str) -> tuple[Any, str]:
    """What fsspec reads an address with, and how it calls the thing there."""
    try:
        import fsspec

        store, path = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:  # fsspec names the package that an address needs
        raise MissingExtraError(f"{address}: {error}; pip install 'tabellion[scale]' and what it names") from error
    return store, path


def name_archives(file: str) -> list[str]:
    """The WARC files of a source: itself, or those in a WACZ file."""
    if not file.lower().endswith(".wacz"):
        return [file]
    try:
        with opened(file) as packed, zipfile.ZipFile(packed) as archive:
            return [f"{file}{INSIDE}{name}" for name in archive.namelist() if name.lower().endswith(ARCHIVES[:-1])]
    except zipfile.BadZipFile as error:
        raise TruncatedError(f"{file}: not the archive that its ending says ({error})") from error


def read_heads(stream: BinaryIO) -> Iterator[Any]:
    """The records of an archive, one after the other; None for each that is lost, and passed over.

    The start of a record is told by its first bytes, so that what comes behind the damage is read. One whose head can
    be read is told of by itself, whatever becomes of its body.
    """
    at, last = 0, -1
    while at >= 0:
        stream.seek(at)
        came = broken = False
        try:
            for record in load_fastwarc().ArchiveIterator(stream, auto_decode="all"):
                came, last = True, record.stream_pos
                yield record
        except BaseException as error:
            if not _is_fault(error):
                raise
            broken = True
        lost = broken or last >= 0  # a start without a record: damaged, or cut off
        last = max(last, at)
        at = _next_start(stream, last + 1)
        if came:
            lost = broken and _lies_between(stream, last, at)
        if lost:
            yield None


def _lies_between(stream: BinaryIO, record: int, start: int) -> bool:
    """Whether there is something between a record and the next start that was found; not where it is damaged itself."""
    stream.seek(record)
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        while not unpacker.eof and (packed := stream.read(_CHUNK)):
            while packed and not unpacker.eof:
                unpacker.decompress(packed, _CHUNK)
                packed = unpacker.unconsumed_tail
    except zlib.error:
        stream.seek(record)
        return stream.read(2) != _GZIP  # of what is packed otherwise the end is not known
    return unpacker.eof and stream.tell() - len(unpacker.unused_data) != start


def _next_start(stream: BinaryIO, at: int) -> int:
    """Where the next record may begin; -1 where none does."""
    stream.seek(at)
    held, first = b"", at
    while chunk := stream.read(_CHUNK):
        held += chunk
        if found := _START.search(held):
            return first + found.start()
        first += max(0, len(held) - _OVERLAP)
        held = held[-_OVERLAP:]
    return -1


def load_place(file: str, offset: int, limits: Limits, name: str = "", length: int = 0) -> bytes:
    """The bytes of a document: of a whole file or address, or of the record that begins at an offset.

    Where it is known how long the record is in its archive, no other bytes are fetched.
    """
    name = name or file
    if offset >= 0:
        return _load_record(file, offset, limits, name, length)
    if file.startswith(("http://", "https://")) or "://" not in file:
        return fetch_source(file, limits).data
    try:
        with opened(file) as stream:
            return _bounded(stream.read(limits.bytes + 1), name, limits)
    except OSError as error:
        raise UnreadableError(f"{name}: cannot be fetched ({error})") from error


def _load_record(file: str, offset: int, limits: Limits, name: str, length: int = 0) -> bytes:
    warc, record = load_fastwarc(), None
    alone = bool(length) and "://" in file and INSIDE not in file and not file.lower().endswith(".zst")
    with _opened_range(file, offset, length) if alone else opened(file) as stream:
        try:
            record = _record_at(stream, file, 0 if alone else offset, limits, auto_decode="all")
            data = record.reader.read(limits.bytes + 1) if record else b""
        except BaseException as error:
            if not _is_fault(error):
                raise
            raise TruncatedError(f"{name}: its record in {file} is damaged ({error})") from error
    if record is None or record.record_type != warc.WarcRecordType.response:
        raise SourceMissingError(f"{name}: no record at byte {offset} of {file}")
    return _bounded(data, name, limits)


def _record_at(stream: BinaryIO, file: str, offset: int, limits: Limits, **how: object) -> Any:
    """The record that begins at an offset of an archive; None where there is none."""
    head = _dictionary_frame(stream) if offset and file.lower().endswith(".zst") else b""
    stream.seek(offset)
    held: Any = _After(head, stream) if head else stream
    if file.lower().endswith(".gz"):
        held = io.BytesIO(_unpacked(stream, limits.bytes + _HEADS))
    return next(iter(load_fastwarc().ArchiveIterator(held, **how)), None)


def _unpacked(stream: BinaryIO, most: int) -> bytes:
    """What gzip packed from here on up to its checksum, which is looked at; or so many bytes of it."""
    unpacker, held = zlib.decompressobj(zlib.MAX_WBITS | 16), bytearray()
    while not unpacker.eof and len(held) <= most:
        if not (packed := unpacker.unconsumed_tail or stream.read(_CHUNK // 16)):
            raise EOFError("it ends too early")
        held += unpacker.decompress(packed, most + 1 - len(held))
    return bytes(held)


def _bounded(data: bytes, name: str, limits: Limits) -> bytes:
    if len(data) > limits.bytes:
        raise TooLargeError(f"{name}: over the limit of {limits.bytes:,} bytes; raise Limits.bytes to read it")
    return data


def _dictionary_frame(stream: BinaryIO) -> bytes:
    """The first frame of a zstandard file where it is a dictionary, without which no record can be unpacked."""
    start = stream.read(8)
    if len(start) < 8:
        return b""
    magic, length = struct.unpack("<II", start)
    return start + stream.read(length) if magic == _DICTIONARY and length <= _LARGEST_DICTIONARY else b""


class _After(io.RawIOBase):
    """Some bytes, and after them the rest of a stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest, self._start, self._at = head, rest, rest.tell(), 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            self._at = self._rest.seek(offset, io.SEEK_END) - self._start + len(self._head)
        else:
            self._at = offset + (self._at if whence == io.SEEK_CUR else 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._head[self._at : self._at + len(buffer)]
        if not data:
            self._rest.seek(self._start + self._at - len(self._head))
            data = self._rest.read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _is_fault(error: BaseException) -> bool:
    """Whether reading a damaged archive raises this; a panic of its reader is none of Python's exceptions."""
    return isinstance(error, _FAULTS) or type(error).__name__ == "PanicException"


def load_fastwarc() -> Any:
    """The reader of web archives."""
    try:
        import fastwarc.warc
    except ModuleNotFoundError as error:
        raise MissingExtraError("web archives need FastWARC: pip install 'tabellion[scale]'") from error
    return fastwarc.warc
