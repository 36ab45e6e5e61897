"""Sentences of a running text, and whether they mention a table.

In: a text, which may end in the middle of a sentence. Out: its whole sentences and the rest; whether one names a table
by its number. Fails on abbreviations, and on words for a table in languages, that it does not know.
"""

from __future__ import annotations

import re

_BEGINNINGS = ("tab", "Tab", "TAB")  # how every word for a table begins; a page is searched for them far faster
_MENTION = re.compile(
    r"\b(?:tables?|tabs?\.|tabellen?|tableaux?|tablas?)[\s\u00a0]*[A-Z]{0,2}[-.]?(?:\d|[IVX]+\b)", re.I
)
_END = re.compile(r"(?<=[^\d\s][.!?])[\"”')\]\d,–-]*\s+(?=[\"“(\[]?[A-Z0-9])")
_NO_END = re.compile(
    r"(?:\b(?:Fig|Figs|Tab|Tabs|Eq|Eqs|Ref|Refs|No|Nos|Vol|pp|al|cf|vs|ca|approx|resp|etc|Dr|Prof|Mr|Mrs|St|Inc|Ltd|Co|"
    r"e\.g|i\.e|sp|spp|var|subsp|Suppl|Sect|Sec|Ch|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)|(?:^|\s)[A-Z])\.$"
)


def mentions_table(text: str) -> bool:
    """Whether a text names a table by its number.

    >>> mentions_table("As Table 2 shows, it grew."), mentions_table("The table was set.")
    (True, False)
    """
    for beginning in _BEGINNINGS:
        at = text.find(beginning)
        while at >= 0:
            if _MENTION.match(text, at):
                return True
            at = text.find(beginning, at + 1)
    return False


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
