"""docs/glossary.md explains every public type, and names none that is not there."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from pathlib import Path
from typing import get_args

import tabellion
from tabellion import model
from tabellion.model import grid, markup

ROOT = Path(__file__).parents[2]
LINES = [
    [part.strip() for part in line.strip("|\n ").split(" | ")]
    for line in (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| word |", "| ---"))
]
WORDS = {word for line in LINES for word in line[0].split(", ")}
NAMED = {name for line in LINES for name in re.findall(r"`(\w+)`", line[2] if len(line) > 2 else "")}


def public_types() -> set[str]:
    """The classes of the model, and the names that `import tabellion` offers."""
    found = set(tabellion.__all__)
    for module in pkgutil.iter_modules(model.__path__, f"{model.__name__}."):
        for name, each in vars(importlib.import_module(module.name)).items():
            if inspect.isclass(each) and each.__module__ == module.name and not name.startswith("_"):
                found.add(name)
    return found


def test_every_public_type_is_explained() -> None:
    assert sorted(public_types() - NAMED) == [], "docs/glossary.md wants a line for each"


def test_no_type_is_explained_that_is_not_there() -> None:
    assert sorted(NAMED - public_types()) == []


def test_every_word_for_a_role_or_a_kind_is_explained() -> None:
    literals = (grid.RowRole, grid.ColumnRole, grid.CellRole, grid.SheetKind, markup.CandidateKind)
    assert sorted({word for each in literals for word in get_args(each)} - WORDS) == []


def test_a_word_is_explained_once() -> None:
    told = [word for line in LINES for word in line[0].split(", ")]
    assert sorted(told) == sorted(set(told))
