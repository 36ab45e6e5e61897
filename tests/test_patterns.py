"""Every regular expression of the package takes time that grows with the text alone: each is fed hostile texts.

A pattern that takes the square of a text's length needs a minute for 100,000 characters; another milliseconds. The
bound between them is processor time, far from both. What reads only our own training data is left out.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
from collections import defaultdict
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]

import pytest

import tabellion
from tabellion.patterns import lazy_pattern

LENGTH, SECONDS = 100_000, 2.0
METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split")
ROOT = Path(tabellion.__file__).parent
TRUSTED = ("tabellion.learn",)
Pattern = re.Pattern[str] | re.Pattern[bytes]
Called = dict[tuple[str, str], set[str]]


def module_names() -> list[str]:
    found = pkgutil.walk_packages([str(ROOT)], "tabellion.")
    return [each.name for each in found if not each.name.endswith("__main__") and not each.name.startswith(TRUSTED)]


def how_called() -> Called:
    """For each name of a module, and for the local names of each module together (""), the methods called on it."""
    called: Called = defaultdict(set)
    for name in module_names():
        path = ROOT.joinpath(*name.split(".")[1:])
        tree = ast.parse(
            (path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py").read_text()
        )
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        origin = {one.asname or one.name: (node.module or "", one.name) for node in imports for one in node.names}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in METHODS and isinstance(node.value, ast.Name):
                written = node.value.id
                called[origin.get(written, (name, written))].add(node.attr)
                if written.islower() and written not in ("re", "self"):
                    called[name, ""].add(node.attr)
    return called


def patterns() -> Iterator[tuple[str, Pattern, set[str]]]:
    """Each pattern that a module holds, alone or in a collection, and the methods that are called on it."""
    called, seen = how_called(), set[int]()
    for name in module_names():
        for written, held in vars(importlib.import_module(name)).items():
            for one in flat(held):
                if id(one) not in seen and isinstance(one, re.Pattern | type(lazy_pattern(""))):
                    seen.add(id(one))
                    yield (
                        f"{name}.{written}",
                        one,
                        called.get((name, written)) or called.get((name, ""), set()) or {"search"},
                    )


def flat(held: object) -> Iterator[object]:
    if isinstance(held, dict):
        held = tuple(held.values())
    if isinstance(held, tuple | list | set | frozenset):
        for one in held:
            yield from flat(one)
    else:
        yield held


def signs(parsed: object) -> Iterator[str]:
    """Signs that the parts of a parsed pattern match, one for each."""
    for kind, given in parsed:  # type: ignore[attr-defined]
        if kind in (_constants.LITERAL, _constants.NOT_LITERAL):
            yield chr(given)
        elif kind is _constants.ANY:
            yield "a"
        elif kind is _constants.CATEGORY:
            yield {"SPACE": " ", "DIGIT": "0", "NOT_WORD": "-"}.get(str(given).removeprefix("CATEGORY_"), "a")
        elif kind is _constants.RANGE:
            yield chr(given[0])
        elif kind is _constants.IN:
            yield from signs(given)
        elif kind is _constants.SUBPATTERN:
            yield from signs(given[3])
        elif kind is _constants.BRANCH:
            for branch in given[1]:
                yield from signs(branch)
        elif kind is _constants.ATOMIC_GROUP:
            yield from signs(given)
        elif kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT, _constants.POSSESSIVE_REPEAT):
            yield from signs(given[2])
        elif kind in (_constants.ASSERT, _constants.ASSERT_NOT):
            yield from signs(given[1])


def hostile(pattern: Pattern) -> Iterator[str]:
    """Long runs of what a pattern matches, which end in what it does not."""
    found = list(dict.fromkeys(signs(_parser.parse(pattern.pattern, pattern.flags))))
    first = [sign for sign in ' 0a"(' if sign in found]
    chosen = (first + [sign for sign in found if sign not in first])[:6]
    for sign in chosen:
        yield sign * LENGTH + "\0"
    for sign, other in permutations(chosen[:3], 2):
        yield (sign + other) * (LENGTH // 2) + "\0"


class TooSlow(Exception):  # noqa: N818 - it is an alarm
    """The processor time of one call is over."""


def ring(*_: object) -> None:
    raise TooSlow


def is_slow(pattern: Pattern, method: str, text: str | bytes) -> bool:
    given = ("" if isinstance(text, str) else b"", text) if method in ("sub", "subn") else (text,)
    before = signal.signal(signal.SIGVTALRM, ring)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        made = getattr(pattern, method)(*given)
        if method == "finditer":
            list(made)
    except TooSlow:
        return True
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return False


@pytest.mark.skipif(
    not hasattr(signal, "SIGVTALRM"), reason="processor time is told by a signal that this system has not"
)
def test_every_pattern_is_linear() -> None:
    slow, tried = [], 0
    for name, pattern, methods in patterns():
        tried += 1
        for text in hostile(pattern):
            fed = text.encode("latin-1", "ignore") if isinstance(pattern.pattern, bytes) else text
            for method in sorted(methods):
                if is_slow(pattern, method, fed):
                    slow.append(f"{name}.{method} at {text[:4]!r}…: {pattern.pattern!r:.80}")
                    break
            else:
                continue
            break
    assert tried > 250, "patterns are not found any more"
    assert not slow, "\n".join(slow)


def test_a_pattern_that_takes_the_square_is_told() -> None:
    assert is_slow(re.compile(r"\s+$"), "search", " " * LENGTH + "\0")
    assert not is_slow(re.compile(r"(?<!\s)\s+$"), "search", " " * LENGTH + "\0")


def test_no_text_that_int_refuses_is_taken_for_a_number() -> None:
    """A raised two is a digit, but int() refuses it: what is to become a number is asked isdecimal()."""
    risky = re.compile(r"(?:int|float)\((\w+)\)[^\n]*\b\1\.isdigit\(\)|\b(\w+)\.isdigit\(\)[^\n]*(?:int|float)\(\2\)")
    lines = [
        line
        for path in ROOT.rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if "isascii" not in line
    ]
    assert [line for line in lines if risky.search(line)] == []
