"""Writes the tables of docs/cli.md and docs/http.md that are made from the code: commands, options, requests, tools.

In a page, a table lies between `<!-- made: NAME -->` and `<!-- end -->`; the lines between are replaced. What is around
the tables is written by hand. Run by `make figures`.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import typer

from tabellion.cli import app
from tabellion.library import open_library
from tabellion.model.methods import STEPS
from tabellion.web.app import build_app
from tabellion.web.mcp import build_server

ROOT = Path(__file__).parents[2]
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
SHARED = {
    "reading": [*STEPS, "weights", "limit", "trace"],
    "rendering": ["render", "scripts", "network", "private"],
    "library": ["library", "files"],
}
"""Options of several commands, by the section of docs/cli.md that describes them once."""


def option_rows(command: str, *, shared: bool = False) -> Iterator[list[str]]:
    """A row for each option of a command; those that a section of their own describes are named together."""
    together: dict[str, list[str]] = {}
    for one in COMMANDS[command].params:
        if one.param_type_name != "option" or one.name == "help":
            continue
        section = next((name for name, held in SHARED.items() if one.opts[0].lstrip("-") in held), None)
        if section and not shared:
            together.setdefault(section, []).append(f"`{one.opts[0]}`")
            continue
        names = [f"`{name}`" for name in (*one.opts, *one.secondary_opts)]
        metavar = "" if one.is_flag else f" {_metavar(one)}"
        default = "" if one.is_flag or one.default in (None, "", ()) or callable(one.default) else _default(one.default)
        text = re.sub(r"<(\w+)>", r"`<\1>`", one.help or "")
        yield [", ".join(names) + metavar.replace("|", " or "), text + default]
    for section, names_of in together.items():
        yield [", ".join(names_of), f"see [{section} options](#{section}-options)"]


def _metavar(option: Any) -> str:
    choices = getattr(option.type, "choices", ())
    return str(option.metavar or "|".join(getattr(each, "value", each) for each in choices) or option.type.name.upper())


def _default(value: Any) -> str:
    return f" Default: `{getattr(value, 'value', value)}`."


def command_rows() -> list[list[str]]:
    """A row for each command, by what it is for."""
    rows = []
    for name, command in COMMANDS.items():
        text = (command.help or "").splitlines()[0]
        rows.append([command.rich_help_panel, f"[`{name}`](#tabellion-{name})", text])
    return rows


def shared_rows(section: str) -> list[list[str]]:
    """The options that a section describes for all commands."""
    wanted = SHARED[section]
    found = {row[0].split("`")[1].lstrip("-"): row for row in option_rows("extract", shared=True)}
    found |= {row[0].split("`")[1].lstrip("-"): row for row in option_rows("list", shared=True)}
    return [found[name] for name in wanted if name in found]


def request_rows() -> list[list[str]]:
    """A row for each request that a server which may write answers."""
    with tempfile.TemporaryDirectory() as folder, open_library(f"{folder}/shelf", create=True) as library:
        read = {(row[0], row[1]) for row in _requests(build_app(library))}
        rows = _requests(build_app(library, write=True))
    return [
        [f"`{method} {path}`", text + ("" if (method, path) in read else " With `--write`.")] for method, path, text in rows
    ]


def _requests(served: Any) -> list[tuple[str, str, str]]:
    async def ask() -> Any:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(served), base_url="http://127.0.0.1") as client:
            return (await client.get("/openapi.json")).json()

    paths = asyncio.run(ask())["paths"]
    return [
        (method.upper(), path, call["description"].splitlines()[0])
        for path, methods in paths.items()
        for method, call in methods.items()
    ]


def tool_rows() -> list[list[str]]:
    """A row for each tool of the Model Context Protocol."""
    with tempfile.TemporaryDirectory() as folder, open_library(f"{folder}/shelf", create=True) as library:
        read = {tool.name for tool in asyncio.run(build_server(library).list_tools())}
        tools = asyncio.run(build_server(library, write=True).list_tools())
    return [
        [f"`{tool.name}`", tool.description.splitlines()[0] + ("" if tool.name in read else " With `--write`.")]
        for tool in tools
    ]


def tables() -> dict[str, str]:
    """The tables by name."""
    made = {"commands": _table(["group", "command", "what it does"], command_rows())}
    made |= {f"{name} options": _table(["option", "what it does"], shared_rows(name)) for name in SHARED}
    made |= {name: _table(["option", "what it does"], list(option_rows(name))) for name in COMMANDS}
    made["requests"] = _table(["request", "answer"], request_rows())
    made["tools"] = _table(["tool", "answer"], tool_rows())
    return made


def _table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in [head, ["---"] * len(head), *rows])


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", r"\|")


def write_pages() -> dict[str, str]:
    """The pages with their tables filled in, by path."""
    made = tables()

    def fill(text: str) -> str:
        return re.sub(
            r"<!-- made: ([\w -]+) -->\n.*?<!-- end -->",
            lambda found: f"<!-- made: {found[1]} -->\n\n{made[found[1]]}\n\n<!-- end -->",
            text,
            flags=re.DOTALL,
        )

    names = ("docs/cli.md", "docs/http.md")
    return {name: fill((ROOT / name).read_text(encoding="utf-8")) for name in names}


def main() -> None:
    for name, text in write_pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
