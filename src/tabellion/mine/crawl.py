"""Fetching the pages of a site, politely and within limits, and keeping them.

In: a home page. Out: a WARC file of the pages fetched. Links are followed on the same site only, breadth first, short
ones (which may be concepts) before headlines. robots.txt is obeyed, requests are spaced, and what is too large, too
slow, of another kind, or an endless trap of addresses is left out. Fails where pages need scripts or a login.
"""

from __future__ import annotations

import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Protocol
from urllib.parse import urldefrag, urljoin, urlsplit

import httpx
import msgspec
from protego import Protego

from tabellion.errors import TabellionError, UnreadableError
from tabellion.mine.hierarchy import segment_page
from tabellion.mine.links import read_links
from tabellion.mine.site import is_label
from tabellion.mine.warc import FetchedPage, WarcWriter, charset_of
from tabellion.read.page_tree import read_page_tree

AGENT = "tabellion"
_PAGE_TYPES = ("text/html", "application/xhtml")


class CrawlSettings(msgspec.Struct, frozen=True):
    """What a crawl of one site may cost."""

    pages: int = 30  # pages fetched of one site
    depth: int = 2  # links from the home page
    seconds: float = 20.0  # for one page
    pause: float = 1.0  # seconds between two requests, or more where robots.txt asks for it
    longest_pause: float = 10.0
    bytes: int = 10 * 2**20  # of one page
    redirects: int = 5
    retries: int = 2  # after a refusal that may pass (429, 5xx) or a broken line
    address: int = 300  # letters; longer ones are traps
    repeats: int = 2  # times that a folder may come back in one path


class Fetcher(Protocol):
    """Gives the page of an address: live, from a WARC file, or from a folder."""

    def fetch(self, address: str) -> FetchedPage:
        """The page, or a `TabellionError` that says why there is none."""
        ...


class LiveFetcher:
    """Fetches pages from the web and keeps each response."""

    def __init__(
        self, settings: CrawlSettings, writer: WarcWriter | None = None, transport: httpx.BaseTransport | None = None
    ) -> None:
        self.settings = settings
        self._writer = writer
        self._robots: dict[str, Protego] = {}
        self._last: dict[str, float] = {}
        self._client = httpx.Client(
            timeout=settings.seconds, headers={"User-Agent": f"{AGENT} (site mining)"}, transport=transport
        )

    def fetch(self, address: str) -> FetchedPage:
        """The page of an address, redirects followed on any host that allows it."""
        seen: set[str] = set()
        for _ in range(self.settings.redirects + 1):
            if address in seen:
                raise UnreadableError(f"{address}: redirects in a circle")
            seen.add(address)
            if not self.allows(address):
                raise UnreadableError(f"{address}: robots.txt forbids it")
            status, headers, data = self._request(address)
            target = headers.get("location")
            if 300 <= status < 400 and target:
                address = urljoin(address, target)
                continue
            if status != 200:
                raise UnreadableError(f"{address}: the server answered with status {status}")
            kind = headers.get("content-type", "")
            if not kind.lower().startswith(_PAGE_TYPES):
                raise UnreadableError(f"{address}: is no web page ({kind or 'of no type'})")
            if self._writer is not None:
                self._writer.write(address, status, list(headers.items()), data)
            return FetchedPage(address, data, charset_of(kind))
        raise UnreadableError(f"{address}: more than {self.settings.redirects} redirects")

    def allows(self, address: str) -> bool:
        """Whether the host's robots.txt lets us fetch an address; a host without one allows all."""
        return bool(self._rules(address).can_fetch(address, AGENT))

    def _rules(self, address: str) -> Protego:
        parts = urlsplit(address)
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            text = ""
            try:
                status, _, data = self._request(f"{origin}/robots.txt")
                if status == 200:
                    text = data.decode("utf-8", "replace")
                elif status >= 500:
                    text = "User-agent: *\\nDisallow: /"
            except TabellionError:
                text = ""
            self._robots[origin] = Protego.parse(text)
        return self._robots[origin]

    def _request(self, address: str) -> tuple[int, httpx.Headers, bytes]:
        """One answer, asked for again after a refusal that may pass."""
        for attempt in range(self.settings.retries + 1):
            last = attempt == self.settings.retries
            self._wait(address)
            try:
                status, headers, data = self._stream(address)
            except (httpx.TransportError, httpx.InvalidURL) as error:
                if last or isinstance(error, (httpx.InvalidURL, httpx.TimeoutException)):
                    raise UnreadableError(f"{address}: cannot be fetched ({error or type(error).__name__})") from error
                continue
            if (status != 429 and status < 500) or last:
                return status, headers, data
        raise UnreadableError(f"{address}: cannot be fetched")

    def _stream(self, address: str) -> tuple[int, httpx.Headers, bytes]:
        end = time.monotonic() + self.settings.seconds
        with self._client.stream("GET", address) as response:
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > self.settings.bytes:
                    raise UnreadableError(f"{address}: over the limit of {self.settings.bytes:,} bytes")
                if time.monotonic() > end:
                    raise UnreadableError(f"{address}: not fetched within {self.settings.seconds:g} seconds")
            return response.status_code, response.headers, bytes(data)

    def _wait(self, address: str) -> None:
        """Keep the pause that the settings and the host's robots.txt ask for."""
        parts = urlsplit(address)
        rules = self._robots.get(f"{parts.scheme}://{parts.netloc}")
        asked = rules.crawl_delay(AGENT) if rules is not None else None
        pause = min(max(self.settings.pause, asked or 0.0), self.settings.longest_pause)
        due = self._last.get(parts.netloc, -1e9) + pause - time.monotonic()
        if due > 0:
            time.sleep(due)
        self._last[parts.netloc] = time.monotonic()


