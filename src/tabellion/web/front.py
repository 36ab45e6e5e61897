"""The app in the browser: its files, who is let in, and what a page may do.

In: the token that was given. Out: routes for the app's files and for the session, and a wrapper that puts a content
security policy on every answer. Nothing that is answered here can run script but the app's own files; a saved page is
shown in a sandbox without script or network. The token of the opened address (`/#token=`) is exchanged for a cookie
that holds a digest of it, which script cannot read and other sites cannot send.
"""

from __future__ import annotations

import gzip
import hashlib
import hmac
from functools import cache
from http.cookies import CookieError, SimpleCookie
from importlib import resources
from typing import Any

from fastapi import FastAPI, HTTPException, Request, Response
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE_DAYS = 30
_KINDS = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_APP_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_DATA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"
PAGE_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'; "
    "sandbox allow-same-origin"
)


class SessionForm(BaseModel):
    """What lets a person in."""

    model_config = ConfigDict(extra="forbid")
    token: str = Field(max_length=1_000)


class Session(BaseModel):
    """What this server lets a client do; `author` is who strokes are made by where nobody says."""

    write: bool
    author: str | None


class Front:
    """Puts the headers on every answer that keep browsers in bounds."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        policy = _APP_POLICY if scope["path"] == "/" or scope["path"].startswith("/assets/") else _DATA_POLICY

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message.get("headers", ()))
                if not any(name == b"content-security-policy" for name, _ in headers):
                    headers.append((b"content-security-policy", policy.encode()))
                headers += [
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                ]
                message = {**message, "headers": headers}
            await send(message)

        await self.app(scope, receive, sent)


def is_open(path: str) -> bool:
    """Whether an address is answered without a token: the app's own files, and the exchange of a token."""
    return path in ("/", "/session") or path.startswith("/assets/")


def cookie_name(scope: Scope) -> str:
    """Cookies do not know ports, so the port is in the name: two servers on one computer do not disturb each other."""
    return f"tabellion-{(scope.get('server') or ('', 0))[1]}"


def cookie_value(token: str) -> str:
    return hmac.new(token.encode(), b"tabellion session", hashlib.sha256).hexdigest()


def has_cookie(header: bytes, name: str, token: str) -> bool:
    try:
        held = SimpleCookie(header.decode("latin-1")).get(name)
    except CookieError:
        return False
    return held is not None and hmac.compare_digest(held.value.encode(), cookie_value(token).encode())


def add_front(app: FastAPI, token: str | None, *, write: bool, author: str | None) -> None:
    """The app's files and the session."""

    @app.get("/", include_in_schema=False)
    def home(request: Request) -> Response:
        return _file("index.html", request)

    @app.get("/assets/{name}", include_in_schema=False)
    def asset(name: str, request: Request) -> Response:
        return _file(f"assets/{name}", request)

    @app.get("/session", response_model=Session)
    def session(request: Request, response: Response) -> dict[str, Any]:
        """The rights of the client."""
        response.headers["cache-control"] = "no-store"
        if token is not None and not _is_known(request, token):
            raise HTTPException(401, "a token is needed: open the address that the server printed, or give its token")
        return {"write": write, "author": author}

    @app.post("/session", response_model=Session)
    def enter(form: SessionForm, request: Request, response: Response) -> dict[str, Any]:
        """Exchange the token for a cookie."""
        if token is not None and not hmac.compare_digest(form.token.encode(), token.encode()):
            raise HTTPException(401, "this is not the token")
        if token is not None:
            response.set_cookie(
                cookie_name(request.scope), cookie_value(token), max_age=COOKIE_DAYS * 86_400, path="/",
                httponly=True, samesite="strict", secure=request.url.scheme == "https",
            )  # fmt: skip
        return {"write": write, "author": author}


def _is_known(request: Request, token: str) -> bool:
    said = request.headers.get("authorization", "")
    if hmac.compare_digest(said.encode(), f"Bearer {token}".encode()):
        return True
    return has_cookie(request.headers.get("cookie", "").encode("latin-1"), cookie_name(request.scope), token)


@cache
def _files() -> dict[str, tuple[bytes, bytes]]:
    """The files of the app by name: as they are and packed."""
    found: dict[str, tuple[bytes, bytes]] = {}
    root = resources.files("tabellion.web") / "static"
    for folder, prefix in ((root, ""), (root / "assets", "assets/")):
        if folder.is_dir():
            for one in folder.iterdir():
                if one.is_file():
                    data = one.read_bytes()
                    found[prefix + one.name] = data, gzip.compress(data, 9, mtime=0)
    return found


def _file(name: str, request: Request) -> Response:
    if name not in _files():
        raise HTTPException(404, "there is no such file of the app")
    data, packed = _files()[name]
    headers = {"cache-control": "no-cache" if name == "index.html" else "public, max-age=31536000, immutable"}
    headers["vary"] = "accept-encoding"
    if "gzip" in request.headers.get("accept-encoding", ""):
        data, headers["content-encoding"] = packed, "gzip"
    kind = _KINDS.get(name[name.rfind(".") :], "application/octet-stream")
    return Response(data, media_type=kind, headers=headers)
