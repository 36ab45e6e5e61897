"""Where the words of a question stand in a table: short pieces of text with the words between marks.

In: a question and a table. Out: for each field, the labels or lines that hold a word of it. Of cells only the first
some hundred are looked through, which the index keeps for that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from tabellion.library.details import Details
from tabellion.library.kept import DocumentRecord, TableRecord
from tabellion.library.questions import Question
from tabellion.library.terms import find_terms, is_number, is_stop_word, stem

OPEN, CLOSE = "«", "»"  # around a word that was found
_PIECES = 3  # pieces shown of one field
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")  # of plain letters
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
            document.source.rpartition("/")[2],
            *(json.loads(document.authors) if document.authors != "[]" else ()),
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
    words = _words_found("\n".join(texts).lower(), wanted, language)
    if not words:
        return pieces  # most texts hold none of the words, which is seen at once
    for text in texts:
        lowered = text.lower()
        if not any(word in lowered for word in words):
            continue
        marked = mark_words(text, wanted, language, seen)
        if marked and marked not in pieces:
            pieces.append(marked)
            if len(pieces) == _PIECES:
                break
    return pieces


def _words_found(text: str, wanted: set[str], language: str) -> set[str]:
    """Letters of which a text must hold some to hold a wanted term; nothing where it holds none."""
    if not text.isascii():
        return {""}
    words = {word for word in set(_WORD.findall(text)) if stem(word, language) in wanted}
    return words | {term[0] for term in wanted if is_number(term) and term[0] in text}


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
