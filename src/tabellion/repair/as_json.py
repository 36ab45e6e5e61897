"""Corrections as JSON: written out whole, taken in whole or as bare operations.

In: corrections. Out: bytes, and back. A bare operation (`{"do": "row-role", "row": {"row": 3}, "to": "header"}`) is
meant for the table at hand and gets its `was`, its author and its time when it is applied.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from tabellion.errors import RepairError
from tabellion.model.correction import Correction, Saying, Undo

FORMAT = 1


class CorrectionsFile(msgspec.Struct, frozen=True):
    """The corrections of a document."""

    corrections: tuple[Correction, ...]
    format: int = FORMAT
    source: str | None = None


def write_corrections(corrections: Sequence[Correction], source: str | None = None) -> bytes:
    """Corrections as JSON."""
    return (
        msgspec.json.format(msgspec.json.encode(CorrectionsFile(tuple(corrections), source=source)), indent=1) + b"\n"
    )


def read_corrections(data: bytes) -> list[Correction | Saying | Undo]:
    """Corrections, or bare operations, from JSON: an export, or a list of either."""
    try:
        raw = msgspec.json.decode(data)
        entries = raw.get("corrections") if isinstance(raw, dict) else raw
        if not isinstance(entries, list):
            raise RepairError('not corrections: a list is wanted, or an object with "corrections"')
        return [_entry(number, entry) for number, entry in enumerate(entries, 1)]
    except msgspec.DecodeError as error:
        raise RepairError(f"not corrections: {error}") from None


def read_operation(raw: object) -> Saying | Undo:
    """A bare operation from what JSON says."""
    try:
        found: Saying | Undo = msgspec.convert(raw, Saying | Undo)
    except msgspec.ValidationError as error:
        raise RepairError(f"no operation: {error}") from None
    return found


def _entry(number: int, entry: object) -> Correction | Saying | Undo:
    try:
        if isinstance(entry, dict) and "operation" in entry:
            return msgspec.convert(entry, Correction)
        return read_operation(entry)
    except (msgspec.ValidationError, RepairError) as error:
        raise RepairError(f"correction {number}: {error}") from None
