"""Every method can be chosen in the same words from Python, the command line, HTTP and the Model Context Protocol."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path
from typing import Any, get_args

import pytest
import typer

import tabellion
from tabellion.cli import app
from tabellion.model.methods import STEPS
from tabellion.settings import Settings

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
READING = ["extract", "show", "metadata", "export", "add", "rebuild"]
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_a_setting_of_the_python_interface(step: str) -> None:
    assert list(get_args(STEPS[step].choice)) == list(STEPS[step].methods)
    assert getattr(Settings(), step) == STEPS[step].default
    assert inspect.signature(tabellion.extract).parameters[step].default == STEPS[step].default


@pytest.mark.parametrize("command", READING)
@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_an_option_of_every_command_that_reads(step: str, command: str) -> None:
    option = next(one for one in COMMANDS[command].params if one.name == step)
    assert list(option.type.choices) == list(STEPS[step].methods)
    assert option.default == STEPS[step].default


@pytest.mark.parametrize("step", STEPS)
def test_a_step_is_told_in_the_documentation(step: str) -> None:
    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    assert f"`--{step}`" in text
    assert all(f"`{method}`" in text for method in STEPS[step].methods)


def test_a_step_is_a_parameter_over_http(tmp_path: Path) -> None:
    from starlette.testclient import TestClient

    from tabellion.web.app import build_app

    with tabellion.open_library(str(tmp_path / "library"), create=True) as library:
        client = TestClient(build_app(library, write=True), base_url="http://localhost")
        described = client.get("/openapi.json").json()["paths"]["/documents"]["post"]["parameters"]
        told = {one["name"]: one["schema"] for one in described}
        for name, step in STEPS.items():
            assert (told[name]["enum"], told[name]["default"]) == (list(step.methods), step.default)
        sheet = (ROOT / "examples" / "smoking.xlsx").read_bytes()
        refused = client.post(
            "/documents",
            params={"name": "a", "rows": "nonsense"},
            content=sheet,
            headers={"Content-Type": "application/octet-stream"},
        )
        taken = client.post(
            "/documents",
            params={"name": "a", "rows": "paper", "parents": "svm"},
            content=sheet,
            headers={"Content-Type": "application/octet-stream"},
        )
        assert (refused.status_code, taken.status_code, taken.json()["tables"]) == (422, 200, 1)


def test_a_step_is_an_argument_of_the_tool_that_adds_documents(tmp_path: Path) -> None:
    from tabellion.web.mcp import build_server

    with tabellion.open_library(str(tmp_path / "library"), create=True) as library:
        tools: list[Any] = asyncio.run(build_server(library, write=True).list_tools())
    (adding,) = [tool for tool in tools if tool.name == "add_documents"]
    for name, step in STEPS.items():
        assert adding.input_schema["properties"][name]["enum"] == list(step.methods)


def test_methods_change_what_is_read() -> None:
    default = tabellion.extract(ROOT / "examples" / "pilots.xlsx")
    paper = tabellion.extract(ROOT / "examples" / "pilots.xlsx", rows="paper", parents="svm")
    assert default[0].confidence != paper[0].confidence
