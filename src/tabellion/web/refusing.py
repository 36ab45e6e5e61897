"""A refusal: its status, and why, as JSON."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from starlette.types import Send


async def refuse(send: Send, status: int, why: str, more: Sequence[tuple[bytes, bytes]] = ()) -> None:
    """Send a refusal instead of an answer; `more` are headers beside the usual ones."""
    body = msgspec.json.encode({"detail": why})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *more]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
