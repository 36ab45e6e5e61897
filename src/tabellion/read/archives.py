"""Records of web archives, and what else lies in a store. In: a file or an address, and where a record begins in it.

Out: bytes. WARC files may be plain, packed with gzip, lz4 or zstandard (with a dictionary at their beginning, too), and
lie in a WACZ file, of which they are called `FILE!NAME`; what a server packed or sent in chunks is unpacked. Addresses
are opened by fsspec, and `http://` as other documents are. A record that is not as it was written, by the checksum of
gzip, or that has fewer bytes than its head says, is damaged.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from tabellion.errors import MissingExtraError, SourceMissingError, TooLargeError, TruncatedError, UnreadableError
from tabellion.read.answers import unpack_answer
from tabellion.read.fetch import fetch_source
from tabellion.read.limits import Limits
from tabellion.read.stores import INSIDE, opened, opened_range, told

ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4", ".wacz")
_DICTIONARY = 0x184D2A5D  # what begins a frame that holds the dictionary of a zstandard file
_LARGEST_DICTIONARY = 2**26  # bytes
_GZIP = b"\x1f\x8b"
_HEADS = 2**20  # bytes for the heads of a record
_CHUNK, _OVERLAP = 2**20, 16  # bytes looked through at once, and again with the next
_STARTS = {  # of records, by how an archive begins: gzip, zstandard (its second with a dictionary), lz4, or plain
    b"\x1f\x8b": rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]",
    b"\x28\xb5": rb"\x28\xb5\x2f\xfd",
    b"\x5d\x2a": rb"\x28\xb5\x2f\xfd",
    b"\x04\x22": rb"\x04\x22\x4d\x18",
    b"WA": rb"(?<=\n)WARC/1\.[01]\r\n",
}
_FAULTS = (OSError, ValueError, EOFError, RuntimeError, TypeError, zlib.error)  # what reading a damaged archive raises


def name_archives(file: str) -> list[str]:
    """The WARC files of a source: itself, or those in a WACZ file."""
    if not file.lower().endswith(".wacz"):
        return [file]
    try:
        with opened(file) as packed, told(file), zipfile.ZipFile(packed) as archive:
            return [f"{file}{INSIDE}{name}" for name in archive.namelist() if name.lower().endswith(ARCHIVES[:-1])]
    except TruncatedError as error:
        raise TruncatedError(f"{file}: not the archive that its ending says ({error.__cause__})") from error


def check_packing(stream: BinaryIO, file: str) -> None:
    """An error where records are packed together: the way to one would be through all before it."""
    if stream.read(2) not in list(_STARTS)[:-1]:
        return
    stream.seek(0)
    try:
        second = [record.stream_pos for record in islice(_iterate(stream), 2)][1:]
    except BaseException as error:
        if not _is_fault(error):
            raise
        return  # damaged: who reads it tells that
    starts = _starts(stream)
    for at in second:
        stream.seek(at)
        if not starts.match(stream.read(_OVERLAP)):
            note = (
                "its records are packed together, not each for itself; unpack it (gzip -d, zstd -d) and read the .warc"
            )
            raise UnreadableError(f"{file}: {note}, or pack it again (warcio recompress)")


def _iterate(stream: Any) -> Iterator[Any]:
    """Records as they are: bodies are unpacked when they are wanted, for not all are packed as they say."""
    return iter(load_fastwarc().ArchiveIterator(stream, auto_decode="none"))


def read_heads(stream: BinaryIO) -> Iterator[Any]:
    """The records of an archive, one after the other; None for each that is lost, and passed over.

    The start of a record is told by its first bytes, so that what comes behind the damage is read. One whose head can
    be read is told of by itself, whatever becomes of its body.
    """
    at, last = 0, -1
    starts = _starts(stream)
    while at >= 0:
        stream.seek(at)
        came = broken = False
        try:
            for record in _iterate(stream):
                came, last = True, record.stream_pos
                yield record
        except BaseException as error:
            if not _is_fault(error):
                raise
            broken = True
        lost = broken or last >= 0  # a start without a record: damaged, or cut off
        last = max(last, at)
        at = _next_start(stream, last + 1, starts)
        if came:
            lost = broken and _lies_between(stream, last, at)
        if lost:
            yield None


def _lies_between(stream: BinaryIO, first: int, start: int) -> bool:
    """Whether there is something between a record and the next start that was found; not where it is damaged itself.

    The rest of a record that is longer than it says is none.
    """
    stream.seek(first)
    begins = stream.read(4)
    if begins.startswith(_GZIP):
        return _packed_end(stream, first) not in (-1, start)
    stream.seek(0)
    head = _dictionary_frame(stream) if first else b""
    stream.seek(first)
    part, whole = _After(head, stream, start), False
    try:
        for record in _iterate(part):
            _body(record, record.content_length)
            whole = True
    except BaseException as error:
        if not _is_fault(error):
            raise
        return whole and (begins != b"WARC" or _heads_in(part) > 1)
    return False


def _packed_end(stream: BinaryIO, first: int) -> int:
    """Where ends what gzip packed; -1 where it is damaged."""
    stream.seek(first)
    unpacker = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        while not unpacker.eof and (packed := stream.read(_CHUNK)):
            while packed and not unpacker.eof:
                unpacker.decompress(packed, _CHUNK)
                packed = unpacker.unconsumed_tail
    except zlib.error:
        return -1
    return stream.tell() - len(unpacker.unused_data) if unpacker.eof else -1


def _heads_in(stream: io.RawIOBase) -> int:
    """How many records a plain part of an archive names."""
    stream.seek(0)
    return sum(line.startswith(b"WARC-Type:") for line in io.BufferedReader(stream))


def _body(record: Any, most: int) -> bytes:
    """The body of a record, so many bytes of it; an error where the archive has fewer than the record says."""
    data = bytes(record.reader.read(min(most, record.content_length)))
    if len(data) < min(most, record.content_length):
        raise EOFError(f"it has {len(data):,} bytes of {record.content_length:,}")
    return data


def _starts(stream: BinaryIO) -> re.Pattern[bytes]:
    """What begins a record of an archive; whatever may, where its own beginning is damaged."""
    stream.seek(0)
    return re.compile(_STARTS.get(stream.read(2)) or b"|".join(_STARTS.values()), re.DOTALL)


def _next_start(stream: BinaryIO, at: int, starts: re.Pattern[bytes]) -> int:
    """Where the next record may begin; -1 where none does."""
    stream.seek(at)
    held, first = b"", at
    while chunk := stream.read(_CHUNK):
        held += chunk
        if found := starts.search(held):
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
        try:
            return _load_record(file, offset, limits, name, length)
        except UnreadableError as error:
            if str(error).startswith(name):
                raise
            raise type(error)(f"{name}: {error}") from error
    if file.startswith(("http://", "https://")) or "://" not in file:
        return fetch_source(file, limits).data
    with opened(file) as stream:
        return _bounded(stream.read(limits.bytes + 1), name, limits)


def _load_record(file: str, offset: int, limits: Limits, name: str, length: int = 0) -> bytes:
    warc, record = load_fastwarc(), None
    alone = bool(length) and "://" in file and INSIDE not in file and not file.lower().endswith(".zst")
    with opened_range(file, offset, length) if alone else opened(file) as stream:
        try:
            record = _record_at(stream, 0 if alone else offset, limits)
            data = _body(record, limits.bytes + 1) if record else b""
            if record and len(data) <= limits.bytes:
                data = unpack_answer(data, record.http_headers, limits.bytes + 1)
        except BaseException as error:
            if not _is_fault(error):
                raise
            raise TruncatedError(f"{name}: its record in {file} is damaged ({error})") from error
    if record is None or record.record_type != warc.WarcRecordType.response:
        raise SourceMissingError(f"{name}: no record at byte {offset} of {file}")
    return _bounded(data, name, limits)


def _record_at(stream: BinaryIO, offset: int, limits: Limits) -> Any:
    """The record that begins at an offset of an archive; None where there is none."""
    head = _dictionary_frame(stream) if offset else b""
    stream.seek(offset)
    packed = stream.read(len(_GZIP)) == _GZIP
    stream.seek(offset)
    if not packed:
        return next(_iterate(_After(head, stream) if head else stream), None)
    data = _unpacked(stream, limits.bytes + _HEADS)
    record = next(_iterate(io.BytesIO(data)), None)
    if record is not None and _goes_on(data, record.headers.get("Content-Length", "")):
        raise ValueError("it is longer than it says")
    return record


def _goes_on(data: bytes, length: str) -> bool:
    """Whether behind a record, where it should end, there is neither an end nor the next one."""
    body = data.find(b"\r\n\r\n") + 4
    rest = data[body + int(length) :].strip() if length.isdecimal() else b""
    return bool(rest) and not rest.startswith(b"WARC/")


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
    """Some bytes, and after them the rest of a stream, or a part of it."""

    def __init__(self, head: bytes, rest: BinaryIO, end: int = -1) -> None:
        self._head, self._rest, self._start, self._at = head, rest, rest.tell(), 0
        self._end = end if end >= 0 else rest.seek(0, io.SEEK_END)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            self._at = self._end + offset - self._start + len(self._head)
        else:
            self._at = offset + (self._at if whence == io.SEEK_CUR else 0)
        return self._at

    def readinto(self, buffer: Any) -> int:
        data = self._head[self._at : self._at + len(buffer)]
        if not data:
            at = self._start + self._at - len(self._head)
            self._rest.seek(at)
            data = self._rest.read(max(0, min(len(buffer), self._end - at)))
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
