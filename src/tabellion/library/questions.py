"""What a person types into search, taken apart, and where its words stand in a table.

Taken apart: words, phrases, fields and conditions. In: `smoking "by age" header:women -rate year:1990..2000
medium:pdf`. Out: a `Question`. Nothing that can be typed is an error: what is no known field is searched for as words.

Where the words of a question stand in a table: short pieces of text with the words between marks. In: a question and a
table. Out: for each field, the labels or lines that hold a word of it. Of cells only the first some hundred are looked
through, which the index keeps for that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence, Set
from functools import lru_cache
from operator import attrgetter

import msgspec

from tabellion.library.entries import TEXT_FIELDS
from tabellion.library.holdings import Details, DocumentRecord, TableRecord
from tabellion.library.terms import DEFAULT, Term, find_terms, is_number, is_stop_word, stem

OPEN, CLOSE = "«", "»"  # around a word that was found
_PIECES = 3  # pieces shown of one field
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")  # of plain letters
_ENDS_IN_WORD = re.compile(r".?[a-z]\Z|[a-z]'\Z").match
_GOES_ON = re.compile(r"[a-z]|'[a-z]").match
_START = attrgetter("start")
_AROUND = 60  # letters shown before the first and after the last word


def highlight_table(
    asked: Question, document: DocumentRecord, table: TableRecord, details: Details, cells: Callable[[], list[str]]
) -> dict[str, list[str]]:
    """The pieces of each field that hold a word of the question; cells are asked for where others do not hold all."""
    language = document.language
    wanted = _wanted(tuple(one.text for one in asked.clauses if not one.forbidden), language)
    if not wanted:
        return {}
    affiliated = details.metadata.affiliated
    fields: dict[str, Sequence[str]] = {
        "caption": table.titles,
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
    joined = {field: "\n".join(texts).lower() for field, texts in fields.items()}
    words = _words_found("\n".join(one for one in joined.values() if one.isascii()), wanted, language)
    for field, texts in fields.items():
        if pieces := _pieces(texts, joined[field], words, wanted, language, seen):
            found[field] = pieces
    if missing := wanted - seen:
        texts = cells()
        whole = "\n".join(texts).lower()
        words = _words_found(whole, missing, language) if whole.isascii() else frozenset()
        if pieces := _pieces(texts, whole, words, missing, language, seen):
            found["cell"] = pieces
    return found


@lru_cache(maxsize=1_000)
def _wanted(asked: tuple[str, ...], language: str) -> frozenset[str]:
    """The terms of a question in a language; those that every text has only where it has no others."""
    found_by = [term for text in asked for term in find_terms(text, language)]
    telling = {term.term for term in found_by if not is_stop_word(term.word, language)}
    return frozenset(telling or (term.term for term in found_by))


def _pieces(
    texts: Sequence[str], whole: str, words: Set[str], wanted: Set[str], language: str, seen: set[str]
) -> list[str]:
    """The first texts that hold a wanted term; `whole` is all in small letters, `words` what to look for."""
    pieces: list[str] = []
    plain = whole.isascii()
    here = {word for word in words if word in whole} if plain else {""}
    if not here:
        return pieces  # most texts hold none of the words, which is seen at once
    plain = plain and not any(map(is_number, here))
    for text in texts:
        lowered = text.lower()
        if not any(word in lowered for word in here):
            continue
        spots = _find_words(lowered, here, language) if plain else None
        marked = mark_words(text, wanted, language, seen) if spots is None else _mark(text, spots, seen)
        if marked and marked not in pieces:
            pieces.append(marked)
            if len(pieces) == _PIECES:
                break
    return pieces


def _words_found(text: str, wanted: Set[str], language: str) -> frozenset[str]:
    """Letters of which an ASCII text must hold some to hold a wanted term; nothing where it holds none."""
    words = set(_WORD.findall(text))
    if language == DEFAULT:  # whose stems begin as their words do
        begun = {term[0] for term in wanted}
        words = {word for word in words if word[0] in begun}
    numbers = (term[0] for term in wanted if is_number(term))
    return frozenset([*(word for word in words if stem(word, language) in wanted), *numbers])


def mark_words(text: str, wanted: Set[str], language: str, seen: set[str] | None = None) -> str:
    """The text around the words, each between marks; empty where there is none.

    >>> mark_words("Adults who smoke, by age", {"smoke"}, "english")
    'Adults who «smoke», by age'
    """
    return _mark(text, [term for term in find_terms(text, language) if term.term in wanted], seen)


def _find_words(text: str, words: Set[str], language: str) -> list[Term]:
    """Where a text has some words in small letters, told as `find_terms` tells words of ASCII letters."""
    found = []
    for word in words:
        start = text.find(word)
        while start >= 0:
            end = start + len(word)
            before, after = text[max(0, start - 2) : start], text[end : end + 2]
            if not (_ENDS_IN_WORD(before) or _GOES_ON(after)):
                found.append(Term(stem(word, language), start, end, word))
            start = text.find(word, end)
    return sorted(found, key=_START)


def _mark(text: str, spots: list[Term], seen: set[str] | None) -> str:
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


FIELDS = {
    **{name: name for name in TEXT_FIELDS},
    "title": "caption",
    "headers": "header",
    "row": "stub",
    "notes": "note",
}
CONDITIONS = ("medium", "kind", "size", "document_id")
NUMBERS = ("year", "rows", "columns")
_PART = re.compile(r'(?P<sign>[-+])?(?:(?P<field>[a-z_]+):)?(?:"(?P<phrase>[^"]*)"?|(?P<word>\S+))', re.IGNORECASE)
_RANGE = re.compile(r"(\d*)(?:(\.\.|-)(\d*))?")


class Clause(msgspec.Struct, frozen=True):
    """Words to look for, in one field or in all; a phrase where there are several in quotes."""

    text: str
    field: str | None = None
    phrase: bool = False
    required: bool = False
    forbidden: bool = False

    @property
    def is_free(self) -> bool:
        """Whether it says nothing of where the words stand, and whether they must."""
        return not (self.field or self.phrase or self.required or self.forbidden)


class Condition(msgspec.Struct, frozen=True):
    """What a table must be: a facet's value, or a number between two."""

    field: str
    value: str | None = None
    least: int | None = None
    most: int | None = None
    forbidden: bool = False


