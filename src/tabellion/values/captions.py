"""Captions: lines that open with a table's (or a figure's) label.

A table's caption is told by its keyword at the start of a line, as in Liu et al. 2006, section 3, widened to the labels
of several languages, to roman numbers and to "continued". What follows the label tells a caption from a sentence
that begins with a mention ("Table 2 shows ...").
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_NUMBER = r"(?:[A-Z]{0,2}[-.]?\d+(?:[-.–]\d+)*[a-z]?|[IVXLC]{1,6}|[A-Z](?=[.:\s]))"
_TABLE = re.compile(
    rf"\s*(?P<label>(?:supplement\w*\s+|appendix\s+)?(?:table|tab\.?|tabelle|tableau|tabla|tabela|tabella|exhibit|form)"
    rf"[\s\u00a0-]*(?P<number>{_NUMBER}))(?P<rest>.*)",
    re.I | re.S,
)
_FIGURE = re.compile(
    rf"\s*(?P<label>(?:supplement\w*\s+)?(?:figure|fig\.?|chart|graph|scheme|plate|box|abbildung|abb\.?|map|diagram|equation|algorithm|listing)"
    rf"[\s\u00a0-]*(?P<number>{_NUMBER}))(?P<rest>.*)",
    re.I | re.S,
)
_MENTION = re.compile(r"\s*(?:[),;]|[a-zà-öø-ÿ]{2,}\b)")  # a sentence goes on: "Table 2 shows", "Table 2)"
_GOES_ON = r"(?:continued|continuation|cont\.|cont['’]?d\b\.?|fortsetzung|suite)"
_CONTINUED = re.compile(rf"^\W*{_GOES_ON}|[(\[–—-]\s*{_GOES_ON}|\b{_GOES_ON}\W*$", re.I)
_SEPARATOR = re.compile(r"^[\s.:|–—\-]*")

Kind = Literal["table", "figure"]


class Caption(NamedTuple):
    """An opening label: what it labels, the label itself, what follows, whether it says continued."""

    kind: Kind
    label: str
    rest: str
    continued: bool


def read_caption(text: str) -> Caption | None:
    """The caption that a line opens, or None where it opens none.

    >>> read_caption("Table 2. Effect of dose (continued)")
    Caption(kind='table', label='Table 2', rest='Effect of dose (continued)', continued=True)
    >>> read_caption("Table 2 shows the effect of dose.") is None
    True
    >>> read_caption("Table 3. Growth of the control and of plants under continued stress.").continued
    False
    >>> read_caption("TABLE IV").label
    'TABLE IV'
    """
    kinds: tuple[tuple[Kind, re.Pattern[str]], ...] = (("table", _TABLE), ("figure", _FIGURE))
    for kind, pattern in kinds:
        match = pattern.match(text)
        if not match:
            continue
        number, rest = match["number"], match["rest"]
        if number.isalpha() and number.islower():
            continue  # "table of", "form a"
        if rest and rest[:1].isalnum():
            continue
        if _MENTION.match(rest) and not _SEPARATOR.match(rest)[0].strip():  # type: ignore[index]
            continue
        label = " ".join(match["label"].split())
        return Caption(kind, label, _SEPARATOR.sub("", rest).strip(), bool(_CONTINUED.search(rest)))
    return None
