"""What leads a label: blanks, dots, dashes and bullets, as one indent.

In: a text as it stands in a cell. Out: the text without its leaders and the indent in steps of about two
letters, the measure of `Style.indent`. Dot leaders that run from a label to its values are dropped as well.
Fails where a dash that leads is part of the label itself.
"""

from __future__ import annotations

import re

_WIDE = "\t\u2003\u3000"  # a tab, an em space or an ideographic space is a whole step
_BLANKS = re.compile(r"[\s\u200b\ufeff]*")
_DOTS = re.compile(r"[.…·](?:\s*[.…·])*\s*(?=[^\W_]|[$(\"'<>≥≤])")
_DASHES = re.compile(r"(?:[-‐‑‒–—―−•●○◦▪■□►▸⁃]\s*)+(?=[^\W\d_]|[\"'(])|(?:[-–—•●○◦▪■□►▸⁃]\s+)+(?=\d)")
_LONGEST = 400  # a longer text is prose, and no leader runs from it to a value
_LEADERS_END = (".", "…", "·", "_")
_TRAILING = re.compile(r"(?:\s*[.…·_]){3,}\s*$|(?<=\w)\s*\.{2,}\s*$")


def split_leaders(text: str) -> tuple[str, float]:
    """The text without what leads it, and the indent.

    >>> split_leaders("..65 years and over")
    ('65 years and over', 1.0)
    >>> split_leaders("    - of which women")
    ('of which women', 3.0)
    >>> split_leaders("Total, all ages........")
    ('Total, all ages', 0.0)
    """
    end, indent = (0, 0.0) if text[:1].isalnum() else _leaders(text)
    body = text[end:].rstrip(" \t\n\r\xa0\u200b\ufeff\u3000")
    return _TRAILING.sub("", body) if body[-1:] in _LEADERS_END and len(body) <= _LONGEST else body, indent


def _leaders(text: str) -> tuple[int, float]:
    """Where what leads a text ends, and the indent that it makes."""
    end = _match_end(_BLANKS, text, 0)
    indent = sum((1.0 if sign in _WIDE else 0.5 for sign in text[:end]), 0.0)
    dots = _DOTS.match(text, end)
    if dots:
        indent += 0.5 * sum(3 if sign == "…" else sign in ".·" for sign in dots[0])
        end = dots.end()
    dashes = _DASHES.match(text, end)
    if dashes:
        indent += sum(not sign.isspace() for sign in dashes[0])
        end = dashes.end()
    return end, indent


def join_blanks(text: str) -> str:
    r"""The text on one line with single blanks.

    >>> join_blanks("Asian/  Pacific\nIslander ")
    'Asian/ Pacific Islander'
    """
    return " ".join(text.split())


def _match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start
