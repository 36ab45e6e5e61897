"""The server as a process, over HTTP or standard input, and answers that it gives in two parts.

In: an app and an address. Out: nothing, once the server has ended. A connection that has sent no whole request head
after some seconds is closed, one that does not take its answer is too, and there are never more of them than half of
what the process may open. At SIGTERM or Ctrl-C what runs may finish for two seconds; then the workers that answer
queries and read documents are killed, and after four and a half the process ends whatever is left. All that the library
writes is written in transactions, so nothing is lost by that.

`answer_early`. In: work that tells on its way what can be drawn. Out: a plain answer, or for who accepts
`text/event-stream` the events `drawn`, then `made` or `refused`. The work goes on to its end whether or not somebody
still listens. Fails to be early behind a proxy that holds streams back: both parts then come at the end.
"""

from __future__ import annotations

import asyncio
import ctypes
import io
import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from types import FrameType
from typing import Any, BinaryIO

import msgspec
import uvicorn
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from mcp.server import MCPServer
from mcp.types import jsonrpc_message_adapter
from starlette.concurrency import run_in_threadpool
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from tabellion.errors import ConflictError, LibraryError, MissingExtraError, QueryError, TabellionError
from tabellion.library.paging import GoneError
from tabellion.workers import BusyError

HEAD_SECONDS = 15.0  # for the head of a request; a slow line needs less than one
TAKE_SECONDS = 30.0  # in which a client must take some of an answer that waits for it
_LEAST_TAKEN = 32 * 2**10  # bytes of it, or the rest
_CONNECTIONS = 1_000  # at the same time; more are refused with 503
_BURST = 64  # connections that are accepted before the first of them is looked at
_FULL = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_FINISH_SECONDS, _END_SECONDS = 2.0, 4.5
_ARENAS_AT_MOST, _ARENAS = -8, 2  # M_ARENA_MAX of the GNU C library


def most_connections() -> int:
    """How many connections there may be: half of what the process may open is left for files and workers."""
    if sys.platform == "win32":
        return _CONNECTIONS
    import resource

    return min(_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)


