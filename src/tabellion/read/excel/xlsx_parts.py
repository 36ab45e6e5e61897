"""The parts of an xlsx workbook that its sheets point to: its texts and its looks.

Texts are those of the shared strings part and inline ones, with what is bold in them. Plain entries are found by one
pattern over the part; a part that the pattern does not fully cover (prefixes, comments, CDATA) is parsed by lxml
instead, with the same result. Phonetic runs are left out; short superscripts become the superscript letters of Unicode.

Looks are `styles.xml` and the theme's colours as one `Style` per cell format. A cell format (`cellXfs`) takes what it
does not set itself from its named style (`cellStyleXfs`); a missing or broken index falls back to the plain look, and
since one step of inheritance is all there is, cycles cannot loop. Colours of themes are taken without system overrides;
tints are approximate.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite
from typing import NamedTuple, TypeVar

from lxml import etree

from tabellion.errors import MalformedError
from tabellion.model.document import Issue
from tabellion.model.style import PLAIN, Style
from tabellion.read.spreadsheet.package import Package, parse_xml
from tabellion.read.spreadsheet.sheets import BUILT_IN

# No pattern can run past the next entry or run, so that the cost is linear whatever the part holds.
_ENTRY = re.compile(r'<si>(?:<t(?: xml:space="preserve")?+>([^<]*+)</t></si>|((?:[^<]++|<(?!/?si>))*+)</si>)|<si ?+/>')
_TEXT = re.compile(r"<t[ >/]")
_PLAIN = re.compile(r'<t(?: xml:space="preserve")?+>([^<]*+)</t>')
_RUN = re.compile(
    r"<r>(?:<rPr>((?:[^<]++|<(?!/rPr>|rPr>|r>))*+)</rPr>|(<rPr ?+/>)|)<t(?: [^<>]*+)?+(?:(?<=/)>|>([^<]*+)</t>)</r>"
)
_PHONETIC = re.compile(r"<rPh\b(?:[^<]++|<(?!/?rPh\b))*+</rPh>|<phoneticPr\b[^<>]*+/>")
_BOLD = re.compile(r"<b(?: ?/>| val=\"(?:1|true|on)\" ?/>)")
_ENTITY = re.compile(r"&(#[0-9]{1,7}|#x[0-9A-Fa-f]{1,6}|amp|lt|gt|quot|apos);")
_RAISED = str.maketrans("0123456789abcdefghijklmnoprstuvwxyz()", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ⁽⁾")
_MARK = re.compile(r"\s*[0-9a-pr-z()]{1,3}(?:, ?[0-9a-pr-z]{1,2})*\s*")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_ESCAPE = re.compile(r"_x([0-9A-Fa-f]{4})_")


# which kinds of runs a text has; plain numbers, since an enum member is slow to reach in a loop
BOLD, NOT_BOLD = 1, 2
AS_CELL = 4  # a run that looks as its cell does


class Text(NamedTuple):
    """A text and the kinds of its runs: 0 for a text without runs."""

    text: str
    bold: int = 0


def read_strings(part: str, name: str) -> list[Text]:
    """All entries of a shared strings part, in order."""
    found = _ENTRY.findall(part)
    if "<!" in part or len(found) != part.count("<si"):
        return [element_text(e) for e in parse_xml(part, name).iterfind("{*}si")]
    return [Text(unescaped(plain)) if not rich else inner_text(rich) for plain, rich in found]


def inner_text(inner: str) -> Text:
    """The text inside an `si` or `is` element."""
    if "<rPh" in inner or "<phoneticPr" in inner:
        inner = _PHONETIC.sub("", inner)
    if plain := _PLAIN.fullmatch(inner):
        return Text(unescaped(plain[1]))
    runs = _RUN.findall(inner)
    if len(runs) != inner.count("<r>") or len(runs) != len(_TEXT.findall(inner)):
        return element_text(parse_xml(f"<si>{inner}</si>", "strings"))
    pieces, raised, bold = [], [], 0
    for properties, empty, escaped in runs:
        text = unescaped(escaped)
        if text and not text.isspace():
            bold |= _run_bold(bool(properties or empty), bool(_BOLD.search(properties)))
        pieces.append(text)
        raised.append("superscript" in properties)
    return Text(joined_runs(pieces, raised), bold)


def unescaped(text: str, entities: bool = True) -> str:
    r"""Text with entities and the `_x000A_` escapes of OOXML resolved.

    >>> unescaped("Smith &amp; Sons_x000A_Ltd")
    'Smith & Sons\nLtd'
    """
    if entities and "&" in text:
        text = _ENTITY.sub(_entity, text)
    if "_x" in text:
        text = _ESCAPE.sub(lambda match: _letter(int(match[1], 16)), text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def element_text(element: etree._Element) -> Text:
    """The text of a parsed `si` or `is` element."""
    pieces, raised, bold = [], [], 0
    for child in element:
        name = str(child.tag).rpartition("}")[2]
        if name == "t":
            pieces.append(child.text or "")
            raised.append(False)
        elif name == "r":
            text = "".join(t.text or "" for t in child.iterfind("{*}t"))
            properties = child.find("{*}rPr")
            if text and not text.isspace():
                mark = properties.find("{*}b") if properties is not None else None
                is_bold = mark is not None and mark.get("val") not in ("0", "false", "off")
                bold |= _run_bold(properties is not None, is_bold)
            place = properties.find("{*}vertAlign") if properties is not None else None
            pieces.append(text)
            raised.append(place is not None and place.get("val") == "superscript")
    return Text(unescaped(joined_runs(pieces, raised), entities=False), bold)


def joined_runs(pieces: list[str], raised: list[bool]) -> str:
    """Runs as one text, short superscripts as a reader sees them, so that a note mark is no part of its word.

    >>> joined_runs(["Total", "1", " in km", "2"], [False, True, False, True]), joined_runs(["12"], [True])
    ('Total¹ in km²', '12')
    """
    if not any(raised) or all(up or not piece.strip() for piece, up in zip(pieces, raised, strict=True)):
        return "".join(pieces)
    return "".join(
        piece.translate(_RAISED) if up and _MARK.fullmatch(piece) else piece
        for piece, up in zip(pieces, raised, strict=True)
    )


def _run_bold(own: bool, bold: bool) -> int:
    if not own:
        return AS_CELL
    return BOLD if bold else NOT_BOLD


def _entity(match: re.Match[str]) -> str:
    name = match[1]
    if name in _NAMED:
        return _NAMED[name]
    return _letter(int(name[2:], 16) if name.startswith("#x") else int(name[1:]))


def _letter(code: int) -> str:
    """A character by its code; surrogates and codes beyond Unicode become the replacement sign."""
    return chr(code) if code < 0xD800 or 0xDFFF < code < 0x110000 else "\ufffd"


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
