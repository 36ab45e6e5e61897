"""What reading an export back gives: tables with their tuples.

The readers of read_back.py make them; they hold what all forms can hold, so cells and header trees are not among it.
"""

from __future__ import annotations

import msgspec

from tabellion.model.table import Tuple


class ExportedTable(msgspec.Struct, frozen=True):
    """A table of an export: the document it is from, its sheet, its id there, and its tuples."""

    source: str
    sheet: str | None
    id: str
    tuples: tuple[Tuple, ...]


def parse_value(kind: str, text: str | None) -> float | int | str | None:
    """A value from its text: a number where it is one, whole where it is written so.

    >>> parse_value("number", "12"), parse_value("number", "2.5"), parse_value("date", "1990-01-01")
    (12, 2.5, '1990-01-01')
    """
    if text is None or kind == "missing":
        return None
    if kind != "number":
        return text
    return int(text) if text.lstrip("-").isdigit() else float(text)