def crawl_site(home: str, settings: CrawlSettings = CrawlSettings(), keep: Path | None = None) -> Path:
    """Fetch a site from its home page on and keep it; gives the WARC file."""
    host = urlsplit(home).netloc.replace(":", "-") or "site"
    folder = keep or Path(tempfile.mkdtemp(prefix="tabellion-"))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{host}.warc.gz"
    with WarcWriter(path) as writer:
        fetched = walk_site(LiveFetcher(settings, writer), home, settings)
    if not fetched:
        raise UnreadableError(f"{home}: no page could be fetched")
    return path


def walk_site(fetcher: Fetcher, home: str, settings: CrawlSettings = CrawlSettings()) -> list[str]:
    """Follow the links of a site breadth first; gives the addresses that were fetched."""
    site = urlsplit(home).netloc.lower().removeprefix("www.")
    waiting: deque[tuple[str, int]] = deque([(home, 0)])
    seen = {_bare(home)}
    fetched: list[str] = []
    tried = 0
    while waiting and len(fetched) < settings.pages and tried < 3 * settings.pages:
        address, depth = waiting.popleft()
        tried += 1
        try:
            page = fetcher.fetch(address)
            tree = read_page_tree(page.data, page.charset, page.address)
        except TabellionError:
            if not fetched and depth == 0:
                raise
            continue
        if urlsplit(page.address).netloc.lower().removeprefix("www.") != site and depth:
            continue
        seen.add(_bare(page.address))
        fetched.append(page.address)
        if depth < settings.depth:
            links = sorted(read_links(segment_page(tree), page.address), key=lambda link: not is_label(link.text))
            for link in links:
                target = urljoin(page.address, f"{urlsplit(page.address).scheme}://{link.host}{link.path}/")
                if link.host == site and _bare(target) not in seen and not is_trap(target, settings):
                    seen.add(_bare(target))
                    waiting.append((target, depth + 1))
    return fetched


def is_trap(address: str, settings: CrawlSettings = CrawlSettings()) -> bool:
    """Whether an address looks made without end: very long, or with one folder again and again.

    >>> is_trap("http://example.org/a/b/a/b/a/b"), is_trap("http://example.org/sport/tennis")
    (True, False)
    """
    folders = [folder for folder in urlsplit(address).path.split("/") if folder]
    repeated = max((folders.count(folder) for folder in folders), default=0)
    return len(address) > settings.address or repeated > settings.repeats


def _bare(address: str) -> str:
    return urldefrag(address)[0].rstrip("/").removeprefix("https://").removeprefix("http://").removeprefix("www.")
