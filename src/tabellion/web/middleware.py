"""What every request passes, and what every answer gets: the wrappers around the app.

Guard: whose a request is, where it comes from, how it is written and how large it is. In: a request. Out: the app's
answer, or a refusal with its reason. On the loopback interface the Host header must name it, so that a page in a
browser cannot be led here under a name of its own; anywhere else a token is needed.

Lanes: requests by kind, so that one kind under pressure leaves the others their answers. Queries, searches, writing and
all the rest have lanes of their own: so many run at the same time, so many wait, and what comes on top is refused with
503 and the time after which to ask again. A place in a lane is held until the answer is made, not until a slow client
has taken it.

Memory: ETags, and answers that are remembered as long as the library does not change. In: an answer to GET. Out: the
same with an ETag made of its bytes; 304 where the client has them already. An answer is remembered by its address and
the state of the library, so that a page that many ask for is made once.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import msgspec
from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabellion.web.front import cookie_name, has_cookie, is_open

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
LARGEST_QUESTION = 2**20  # bytes of a body that is no document
_READING = ("GET", "HEAD", "OPTIONS")
_SIMPLE = ("", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data")
"""Types of bodies that a page of any other site may send without asking first."""
_HOST = re.compile(r"(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::([0-9]{1,5}))?")
_USUAL_PORTS = ("80", "443")
_BODY_SECONDS = 30.0  # until the next piece of a body
_PACE = 16 * 2**10  # bytes a second that a body must come with after that time
_WRONG_SECONDS = 0.5  # between two wrong tokens of one client
_MOST_WAITING = 20  # seconds of such waits, after which they are not even waited for
_CLIENTS = 10_000  # that are remembered for a wrong token


class Guard:
    """Refuses what must not reach the app."""

    def __init__(self, app: ASGIApp, token: str | None, *, loopback: bool, largest: int) -> None:
        self.app, self.token, self.loopback, self.largest = app, token, loopback, largest
        self._slowed: dict[str, float] = {}  # when the next wrong token of a client is answered

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal:
            shown = b"authorization" in headers or b"cookie" in headers
            if refusal[0] == 401 and shown and not await self._slow_down(scope):
                refusal = 429, "too many wrong tokens; ask again later"
            await refuse(send, *refusal)
            return
        largest = self.largest if scope["path"].startswith("/documents") else LARGEST_QUESTION
        length = headers.get(b"content-length", b"0").decode("latin-1")
        if not length.isdecimal() or int(length) > largest:
            await refuse(send, 413, f"a body may have {largest:,} bytes here")
            return
        seen, whole, begun = 0, False, 0.0

        async def bounded() -> Message:
            nonlocal seen, whole, begun
            begun = begun or time.monotonic()
            left = begun + _BODY_SECONDS + seen / _PACE - time.monotonic()
            try:
                message = await asyncio.wait_for(receive(), None if whole else min(left, _BODY_SECONDS))
            except TimeoutError:
                raise HTTPException(408, "the body of the request does not come") from None
            whole = not message.get("more_body", False)
            seen += len(message.get("body", b""))
            if seen > largest:
                raise HTTPException(413, f"a body may have {largest:,} bytes here")
            return message

        async def slowed(message: Message) -> None:
            if message.get("status") == 401 and scope["method"] == "POST":  # a token that was sent to be exchanged
                await self._slow_down(scope)
            await send(message)

        await self.app(scope, bounded, slowed)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        if self.loopback and _host(headers.get(b"host", b"")) not in LOOPBACK:
            return 400, "this server answers under the name of the loopback interface only"
        if self.token is not None and not is_open(scope["path"]) and not self._knows(scope, headers, self.token):
            return 401, "a token is needed: Authorization: Bearer TOKEN"
        if foreign := _foreign(scope["method"], headers):
            return foreign
        for part in (scope.get("raw_path") or b"", scope.get("query_string") or b""):
            try:
                text = unquote_to_bytes(part.replace(b"+", b" ")).decode("utf-8")
            except UnicodeDecodeError:
                return 400, "the address is not UTF-8"
            if "\0" in text:
                return 400, "the address holds a zero byte"
        return None

    def _knows(self, scope: Scope, headers: dict[bytes, bytes], token: str) -> bool:
        said = headers.get(b"authorization", b"")
        if said:
            return hmac.compare_digest(said, f"Bearer {token}".encode())
        return has_cookie(headers.get(b"cookie", b""), cookie_name(scope), token)

    async def _slow_down(self, scope: Scope) -> bool:
        """Make a client wait that showed a wrong token, longer each time; False where it asks too often for that."""
        client, now = str((scope.get("client") or ("",))[0]), time.monotonic()
        if len(self._slowed) >= _CLIENTS:
            self._slowed = {one: until for one, until in self._slowed.items() if until > now}
        turn = max(now, self._slowed.get(client, 0.0)) + _WRONG_SECONDS
        if turn - now > _MOST_WAITING:
            return False
        self._slowed[client] = turn
        await asyncio.sleep(turn - now - _WRONG_SECONDS)
        return True


def _foreign(method: str, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
    """Why a request is refused that a page of another site may have led a browser to make."""
    site, mode = headers.get(b"sec-fetch-site", b""), headers.get(b"sec-fetch-mode", b"")
    opens = method in _READING and mode == b"navigate"  # a link from elsewhere, which shows its answer to nobody else
    if site in (b"cross-site", b"same-site") and not opens:
        return 403, "this request comes from a page of another site"
    origin, host = headers.get(b"origin"), _authority(headers.get(b"host", b""))
    if origin is not None and (host is None or _authority(origin.partition(b"://")[2]) != host):
        return 403, "this request comes from a page of another site"
    if method in _READING:
        return None
    kind = headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")
    sent = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
    if sent and kind in _SIMPLE:
        return 415, "the body needs a Content-Type, such as application/json or application/octet-stream"
    return None


def _authority(said: bytes) -> tuple[str, str] | None:
    """Host and port of a Host header or an origin; None where it is no such thing.

    >>> _authority(b"[::1]:8765"), _authority(b"example.org:443"), _authority(b"localhost:evil.com")
    (('[::1]', '8765'), ('example.org', ''), None)
    """
    found = _HOST.fullmatch(said.decode("latin-1").lower())
    if found is None:
        return None
    return found[1], "" if found[2] in (None, *_USUAL_PORTS) else found[2]


def _host(said: bytes) -> str:
    found = _authority(said)
    return found[0] if found else ""


async def refuse(send: Send, status: int, why: str, more: Sequence[tuple[bytes, bytes]] = ()) -> None:
    """Send a refusal instead of an answer; `more` are headers beside the usual ones."""
    body = msgspec.json.encode({"detail": why})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


RETRY_SECONDS = 5
_STREAM = b"text/event-stream"  # goes to the client as it is made


class Room(NamedTuple):
    """How many requests of a lane run at the same time, and how many more may wait."""

    running: int
    waiting: int


ROOMS = {  # together fewer than the 40 threads that a server has, so that every lane gets its own
    "query": Room(2, 16),  # each is a worker process that may take all cores
    "writing": Room(2, 8),
    "search": Room(6, 64),
    "reading": Room(12, 256),
}


def lane_of(method: str, path: str) -> str:
    """The lane of a request.

    >>> lane_of("POST", "/query"), lane_of("GET", "/tables/smoking/joins"), lane_of("POST", "/documents")
    ('query', 'search', 'writing')
    """
    if path in ("/query", "/query/export", "/sparql", "/plot"):
        return "query"
    if method in ("GET", "HEAD", "OPTIONS"):
        return "search" if path == "/search" or path.endswith("/joins") else "reading"
    return "writing"


class _Lane:
    def __init__(self, room: Room) -> None:
        self.room, self.held = room, 0
        self.turns = asyncio.Semaphore(room.running)


class Lanes:
    """Gives each request a place in its lane, or refuses it."""

    def __init__(self, app: ASGIApp, rooms: dict[str, Room] = ROOMS) -> None:
        self.app, self.rooms = app, rooms
        self._lanes: dict[str, _Lane] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        name = lane_of(scope["method"], scope["path"])
        lane = self._lanes.setdefault(name, _Lane(self.rooms[name]))
        if lane.held >= lane.room.running + lane.room.waiting:
            why = "too much is asked at the same time; ask again later"
            await refuse(send, 503, why, [(b"retry-after", str(RETRY_SECONDS).encode())])
            return
        made: list[Message] = []
        streaming = False

        async def collect(message: Message) -> None:
            nonlocal streaming
            if message["type"] == "http.response.start":
                streaming = dict(message["headers"]).get(b"content-type", b"").startswith(_STREAM)
            if streaming:
                await send(message)
            else:
                made.append(message)

        lane.held += 1
        try:
            async with lane.turns:
                await self.app(scope, receive, collect)
        finally:
            lane.held -= 1
            for message in made:  # also what is said of a failure, which is raised on for the log
                await send(message)


_ROOM = 64 * 2**20  # bytes of answers that are remembered
_LARGEST = 4 * 2**20  # bytes of one
_LONGEST = 4_096  # bytes of an address that is remembered
_BESIDE = 2_048  # bytes that an answer takes beside its body and its address: headers, and what holds them

_STAYS = {b"etag", b"cache-control", b"vary", b"content-security-policy"}
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
            kept = [one for one in headers if one[0] in _STAYS]  # a browser takes over what a 304 says of the answer
            await send({"type": "http.response.start", "status": 304, "headers": kept})
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
