"""A pool of Chromium's tabs, reused from page to page: one page in, one snapshot out.

In: an address, the answer to the request for it, and what else the page may load. Out: the snapshot of the rendered
page (`DOMSnapshot.captureSnapshot`) with the computed styles that are used. Every request is answered here or refused;
scripts do not run unless asked for. A page that hangs or brings its tab down costs its time limit and its tab; a
Chromium that ends in mid-run is started anew and the page is tried again.
"""

from __future__ import annotations

import base64
import contextlib
import os
import queue
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.util import Finalize
from typing import Any, TypeVar

import msgspec

from tabellion.read.chromium.process import BrowserGoneError, BrowserRefusedError, BrowserSlowError, Chromium, Message

STYLES = (
    "display",
    "visibility",
    "opacity",
    "position",
    "float",
    "white-space",
    "vertical-align",
    "color",
    "background-color",
    "font-size",
    "font-style",
    "font-weight",
    "font-family",
    "text-align",
    "text-decoration-line",
    "padding-left",
    "border-top-width",
    "border-right-width",
    "border-bottom-width",
    "border-left-width",
)
WIDTH, HEIGHT = 1280, 1024  # the viewport: a usual desktop window
_SETTLE_SECONDS = 0.5  # after loading, for what scripts may still build
_SNAPSHOT_SECONDS = 2.0  # for what there is of a page that does not finish loading
_ATTEMPTS = 3  # at a page whose Chromium ends
_CRASHES = ("Inspector.targetCrashed", "Inspector.detached")
_CHANNELS = ("RTCPeerConnection", "webkitRTCPeerConnection", "RTCDataChannel", "WebTransport", "WebSocketStream")
_WITHOUT_CHANNELS = "".join(f"delete globalThis.{name};" for name in _CHANNELS)
"""Ways out that no request shows: no page needs them to be drawn."""
Made = TypeVar("Made")


class Snapshot(msgspec.Struct, frozen=True):
    """What was seen of a page: the raw snapshot, whether loading came to its end, and the markup after scripts."""

    data: msgspec.Raw
    whole: bool
    markup: str | None = None


class TabLostError(BrowserGoneError):
    """The tab of a page crashed or hung."""


class Answer(msgspec.Struct, frozen=True):
    """What a request gets: bytes of a kind, or the way to the network."""

    data: bytes = b""
    kind: str = "application/octet-stream"
    passed_on: bool = False


Ask = Callable[[str, str], Answer | None]
"""What is there at an address, asked for as a kind of file: `Stylesheet`, `Image`, `Font`, `Document`."""