class TimedProtocol(H11Protocol):
    """HTTP connections, each closed where it keeps the head of a request back or does not take its answer."""

    _watch: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.write(_FULL)
            self._close()
        else:
            self._look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look_taken()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.transport.is_closing():
            self._stop_taking()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        self._stop_taking()
        super().connection_lost(exc)

    def _look(self) -> None:
        """While no request is being answered, its head is waited for so long."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._watch is None:
            self._watch = self.loop.call_later(HEAD_SECONDS, self._close)

    def _close(self) -> None:
        """Close it once what waits to be sent is taken, or nobody takes it."""
        self.transport.close()
        if self._taking is None:
            self._look_taken()

    def _look_taken(self, before: int | None = None) -> None:
        """Look again and again how much of what waits to be sent was taken."""
        left = self.transport.get_write_buffer_size()
        if before is not None and left > before - _LEAST_TAKEN:
            self.transport.abort()
        else:
            self._taking = self.loop.call_later(TAKE_SECONDS, self._look_taken, left)

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _stop_taking(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None


class EndingServer(uvicorn.Server):
    """A server that has ended within five seconds of being told to."""

    def __init__(self, config: uvicorn.Config, release: Callable[[], None]) -> None:
        super().__init__(config)
        self._release = release
        self._told = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        super().handle_exit(sig, frame)
        if not self._told:
            self._told = True
            for seconds, work in ((_FINISH_SECONDS, self._release), (_END_SECONDS, lambda: os._exit(128 + sig))):
                timer = threading.Timer(seconds, work)
                timer.daemon = True
                timer.start()


def _share_memory() -> None:
    """Let threads share what they give back: else each keeps some for itself, and a server grows for hours."""
    with suppress(OSError, AttributeError):  # where the C library is another one
        ctypes.CDLL(None).mallopt(_ARENAS_AT_MOST, _ARENAS)


def run_server(
    app: ASGIApp,
    host: str,
    port: int,
    release: Callable[[], None],
    sockets: list[socket.socket] | None = None,
) -> None:
    """Serve an app until the process is told to end; `release` frees what requests may be waiting for.

    `sockets` are such that listen already.
    """
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=TimedProtocol,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        backlog=_BURST,
        timeout_graceful_shutdown=int(_FINISH_SECONDS) + 1,
    )
    _share_memory()
    try:
        EndingServer(config, release).run(sockets)
    finally:
        release()


STREAM = "text/event-stream"
_SENT_SECONDS = 0.5  # that the work waits for its first part to be sent, as both share one interpreter
Tell = Callable[[dict[str, Any]], None]
_running: set[asyncio.Task[None]] = set()  # a task that nobody holds may be cleared away before its end


def status_of(error: TabellionError) -> int:
    """The status of an answer that says what went wrong."""
    if isinstance(error, GoneError | ConflictError):
        return 409
    if isinstance(error, LibraryError) and "there is no such" in str(error):
        return 404
    if isinstance(error, MissingExtraError):
        return 501
    if isinstance(error, BusyError):
        return 503
    return 400 if isinstance(error, LibraryError | QueryError) else 422


async def answer_early(request: Request, work: Callable[[Tell | None], dict[str, Any]]) -> Response:
    """The answer to a request, in two parts where it accepts that; what is refused at once has its usual status."""
    if STREAM not in request.headers.get("accept", ""):
        made = await run_in_threadpool(work, None)
        return Response(msgspec.json.encode(made), media_type="application/json")
    parts: asyncio.Queue[bytes | Exception | None] = asyncio.Queue()
    sent, loop = threading.Event(), asyncio.get_running_loop()

    def tell(drawn: dict[str, Any]) -> None:
        loop.call_soon_threadsafe(parts.put_nowait, _event("drawn", drawn))
        sent.wait(_SENT_SECONDS)

    async def run() -> None:
        try:
            parts.put_nowait(_event("made", await run_in_threadpool(work, tell)))
        except Exception as error:
            parts.put_nowait(error)
        parts.put_nowait(None)

    task = asyncio.create_task(run())
    _running.add(task)
    task.add_done_callback(_running.discard)
    first = await parts.get()
    if isinstance(first, Exception):
        raise first
    return StreamingResponse(_send(first, parts, sent), media_type=STREAM, headers={"cache-control": "no-store"})


async def _send(
    first: bytes | None, parts: asyncio.Queue[bytes | Exception | None], sent: threading.Event
) -> AsyncIterator[bytes]:
    part: bytes | Exception | None = first
    while part is not None:
        if isinstance(part, TabellionError):
            yield _event("refused", {"status": status_of(part), "detail": str(part)})
        elif isinstance(part, Exception):
            yield _event("refused", {"status": 500, "detail": "this could not be kept"})
            raise part
        else:
            yield part
            sent.set()
        part = await parts.get()


def _event(name: str, value: Any) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + msgspec.json.encode(value) + b"\n\n"


def serve_stdio(server: MCPServer[Any]) -> None:
    """Answer over standard input and output until the input ends."""
    lines = io.BufferedReader(_MendedLines(sys.stdin.buffer))
    sys.stdin = io.TextIOWrapper(lines, encoding="utf-8", errors="replace")
    server.run("stdio")


class _MendedLines(io.RawIOBase):
    """Lines of which each holds a call that the protocol's own reader does not pass over in silence."""

    def __init__(self, source: BinaryIO) -> None:
        self._source, self._held = source, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._held = self._held or mend_line(self._source.readline())
        count = min(len(buffer), len(self._held))
        buffer[:count] = self._held[:count]
        self._held = self._held[count:]
        return count


def mend_line(line: bytes) -> bytes:
    """What a line of the protocol calls, a line each, so that every call is answered.

    Half a surrogate becomes the replacement sign. What is no call becomes one of a method that is not there.

    >>> mend_line(b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"id": 2.5}]').decode().splitlines()[1]
    '{"jsonrpc": "2.0", "id": "2.5", "method": "malformed"}'
    """
    if not line.strip():
        return line
    try:
        said = json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        said = None
    return b"".join(_call(one) for one in (said if isinstance(said, list) and said else [said]))


def _call(said: Any) -> bytes:
    name = said.get("id", 0) if isinstance(said, dict) else None
    known = isinstance(name, str | int) and not isinstance(name, bool)  # else it is taken for no call at all
    try:
        text = json.dumps(said, ensure_ascii=False).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        jsonrpc_message_adapter.validate_json(text if known else "", by_name=False)
    except (ValueError, RecursionError):
        text = json.dumps({"jsonrpc": "2.0", "id": name if known else repr(name)[:100], "method": "malformed"})
    return text.encode("utf-8", "replace") + b"\n"
