"""Search over tables: ranked hits, with the words of the question marked in them.

Search over tables: ranked by where the words of a question stand, narrowed down by what the tables are. In: a question.
Out: hits with their scores and highlights, and how many tables there are of each medium, kind, size, year and document.
A word counts most in a caption, then in headers and stub, least in cells and around the table.

Where the words of a question stand in a table: short pieces of text with the words between marks. In: a question and a
table. Out: for each field, the labels or lines that hold a word of it. Of cells only the first some hundred are looked
through, which the index keeps for that.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import Any

import msgspec
import tantivy
from sqlalchemy import select

from tabellion.errors import QueryError
from tabellion.library.catalogue import Catalogue, documents
from tabellion.library.details import Details
from tabellion.library.files import Folder
from tabellion.library.index import EMPTY, FACETS, LARGEST, SIZES, TEXT_FIELDS, SearchIndex
from tabellion.library.questions import Clause, Condition, Question, parse_question
from tabellion.library.records import DocumentRecord, TableRecord, documents_by_id, tables_by_id
from tabellion.library.terms import DEFAULT, find_terms, is_number, is_stop_word, terms

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
        for condition in asked.conditions:
            _check_condition(condition)
        asked = self._telling(asked)
        searcher = self._snapshot
        found, total = self._rank(self.build_query(asked), limit, offset)
        scored = []
        for score, address in found:
            entry = searcher.doc(address)
            scored.append((score, entry["table_id"][0], zlib.decompress(bytes(entry["shown"][0])).decode().split("\n")))
        return Found(
            total=total,
            hits=self._hits(asked, scored),
            facets=_count_facets(searcher, self.build_query(asked, counted=True), total) if facets else {},
            next=f"{self.state}.{offset + limit}" if limit and offset + limit < total else None,
        )

    def _telling(self, asked: Question) -> Question:
        """A question without the free words that every text has, unless it has no others."""
        telling = [one for one in asked.clauses if not one.is_free or not self._says_nothing(one.text)]
        return msgspec.structs.replace(asked, clauses=tuple(telling)) if telling else asked

    def _says_nothing(self, text: str) -> bool:
        words = [term.word for term in find_terms(text, DEFAULT)]
        return all(any(is_stop_word(word, language) for language in self.languages) for word in words)

    def _rank(
        self, query: tantivy.Query, limit: int, offset: int
    ) -> tuple[list[tuple[float, tantivy.DocAddress]], int]:
        """The best tables and how many there are; those without values come after all others."""
        searcher, schema = self._snapshot, self._opened.schema
        if not searcher.doc_freq("size", EMPTY):
            result = searcher.search(query, max(limit, 1), offset=offset)
            return result.hits[:limit], _count_of(result)
        empty = tantivy.Query.const_score_query(tantivy.Query.term_query(schema, "size", EMPTY, "basic"), 0.0)
        must, never = tantivy.Occur.Must, tantivy.Occur.MustNot
        result = searcher.search(
            tantivy.Query.boolean_query([(must, query), (never, empty)]), max(limit, 1), offset=offset
        )
        valued, hits = _count_of(result), result.hits[:limit]
        rest = searcher.search(
            tantivy.Query.boolean_query([(must, query), (must, empty)]), max(limit, 1), offset=max(0, offset - valued)
        )
        return [*hits, *rest.hits[: limit - len(hits)]], valued + _count_of(rest)

    def build_query(self, asked: Question, *, counted: bool = False) -> tantivy.Query:
        """A question as the index understands it; `counted`: only to be counted by, so that no word has a weight."""
        must: list[tantivy.Query] = []
        maybe: list[tantivy.Query] = []
        never: list[tantivy.Query] = []
        for clause in asked.clauses:
            query = self._anywhere(clause) if counted and clause.is_free else self._clause(clause)
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

    def _anywhere(self, clause: Clause) -> tantivy.Query | None:
        """Words wherever they stand, by the one field that holds all of them."""
        words = dict.fromkeys(word for language in self.languages for word in terms(clause.text, language))
        schema, should = self._opened.schema, tantivy.Occur.Should
        found = [tantivy.Query.term_query(schema, "anywhere", word, "basic") for word in words]
        return tantivy.Query.boolean_query([(should, query) for query in found]) if found else None

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
        self, asked: Question, document: DocumentRecord, table: TableRecord, details: Details, shown: list[str]
    ) -> dict[str, list[str]]:
        """Where the words stand; what the index does not keep of a long table is looked for among all its tuples."""
        found = highlight_table(asked, document, table, details, shown)
        if found or not document.segment_id or all(clause.forbidden for clause in asked.clauses):
            return found
        import pyarrow.compute as pc

        from tabellion.library.originals import open_segments

        held = open_segments(self.folder.segments, [document.segment_id])
        rows = held.to_table(columns=["text", "left"], filter=pc.field("table_id") == table.table_id)
        labels = dict.fromkeys(label for path in rows["left"].to_pylist() for label in path)
        details = msgspec.structs.replace(details, stub_words=tuple(labels))
        return highlight_table(asked, document, table, details, list(dict.fromkeys(rows["text"].to_pylist())))


def _count_of(result: tantivy.SearchResult) -> int:
    return int(getattr(result, "count", None) or 0)


def _check_condition(condition: Condition) -> None:
    """What can be no table is said, rather than found in none."""
    known = {"medium": ("spreadsheet", "html", "pdf"), "size": (EMPTY, *(name for _, name in SIZES), LARGEST)}
    allowed = known.get(condition.field)
    if allowed and condition.value not in allowed:
        field = condition.field
        raise QueryError(f"{field}:{condition.value}: there is no such {field}, only {', '.join(allowed)}")


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
