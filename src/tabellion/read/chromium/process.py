"""Chromium as a child process, spoken to over a pipe: no open port, no driver, nothing but the standard library.

In: where Chromium is, and whether pages may use the network. Out: a `Chromium` that answers calls of the DevTools
protocol (`--remote-debugging-pipe`: JSON messages, each ended by a nought, on file descriptors 3 and 4). The process
has a profile folder and a session of its own; `close` ends all its processes and removes the folder. Fails with
`BrowserGoneError` once the process has ended, and with `BrowserSlowError` where an answer does not come in time.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import itertools
import os
import queue
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import MissingExtraError, TabellionError

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SETTING = "TABELLION_CHROMIUM"
_START_SECONDS = 30.0  # a cold start on a busy machine takes some seconds
_END_SECONDS = 5.0
_PREFIX = "tabellion-chromium-"
_OLD_SECONDS = 86_400.0  # a folder may be of another machine that shares this one's; after a day it is of nobody
_DATA = 4 * 2**30  # bytes that each process of Chromium may hold: large pages take one
_TO_START = 64 * 2**20  # bytes that are set aside to start a program
_READ_SIZE = 1 << 20
_PAUSE = 0.01  # seconds between looks at what else happens while an answer is waited for
_FIRST_FREE = 10  # descriptors from here on cannot collide with 3 and 4
_ARGUMENTS = (
    "--headless",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-default-apps",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,NetworkPrediction",
    "--dns-prefetch-disable",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
    "--mute-audio",
    "--hide-scrollbars",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
)
_CUT_OFF = (  # every name unknown and every connection, even to this machine, by way of a proxy that is not there
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://0.0.0.0:1",
    "--proxy-bypass-list=<-loopback>",
)


class BrowserGoneError(TabellionError):
    """Chromium has ended, by itself or killed."""

    kind = "browser"


class BrowserSlowError(TabellionError):
    """Chromium did not answer in time."""

    kind = "browser"


class BrowserRefusedError(TabellionError):
    """Chromium answered a call with an error."""

    kind = "browser"


class Message(msgspec.Struct):
    """A message from Chromium: an answer (`id`) or an event (`method`)."""

    id: int | None = None
    method: str | None = None
    params: dict[str, Any] = {}
    result: msgspec.Raw = msgspec.Raw(b"{}")
    error: dict[str, Any] | None = None
    session: str | None = msgspec.field(default=None, name="sessionId")


def find_chromium() -> str:
    """The path of Chromium: what the setting names, else the first of its usual names that is installed."""
    named = os.environ.get(SETTING)
    for name in (named,) if named else NAMES:
        found = shutil.which(name)
        if found:
            return found
    said = f"{SETTING}={named} is no program" if named else "Chromium was not found"
    raise MissingExtraError(
        f"{said}; rendering needs it: install it (Debian: apt-get install chromium) or name it in {SETTING}; "
        "without --render pages are read from their markup"
    )


@cache
def _machine() -> str:
    """What tells this machine, as processes are counted on it, from another that shares its temporary files."""
    told = [socket.gethostname()]
    for path in ("/proc/sys/kernel/random/boot_id", "/proc/self/ns/pid"):
        with contextlib.suppress(OSError):
            told.append(str(Path(path).readlink()) if path.endswith("pid") else Path(path).read_text(encoding="ascii"))
    return hashlib.sha256(" ".join(told).encode()).hexdigest()[:8]


def sweep_folders() -> None:
    """Take away the profile folders of runs that were killed: of this machine at once, of others after a day."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        machine, _, rest = folder.name.removeprefix(_PREFIX).partition("-")
        owner = rest.partition("-")[0]
        try:
            old = time.time() - folder.stat().st_mtime > _OLD_SECONDS
        except OSError:
            continue
        if (machine == _machine() or old) and owner.isdecimal() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(folder, ignore_errors=True)


