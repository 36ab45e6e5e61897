"""What a task in a worker may cost, and what is said where it costs more.

In: limits of reading or of a query. Out: `Bounds` for one task. `LimitPassedError` says which of them was passed, and
`WorkerLostError` that the worker ended by itself; the rooms that give tasks say it in words of their own.
"""

from __future__ import annotations

import os

import msgspec

from tabellion.errors import CrashError, TabellionError, TooLargeError
from tabellion.read.limits import Limits, over_memory, over_time

_PHYSICAL = 0.8  # of the memory that the machine has: over it everything else would stand still


class Bounds(msgspec.Struct, frozen=True):
    """Seconds until a task is ended, and bytes that it and the programs that it starts may hold."""

    seconds: float
    memory: int


class LimitPassedError(TabellionError):
    """A task was ended at a bound: `seconds` or `memory`."""

    kind = "too-large"

    def __init__(self, limit: str) -> None:
        super().__init__(f"over the limit of {limit}")
        self.limit = limit


class WorkerLostError(TabellionError):
    """A worker ended in the middle of a task; `how` is the signal, where there was one."""

    kind = "crash"

    def __init__(self, how: str) -> None:
        super().__init__(how)
        self.how = how


class BusyError(TabellionError):
    """All workers are at work and as many tasks wait as may."""

    kind = "busy"


def reading_bounds(limits: Limits, source: object = b"") -> Bounds:
    """What reading one document may cost; the time to fetch it from an address comes on top."""
    fetched = isinstance(source, str) and "://" in source
    return Bounds(limits.seconds + (limits.fetch_seconds if fetched else 0), at_most_physical(limits.memory))


def at_most_physical(memory: int) -> int:
    """So much memory, or nearly all there is."""
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return memory
    return min(memory, int(there * _PHYSICAL))


def explain_reading(source: str, error: TabellionError, limits: Limits) -> TabellionError:
    """What is said of a document whose worker was ended, or ended by itself."""
    if isinstance(error, LimitPassedError):
        said = over_time(limits.seconds) if error.limit == "seconds" else over_memory(limits.memory)
        return TooLargeError(f"{source}: {said}")
    if isinstance(error, WorkerLostError):
        return CrashError(f"{source}: it brought down the process that read it ({error.how})")
    return error
