"""The tables that can be joined with a given one, and the SQL that does it.

In: a table. Out: partners. Tables that share labels are looked up in the search index by the hashes that the sketches
hold, the rarest first; those that share most are ranked by all that the sketches say. Fails where nothing but the
meaning of labels tells that two tables belong together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

import duckdb
import msgspec
import tantivy

from tabellion.library.entries import LABEL_FIELDS
from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.index import Address, Shards
from tabellion.library.joins.likeness import TOP, Asked, Likeness, Near, Side, Way, compare
from tabellion.library.joins.sketch import Sketch, plain_label, unpack_sketch
from tabellion.library.joins.statement import Plain, Run, Statement, write_statement
from tabellion.library.library import Library
from tabellion.library.query import QueryLimits, relations_at_hand
from tabellion.library.records import documents_by_id, table_called, tables_by_id
from tabellion.library.relations import TIDY
from tabellion.repair.replay import same_labels

_LIMITS = QueryLimits(seconds=20.0, threads=1)  # for the statements of all partners together
_FEW = 5  # labels in common that may be so by chance
_MOST = 0.5  # share of the rows of both tables that says it is none
_TWO = 2  # tables that have a label which only they have
_ASKED = 64  # labels of a set that are looked up, the rarest
_LOOKED_AT = 120  # tables ranked of those that one set of labels brings
_ELSEWHERE = 20  # of those that have the labels on the other axis


class Partner(msgspec.Struct, frozen=True):
    """A table that can be joined with the given one.

    Of tables with the same columns `matched` and `unmatched` count columns, else rows of the joined relations.
    """

    table: str
    name: str
    document: str
    source: str
    title: str | None
    score: float
    way: Way
    shared: int  # keys (or columns) that both have under this statement
    coverage: float  # share of the rows (or columns) of the given table that meet one there
    theirs: float  # share of its own that meet one of the given table
    units: list[str]
    sql: str
    on: list[tuple[str, str]]  # the columns that are compared
    weak: bool  # whether they have but a few labels in common, and most of their rows not at all
    rows: int  # that the statement gives
    matched: int
    unmatched: int
    matched_theirs: int
    unmatched_theirs: int
    repeats: bool  # whether a row meets several; of the same columns: whether a row stands in both tables
    nearly: list[Near]  # labels of the two that nearly agree and can be accepted as the same


def find_partners(library: Library, name: str, limit: int = 10) -> list[Partner]:
    """The best partners of a table, each with a statement that was run; few labels in common never come first."""
    with library.catalogue.reading() as connection:
        table = table_called(connection, name)
    library.index.catch_up()
    ranked = rank_partners(library.index.open(), table.table_id)[: 2 * limit]
    with library.catalogue.reading() as connection:
        tables = tables_by_id(connection, [table_id for table_id, _ in ranked])
        held = documents_by_id(connection, {one.document_id for one in tables.values()})
    names = [name for one in (table, *tables.values()) for name in (one.name, one.name + TIDY)]
    accepted = _accepted(library, [table.document_id, *held])
    found: list[Partner] = []
    with relations_at_hand(library.folder, library.catalogue, names, _LIMITS) as connection:
        run = cache(
            lambda sql: connection.sql(sql).to_arrow_table()
        )  # the labels of the given table are asked for again
        for table_id, ways in ranked:
            if len(found) == limit:
                break
            other = tables.get(table_id)
            document = held.get(other.document_id) if other else None
            if other is None or document is None:
                continue  # removed since the index was written
            try:
                plain = plainly(accepted.get(table.document_id, {}) | accepted.get(other.document_id, {}))
                best = _best_way(run, table, other, document, ways, plain)
            except duckdb.InterruptException:
                break
            if best:
                found.append(best)
    return sorted(found, key=lambda one: one.weak)


def _accepted(library: Library, documents: Iterable[str]) -> dict[str, dict[str, str]]:
    """By document, the labels that people said are other names for labels of other tables."""
    return {document: same_labels(log) for document, log in library.corrections(documents).items()}


def plainly(same: Mapping[str, str]) -> Plain:
    """What makes labels comparable, with some that were accepted as the same."""
    if not same:
        return plain_label
    known = {plain_label(label): plain_label(to) for label, to in same.items()}
    return lambda text: known.get(plain_label(text), plain_label(text))


def _best_way(
    run: Run, table: TableRecord, other: TableRecord, document: DocumentRecord, ways: list[Likeness], plain: Plain
) -> Partner | None:
    """The first way to a table that is not weak, else the first that gives a row; ranked by the best of all."""
    weak = None
    for way in ways:
        statement = write_statement(run, table, other, way, plain)
        partner = _partner(other, document, way, ways[0].score, statement) if statement else None
        if partner and not partner.weak:
            return partner
        weak = weak or partner
    return weak


def _partner(
    other: TableRecord, document: DocumentRecord, likeness: Likeness, score: float, done: Statement
) -> Partner:
    coverage = done.matched / ((done.matched + done.unmatched) or 1)
    theirs = done.matched_theirs / ((done.matched_theirs + done.unmatched_theirs) or 1)
    return Partner(
        table=other.table_id,
        name=other.name,
        document=document.document_id,
        source=document.source,
        title=other.title or other.caption,
        score=score,
        way=likeness.way,
        coverage=round(coverage, 3),
        theirs=round(theirs, 3),
        weak=done.shared <= _FEW and min(coverage, theirs) < _MOST,
        units=sorted({column.unit for column in other.unpack().columns if column.unit}),
        **msgspec.structs.asdict(done),
    )


def rank_partners(index: Shards, table_id: str) -> list[tuple[str, list[Likeness]]]:
    """Tables and the ways to each, the best first of both."""
    found: dict[str, list[Likeness]] = {}
    lookup = Lookup(index)
    asked = lookup.ask(table_id)
    if asked is None:
        return []
    sides = asked.sides()
    others = lookup.candidates(sides)
    others.pop(table_id, None)
    for other, likeness in compare(asked, sides, others):
        found.setdefault(other, []).append(likeness)
    for ways in found.values():
        ways.sort(key=lambda way: -way.score)
    return sorted(found.items(), key=lambda one: (-one[1][0].score, one[0]))


class Lookup:
    """Finds tables by the labels that they have."""

    def __init__(self, index: Shards) -> None:
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

    def _sketch(self, address: Address) -> tuple[str, Sketch]:
        entry = self.searcher.doc(address)
        return entry["table_id"][0], unpack_sketch(bytes(entry["sketch"][0]))
