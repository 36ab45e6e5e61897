"""Workers as their parent sees them: started, given tasks, watched, ended at a limit and replaced.

In: a function that a worker can import, what it is given, and `Bounds`. Out: what it returns. A `Crew` has some workers
and gives each task to one that is free; a worker goes from task to task, so that a small document costs no more than
where it is read in this process. At a bound the worker is killed with every program that it started, and the next task
gets a new one. Memory is looked at some times a second by the parent, and bound by the system inside the worker.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from tabellion.workers import inside
from tabellion.workers.inside import Bounds, BusyError, LimitPassedError, WorkerLostError, held_bytes, live, most_bytes

Made = TypeVar("Made")
Piece = Callable[[bytes], object]
Watch = Callable[[int, int], None]
_LOOK = 0.05  # seconds between two looks at a worker: what grows fastest gains some hundred megabytes meanwhile
_GRACE = 0.1  # a share of its time that a task gets beside it: readers look at the clock themselves, and say more
_LEAST_GRACE, _MOST_GRACE = 0.3, 2.0
_START = 60.0  # seconds until a worker runs, on a machine that is busy
_FULL = 2**30  # bytes: a worker that holds so much after a task is replaced
_NEAR = 0.9  # a worker that ends by itself with so much of what it may hold ran out of memory
_NEAR_ABORTED = 0.5  # one that aborts asked for so much at once, to double what it has, that it got nothing
_ABORTS = tuple(-getattr(signal, name, 0) for name in ("SIGABRT", "SIGTRAP", "SIGILL"))
_BEGIN = "from tabellion.workers.inside import begin; begin({number}, {path!r})"
_open: weakref.WeakSet[Worker] = weakref.WeakSet()


class Worker:
    """One process that does tasks; it is started when there is one, and again where it was ended."""

    def __init__(self, *, fork: bool = False) -> None:
        """With `fork` it is forked where this process has no threads, which costs next to nothing."""
        self._may_fork = fork and sys.platform == "linux"
        self._channel: socket.socket | None = None
        self._inbox: inside.Inbox | None = None
        self._process = 0
        self._program: subprocess.Popen[bytes] | None = None
        self._parent = 0
        self._looked = 0.0
        self._held_then = 0  # bytes, when it was last looked at
        self._most_held = 0  # bytes, whenever it was looked at during its task
        self._inherited = 0  # bytes: what the system counts as the worker's most is never less than its parent's
        self._ready = False
        _open.add(self)

    def start(self) -> None:
        """Start the process, unless it runs."""
        if self._channel is not None and self._parent == os.getpid():
            return
        ours, theirs = socket.socketpair()
        self._parent, self._held_then, self._inherited = os.getpid(), 0, most_bytes()
        if self._may_fork and threading.active_count() == 1:
            self._fork(ours, theirs)
        else:
            self._spawn(theirs)
        theirs.close()
        ours.settimeout(_LOOK)
        self._channel, self._inbox, self._ready = ours, inside.Inbox(ours), False

    def do(
        self,
        work: Callable[..., Made],
        given: Sequence[object],
        bounds: Bounds,
        piece: Piece | None = None,
        watch: Watch | None = None,
        standard_input: bytes | None = None,
    ) -> Made:
        """What `work(*given)` returns in the worker; what it hands over goes to `piece`, how far it is to `watch`."""
        for kind, body in self.messages(work, given, bounds, standard_input):
            if kind == inside.PIECE and piece is not None:
                piece(body)
            elif kind == inside.PAGE and watch is not None:
                watch(*pickle.loads(body))  # noqa: S301 - from our own worker
            elif kind == inside.RESULT:
                result: Made = pickle.loads(body)  # noqa: S301 - from our own worker
        return result

    def messages(
        self, work: Callable[..., object], given: Sequence[object], bounds: Bounds, standard_input: bytes | None = None
    ) -> Generator[tuple[bytes, bytes], None, None]:
        """All that the worker says of a task as it comes, the result at the end; to leave early ends the worker.

        The time in which nobody asks for the next message does not count.
        """
        self.start()
        self._most_held = 0
        task = (work, tuple(given), bounds, standard_input, _working_folder())
        packed = pickle.dumps(task, pickle.HIGHEST_PROTOCOL)
        left = bounds.seconds + min(_MOST_GRACE, max(_LEAST_GRACE, _GRACE * bounds.seconds))
        kind = b""
        try:
            if not self._ready:  # to start is no part of the task
                self._ready = self._take(time.monotonic() + _START, bounds)[0] == inside.READY
            self._send(packed)
            while kind != inside.RESULT:
                asked = time.monotonic()
                kind, body = self._take(asked + left, bounds)
                left -= time.monotonic() - asked
                if kind == inside.ERROR:
                    break
                if kind == inside.RESULT and self._held_then > _FULL and held_bytes(self._process) > _FULL:
                    self.end()
                yield kind, body
        except BaseException:
            self.end()  # whatever it is at is of no use to anybody any more
            raise
        if kind == inside.ERROR:
            raise pickle.loads(body)  # noqa: S301 - from our own worker

    def end(self) -> int:
        """End the process and all that it started; its exit status, below 0 where a signal ended it."""
        if self._channel is None:
            return 0
        self._channel.close()
        self._channel = self._inbox = None
        if self._parent != os.getpid():
            return 0
        self.kill()
        return self._wait()[0]

    def kill(self) -> None:
        """Kill the process and all that it started; who waits for it learns that it is gone."""
        if self._process and self._parent == os.getpid():
            for process in (*_descendants(self._process), self._process):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)

    def _fork(self, ours: socket.socket, theirs: socket.socket) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():  # libraries of numbers have threads of their own, and see to them at a fork
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process = os.fork()
        if self._process:
            return
        status = 1
        try:
            ours.close()
            for other in list(_open):  # a worker that held the ends of others would keep them alive
                if other._channel is not None:
                    other._channel.close()
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDONLY)
            os.dup2(nowhere, 0)
            os.dup2(2, 1)
            live(theirs)
            status = 0
        finally:
            os._exit(status)

    def _spawn(self, theirs: socket.socket) -> None:
        code = _BEGIN.format(number=theirs.fileno(), path=sys.path)
        self._program = subprocess.Popen(  # noqa: S603 - this interpreter and our own code
            [sys.executable, "-c", code],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._process = self._program.pid

    def _send(self, packed: bytes) -> None:
        assert self._channel is not None  # noqa: S101 - it was started
        self._channel.settimeout(None)
        try:
            inside.send(self._channel, inside.TASK, packed)
        except OSError:
            raise WorkerLostError(self._how()) from None
        self._channel.settimeout(_LOOK)

    def _take(self, end: float, bounds: Bounds) -> tuple[bytes, bytes]:
        """The next message, with an eye on time and memory."""
        assert self._inbox is not None  # noqa: S101 - it was started
        while True:
            now = time.monotonic()
            if now > end:
                raise LimitPassedError("seconds")
            if now > self._looked + _LOOK:
                self._looked = now
                self._held_then = self._held()
                self._most_held = max(self._most_held, self._held_then)
                if self._held_then > bounds.memory:
                    raise LimitPassedError("memory")
            try:
                message = self._inbox.take()
            except TimeoutError:
                continue
            if message is None:
                raise self._lost(bounds)
            if message[0] == inside.NO_MEMORY:
                raise LimitPassedError("memory")
            return message

    def _held(self) -> int:
        return sum(map(held_bytes, (self._process, *_descendants(self._process))))

    def _lost(self, bounds: Bounds) -> LimitPassedError | WorkerLostError:
        """Why the process ended by itself: over its processor time, out of memory, or a defect below."""
        status, most = self._wait()
        if status == -getattr(signal, "SIGXCPU", 24):
            return LimitPassedError("seconds")
        near = _NEAR_ABORTED if status in _ABORTS else _NEAR
        if max(self._most_held, most if most > self._inherited else 0) > near * bounds.memory:
            return LimitPassedError("memory")
        return WorkerLostError(_name(status))

    def _how(self) -> str:
        return _name(self._wait()[0])

    def _wait(self) -> tuple[int, int]:
        """The exit status, and the most memory that the process held."""
        if not self._process:
            return 0, 0
        with contextlib.suppress(ChildProcessError, AttributeError):
            _, status, used = os.wait4(self._process, 0)
            if self._program is not None:
                self._program.returncode = os.waitstatus_to_exitcode(status)
            self._process = 0
            return os.waitstatus_to_exitcode(status), most_bytes(used)
        return 0, 0


class Crew:
    """Some workers; each task goes to one that is free, and waits where none is."""

    def __init__(self, count: int = 1, *, waiting: int | None = None, fork: bool = False) -> None:
        """`waiting`: how many tasks may wait before more are refused. `fork`: start all now, by forking where it can.

        What a forked worker inherits it must not use: fork before databases are opened.
        """
        self.count = count
        self._waiting = waiting
        self._queued = 0
        self._lock = threading.Lock()
        self._free: queue.LifoQueue[Worker] = queue.LifoQueue()
        self._all = [Worker(fork=fork) for _ in range(count)]
        for worker in self._all:
            self._free.put(worker)
        if fork:
            self.warm()
        self.closed = False

    def do(
        self,
        work: Callable[..., Made],
        *given: object,
        bounds: Bounds,
        piece: Piece | None = None,
        watch: Watch | None = None,
        standard_input: bytes | None = None,
    ) -> Made:
        """What `work(*given)` returns, from a worker that is free."""
        worker = self.borrow()
        try:
            return worker.do(work, given, bounds, piece, watch, standard_input)
        finally:
            self.give_back(worker)

    def borrow(self) -> Worker:
        """A worker that is free, once there is one; `BusyError` where too many wait for one already."""
        with self._lock:
            if self._waiting is not None and self._free.empty() and self._queued >= self._waiting:
                raise BusyError("too much is asked at the same time; ask again later")
            self._queued += 1
        try:
            worker = self._free.get()
        finally:
            with self._lock:
                self._queued -= 1
        if self.closed:
            self._free.put(worker)
            raise WorkerLostError("all work was ended")
        return worker

    def give_back(self, worker: Worker) -> None:
        """Give a worker back."""
        if self.closed:
            worker.end()
        self._free.put(worker)

    def warm(self) -> None:
        """Start every worker that is free, so that the first task need not wait for it."""
        for worker in self._all:
            worker.start()

    def close(self) -> None:
        """End all workers, whatever they are at."""
        self.closed = True
        for worker in self._all:
            worker.kill()
        free = []
        with contextlib.suppress(queue.Empty):
            while True:
                free.append(self._free.get_nowait())
        for worker in free:  # those at work are seen to by who waits for them
            worker.end()
            self._free.put(worker)

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _descendants(process: int) -> list[int]:
    """The processes that a process started, and those that these did, where the system says so."""
    found: list[int] = []
    open_ones = [process]
    while open_ones:
        tasks = f"/proc/{open_ones.pop()}/task"
        with contextlib.suppress(OSError):  # one may end while it is asked
            for task in os.listdir(tasks):  # noqa: PTH208 - looked at all the time: paths take twice as long
                with contextlib.suppress(OSError), open(f"{tasks}/{task}/children", "rb", buffering=0) as said:  # noqa: PTH123
                    children = [int(one) for one in said.read().split()]
                    found += children
                    open_ones += children
    return found


def _name(status: int) -> str:
    if status >= 0:
        return f"it ended with status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def _working_folder() -> str:
    """Where relative names of files begin; the root where that folder is gone."""
    try:
        return str(Path.cwd())
    except OSError:
        return os.sep
