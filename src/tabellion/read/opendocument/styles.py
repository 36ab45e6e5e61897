"""The looks, number formats and names of an OpenDocument file.

The looks of an OpenDocument file: named styles with their inheritance as `Style`s. A cell's style takes what it does
not set from its parent, that from its own, and all from the default; a chain that leads back to itself is cut. Indent
is the paragraph's left margin and any padding beyond the usual, in steps of ten points, which is what spreadsheet
programs write for one step.

Number formats of an OpenDocument file, written as the format codes that spreadsheets otherwise use. In: the
`number:*-style` elements; out: codes such as `#,##0.00` or `"€"#,##0` by name. A format that differs for negative
numbers is taken in its form for the others. Months and days by name become their digits.

The names of OpenDocument elements and attributes, as lxml and as expat spell them; its lengths and repeats.
"""

from __future__ import annotations

from lxml import etree

from tabellion.model.style import PLAIN, Style
from tabellion.patterns import short_pattern

_BASE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
OFFICE, TABLE, TEXT, STYLE, NUMBER = (_BASE % name for name in ("office", "table", "text", "style", "datastyle"))
FO = _BASE % "xsl-fo-compatible"
META = _BASE % "meta"
CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
DUBLIN = "{http://purl.org/dc/elements/1.1/}"
# Expat puts a bracket between namespace and name only.
OFFICE_NAME, TABLE_NAME, TEXT_NAME, CALC_NAME = OFFICE[1:], TABLE[1:], TEXT[1:], CALC[1:]

_LENGTH = short_pattern(r"\s*(-?[0-9]*\.?[0-9]+)\s*(cm|mm|in|pt|pc|px)?\s*")
_POINTS = {"cm": 72 / 2.54, "mm": 7.2 / 2.54, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75, None: 1.0}


def points(length: str | None) -> float:
    """A length in points; 0 where there is none.

    >>> round(points("0.353cm"), 1), points("12pt"), points(None)
    (10.0, 12.0, 0.0)
    """
    match = _LENGTH.fullmatch(length) if length else None
    return float(match[1]) * _POINTS[match[2]] if match else 0.0


def repeats(count: str | None) -> int:
    """How often something stands: 1 where nothing, or nothing sensible, is said."""
    return max(1, int(count)) if count and count.isdecimal() and len(count) < 10 else 1


_KINDS = ("number", "currency", "percentage", "date", "time", "boolean", "text")
_DATE_PARTS = {
    "year": "yyyy",
    "month": "mm",
    "day": "dd",
    "hours": "hh",
    "minutes": "mm",
    "seconds": "ss",
    "am-pm": "AM/PM",
}
_NAME = f"{STYLE}name"


class OdsFormats:
    """Named formats; their codes are made when they are asked for, since a file may define hundreds and use two."""

    def __init__(self) -> None:
        self._elements: dict[str, etree._Element] = {}
        self._codes: dict[str, str | None] = {}

    def add(self, element: etree._Element) -> None:
        """Take in an element if it is a format."""
        name = element.get(_NAME)
        if name is not None and _kind(element) is not None:
            self._elements[name] = element

    def code(self, name: str | None) -> str | None:
        """The code of a format, None where it is general or not known."""
        if name is None:
            return None
        if name not in self._codes:
            element = self._elements.get(name)
            if element is not None:
                element = self._elements.get(_for_positive(element) or "", element)
            kind = _kind(element) if element is not None else None
            code = _code(element, kind) if element is not None and kind is not None else "General"
            self._codes[name] = None if code == "General" else code
        return self._codes[name]


def _for_positive(element: etree._Element) -> str | None:
    """The name of the format for positive numbers, where a format is one for negative ones."""
    for condition in element.iterfind(f"{STYLE}map"):
        if ">" in (condition.get(f"{STYLE}condition") or ""):
            return condition.get(f"{STYLE}apply-style-name")
    return None


def _kind(element: etree._Element) -> str | None:
    tag = element.tag
    if not isinstance(tag, str) or not tag.startswith(NUMBER):
        return None
    kind = tag[len(NUMBER) :].removesuffix("-style")
    return kind if kind in _KINDS else None


