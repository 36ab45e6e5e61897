"""The command line answers at once and teaches by example."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tabellion.cli import app


@pytest.mark.parametrize("heavy", ["numpy", "lxml", "xlrd", "python_calamine", "tabellion.pipeline"])
def test_help_imports_nothing_heavy(heavy: str) -> None:
    code = f"import sys, tabellion.cli; sys.exit({heavy!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("command", ["extract", "show"])
def test_help_has_examples(command: str) -> None:
    shown = CliRunner().invoke(app, [command, "--help"])
    assert f"$ tabellion {command} report.xlsx" in shown.stdout


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(app, ["--version"]).stdout.startswith("tabellion ")
