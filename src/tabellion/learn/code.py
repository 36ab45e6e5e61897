"""What code a learned part depends on, as one short digest each for its features and for its training.

In: the name of the module that trains, and the rooms that hold its features. Out: digests over the modules that it
imports, directly or not, within those rooms (features) and within `learn` (training). Only what runs counts: comments,
docstrings, annotations, imports and the layout of the text are left out, so that weights do not grow old where nothing
changed for them. What reading, numbers and the model do is not part of it: it would make every weights file depend on
nearly everything.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).parents[1]
WORDS = "tabellion.values.vocabulary"  # words are features wherever they are asked for
LEARNING = "tabellion.learn"
BESIDE = ("code", "cards", "corpora", "measuring", "memory", "parallel", "parts", "scoring", "training", "__main__")
"""Modules of `learn` that say what was made, and do not change it."""

_SILENT = frozenset(("annotation", "returns", "type_comment", "type_params", "kind", "ctx"))
_DIGITS = 16


def feature_digest(trainer: str, rooms: tuple[str, ...]) -> str:
    """Of the code that tells what is learned on."""
    return _digest(name for name in modules_of(trainer, rooms) if not _under(name, LEARNING))


def training_digest(trainer: str, rooms: tuple[str, ...]) -> str:
    """Of the code that learns."""
    return _digest(name for name in modules_of(trainer, rooms) if _under(name, LEARNING))


@lru_cache(maxsize=64)
def room_digest(*rooms: str) -> str:
    """Of all the code in some rooms."""
    names = [
        ".".join(("tabellion", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
        for path in ROOT.rglob("*.py")
    ]
    return _digest(iter(sorted(name for name in names if any(_under(name, room) for room in rooms))))


@lru_cache(maxsize=64)
def modules_of(trainer: str, rooms: tuple[str, ...]) -> tuple[str, ...]:
    """The modules that a trainer needs, by name, itself included; of the stages those in `rooms`."""
    found: set[str] = set()
    open_names = [trainer]
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            open_names += [other for other in imports_of(name) if _counts(other, rooms)]
    return tuple(sorted(found))


def _counts(name: str, rooms: tuple[str, ...]) -> bool:
    if _under(name, LEARNING):
        parts = name.split(".")
        return len(parts) > 2 and parts[2] not in BESIDE and parts[-1] != "measure"
    return any(_under(name, room) for room in (*rooms, WORDS))


def _under(name: str, room: str) -> bool:
    return name == room or name.startswith(f"{room}.")


@lru_cache(maxsize=1024)
def imports_of(name: str) -> tuple[str, ...]:
    """The modules of tabellion that a module imports."""
    found: list[str] = []
    for node in ast.walk(_tree(name)):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [module if _path(module) else node.module for module in inner]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return tuple(module for module in dict.fromkeys(found) if _under(module, "tabellion") and _path(module))


def _path(name: str) -> Path | None:
    base = ROOT.joinpath(*name.split(".")[1:])
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


@lru_cache(maxsize=1024)
def _tree(name: str) -> ast.Module:
    path = _path(name)
    return ast.parse(path.read_text(encoding="utf-8") if path else "")


def _digest(names: Iterator[str]) -> str:
    told = sha256()
    for name in names:
        told.update(f"{name}\n{outline(_tree(name))}\n".encode())
    return told.hexdigest()[:_DIGITS]


def outline(node: ast.AST) -> str:
    r"""What a piece of code does, whatever it looks like.

    >>> one = ast.parse("def f(x: int) -> int:\n    'Twice.'\n    return 2 * x  # why")
    >>> other = ast.parse("def f(x): return (2*x)")
    >>> outline(one) == outline(other)
    True
    """
    told = [type(node).__name__]
    for name, value in ast.iter_fields(node):
        if name in _SILENT or value is None or value == []:
            continue
        if isinstance(value, ast.AST):
            told.append(f"{name}={outline(value)}")
        elif isinstance(value, list):
            kept = [outline(one) if isinstance(one, ast.AST) else repr(one) for one in value if not _is_silent(one)]
            told.append(f"{name}=[{','.join(kept)}]")
        else:
            told.append(f"{name}={value!r}")
    return f"({' '.join(told)})"


def _is_silent(node: object) -> bool:
    """Whether a statement only explains: a docstring, an import."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.Import | ast.ImportFrom)
