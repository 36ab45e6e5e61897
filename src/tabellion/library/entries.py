"""What the search index says of a table, and what a person asks of it.

Entries. In: documents and tables as the catalogue has them, and the segments of their tuples. Out: one entry per table,
of the fields that `build_schema` names: its words by where they stand, and what it can be narrowed down by. To describe
the entries of some documents is one pure function, which takes nine tenths of the time of indexing: who has many
processes spreads it over them. Fails where a corrected title stands beside a caption: only the caption is searched.

Questions. In: what is typed into search, `smoking "by age" header:women -rate year:1990..2000 medium:pdf`. Out: a
`Question` of words, phrases, fields and conditions. Nothing that can be typed is an error: what is no known field is
searched for as words.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import tantivy

from tabellion.library.files import open_room
from tabellion.library.holdings import DocumentRecord, TableRecord, decode_held
from tabellion.library.terms import BREAK, is_number, terms

if TYPE_CHECKING:
    from tabellion.library.joins.sketch import Cells

import re

import msgspec

TEXT_FIELDS = ("caption", "header", "stub", "note", "reference", "cell", "document")
# how often a word of a part counts among those that tell what a table is about (bench/library_weights.py)
TELLING = {"caption": 16, "header": 6, "stub": 5, "document": 2}
RANKED_FIELDS = ("telling", "rest", "hollow")  # all words that tell; other words; those of tables without values
LABEL_FIELDS = ("left_label", "top_label")  # hashes of labels, for joins
SORTS = ("medium", "kind", "size")  # counted together, as `sort`
BETWEEN = "|"  # between the three
SIZES = ((30, "small"), (300, "medium"), (3_000, "large"))  # values of a table below which it is called so
LARGEST = "huge"
EMPTY = "empty"  # a table without values
_SHOWN = 2_000  # letters of the values of a table that are kept for highlights
Entry = dict[str, object]


def build_schema() -> tantivy.Schema:
    """The fields of an entry; texts come as terms already, so blanks part them."""
    builder = tantivy.SchemaBuilder()
    for name in TEXT_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="position")
    for name in RANKED_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in ("number", "anywhere"):  # numbers of values; every term of the table, to be counted by
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    for name in LABEL_FIELDS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="basic")
    for name in ("shown", "sketch"):  # texts of values for highlights; what a join is ranked by
        builder.add_bytes_field(name, stored=True, indexed=False)
    builder.add_text_field("table_id", stored=True, tokenizer_name="raw", index_option="basic")
    for name in SORTS:
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("sort", "document_id"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic", fast=True)
    for name in ("year", "rows", "columns", "tuples"):
        builder.add_integer_field(name, indexed=True, fast=True)
    return builder.build()


def describe_documents(segments: str, documents: list[DocumentRecord], tables: list[TableRecord]) -> list[Entry]:
    """The entries of the tables of some documents; `segments` is the folder or address of their tuples."""
    from tabellion.library.joins.sketch import Cells

    room = open_room(segments)
    by_id = {document.document_id: document for document in documents}
    cells = read_cells(room, documents)
    entries = []
    for table in tables:
        document = by_id[table.document_id]
        labels = _read_labels(room, document, table.table_id) if table.unpack().is_cut else ()
        entries.append(describe_entry(document, table, cells.get(table.table_id, Cells()), labels))
    return entries


def _read_labels(segments: Path, document: DocumentRecord, table_id: str) -> Sequence[str]:
    """All labels before the rows of a table."""
    import pyarrow.compute as pc

    from tabellion.library.originals import open_segments

    if not document.segment_id:
        return ()
    held = open_segments(segments, [document.segment_id])
    rows = held.to_table(columns=["left"], filter=pc.field("table_id") == table_id)
    return list(dict.fromkeys(label for path in rows["left"].to_pylist() for label in path))


def read_cells(segments: Path, documents: Iterable[DocumentRecord]) -> dict[str, Cells]:
    """The texts and values of each table."""
    import pyarrow.compute as pc  # not needed to search

    from tabellion.library.joins.sketch import Cells
    from tabellion.library.originals import open_segments

    found: dict[str, Cells] = {}
    by_segment: dict[str, list[str]] = {}
    for document in documents:
        if document.segment_id:
            by_segment.setdefault(document.segment_id, []).append(document.document_id)
    for segment_id, ids in by_segment.items():
        held = open_segments(segments, [segment_id]).to_table(
            columns=["table_id", "text", "column", "value"], filter=pc.field("document_id").isin(ids)
        )
        for table_id, text, column, value in zip(*(one.to_pylist() for one in held.columns), strict=True):
            if (cells := found.get(table_id)) is None:
                cells = found[table_id] = Cells([], [], [])
            cells.texts.append(text)
            cells.columns.append(column)
            cells.values.append(value)
    return found


def describe_entry(document: DocumentRecord, table: TableRecord, held: Cells, labels: Sequence[str] = ()) -> Entry:
    """The entry of a table: its words by where they stand, and what it can be narrowed down by.

    `labels`: those before its rows, where the details do not have all.
    """
    from tabellion.library.joins.sketch import pack_sketch, sketch_table, tokens

    details, language = table.unpack(), document.language
    affiliated = details.metadata.affiliated
    cells, numbers = _cell_terms(held.texts, language)
    caption = _joined(table.titles, language)
    sketch = sketch_table(details, held, caption or _joined([document.title or ""], language))
    name = PurePath(document.source).name
    about = [document.title or "", name, " ".join(decode_held(document.authors, list[str])), table.sheet or ""]
    texts = {
        "caption": caption,
        "header": _joined(details.all_heads, language),
        "stub": _joined(labels or details.stub_words, language),
        "note": _joined(affiliated.footnotes, language),
        "reference": _joined(affiliated.references, language),
        "cell": " ".join(cells),
        "document": _joined(about, language),
        "number": " ".join(numbers),
    }
    sort = (document.medium, table.kind or "unknown", size_name(table.tuples))
    ranked = _ranked_texts(texts) if table.tuples else {"hollow": " ".join(texts.values())}
    return (
        texts
        | ranked
        | dict(zip(SORTS, sort, strict=True))
        | {
            "table_id": table.table_id,
            "sort": BETWEEN.join(sort),
            "anywhere": " ".join(dict.fromkeys(" ".join(texts.values()).split())),
            "shown": zlib.compress(shown_texts(held.texts)),
            "sketch": pack_sketch(sketch),
            "left_label": tokens([sketch.left, *(column.labels for column in sketch.columns)]),
            "top_label": tokens([sketch.top]),
            "document_id": document.document_id,
            "year": list(details.years),
            "rows": table.rows,
            "columns": table.columns,
            "tuples": table.tuples,
        }
    )


def _ranked_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """What a table is ranked by: the words that tell what it is about as often as they count, and the rest."""
    telling = (f"{texts[field]} " * times for field, times in TELLING.items())
    rest = (texts[field] for field in TEXT_FIELDS if field not in TELLING)
    return {"telling": "".join(telling).replace(BREAK, ""), "rest": " ".join(rest).replace(BREAK, "")}


def shown_texts(texts: Iterable[str]) -> bytes:
    r"""The first texts, each once, a line each.

    >>> shown_texts(["a b", "c", "a b"])
    b'a b\nc'
    """
    kept, letters = [], 0
    for text in dict.fromkeys(texts):
        letters += len(text) + 1
        if letters > _SHOWN:
            break
        kept.append(" ".join(text.split()))
    return "\n".join(kept).encode()


def size_name(tuples: int) -> str:
    """What a table with so many values is called.

    >>> size_name(0), size_name(12), size_name(5_000_000)
    ('empty', 'small', 'huge')
    """
    if not tuples:
        return EMPTY
    return next((name for below, name in SIZES if tuples < below), LARGEST)


def _joined(texts: Iterable[str], language: str) -> str:
    return f" {BREAK} ".join(" ".join(terms(text, language)) for text in texts if text)


def _cell_terms(texts: Iterable[str], language: str) -> tuple[list[str], list[str]]:
    """The words of the values in their order, and the numbers; each value once."""
    words: list[str] = []
    numbers: dict[str, None] = {}
    for text in dict.fromkeys(texts):
        for term in (text,) if text.isdigit() and text.isascii() else terms(text, language):
            if is_number(term):
                numbers[term] = None
            else:
                words.append(term)
    return words, list(numbers)


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
