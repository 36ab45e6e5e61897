"""Regular expressions that are compiled when they are first used.

A document meets few of the patterns that the package knows; to compile them all would cost more than to read a small
sheet.
"""

from __future__ import annotations

import re
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
