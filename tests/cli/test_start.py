"""The command line answers at once and teaches by example."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tabellion.cli import COMMANDS, app


@pytest.mark.parametrize("heavy", ["numpy", "lxml", "xlrd", "python_calamine", "tabellion.pipeline"])
def test_help_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, tabellion.cli; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


ELSEWHERE = [
    *("selectolax", "pypdfium2", "httpx", "xlrd", "python_calamine", "pandas", "pyarrow", "sqlalchemy", "duckdb"),
    *("rich.console", "urllib.request", "multiprocessing.pool", "concurrent.futures.process"),
    *("tabellion.library", "tabellion.mine", "tabellion.repair", "tabellion.web", "tabellion.api", "tabellion.cli.add"),
    *("tabellion.read.pdf", "tabellion.read.web.page", "tabellion.read.delimited", "tabellion.read.opendocument"),
    *("tabellion.locate.web", "tabellion.locate.rendered", "tabellion.locate.printed.regions"),
    *("tabellion.recognise.web", "tabellion.recognise.printed", "tabellion.label.pages"),
    *("tabellion.export.csv", "tabellion.export.html", "tabellion.export.xlsx", "tabellion.rdf", "numpy.ma"),
]
REPORT = """
import re, sys
from pathlib import Path

compiled = []
make = re._compiler.compile
re._compiler.compile = lambda *given: (compiled.append(sys._getframe(3).f_code.co_filename), make(*given))[1]
from tabellion.cli import build_app
from tabellion.settings import Settings

build_app(["extract"])
import tabellion.cli.batch
from tabellion.cli.extract import Form, extract_one  # what the command does in its worker

read = extract_one("examples/smoking.xlsx", settings=Settings(), form=Form.jsonl, every=False)
assert b"".join(read.text)
ours = [name for name in compiled if "tabellion" in Path(name).parts]
print(len(ours), *sorted(sys.modules))
"""


def test_a_sheet_costs_nothing_of_other_media() -> None:
    done = subprocess.run([sys.executable, "-c", REPORT], capture_output=True, text=True, check=True)
    patterns, *modules = done.stdout.split()
    assert not set(ELSEWHERE) & set(modules)
    assert len([name for name in modules if name.startswith("tabellion.")]) < 150
    assert 0 < int(patterns) < 150  # of some 260 that are known: the others are compiled when they are first used


def test_only_the_command_that_is_called_is_imported() -> None:
    code = "import sys; from tabellion.cli import build_app; build_app(['extract']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    commands = {f"tabellion.cli.{command.home or name}" for name, command in COMMANDS.items()}
    assert commands & set(done.stdout.split()) == {"tabellion.cli.extract"}


@pytest.mark.parametrize("command", ["extract", "show"])
def test_help_has_examples(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"])
    assert f"$ tabellion {command} report.xlsx" in shown.stdout


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout.startswith("tabellion ")
