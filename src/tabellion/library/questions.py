"""What a person types into search, taken apart: words, phrases, fields and conditions.

In: `smoking "by age" header:women -rate year:1990..2000 medium:pdf`. Out: a `Question`. Nothing that can be typed is
an error: what is no known field is searched for as words.
"""

from __future__ import annotations

import re

import msgspec

from tabellion.library.index import TEXT_FIELDS

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