class Chromium:
    """A running Chromium. Safe to call from several threads; each session has an inbox of its own for events."""

    def __init__(self, *, network: bool = False) -> None:
        path = find_chromium()
        sweep_folders()
        self.folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{_machine()}-{os.getpid()}-")
        self._numbers = itertools.count(1)
        self._answers: dict[int, queue.SimpleQueue[Message | None]] = {}
        self._inboxes: dict[str, queue.SimpleQueue[Message | None]] = {}
        self._lock = threading.Lock()
        self.gone = False
        arguments = [path, *_ARGUMENTS, f"--user-data-dir={self.folder}"]
        arguments += [] if network else _CUT_OFF
        arguments += [] if has_sandbox() else ["--no-sandbox"]
        before = () if network else without_network()
        with _room_for_browser():
            self.process, self._write, self._read = _spawn([*before, *arguments, "about:blank"], self.folder)
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self.call("Browser.getVersion", seconds=_START_SECONDS)
        except TabellionError as error:
            self.close()
            raise BrowserGoneError(f"Chromium ({path}) does not start: {error}") from None

    def call(
        self,
        method: str,
        params: dict[str, Any] | None = None,
        session: str | None = None,
        seconds: float = 10.0,
        meanwhile: Callable[[], None] | None = None,
    ) -> msgspec.Raw:
        """The answer to a call, undecoded; `meanwhile` is done again and again until it comes."""
        number = self.send(method, params, session, wait=True)
        end = time.monotonic() + seconds
        try:
            while True:
                left = end - time.monotonic()
                try:
                    answer = self._answers[number].get(timeout=max(0.0, min(left, _PAUSE) if meanwhile else left))
                    break
                except queue.Empty:
                    if left <= 0:
                        note = f"Chromium did not answer {method} within {seconds:.0f} seconds"
                        raise BrowserSlowError(note) from None
                    if meanwhile:
                        meanwhile()
        finally:
            self._answers.pop(number, None)
        if answer is None:
            raise BrowserGoneError("Chromium has ended")
        if answer.error is not None:
            raise BrowserRefusedError(f"Chromium refused {method}: {answer.error.get('message', '')}")
        return answer.result

    def send(
        self, method: str, params: dict[str, Any] | None = None, session: str | None = None, *, wait: bool = False
    ) -> int:
        """Send a call; unless `wait` says so, its answer is not kept."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        data = memoryview(msgspec.json.encode(message) + b"\0")
        with self._lock:
            if self.gone:
                raise BrowserGoneError("Chromium has ended")
            if wait:
                self._answers[number] = queue.SimpleQueue()
            try:
                while data:
                    data = data[os.write(self._write, data) :]
            except OSError:
                self._answers.pop(number, None)
                self.gone = True
                raise BrowserGoneError("Chromium has ended") from None
        return number

    def inbox(self, session: str) -> queue.SimpleQueue[Message | None]:
        """The events of a session from now on; None once Chromium has ended."""
        with self._lock:
            made = self._inboxes[session] = queue.SimpleQueue()
        return made

    def forget(self, session: str) -> None:
        """Keep no more events of a session."""
        with self._lock:
            self._inboxes.pop(session, None)

    def close(self) -> None:
        """End every process of this Chromium and take its folder away; once more does nothing."""
        if not self.gone:
            with contextlib.suppress(BrowserGoneError):
                self.send("Browser.close")
        end = time.monotonic() + _END_SECONDS
        while not self._has_ended() and time.monotonic() < end:
            time.sleep(0.01)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process, signal.SIGKILL)
        while not self._has_ended() and time.monotonic() < end + _END_SECONDS:
            time.sleep(0.01)
        with self._lock:
            self.gone = True
        shutil.rmtree(self.folder, ignore_errors=True)
        if Path(self.folder).exists():  # a dying process may have written once more
            time.sleep(0.1)
            shutil.rmtree(self.folder, ignore_errors=True)

    def _has_ended(self) -> bool:
        try:
            return os.waitpid(self.process, os.WNOHANG)[0] != 0
        except ChildProcessError:
            return True

    def _listen(self) -> None:
        """Hand every message to whom it concerns, until the pipe ends."""
        decode = msgspec.json.Decoder(Message).decode
        pending: list[bytes] = []
        while True:
            try:
                data = os.read(self._read, _READ_SIZE)
            except OSError:
                data = b""
            if not data:
                break
            *whole, rest = data.split(b"\0")
            for part in whole:
                self._deliver(decode(b"".join((*pending, part))))
                pending.clear()
            if rest:
                pending.append(rest)
        with self._lock:
            self.gone = True
            waiting = [*self._answers.values(), *self._inboxes.values()]
            os.close(self._write)
            os.close(self._read)
        for each in waiting:
            each.put(None)

    def _deliver(self, message: Message) -> None:
        with self._lock:
            if message.id is not None:
                target = self._answers.get(message.id)
            else:
                target = self._inboxes.get(message.session or "")
        if target is not None:
            target.put(message)


def has_sandbox() -> bool:
    """Whether Chromium keeps its pages in a sandbox of its own; for root it has none to offer."""
    return os.geteuid() != 0


@cache
def without_network() -> tuple[str, ...]:
    """What starts a program in a network of its own with nothing in it; empty where the system has no such thing."""
    unshare = shutil.which("unshare")
    if unshare is None or not sys.platform.startswith("linux"):
        return ()
    nothing = shutil.which("true") or "true"
    for how in (("--net",), ("--user", "--map-current-user", "--net")):
        command = (unshare, *how, "--", nothing)
        try:
            tried = subprocess.run(command, capture_output=True, timeout=10, check=False)  # noqa: S603 - of the system
        except (OSError, subprocess.SubprocessError):
            continue
        if tried.returncode == 0:
            return (unshare, *how, "--")
    return ()


@contextlib.contextmanager
def _room_for_browser() -> Iterator[None]:
    """While Chromium is started: it sets aside more addresses than a worker may, and has a bound on what it holds.

    The bounds of this process are what a program begins with, so they are changed for a moment.
    """
    space, data = resource.getrlimit(resource.RLIMIT_AS), resource.getrlimit(resource.RLIMIT_DATA)
    wanted = max(_DATA, _data_of_this_process() + _TO_START)
    most = wanted if data[1] == resource.RLIM_INFINITY else min(wanted, data[1])
    resource.setrlimit(resource.RLIMIT_AS, (space[1], space[1]))
    resource.setrlimit(resource.RLIMIT_DATA, (most, data[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, data)
        resource.setrlimit(resource.RLIMIT_AS, space)


def _data_of_this_process() -> int:
    """Bytes that this process has set aside to write to: with a bound below it could not start a program."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _spawn(arguments: list[str], home: str) -> tuple[int, int, int]:
    """Start a program with pipes on its descriptors 3 and 4: its process, what it reads from, what it writes to."""
    theirs_in, ours_out = os.pipe()
    ours_in, theirs_out = os.pipe()
    high_in = fcntl.fcntl(theirs_in, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    high_out = fcntl.fcntl(theirs_out, fcntl.F_DUPFD_CLOEXEC, _FIRST_FREE)
    nowhere = os.devnull
    environment = {**os.environ, "HOME": home, "TMPDIR": home}
    try:
        process = os.posix_spawn(
            arguments[0],
            arguments,
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, nowhere, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, nowhere, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, nowhere, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_DUP2, high_in, 3),
                (os.POSIX_SPAWN_DUP2, high_out, 4),
            ],
            setsid=True,
        )
    except OSError:
        os.close(ours_in)
        os.close(ours_out)
        raise
    finally:
        for each in (theirs_in, theirs_out, high_in, high_out):
            os.close(each)
    return process, ours_out, ours_in
