"""Answers that come in two parts: what can be drawn at once, and what there is when it is kept.

In: work that tells on its way what can be drawn. Out: a plain answer, or for who accepts `text/event-stream` the events
`drawn`, then `made` or `refused`. The work goes on to its end whether or not somebody still listens. Fails to be early
behind a proxy that holds streams back: both parts then come at the end.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from tabellion.errors import ConflictError, LibraryError, MissingExtraError, QueryError, TabellionError
from tabellion.library.paging import GoneError
from tabellion.workers import BusyError

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
