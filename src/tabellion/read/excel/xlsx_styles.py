"""The looks of a workbook: `styles.xml` and the theme's colours as one `Style` a cell format.

A cell format (`cellXfs`) takes what it does not set itself from its named style (`cellStyleXfs`); a missing or
broken index falls back to the plain look, and since one step of inheritance is all there is, cycles cannot loop.
Colours of themes are taken without system overrides; tints are approximate.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TypeVar

from lxml import etree

from tabellion.errors import MalformedError
from tabellion.model.document import Issue
from tabellion.model.style import PLAIN, Style
from tabellion.read.spreadsheet.number_format import BUILT_IN
from tabellion.read.spreadsheet.package import Package

_THEME_ORDER = (
    "lt1",
    "dk1",
    "lt2",
    "dk2",
    "accent1",
    "accent2",
    "accent3",
    "accent4",
    "accent5",
    "accent6",
    "hlink",
    "folHlink",
)
_INDEXED = tuple(
    (
        "000000FFFFFFFF000000FF000000FFFFFF00FF00FF00FFFF000000FFFFFFFF000000FF000000FFFFFF00FF00FF00FFFF"
        "800000008000000080808000800080008080C0C0C08080809999FF993366FFFFCCCCFFFF660066FF80800066CCCCCCFF"
        "000080FF00FFFFFF0000FFFF8000808000000080800000FF00CCFFCCFFFFCCFFCCFFFF9999CCFFFF99CCCC99FFFFCC99"
        "3366FF33CCCC99CC00FFCC00FF9900FF6600666699969696003366339966003300333300993300993366333399333333"
    )[i : i + 6]
    for i in range(0, 64 * 6, 6)
)
Item = TypeVar("Item")

_OFF = ("0", "false", "off")
DEEPEST_INDENT = 250.0  # as in spreadsheet programs
_ALIGN = {"general": None, "centerContinuous": "center", "distributed": "justify"}


def read_styles(package: Package, part: str | None, theme_part: str | None, issues: list[Issue]) -> tuple[Style, ...]:
    """The style of every cell format, in the order of `cellXfs`; at least one."""
    root = _tree(package, part, issues)
    if root is None:
        return (PLAIN,)
    colours = _Colours(root, _tree(package, theme_part, issues))
    formats = dict(BUILT_IN)
    for element in root.iterfind("{*}numFmts/{*}numFmt"):
        number = _whole(element.get("numFmtId"), -1)
        if number >= 0:
            formats[number] = element.get("formatCode") or "General"
    parts = _Parts(
        [_font(e, colours) for e in root.iterfind("{*}fonts/{*}font")],
        [_fill(e, colours) for e in root.iterfind("{*}fills/{*}fill")],
        [_border(e) for e in root.iterfind("{*}borders/{*}border")],
        formats,
    )
    named = list(root.iterfind("{*}cellStyleXfs/{*}xf"))
    styles = tuple(parts.style(xf, named) for xf in root.iterfind("{*}cellXfs/{*}xf"))
    return styles or (PLAIN,)


def _tree(package: Package, part: str | None, issues: list[Issue]) -> etree._Element | None:
    """A parsed part; None, with a word on it, where it is broken: a sheet can be read without its looks."""
    try:
        return package.tree(part) if part else None
    except MalformedError as error:
        issues.append(Issue("read", f"looks are missing: {error}"))
        return None


class _Parts:
    """The tables of fonts, fills, borders and number formats that cell formats point into."""

    def __init__(
        self,
        fonts: list[dict[str, object]],
        fills: list[str | None],
        borders: list[dict[str, object]],
        formats: dict[int, str],
    ) -> None:
        self.fonts, self.fills, self.borders, self.formats = fonts, fills, borders, formats

    def style(self, xf: etree._Element, named: list[etree._Element]) -> Style:
        base = _whole(xf.get("xfId"), -1)
        parent = named[base] if 0 <= base < len(named) else None
        look: dict[str, object] = {}
        look |= _at(self.fonts, _inherited(xf, parent, "fontId"), {})
        look |= _at(self.borders, _inherited(xf, parent, "borderId"), {})
        look["fill"] = _at(self.fills, _inherited(xf, parent, "fillId"), None)
        code = self.formats.get(_inherited(xf, parent, "numFmtId"), "General")
        look["number_format"] = None if code.lower() == "general" else code
        alignment = xf.find("{*}alignment")
        if alignment is None and parent is not None and xf.get("applyAlignment") not in ("1", "true"):
            alignment = parent.find("{*}alignment")
        if alignment is not None:
            look |= _alignment(alignment)
        return Style(**look)  # type: ignore[arg-type]


def _inherited(xf: etree._Element, parent: etree._Element | None, name: str) -> int:
    """An index of the cell format, or of its named style where the cell format does not have it."""
    value = xf.get(name)
    if value is None and parent is not None:
        value = parent.get(name)
    return _whole(value, 0)


def _font(font: etree._Element, colours: _Colours) -> dict[str, object]:
    look: dict[str, object] = {}
    for element in font:
        name = _local(element)
        value = element.get("val")
        if name == "b":
            look["bold"] = value not in _OFF
        elif name == "i":
            look["italic"] = value not in _OFF
        elif name == "u":
            look["underline"] = value != "none"
        elif name == "sz":
            look["size"] = real_number(value, 11.0)
        elif name == "color":
            look["colour"] = colours.of(element)
    return look


def _fill(fill: etree._Element, colours: _Colours) -> str | None:
    pattern = fill.find("{*}patternFill")
    if pattern is not None:
        if pattern.get("patternType") in (None, "none"):
            return None
        front = pattern.find("{*}fgColor")
        return colours.of(front) if front is not None else None
    stop = fill.find("{*}gradientFill/{*}stop/{*}color")
    return colours.of(stop) if stop is not None else None


def _border(border: etree._Element) -> dict[str, object]:
    look: dict[str, object] = {}
    for element in border:
        name = _local(element)
        side = {"start": "left", "end": "right"}.get(name, name)
        if side in ("left", "right", "top", "bottom"):
            look[f"border_{side}"] = element.get("style") not in (None, "none")
    return look


def _alignment(alignment: etree._Element) -> dict[str, object]:
    across = alignment.get("horizontal")
    return {
        "align": _ALIGN.get(across, across) if across else None,
        "valign": alignment.get("vertical"),
        "indent": min(max(0.0, real_number(alignment.get("indent"), 0.0)), DEEPEST_INDENT),
        "wrap": alignment.get("wrapText") in ("1", "true"),
        "across": across == "centerContinuous",
    }


class _Colours:
    """Colours by theme, index or value as `#RRGGBB`."""

    def __init__(self, styles: etree._Element, theme: etree._Element | None) -> None:
        own = [e.get("rgb") or "" for e in styles.iterfind("{*}colors/{*}indexedColors/{*}rgbColor")]
        self.indexed = [rgb[-6:].upper() for rgb in own] or _INDEXED
        self.theme: dict[str, str] = {}
        scheme = theme.find("{*}themeElements/{*}clrScheme") if theme is not None else None
        for element in scheme if scheme is not None else ():
            inner = next(iter(element), None)
            value = (inner.get("lastClr") or inner.get("val")) if inner is not None else None
            if value and len(value) == 6:
                self.theme[_local(element)] = value.upper()

    def of(self, element: etree._Element) -> str | None:
        rgb = element.get("rgb")
        if rgb is None and element.get("theme") is not None:
            index = _whole(element.get("theme"), -1)
            rgb = self.theme.get(_THEME_ORDER[index]) if 0 <= index < len(_THEME_ORDER) else None
        if rgb is None and element.get("indexed") is not None:
            index = _whole(element.get("indexed"), -1)
            rgb = self.indexed[index] if 0 <= index < len(self.indexed) else None
        if rgb is None or len(rgb) < 6:
            return None
        return _tinted(rgb[-6:].upper(), real_number(element.get("tint"), 0.0))


def _tinted(rgb: str, tint: float) -> str | None:
    """A colour made lighter (positive tint) or darker, channel by channel."""
    try:
        channels = [int(rgb[i : i + 2], 16) for i in (0, 2, 4)]
    except ValueError:
        return None
    if tint:
        channels = [round(c * (1 + tint) if tint < 0 else c + (255 - c) * tint) for c in channels]
    return "#" + "".join(f"{min(255, max(0, c)):02X}" for c in channels)


def _local(element: etree._Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _at(items: Sequence[Item], index: int, otherwise: Item) -> Item:
    return items[index] if 0 <= index < len(items) else otherwise


def _whole(text: str | None, otherwise: int) -> int:
    try:
        return int(text) if text is not None else otherwise
    except ValueError:
        return otherwise


def real_number(text: str | None, otherwise: float) -> float:
    """A number that the XML gives; `otherwise` where it gives none."""
    try:
        number = float(text) if text is not None else otherwise
    except ValueError:
        return otherwise
    return number if isfinite(number) else otherwise
