"""Pages from the web, politely and within limits, and the WARC files (ISO 28500) in which every crawl can be repeated.

Fetching. In: an address. Out: its page, kept as a WARC record where a writer is given. robots.txt is obeyed, requests
to one host are spaced, and what is too large, too slow or of another kind is an error of one line. Where an earlier
crawl is known, a page is asked for only if it changed: by the site's sitemap without any request, else by ETag or
Last-Modified. Fails where pages need scripts or a login.

WARC files. In and out: addresses with the bytes and headers a server gave. Reading goes through the file once and keeps
where each page begins; a damaged end of a file is left out. Records other than responses are passed over.
"""

from __future__ import annotations

import io
import re
import time
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urljoin, urlsplit

import httpx
import msgspec

from tabellion.errors import MissingExtraError, SourceMissingError, TabellionError, TruncatedError, UnreadableError
from tabellion.read.limits import DEFAULT
from tabellion.read.sniff import unpack_gzip
from tabellion.read.web.addresses import take_apart
from tabellion.read.web.transport import TimedTransport

if TYPE_CHECKING:
    from protego import Protego


PAGE_TYPES = ("text/html", "application/xhtml")


class FetchedPage(msgspec.Struct, frozen=True):
    """A page as a server gave it."""

    address: str
    data: bytes
    charset: str | None = None
    headers: tuple[tuple[str, str], ...] = ()


