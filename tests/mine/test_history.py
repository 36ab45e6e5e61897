"""Mining goes on: what is new, changed and gone, and only what changed is sent again."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tabellion.mine.crawl import crawl_sites
from tabellion.mine.history import read_history, update_history
from tabellion.mine.live import CrawlSettings
from tabellion.mine.things import Thing, ThingAttribute
from tabellion.mine.warc import WarcFile


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
    """A site of two pages, one of which says when it did not change."""

    sent: list[str]

    def do_GET(self) -> None:
        if self.path == "/robots.txt":
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


def test_pages_that_did_not_change_are_not_sent_again(tmp_path: Path) -> None:
    Handler.sent = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{server.server_port}/"
    try:
        settings = CrawlSettings(pause=0.0, update=True)
        crawl_sites([home], settings, tmp_path)
        (crawled,) = crawl_sites([home], settings, tmp_path)
    finally:
        server.shutdown()
        server.server_close()
    assert Handler.sent == ["/", "/a", "/"]
    assert f"{home}a" in WarcFile(crawled.path)
    assert list(tmp_path.iterdir()) == [crawled.path]
