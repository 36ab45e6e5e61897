"""Pages are fetched within limits, whatever the server does."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import httpx
import pytest

from tabellion.errors import SourceMissingError, TooLargeError, UnreadableError
from tabellion.model.markup import MarkupPage
from tabellion.read import Limits, read_document
from tabellion.read.web.transport import fetch_page

ADDRESS = "https://example.org/rain"


def serve(answer: httpx.Response) -> httpx.MockTransport:
    return httpx.MockTransport(lambda request: answer)


def test_a_page_comes_with_its_final_address_and_character_set() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/rain":
            return httpx.Response(302, headers={"Location": "/new"})
        return httpx.Response(200, headers={"Content-Type": "text/html; charset=iso-8859-7"}, content=b"<p>\xc1")

    fetched = fetch_page(ADDRESS, Limits(), httpx.MockTransport(answer))
    assert (fetched.address, fetched.charset, fetched.data) == ("https://example.org/new", "iso-8859-7", b"<p>\xc1")


def test_endless_redirects_are_given_up() -> None:
    answer = httpx.Response(302, headers={"Location": "/rain"})
    with pytest.raises(UnreadableError, match="10 redirects"):
        fetch_page(ADDRESS, Limits(), serve(answer))


@pytest.mark.parametrize(
    ("status", "error"), [(404, SourceMissingError), (403, UnreadableError), (500, UnreadableError)]
)
def test_a_refusal_is_an_error_that_names_the_status(status: int, error: type[Exception]) -> None:
    with pytest.raises(error, match=str(status)):
        fetch_page(ADDRESS, Limits(), serve(httpx.Response(status)))


def test_a_page_over_the_limit_is_not_fetched_to_its_end() -> None:
    def endless() -> Iterator[bytes]:
        while True:
            yield b"x" * 1000

    with pytest.raises(TooLargeError, match=r"Limits\.bytes"):
        fetch_page(ADDRESS, Limits(bytes=10_000), serve(httpx.Response(200, content=endless())))


def test_a_server_that_drips_is_given_up() -> None:
    def drips() -> Iterator[bytes]:
        while True:
            time.sleep(0.02)
            yield b"x"

    with pytest.raises(UnreadableError, match="not fetched within"):
        fetch_page(ADDRESS, Limits(fetch_seconds=0.1), serve(httpx.Response(200, content=drips())))


@pytest.fixture
def silent_server() -> Iterator[str]:
    """A server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"


def test_a_server_that_stalls_is_given_up(silent_server: str) -> None:
    with pytest.raises(UnreadableError, match=r"did not answer in time|not fetched within 0\.3 seconds"):
        fetch_page(silent_server, Limits(fetch_seconds=0.3))


@pytest.fixture
def small_server() -> Iterator[str]:
    """A server with one page."""
    page = b"<html><table><tr><td>a</table>"

    def answer(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(4096)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(page)}\r\n\r\n"
            connection.sendall(head.encode() + page)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=answer, args=(listening,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/page"
        thread.join(5)


def test_an_address_is_a_source_like_a_file(small_server: str) -> None:
    document = read_document(small_server)
    page = document.pages[0]
    assert isinstance(page, MarkupPage)
    assert (document.source, page.address, page.cells.text.tolist()) == (small_server, small_server, ["a"])
