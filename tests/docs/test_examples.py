"""The code in README.md and docs/ runs and prints what is written below it.

A `python` block is run as a doctest where it has prompts, else as it stands; the blocks of a file share their names.
In a `console` block each line after `$ ` is run by the shell, and the lines below it are what it must print; `...`
is for anything, and `# exit 1` at the end of a command for the exit status it must have. Everything runs in a
folder that holds copies of examples/ and docs/gallery/ and nothing else, with a library of its own. Many blocks begin
by adding the same documents: the output and the folder are kept, so that each such beginning is run once.
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
pytestmark = pytest.mark.long


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


Ran = tuple[int, str]
"""The exit status of a command, and what it printed."""


class Sessions:
    """The one folder that all sessions run in, and how it looked after the beginnings that they share."""

    def __init__(self, home: Path, kept: Path) -> None:
        self.home, self._kept = home, kept
        self._known: dict[tuple[str, ...], Ran] = {}

    def begin(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        shutil.copytree(ROOT / "examples", self.home / "examples", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
        shutil.copytree(ROOT / "docs" / "gallery", self.home / "docs" / "gallery")

    def run(self, before: tuple[str, ...], command: str) -> Ran:
        """Run a command after others; where the same was run so before, put the folder as it was left then."""
        so_far = (*before, command)
        place = self._kept / str(abs(hash(so_far)))
        if so_far in self._known:
            shutil.rmtree(self.home)
            shutil.copytree(place, self.home, symlinks=True)
            return self._known[so_far]
        ran = self._run(command)
        if all(one.startswith("tabellion add ") for one in so_far):
            shutil.copytree(self.home, place, symlinks=True)
            self._known[so_far] = ran
        return ran

    def _run(self, command: str) -> Ran:
        binaries = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        ran = subprocess.run(
            ["bash", "-c", command],
            cwd=self.home,
            env={**os.environ, "PATH": binaries, "COLUMNS": "100", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        return ran.returncode, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Sessions:
    return Sessions(tmp_path_factory.mktemp("sessions") / "home", tmp_path_factory.mktemp("kept"))


@pytest.fixture
def folder(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> Path:
    sessions.begin()
    monkeypatch.chdir(sessions.home)
    monkeypatch.setenv("TABELLION_LIBRARY", str(sessions.home / "library"))  # never the library of who runs the tests
    return sessions.home


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
def test_a_console_session_in_the_documentation_prints_what_it_says(
    block: Block, folder: Path, sessions: Sessions
) -> None:
    checker = doctest.OutputChecker()
    before: tuple[str, ...] = ()
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        line, _, wanted = part.partition("\n")
        command, _, status = line.partition("# exit ")
        ended, printed = sessions.run(before, command)
        before = (*before, command)
        assert ended == int(status or 0), f"{name(block)}: {command}\n{printed}"
        if wanted.strip():
            assert checker.check_output(wanted, printed, FLAGS), f"{name(block)}: {command}\n{printed}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8"))
    missing = [t for t in targets if "://" not in t and not (page.parent / t).exists()]
    assert not missing


def anchors(page: Path) -> set[str]:
    """The anchors of the headings of a page."""
    heads = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.strip().lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_to_a_heading(page: Path) -> None:
    found = re.findall(r"\]\(([\w./-]*)#([^)]+)\)", page.read_text(encoding="utf-8"))
    inside = [(target, anchor) for target, anchor in found if target.endswith(".md") or not target]
    lost = [each for each in inside if each[1] not in anchors(page.parent / each[0] if each[0] else page)]
    assert lost == []


def test_every_make_target_that_is_named_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {t for page in PAGES for t in re.findall(r"`make ([a-z]+)`", page.read_text(encoding="utf-8"))}
    assert named <= targets


def test_every_page_of_the_documentation_is_in_its_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert all(f"({page.name})" in index for page in PAGES if page.parent.name == "docs" and page.name != "index.md")
