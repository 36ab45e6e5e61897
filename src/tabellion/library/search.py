"""Search over tables: ranked by where the words of a question stand, narrowed down by what the tables are.

In: a question. Out: hits with their scores and highlights, and how many tables there are of each medium, kind, size,
year and document. A word counts most in a caption, then in headers and stub, least in cells and around the table.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any

import msgspec
import tantivy
from sqlalchemy import select

from tabellion.library.catalogue import Catalogue
from tabellion.library.folder import Folder
from tabellion.library.highlights import highlight_table
from tabellion.library.index import FACETS, TEXT_FIELDS, SearchIndex
from tabellion.library.language import DEFAULT
from tabellion.library.questions import Clause, Condition, Question, parse_question
from tabellion.library.records import documents_by_id, tables_by_id
from tabellion.library.schema import documents
from tabellion.library.words import is_number, terms

_FACET_SIZE = 10  # values shown of a facet
_TRIES = 5  # times that a state is looked for while another process writes
_TELLING = 5_000  # tables found among which it says something which documents they are of


class Weights(msgspec.Struct, frozen=True):
    """How much a word counts by where it stands, chosen on known-item questions (bench/library_weights.py)."""

    caption: float = 2.1
    header: float = 1.05
    stub: float = 1.0
    document: float = 0.5
    note: float = 0.6
    reference: float = 0.8
    cell: float = 0.125
    others: float = 0.21  # share of the other fields' scores that is added to the best field's
    number: float = 1.0  # set by hand: a number is found or not; where it is, that says much

    def of_fields(self) -> dict[str, float]:
        return {name: getattr(self, name) for name in TEXT_FIELDS}


class Hit(msgspec.Struct, frozen=True):
    """A table that answers a question."""

    table: str
    document: str
    source: str
    place: dict[str, Any]
    score: float
    title: str | None
    highlights: dict[str, list[str]]
    name: str
    medium: str
    rows: int
    columns: int
    tuples: int
    preview: list[list[str]] | None = None


class Found(msgspec.Struct, frozen=True, omit_defaults=False):
    """The answer to a question: how many tables there are, the best of them, and how they spread over facets.

    `next` is where the next page begins, in the same state of the library.
    """

    total: int
    hits: list[Hit]
    facets: dict[str, dict[str, int]]
    next: str | None = None


class Searcher:
    """Answers questions over one state of a library."""

    def __init__(self, folder: Folder, catalogue: Catalogue, index: SearchIndex, weights: Weights = Weights()) -> None:
        self.weights = weights
        self.folder, self.catalogue, self.index = folder, catalogue, index
        for _ in range(_TRIES):
            self.state = index.state()
            self._opened = index.open()
            self._snapshot = self._opened.searcher()
            if index.state() == self.state:
                break
        with catalogue.reading() as connection:
            spoken = connection.execute(select(documents.c.language).distinct()).scalars().all()
        self.languages = tuple(dict.fromkeys([DEFAULT, *sorted(spoken)]))

    def search(
        self,
        question: str,
        *,
        conditions: Iterable[Condition] = (),
        limit: int = 10,
        offset: int = 0,
        facets: bool = True,
    ) -> Found:
        """The best tables for a question; further conditions narrow them down."""
        asked = parse_question(question)
        asked = msgspec.structs.replace(asked, conditions=(*asked.conditions, *conditions))
        query = self.build_query(asked)
        searcher = self._snapshot
        result = searcher.search(query, max(limit, 1), offset=offset)
        scored = []
        for score, address in result.hits[:limit]:
            entry = searcher.doc(address)
            scored.append((score, entry["table_id"][0], zlib.decompress(bytes(entry["shown"][0])).decode().split("\n")))
        total = int(getattr(result, "count", None) or 0)
        return Found(
            total=total,
            hits=self._hits(asked, scored),
            facets=_count_facets(searcher, query, total) if facets else {},
            next=f"{self.state}.{offset + limit}" if limit and offset + limit < total else None,
        )

    def build_query(self, asked: Question) -> tantivy.Query:
        """A question as the index understands it."""
        must: list[tantivy.Query] = []
        maybe: list[tantivy.Query] = []
        never: list[tantivy.Query] = []
        for clause in asked.clauses:
            query = self._clause(clause)
            if query is not None:
                (never if clause.forbidden else must if clause.required else maybe).append(query)
        for condition in asked.conditions:
            (never if condition.forbidden else must).append(self._condition(condition))
        if not must and not maybe:
            must.append(tantivy.Query.all_query())
        parts = [(tantivy.Occur.Must, query) for query in must]
        if maybe:
            # with conditions alone any table would do: of the free words at least one must be there
            some = tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in maybe])
            parts.append(
                (tantivy.Occur.Must if not any(c.required for c in asked.clauses) else tantivy.Occur.Should, some)
            )
        parts += [(tantivy.Occur.MustNot, query) for query in never]
        return tantivy.Query.boolean_query(parts) if len(parts) > 1 else parts[0][1]

    def _clause(self, clause: Clause) -> tantivy.Query | None:
        """Words in any language of the library; a document speaks only one, so the best reading counts."""
        readings = dict.fromkeys(tuple(terms(clause.text, language)) for language in self.languages)
        queries = [self._terms(list(words), clause) for words in readings if words]
        if not queries:
            return None
        return queries[0] if len(queries) == 1 else tantivy.Query.disjunction_max_query(queries, 0.0)

    def _terms(self, words: list[str], clause: Clause) -> tantivy.Query:
        fields = {clause.field: 1.0} if clause.field else self.weights.of_fields()
        if len(words) > 1 and (clause.phrase or clause.field):
            return self._any_field(fields, words)
        queries = [self._term(word, fields) for word in words]
        occur = tantivy.Occur.Must if clause.field else tantivy.Occur.Should
        return queries[0] if len(queries) == 1 else tantivy.Query.boolean_query([(occur, query) for query in queries])

    def _any_field(self, fields: dict[str, float], words: list[str]) -> tantivy.Query:
        schema = self._opened.schema
        found = [
            tantivy.Query.boost_query(tantivy.Query.phrase_query(schema, field, list(words)), weight)
            for field, weight in fields.items()
        ]
        return found[0] if len(found) == 1 else tantivy.Query.disjunction_max_query(found, self.weights.others)

    def _term(self, word: str, fields: dict[str, float]) -> tantivy.Query:
        schema = self._opened.schema
        found = [
            tantivy.Query.boost_query(tantivy.Query.term_query(schema, field, word, "freq"), weight)
            for field, weight in fields.items()
        ]
        if is_number(word) and "cell" in fields:
            number = tantivy.Query.term_query(schema, "number", word, "basic")
            found.append(tantivy.Query.boost_query(number, self.weights.number))
        return found[0] if len(found) == 1 else tantivy.Query.disjunction_max_query(found, self.weights.others)

    def _condition(self, condition: Condition) -> tantivy.Query:
        schema = self._opened.schema
        if condition.value is not None:
            query = tantivy.Query.term_query(schema, condition.field, condition.value, "basic")
        elif condition.least is not None and condition.least == condition.most:
            query = tantivy.Query.term_query(schema, condition.field, condition.least, "basic")
        else:
            query = tantivy.Query.range_query(
                schema, condition.field, tantivy.FieldType.Integer, condition.least, condition.most
            )
        return tantivy.Query.const_score_query(query, 0.0)

    def _hits(self, asked: Question, scored: list[tuple[float, str, list[str]]]) -> list[Hit]:
        with self.catalogue.reading() as connection:
            tables = tables_by_id(connection, [table_id for _, table_id, _ in scored])
            held = documents_by_id(connection, {table.document_id for table in tables.values()})
        hits = []
        for score, table_id, shown in scored:
            table = tables.get(table_id)
            document = held.get(table.document_id) if table else None
            if table is None or document is None:
                continue  # removed since the index was written
            details = table.unpack()
            hits.append(
                Hit(
                    table=table_id,
                    document=document.document_id,
                    source=document.source,
                    place=msgspec.to_builtins(details.place),
                    score=round(float(score), 4),
                    title=table.title or table.caption,
                    highlights=highlight_table(asked, document, table, details, shown),
                    name=table.name,
                    medium=document.medium,
                    rows=table.rows,
                    columns=table.columns,
                    tuples=table.tuples,
                )
            )
        return hits


def _count_facets(searcher: tantivy.Searcher, query: tantivy.Query, total: int) -> dict[str, dict[str, int]]:
    """How many of the tables found there are by each facet, the commonest first; by document only of few tables."""
    names = {**{name.removesuffix("_id"): name for name in FACETS}, "year": "year"}
    if total > _TELLING:
        names.pop("document")
    wanted = {shown: {"terms": {"field": field, "size": _FACET_SIZE}} for shown, field in names.items()}
    counted = searcher.aggregate(query, wanted)
    return {
        shown: {_plain_key(bucket["key"]): int(bucket["doc_count"]) for bucket in counted[shown]["buckets"]}
        for shown in names
    } | ({"document": {}} if "document" not in names else {})


def _plain_key(key: object) -> str:
    return str(int(key)) if isinstance(key, float) else str(key)
