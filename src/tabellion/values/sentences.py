"""Sentences of a running text.

In: a text, which may end in the middle of a sentence. Out: its whole sentences and the rest. Fails on abbreviations
that it does not know.
"""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[^\d\s][.!?])[\"”')\]\d,–-]*\s+(?=[\"“(\[]?[A-Z0-9])")
_NO_END = re.compile(
    r"(?:\b(?:Fig|Figs|Tab|Tabs|Eq|Eqs|Ref|Refs|No|Nos|Vol|pp|al|cf|vs|ca|approx|resp|etc|Dr|Prof|Mr|Mrs|St|Inc|Ltd|Co|"
    r"e\.g|i\.e|sp|spp|var|subsp|Suppl|Sect|Sec|Ch|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:^|\s)[A-Z])\.$"
)


def part_sentences(text: str) -> tuple[list[str], str]:
    """The sentences of a text that have ended, and what is left of it.

    >>> part_sentences("See Fig. 3 of Smith et al. It grew. And th")
    (['See Fig. 3 of Smith et al. It grew.'], 'And th')
    """
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if not _NO_END.search(text[start : match.start()]):
            found.append(" ".join(text[start : match.end()].split()))
            start = match.end()
    return found, text[start:]
