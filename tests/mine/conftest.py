"""A made web on loopback: one server, whose many addresses are as many sites."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture
def made_web() -> Callable[[type[BaseHTTPRequestHandler]], AbstractContextManager[int]]:
    """Serves what a handler says at every address of loopback; gives the port."""

    @contextmanager
    def serve(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
        try:
            ThreadingHTTPServer(("127.0.0.255", 0), handler).server_close()
            server = ThreadingHTTPServer(("0.0.0.0", 0), handler)  # noqa: S104 - loopback has many addresses
        except OSError:
            pytest.skip("this machine has one loopback address only")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()
        server.server_close()

    return serve
