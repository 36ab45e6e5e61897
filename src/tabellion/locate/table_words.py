"""The words of candidates, for the word group feature (Wang, section 6.3.3)."""

from __future__ import annotations

import re
from collections import Counter

from tabellion.model.markup import MarkupPage

_WORD = re.compile(r"[^\W\d_]{2,30}")
_ENDINGS = ("ings", "ing", "edly", "ed", "ies", "es", "s")
_LEAST_STEM = 3


def count_words(page: MarkupPage, number: int) -> Counter[str]:
    """How often each word stands in a candidate, words of one stem together."""
    candidate = page.candidates[number]
    counts: Counter[str] = Counter()
    for text in page.cells.text[candidate.first : candidate.last].tolist():
        counts.update(stem(word) for word in _WORD.findall(text.lower()))
    return counts


def stem(word: str) -> str:
    """A word without its commonest English endings, a light form of the morphing that the paper uses.

    >>> stem("prices"), stem("listed"), stem("is")
    ('pric', 'list', 'is')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _LEAST_STEM:
            return word.removesuffix(ending)
    return word
