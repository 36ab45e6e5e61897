"""The medium-independent look of a cell."""

from __future__ import annotations

import msgspec


class Style(msgspec.Struct, frozen=True):
    """How a cell looks, whatever the medium.

    `indent` is one number whatever made it (Excel indent, CSS padding, x offset), in steps of about
    two letters; blanks and dots that lead the text are added when a grid is made. `borders` lists the
    sides that are drawn. `number_format` is the spreadsheet format code, a source of units.
    """

    bold: bool = False
    italic: bool = False
    underline: bool = False
    size: float = 11.0
    colour: str | None = None
    fill: str | None = None
    align: str | None = None  # left, center, right, justify, fill; None: by content
    valign: str | None = None
    indent: float = 0.0
    border_top: bool = False
    border_bottom: bool = False
    border_left: bool = False
    border_right: bool = False
    wrap: bool = False
    across: bool = False  # centred over the blank cells at its right that are set so too
    number_format: str | None = None


PLAIN = Style()
