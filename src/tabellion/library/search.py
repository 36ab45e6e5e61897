"""Search over tables: ranked hits, and how they spread over facets.

Search over tables: ranked by where the words of a question stand, narrowed down by what the tables are. In: a question.
Out: hits with their scores and highlights, and how many tables there are of each medium, kind, size, year and document.

Words without a field are looked for in one field that holds each word of caption, headers, stub and document's name as
often as it counts there (Robertson, Zaragoza and Taylor, Simple BM25 extension to multiple weighted fields, CIKM 2004),
and, with little weight, in one that holds the rest. So the index can pass over tables that cannot be among the best
(Ding and Suel, Faster top-k document retrieval using block-max indexes, SIGIR 2011); how many there are is counted by a
field without weights.

A search in a library without opening the whole of it, for a process that asks one question and ends. In: the place of a
library. Out: its searcher, where the library is a folder of the newest form whose index is up to date; else nothing,
and the library is to be opened. Most of the time that opening takes goes into what only writing and asking in SQL need.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import tantivy

from tabellion.errors import QueryError
from tabellion.library.entries import (
    BETWEEN,
    EMPTY,
    LARGEST,
    SIZES,
    SORTS,
    TEXT_FIELDS,
    Clause,
    Condition,
    Question,
    parse_question,
)
from tabellion.library.files import Folder, default_place
from tabellion.library.holdings import NEWEST, Details, DocumentRecord, Holdings, SqliteHoldings, TableRecord
from tabellion.library.index import Address, IndexFolder
from tabellion.library.terms import DEFAULT, find_terms, highlight_table, is_number, is_stop_word, terms


@contextmanager
def quick_searcher(place: str | None) -> Iterator[Searcher | None]:
    """The searcher of a library that is as it should be; None of any other."""
    place = place or default_place()
    folder = Folder(Path(place))
    if "://" in place or not folder.catalogue.exists() or folder.weights.is_dir():
        yield None  # the weights of a library may have to be complained of
        return
    holdings, index = SqliteHoldings(folder.catalogue), IndexFolder(folder)
    try:
        folder = Folder(Path(place), holdings.store())
        whole = holdings.form() == NEWEST and index.applied() == holdings.sequence()
        yield Searcher(folder, holdings, index) if whole else None
    finally:
        holdings.close()


_FACET_SIZE = 10  # values shown of a facet
_TRIES = 5  # times that a state is looked for while another process writes
_ALL_SORTS = {"terms": {"field": "sort", "size": 1_000}}
_TELLING = 5_000  # tables found among which it says something which documents they are of
_DATED = 10_000  # tables found up to which their years are counted, which takes longer than all else


_LATE = {"document": ("document_id", _TELLING), "year": ("year", _DATED)}  # facet -> its field, and of how many tables


class Weights(msgspec.Struct, frozen=True):
    """How much words count by where they stand; of single words `entries.TELLING` says the most of it."""

    rest: float = 0.1  # of a word that stands in cells, notes and around the table
    number: float = 1.0  # set by hand: a number is found or not; where it is, that says much
    # of phrases
    caption: float = 2.1
    header: float = 1.05
    stub: float = 1.0
    document: float = 0.5
    note: float = 0.6
    reference: float = 0.8
    cell: float = 0.125
    others: float = 0.21  # share of the other fields' scores that is added to the best field's

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
    confidence: float
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

    def __init__(self, folder: Folder, holdings: Holdings, index: IndexFolder, weights: Weights = Weights()) -> None:
        self.weights = weights
        self.folder, self.holdings = folder, holdings
        for _ in range(_TRIES):
            self.state = index.state()
            self._opened = index.open()
            self._snapshot = self._opened.searcher()
            if index.state() == self.state:
                break
        self.languages = tuple(dict.fromkeys([DEFAULT, *holdings.languages()]))

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
        for condition in asked.conditions:
            _check_condition(condition)
        asked = self._telling(asked)
        searcher = self._snapshot
        sorts, spread = self._count(asked, facets=facets)
        scored = []
        for score, address in self._rank(asked, limit, offset, sum(sorts.values()) - _hollow(sorts)) if limit else ():
            entry = searcher.doc(address)
            scored.append((score, entry["table_id"][0], entry["shown"][0]))
        total = sum(sorts.values())
        return Found(
            total=total,
            hits=self._hits(asked, scored),
            facets=spread,
            next=f"{self.state}.{offset + limit}" if limit and offset + limit < total else None,
        )

    def _count(self, asked: Question, *, facets: bool) -> tuple[dict[str, int], dict[str, dict[str, int]]]:
        """How many tables there are of each sort, and by each facet; by document and by year only of not too many."""
        query, searcher = self.build_query(asked, counted=True), self._snapshot
        most = self._most(asked) if facets else _DATED + 1
        counted = searcher.aggregate(query, {"sort": _ALL_SORTS} | _by_facet(most))  # of few all at once
        sorts = _buckets(counted["sort"])
        if not facets:
            return sorts, {}
        fitting = _by_facet(sum(sorts.values()))
        if late := {name: one for name, one in fitting.items() if name not in counted}:
            counted |= searcher.aggregate(query, late)
        spread = {name: _buckets(counted[name]) if name in fitting else {} for name in _LATE}
        by_name = {name: _together(sorts, at) for at, name in enumerate(SORTS)}
        return sorts, {**by_name, **spread}

    def _most(self, asked: Question) -> int:
        """So many tables at most are found for free words alone, told by how many have each; else it is not known."""
        if not asked.clauses or any(not one.is_free for one in asked.clauses):
            return _DATED + 1
        words = [word for clause in asked.clauses for word in self._stems(clause)]
        return sum(self._snapshot.doc_freq("anywhere", word) for word in words)

    def _telling(self, asked: Question) -> Question:
        """A question without the free words that every text has, unless it has no others."""
        telling = [one for one in asked.clauses if not one.is_free or not self._says_nothing(one.text)]
        return msgspec.structs.replace(asked, clauses=tuple(telling)) if telling else asked

    def _says_nothing(self, text: str) -> bool:
        words = [term.word for term in find_terms(text, DEFAULT)]
        return all(any(is_stop_word(word, language) for language in self.languages) for word in words)

    def _rank(self, asked: Question, limit: int, offset: int, valued: int) -> list[tuple[float, Address]]:
        """The best tables; those without values come after all others, of which there are `valued`."""
        plain = asked.clauses and not asked.conditions and all(clause.is_free for clause in asked.clauses)
        words = [word for clause in asked.clauses for word in self._stems(clause)] if plain else []
        if words:
            first, last = _any(self._places(words)), _any(self._in_hollow(words))
        else:
            empty = tantivy.Query.term_query(self._opened.schema, "size", EMPTY, "basic")
            held = tantivy.Query.const_score_query(empty, 0.0)
            query, must = self.build_query(asked), tantivy.Occur.Must
            first = tantivy.Query.boolean_query([(must, query), (tantivy.Occur.MustNot, held)])
            last = tantivy.Query.boolean_query([(must, query), (must, held)])
        searcher = self._snapshot
        hits = searcher.search(first, limit, count=False, offset=offset).hits if offset < valued else []
        if len(hits) < limit and searcher.doc_freq("size", EMPTY):
            hits += searcher.search(last, limit - len(hits), count=False, offset=max(0, offset - valued)).hits
        return hits

    def build_query(self, asked: Question, *, counted: bool = False) -> tantivy.Query:
        """A question as the index understands it; `counted`: only to be counted by, so that no word has a weight."""
        must: list[tantivy.Query] = []
        maybe: list[tantivy.Query] = []
        never: list[tantivy.Query] = []
        for clause in asked.clauses:
            query = self._clause(clause, counted=counted)
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

    def _stems(self, clause: Clause) -> list[str]:
        """The terms of a clause in any language of the library."""
        return list(dict.fromkeys(word for language in self.languages for word in terms(clause.text, language)))

    def _clause(self, clause: Clause, *, counted: bool) -> tantivy.Query | None:
        """Words wherever they stand, or in a field, or as a phrase."""
        if not clause.field and not clause.phrase:
            words = self._stems(clause)
            schema = self._opened.schema
            if counted:
                return _any([tantivy.Query.term_query(schema, "anywhere", word, "basic") for word in words])
            return _any([*self._places(words), *self._in_hollow(words)])
        # a document speaks only one language, so the best reading counts
        readings = dict.fromkeys(tuple(terms(clause.text, language)) for language in self.languages)
        queries = [self._terms(list(words), clause) for words in readings if words]
        if not queries:
            return None
        return queries[0] if len(queries) == 1 else tantivy.Query.disjunction_max_query(queries, 0.0)

    def _places(self, words: list[str]) -> list[tantivy.Query]:
        """Each word where it can stand in a table with values; those that stand nowhere are left out."""
        places = {"telling": 1.0, "rest": self.weights.rest}
        found = [(field, word, weight) for word in words for field, weight in places.items()]
        found += [("number", word, self.weights.number) for word in words if is_number(word)]
        return [self._word(*one) for one in found if self._snapshot.doc_freq(one[0], one[1])]

    def _in_hollow(self, words: list[str]) -> list[tantivy.Query]:
        return [self._word("hollow", word) for word in words if self._snapshot.doc_freq("hollow", word)]

    def _word(self, field: str, word: str, weight: float = 1.0) -> tantivy.Query:
        option = "basic" if field == "number" else "freq"
        query = tantivy.Query.term_query(self._opened.schema, field, word, option)
        return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)

    def _terms(self, words: list[str], clause: Clause) -> tantivy.Query:
        fields = {clause.field: 1.0} if clause.field else self.weights.of_fields()
        if len(words) > 1 or not clause.field:
            return self._any_field(fields, words)
        found = [self._word(clause.field, words[0])]
        if is_number(words[0]) and clause.field == "cell":
            found.append(self._word("number", words[0], self.weights.number))
        return found[0] if len(found) == 1 else tantivy.Query.disjunction_max_query(found, self.weights.others)

    def _any_field(self, fields: Mapping[str, float], words: list[str]) -> tantivy.Query:
        """Words one after the other in any of some fields."""
        found = [tantivy.Query.boost_query(self._phrase(field, words), weight) for field, weight in fields.items()]
        return found[0] if len(found) == 1 else tantivy.Query.disjunction_max_query(found, self.weights.others)

    def _phrase(self, field: str, words: list[str]) -> tantivy.Query:
        if len(words) == 1:
            return self._word(field, words[0])
        return tantivy.Query.phrase_query(self._opened.schema, field, list(words))

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

    def _hits(self, asked: Question, scored: list[tuple[float, str, bytes]]) -> list[Hit]:
        tables, held = self.holdings.hits([table_id for _, table_id, _ in scored])
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
                    highlights=self._say_why(asked, document, table, details, shown),
                    name=table.name,
                    medium=document.medium,
                    rows=table.rows,
                    columns=table.columns,
                    tuples=table.tuples,
                    confidence=round(table.confidence, 4),
                )
            )
        return hits

    def _say_why(
        self, asked: Question, document: DocumentRecord, table: TableRecord, details: Details, shown: bytes
    ) -> dict[str, list[str]]:
        """Where the words stand; what the index does not keep of a long table is looked for among all its tuples."""
        found = highlight_table(asked, document, table, details, lambda: _texts(shown))
        if found or not document.segment_id or all(clause.forbidden for clause in asked.clauses):
            return found
        import pyarrow.compute as pc

        from tabellion.library.originals import open_segments

        held = open_segments(self.folder.segments, [document.segment_id])
        rows = held.to_table(columns=["text", "left"], filter=pc.field("table_id") == table.table_id)
        labels = dict.fromkeys(label for path in rows["left"].to_pylist() for label in path)
        details = msgspec.structs.replace(details, stub_words=tuple(labels))
        texts = list(dict.fromkeys(rows["text"].to_pylist()))
        return highlight_table(asked, document, table, details, lambda: texts)


def _texts(shown: bytes) -> list[str]:
    """The first texts of a table's values, as the index keeps them."""
    return zlib.decompress(bytes(shown)).decode().split("\n")


