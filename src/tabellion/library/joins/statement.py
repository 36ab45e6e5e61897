"""The SQL that brings two tables together.

In: two tables and how they are alike. Out: one SELECT over their relations. Labels are compared without case,
accents and punctuation; where that is not enough, since a label has another name in the other table, the pairs are
written out.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

from tabellion.library.joins.labels import plain_label
from tabellion.library.joins.likeness import STUB, TOP, Likeness
from tabellion.library.reading import ColumnFacts, Details
from tabellion.library.records import TableRecord
from tabellion.library.relations import TIDY, quoted

_PAIRS = 400  # pairs of names that are written out at most
_LETTERS = "[^a-z0-9]+"


def write_statement(one: TableRecord, other: TableRecord, likeness: Likeness) -> str:
    """One SELECT for both tables."""
    mine, theirs = one.unpack(), other.unpack()
    if likeness.way == "columns":
        renamed = ", ".join(_renamed(mine, theirs))
        return f"SELECT * FROM {quoted(one.name)}\nUNION ALL BY NAME\nSELECT {renamed} FROM {quoted(other.name)}"  # noqa: S608
    words = _words(mine, likeness.mine), _words(theirs, likeness.theirs)
    left, a = _relation(one.name, mine, likeness.mine, words[1])
    right, b = _relation(other.name, theirs, likeness.theirs, words[0])
    a, b = f"a.{quoted(a)}", f"b.{quoted(b)}"
    pairs = _pairs(*words)
    joined = f"SELECT a.*, b.*\nFROM {left} a\nJOIN {right} b ON {_plain(a)} = {_plain(b)}"
    if not pairs:
        return joined
    listed = ", ".join(f"({_text(x)}, {_text(y)})" for x, y in pairs)
    same = f"EXISTS (SELECT 1 FROM same WHERE mine = {a} AND theirs = {b})"  # noqa: S608
    return f"WITH same (mine, theirs) AS (VALUES {listed})\n{joined}\n  OR {same}"


def _renamed(mine: Details, theirs: Details) -> Iterator[str]:
    """The columns of the other table, under the names that this one has for them."""
    known = {_path(column): column.name for column in (*mine.stub, *mine.columns)}
    if mine.stub and theirs.stub:
        known |= {_path(theirs.stub[-1]): mine.stub[-1].name}
    used: set[str] = set()
    for column in (*theirs.stub, *theirs.columns):
        name = known.get(_path(column), column.name)
        if name in used:
            name = column.name
        used.add(name)
        yield quoted(column.name) if name == column.name else f"{quoted(column.name)} AS {quoted(name)}"


def _path(column: ColumnFacts) -> tuple[str, ...]:
    return tuple(map(plain_label, column.path))


def _relation(name: str, details: Details, where: int, others: Iterable[str]) -> tuple[str, str]:
    """The relation that holds a set of labels, and the column that they stand in."""
    if where == TOP:
        known = set(map(plain_label, others))
        levels = Counter(
            level
            for column in details.columns
            for level, label in enumerate(column.path, 1)
            if plain_label(label) in known
        )
        return quoted(name + TIDY), f"top_{levels.most_common(1)[0][0] if levels else 1}"
    if where == STUB:
        return (quoted(name), details.stub[-1].name) if details.stub else (quoted(name + TIDY), "left_1")
    return quoted(name), details.columns[where].name


def _words(details: Details, where: int) -> Iterable[str]:
    if where == TOP:
        return details.header_words
    return details.stub_words if where == STUB else ()


def _pairs(mine: Iterable[str], theirs: Iterable[str]) -> list[tuple[str, str]]:
    """Labels that are the same thing under names that differ by more than case and punctuation."""
    known: dict[str, list[str]] = {}
    for label in theirs:
        known.setdefault(plain_label(label), []).append(label)
    found = [
        (label, other)
        for label in mine
        for other in known.get(plain_label(label), [])
        if plain_label(label) and _simple(label) != _simple(other)
    ]
    return found[:_PAIRS]


def _plain(column: str) -> str:
    return f"regexp_replace(lower(strip_accents({column}::VARCHAR)), '{_LETTERS}', '', 'g')"


def _simple(label: str) -> str:
    """What the SQL makes of a label."""
    flat = unicodedata.normalize("NFKD", label)
    return re.sub(_LETTERS, "", "".join(letter for letter in flat if not unicodedata.combining(letter)).lower())


def _text(label: str) -> str:
    escaped = label.replace("'", "''")
    return f"'{escaped}'"
