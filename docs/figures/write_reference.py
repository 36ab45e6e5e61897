"""Writes the lists of docs/cli.md and docs/http.md that are made from the code: commands, options, requests.

In a page, a list is between `<!-- made: NAME -->` and `<!-- end -->`; the lines between are replaced. What is around
the lists is written by hand. Run by `make figures`.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import httpx
import typer

from tabellion.cli import app
from tabellion.library import open_library
from tabellion.model.methods import STEPS
from tabellion.web.app import build_app

ROOT = Path(__file__).parents[2]
COMMANDS: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
SHARED = {
    "reading": [*STEPS, "weights", "limit", "trace"],
    "rendering": ["render", "scripts", "network", "private"],
    "library": ["library", "files"],
}
"""Options of several commands, by the section of docs/cli.md that describes them once."""


def option_rows(command: str, *, shared: bool = False) -> Iterator[tuple[str, str]]:
    """The options of a command with what they do; those that a section of their own describes are named together."""
    sections = []
    for one in COMMANDS[command].params:
        if one.param_type_name != "option" or one.name == "help":
            continue
        section = next((name for name, held in SHARED.items() if one.opts[0].lstrip("-") in held), None)
        if section and not shared:
            sections.append(section)
            continue
        names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
        text = re.sub(r"<(\w+)>", r"`<\1>`", one.help or "")
        yield names + ("" if one.is_flag else f" {_metavar(one)}"), text + _default(one)
    if sections:
        links = [f"[{name}](#{name}-options)" for name in dict.fromkeys(sections)]
        yield "Shared", f"{', '.join(links)}."


def _default(option: Any) -> str:
    value = option.default
    if option.is_flag or value in (None, "", ()) or callable(value):
        return ""
    return f" Default: `{getattr(value, 'value', value)}`."


def _metavar(option: Any) -> str:
    choices = [getattr(each, "value", each) for each in getattr(option.type, "choices", ())]
    return str(option.metavar or "|".join(choices) or option.type.name.upper())


def command_rows() -> list[tuple[str, str]]:
    """The commands of each group."""
    groups: dict[str, list[str]] = {}
    for name, command in COMMANDS.items():
        groups.setdefault(command.rich_help_panel, []).append(f"[`{name}`](#tabellion-{name})")
    return [(group, ", ".join(commands)) for group, commands in groups.items()]


def shared_rows(section: str) -> list[tuple[str, str]]:
    """The options that a section describes for all commands."""
    rows = [*option_rows("extract", shared=True), *option_rows("list", shared=True)]
    found = {row[0].split("`")[1].lstrip("-"): row for row in reversed(rows)}
    return [found[name] for name in SHARED[section] if name in found and name not in STEPS]


def request_rows() -> list[tuple[str, str]]:
    """The requests that a server which may write answers."""
    with tempfile.TemporaryDirectory() as folder, open_library(f"{folder}/shelf", create=True) as library:
        read = {(row[0], row[1]) for row in _requests(build_app(library))}
        rows = _requests(build_app(library, write=True))
    return [
        (f"`{method} {path}`", text + ("" if (method, path) in read else " (`--write`)")) for method, path, text in rows
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


def lists() -> dict[str, str]:
    """The lists by name."""
    made = {"commands": _list(command_rows())}
    made |= {f"{name} options": _list(shared_rows(name)) for name in SHARED}
    made |= {name: _list(option_rows(name)) for name in COMMANDS}
    return made | {"requests": _list(request_rows())}


def _list(rows: Iterable[tuple[str, str]]) -> str:
    return "\n".join(re.sub(r"\s+", " ", f"- {name}: {text}") for name, text in rows)


def write_pages() -> dict[str, str]:
    """The pages with their lists filled in, by path."""
    made = lists()

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
