"""Bytes from a path, an address on the web, standard input, or bytes or markup that the caller already holds.

Fails with one line that says what is missing: no such file, a folder, no right to read, over the byte limit.

What the sources of a call name: files, folders, globs, and `-` for standard input. In: the arguments. Out: one
source per document, in the order given. A folder or a glob that holds no document is kept as it was given, so that it
is reported as one that could not be read and never silently dropped.
"""

from __future__ import annotations

import glob
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tabellion.errors import SourceMissingError, TabellionError, TooLargeError, UnreadableError
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
