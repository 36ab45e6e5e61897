"""A server with the examples and a browser that looks at it, for the tests of the app."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tabellion.library.library import Library
from tabellion.web.app import build_app

expect.set_options(timeout=20_000)  # where tests run on all cores, an answer takes longer
EXAMPLES = Path(__file__).parents[2] / "examples"
TOKEN = "open-sesame"  # noqa: S105 - of the tests alone
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
]  # fmt: skip


@contextmanager
def serving(library: Library, **chosen: Any) -> Iterator[str]:
    """The address of a server for a library, until it is left."""
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    app = build_app(library, **{"token": TOKEN, "write": True, "author": "ada", **chosen})
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(10)


@contextmanager
def browsing(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def entered(browser: Browser, address: str, route: str = "#/find", **chosen: Any) -> Page:
    """A page that was let in and shows a route; what goes wrong in it fails the test."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **chosen}).new_page()
    page.set_default_timeout(20_000)
    page.faults = []  # type: ignore[attr-defined]
    page.on("pageerror", lambda error: page.faults.append(str(error)))  # type: ignore[attr-defined]
    page.on("console", lambda said: page.faults.append(said.text) if "Content Security" in said.text else None)  # type: ignore[attr-defined]
    page.goto(f"{address}#token={TOKEN}")
    page.get_by_role("searchbox").wait_for()
    if route != "#/find":
        page.goto(address + route)
    return page
