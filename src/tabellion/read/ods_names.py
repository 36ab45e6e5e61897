"""The names of OpenDocument elements and attributes, as lxml and as expat spell them; its lengths and repeats."""

from __future__ import annotations

import re

_BASE = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
OFFICE, TABLE, TEXT, STYLE, NUMBER = (_BASE % name for name in ("office", "table", "text", "style", "datastyle"))
FO = _BASE % "xsl-fo-compatible"
META = _BASE % "meta"
CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
DUBLIN = "{http://purl.org/dc/elements/1.1/}"
# Expat puts a bracket between namespace and name only.
OFFICE_NAME, TABLE_NAME, TEXT_NAME, CALC_NAME = OFFICE[1:], TABLE[1:], TEXT[1:], CALC[1:]

_LENGTH = re.compile(r"\s*(-?[0-9]*\.?[0-9]+)\s*(cm|mm|in|pt|pc|px)?\s*")
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
    return max(1, int(count)) if count and count.isdigit() and len(count) < 10 else 1
