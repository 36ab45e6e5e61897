"""What a user can do with a library is alike at the command line, in Python, over HTTP and for an agent.

The table of it is in docs/serving.md; each of its cells names something that is there, and some are tried in all ways.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import typer
from mcp import Client

from tabellion.cli import app as commands
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.web.app import build_app
from tabellion.web.mcp import build_server

ROOT = Path(__file__).parents[2]
KEEPING = ("verify", "rebuild", "backup", "restore")
COMMANDS = typer.main.get_command(commands).commands  # type: ignore[attr-defined]
ROW = re.compile(
    r"^\| ([^|`]+) \| `tabellion ([^|]+)` \| `([^|]+)` \| `([A-Z]+ /[^|`]*)`.*? \| `(\w+)` \|$", re.MULTILINE
)


def rows() -> list[tuple[str, ...]]:
    text = (ROOT / "docs" / "serving.md").read_text(encoding="utf-8")
    return ROW.findall(text.partition("## The same in four ways")[2])


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with open_library(str(tmp_path_factory.mktemp("alike") / "shelf"), create=True) as library:
        library.add(ROOT / "examples" / "smoking.xlsx", ROOT / "examples" / "flat.csv")
        yield library


def ask_tool(library: Library, tool: str, **given: Any) -> Any:
    async def meet() -> Any:
        async with Client(build_server(library)) as client:
            answer = await client.call_tool(tool, given)
            assert not answer.is_error, answer.content
            return json.loads(answer.content[0].text)  # type: ignore[union-attr]

    return asyncio.run(meet())


def ask_http(library: Library, method: str, path: str, **given: Any) -> httpx.Response:
    async def meet() -> httpx.Response:
        transport = httpx.ASGITransport(build_app(library))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.request(method, path, **given)

    return asyncio.run(meet())


def test_everything_that_the_table_names_is_there(library: Library) -> None:
    found = rows()
    assert len(found) >= 20, "docs/serving.md: a row of the table cannot be read"
    tools = {tool.name for tool in asyncio.run(build_server(library, write=True).list_tools())}
    paths = ask_http(library, "GET", "/openapi.json").json()["paths"]
    written = _written_paths(library)
    for action, command, python, http, tool in found:
        name, *options = command.split()
        known = {option for one in COMMANDS[name].params for option in one.opts}
        assert {option for option in options if option.startswith("-")} <= known, action
        for method in re.findall(r"library\.(?:repair\([^)]*\)\.)?(\w+)", python):
            assert hasattr(Library, method) or method in python.partition("repair(")[2], action
        verb, _, path = http.partition(" ")
        assert verb.lower() in {**paths, **written}.get(path.partition("?")[0], {}), (action, http)
        assert tool in tools, (action, tool)


def _written_paths(library: Library) -> Any:
    async def meet() -> Any:
        transport = httpx.ASGITransport(build_app(library, write=True))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return (await client.get("/openapi.json")).json()["paths"]

    return asyncio.run(meet())


def test_every_command_of_the_library_stands_in_the_table_or_is_of_one_place_only() -> None:
    from tabellion.cli import COMMANDS as KNOWN

    here = {"app", "serve", "mcp", "sql", "run", "repair", "learn", "info", *KEEPING}
    of_library = {name for name, command in KNOWN.items() if command.panel == "Library"}
    assert of_library - here == {command.split()[0] for _, command, *_ in rows()} & of_library


def test_sparql_is_answered_alike(library: Library) -> None:
    query = "SELECT (count(*) AS ?n) WHERE { ?o a qb:Observation }"
    assert library.sparql(query, "csv").split() == [b"n", b"143"]
    said = ask_http(library, "POST", "/sparql", json={"query": query, "form": "csv"})
    assert (said.status_code, said.text.split()) == (200, ["n", "143"])
    assert ask_tool(library, "sparql", query=query)["answer"].split() == ["n", "143"]
    refused = ask_http(library, "POST", "/sparql", json={"query": "SELECT * { SERVICE <http://a/> { ?s ?p ?o } }"})
    assert refused.status_code == 400 and "SERVICE is not allowed" in refused.json()["detail"]


def test_a_spot_and_a_plot_are_drawn_alike(library: Library) -> None:
    from tabellion.export.chart import scene_svg

    spot = scene_svg(library.picture("smoking", "B10"))
    assert ask_http(library, "GET", "/tables/smoking/picture?address=B10").text == spot
    assert ask_tool(library, "picture", table="smoking", address="B10")["svg"] == spot
    sql = "select top_1, avg(value) as mean from smoking_tidy group by 1 order by 1"
    drawn = scene_svg(library.plot(sql, title="Means"))
    assert ask_http(library, "POST", "/plot", json={"sql": sql, "title": "Means"}).text == drawn
    assert ask_tool(library, "plot", sql=sql, title="Means")["svg"] == drawn


def test_a_table_is_exported_alike(library: Library) -> None:
    text = ask_tool(library, "export_table", table="smoking", form="turtle")["text"]
    assert ask_http(library, "GET", "/tables/smoking/export?form=turtle").text == text
    assert "qb:Observation" in text
