"""What kind of thing each cell of a web page holds, told at one look at its text.

In: the cells of a page. Out: one small number per cell. Far cheaper than reading the values, since nearly all
candidates of a page are layout and are never read. Fails on numbers with units in front and on dates in rare languages.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import IntEnum
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tabellion.patterns import short_pattern


class Kind(IntEnum):
    """What a text is by its shape."""

    EMPTY = 0
    NUMBER = 1
    DATE = 2
    LABEL = 3  # a few words, without digits
    MIXED = 4  # words and digits
    PROSE = 5  # a sentence or more
    SIGN = 6  # neither letters nor digits


_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|"
    r"dic|gen|mag|giu|lug|set|ott|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек)[^\W\d_]{0,7}\.?"
)
_FIGURE = short_pattern(
    rf"""
    (?P<number>[(\[<>~≈+±−–-]*\s*(?:[$£€¥₹]|US\$|USD|EUR|GBP|Rs\.?)?\s*[(+−–-]?\s*\d[\d.,'’\s]*
        (?:\s*(?:%|‰|°[CF]?|[$£€¥₹]|[kKMGTµ]?[BbgmLlWwVAhsxX]|mm|cm|km|kg|mg|ml|GB|MB|kB|Mio|Mrd|bn|mn|pts?|st|nd|rd|th|EUR|
        USD|zł|Kč|kr|руб|sq\.?\s?(?:ft|m)|in|ft|lbs?|oz|min|sec|hrs?|kcal|kJ|p)\.?)?\s*[)\]*†]*)
    |(?P<date>\d{{1,4}}[./-]\d{{1,2}}[./-](?:\d{{2}}|\d{{4}})(?:[\sT,]+\d{{1,2}}:\d\d(?::\d\d)?)?|\d{{1,2}}:\d\d(?::\d\d)?
        (?:\s*[ap]\.?m\.?|\s*(?:Uhr|h|GMT|ET|EST|EDT|PST|UTC))?|(?:\w{{2,9}}\.?,?\s+)?{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?
        (?:,?\s+\d{{4}})?|(?:\w{{2,9}}\.?,?\s+)?\d{{1,2}}(?:st|nd|rd|th|\.)?\s+{_MONTH}(?:,?\s+\d{{2,4}})?|{_MONTH}\s+\d{{4}})
    """,
    re.X | re.I,
)
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W_]")
_SENTENCE = re.compile(r"[^\W\d_]{3,}[.!?…](?:\s|$)")
_LONG = 80  # letters that make a text prose by length alone
_WORDY = 45  # letters from which a full stop makes it prose
_KEPT = 1 << 15  # short texts whose kind is kept: the pages of a site say the same again and again
_SHORT = 60  # longer texts are no number and no date


def tell_kind(text: str) -> Kind:
    """The kind of one text.

    >>> tell_kind("$ 1,234.50").name, tell_kind("12 May 2003").name, tell_kind("Net income").name, tell_kind("»").name
    ('NUMBER', 'DATE', 'LABEL', 'SIGN')
    """
    text = text.strip()
    return Kind.PROSE if len(text) > _LONG else _tell_short(text)


@lru_cache(maxsize=_KEPT)
def _tell_short(text: str) -> Kind:
    if not text:
        return Kind.EMPTY
    size = len(text)
    digit = _DIGIT.search(text)
    if size <= _SHORT:
        if not digit and not _LETTER.search(text):
            return Kind.SIGN
        if digit and (match := _FIGURE.fullmatch(text)):
            return Kind.NUMBER if match["number"] else Kind.DATE
    if size > _WORDY and _SENTENCE.search(text):
        return Kind.PROSE
    return Kind.MIXED if digit else Kind.LABEL


def tell_kinds(texts: Sequence[str]) -> NDArray[np.uint8]:
    """The kind of each text."""
    known = {text: int(tell_kind(text)) for text in set(texts)}
    return np.fromiter((known[text] for text in texts), np.uint8, len(texts))
