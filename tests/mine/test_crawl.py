"""Crawling a site on loopback: several hosts, refusals, loops, traps; and what is kept can be mined again."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tabellion.errors import MissingExtraError, SourceMissingError, TruncatedError, UnreadableError
from tabellion.mine.crawl import SiteWalk, crawl_sites, is_trap, walk_site, walk_together
from tabellion.mine.labels import stemmer
from tabellion.mine.live import CrawlSettings, FetchedPage, LiveFetcher, WarcFile, WarcWriter
from tabellion.mine.ontology import mine_sites
from tabellion.mine.sources import SavedPages, folder_site, open_sites, warc_sites

FAST = CrawlSettings(pause=0.0, seconds=1.0, bytes=100_000, retries=1)
LINKS = (
    "/a /b.html /b?page=2 /c/x?day=1#top /hidden/x /loop /missing /huge /slow /latin /picture /flaky "
    "/trap/trap/trap/trap http://other.test/x"
)


class Handler(BaseHTTPRequestHandler):
    """The pages of the test site; `seen` are the addresses that were asked for."""

    seen: list[str]
    robots = 200

    def do_GET(self) -> None:
        type(self).seen.append(self.path)
        path = self.path.rstrip("/") or "/"
        if path == "/robots.txt" and self.robots == 200:
            return self.answer(b"", 301, location="/rules")
        if path == "/robots.txt":
            return self.answer(b"", self.robots)
        if path == "/rules":
            return self.answer(b"User-agent: *\nDisallow: /hidden/", kind="text/plain")
        if path == "/calendar":
            links = "".join(f"<a href=?month={n}>Month {n}</a> " for n in range(60))
            return self.answer(links.encode())
        if path == "/wrong":
            return self.answer(
                ("<meta charset=utf-8>" + "<p>Größe" * 4).encode("latin-1"), kind="text/html; charset=utf-8"
            )
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


@pytest.fixture(params=[200])
def home(request: pytest.FixtureRequest) -> Iterator[str]:
    Handler.seen, Handler.robots = [], request.param
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def neighbours() -> Iterator[dict[str, list[str]]]:
    """Three hosts that link and lead to one another, by the address of each with what was asked of it."""
    asked: dict[str, list[str]] = {}

    class Neighbour(Handler):
        def do_GET(self) -> None:
            here = f"http://{self.headers['Host']}/"
            asked[here].append(self.path)
            if self.path == "/away":
                return self.answer(b"", 302, location=next(other for other in asked if other != here) + "stray")
            if self.path == "/robots.txt":
                return self.answer(b"", 404)
            links = "".join(f"<a href={home}stray>{home}</a>" for home in asked)
            return self.answer(f"<a href=/away>Away</a><a href=/own>Own</a>{links}".encode())

    servers = [ThreadingHTTPServer((f"127.0.0.{n}", 0), Neighbour) for n in (1, 2, 3)]
    asked.update({f"http://{server.server_address[0]}:{server.server_port}/": [] for server in servers})
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield asked
    for server in servers:
        server.shutdown()
        server.server_close()


def paths(addresses: list[str]) -> set[str]:
    return {"/" + address.split("/", 3)[3].rstrip("/") for address in addresses}


def test_a_crawl_takes_what_it_may_and_passes_over_the_rest(home: str) -> None:
    fetched = walk_site(LiveFetcher(FAST), home, FAST)
    assert paths(fetched) >= {"/", "/a", "/b.html", "/b?page=2", "/c/x?day=1", "/latin", "/flaky", "/a/deeper"}
    assert paths(fetched).isdisjoint({"/hidden/x", "/loop", "/missing", "/huge", "/slow", "/picture"})
    assert not any("trap" in path or "hidden" in path for path in Handler.seen)


def test_each_host_is_a_site_of_its_own(neighbours: dict[str, list[str]]) -> None:
    first, second, third = neighbours
    fetched = walk_site(LiveFetcher(FAST), first, FAST)
    assert paths(fetched) == {"/", "/own", "/stray"}
    assert all(address.startswith(first) for address in fetched)
    assert neighbours[second] == ["/robots.txt", "/stray"]  # where it was led to, and what it may see there
    assert neighbours[third] == []
    assert [site.name for site in open_sites([first, second, third], crawl=FAST)] == [
        home.split("/")[2] for home in neighbours
    ]


def test_a_crawl_stops_at_its_number_of_pages_and_its_depth(home: str) -> None:
    assert len(walk_site(LiveFetcher(FAST), home, CrawlSettings(pages=2, pause=0.0))) == 2
    flat = CrawlSettings(depth=1, pause=0.0, seconds=1.0, bytes=100_000, retries=0)
    assert not any("deeper" in address for address in walk_site(LiveFetcher(flat), home, flat))


def test_a_crawl_is_kept_and_gives_the_same_pages_again(home: str, tmp_path: Path) -> None:
    [live] = open_sites([home], crawl=FAST, keep=tmp_path)
    [kept] = tmp_path.iterdir()
    [again] = open_sites([str(kept)])
    assert live.sources == again.sources
    assert [live.load(source).texts for source in live.sources] == [again.load(s).texts for s in again.sources]
    latin = next(source for source in again.sources if "latin" in source)
    assert again.load(latin).texts == ["Größe"]


def test_a_page_in_another_charset_than_it_says_is_read_all_the_same(home: str, tmp_path: Path) -> None:
    [crawled] = crawl_sites([home + "wrong"], FAST, tmp_path)
    [site] = warc_sites(crawled.path)
    assert set(site.load(site.sources[0]).texts) == {"Größe"}


@pytest.mark.parametrize(("home", "allowed"), [(200, True), (404, True), (500, False)], indirect=["home"])
def test_a_host_that_cannot_say_what_it_allows_allows_nothing(home: str, allowed: bool) -> None:
    fetcher = LiveFetcher(CrawlSettings(pause=0.0, retries=0))
    assert fetcher.allows(home + "a") is allowed


def test_one_path_with_ever_new_questions_is_followed_a_few_times(home: str) -> None:
    few = CrawlSettings(pause=0.0, questions=3, depth=1)
    assert len(walk_site(LiveFetcher(few), home + "calendar", few)) == 4


def test_a_site_that_is_down_is_an_issue_and_the_others_are_mined(home: str, tmp_path: Path) -> None:
    sites = list(open_sites([home, "http://127.0.0.1:9/"], crawl=FAST, keep=tmp_path))
    ontology = mine_sites(sites)
    assert [pages > 0 for _, pages in ontology.sites] == [True, False]
    assert ["127.0.0.1:9" in issue.note for issue in ontology.issues] == [True]


NEWS = """<ul><li><a href=/sport/>Sport</a><li><a href=/world/>World</a></ul>{stories}
<p><a href=/imprint>Imprint</a> <a href=/login>Log in</a>"""


class Saved:
    """Sites of pages in memory; a fetcher of its own kind."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def fetch(self, address: str) -> FetchedPage:
        self.asked.append(address)
        parts = ["sport", "world"] if address.count("/") == 3 else [address.split("/", 3)[3].strip("/")]
        if "sport" in parts:
            parts.append("sport/tennis")
        stories = "".join(
            f"<h3><a href=/{part}/the-long-story-{n}{n}{n}{n}{n}.html>The long story of number {n}</a></h3>"
            for part in parts
            for n in range(4)
        )
        more = "<li><a href=/sport/tennis/>Tennis</a>" if "/sport/" in address else ""
        return FetchedPage(address, f"<ul>{more}</ul>{NEWS.format(stories=stories)}".encode())


