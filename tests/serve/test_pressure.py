"""The server under pressure, and who may write to it: a real server, and a real browser that comes from elsewhere."""

from __future__ import annotations

import http.server
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest
import uvicorn
from starlette.testclient import TestClient

from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.web import middleware, serving
from tabellion.web.app import build_app
from tabellion.web.middleware import _LONGEST, _ROOM, Memory

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"
SLOW = {"sql": "select count(*) from range(100000000) a, range(1000) b where a.range % 7 = b.range % 5", "limit": 1}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("pressure") / "shelf")
    with open_library(place, create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx")
    return place


@pytest.fixture
def library(shelf: str) -> Iterator[Library]:
    with open_library(shelf) as library:
        yield library


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


@pytest.fixture
def server(shelf: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A server that may be written to, as a process of its own, and its address."""
    port = free_port()
    code = f"import sys; sys.argv[1:] = ['serve', '-l', {shelf!r}, '--port', '{port}', '--write']"
    with subprocess.Popen([sys.executable, "-c", f"{code}; from tabellion.cli import main; main()"]) as process:
        address = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                httpx.get(f"{address}/documents", timeout=30)
                break
            except httpx.TransportError:
                time.sleep(0.1)
        try:
            yield process, address
        finally:
            process.kill()


def test_slow_queries_stop_no_other_answer_and_the_end_comes_soon(
    server: tuple[subprocess.Popen[bytes], str],
) -> None:
    process, address = server
    with ThreadPoolExecutor(45) as pool:
        asked = [pool.submit(_post, f"{address}/query", SLOW) for _ in range(45)]
        until = time.monotonic() + 20
        while sum(one.done() for one in asked) < 27 and time.monotonic() < until:
            time.sleep(0.1)
        refused = [one.result() for one in asked if one.done()]
        assert {one.status_code for one in refused if one is not None} == {503}
        assert len(refused) == 27  # two run and sixteen wait
        assert all(one is not None and int(one.headers["retry-after"]) > 0 for one in refused)
        assert httpx.get(f"{address}/tables/smoking", timeout=60).status_code == 200
        assert httpx.get(f"{address}/search", params={"q": "smoking"}, timeout=60).status_code == 200
        assert not all(one.done() for one in asked)  # they were answered while the slow ones still ran
        process.send_signal(signal.SIGTERM)
        process.wait(60)


def _post(address: str, body: dict[str, object]) -> httpx.Response | None:
    try:
        return httpx.post(address, json=body, timeout=60)
    except httpx.TransportError:
        return None


def test_a_connection_that_keeps_its_request_back_is_closed(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "HEAD_SECONDS", 0.5)
    port = free_port()
    config = uvicorn.Config(build_app(library), port=port, http=serving.TimedProtocol, log_level="error", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + 20
        while not server.started and time.monotonic() < until:
            time.sleep(0.05)
        for begun in (b"", b"GET /tables HTTP/1.1\r\nHost: 127"):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as half:
                half.sendall(begun)
                assert half.recv(100) == b""
        whole = b"GET /tables HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port), timeout=20) as half:
            half.sendall(whole)
            assert half.recv(12) == b"HTTP/1.1 200"
            half.sendall(whole[:20])  # the second request of a connection, begun and not ended
            while half.recv(65_536):
                pass
    finally:
        server.should_exit = True
        thread.join(20)


def test_the_memory_of_answers_counts_their_addresses() -> None:
    async def app(scope: object, receive: object, send: object) -> None:
        raise AssertionError

    memory = Memory(app, lambda: 0)  # type: ignore[arg-type]
    for number in range(40_000):
        memory._remember((0, b"%04000d" % number), ([], b"x"))
    assert len(memory._held) * 4_000 < _ROOM
    memory._remember((0, b"x" * (_LONGEST + 1)), ([], b"x"))
    assert (0, b"x" * (_LONGEST + 1)) not in memory._held


def test_wrong_tokens_are_slowed_down_and_the_right_one_is_not(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "_MOST_WAITING", 1.2)
    monkeypatch.setattr(middleware, "time", SimpleNamespace(monotonic=lambda: 100.0))  # all ask at one moment
    client = TestClient(build_app(library, token="right", loopback=False), base_url="http://example.org")  # noqa: S106
    with ThreadPoolExecutor(8) as pool:
        begun = time.monotonic()
        wrong = {"Authorization": "Bearer wrong"}
        said = list(pool.map(lambda _: client.get("/tables", headers=wrong).status_code, range(8)))
        assert sorted(said) == [401, 401] + [429] * 6
        assert time.monotonic() - begun > 0.4
    known = {"Authorization": "Bearer right"}
    assert client.get("/tables", headers=known).status_code == 200
    assert client.get("/session", headers=known).status_code == 200
    assert client.get("/session").status_code == 401  # what one client is told is not remembered for another


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "application/octet-stream"}, 200),
        ({"Content-Type": "application/octet-stream", "Origin": HERE}, 200),
        ({"Content-Type": "application/octet-stream", "Sec-Fetch-Site": "same-origin"}, 200),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
        ({"Content-Type": ""}, 415),
        ({"Content-Type": "application/octet-stream", "Origin": "http://evil.example"}, 403),
        ({"Content-Type": "application/octet-stream", "Origin": "http://127.0.0.1:8000"}, 403),
        ({"Content-Type": "application/octet-stream", "Origin": "null"}, 403),
        ({"Content-Type": "application/octet-stream", "Sec-Fetch-Site": "cross-site"}, 403),
        ({"Content-Type": "application/octet-stream", "Sec-Fetch-Site": "same-site"}, 403),
        ({"Content-Type": "application/octet-stream", "Host": "localhost:evil.com"}, 400),
        ({"Content-Type": "application/octet-stream", "Host": "evil.example:8765"}, 400),
    ],
)
def test_only_who_means_to_may_write(library: Library, headers: dict[str, str], status: int) -> None:
    client = TestClient(build_app(library, write=True), base_url=HERE)
    sent = client.post("/documents", params={"name": "a.csv"}, content=b"a,b\nx,1\ny,2\n", headers=headers)
    assert sent.status_code == status, sent.text
    foreign = {name: value for name, value in headers.items() if name in ("Origin", "Sec-Fetch-Site", "Host")}
    gone = client.delete("/documents/nothing", headers=foreign)
    assert gone.status_code == (404 if status in (200, 415) else status)


def test_a_page_of_another_site_gets_no_answer_but_a_link_does(library: Library) -> None:
    client = TestClient(build_app(library), base_url=HERE)
    site = {"Sec-Fetch-Site": "cross-site"}
    assert client.get("/tables", headers=site | {"Sec-Fetch-Mode": "no-cors"}).status_code == 403
    assert client.get("/tables", headers=site | {"Sec-Fetch-Mode": "navigate"}).status_code == 200


_ATTACK = """<html><body><pre id=said></pre><script>
const asks = [
  ["POST", "/documents?name=evil.csv", "text/plain"],
  ["POST", "/documents?name=evil.csv", "application/octet-stream"],
  ["DELETE", "/documents/%s", undefined],
];
(async () => {
  for (const [method, path, type] of asks) for (const mode of ["no-cors", "cors"]) {
    try { await fetch("%s" + path, {method, mode, headers: type ? {"Content-Type": type} : {},
                                    body: method == "POST" ? "a,b\\nx,1\\ny,2\\n" : undefined}); } catch (error) {}
  }
  for (const name of ["evil.csv"]) { const form = document.createElement("form"); form.method = "POST";
    form.action = "%s/documents?name=" + name; form.enctype = "text/plain"; form.target = "frame";
    const field = document.createElement("input"); field.name = "a,b\\nx,1\\ny,2\\n"; form.append(field);
    const frame = document.createElement("iframe"); frame.name = "frame"; document.body.append(frame, form);
    form.submit(); }
  await new Promise(done => setTimeout(done, 500));
  document.getElementById("said").textContent = "tried all";
})();
</script></body></html>"""


def test_a_browser_that_is_led_here_from_another_site_changes_nothing(
    chromium: str, server: tuple[subprocess.Popen[bytes], str], tmp_path: Path
) -> None:
    address = server[1]
    before = httpx.get(f"{address}/documents").json()["documents"]
    page = (_ATTACK % (before[0]["id"], address, address)).encode()

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        root = ["--no-sandbox"] if os.geteuid() == 0 else []
        seen = subprocess.run(
            [chromium, "--headless", *root, "--disable-gpu", f"--user-data-dir={tmp_path}", "--timeout=20000",
             "--virtual-time-budget=8000", "--dump-dom", f"http://localhost:{site.server_address[1]}/"],
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
        site.shutdown()
    assert b"tried all" in seen.stdout, seen.stderr[-2_000:]
    assert httpx.get(f"{address}/documents").json()["documents"] == before
