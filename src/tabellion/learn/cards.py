"""The card beside each weights file: what it was trained on, when, by which code, and how it scored."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec


class Material(msgspec.Struct, frozen=True):
    """What one corpus gave."""

    documents: int
    examples: int


class Card(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a user of a weights file should know."""

    name: str
    method: str
    trained_on: dict[str, Material]
    left_out: int | None = None  # the fold that was not seen; None where all was
    scores: dict[str, float] = {}  # cross-validated by group, on documents that were not seen
    made: str = ""
    code: str = ""


def write_card(folder: Path, card: Card) -> None:
    """Write `NAME.card.json`, stamped with the day and the version of this code."""
    stamped = msgspec.structs.replace(
        card, made=datetime.now(UTC).date().isoformat(), code=f"tabellion {version('tabellion')}"
    )
    text = msgspec.json.format(msgspec.json.encode(stamped), indent=1)
    (folder / f"{card.name}.card.json").write_bytes(text + b"\n")
