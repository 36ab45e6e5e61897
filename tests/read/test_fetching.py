"""Fetching: an end that holds however slowly bytes come, and no way to this computer where there must be none."""

from __future__ import annotations

import http.server
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import tabellion
from tabellion.errors import UnreadableError
from tabellion.library import open_library
from tabellion.mine.crawl import crawl_sites
from tabellion.mine.live import CrawlSettings, LiveFetcher
from tabellion.read.limits import Limits
from tabellion.read.web import transport
from tabellion.read.web.transport import fetch_page

PAGE = b"<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>"


@pytest.fixture
def dripping() -> Iterator[Callable[[bytes, bytes], str]]:
    """A server that sends something at once and something else again and again."""
    held: list[socket.socket] = []

    def serve(first: bytes, then: bytes) -> str:
        server = socket.create_server(("127.0.0.1", 0))
        held.append(server)

        def answer() -> None:
            connection, _ = server.accept()
            held.append(connection)
            try:
                connection.sendall(first)
                while True:
                    connection.sendall(then)
                    time.sleep(0.05)
            except OSError:
                return

        threading.Thread(target=answer, daemon=True).start()
        return f"http://127.0.0.1:{server.getsockname()[1]}/"

    yield serve
    for one in held:
        one.close()


@pytest.fixture
def site() -> Iterator[str]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302 if self.path == "/away" else 200)
            if self.path == "/away":
                self.send_header("Location", f"http://private.test:{server.server_address[1]}/page")
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(PAGE)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.mark.parametrize(
    ("first", "then"),
    [(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"), (b"HTTP/1.1 200 OK\r\n\r\n", b"x"), (b"", b"")],
    ids=["head", "body", "nothing"],
)
def test_what_drips_in_ends_at_its_time(dripping: Callable[[bytes, bytes], str], first: bytes, then: bytes) -> None:
    with pytest.raises(UnreadableError, match=r"not fetched within 1 seconds"):
        fetch_page(dripping(first, then), Limits(fetch_seconds=1.0))


def test_a_crawl_ends_what_drips_in_too(dripping: Callable[[bytes, bytes], str]) -> None:
    fetcher = LiveFetcher(CrawlSettings(seconds=1.0, retries=0, pause=0))
    with pytest.raises(UnreadableError):
        fetcher._request(dripping(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"))


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1", "0.0.0.0"])  # noqa: S104
def test_private_addresses_are_refused_where_they_are_not_allowed(address: str) -> None:
    with pytest.raises(UnreadableError, match="this computer or its network"):
        tabellion.extract(f"http://{address}:9/", private=False)


def test_a_redirect_to_a_private_address_is_refused(site: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The site counts as public; the name that it redirects to is of this computer."""
    real, port = socket.getaddrinfo, site.rpartition(":")[2]
    known = {"public.test": "127.0.0.1", "private.test": "127.0.0.2"}
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: real(known.get(host, host), *rest, **more))
    monkeypatch.setattr(transport, "is_public", lambda address: address == "127.0.0.1")
    assert fetch_page(f"http://public.test:{port}/page", Limits(), private=False).data == PAGE
    with pytest.raises(UnreadableError, match=r"private\.test: is an address of this computer"):
        fetch_page(f"http://public.test:{port}/away", Limits(), private=False)


def test_a_library_that_serves_fetches_nothing_private(site: str, tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        assert library.add(f"{site}/page")[0].status == "added"
        library.private = False
        with pytest.raises(UnreadableError, match="this computer or its network"):
            library.add(f"{site}/other")


def test_a_host_that_cannot_be_reached_is_not_said_to_forbid(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/"
    (crawled,) = crawl_sites([address], CrawlSettings(retries=0, pause=0), tmp_path)
    assert "robots.txt forbids" not in str(crawled.error) and "cannot be fetched" in str(crawled.error)
    (crawled,) = crawl_sites([address], CrawlSettings(retries=0, pause=0, private=False), tmp_path)
    assert "this computer or its network" in str(crawled.error)


def test_an_address_may_be_written_in_capitals(site: str) -> None:
    assert tabellion.extract(site.replace("http", "HTTP") + "/page")
