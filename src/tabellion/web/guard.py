"""What no request gets past: whose it is, where it comes from, how it is written and how large it is.

In: a request. Out: the app's answer, or a refusal with its reason. On the loopback interface the Host header must name
it, so that a page in a browser cannot be led here under a name of its own; anywhere else a token is needed.
"""

from __future__ import annotations

import hmac
from urllib.parse import unquote_to_bytes

import msgspec
from fastapi import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tabellion.web.front import cookie_name, has_cookie, is_open

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
LARGEST_QUESTION = 2**20  # bytes of a body that is no document


class Guard:
    """Refuses what must not reach the app."""

    def __init__(self, app: ASGIApp, token: str | None, *, loopback: bool, largest: int) -> None:
        self.app, self.token, self.loopback, self.largest = app, token, loopback, largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        refusal = self._refusal(scope, headers)
        if refusal:
            await refuse(send, *refusal)
            return
        largest = self.largest if scope["path"].startswith("/documents") else LARGEST_QUESTION
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > largest:
            await refuse(send, 413, f"a body may have {largest:,} bytes here")
            return
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > largest:
                raise HTTPException(413, f"a body may have {largest:,} bytes here")
            return message

        await self.app(scope, bounded, send)

    def _refusal(self, scope: Scope, headers: dict[bytes, bytes]) -> tuple[int, str] | None:
        if self.loopback and _host(headers.get(b"host", b"")) not in LOOPBACK:
            return 400, "this server answers under the name of the loopback interface only"
        if self.token is not None and not is_open(scope["path"]) and not self._knows(scope, headers, self.token):
            return 401, "a token is needed: Authorization: Bearer TOKEN"
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


async def refuse(send: Send, status: int, why: str) -> None:
    body = msgspec.json.encode({"detail": why})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _host(said: bytes) -> str:
    host = said.decode("latin-1").lower()
    return host if host.endswith("]") else host.rpartition(":")[0] if ":" in host else host