def test_sites_are_walked_along_the_links_of_their_concepts_and_then_to_the_instances() -> None:
    fetcher = Saved()
    walks = [SiteWalk(fetcher, f"http://{name}.example/", CrawlSettings(pages=10)) for name in "abc"]
    walk_together(walks)
    first = paths(walks[0].fetched)
    assert {"/", "/sport", "/world", "/sport/tennis"} <= first
    assert "/sport/the-long-story-00000.html" in first
    assert len(first) == 10
    assert not any("imprint" in address or "login" in address for address in fetcher.asked)


@pytest.mark.parametrize("package", ["protego", "warcio.archiveiterator", "snowballstemmer"])
def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    stemmer.cache_clear()
    with pytest.raises(MissingExtraError, match=r"tabellion\[web\]"):
        if package == "protego":
            LiveFetcher(FAST).fetch("http://127.0.0.1:9/")
        elif package == "snowballstemmer":
            stemmer("en")
        else:
            WarcWriter(tmp_path / "kept.warc.gz")


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
            headers = (("Content-Type", "text/html"),)
            writer.write(FetchedPage(f"https://{name}.example/", f"<p>{name}".encode(), headers=headers))
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
    assert SavedPages(tmp_path).fetch("https://example.org/a").data == b"<p>a"
    with pytest.raises(SourceMissingError):
        list(open_sites([str(tmp_path / "nothing")]))
