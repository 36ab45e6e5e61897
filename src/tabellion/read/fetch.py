"""Bytes from where they lie: a path, an address on the web, standard input, a record of a web archive, an object store.

Fails with one line that says what is missing: no such file, a folder, no right to read, over the byte limit.

What the sources of a call name: files, folders, globs, and `-` for standard input. In: the arguments. Out: one source
per document, in the order given. A folder or a glob that holds no document is kept as it was given, so that it is
reported as one that could not be read and never silently dropped.

Records of web archives. In: a file or an address, and where in it a record begins. Out: bytes. WARC files may be plain,
packed with gzip, lz4 or zstandard (with a dictionary at their beginning, too), and lie in a WACZ file, of which they
are called `FILE!NAME`; what a server packed or sent in chunks is unpacked. Addresses are opened by fsspec, and
`http://` as other documents are.
"""

from __future__ import annotations

import glob
import io
import re
import struct
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from tabellion.errors import (
    MissingExtraError,
    SourceMissingError,
    TabellionError,
    TooLargeError,
    TruncatedError,
    UnreadableError,
)
from tabellion.read.limits import Limits

UNNAMED = "<bytes>"  # what bytes are called that the caller holds


class Source(NamedTuple):
    """A source's name and bytes, and what a server said of them."""

    name: str
    data: bytes
    charset: str | None = None
    address: str | None = None


def fetch_source(source: str | Path | bytes, limits: Limits, *, private: bool = True) -> Source:
    """What a source is called, and its bytes; a text that begins with a tag is markup itself.

    Without `private`, addresses of this computer and its own network are not asked.
    """
    if isinstance(source, str) and source.startswith(("http://", "https://")):
        from tabellion.read.web.transport import fetch_page  # reading files costs no web client

        fetched = fetch_page(source, limits, private=private)
        return Source(source, fetched.data, fetched.charset, fetched.address)
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return Source("<markup>", source.encode("utf-8", "replace"), "utf-8")
    return Source(*fetch_bytes(source, limits))


def fetch_bytes(source: str | Path | bytes, limits: Limits) -> tuple[str, bytes]:
    """The source's name and its bytes; `"-"` is standard input."""
    if isinstance(source, bytes):
        name, data = UNNAMED, source
    elif str(source) == "-":
        name, data = "-", _at_most(sys.stdin.buffer, limits.bytes)
    else:
        name, data = str(source), _file_bytes(Path(source), limits.bytes)
    if len(data) > limits.bytes:
        raise TooLargeError(f"{name}: over the limit of {limits.bytes:,} bytes; raise Limits.bytes to read it")
    return name, data


def _file_bytes(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return _at_most(file, limit)
    except FileNotFoundError:
        raise SourceMissingError(f"{path}: no such file") from None
    except IsADirectoryError:
        raise UnreadableError(f"{path}: is a folder; name a file in it") from None
    except PermissionError:
        raise UnreadableError(f"{path}: no permission to read it") from None
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path}: cannot be read ({error})") from error


def _at_most(file: BinaryIO, limit: int) -> bytes:
    """One byte more than the limit at most, so that an endless stream ends."""
    return file.read(limit + 1)


STANDARD_INPUT = "-"
ENDINGS = (
    *(".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlt", ".xlsb", ".ods", ".ots", ".csv", ".tsv", ".tab"),
    *(".html", ".htm", ".xhtml", ".mht", ".mhtml", ".pdf"),
)
PACKED = ".gz"
_CONTAINERS = (b"PK", b"\xd0\xcf\x11\xe0", b"%PDF")  # whose kind is told further inside
_HEAD = 8192  # bytes of a file that are looked at first
_LARGEST = 64 * 2**20  # bytes of a container that is looked into
_LINES, _FEWEST = 20, 3  # lines of a text that are looked at, and must be there


def expand_sources(given: Iterable[str], others: list[str] | None = None) -> Iterator[str]:
    """Every document that the arguments name; `others` is given the files of folders that are none."""
    for source in given:
        path = Path(source)
        if source == STANDARD_INPUT or path.is_file():
            yield source
        elif path.is_dir():
            yield from list_documents(path, others) or [source]
        elif glob.has_magic(source):
            yield from expand_glob(source, others) or [source]
        else:
            yield source


def list_documents(folder: Path, others: list[str] | None = None) -> list[str]:
    """The documents under a folder, by their endings or else their content; hidden files and lock files left out."""
    found = []
    for path in sorted(folder.rglob("*"), key=str):
        if any(part.startswith((".", "~$")) for part in path.relative_to(folder).parts) or not path.is_file():
            continue
        if path.name.lower().removesuffix(PACKED).endswith(ENDINGS) or holds_document(path):
            found.append(str(path))
        elif others is not None:
            others.append(str(path))
    return found


def holds_document(path: Path) -> bool:
    """Whether the bytes of a file are those of a document, whatever it is called; of text only markup and columns."""
    from tabellion.read.sniff import sniff_format  # only where endings do not tell

    try:
        with path.open("rb") as file:
            head = file.read(_HEAD)
            if not head.startswith(_CONTAINERS):
                return b"\0" not in head and (sniff_format(head) != "csv" or _in_columns(head))
            file.seek(0)
            return bool(sniff_format(file.read(_LARGEST)))
    except (OSError, TabellionError):
        return False


