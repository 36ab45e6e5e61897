"""Where the words of a question stand in a table: short pieces of text with the words between marks.

In: a question and a table. Out: for each field, the labels or lines that hold a word of it. Of cells only the first
some hundred are looked through, which the index keeps for that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath

from tabellion.library.details import Details
from tabellion.library.kept import DocumentRecord, TableRecord
from tabellion.library.questions import Question
from tabellion.library.terms import find_terms, is_number, is_stop_word

OPEN, CLOSE = "«", "»"  # around a word that was found
_PIECES = 3  # pieces shown of one field
_HEAD = 2  # letters that the shortest stem shares with all its words
_CHANGED = 2  # letters at the end of a stem that may be others in a word: happy, happi
_AROUND = 60  # letters shown before the first and after the last word


def highlight_table(
    asked: Question, document: DocumentRecord, table: TableRecord, details: Details, cells: list[str]
) -> dict[str, list[str]]:
    """The pieces of each field that hold a word of the question."""
    language = document.language
    found_by = [term for one in asked.clauses if not one.forbidden for term in find_terms(one.text, language)]
    telling = {term.term for term in found_by if not is_stop_word(term.word, language)}
    wanted = telling or {term.term for term in found_by}
    if not wanted:
        return {}
    affiliated = details.metadata.affiliated
    fields: dict[str, Sequence[str]] = {
        "caption": [table.caption or table.title or ""],
        "header": details.all_heads,
        "stub": details.stub_words,
        "note": affiliated.footnotes,
        "reference": affiliated.references,
        "document": [
            document.title or "",
            PurePath(document.source).name,
            *json.loads(document.authors),
            table.sheet or "",
        ],
    }
    found: dict[str, list[str]] = {}
    seen: set[str] = set()
    for field, texts in fields.items():
        if pieces := _pieces(texts, wanted, language, seen):
            found[field] = pieces
    if wanted - seen and (pieces := _pieces(cells, wanted - seen, language, seen)):
        found["cell"] = pieces
    return found


def _pieces(texts: Sequence[str], wanted: set[str], language: str, seen: set[str]) -> list[str]:
    pieces: list[str] = []
    together = "\n".join(texts).lower()
    heads = [head for head in {_head_of(term) for term in wanted} if head in together]
    if not heads and together.isascii():
        return pieces  # most texts hold none of the words, which is seen at once
    for text in texts:
        if text.isascii() and not any(head in text.lower() for head in heads):
            continue
        marked = mark_words(text, wanted, language, seen)
        if marked and marked not in pieces:
            pieces.append(marked)
            if len(pieces) == _PIECES:
                break
    return pieces


def _head_of(term: str) -> str:
    """The letters that a term shares with all words that it is the stem of."""
    return term[:1] if is_number(term) else term[: max(_HEAD, len(term) - _CHANGED)]


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
