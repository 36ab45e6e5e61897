"""The tables that can be joined with a given one, and the SQL that does it.

In: a table. Out: partners. Tables that share labels are looked up in the search index by the hashes that the sketches
hold, the rarest first; those that share most are ranked by all that the sketches say. Fails where nothing but the
meaning of labels tells that two tables belong together.

The SQL that brings two tables together. In: two tables and how they are alike. Out: one SELECT over their relations.
Labels are compared without case, accents and punctuation; where that is not enough, since a label has another name in
the other table, the pairs are written out.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec
import tantivy

from tabellion.library.columns import ColumnFacts
from tabellion.library.index import LABEL_FIELDS
from tabellion.library.joins.likeness import STUB, TOP, Asked, Likeness, Side, Way, compare
from tabellion.library.joins.sketch import Sketch, plain_label, unpack_sketch
from tabellion.library.library import Library
from tabellion.library.reading import Details
from tabellion.library.records import TableRecord, documents_by_id, table_called, tables_by_id
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


_TWO = 2  # tables that have a label which only they have
_ASKED = 64  # labels of a set that are looked up, the rarest
_LOOKED_AT = 120  # tables ranked of those that one set of labels brings
_ELSEWHERE = 20  # of those that have the labels on the other axis


class Partner(msgspec.Struct, frozen=True):
    """A table that can be joined with the given one."""

    table: str
    name: str
    document: str
    source: str
    title: str | None
    score: float
    way: Way
    shared: int
    coverage: float  # share of the labels of the given table that it has
    theirs: float  # share of its labels that the given table has
    units: list[str]
    sql: str


def find_partners(library: Library, name: str, limit: int = 10) -> list[Partner]:
    """The best partners of a table."""
    with library.catalogue.reading() as connection:
        table = table_called(connection, name)
    library.index.catch_up()
    ranked = rank_partners(library.index.open(), table.table_id)
    with library.catalogue.reading() as connection:
        tables = tables_by_id(connection, [table_id for table_id, _ in ranked[: 2 * limit]])
        held = documents_by_id(connection, {one.document_id for one in tables.values()})
    found: list[Partner] = []
    for table_id, likeness in ranked[: 2 * limit]:
        if len(found) == limit:
            break
        other = tables.get(table_id)
        document = held.get(other.document_id) if other else None
        if other is None or document is None:
            continue  # removed since the index was written
        found.append(
            Partner(
                table=table_id,
                name=other.name,
                document=document.document_id,
                source=document.source,
                title=other.title or other.caption,
                score=likeness.score,
                way=likeness.way,
                shared=likeness.shared,
                coverage=round(likeness.shared / likeness.of_mine, 3),
                theirs=round(likeness.shared / likeness.of_theirs, 3),
                units=sorted({column.unit for column in other.unpack().columns if column.unit}),
                sql=write_statement(table, other, likeness),
            )
        )
    return found


def rank_partners(index: tantivy.Index, table_id: str) -> list[tuple[str, Likeness]]:
    """Tables and the best way to each, the best first."""
    best: dict[str, Likeness] = {}
    lookup = Lookup(index)
    asked = lookup.ask(table_id)
    if asked is None:
        return []
    sides = asked.sides()
    others = lookup.candidates(sides)
    others.pop(table_id, None)
    for other, likeness in compare(asked, sides, others):
        if other not in best or likeness.score > best[other].score:
            best[other] = likeness
    return sorted(best.items(), key=lambda one: (-one[1].score, one[0]))


class Lookup:
    """Finds tables by the labels that they have."""

    def __init__(self, index: tantivy.Index) -> None:
        self.index, self.searcher = index, index.searcher()
        self._weights: dict[int, float] = {}

    def ask(self, table_id: str) -> Asked | None:
        """A table as the one that partners are looked for; None where the index does not have it yet."""
        own = tantivy.Query.term_query(self.index.schema, "table_id", table_id, "basic")
        hits = self.searcher.search(own, 1, count=False).hits
        if not hits:
            return None
        return Asked(self._sketch(hits[0][1])[1], self.weight, self._rarity(_TWO))

    def candidates(self, sides: Iterable[Side]) -> dict[str, Sketch]:
        """Tables that share labels with one of these sets, and their sketches."""
        seen = {}
        for side in sides:
            own_field = LABEL_FIELDS[side.where == TOP]
            for field in LABEL_FIELDS:
                query = self._holding(side.labels, field)
                most = _LOOKED_AT if field == own_field else _ELSEWHERE
                for _, at in self.searcher.search(query, most, count=False).hits:
                    seen[at.segment_ord, at.doc] = at
        return dict(self._sketch(at) for at in seen.values())

    def weight(self, label: int) -> float:
        """How telling a label is: the rarer, the more."""
        if label not in self._weights:
            held = sum(self.searcher.doc_freq(field, f"{label:x}") for field in LABEL_FIELDS)
            self._weights[label] = self._rarity(held)
        return self._weights[label]

    def _rarity(self, held: int) -> float:
        return math.log(1 + self.searcher.num_docs / (1 + held))

    def _holding(self, labels: frozenset[int], field: str) -> tantivy.Query:
        """Tables with some of these labels; the rare ones count most."""
        rare = sorted(labels, key=lambda one: (-self.weight(one), one))[:_ASKED]
        terms = [tantivy.Query.term_query(self.index.schema, field, f"{one:x}", "basic") for one in rare]
        return tantivy.Query.boolean_query([(tantivy.Occur.Should, term) for term in terms])

    def _sketch(self, address: tantivy.DocAddress) -> tuple[str, Sketch]:
        entry = self.searcher.doc(address)
        return entry["table_id"][0], unpack_sketch(bytes(entry["sketch"][0]))
