"""The code in README.md and docs/ runs and prints what stands there.

A `python` block is run as a doctest where it has prompts, else as it stands; the blocks of a file share their names.
In a `console` block each line after `$ ` is run by the shell, and the lines below it are what it must print; `...`
stands for anything, and `# exit 1` at the end of a command for the exit status it must have. Everything runs in an
empty folder that holds a copy of examples/, with a library of its own.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block of a page."""

    page: Path
    line: int
    text: str


def blocks(language: str) -> Iterator[Block]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            yield Block(page, text.count("\n", 0, found.start()) + 2, found[1])


def name(block: Block | Path) -> str:
    return f"{block.page.name}:{block.line}" if isinstance(block, Block) else block.name


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TABELLION_LIBRARY", str(tmp_path / "library"))  # never the library of who runs the tests
    return tmp_path


@pytest.mark.parametrize("page", list(dict.fromkeys(block.page for block in blocks("python"))), ids=name)
def test_python_in_the_documentation_runs(page: Path, folder: Path) -> None:
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for block in blocks("python"):
        if block.page != page:
            continue
        if ">>> " not in block.text:
            exec(compile("\n" * (block.line - 1) + block.text, str(page), "exec"), names)  # noqa: S102
            continue
        test = doctest.DocTestParser().get_doctest(block.text, names, page.name, str(page), block.line - 1)
        runner.run(test, clear_globs=False)
        names.update(test.globs)
    assert not runner.failures


@pytest.mark.parametrize("block", list(blocks("console")), ids=name)
def test_a_console_session_in_the_documentation_prints_what_it_says(block: Block, folder: Path) -> None:
    checker = doctest.OutputChecker()
    binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, wanted = part.partition("\n")
        command, _, status = line.partition("# exit ")
        ran = subprocess.run(
            ["bash", "-c", command],
            env={**os.environ, "PATH": binaries, "COLUMNS": "100", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        printed = ran.stdout + ran.stderr
        assert ran.returncode == int(status or 0), f"{name(block)}: {command}\n{printed}"
        if wanted.strip():
            assert checker.check_output(wanted, printed, FLAGS), f"{name(block)}: {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert not missing


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {t for page in PAGES for t in re.findall(r"`make ([a-z]+)`", page.read_text(encoding="utf-8"))}
    assert named <= targets


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(f"({page.name})" in index for page in PAGES if page.parent.name == "docs" and page.name != "index.md")
