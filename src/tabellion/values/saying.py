"""What a cell's text says, put together from marks, numbers and dates."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from tabellion.model.grid import Content


class Saying(msgspec.Struct, frozen=True):
    """A text understood: `label` is the text without leaders and note marks, `indent` what led it."""

    content: Content
    label: str
    number: float = float("nan")
    indent: float = 0.0
    notes: tuple[str, ...] = ()
    unit: str | None = None


def read_texts(texts: Iterable[str]) -> dict[str, Saying]:
    """What each distinct text says; the decimal sign is settled from all texts of the grid together."""
    raise NotImplementedError
