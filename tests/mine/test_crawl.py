"""Crawling a site on loopback: several hosts, refusals, loops, traps; and what is kept can be mined again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tabellion.errors import SourceMissingError, TruncatedError, UnreadableError
from tabellion.mine.crawl import CrawlSettings, LiveFetcher, crawl_site, is_trap, walk_site
from tabellion.mine.sources import folder_site, open_sites, warc_sites
from tabellion.mine.warc import WarcFile, WarcWriter

FAST = CrawlSettings(pause=0.0, seconds=1.0, bytes=100_000, retries=1)
LINKS = "/a /b /hidden/x /loop /missing /huge /slow /latin /picture /flaky /trap/trap/trap/trap http://other.test/x"


class Handler(BaseHTTPRequestHandler):
    """The pages of the test site; `seen` counts what was asked for."""

    seen: list[str]

    def do_GET(self) -> None:
        type(self).seen.append(self.path)
        path = self.path.rstrip("/") or "/"
        if path == "/robots.txt":
            return self.answer(b"User-agent: *\nDisallow: /hidden/", kind="text/plain")
        if path == "/loop":
            return self.answer(b"", 302, location="/loop2")
        if path == "/loop2":
            return self.answer(b"", 302, location="/loop")
        if path == "/moved":
            return self.answer(b"", 301, location="/a")
        if path == "/missing":
            return self.answer(b"gone", 404)
        if path == "/huge":
            return self.answer(b"<p>x" * 100_000)
        if path == "/latin":
            return self.answer("<p>Größe".encode("latin-1"), kind="text/html; charset=iso-8859-1")
        if path == "/picture":
            return self.answer(b"\x89PNG", kind="image/png")
        if path == "/flaky" and self.seen.count(self.path) == 1:
            return self.answer(b"wait", 503)
        if path == "/slow":
            threading.Event().wait(2)
            return None
        if path == "/":
            links = "".join(f"<li><a href={link}>Page {n}</a>" for n, link in enumerate(LINKS.split()))
            return self.answer(f"<ul>{links}</ul>".encode())
        return self.answer(f"<h1>{path}</h1><a href=/>Home</a><a href={path}/deeper>Deeper</a>".encode())

    def answer(self, data: bytes, status: int = 200, kind: str = "text/html", location: str | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        try:
            self.wfile.write(data)
        except (BrokenPipeError, ConnectionResetError):
            return

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def home() -> Iterator[str]:
    Handler.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


def paths(addresses: list[str]) -> set[str]:
    return {"/" + address.split("/", 3)[3].rstrip("/") for address in addresses}


def test_a_crawl_takes_what_it_may_and_passes_over_the_rest(home: str) -> None:
    fetched = walk_site(LiveFetcher(FAST), home, FAST)
    assert paths(fetched) >= {"/", "/a", "/b", "/latin", "/flaky", "/a/deeper"}
    assert paths(fetched).isdisjoint({"/hidden/x", "/loop", "/missing", "/huge", "/slow", "/picture"})
    assert not any("trap" in path or "hidden" in path for path in Handler.seen)


def test_a_crawl_stops_at_its_number_of_pages_and_its_depth(home: str) -> None:
    assert len(walk_site(LiveFetcher(FAST), home, CrawlSettings(pages=2, pause=0.0))) == 2
    flat = CrawlSettings(depth=1, pause=0.0, seconds=1.0, bytes=100_000, retries=0)
    assert not any("deeper" in address for address in walk_site(LiveFetcher(flat), home, flat))


def test_a_crawl_is_kept_and_gives_the_same_pages_again(home: str, tmp_path: Path) -> None:
    kept = crawl_site(home, FAST, tmp_path)
    [site] = warc_sites(kept)
    latin = next(source for source in site.sources if "latin" in source)
    assert site.load(latin).texts == ["Größe"]
    assert [each.sources for each in open_sites([str(kept)])] == [site.sources]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("missing", "status 404"),
        ("loop", "circle"),
        ("huge", "limit"),
        ("picture", "no web page"),
        ("hidden/x", "robots"),
    ],
)
def test_what_cannot_be_fetched_says_why_in_one_line(home: str, path: str, said: str) -> None:
    with pytest.raises(UnreadableError, match=said) as caught:
        LiveFetcher(FAST).fetch(home + path)
    assert "\n" not in str(caught.value)


def test_a_redirect_is_followed(home: str) -> None:
    assert LiveFetcher(FAST).fetch(home + "moved").address == home + "a"


def test_no_server_is_an_error_of_one_line() -> None:
    with pytest.raises(UnreadableError):
        walk_site(LiveFetcher(FAST), "http://127.0.0.1:9/", FAST)


def test_endless_addresses_are_traps() -> None:
    assert is_trap("http://example.org/" + "x" * 400)
    assert is_trap("http://example.org/c/2020/c/2021/c/2022")
    assert not is_trap("http://example.org/sport/tennis/results")


def test_warc_files_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.warc.gz"
    with WarcWriter(path) as writer:
        for name in ("a", "b"):
            writer.write(f"https://{name}.example/", 200, [("Content-Type", "text/html")], f"<p>{name}".encode())
    archive = WarcFile(path)
    assert archive.hosts() == {"a.example": ["https://a.example/"], "b.example": ["https://b.example/"]}
    assert archive.fetch("https://b.example/").data == b"<p>b"
    with pytest.raises(SourceMissingError):
        archive.fetch("https://c.example/")


def test_a_damaged_warc_file_is_an_error_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.warc"
    path.write_bytes(b"not a web archive\r\n" * 10)
    with pytest.raises(TruncatedError, match="WARC"):
        WarcFile(path)


def test_a_folder_is_a_site_with_its_addresses(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<p>home")
    (tmp_path / "a.html").write_text("<p>a")
    (tmp_path / "urls.json").write_text('{"a.html": "https://example.org/a"}')
    site = folder_site(tmp_path)
    assert [Path(source).name for source in site.sources] == ["index.html", "a.html"]
    assert site.load(site.sources[1]).address == "https://example.org/a"
    with pytest.raises(SourceMissingError):
        list(open_sites([str(tmp_path / "nothing")]))
