"""What a caller may choose, checked where it is made: a wrong choice is one clear `UsageError`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import msgspec

from tabellion.errors import UsageError
from tabellion.model.methods import (
    STEPS,
    FrameMethod,
    GenuineMethod,
    HeaderMethod,
    ParentMethod,
    ReaderMethod,
    RenderChoice,
    RowMethod,
)
from tabellion.patterns import lazy_pattern
from tabellion.read.limits import Limits

_PAGES = lazy_pattern(r"\s*(\d{1,6})(?:\s*[-–]\s*(\d{1,6}))?\s*")
Pages = tuple[int, int]


class Settings(msgspec.Struct, frozen=True):
    """Limits, methods and other options of reading.

    `reader`, `rows`, `parents`, `genuine`, `headers`, `frames`: the method of a step (`tabellion.model.methods`).
    `password`: the password of an encrypted PDF; it is never stored.
    `pages`: only these pages of a PDF, first and last. `pages_apart`: do not join tables that continue over pages.
    `render`: render web pages in Chromium and read their boxes too, `always` or (`auto`) if the markup suggests tables
    that it does not contain. `scripts` and `network` allow a rendered page to run scripts and to load files.
    `private`: addresses of this computer and of its own network may be fetched.
    `why`: list the features that weighed most for each rejected candidate.
    """

    limits: Limits = Limits()
    reader: ReaderMethod = "auto"
    rows: RowMethod = "boosted"
    parents: ParentMethod = "boosted"
    weights: str | None = None
    sheet: str | None = None
    genuine: GenuineMethod = "boosted"
    headers: HeaderMethod = "boosted"
    why: bool = False
    pages: Pages | None = None
    pages_apart: bool = False
    render: RenderChoice = "never"
    frames: FrameMethod = "arranged"
    scripts: bool = False
    network: bool = False
    password: str | None = None
    private: bool = True

    def __post_init__(self) -> None:
        for name, step in STEPS.items():
            _check(name, getattr(self, name), tuple(step.methods))
        _check("render", self.render, get_args(RenderChoice))
        if not isinstance(self.limits, Limits):
            raise UsageError(f"limits={self.limits!r}: give a tabellion.Limits or a dict of them")
        if self.pages is not None:
            read_pages(self.pages)


def _check(name: str, given: object, known: tuple[str, ...]) -> None:
    if given not in known:
        raise UsageError(f"{name}={given!r} is not known; choose one of {', '.join(known)}")


def read_pages(given: str | int | Pages) -> Pages:
    """The first and the last page of a range.

    >>> read_pages("3-9"), read_pages("7"), read_pages(7), read_pages((3, 9))
    ((3, 9), (7, 7), (7, 7), (3, 9))
    """
    first, last = 0, 0
    if isinstance(given, str):
        match = _PAGES.fullmatch(given)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
    elif isinstance(given, int):
        first = last = given
    elif isinstance(given, tuple | list) and len(given) == 2 and all(type(page) is int for page in given):
        first, last = given
    if not 1 <= first <= last:
        raise UsageError(f"{given!r} is not a range of pages; write 7 or 3-9")
    return first, last


def read_limits(given: Limits | Mapping[str, float] | None) -> Limits:
    """The limits that are given, by name or as they are; all others have their defaults.

    >>> read_limits({"cells": 50_000_000}).cells
    50000000
    """
    if isinstance(given, Limits):
        return given
    if given is not None and not isinstance(given, Mapping):
        raise UsageError(f"limits={given!r}: give a tabellion.Limits or a dict of them")
    chosen = dict(given or {})
    known = Limits.__struct_fields__
    for name, number in chosen.items():
        if name not in known:
            raise UsageError(f"there is no limit {name!r}; the limits are {', '.join(known)}")
        if isinstance(number, bool) or not isinstance(number, int | float) or not number > 0:
            raise UsageError(f"the limit {name} is a number over 0, not {number!r}")
    try:
        return msgspec.convert(chosen, Limits, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"limits: {error}") from None