class Tab:
    """One tab: `render` takes it from page to page."""

    def __init__(self, browser: Chromium, *, scripts: bool) -> None:
        self.browser, self._scripts = browser, scripts
        made = _read(browser.call("Target.createTarget", {"url": "about:blank"}))
        self._target: str = made["targetId"]
        attached = _read(browser.call("Target.attachToTarget", {"targetId": self._target, "flatten": True}))
        self._session: str = attached["sessionId"]
        self._inbox = browser.inbox(self._session)
        self._call("Page.addScriptToEvaluateOnNewDocument", {"source": _WITHOUT_CHANNELS, "runImmediately": True})
        for method, params in (
            ("Inspector.enable", {}),
            ("Page.enable", {}),
            ("DOM.enable", {}),
            ("DOMSnapshot.enable", {}),
            ("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}),
            ("Emulation.setScriptExecutionDisabled", {"value": not scripts}),
            (
                "Emulation.setDeviceMetricsOverride",
                {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False},
            ),
            ("Browser.setDownloadBehavior", {"behavior": "deny"}),
        ):
            self._call(method, params)

    def render(self, address: str, answer: Ask, seconds: float) -> Snapshot:
        """Load a page and take its snapshot; `answer` says what a request (address, kind) gets."""
        end = time.monotonic() + seconds
        while True:
            try:
                self._inbox.get_nowait()  # what is left over of the page before
            except queue.Empty:
                break
        self.browser.send("Page.navigate", {"url": address}, self._session)
        whole = self._load(answer, end)
        left = max(_SNAPSHOT_SECONDS, end - time.monotonic())
        if not whole:
            self.browser.send("Page.stopLoading", {}, self._session)
        wanted = {"computedStyles": list(STYLES), "includeDOMRects": False, "includePaintOrder": False}
        try:
            markup = self._markup(left, answer) if self._scripts else None
            data = self._call("DOMSnapshot.captureSnapshot", wanted, left, answer)
        except BrowserSlowError:
            raise TabLostError(f"the page was not rendered within {seconds:g} seconds") from None
        if self._scripts:
            self._end_scripts()
        return Snapshot(data, whole, markup)

    def close(self) -> None:
        """Close the tab, whatever state it is in."""
        self.browser.forget(self._session)
        with contextlib.suppress(BrowserGoneError):
            self.browser.send("Target.closeTarget", {"targetId": self._target})

    def _load(self, answer: Ask, end: float) -> bool:
        """Answer requests until the page is loaded; False where the time is up before."""
        settled: float | None = None
        asked = False  # for the page itself: what loads before belongs to the page before
        while True:
            now = time.monotonic()
            until = end if settled is None else min(end, settled)
            if now >= until:
                return settled is not None
            try:
                event = self._inbox.get(timeout=until - now)
            except queue.Empty:
                continue
            if event is None:
                raise BrowserGoneError("Chromium has ended")
            if event.method in _CRASHES:
                raise TabLostError("the page brought its tab down")
            if event.method == "Fetch.requestPaused":
                if self._answer(event, answer) and settled is None:  # the rest of its loading is given up
                    settled = time.monotonic() + _SETTLE_SECONDS
                asked = True
            elif event.method == "Page.javascriptDialogOpening":
                self.browser.send("Page.handleJavaScriptDialog", {"accept": False}, self._session)
            elif event.method == "Page.loadEventFired" and asked:
                if not self._scripts:
                    return True
                settled = time.monotonic() + _SETTLE_SECONDS

    def _refuse_late(self, answer: Ask) -> None:
        """Answer what a loaded page still asks for: one that is left waiting to go elsewhere gives no snapshot."""
        while not self._inbox.empty():
            event = self._inbox.get()
            if event is None:
                raise BrowserGoneError("Chromium has ended")
            if event.method in _CRASHES:
                raise TabLostError("the page brought its tab down")
            if event.method == "Fetch.requestPaused":
                self._answer(event, answer)

    def _answer(self, event: Message, answer: Ask) -> bool:
        """Answer a request; True where the page wanted to leave for another and was refused."""
        request, number = event.params["request"], event.params["requestId"]
        given = answer(request["url"], event.params.get("resourceType", "")) if request["method"] == "GET" else None
        leaving = False
        if given is None:
            # a page that is refused another in its place stays as it is; any other reason would show an error page
            leaving = event.params.get("resourceType") == "Document" and event.params.get("frameId") == self._target
            params = {"requestId": number, "errorReason": "Aborted" if leaving else "BlockedByClient"}
            self.browser.send("Fetch.failRequest", params, self._session)
        elif given.passed_on:
            self.browser.send("Fetch.continueRequest", {"requestId": number}, self._session)
        else:
            headers = [{"name": "Content-Type", "value": given.kind}]
            body = base64.b64encode(given.data).decode()
            params = {"requestId": number, "responseCode": 200, "responseHeaders": headers, "body": body}
            self.browser.send("Fetch.fulfillRequest", params, self._session)
        return leaving

    def _markup(self, seconds: float, answer: Ask) -> str:
        root = _read(self._call("DOM.getDocument", {"depth": 0}, seconds, answer))["root"]["nodeId"]
        return str(_read(self._call("DOM.getOuterHTML", {"nodeId": root}, seconds, answer))["outerHTML"])

    def _end_scripts(self) -> None:
        """Stop what still runs, and close the windows that scripts opened."""
        self.browser.send("Page.navigate", {"url": "about:blank"}, self._session)
        for target in _read(self.browser.call("Target.getTargets"))["targetInfos"]:
            if target.get("openerId") == self._target:
                self.browser.send("Target.closeTarget", {"targetId": target["targetId"]})

    def _call(
        self,
        method: str,
        params: dict[str, Any],
        seconds: float = 10.0,
        answer: Ask | None = None,
    ) -> msgspec.Raw:
        """The answer to a call; with `answer` the page's requests are answered meanwhile."""
        meanwhile = partial(self._refuse_late, answer) if answer else None
        return self.browser.call(method, params, self._session, seconds, meanwhile)


class Tabs:
    """The tabs of one kind (with or without network and scripts); Chromium is started with the first page."""

    def __init__(self, *, network: bool = False, scripts: bool = False) -> None:
        self._network, self._scripts = network, scripts
        self._lock = threading.Lock()
        self._browser: Chromium | None = None
        self._idle: list[Tab] = []

    def render(self, address: str, answer: Ask, seconds: float) -> Snapshot:
        """The snapshot of a page; from the start again where Chromium ended meanwhile, in the time that is left."""
        end = time.monotonic() + seconds
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._attempt(address, answer, end - time.monotonic())
            except TabLostError:
                raise
            except (BrowserGoneError, BrowserRefusedError):
                if time.monotonic() > end:
                    raise
        return self._attempt(address, answer, end - time.monotonic())

    def close(self) -> None:
        """End Chromium."""
        with self._lock:
            browser, self._browser = self._browser, None
            self._idle.clear()
        if browser is not None:
            browser.close()

    def _attempt(self, address: str, answer: Ask, seconds: float) -> Snapshot:
        tab = self._take()
        try:
            snapshot = tab.render(address, answer, seconds)
        except Exception:
            tab.close()
            raise
        with self._lock:
            self._idle.append(tab)
        return snapshot

    def _take(self) -> Tab:
        """An idle tab, or a new one; Chromium is started where there is none or where it has ended."""
        with self._lock:
            if self._browser is not None and self._browser.gone:
                self._browser.close()
                self._browser = None
                self._idle.clear()
            if self._browser is None:
                self._browser = Chromium(network=self._network)
            if self._idle:
                return self._idle.pop()
            browser = self._browser
        return Tab(browser, scripts=self._scripts)


_pools: dict[tuple[int, bool, bool], Tabs] = {}
_pools_lock = threading.Lock()


def shared_tabs(*, network: bool = False, scripts: bool = False) -> Tabs:
    """The tabs of this process; they are closed when it ends."""
    key = (os.getpid(), network, scripts)
    with _pools_lock:
        if key not in _pools:
            made = _pools[key] = Tabs(network=network, scripts=scripts)
            Finalize(None, made.close, exitpriority=10)
        return _pools[key]


def _read(answer: msgspec.Raw) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(answer)
    return found