def _in_columns(head: bytes) -> bool:
    """Whether the lines of a text all have the same signs between columns."""
    lines = head.splitlines()[: _LINES + 1]
    lines = [line for line in (lines[:-1] if len(head) == _HEAD else lines) if line.strip()]
    return len(lines) >= _FEWEST and any(
        min(counts) == max(counts) > 0 for counts in ([line.count(sign) for line in lines] for sign in b"\t;,|")
    )


def expand_glob(pattern: str, others: list[str] | None = None) -> list[str]:
    """The files that a pattern names, and the documents of the folders it names."""
    found: list[str] = []
    for match in sorted(glob.glob(pattern, recursive=True)):  # noqa: PTH207 - patterns may be absolute
        found.extend([match] if Path(match).is_file() else list_documents(Path(match), others))
    return list(dict.fromkeys(found))


def why_nothing(source: str) -> str | None:
    """Why a source that names no file stands for nothing; None where it is a file or standard input."""
    path = Path(source)
    if source == STANDARD_INPUT or path.is_file():
        return None
    if path.is_dir():
        return "no spreadsheet, web page or PDF file in this folder"
    if glob.has_magic(source) and not path.exists():
        return "no file matches this pattern"
    return None


ARCHIVES = (".warc", ".warc.gz", ".warc.zst", ".warc.lz4", ".wacz")
INSIDE = "!"  # between a WACZ file and the archive in it
_DICTIONARY = 0x184D2A5D  # what begins a frame that holds the dictionary of a zstandard file
_LARGEST_DICTIONARY = 2**26  # bytes
_CHUNK, _OVERLAP = 2**20, 16  # bytes looked through at once, and again with the next
_START = re.compile(  # of a record: packed with gzip, zstandard or lz4, or plain
    rb"\x1f\x8b\x08[\x00-\x1f].{4}[\x00\x02\x04][\x00-\x0d\xff]|\x28\xb5\x2f\xfd|\x04\x22\x4d\x18|(?<=\n)WARC/1\.[01]\r\n",
    re.DOTALL,
)
_FAULTS = (OSError, ValueError, EOFError, RuntimeError, TypeError)  # what reading a damaged archive raises


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
            with Path(file).open("rb") as stream:
                yield stream
        except FileNotFoundError as error:
            raise SourceMissingError(f"{file}: no such file") from error
        return
    try:
        import fsspec

        held = fsspec.open(file, "rb")
    except (ImportError, ValueError) as error:  # fsspec names the package that an address needs
        raise MissingExtraError(f"{file}: {error}; pip install 'tabellion[scale]' and what it names") from error
    try:
        with held as stream:
            yield stream
    except FileNotFoundError as error:
        raise SourceMissingError(f"{file}: there is nothing at this address") from error


def name_archives(file: str) -> list[str]:
    """The WARC files of a source: itself, or those in a WACZ file."""
    if not file.lower().endswith(".wacz"):
        return [file]
    with opened(file) as packed, zipfile.ZipFile(packed) as archive:
        return [f"{file}{INSIDE}{name}" for name in archive.namelist() if name.lower().endswith(ARCHIVES[:-1])]


def read_heads(stream: BinaryIO) -> Iterator[Any]:
    """The records of an archive, one after the other; None for each place where it is damaged, which is passed over.

    The start of a record is told by its first bytes, so that what comes behind the damage is read.
    """
    at, last, told = 0, -1, False
    while at >= 0:
        stream.seek(at)
        came = False
        try:
            for record in load_fastwarc().ArchiveIterator(stream, auto_decode="all"):
                came, told, last = True, False, record.stream_pos
                yield record
            broken = not came and last >= 0  # cut off
        except BaseException as error:
            if not _is_fault(error):
                raise
            broken = True
        if broken and not told:
            yield None
        told = broken
        last = max(last, at)
        at = _next_start(stream, last + 1)


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


def load_place(file: str, offset: int, limits: Limits, name: str = "") -> bytes:
    """The bytes of a document: of a whole file or address, or of the record that begins at an offset."""
    name = name or file
    if offset >= 0:
        return _load_record(file, offset, limits, name)
    if file.startswith(("http://", "https://")) or "://" not in file:
        return fetch_source(file, limits).data
    try:
        with opened(file) as stream:
            return _bounded(stream.read(limits.bytes + 1), name, limits)
    except OSError as error:
        raise UnreadableError(f"{name}: cannot be fetched ({error})") from error


def _load_record(file: str, offset: int, limits: Limits, name: str) -> bytes:
    warc, record = load_fastwarc(), None
    with opened(file) as stream:
        try:
            head = _dictionary_frame(stream) if offset and file.lower().endswith(".zst") else b""
            stream.seek(offset)
            record = next(iter(warc.ArchiveIterator(_After(head, stream) if head else stream, auto_decode="all")), None)
            data = record.reader.read(limits.bytes + 1) if record else b""
        except BaseException as error:
            if not _is_fault(error):
                raise
            raise TruncatedError(f"{name}: its record in {file} is damaged ({error})") from error
    if record is None or record.record_type != warc.WarcRecordType.response:
        raise SourceMissingError(f"{name}: no record at byte {offset} of {file}")
    return _bounded(data, name, limits)


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
