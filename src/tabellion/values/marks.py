"""Note marks in labels: what points to a footnote and is no part of the label.

In: a label. Out: the label without its marks, and the marks in the order read. A digit glued to a word
("Imports1") is a mark only where `numbered` says that the grid has a note of that number; "CO2" and "m²"
stay whole. Fails where a bracketed number at the end is part of the name.
"""

from __future__ import annotations

import re
from collections.abc import Set

_BACKSLASH = re.compile(r"\s*\(?\\(\d{1,2}|[A-Za-z])(?![\w.]\w)\\?\)?(?:\s*,(?=\s*\\))?")
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ"
_PLAIN = str.maketrans(_SUPERSCRIPT, "0123456789abcdefpr")
_RAISED = re.compile(
    rf"(?<!\b[mM])(?<!\b[ckdmh]m)(?<!\bft)(?<!\bin)(?<!\byd)\s*[⁽(]?([{_SUPERSCRIPT}]{{1,6}})[⁾)]?(?![\w^])"
)
_SIGNS = re.compile(r"(?:(?<=[\w.)\]%\"'’])\s*|\s+)([*∗]{1,4}|[†‡]{1,2}|[§¶](?=$)|(?<! )#(?=$))(?=$|[\s,:;)])")
_LEADING_SIGN = re.compile(r"([*∗]{1,3}|[†‡]{1,2})\s*(?=\w)")
_NUMBERS = r"\d{1,2}(?:\s*[,;]\s*\d{1,2})*"
_BRACKETED = re.compile(
    rf"(?<=[\w.)\]%:])(?:\s*\(\s*({_NUMBERS})\s*\)|\s+\(\s*([a-z])\s*\)|\s*\[\s*({_NUMBERS}|[a-z])\s*\])$"
)
_NAMED_BY_NUMBER = re.compile(
    r"\b(?:models?|col(?:umn)?s?\.?|eq(?:uation)?s?\.?|no\.?|part|lines?|items?|rows?)$", re.I
)
_UNITS = frozenset("glmst")  # Depth (m): grams, litres, metres, seconds, tonnes, where no note is known by the letter
_CLOSED = re.compile(r"(?:(?<=[^\W\d])\s*|\s+)(\d{1,2})[/)]$")
_SLASHED = re.compile(r"(?:\s+|(?<=[^\W\d]))/(\d{1,2})$")
_YEAR_FLAG = re.compile(r"\b((?:1[89]|20)\d\d)\s?([rpe])\b(?!\.)")
_GLUED = re.compile(
    r"(?<=[a-zà-öø-ÿ]{3})(?<![Tt]ype)(?<!evel)(?<!hase)(\d{1,2}(?:,\d{1,2})*)(?=$|[\s,:;])|(?<=[)\]])(\d)$"
)
_SUSPECT_ENDS, _SUSPECT_SIGNS = ")]/\n", re.compile(rf"[\d\\{_SUPERSCRIPT}*∗†‡§¶#]")  # no mark without one of these
_SUSPECT = re.compile(  # one look that spares most labels the rest
    rf"[\\{_SUPERSCRIPT}*∗†‡§¶#]|[)\]/]$|/\d\d?$|(?:1[89]|20)\d\d ?[rpe]\b|[^\W\d_]\d\d?(?:$|[ ,:;])|[)\]]\d$"
)


def split_marks(text: str, numbered: Set[str] = frozenset()) -> tuple[str, tuple[str, ...]]:
    r"""A label without its note marks, and the marks; `numbered` holds the numbers of notes known to exist.

    >>> split_marks(r"1990 \1, \3")
    ('1990', ('1', '3'))
    >>> split_marks("Carbon dioxide**"), split_marks("Land use (LULUCF) 1)")
    (('Carbon dioxide', ('**',)), ('Land use (LULUCF)', ('1',)))
    >>> split_marks("Depth (m)"), split_marks("Exports (b)")
    (('Depth (m)', ()), ('Exports', ('b',)))
    >>> split_marks("Imports1"), split_marks("Imports1", {"1"}), split_marks("CO2", {"2"})
    (('Imports1', ()), ('Imports', ('1',)), ('CO2', ()))
    """
    if not (text[-1:] in _SUSPECT_ENDS or _SUSPECT_SIGNS.search(text)) or not _SUSPECT.search(text):
        return text, ()
    label, found = text, list[tuple[int, str]]()
    for pattern in (_BACKSLASH, _RAISED, _SIGNS):
        label = _take(pattern, label, found)
    label = _take(_LEADING_SIGN, label, found, at_start=True)
    for _ in range(3):
        before = label
        bracketed = _BRACKETED.search(label)
        unit = bracketed and bracketed[2] in _UNITS and bracketed[2] not in numbered
        if bracketed and not unit and not _NAMED_BY_NUMBER.search(label[: bracketed.start()]):
            label = _take(_BRACKETED, label, found)
        if label.endswith("/") or label.count("(") < label.count(")"):
            label = _take(_CLOSED, label, found)
        label = _take(_SLASHED, label, found)
        if label == before:
            break
    flagged = _YEAR_FLAG.search(label)
    if flagged:
        found.append((flagged.start(2), flagged[2]))
        label = f"{label[: flagged.end(1)]}{label[flagged.end(2) :]}"
    if numbered:
        glued = _GLUED.search(label)
        if glued and set((glued[1] or glued[2]).split(",")) <= numbered:
            label = _take(_GLUED, label, found)
    label = label.strip()
    if not label or not found:
        return text, ()
    marks = (mark for _, joined in sorted(found) for mark in re.split(r"\s*[,;]\s*", joined))
    return label, tuple(dict.fromkeys(marks))


def _take(pattern: re.Pattern[str], label: str, found: list[tuple[int, str]], at_start: bool = False) -> str:
    """Remove what the pattern finds and remember the marks with their places."""

    def remember(match: re.Match[str]) -> str:
        mark = next(group for group in match.groups() if group)
        found.append((match.start(), mark.translate(_PLAIN)))
        return ""

    if at_start:
        match = pattern.match(label)
        return remember(match) + label[match.end() :] if match else label
    return pattern.sub(remember, label)
