"""docs/glossary.md and docs/output.md explain the words of the output, docstrings the public types."""

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


def public_types() -> dict[str, type]:
    """The classes of the model, and those that `import tabellion` offers, by name."""
    found = {name: one for name in tabellion.__all__ if inspect.isclass(one := getattr(tabellion, name))}
    for module in pkgutil.iter_modules(model.__path__, f"{model.__name__}."):
        held = vars(importlib.import_module(module.name)).items()
        found |= {name: each for name, each in held if inspect.isclass(each) and each.__module__ == module.name}
    return {name: each for name, each in found.items() if not name.startswith("_")}


def test_every_public_type_has_a_docstring() -> None:
    assert [name for name, each in public_types().items() if not (each.__doc__ or "").strip()] == []


def test_every_name_that_the_package_offers_is_in_the_reference() -> None:
    reference = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    errors = {"TabellionError", "UnreadableError", "UsageError"}  # tabellion.errors is shown as a whole
    missing = [name for name in set(tabellion.__all__) - errors if not re.search(rf"\.{name}$", reference, re.M)]
    assert missing == []


def test_every_word_for_a_role_or_a_kind_is_explained() -> None:
    literals = (grid.RowRole, grid.ColumnRole, grid.CellRole, grid.SheetKind, markup.CandidateKind)
    words = {word for each in literals for word in get_args(each)}
    text = " ".join(
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("glossary", "output", "rendered")
    )
    assert sorted(word for word in words if word not in text) == []