def _by_facet(total: int) -> dict[str, Any]:
    """The facets that are counted of so many tables, as the index is asked for them."""
    return {
        name: {"terms": {"field": field, "size": _FACET_SIZE}} for name, (field, most) in _LATE.items() if total <= most
    }


def _any(queries: list[tantivy.Query]) -> tantivy.Query:
    """Any of some queries; no table where there is none."""
    if not queries:
        return tantivy.Query.empty_query()
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


def _hollow(sorts: Mapping[str, int]) -> int:
    """How many of the tables found have no values."""
    return sum(count for sort, count in sorts.items() if sort.endswith(f"{BETWEEN}{EMPTY}"))


def _together(sorts: Mapping[str, int], at: int) -> dict[str, int]:
    """The tables found by one of the things that a sort says, the commonest first."""
    counts: Counter[str] = Counter()
    for sort, count in sorts.items():
        counts[sort.split(BETWEEN)[at]] += count
    return dict(counts.most_common(_FACET_SIZE))


def _check_condition(condition: Condition) -> None:
    """What can be no table is said, rather than found in none."""
    known = {"medium": ("spreadsheet", "html", "pdf"), "size": (EMPTY, *(name for _, name in SIZES), LARGEST)}
    allowed = known.get(condition.field)
    if allowed and condition.value not in allowed:
        field = condition.field
        raise QueryError(f"{field}:{condition.value}: there is no such {field}, only {', '.join(allowed)}")


def _buckets(counted: dict[str, Any]) -> dict[str, int]:
    """What an aggregation counted, the commonest first."""
    return {_plain_key(bucket["key"]): int(bucket["doc_count"]) for bucket in counted["buckets"]}


def _plain_key(key: object) -> str:
    return str(int(key)) if isinstance(key, float) else str(key)
