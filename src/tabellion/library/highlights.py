"""Where the words of a question stand in a table: short pieces of text with the words between marks.

In: a question and a table. Out: for each field, the labels or lines that hold a word of it. Of cells only the first
some hundred are looked through, which the index keeps for that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import PurePath

from tabellion.library.questions import Question
from tabellion.library.reading import Details
from tabellion.library.records import DocumentRecord, TableRecord
from tabellion.library.words import find_terms, is_number, terms

OPEN, CLOSE = "«", "»"  # around a word that was found
_PIECES = 3  # pieces shown of one field
_HEAD = 2  # letters that a stem shares with all its words
_AROUND = 60  # letters shown before the first and after the last word


def highlight_table(
    asked: Question, document: DocumentRecord, table: TableRecord, details: Details, cells: list[str]
) -> dict[str, list[str]]:
    """The pieces of each field that hold a word of the question."""
    language = document.language
    wanted = {term for one in asked.clauses if not one.forbidden for term in terms(one.text, language)}
    if not wanted:
        return {}
    affiliated = details.metadata.affiliated
    fields: dict[str, Iterable[str]] = {
        "caption": [table.caption or table.title or ""],
        "header": details.header_words,
        "stub": details.stub_words,
        "note": affiliated.footnotes,
        "reference": affiliated.references,
        "document": [document.title or "", PurePath(document.source).name, *json.loads(document.authors)],
    }
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for field, texts in fields.items():
        if pieces := _pieces(texts, wanted, language, seen):
            found[field] = pieces
    if wanted - seen and (pieces := _pieces(cells, wanted - seen, language, seen)):
        found["cell"] = pieces
    return found


def _pieces(texts: Iterable[str], wanted: set[str], language: str, seen: set[str]) -> list[str]:
    pieces: list[str] = []
    heads = {term[:1] if is_number(term) else term[:_HEAD] for term in wanted}
    for text in texts:
        if text.isascii() and not any(head in text.lower() for head in heads):
            continue  # most texts hold none of the words, which is seen at once
        marked = mark_words(text, wanted, language, seen)
        if marked and marked not in pieces:
            pieces.append(marked)
            if len(pieces) == _PIECES:
                break
    return pieces


def mark_words(text: str, wanted: set[str], language: str, seen: set[str] | None = None) -> str:
    """The text around the words, each between marks; empty where there is none.

    >>> mark_words("Adults who smoke, by age", {"smoke"}, "english")
    'Adults who «smoke», by age'
    """
    spots = [term for term in find_terms(text, language) if term.term in wanted]
    if not spots:
        return ""
    if seen is not None:
        seen.update(spot.term for spot in spots)
    first, last = max(spots[0].start - _AROUND, 0), min(spots[-1].end + _AROUND, len(text))
    if last - first > 6 * _AROUND:
        last = min(spots[0].end + 5 * _AROUND, len(text))
    marked, at = ["…" if first else ""], first
    for spot in spots:
        if spot.end > last:
            break
        marked += [text[at : spot.start], OPEN, text[spot.start : spot.end], CLOSE]
        at = spot.end
    return "".join([*marked, text[at:last], "…" if last < len(text) else ""])