class WarcFile:
    """The pages of a WARC file by address."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, int] = {}
        self._dates: dict[str, str] = {}
        self._warcio = _load_warcio()
        try:
            with path.open("rb") as file:
                self._index(file)
        except self._warcio.exceptions.ArchiveLoadFailed as error:
            if not self._places:
                raise TruncatedError(f"{path}: is no WARC file or is damaged ({error})") from error

    def _index(self, file: BinaryIO) -> None:
        records = self._warcio.archiveiterator.ArchiveIterator(file)
        for record in records:
            if record.rec_type == "response" and record.http_headers is not None:
                kind = record.http_headers.get_header("Content-Type") or ""
                status = record.http_headers.get_statuscode()
                if status == "200" and kind.lower().startswith(PAGE_TYPES):
                    address = record.rec_headers.get_header("WARC-Target-URI").strip("<>")
                    self._places.setdefault(address, records.get_record_offset())
                    self._dates.setdefault(address, record.rec_headers.get_header("WARC-Date") or "")

    def hosts(self) -> dict[str, list[str]]:
        """The addresses of the pages by host, without `www`."""
        found: dict[str, list[str]] = {}
        for address in self._places:
            found.setdefault(take_apart(address).netloc.lower().removeprefix("www."), []).append(address)
        return found

    def kept(self, address: str) -> str:
        """When a page was kept, as the file says it; empty where it does not."""
        return self._dates.get(address, "")

    def __contains__(self, address: str) -> bool:
        return address in self._places

    def fetch(self, address: str) -> FetchedPage:
        """The page of an address."""
        if address not in self._places:
            raise SourceMissingError(f"{address}: not in {self.path}")
        with self.path.open("rb") as file:
            file.seek(self._places[address])
            record = next(iter(self._warcio.archiveiterator.ArchiveIterator(file)))
            kind = record.http_headers.get_header("Content-Type") or ""
            headers = tuple((name, value) for name, value in record.http_headers.headers)
            return FetchedPage(address, record.content_stream().read(), charset_of(kind), headers)


class WarcWriter:
    """Writes responses to a WARC file as they come."""

    def __init__(self, path: Path) -> None:
        self._warcio = _load_warcio()
        self._file = path.open("wb")
        self._writer = self._warcio.warcwriter.WARCWriter(self._file, gzip=path.suffix == ".gz")

    def write(self, page: FetchedPage) -> None:
        """Keep one page; its data is the body as decoded, so what says how it was packed is left out."""
        packing = ("content-encoding", "transfer-encoding")
        told = [(name, value) for name, value in page.headers if name.lower() not in packing]
        response = self._warcio.statusandheaders.StatusAndHeaders("200 OK", told, protocol="HTTP/1.1")
        record = self._writer.create_warc_record(
            page.address, "response", payload=io.BytesIO(page.data), http_headers=response
        )
        self._writer.write_record(record)
        self._file.flush()

    def __enter__(self) -> WarcWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def charset_of(content_type: str) -> str | None:
    """The character set that a content type names.

    >>> charset_of("text/html; charset=ISO-8859-1")
    'ISO-8859-1'
    """
    for part in content_type.split(";")[1:]:
        name, _, value = part.partition("=")
        if name.strip().lower() == "charset" and value.strip():
            return value.strip().strip("\"'")
    return None


def _load_warcio() -> Any:
    try:
        import warcio.archiveiterator
        import warcio.exceptions
        import warcio.statusandheaders
        import warcio.warcwriter
    except ModuleNotFoundError as error:
        raise MissingExtraError("WARC files need warcio: pip install 'tabellion[web]'") from error
    return warcio


AGENT = "tabellion"
_SITEMAPS = 20  # files of a site's map that are read
_ENTRY = re.compile(r"<(url|sitemap)\b[^>]*>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<(loc|lastmod)\b[^>]*>\s*(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?\s*</\1>", re.DOTALL | re.IGNORECASE)
_NOTHING = "User-agent: *\nDisallow: /"  # what a host allows that cannot say what it allows (RFC 9309, 2.3.1.4)


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
    private: bool = True  # addresses of this computer and of its own network may be fetched
    update: bool = False  # of pages kept before, ask only for those that changed
    wanted: tuple[str, ...] = ()  # pages that are fetched of their sites whatever leads there
    questions: int = 20  # addresses of one path that differ in what stands after the question mark alone


class LiveFetcher:
    """Fetches pages from the web and keeps each response."""

    def __init__(
        self, settings: CrawlSettings, transport: httpx.BaseTransport | None = None, known: WarcFile | None = None
    ) -> None:
        self.settings = settings
        self._known = known  # pages of an earlier crawl
        self._robots: dict[str, Protego] = {}
        self._due: dict[str, float] = {}  # host -> when it may be asked again
        self._timed = TimedTransport(private=settings.private) if transport is None else None
        self._unreachable: dict[str, str] = {}  # origin -> why
        self._changed: dict[str, str] = {}  # address -> when it changed last, as the site's map says
        self._client = httpx.Client(
            timeout=settings.seconds,
            headers={"User-Agent": f"{AGENT} (site mining)"},
            transport=transport or self._timed,
        )

    def fetch(self, address: str) -> FetchedPage:
        """The page of an address, redirects followed on any host that allows it."""
        if self._known is not None and self._is_kept(address):
            return self._known.fetch(address)
        address, status, headers, data = self._follow(address, asking=True)
        if status == httpx.codes.NOT_MODIFIED and self._known is not None and address in self._known:
            return self._known.fetch(address)
        if status != 200:
            raise UnreadableError(f"{address}: the server answered with status {status}")
        kind = headers.get("content-type", "")
        if not kind.lower().startswith(PAGE_TYPES):
            raise UnreadableError(f"{address}: is no web page ({kind or 'of no type'})")
        return FetchedPage(address, data, charset_of(kind), tuple(headers.items()))

    def list_changes(self, home: str) -> list[str]:
        """The addresses that a site's map says are new or changed since the earlier crawl, the latest first.

        The map is what robots.txt names, else `/sitemap.xml`; without one nothing is listed.
        """
        waiting = list(self._rules(home).sitemaps) or [f"{_origin(home)}/sitemap.xml"]
        for _ in range(_SITEMAPS):
            if not waiting:
                break
            try:
                _, status, _, data = self._follow(waiting.pop(0), asking=True)
                pages, further = read_sitemap(unpack_gzip(data, DEFAULT)) if status == httpx.codes.OK else ({}, [])
            except TabellionError:
                continue
            self._changed |= pages
            waiting += further
        fresh = [address for address in self._changed if not self._is_kept(address)]
        return sorted(fresh, key=lambda address: self._changed[address], reverse=True)

    def _is_kept(self, address: str) -> bool:
        """Whether the earlier crawl has a page as it is now, by what the site's map says."""
        if self._known is None or address not in self._known:
            return False
        changed, kept = moment(self._changed.get(address, "")), moment(self._known.kept(address))
        return changed is not None and kept is not None and changed < kept

    def allows(self, address: str) -> bool:
        """Whether the host's robots.txt lets us fetch an address; a host without one allows all."""
        return bool(self._rules(address).can_fetch(address, AGENT))

    def _follow(self, address: str, *, asking: bool) -> tuple[str, int, httpx.Headers, bytes]:
        """The answer at the end of redirects; `asking`: each host's robots.txt is asked first."""
        seen: set[str] = set()
        for _ in range(self.settings.redirects + 1):
            if address in seen:
                raise UnreadableError(f"{address}: redirects in a circle")
            seen.add(address)
            if not address.startswith(("http://", "https://")):
                raise UnreadableError(f"{address}: is no address on the web")
            if asking and not self.allows(address):
                if why := self._unreachable.get(_origin(address)):
                    raise UnreadableError(f"{address}: cannot be fetched ({why})")
                raise UnreadableError(f"{address}: robots.txt forbids it")
            status, headers, data = self._request(address)
            target = headers.get("location")
            if not (300 <= status < 400 and target):
                return address, status, headers, data
            try:
                address = urljoin(address, target)
            except ValueError:
                raise UnreadableError(f"{address}: redirects to no address ({target[:80]})") from None
        raise UnreadableError(f"{address}: more than {self.settings.redirects} redirects")

    def _rules(self, address: str) -> Protego:
        try:
            from protego import Protego
        except ModuleNotFoundError as error:
            raise MissingExtraError("fetching from the web needs protego: pip install 'tabellion[web]'") from error
        origin = _origin(address)
        if origin not in self._robots:
            try:
                _, status, _, data = self._follow(f"{origin}/robots.txt", asking=False)
                text = data.decode("utf-8", "replace") if status == 200 else _NOTHING if status >= 500 else ""
            except TabellionError as error:
                text = _NOTHING
                self._unreachable[origin] = str(error)
            self._robots[origin] = Protego.parse(text)
        return self._robots[origin]

    def _request(self, address: str) -> tuple[int, httpx.Headers, bytes]:
        """One answer, asked for again after a refusal that may pass."""
        for attempt in range(self.settings.retries + 1):
            last = attempt == self.settings.retries
            self._wait(address)
            try:
                status, headers, data = self._stream(address)
            except (httpx.TransportError, httpx.InvalidURL, httpx.DecodingError) as error:
                if last or not isinstance(error, httpx.TransportError) or isinstance(error, httpx.TimeoutException):
                    raise UnreadableError(f"{address}: cannot be fetched ({error or type(error).__name__})") from error
                continue
            if (status != 429 and status < 500) or last:
                return status, headers, data
            later = headers.get("retry-after", "")
            self._due[urlsplit(address).netloc] += min(
                int(later) if later.isdecimal() else 0, self.settings.longest_pause
            )
        raise UnreadableError(f"{address}: cannot be fetched")

    def _stream(self, address: str) -> tuple[int, httpx.Headers, bytes]:
        end = time.monotonic() + self.settings.seconds
        if self._timed is not None:
            self._timed.start(self.settings.seconds)
        with self._client.stream("GET", address, headers=self._conditions(address)) as response:
            data = bytearray()
            for chunk in response.iter_bytes():
                data += chunk
                if len(data) > self.settings.bytes:
                    raise UnreadableError(f"{address}: over the limit of {self.settings.bytes:,} bytes")
                if time.monotonic() > end:
                    raise UnreadableError(f"{address}: not fetched within {self.settings.seconds:g} seconds")
            return response.status_code, response.headers, bytes(data)

    def _conditions(self, address: str) -> dict[str, str]:
        """What asks for a page only if it changed since it was kept: its ETag, else when it was last modified."""
        if self._known is None or address not in self._known:
            return {}
        told = {name.lower(): value for name, value in self._known.fetch(address).headers}
        asked = {"If-None-Match": told.get("etag"), "If-Modified-Since": told.get("last-modified")}
        return {name: value for name, value in asked.items() if value}

    def _wait(self, address: str) -> None:
        """Keep the pause that the settings and the host's robots.txt ask for."""
        host = urlsplit(address).netloc
        rules = self._robots.get(_origin(address))
        asked = rules.crawl_delay(AGENT) if rules is not None else None
        now = time.monotonic()
        if self._due.get(host, now) > now:
            time.sleep(self._due[host] - now)
        self._due[host] = time.monotonic() + min(max(self.settings.pause, asked or 0.0), self.settings.longest_pause)


