"""Requests by kind, so that one kind under pressure leaves the others their answers.

In: a request. Out: the app's answer. Queries, searches, writing and all the rest have lanes of their own: so many run
at the same time, so many wait, and what comes on top is refused with 503 and the time after which to ask again. A place
in a lane is held until the answer is made, not until a slow client has taken it.
"""

from __future__ import annotations

import asyncio
from typing import NamedTuple

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabellion.web.refusing import refuse

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
    if path == "/query":
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
        for message in made:
            await send(message)
