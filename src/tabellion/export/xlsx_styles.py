"""The looks of cells as the style part of a workbook: fonts, fills, borders and formats, each once.

In: styles as they come. Out: a number for each, and the part. A look that a workbook cannot hold is left out.
"""

from __future__ import annotations

import re
from xml.sax.saxutils import quoteattr

from tabellion.model.style import PLAIN, Style

_COLOUR = re.compile(r"#?([0-9A-Fa-f]{6})")
_ALIGN = frozenset({"left", "center", "right", "justify", "fill"})
_OWN_FORMATS = 164  # the first number of a format that is not built in
_SIDES = ("left", "right", "top", "bottom")
_SPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


class Looks:
    """The looks that a workbook uses, numbered as they come."""

    def __init__(self) -> None:
        self.fonts: dict[str, int] = {}
        self.fills: dict[str, int] = {'<fill><patternFill patternType="none"/></fill>': 0}
        self.fills['<fill><patternFill patternType="gray125"/></fill>'] = 1
        self.borders: dict[str, int] = {}
        self.formats: dict[str, int] = {}
        self.looks: dict[str, int] = {}
        self.known: dict[Style, int] = {}
        self.number(PLAIN)

    def number(self, style: Style) -> int:
        """The number of a style."""
        if style not in self.known:
            self.known[style] = _once(self.looks, self._look(style))
        return self.known[style]

    def part(self) -> str:
        """The style part."""
        formats = "".join(f'<numFmt numFmtId="{n}" formatCode={quoteattr(code)}/>' for code, n in self.formats.items())
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<styleSheet xmlns="{_SPACE}">'
            + (f'<numFmts count="{len(self.formats)}">{formats}</numFmts>' if formats else "")
            + f'<fonts count="{len(self.fonts)}">{"".join(self.fonts)}</fonts>'
            + f'<fills count="{len(self.fills)}">{"".join(self.fills)}</fills>'
            + f'<borders count="{len(self.borders)}">{"".join(self.borders)}</borders>'
            + '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
            + f'<cellXfs count="{len(self.looks)}">{"".join(self.looks)}</cellXfs>'
            + '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
        )

    def _look(self, style: Style) -> str:
        font, fill = _once(self.fonts, _font(style)), _once(self.fills, _fill(style))
        border, form = _once(self.borders, _border(style)), self._format(style.number_format)
        align = f' horizontal="{style.align}"' if style.align in _ALIGN else ""
        align += f' indent="{min(round(style.indent), 250)}"' if style.indent >= 1 else ""
        align += ' wrapText="1"' if style.wrap else ""
        return (
            f'<xf numFmtId="{form}" fontId="{font}" fillId="{fill}" borderId="{border}" xfId="0" applyNumberFormat="1" '
            f'applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1">'
            + (f"<alignment{align}/>" if align else "")
            + "</xf>"
        )

    def _format(self, code: str | None) -> int:
        if not code or code == "General":
            return 0
        return self.formats.setdefault(code, _OWN_FORMATS + len(self.formats))


def _once(held: dict[str, int], item: str) -> int:
    return held.setdefault(item, len(held))


def _font(style: Style) -> str:
    marks = "".join(f"<{tag}/>" for tag, on in (("b", style.bold), ("i", style.italic), ("u", style.underline)) if on)
    size = style.size if 1 <= style.size <= 400 else PLAIN.size  # what spreadsheet programs take
    return f'<font>{marks}<sz val="{size:g}"/>{_colour("color", style.colour)}<name val="Calibri"/></font>'


def _fill(style: Style) -> str:
    colour = _colour("fgColor", style.fill)
    kind = "solid" if colour else "none"
    return f'<fill><patternFill patternType="{kind}">{colour}</patternFill></fill>' if colour else _NO_FILL


def _border(style: Style) -> str:
    sides = "".join(f'<{side} style="thin"/>' if getattr(style, f"border_{side}") else f"<{side}/>" for side in _SIDES)
    return f"<border>{sides}<diagonal/></border>"


def _colour(tag: str, colour: str | None) -> str:
    match = _COLOUR.fullmatch(colour or "")
    return f'<{tag} rgb="FF{match[1].upper()}"/>' if match else ""


_NO_FILL = '<fill><patternFill patternType="none"/></fill>'