def _code(element: etree._Element, kind: str) -> str:
    if kind == "text":
        return "@"
    if kind == "boolean":
        return "General"
    pieces: list[str] = []
    for part in element:
        name = etree.QName(part).localname
        if name in ("number", "scientific-number", "fraction"):
            pieces.append(_digits(part, name))
        elif name == "currency-symbol":
            pieces.append(f'"{part.text or ""}"')
        elif name == "text":
            pieces.append(_literal(part.text or "", kind))
        elif name in _DATE_PARTS:
            pieces.append(_DATE_PARTS[name])
    return "".join(pieces) or "General"


def _literal(text: str, kind: str) -> str:
    """A text between digits: a percent sign and the separators of dates speak for themselves."""
    if kind == "percentage" and text.strip() == "%":
        return "%"
    if kind in ("date", "time") and all(letter in " -/:." for letter in text):
        return text
    return f'"{text}"' if text else ""


def _digits(part: etree._Element, name: str) -> str:
    def count(attribute: str) -> int:
        value = part.get(f"{NUMBER}{attribute}") or "0"
        return min(int(value), 30) if value.isdecimal() else 0

    if name == "fraction":
        return "# ?/?"
    if part.get(f"{NUMBER}min-integer-digits") is None and part.get(f"{NUMBER}decimal-places") is None:
        return "General"
    whole = "0" * max(1, count("min-integer-digits"))
    if part.get(f"{NUMBER}grouping") == "true":
        whole = "#,##" + whole if len(whole) == 1 else "#," + whole
    places = count("decimal-places")
    code = f"{whole}.{'0' * places}" if places else whole
    return code + "E+00" if name == "scientific-number" else code


_STEP = 10.0  # points of one step of indent
_USUAL_PADDING = 2.9  # points that writers put around every cell (0.1 cm at most)
_ALIGN = {"start": "left", "left": "left", "end": "right", "right": "right", "center": "center", "justify": "justify"}
_PROPERTIES = (f"{STYLE}text-properties", f"{STYLE}table-cell-properties", f"{STYLE}paragraph-properties")
_PARENT, _NUMBER_FORMAT, _SIZE = f"{STYLE}parent-style-name", f"{STYLE}data-style-name", f"{FO}font-size"
_WINDOW_COLOUR = f"{STYLE}use-window-font-color"
_SIDES = ("top", "bottom", "left", "right")


class OdsStyles:
    """Named styles; `styles` are those that were asked for, that of unformatted cells first."""

    def __init__(self, *roots: etree._Element | None) -> None:
        """Take in what stands below `office:styles` and `office:automatic-styles`."""
        self.twins: dict[tuple[int, bool], int] = {}
        self._raw: dict[tuple[str, str], etree._Element] = {}
        self._defaults: dict[str, etree._Element] = {}
        self._formats = OdsFormats()
        self._looks: dict[tuple[str, str | None], dict[str, str]] = {}
        for root in roots:
            if root is not None:
                self._add(root)
        self.styles = [_style(self._flat("table-cell", "Default"), self._formats)]
        self._numbers = {self.styles[0]: 0}
        self._of_name: dict[str | None, int] = {None: 0}
        self._bold_of_name: dict[str, bool | None] = {}

    def _add(self, root: etree._Element) -> None:
        for element in root:
            family = element.get(f"{STYLE}family")
            name = element.get(f"{STYLE}name")
            if family and name and element.tag == f"{STYLE}style":
                self._raw[family, name] = element
            elif family and element.tag == f"{STYLE}default-style":
                self._defaults[family] = element
            elif family is None:
                self._formats.add(element)

    def number_of(self, name: str | None) -> int:
        """The number of a cell style in `styles`; unknown names have the default look."""
        if name not in self._of_name:
            style = _style(self._flat("table-cell", name), self._formats)
            self._of_name[name] = self._numbers.setdefault(style, len(self.styles))
            if self._of_name[name] == len(self.styles):
                self.styles.append(style)
        return self._of_name[name]

    def bold_span(self, name: str | None) -> bool | None:
        """Whether a span's style is bold; None where it looks as its cell does."""
        if name is None:
            return None
        if name not in self._bold_of_name:
            weight = self._flat("text", name).get(f"{FO}font-weight")
            self._bold_of_name[name] = None if weight is None else _is_bold(weight)
        return self._bold_of_name[name]

    def column_width(self, name: str | None) -> float:
        """The width of a column in letters, as Excel counts them; 0 where it is not said."""
        element = self._raw.get(("table-column", name or ""))
        part = element.find(f"{STYLE}table-column-properties") if element is not None else None
        pixels = points(part.get(f"{STYLE}column-width")) / 0.75 if part is not None else 0.0
        return max(0.0, (pixels - 5) / 7)

    def hides_sheet(self, name: str | None) -> bool:
        """Whether a table's style keeps the sheet from view."""
        element = self._raw.get(("table", name or ""))
        part = element.find(f"{STYLE}table-properties") if element is not None else None
        return part is not None and part.get(f"{TABLE}display") == "false"

    def _flat(self, family: str, name: str | None) -> dict[str, str]:
        """All properties of a style, inherited ones included; the name of its number format under `number`."""
        chain: dict[str, None] = {}
        while name and (family, name) in self._raw and (family, name) not in self._looks and name not in chain:
            chain[name] = None
            name = self._raw[family, name].get(_PARENT)
        look = self._looks.get((family, name)) or _inherited({}, self._defaults.get(family))
        for link in reversed(chain):
            look = self._looks[family, link] = _inherited(look, self._raw[family, link])
        return look


