"""Every command is documented in docs/cli.md, with an example; its options are listed there by `make figures`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer

from tabellion.cli import app

ROOT = Path(__file__).parents[2]
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def section(command: str) -> str:
    """The part of docs/cli.md under the heading of a command."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    found = re.search(rf"^## `tabellion {command}`.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/cli.md has no section '## `tabellion {command}`'"
    return found[0]


@pytest.mark.parametrize("command", list(COMMANDS))
def test_a_command_has_a_section_with_an_example(command: str) -> None:
    assert f"$ tabellion {command}" in section(command)


def test_every_limit_is_documented() -> None:
    from tabellion.read import Limits

    text = (ROOT / "docs" / "limits-and-errors.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in text for name in Limits.__struct_fields__)


def test_every_kind_of_error_is_documented() -> None:
    from tabellion import errors

    text = (ROOT / "docs" / "limits-and-errors.md").read_text(encoding="utf-8")
    kinds = {each.kind for each in vars(errors).values() if isinstance(each, type) and hasattr(each, "kind")}
    missing = sorted(kind for kind in kinds - {"error"} if f"| `{kind}` |" not in text)
    assert not missing
