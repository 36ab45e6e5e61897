"""Mining goes on: what is new, changed and gone, and only what changed is sent again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tabellion.mine.crawl import crawl_sites
from tabellion.mine.linking import read_history, update_history
from tabellion.mine.live import CrawlSettings, WarcFile
from tabellion.mine.things import Thing, ThingAttribute


def thing(key: str, price: str, site: str = "shop") -> Thing:
    attribute = ThingAttribute(("Price:",), price, "td", "Price", True)
    return Thing(f"{key}.html", site, "car", key.title(), key, (attribute,))


def test_new_changed_and_gone_are_told_and_values_keep_their_history(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    first = update_history(file, [thing("audi", "$1"), thing("fiat", "$2")], "2026-01-01")
    assert (first.new, first.changed, first.gone) == (("audi", "fiat"), (), ())
    second = update_history(file, [thing("audi", "$3"), thing("saab", "$4")], "2026-01-02")
    assert second.new == ("saab",)
    assert [(change.key, change.before, change.after) for change in second.changed] == [("audi", ("$1",), ("$3",))]
    assert second.gone == ("fiat",)
    editions = read_history(file)["audi"].attributes["Price"]
    assert [(each.values, each.since) for each in editions] == [(["$1"], "2026-01-01"), (["$3"], "2026-01-02")]


def test_things_of_a_site_that_was_not_read_are_not_gone(tmp_path: Path) -> None:
    file = tmp_path / "history.json"
    update_history(file, [thing("audi", "$1"), thing("fiat", "$2", "other")], "2026-01-01")
    assert update_history(file, [thing("audi", "$1")], "2026-01-02").gone == ()


class Handler(BaseHTTPRequestHandler):
    """A site of two pages, one of which says when it did not change; `map` is its sitemap, where it has one."""

    sent: list[str]
    map: bytes = b""

    def do_GET(self) -> None:
        if self.path == "/sitemap.xml" and self.map:
            return self.answer(200, self.map)
        if self.path in ("/robots.txt", "/sitemap.xml"):
            return self.answer(404)
        if self.path == "/a" and self.headers.get("If-None-Match") == '"one"':
            return self.answer(304)
        type(self).sent.append(self.path)
        return self.answer(200, b"<title>A</title><h1>A</h1><a href=/a>Next</a>", '"one"' if self.path == "/a" else "")

    def answer(self, status: int, data: bytes = b"", tag: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(data)))
        if tag:
            self.send_header("ETag", tag)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        return


@pytest.fixture
def home() -> Iterator[str]:
    Handler.sent, Handler.map = [], b""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def test_what_a_sitemap_says_is_unchanged_is_not_asked_for_and_what_it_says_is_new_is(
    home: str, tmp_path: Path
) -> None:
    settings = CrawlSettings(pause=0.0, update=True)
    crawl_sites([home], settings, tmp_path)
    old, new = "<lastmod>2020-01-01</lastmod>", "<lastmod>2020-01-02T10:00:00+00:00</lastmod>"
    entries = [f"<url><loc>{home}</loc>{old}</url>", f"<url><loc>{home}hidden</loc>{new}</url>"]
    Handler.map = f"<urlset>{''.join(entries)}</urlset>".encode()
    (crawled,) = crawl_sites([home], settings, tmp_path)
    assert Handler.sent == ["/", "/a", "/hidden"]
    assert {home, f"{home}a", f"{home}hidden"} <= set(WarcFile(crawled.path).hosts()[urlsplit(home).netloc])


def test_a_page_that_changed_after_it_was_kept_is_asked_for(home: str, tmp_path: Path) -> None:
    settings = CrawlSettings(pause=0.0, update=True)
    crawl_sites([home], settings, tmp_path)
    Handler.map = f"<urlset><url><loc>{home}</loc><lastmod>2999-01-01</lastmod></url></urlset>".encode()
    crawl_sites([home], settings, tmp_path)
    assert Handler.sent == ["/", "/a", "/"]


def test_pages_that_did_not_change_are_not_sent_again(home: str, tmp_path: Path) -> None:
    settings = CrawlSettings(pause=0.0, update=True)
    crawl_sites([home], settings, tmp_path)
    (crawled,) = crawl_sites([home], settings, tmp_path)
    assert Handler.sent == ["/", "/a", "/"]
    assert f"{home}a" in WarcFile(crawled.path)
    assert list(tmp_path.iterdir()) == [crawled.path]