def read_sitemap(data: bytes) -> tuple[dict[str, str], list[str]]:
    """The pages of a sitemap with the day or moment of their last change ("" where it says none), and further maps.

    >>> read_sitemap(b"<urlset><url><loc>http://a.org/b</loc><lastmod>2026-01-02</lastmod></url></urlset>")
    ({'http://a.org/b': '2026-01-02'}, [])
    """
    pages: dict[str, str] = {}
    further: list[str] = []
    for kind, entry in _ENTRY.findall(data.decode("utf-8", "replace")):
        told = {name.lower(): unescape(text.strip()) for name, text in _FIELD.findall(entry)}
        if not told.get("loc"):
            continue
        if kind.lower() == "sitemap":
            further.append(told["loc"])
        else:
            pages[told["loc"]] = told.get("lastmod", "")
    return pages, further


def moment(said: str) -> datetime | None:
    """A moment as sitemaps and WARC files write it; a day alone counts to its end; None where it is neither.

    >>> moment("2026-01-02"), moment("2026-01-02T03:04:05Z") < moment("2026-01-02")
    (datetime.datetime(2026, 1, 3, 0, 0, tzinfo=datetime.timezone.utc), True)
    """
    try:
        found = datetime.fromisoformat(said)
    except ValueError:
        return None
    if len(said) <= len("2026-01-02"):
        found += timedelta(days=1)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
