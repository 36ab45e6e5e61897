"""Which passages of the running text speak of a table.

In: the table's index number and the sentences that mention tables. Out: those that mention this one, alone or in a list
or range ("Tables 1 and 3", "Tables 2-4", "Table 1a").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

_NUMBER = r"[A-Z]{0,2}[-.]?\d{1,3}(?:[.]\d+)*[a-z]?|[IVXL]{1,6}(?![a-z])"
_LIST = re.compile(
    rf"\b(?:tables?|tabs?\.|tabellen?|tableaux?|tablas?)[\s\u00a0]*"
    rf"(?P<list>(?:{_NUMBER})(?:\s*(?:,|;|and|&|und|et|to|or|[-–—]|,\s*and)\s*(?:tables?\s*)?(?:{_NUMBER})(?!\w))*)",
    re.I,
)
_ITEM = re.compile(_NUMBER, re.I)
_RANGE = re.compile(r"\s*(?:[-–—]|to)\s*", re.I)
_MOST_IN_RANGE = 30
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50}


def find_mentions(index_number: str | None, sentences: Iterable[str]) -> tuple[str, ...]:
    """The sentences that mention a table, each once.

    >>> find_mentions("Table 2", ["See Tables 1–3.", "Table 12 shows it.", "As in Table 2a, so here."])
    ('See Tables 1–3.', 'As in Table 2a, so here.')
    """
    own = _key(re.sub(r"^\D*?(?=[A-Z]{0,2}[-.]?\d|[IVXL]+$)", "", index_number or ""))
    if not own:
        return ()
    return tuple(dict.fromkeys(s for s in sentences if own in _mentioned(s)))


def _mentioned(sentence: str) -> set[str]:
    found: set[str] = set()
    for match in _LIST.finditer(sentence):
        text = match["list"]
        items = list(_ITEM.finditer(text))
        found.update(_key(item[0]) for item in items)
        for a, b in pairwise(items):
            first, last = _key(a[0]), _key(b[0])
            if _RANGE.fullmatch(text[a.end() : b.start()]) and first.isdigit() and last.isdigit():
                found.update(str(n) for n in range(int(first), min(int(last), int(first) + _MOST_IN_RANGE) + 1))
    return found


def _key(text: str) -> str:
    """A number as it is compared: without a part's letter, roman numbers as others."""
    text = text.strip().strip(".")
    if re.fullmatch(r"[IVXL]{1,6}", text):
        values = [_ROMAN[c] for c in text]
        return str(sum(-v if v < max(values[n + 1 :], default=0) else v for n, v in enumerate(values)))
    return re.sub(r"(?<=\d)[a-z]$", "", text.lower()).replace("-", "")
