"""The looks of an Excel 2003 XML workbook: its `Styles` as `Style`s, by their IDs.

In: the element `Styles`. Out: looks and number formats. A style takes the parts that it does not set (font, fill,
borders, alignment, number format) from its parent, that from its own, and all from the style `Default`; a part that is
set replaces the whole of the inherited one, as Excel writes it. A chain of parents that leads back to itself is cut.
Fails on patterns, which count by their colour alone.
"""

from __future__ import annotations

from lxml import etree

from tabellion.model.style import Style
from tabellion.read.xlsx_styles import DEEPEST_INDENT, real_number

SHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"
_ID, _PARENT, _DEFAULT = f"{SHEET}ID", f"{SHEET}Parent", "Default"
_PARTS = tuple(f"{SHEET}{name}" for name in ("Alignment", "Borders", "Font", "Interior", "NumberFormat"))
_SIZE = 10.0  # points of a font that does not say its size
_ON = ("1", "true", "True")
_ALIGN = {
    "Left": "left",
    "Center": "center",
    "CenterAcrossSelection": "center",
    "Right": "right",
    "Fill": "fill",
    "Justify": "justify",
    "Distributed": "justify",
    "JustifyDistributed": "justify",
}
_VERTICAL = {"Top": "top", "Center": "center", "Bottom": "bottom", "Justify": "justify", "Distributed": "distributed"}
_NAMED_FORMATS = {
    "General": None,
    "General Number": None,
    "General Date": "m/d/yyyy h:mm",
    "Long Date": "d-mmm-yyyy",
    "Medium Date": "d-mmm-yy",
    "Short Date": "m/d/yyyy",
    "Long Time": "h:mm:ss AM/PM",
    "Medium Time": "h:mm AM/PM",
    "Short Time": "h:mm",
    "Currency": '"$"#,##0.00',
    "Euro Currency": "[$€-2] #,##0.00",
    "Fixed": "0.00",
    "Standard": "#,##0.00",
    "Percent": "0.00%",
    "Scientific": "0.00E+00",
}
Parts = dict[str, etree._Element]


class WorkbookStyles:
    """Styles in the order of the file, that of unformatted cells first; their numbers by ID."""

    def __init__(self, root: etree._Element | None) -> None:
        elements = list(root.iterfind(f"{SHEET}Style")) if root is not None else []
        self._raw = {element.get(_ID) or "": element for element in elements}
        self._known: dict[str, Parts] = {}
        self.styles = [_style(self._parts(_DEFAULT))]
        self._numbers: dict[str | None, int] = {None: 0, _DEFAULT: 0}
        for name in self._raw:
            if name not in self._numbers:
                self._numbers[name] = len(self.styles)
                self.styles.append(_style(self._parts(name)))

    def number_of(self, name: str | None) -> int:
        """The number of a style; one that is not there looks as the default does."""
        return self._numbers.get(name, 0)

    def _parts(self, name: str) -> Parts:
        """The parts of a style, inherited ones included; each style is looked at once."""
        chain: dict[str, None] = {}
        while name in self._raw and name not in self._known and name not in chain:
            chain[name] = None
            name = self._raw[name].get(_PARENT) or _DEFAULT
        look = self._known.get(name, {})
        for link in reversed(chain):
            own = {str(part.tag): part for part in self._raw[link] if part.tag in _PARTS}
            look = self._known[link] = look | own
        return look


def _style(parts: Parts) -> Style:
    alignment, borders, font, interior, number = map(parts.get, _PARTS)
    drawn = {
        said(border, "Position") for border in _children(borders) if said(border, "LineStyle") not in (None, "None")
    }
    filled = said(interior, "Pattern") not in (None, "None")
    code = said(number, "Format")
    return Style(
        bold=said(font, "Bold") in _ON,
        italic=said(font, "Italic") in _ON,
        underline=said(font, "Underline") not in (None, "None"),
        size=real_number(said(font, "Size"), _SIZE),
        colour=_colour(said(font, "Color")),
        fill=_colour(said(interior, "Color")) if filled else None,
        align=_ALIGN.get(said(alignment, "Horizontal") or ""),
        valign=_VERTICAL.get(said(alignment, "Vertical") or ""),
        indent=min(max(0.0, real_number(said(alignment, "Indent"), 0.0)), DEEPEST_INDENT),
        border_top="Top" in drawn,
        border_bottom="Bottom" in drawn,
        border_left="Left" in drawn,
        border_right="Right" in drawn,
        wrap=said(alignment, "WrapText") in _ON,
        number_format=_NAMED_FORMATS.get(code, code) if code else None,
    )


def said(element: etree._Element | None, name: str) -> str | None:
    """What an element says in an attribute of the spreadsheet's own names."""
    return element.get(SHEET + name) if element is not None else None


def _children(element: etree._Element | None) -> list[etree._Element]:
    return list(element) if element is not None else []


def _colour(value: str | None) -> str | None:
    return value.upper() if value and value.startswith("#") and len(value) == 7 else None
