"""The inside of a worker: one task after the other, each under its bounds.

In: a socket to the parent. Out: the result of each task, or the error that it ended with. Address space and processor
time are bound by the system itself, so that they hold whatever a library below does; the parent sees to the rest. A
worker ends with its parent.
"""

from __future__ import annotations

import io
import os
import pickle
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tabellion.workers import channel
from tabellion.workers.channel import Bounds

if sys.platform == "win32":
    resource = None
else:
    import resource

_ROOM = 2 * 2**30  # bytes of address space beside what a task may hold: libraries, stacks, what allocators set aside
_MARGIN = 2  # seconds of processor time beside those of the deadline
_TOGETHER = 1 << 16  # bytes of small pieces that are sent at once
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
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    inbox = channel.Inbox(parent)
    channel.send(parent, channel.READY, b"")
    while (message := inbox.take()) is not None:
        answer = _answer(message[1])
        try:
            channel.send(parent, *answer)
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
            channel.send(_parent, channel.PIECE, b"".join(held))
            held.clear()
            size = 0
    if held:
        channel.send(_parent, channel.PIECE, b"".join(held))


def tell_page(done: int, total: int) -> None:
    """Tell the parent how far the task is."""
    if _parent is not None:
        channel.send(_parent, channel.PAGE, pickle.dumps((done, total)))


def _answer(packed: bytes) -> tuple[bytes, bytes]:
    work: Callable[..., Any]
    try:
        work, given, bounds, said, folder = pickle.loads(packed)  # noqa: S301 - from our own parent
        with suppress(OSError):
            os.chdir(folder)  # files are named as the parent would find them now
        with _bound(bounds), _standard_input(said):
            return channel.RESULT, pickle.dumps(work(*given), pickle.HIGHEST_PROTOCOL)
    except MemoryError:
        return channel.NO_MEMORY, b""
    except Exception as error:
        return channel.ERROR, _packed_error(error)


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
    seconds = used.ru_utime + used.ru_stime + bounds.seconds * (os.cpu_count() or 1) + _MARGIN
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
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def held_bytes(process: int) -> int:
    """The memory that a process holds for itself; 0 where the system does not say."""
    try:
        said = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    held = 0
    for line in said.splitlines():
        if line.startswith(("RssAnon:", "RssShmem:", "VmSwap:")):
            held += int(line.split()[1]) * 1024
    return held


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
