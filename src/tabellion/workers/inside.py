"""The inside of a worker: one task after the other, each under its bounds; and what is agreed on with its parent.

In: a socket to the parent. Out: the result of each task, or the error that it ended with. Address space and processor
time are bound by the system itself, so that they hold whatever a library below does; the parent sees to the rest. A
worker ends with its parent.

Bounds. In: limits of reading or of a query. Out: `Bounds` for one task. `LimitPassedError` says which of them was
passed, and `WorkerLostError` that the worker ended by itself; the rooms that give tasks say it in words of their own.

Messages. In: one end of a pair of sockets. Out: messages, whole or not at all: a letter for what it is, a length, and
so many bytes. Both ends are ours; what is pickled is never seen by anybody else.
"""

from __future__ import annotations

import gc
import io
import os
import pickle
import re
import select
import signal
import socket
import struct
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Final

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
    there = _physical_memory()
    return min(memory, int(there * _PHYSICAL)) if there else memory


@cache  # it takes as long as all else that a small task needs
def _physical_memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return 0


@cache
def _cores() -> int:
    return os.cpu_count() or 1


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
_READ_TOGETHER = 1 << 20  # bytes read at once
_SENT_TOGETHER = 1 << 17  # bytes of a message that are copied, so as to be sent at once


def send(channel: socket.socket, kind: bytes, body: bytes) -> None:
    """Send one message; waits until the other end has taken it."""
    head = _HEAD.pack(kind, len(body))
    if len(body) <= _SENT_TOGETHER:  # the other end wakes up once
        channel.sendall(head + body)
    else:
        channel.sendall(head)
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
                came = self.channel.recv(_READ_TOGETHER)
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


if sys.platform == "win32":
    resource = None
else:
    import resource

_ROOM = 2 * 2**30  # bytes of address space beside what a task may hold: libraries, stacks, what allocators set aside
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096  # bytes
_HELD = re.compile(rb"^(?:RssAnon|RssShmem|VmSwap):\s*(\d+)", re.MULTILINE)
_MARGIN = 2  # seconds of processor time beside those of the deadline
_TOGETHER = 1 << 16  # bytes of small pieces that are sent at once
COLLECTED_AFTER = (50_000, 20, 50)  # things made, as in the command line: what lasts is looked through less often
_parent: socket.socket | None = None


def begin(number: int, path: list[str]) -> None:
    """The whole life of a worker that was started as a program of its own."""
    sys.path[:] = path
    live(socket.socket(fileno=number))


def live(parent: socket.socket) -> None:
    """Do what the parent says until it goes away."""
    global _parent
    _parent = parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # of numbers too large to add: nothing that whoever reads a document can mend
    gc.set_threshold(*COLLECTED_AFTER)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    inbox = Inbox(parent)
    send(parent, READY, b"")
    while (message := inbox.take()) is not None:
        answer = _answer(message[1])
        try:
            send(parent, *answer)
        except OSError:
            return


def hand_over(pieces: Iterable[bytes]) -> None:
    """Give the parent what is made piece by piece, small ones together."""
    if _parent is None:
        raise RuntimeError("this is not a worker")
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= _TOGETHER:
            send(_parent, PIECE, b"".join(held))
            held.clear()
            size = 0
    if held:
        send(_parent, PIECE, b"".join(held))


def tell_page(done: int, total: int) -> None:
    """Tell the parent how far the task is."""
    if _parent is not None:
        send(_parent, PAGE, pickle.dumps((done, total)))


def _answer(packed: bytes) -> tuple[bytes, bytes]:
    work: Callable[..., Any]
    try:
        work, given, bounds, said, folder = pickle.loads(packed)  # noqa: S301 - from our own parent
        with suppress(OSError):
            os.chdir(folder)  # files are named as the parent would find them now
        with _bound(bounds), _standard_input(said):
            return RESULT, pickle.dumps(work(*given), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return NO_MEMORY, b""
    except Exception as error:
        return ERROR, _packed_error(error)


def _packed_error(error: Exception) -> bytes:
    """An exception as it can be sent; one that cannot is told in words."""
    try:
        packed = pickle.dumps(error)
        pickle.loads(packed)  # noqa: S301 - what was just packed
    except Exception:
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
    return packed


@contextmanager
def _bound(bounds: Bounds) -> Iterator[None]:
    """While a task runs: address space and processor time that it may use, counted from here."""
    if resource is None:
        yield
        return
    space, time = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_CPU)
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime + bounds.seconds * _cores() + _MARGIN
    _set_soft(resource.RLIMIT_CPU, int(seconds) + 1)
    _set_soft(resource.RLIMIT_AS, _address_space() + bounds.memory + _ROOM)
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, space)
        resource.setrlimit(resource.RLIMIT_CPU, time)


def _set_soft(which: int, number: int) -> None:
    """The hard limit stays, so that it can be lifted again."""
    hard = resource.getrlimit(which)[1]
    wanted = number if hard == resource.RLIM_INFINITY else min(number, hard)
    try:
        resource.setrlimit(which, (wanted, hard))
    except (ValueError, OSError):  # macOS knows no bound on address space
        return


@contextmanager
def _standard_input(data: bytes | None) -> Iterator[None]:
    """What the parent read from its standard input, where the task reads it."""
    if data is None:
        yield
        return
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace")
    try:
        yield
    finally:
        sys.stdin = before


def _address_space() -> int:
    try:
        with open("/proc/self/statm", "rb", buffering=0) as said:  # noqa: PTH123 - for each task: a path takes twice as long
            return int(said.read().split(None, 1)[0]) * _PAGE
    except (OSError, ValueError):
        return 0


def held_bytes(process: int) -> int:
    """The memory that a process holds for itself; 0 where the system does not say."""
    try:
        with open(f"/proc/{process}/status", "rb", buffering=0) as file:  # noqa: PTH123 - looked at all the time
            said = file.read()
    except OSError:
        return 0
    return 1024 * sum(int(kilobytes) for kilobytes in _HELD.findall(said))


def most_bytes(used: Any = None) -> int:
    """The most memory that a process ever held, by what the system says of its use; without it, this process's."""
    if used is None:
        if resource is None:
            return 0
        used = resource.getrusage(resource.RUSAGE_SELF)
    return int(used.ru_maxrss) * (1 if sys.platform == "darwin" else 1024)


def _end_with(parent: socket.socket) -> None:
    """End at once where the parent is gone, whatever the task is at."""
    if not hasattr(select, "poll"):
        return
    watch = select.poll()
    watch.register(parent.fileno(), getattr(select, "POLLRDHUP", 0) | select.POLLHUP)
    watch.poll()
    os._exit(1)
