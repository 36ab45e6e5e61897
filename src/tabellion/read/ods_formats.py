"""Number formats of an OpenDocument file, written as the format codes that spreadsheets otherwise use.

In: the `number:*-style` elements; out: codes such as `#,##0.00` or `"€"#,##0` by name. A format that differs for
negative numbers is taken in its form for the others. Months and days by name become their digits.
"""

from __future__ import annotations

from lxml import etree

from tabellion.read.ods_names import NUMBER, STYLE

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
        return min(int(value), 30) if value.isdigit() else 0

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
