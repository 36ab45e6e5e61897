"""Bytes from where they lie: a path, an address on the web, standard input.

Fails with one line that says what is missing: no such file, a folder, no right to read, over the byte limit.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tabellion.errors import (
    SourceMissingError,
    TooLargeError,
    UnreadableError,
)
from tabellion.read.limits import UNNAMED, Limits
from tabellion.read.sources import ESCAPED, STANDARD_INPUT, is_file


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
    if isinstance(source, str) and source[:8].lower().startswith(("http://", "https://")):
        from tabellion.read.web.transport import fetch_page  # reading files costs no web client

        fetched = fetch_page(source, limits, private=private)
        return Source(source, fetched.data, fetched.charset, fetched.address)
    if isinstance(source, str) and source.lstrip().startswith("<") and not is_file(source):
        return Source("<markup>", source.encode("utf-8", "replace"), "utf-8")
    return Source(*fetch_bytes(source, limits))


def fetch_bytes(source: str | Path | bytes, limits: Limits) -> tuple[str, bytes]:
    """The source's name and its bytes; `"-"` is standard input."""
    if isinstance(source, bytes):
        name, data = UNNAMED, source
    elif str(source) == STANDARD_INPUT:
        name, data = STANDARD_INPUT, _at_most(sys.stdin.buffer, limits.bytes)
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
        renamed = "; a name that is no UTF-8 must be changed first" if ESCAPED.search(str(path)) else ""
        raise SourceMissingError(f"{path}: no such file{renamed}") from None
    except IsADirectoryError:
        raise UnreadableError(f"{path}: is a folder; give a file in it") from None
    except PermissionError:
        raise UnreadableError(f"{path}: no permission to read it") from None
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path}: cannot be read ({error})") from error


def _at_most(file: BinaryIO, limit: int) -> bytes:
    """One byte more than the limit at most, so that an endless stream ends."""
    return file.read(limit + 1)
