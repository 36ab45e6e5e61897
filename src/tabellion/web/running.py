"""The server as a process: who keeps it waiting is sent away, and when it is told to end it ends.

In: an app and an address. Out: nothing, once the server has ended. A connection that has sent no whole request head
after some seconds is closed. At SIGTERM or Ctrl-C what runs may finish for two seconds; then the workers that answer
queries and read documents are killed, and after four and a half the process ends whatever is left. All that the library
writes is written in transactions, so nothing is lost by that.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Callable
from types import FrameType

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 15.0  # for the head of a request; a slow line needs less than one
_CONNECTIONS = 1_000  # at the same time; more are refused with 503
_FINISH_SECONDS, _END_SECONDS = 2.0, 4.5


class TimedProtocol(H11Protocol):
    """HTTP connections, each closed where it keeps the head of a request back."""

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _look(self) -> None:
        """While no request is being answered, its head is waited for so long."""
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._watch is None:
            self._watch = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None


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
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=int(_FINISH_SECONDS) + 1,
    )
    try:
        EndingServer(config, release).run(sockets)
    finally:
        release()
