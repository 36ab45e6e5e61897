"""Requests that are made to do harm: values that nothing can hold, answers that nobody takes, calls that are none."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.read.web.transport import is_public
from tabellion.web import middleware, serving
from tabellion.web.app import build_app
from tabellion.web.middleware import Guard
from tabellion.web.serving import TimedProtocol, mend_line

EXAMPLES = Path(__file__).parents[2] / "examples"
HERE = "http://127.0.0.1:8765"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("hostile") / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "lakes.html")
        yield library


@pytest.fixture(scope="module")
def client(library: Library) -> TestClient:
    return TestClient(build_app(library, write=True), base_url=HERE, raise_server_exceptions=False)


@pytest.mark.parametrize(
    ("sql", "form"),
    [
        ("select 'infinity'::date", "csv"),
        ("select ['infinity'::timestamp]", "json"),
        ("select '294247-01-10'::date", "html"),
        ("select interval 1 year", "parquet"),
        ("select union_value(a := 1)", "parquet"),
    ],
)
def test_values_that_no_form_can_hold_are_refused(client: TestClient, sql: str, form: str) -> None:
    said = client.post("/query/export", json={"sql": sql, "form": form})
    assert said.status_code == 400, said.text
    assert said.json()["kind"] == "query"


@pytest.mark.parametrize(
    "column",
    [
        f"'{'b' * 9_000}'::enum('{'b' * 9_000}')",
        f"{{'{'k' * 15_000}': true}}",
        f"[map {{'a': {{'{'k' * 15_000}': true}}}}]",
        f"union_value(a := {{'{'k' * 15_000}': true}})",
    ],
)
def test_an_answer_is_counted_as_it_is_written(client: TestClient, column: str) -> None:
    sql = f"select {column} as a from range(5000)"  # noqa: S608
    said = client.post("/query", json={"sql": sql, "limit": 5_000})
    assert said.status_code == 400 and "over the limit" in said.json()["detail"]
    assert client.post("/query", json={"sql": sql, "limit": 2}).json()["more"]


def test_one_row_that_is_too_large_is_refused_before_it_is_written(client: TestClient) -> None:
    sql = f"select list({{'{'k' * 15_000}': true}}) as a from range(10000)"  # noqa: S608
    said = client.post("/query/export", json={"sql": sql, "form": "csv"})
    assert said.status_code == 400 and "one row" in said.json()["detail"]


def test_names_that_no_file_can_have_are_refused(library: Library, client: TestClient) -> None:
    library.folder.mined.mkdir()
    page = next(one for one in library.documents() if one.source.endswith(".html"))
    assert client.post(f"/documents/{page.id}/parts", json={"annotator": "ada", "starts": []}).status_code == 200
    long = "\N{GRINNING FACE}" * 60
    asked = [
        client.get(f"/documents/{page.id}/parts", params={"annotator": long}),
        client.get("/annotations/export", params={"annotator": long}),
        client.post("/tables/smoking/annotations/finished", json={"annotator": long}),
        client.get("/sites/instances", params={"name": "a" * 400}),
        client.get("/sites/page", params={"name": "a" * 400, "source": "x"}),
    ]
    assert [one.status_code for one in asked] == [400] * 5, [one.text for one in asked]


@pytest.mark.parametrize("url", ["postgresql://[::1", "postgresql://a:b/c", "postgresql://127.0.0.1:1/c?sslkey=x"])
def test_a_database_that_cannot_be_named_so_is_refused(client: TestClient, url: str) -> None:
    said = client.post("/export", json={"url": url})
    assert said.status_code == 400 and said.json()["kind"] == "library"


def test_a_database_that_does_not_answer_is_not_waited_for(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabellion.library.catalogue._ANSWERS_WITHIN", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/tables"
        said = client.post("/export", json={"url": url})
    assert said.status_code == 400 and "no answer within" in said.json()["detail"]


def test_a_failure_of_the_server_itself_is_told_without_its_inside(library: Library) -> None:
    def fail() -> Any:
        raise ArithmeticError("/secret/place")

    client = TestClient(build_app(library), base_url=HERE, raise_server_exceptions=False)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tabellion.web.service.LibraryService.queries", lambda _: fail())
        said = client.get("/queries")
    assert said.status_code == 500 and said.json()["kind"] == "defect" and "secret" not in said.text


def test_a_page_of_another_site_may_not_even_read(client: TestClient) -> None:
    assert client.get("/tables", headers={"Origin": HERE}).status_code == 200
    for origin in ("http://evil.example", "null", "http://127.0.0.1:8765.evil.example", ""):
        assert client.get("/tables", headers={"Origin": origin}).status_code == 403


def test_a_body_that_drips_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "_BODY_SECONDS", 0.05)
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(1_000):
            await receive()

    async def drip() -> Any:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"content-length", b"1000")]
    scope = {"type": "http", "method": "POST", "path": "/query", "headers": headers}
    guard = Guard(app, None, loopback=True, largest=2**20)
    with pytest.raises(Exception, match="does not come"):
        asyncio.run(guard(scope, drip, send))


class Pipe(asyncio.Transport):
    """A connection whose other end takes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting, self.ended, self.closing = 0, False, False

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def write(self, data: Any) -> None:
        self.waiting += len(data)

    def is_closing(self) -> bool:
        return self.closing

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.ended = True


