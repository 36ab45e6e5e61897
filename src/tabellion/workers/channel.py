"""What a parent and its worker have agreed on: what a task may cost, and what they say to each other.

In: limits of reading or of a query. Out: `Bounds` for one task. `LimitPassedError` says which of them was passed, and
`WorkerLostError` that the worker ended by itself; the rooms that give tasks say it in words of their own.

In: one end of a pair of sockets. Out: messages, whole or not at all: a letter for what it is, a length, and so many
bytes. Both ends are ours; what is pickled is never seen by anybody else.
"""

from __future__ import annotations

import os
import socket
import struct
from typing import Final

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


TASK: Final = b"T"  # parent to worker: what to do
READY: Final = b"Y"  # worker to parent: it runs
PIECE: Final = b"P"  # worker to parent: a part of what it makes
PAGE: Final = b"W"  # how far it is
RESULT: Final = b"R"
ERROR: Final = b"E"
NO_MEMORY: Final = b"M"
_HEAD = struct.Struct("!cQ")
_TOGETHER = 1 << 20  # bytes read at once


def send(channel: socket.socket, kind: bytes, body: bytes) -> None:
    """Send one message; waits until the other end has taken it."""
    channel.sendall(_HEAD.pack(kind, len(body)))
    if body:
        channel.sendall(body)


class Inbox:
    """The messages that come in at one end."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self._held = bytearray()

    def take(self) -> tuple[bytes, bytes] | None:
        """The next message; None where the other end is gone. `TimeoutError` leaves what came so far as it is."""
        while (message := self._whole()) is None:
            try:
                came = self.channel.recv(_TOGETHER)
            except TimeoutError:
                raise
            except OSError:
                came = b""
            if not came:
                return None
            self._held += came
        return message

    def _whole(self) -> tuple[bytes, bytes] | None:
        if len(self._held) < _HEAD.size:
            return None
        kind, length = _HEAD.unpack_from(self._held)
        end = _HEAD.size + length
        if len(self._held) < end:
            return None
        body = bytes(memoryview(self._held)[_HEAD.size : end])
        del self._held[:end]
        return kind, body
