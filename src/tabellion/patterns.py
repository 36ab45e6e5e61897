"""Regular expressions that are compiled when they are first used, and ones for short texts alone.

A document meets few of the patterns that the package knows; to compile them all would cost more than to read a small
sheet. A pattern that tries many ways to split a text, as those of numbers do, takes the square of the text's length
where it fails: a short pattern finds nothing in a text that is too long for what it looks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr, cast

_METHODS = ("match", "search", "fullmatch", "finditer", "findall", "sub", "subn", "split", "pattern", "flags", "groups")


class _Waiting:
    """Stands for a pattern until it is asked something; from then on its methods are the pattern's own."""

    __slots__ = ("_made_of", *_METHODS)

    def __init__(self, source: Any, flags: int) -> None:
        self._made_of = (source, flags)

    def __getattr__(self, name: str) -> Any:
        if name not in _METHODS:  # pickling and copying ask for names of their own
            raise AttributeError(name)
        compiled = re.compile(*self._made_of)
        for each in _METHODS:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def lazy_pattern(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    r"""A pattern as `re.compile` makes it, at its first use.

    >>> number = lazy_pattern(r"\d+")
    >>> number.findall("1 and 23"), number.pattern
    (['1', '23'], '\\d+')
    """
    return cast("re.Pattern[AnyStr]", _Waiting(source, flags))


class _Short(_Waiting):
    """The same, for texts up to a length."""

    __slots__ = ("_longest",)

    def __init__(self, source: Any, flags: int, longest: int) -> None:
        super().__init__(source, flags)
        self._longest = longest

    def __getattr__(self, name: str) -> Any:
        super().__getattr__(name)
        for method, otherwise in _WITHOUT_A_MATCH.items():
            setattr(self, method, _up_to(self._longest, getattr(self, method), otherwise))
        return getattr(self, name)


def _up_to(longest: int, method: Any, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: (method if len(given[-1]) <= longest else otherwise)(*given)


_WITHOUT_A_MATCH: dict[str, Callable[..., Any]] = {
    "match": lambda _: None,
    "search": lambda _: None,
    "fullmatch": lambda _: None,
    "finditer": lambda _: iter(()),
    "findall": lambda _: [],
    "split": lambda text: [text],
    "sub": lambda _, text: text,
    "subn": lambda _, text: (text, 0),
}


def short_pattern(source: AnyStr, flags: int = 0, *, longest: int = 1_000) -> re.Pattern[AnyStr]:
    r"""A pattern for numbers, marks, labels: it finds nothing in a text of more than `longest` characters.

    The text is the last thing that its methods are given.

    >>> number = short_pattern(r"\d+,?\d+", longest=9)
    >>> bool(number.fullmatch("1" * 9)), number.fullmatch("1" * 10), number.sub("", "1" * 10)
    (True, None, '1111111111')
    """
    return cast("re.Pattern[AnyStr]", _Short(source, flags, longest))