def connect(waiting: int = 0) -> tuple[TimedProtocol, Pipe]:
    import uvicorn
    from uvicorn.server import ServerState

    config = uvicorn.Config(lambda: None, log_level="error")
    config.load()
    protocol, pipe = TimedProtocol(config, ServerState(), {}), Pipe()
    protocol.connection_made(pipe)
    pipe.waiting = waiting
    return protocol, pipe


def test_a_connection_that_does_not_take_its_answer_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "TAKE_SECONDS", 0.05)

    async def meet() -> None:
        stuck, slow = connect(10**6), connect(10**6)
        for protocol, _ in (stuck, slow):
            protocol.pause_writing()
        for _ in range(10):
            await asyncio.sleep(0.02)
            slow[1].waiting -= 50_000
        assert stuck[1].ended and not slow[1].ended
        closed = connect(100)
        closed[0]._close()  # too little to hold up whoever writes, but nobody takes it
        await asyncio.sleep(0.1)
        assert closed[1].ended
        for protocol, _ in (stuck, slow, closed):
            protocol.connection_lost(None)

    asyncio.run(meet())


def test_connections_leave_handles_for_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (100, 100))
    assert serving.most_connections() == 50
    monkeypatch.setattr(serving, "_CONNECTIONS", 0)

    async def meet() -> None:
        protocol, pipe = connect()
        assert pipe.closing and protocol._taking is not None
        protocol.connection_lost(None)

    asyncio.run(meet())


@pytest.mark.parametrize(
    "line",
    [
        "hello", "null", "[]", "5", '{"id": 1, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": null, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": true, "method": "ping"}',
        '{"jsonrpc": "2.0", "id": [1], "method": "ping"}',
        '{"jsonrpc": "2.0", "id": 1, "method": 5}',
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": [1]}',
        f'{{"jsonrpc": "2.0", "id": {"9" * 5_000}, "method": "ping"}}',
        f'{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"[" * 50_000}{"]" * 50_000}}}',
        f'{{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {{"a": {"[" * 400}{"]" * 400}}}}}',
    ],
)  # fmt: skip
def test_what_is_no_call_of_the_protocol_becomes_one_that_is_answered(line: str) -> None:
    (said,) = mend_line(line.encode() + b"\n").splitlines()
    assert json.loads(said)["method"] == "malformed" and isinstance(json.loads(said)["id"], str | int)


def test_calls_and_batches_of_calls_are_left_as_they_are() -> None:
    calls = [{"jsonrpc": "2.0", "id": at, "method": "ping", "params": {"a": "é"}} for at in range(3)]
    hint = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert [json.loads(one) for one in mend_line(json.dumps([*calls, hint]).encode()).splitlines()] == [*calls, hint]
    assert mend_line(b"") == b"" and mend_line(b"\n") == b"\n"


def test_an_address_that_is_translated_to_a_private_one_is_private() -> None:
    private = ("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "::127.0.0.1", "::ffff:0:10.0.0.1", "fec0::1")
    assert not any(map(is_public, private))
    assert is_public("64:ff9b::5db8:d822") and is_public("2606:2800:220:1::1")
