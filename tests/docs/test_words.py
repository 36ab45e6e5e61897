"""README and documentation are short, and they and all texts of the program use plain words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from tabellion.cli import app

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tabellion"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").glob("*.md"))]
MOST_WORDS, MOST_LINES, MOST_IN_GLOSSARY = 25_000, 150, 30
DIALECT = re.compile(
    r"\b(told|is said|are said|was said|were said|said of|said otherwise|says so|mend|mends|mended|mending"
    r"|strokes?(?![=-])|stands|stood|stand (?:under|over|beside|there|in|at|below|above))\b",
    re.IGNORECASE,
)
"""Words of a private dialect: "what is told of a value", "mended with a few strokes", "stands under its parent"."""
NEVER_SHOWN = ("interpret", "label", "nest", "recognise", "locate", "learn", "weights", "values")
"""Rooms whose texts are names of features: what users see of them is written elsewhere."""


def found_in(text: str) -> list[str]:
    """Words of the dialect, names of code left out."""
    return [match[0] for match in DIALECT.finditer(re.sub(r"`[^`\n]*`", "", text))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_uses_plain_words(page: Path) -> None:
    assert found_in(page.read_text(encoding="utf-8")) == []


def helps() -> Iterator[tuple[str, str]]:
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        yield name, " ".join([command.help or "", command.epilog or "", *(one.help or "" for one in command.params)])


@pytest.mark.parametrize(("command", "text"), list(helps()), ids=[name for name, _ in helps()])
def test_the_help_of_a_command_uses_plain_words_and_has_an_example(command: str, text: str) -> None:
    assert found_in(text) == []
    assert f"tabellion {command}" in text


def messages(module: Path) -> Iterator[str]:
    """The texts of a module with several words, docstrings left out."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docs
            and " " in node.value
        ):
            yield node.value


def test_the_messages_of_the_program_use_plain_words() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in NEVER_SHOWN]
    wrong = [(str(path.relative_to(PACKAGE)), text) for path in modules for text in messages(path) if found_in(text)]
    assert wrong == []


def test_what_servers_say_of_themselves_uses_plain_words() -> None:
    """The docstrings of requests and tools are their descriptions."""
    for path in (PACKAGE / "web").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.decorator_list:
                assert found_in(ast.get_docstring(node) or "") == [], f"{path.name}: {node.name}"


def test_the_app_uses_plain_words() -> None:
    for path in (ROOT / "frontend" / "src").rglob("*.tsx"):
        shown = re.findall(r">([A-Z][^<>{}]+)<|(?:title|aria-label|placeholder)=\"([^\"]+)\"", path.read_text("utf-8"))
        assert [text for texts in shown for text in texts if found_in(text)] == [], path.name


def test_the_documentation_is_short() -> None:
    pages = {path.name: len(path.read_text(encoding="utf-8").split()) for path in (ROOT / "docs").glob("*.md")}
    assert sum(pages.values()) <= MOST_WORDS, sorted(pages.items(), key=lambda page: -page[1])[:10]
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_the_glossary_has_the_words_that_a_user_meets() -> None:
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    words = [line.split(" | ")[0].strip("| ") for line in lines if line.startswith("| ")][2:]
    assert 20 <= len(words) <= MOST_IN_GLOSSARY
    assert len(set(words)) == len(words)


def test_the_dialect_is_recognised() -> None:
    assert found_in("A header stands under its parent, and what is said of it is mended with a stroke.") != []
    assert found_in("A header has a parent. `mend_grid` applies corrections.") == []
