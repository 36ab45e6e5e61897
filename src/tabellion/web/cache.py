"""ETags, and answers that are remembered as long as the library does not change.

In: an answer to GET. Out: the same with an ETag made of its bytes; 304 where the client has them already. An answer is
remembered by its address and the state of the library, so that a page that many ask for is made once.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ROOM = 64 * 2**20  # bytes of answers that are remembered
_LARGEST = 4 * 2**20  # bytes of one
_LONGEST = 4_096  # bytes of an address that is remembered
_BESIDE = 2_048  # bytes that an answer takes beside its body and its address: headers, and what holds them

_PERSONAL = {b"vary", b"cache-control", b"set-cookie"}
"""Headers of an answer that is not the same for everybody who asks at its address."""

Remembered = tuple[list[tuple[bytes, bytes]], bytes]
Key = tuple[Hashable, bytes]


class Memory:
    """Gives ETags and remembers answers."""

    def __init__(self, app: ASGIApp, state: Callable[[], Hashable]) -> None:
        self.app, self.state = app, state
        self._held: OrderedDict[Key, Remembered] = OrderedDict()
        self._size, self._lock = 0, threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET":
            await self.app(scope, receive, send)
            return
        address = (scope.get("raw_path") or scope["path"].encode()) + b"?" + scope.get("query_string", b"")
        key = (self.state(), address)
        held = self._held.get(key)
        if held is None:
            held = await self._ask(scope, receive, send, key)
            if held is None:
                return
        headers, body = held
        tag = dict(headers)[b"etag"]
        if _matches(dict(scope["headers"]).get(b"if-none-match", b""), tag):
            await send({"type": "http.response.start", "status": 304, "headers": [(b"etag", tag)]})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _ask(self, scope: Scope, receive: Receive, send: Send, key: Key) -> Remembered | None:
        """The app's answer, held back; None where it is no plain success, which is sent on as it is."""
        begun: Message = {}
        body = bytearray()

        async def hold(message: Message) -> None:
            if message["type"] == "http.response.start":
                begun.update(message)
            if begun["status"] != 200:
                await send(message)
            else:
                body.extend(message.get("body", b""))

        await self.app(scope, receive, hold)
        if begun.get("status") != 200:
            return None
        headers = [*begun["headers"], (b"etag", f'"{hashlib.sha256(body).hexdigest()[:32]}"'.encode())]
        if not _PERSONAL & dict(begun["headers"]).keys():
            self._remember(key, (headers, bytes(body)))
        return headers, bytes(body)

    def _remember(self, key: Key, held: Remembered) -> None:
        if len(held[1]) > _LARGEST or len(key[1]) > _LONGEST:
            return
        with self._lock:
            if key not in self._held:
                self._size += _cost(key, held)
            self._held[key] = held
            while self._size > _ROOM:
                self._size -= _cost(*self._held.popitem(last=False))


def _cost(key: Key, held: Remembered) -> int:
    return len(key[1]) + len(held[1]) + _BESIDE


def _matches(said: bytes, tag: bytes) -> bool:
    return said.strip() == b"*" or tag in {one.strip().removeprefix(b"W/") for one in said.split(b",")}