class Question(msgspec.Struct, frozen=True):
    """What is asked for."""

    clauses: tuple[Clause, ...] = ()
    conditions: tuple[Condition, ...] = ()


def parse_question(text: str) -> Question:
    """Take a question apart.

    >>> parse_question("smoking year:1990..2000").conditions
    (Condition(field='year', value=None, least=1990, most=2000, forbidden=False),)
    """
    clauses: list[Clause] = []
    conditions: list[Condition] = []
    for match in _PART.finditer(text):
        said = match["phrase"] if match["phrase"] is not None else match["word"]
        field = (match["field"] or "").lower()
        minus, plus = match["sign"] == "-", match["sign"] == "+"
        condition = parse_condition(field, said, forbidden=minus) if field else None
        if condition:
            conditions.append(condition)
            continue
        if field and field not in FIELDS:
            field, said = "", f"{match['field']} {said}"
        phrase = match["phrase"] is not None
        if said.strip():
            clauses.append(Clause(said, FIELDS.get(field), phrase, plus or phrase or bool(field), minus))
    return Question(tuple(clauses), tuple(conditions))


def parse_condition(field: str, said: str, *, forbidden: bool = False) -> Condition | None:
    """A condition on a facet or a number; None where it is none.

    >>> parse_condition("rows", "10..").least, parse_condition("medium", "PDF").value
    (10, 'pdf')
    """
    if field in CONDITIONS:
        return Condition(field, said.lower(), forbidden=forbidden)
    if field in NUMBERS and (span := _RANGE.fullmatch(said)) and (span[1] or span[3]):
        least = int(span[1]) if span[1] else None
        most = (int(span[3]) if span[3] else None) if span[2] else least
        return Condition(field, None, least, most, forbidden)
    return None