def _inherited(base: dict[str, str], element: etree._Element | None) -> dict[str, str]:
    """What a style looks like that is built on another."""
    if element is None:
        return base
    look = dict(base)
    for part in element:
        if part.tag in _PROPERTIES:
            look |= _own(part)
    size = look.get(_SIZE, "")
    if size.endswith("%"):
        look[_SIZE] = f"{(points(base.get(_SIZE)) or PLAIN.size) * _percent(size)}pt"
    number = element.get(_NUMBER_FORMAT)
    if number:
        look["number"] = number
    return look


def _own(part: etree._Element) -> dict[str, str]:
    """The properties an element sets; a short form such as `border` speaks for all sides that it does not name."""
    own = {str(key): str(value) for key, value in part.attrib.items()}
    if f"{FO}color" in own:
        own.setdefault(_WINDOW_COLOUR, "false")
    for short in (f"{FO}border", f"{FO}padding"):
        if short in own:
            own = {f"{short}-{side}": own[short] for side in _SIDES} | own
    return own


def _style(look: dict[str, str], formats: OdsFormats) -> Style:
    fixed = look.get(f"{STYLE}text-align-source") != "value-type"
    align = _ALIGN.get(look.get(f"{FO}text-align", "")) if fixed else None
    if look.get(f"{STYLE}repeat-content") == "true":
        align = "fill"
    vertical = look.get(f"{STYLE}vertical-align")
    colour = None if look.get(_WINDOW_COLOUR) == "true" else look.get(f"{FO}color")
    return Style(
        bold=_is_bold(look.get(f"{FO}font-weight", "")),
        italic=look.get(f"{FO}font-style") in ("italic", "oblique"),
        underline=look.get(f"{STYLE}text-underline-style", "none") != "none",
        size=round(points(look.get(f"{FO}font-size")), 1) or PLAIN.size,
        colour=_colour(colour),
        fill=_colour(look.get(f"{FO}background-color")),
        align=align,
        valign={"middle": "center", "top": "top"}.get(vertical or ""),
        indent=_indent(look),
        border_top=_is_drawn(look, "top"),
        border_bottom=_is_drawn(look, "bottom"),
        border_left=_is_drawn(look, "left"),
        border_right=_is_drawn(look, "right"),
        wrap=look.get(f"{FO}wrap-option") == "wrap",
        number_format=formats.code(look.get("number")),
    )


def _is_bold(weight: str) -> bool:
    return weight == "bold" or (weight.isdecimal() and int(weight) >= 600)


def _is_drawn(look: dict[str, str], side: str) -> bool:
    line = look.get(f"{FO}border-{side}", "none")
    return bool(line) and "none" not in line and "hidden" not in line and not line.startswith("0 ")


def _indent(look: dict[str, str]) -> float:
    padding = points(look.get(f"{FO}padding-left")) - _USUAL_PADDING
    return round(max(0.0, points(look.get(f"{FO}margin-left")) + max(0.0, padding)) / _STEP, 1)


def _colour(value: str | None) -> str | None:
    return value.upper() if value and value.startswith("#") and len(value) == 7 else None


def _percent(value: str) -> float:
    number = value.removesuffix("%")
    return float(number) / 100 if number.replace(".", "", 1).isdecimal() else 1.0
