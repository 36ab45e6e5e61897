"""What reading may cost before a document is refused, and what a page may do while it is rendered.

Limits are settings with sane defaults, each with its reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import msgspec

from tabellion.errors import TooLargeError
from tabellion.model.markup import MarkupPage


class Limits(msgspec.Struct, frozen=True):
    """Limits for one document. `TooLargeError` names the limit and how to raise it."""

    bytes: int = 512 * 2**20  # the largest workbooks of statistical offices are near 200 MB
    unpacked_bytes: int = 4 * 2**30  # 10 million cells are about 0.5 GB of sheet XML
    unpacked_ratio: float = 250.0  # the most of 3,000 real parts is 52; deflate itself ends at 1,032
    part_bytes: int = 2**30  # one part is held whole while it is read; 20 million cells are about that
    cells: int = 20_000_000  # about 4 GB of arrays and texts
    rows: int = 1_048_576  # the end of an Excel sheet
    columns: int = 16_384  # the end of an Excel sheet
    sheets: int = 2_000  # workbooks with a sheet a day for five years exist
    pages: int = 10_000  # of a PDF; the longest budgets have some thousand
    nesting: int = 200  # sheet XML is at most some tens of elements deep
    seconds: float = 300.0  # 20 million cells take about 100 seconds
    memory: int = 8 * 2**30  # 20 million cells take about 6 GB; holds where a worker reads
    fetch_seconds: float = 60.0  # a page of some megabytes over a slow line
    render_seconds: float = 20.0  # a page of many megabytes on a busy machine
    redirects: int = 10  # browsers give up at 20; real pages need three or four


DEFAULT = Limits()
UNNAMED = "<bytes>"  # what bytes are called that the caller holds
BOUNDED: dict[str, str] = {  # what each limit bounds, as the documentation says it
    "bytes": "the file",
    "unpacked_bytes": "all parts of a packed file together",
    "unpacked_ratio": "how much larger than packed a part may be",
    "part_bytes": "one part of a packed file",
    "cells": "cells that have a value or a style",
    "rows": "rows of a sheet",
    "columns": "columns of a sheet",
    "sheets": "sheets of a workbook",
    "pages": "pages of a PDF; the longest budgets have some thousand",
    "nesting": "depth of XML",
    "seconds": "time to read one document, from its bytes to its tuples",
    "memory": "memory to read one document, with all programs that it takes (a worker only)",
    "fetch_seconds": "time to fetch a document from an address, on top of `seconds`",
    "render_seconds": "time to render a web page; what there is of it then is read, with an issue",
    "redirects": "redirects followed on the way to it",
}


_running: ContextVar[Deadline | None] = ContextVar("_running", default=None)


class Deadline:
    """When reading of one document must end; within `one_deadline` all of its stages have the same."""

    def __init__(self, limits: Limits) -> None:
        running = _running.get()
        self.seconds = limits.seconds
        self.end: float = time.monotonic() + limits.seconds if running is None else running.end

    def check(self) -> None:
        """Raise once the time is up."""
        if time.monotonic() > self.end:
            raise TooLargeError(over_time(self.seconds))


@contextmanager
def one_deadline(limits: Limits, source: object = b"") -> Iterator[None]:
    """While one document is read, from its bytes to its tuples: one time for all. Who passes it is named."""
    before = _running.set(None)
    _running.set(Deadline(limits))
    try:
        yield
    except TooLargeError as error:
        name = UNNAMED if isinstance(source, bytes) else str(source)
        if str(error).startswith(f"{name}: "):
            raise
        raise TooLargeError(f"{name}: {error}") from error
    finally:
        _running.reset(before)


def begin_reading() -> None:
    """The bytes are here, and from now on the time counts."""
    if (running := _running.get()) is not None:
        running.end = time.monotonic() + running.seconds


def check_deadline() -> None:
    """Raise where the time of the document that is being read is up."""
    if (running := _running.get()) is not None:
        running.check()


def over_time(seconds: float) -> str:
    return f"reading took longer than {seconds:g} seconds; raise Limits.seconds to go on"


def over_memory(memory: int) -> str:
    return f"reading needs more than {memory:,} bytes of memory; raise Limits.memory to go on"


def check_count(count: int, limit: int, what: str, setting: str) -> None:
    """Raise where a count is over its limit."""
    if count > limit:
        raise TooLargeError(f"{count:,} {what} are over the limit of {limit:,}; raise Limits.{setting} to read them")


class Rendering(msgspec.Struct, frozen=True):
    """What a page may do while it is rendered: run its scripts, load files from the network.

    `wanted` is asked with the text and the markup of each page whether to render it; without it all are rendered.
    """

    scripts: bool = False
    network: bool = False
    wanted: Callable[[str, MarkupPage], bool] | None = None
    private: bool = True  # of the network, that of this computer and its own too
