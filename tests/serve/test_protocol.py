"""The Model Context Protocol, spoken by the protocol's own client: in this process, and with the command itself."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.web.mcp import build_server

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("mcp") / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx", EXAMPLES / "flat.csv")
        yield library


def talk(server: Any, work: Callable[[Client], Awaitable[None]]) -> None:
    async def meet() -> None:
        async with Client(server) as client:
            await work(client)

    asyncio.run(meet())


async def ask(client: Client, tool: str, **given: Any) -> Any:
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer.content
    return json.loads(answer.content[0].text)  # type: ignore[union-attr]


async def visit(client: Client) -> None:
    """List, search, read, query."""
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"search", "list_tables", "describe_table", "read_tuples", "query", "find_joins", "cite"} <= tools
    assert {"find_series", "compare_tables", "list_queries", "run_query", "plot", "survey"} <= tools
    assert await ask(client, "list_mined") == {"sites": []}
    assert "add_documents" not in tools
    listed = await ask(client, "list_tables")
    assert [table["name"] for table in listed["tables"]].count("smoking") == 1
    found = await ask(client, "search", question="smoking white")
    assert found["hits"][0]["name"] == "smoking"
    page = await ask(client, "read_tuples", table="smoking", limit=3)
    assert page["tuples"][0]["left"] == ["Total smokers"] and page["next"]
    rows = await ask(client, "query", sql="select count(*) as n from smoking_tidy")
    assert rows["rows"] == [[95]]


def test_an_agent_lists_searches_reads_and_queries(library: Library) -> None:
    talk(build_server(library), visit)


def test_an_agent_looks_at_a_table_and_mends_it(tmp_path: Path) -> None:
    async def mend(client: Client) -> None:
        reading = await ask(client, "look_at_table", table="smoking")
        assert reading["frame"] == [3, 0, 22, 5] and reading["version"] == 0
        move = {"do": "move-header", "side": "left", "header": {"row": 7, "column": 0}, "to": {"row": 5, "column": 0}}
        told = await ask(client, "preview_corrections", table="smoking", operations=[move])
        assert any("18 to 24 years" in line for line in told["changes"])
        made = await ask(client, "correct_table", table="smoking", operations=[move], author="ada", seen=0)
        cell = await ask(client, "read_cell", table="smoking", row=7, column=1)
        assert cell["tuple"]["left"][-2] == "Male, total"
        (kept,) = made["corrections"]
        await ask(client, "find_alike", table="smoking", correction=kept["id"])
        await ask(client, "undo_corrections", document=reading["document"], corrections=[kept["id"]])
        said = await ask(client, "list_corrections", document=reading["document"])
        assert [one["operation"]["do"] for one in said["corrections"]] == ["move-header", "undo"]
        cells = await ask(client, "read_cells", table="smoking", top=7, bottom=7, left=1, right=1)
        assert cells["cells"][0]["role"] == "value"
        rows = await ask(client, "export_query", sql="select 1 as one", form="markdown")
        assert rows["text"].startswith("| one |")
        assert (await ask(client, "find_places", labels=["Georgia", "Texas", "Ohio"]))["codes"][0] == "US-GA"

    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx")
        talk(build_server(library, write=True), mend)


def test_an_agent_reads_what_was_mined_from_sites(tmp_path: Path) -> None:
    from tabellion.library.mined import add_things
    from tabellion.mine.sources import folder_site
    from tabellion.mine.things import unify_sites

    async def work(client: Client) -> None:
        (site,) = (await ask(client, "list_mined"))["sites"]
        assert (site["name"], site["instances"]) == ("dishes", 2)
        assert {each["name"] for each in site["schemas"][0]["attributes"]} >= {"Serves"}
        page = await ask(client, "read_mined", name="dishes", offset=1, limit=1)
        assert page["total"] == 2 and len(page["instances"]) == 1
        assert page["instances"][0]["source"].endswith("soup.html")
        assert (await client.call_tool("read_mined", {"name": "nothing"})).is_error

    with open_library(str(tmp_path / "shelf"), create=True) as library:
        unified = unify_sites([folder_site(EXAMPLES / "site")])
        add_things(library, unified, list(unified.things()), "dishes")
        talk(build_server(library), work)


def test_the_command_speaks_the_protocol(library: Library) -> None:
    entry = "from tabellion.cli import main; main()"
    place = str(library.folder.root)
    command = ["-c", entry, "mcp", "--library", place]
    talk(StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ)), visit)


def test_an_agent_is_told_what_is_wrong(library: Library) -> None:
    async def work(client: Client) -> None:
        for tool, given in (
            ("describe_table", {"table": "nowhere"}),
            ("query", {"sql": "drop table documents"}),
            ("query", {"sql": "select * from read_csv('/etc/passwd')"}),
            ("search", {"question": "a", "limit": 10**9}),
        ):
            answer = await client.call_tool(tool, given)
            assert answer.is_error and answer.content

    talk(build_server(library), work)


def test_an_agent_adds_documents_where_it_may(tmp_path: Path) -> None:
    async def work(client: Client) -> None:
        (added,) = await ask(client, "add_documents", sources=[str(EXAMPLES / "flat.csv")])
        assert added["status"] == "added"
        exported = await ask(client, "export_database", url=str(tmp_path / "tables.db"))
        assert (exported["written"], exported["tables"]) == (1, 1)

    with open_library(str(tmp_path / "shelf"), create=True) as library:
        talk(build_server(library, write=True), work)


def test_a_call_with_half_a_surrogate_is_answered(library: Library) -> None:
    calls = [
        ("search", r'{"question": "\ud800 smoking"}'),
        ("describe_table", r'{"table": "\udc00x"}'),
        ("query", r"""{"sql": "select '\ud83d' as a"}"""),
        (r"\ud800", "{}"),
    ]
    hello = {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        *(
            f'{{"jsonrpc": "2.0", "id": {number}, "method": "tools/call", '
            f'"params": {{"name": "{name}", "arguments": {given}}}}}'
            for number, (name, given) in enumerate(calls, 1)
        ),
    ]
    command = [sys.executable, "-c", "from tabellion.cli import main; main()", "mcp", "-l", str(library.folder.root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        process.stdin.write("\n".join(lines).encode() + b"\n")
        process.stdin.flush()
        answered = {json.loads(process.stdout.readline())["id"] for _ in range(len(calls) + 1)}
        process.kill()
    assert answered == set(range(len(calls) + 1))
