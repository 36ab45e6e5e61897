"""How much of a document is read before it is refused: settings with sane defaults, each with its reason."""

from __future__ import annotations

import time

import msgspec

from tabellion.errors import TooLargeError


class Limits(msgspec.Struct, frozen=True):
    """What one document may cost. `TooLargeError` names the limit that was passed and how to raise it."""

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
    fetch_seconds: float = 60.0  # a page of some megabytes over a slow line
    render_seconds: float = 20.0  # a page of many megabytes on a busy machine
    redirects: int = 10  # browsers give up at 20; real pages need three or four


DEFAULT = Limits()


class Deadline:
    """When reading of one document must end."""

    def __init__(self, limits: Limits) -> None:
        self.seconds = limits.seconds
        self.end = time.monotonic() + limits.seconds

    def check(self) -> None:
        """Raise once the time is up."""
        if time.monotonic() > self.end:
            raise TooLargeError(f"reading took longer than {self.seconds:g} seconds; raise Limits.seconds to go on")


def check_count(count: int, limit: int, what: str, setting: str) -> None:
    """Raise where a count is over its limit."""
    if count > limit:
        raise TooLargeError(f"{count:,} {what} are over the limit of {limit:,}; raise Limits.{setting} to read them")
