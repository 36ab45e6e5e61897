"""A drawing in points, from the top left: what charts are made of before they become SVG or PNG."""

from __future__ import annotations

from typing import Literal

import msgspec


class DrawnBox(msgspec.Struct, frozen=True):
    """A filled rectangle."""

    left: float
    top: float
    width: float
    height: float
    colour: str  # #rrggbb
    said: str = ""


class DrawnLine(msgspec.Struct, frozen=True):
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str
    width: float = 1.0
    said: str = ""


class DrawnText(msgspec.Struct, frozen=True):
    """Words at a point: where they begin, have their middle or end."""

    x: float
    y: float
    text: str
    size: float = 11.0
    anchor: Literal["start", "middle", "end"] = "start"
    colour: str = "#202124"
    bold: bool = False


class Scene(msgspec.Struct, frozen=True):
    """A drawing: its size, and its parts in their order."""

    width: float
    height: float
    parts: tuple[DrawnBox | DrawnLine | DrawnText, ...]
