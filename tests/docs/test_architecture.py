"""docs/architecture.md and other pages name modules and functions that are there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tabellion"
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def defined(module: Path) -> set[str]:
    """The functions, methods and classes of a module."""
    kinds = (ast.FunctionDef, ast.ClassDef)
    return {node.name for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))) if isinstance(node, kinds)}


def walked() -> list[tuple[str, str]]:
    """Each module that is named, with each name in backticks that follows it before the next module, in its cell."""
    found = []
    walks = ARCHITECTURE[ARCHITECTURE.index("## The walk of a workbook") : ARCHITECTURE.index("## Ideas")]
    for cell in re.split(r" \| |\n\n", walks):
        parts = re.split(r"`([\w/]+\.py)`", cell)
        for module, rest in zip(parts[1::2], parts[2::2], strict=True):
            found += [(module, name) for name in re.findall(r"`([a-z]\w+)`", rest)]
            found.append((module, ""))
    return found


@pytest.mark.parametrize(("module", "name"), sorted(set(walked())))
def test_what_the_walk_names_is_there(module: str, name: str) -> None:
    assert (PACKAGE / module).is_file()
    assert not name or name in defined(PACKAGE / module)


def test_every_room_is_in_the_tree() -> None:
    rooms = {folder.parent.relative_to(PACKAGE) for folder in PACKAGE.rglob("__init__.py")} - {Path()}
    missing = sorted(str(room) for room in rooms if f"{room.name}/" not in ARCHITECTURE)
    assert not missing, f"docs/architecture.md does not show {missing}"


def test_the_number_of_modules_is_about_as_said() -> None:
    said = re.search(r"about (\d+) modules", ARCHITECTURE)
    assert said
    modules = [path for path in PACKAGE.rglob("*.py") if path.name != "__init__.py"]
    assert abs(len(modules) - int(said[1])) < 0.1 * len(modules)


def test_modules_that_pages_name_are_there() -> None:
    rooms = {folder.name for folder in PACKAGE.iterdir() if (folder / "__init__.py").is_file()}
    named = [
        (page.name, path)
        for page in (ROOT / "docs").glob("*.md")
        for path in re.findall(r"`(\w+(?:/\w+)+)(?:\.py)?`", page.read_text(encoding="utf-8"))
        if path.partition("/")[0] in rooms
    ]
    assert [each for each in named if not ((PACKAGE / f"{each[1]}.py").is_file() or (PACKAGE / each[1]).is_dir())] == []


MOST_LINES, MOST_OF_A_FUNCTION = 400, 60


def test_no_module_is_longer_than_one_sitting() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in PACKAGE.rglob("*.py")}
    assert [(str(path), size) for path, size in sizes.items() if size > MOST_LINES] == []


def test_no_function_is_longer_than_a_page() -> None:
    long = [
        (str(path.relative_to(PACKAGE)), node.name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MOST_OF_A_FUNCTION
    ]
    assert long == []
