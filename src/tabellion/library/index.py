"""The search index: one entry per table, derived from the catalogue and its segments, rebuilt at will.

In: changes of the catalogue. Out: a tantivy index that has caught up with them. The index notes up to which change it
goes after it is written; one that a killed process left behind catches up when it is next opened, and doing a change
twice does no harm.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

import tantivy

from tabellion.errors import LibraryError
from tabellion.library.files import Folder, locked, whole_file
from tabellion.library.kept import DocumentRecord, Kept, TableRecord, in_parts
from tabellion.library.terms import BREAK, is_number, terms

if TYPE_CHECKING:
    from tabellion.library.catalogue import Catalogue
    from tabellion.library.joins.sketch import Cells

_META = "meta.json"
_MAGIC = 1337  # what ends a file of tantivy
FORM = 6  # of the index; one of another form is made anew
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
_HEAP = 64 * 2**20  # bytes that the writer collects before it writes a part of the index
_TOGETHER = 200  # documents whose tables are held at once
_LONG_WAIT = 600.0  # seconds that one writer waits for another


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


class IndexFolder:
    """The index of one library as it is on the disk."""

    def __init__(self, folder: Folder) -> None:
        self.folder = folder
        self._open: tantivy.Index | None = None

    def applied(self) -> int:
        """Up to which change the index goes; -1 where there is none, or one of another form."""
        try:
            noted = json.loads(self.folder.applied.read_bytes())
        except (OSError, ValueError):
            return -1
        return (
            int(noted["sequence"]) if noted.get("form") == FORM and (self.folder.index / "meta.json").exists() else -1
        )

    def state(self) -> str:
        """What tells the index as it is on the disk from what it was: the change it goes up to, and its last commit."""
        try:
            commit = int(json.loads((self.folder.index / "meta.json").read_bytes())["opstamp"])
        except (OSError, ValueError, KeyError):
            commit = 0
        return f"{max(0, self.applied())}.{commit}"

    def damage(self) -> Iterator[str]:
        """The files of the index that are not as they were written, by the checksums at their ends."""
        try:
            noted = json.loads(self.folder.applied.read_bytes()).get("meta")
        except (OSError, ValueError):
            return
        for path in sorted(self.folder.index.iterdir()):
            if path.name == _META:
                if noted not in (None, hashlib.sha256(path.read_bytes()).hexdigest()):
                    yield path.name
            elif not path.name.startswith(".") and not _fits_checksum(path.read_bytes()):
                yield path.name

    def open(self) -> tantivy.Index:
        """The index as it is on the disk now."""
        if self._open is None:
            self._open = tantivy.Index(build_schema(), path=str(self.folder.index))
        self._open.reload()
        return self._open


class SearchIndex(IndexFolder):
    """The index of one library, which follows its catalogue."""

    def __init__(self, folder: Folder, catalogue: Catalogue, kept: Kept) -> None:
        super().__init__(folder)
        self.catalogue, self.kept = catalogue, kept

    def catch_up(self, *, wait: bool = False) -> bool:
        """Bring the index to the state of the catalogue; False where another process is at it."""
        if self.applied() == self.kept.sequence():
            return True
        with locked(self.folder.index_lock, wait=_LONG_WAIT if wait else 0.0) as mine:
            if mine:
                try:
                    self._apply()
                except (ValueError, OSError) as error:
                    raise LibraryError(
                        f"{self.folder.index}: the index cannot be written ({error}); the library itself is unharmed"
                    ) from error
            return mine

    def rebuild(self) -> None:
        """Throw the index away and make it anew."""
        with locked(self.folder.index_lock, wait=_LONG_WAIT) as mine:
            if not mine:
                raise LibraryError(f"{self.folder.index}: another process has been writing the index for too long")
            self.folder.applied.unlink(missing_ok=True)
            self._apply()

    def _apply(self) -> None:
        from sqlalchemy import select

        from tabellion.library.catalogue import history
        from tabellion.library.records import documents_since

        since = self.applied()
        if since < 0:
            self._open = None
            shutil.rmtree(self.folder.index, ignore_errors=True)
            self.folder.index.mkdir(parents=True)
        with self.catalogue.reading() as connection:
            target = self.catalogue.last_sequence(connection)
            changed = documents_since(connection, since)
            gone = connection.execute(select(history.c.document_id).where(history.c.sequence > since)).scalars().all()
        writer, schema = self.open().writer(_HEAP, 1), build_schema()
        try:
            if since >= 0:
                for document_id in {*gone, *(document.document_id for document in changed)}:
                    writer.delete_documents_by_term("document_id", document_id)
            for some in in_parts(changed, _TOGETHER):
                for entry in self._entries(some):
                    writer.add_document(tantivy.Document.from_dict(entry, schema))
            writer.commit()
            writer.wait_merging_threads()
        finally:
            del writer
        with whole_file(self.folder.applied) as part:
            meta = hashlib.sha256((self.folder.index / _META).read_bytes()).hexdigest()
            part.write_text(json.dumps({"form": FORM, "sequence": target, "meta": meta}))

    def _entries(self, documents: list[DocumentRecord]) -> Iterator[dict[str, object]]:
        from tabellion.library.joins.sketch import Cells
        from tabellion.library.records import tables_of

        by_id = {document.document_id: document for document in documents}
        with self.catalogue.reading() as connection:
            tables = tables_of(connection, by_id)
        cells = self.read_cells(documents)
        for table in tables:
            document = by_id[table.document_id]
            labels = self._read_labels(document, table.table_id) if table.unpack().is_cut else ()
            yield describe_entry(document, table, cells.get(table.table_id, Cells()), labels)

    def _read_labels(self, document: DocumentRecord, table_id: str) -> Sequence[str]:
        """All labels before the rows of a table."""
        import pyarrow.compute as pc

        from tabellion.library.originals import open_segments

        if not document.segment_id:
            return ()
        held = open_segments(self.folder.segments, [document.segment_id])
        rows = held.to_table(columns=["left"], filter=pc.field("table_id") == table_id)
        return list(dict.fromkeys(label for path in rows["left"].to_pylist() for label in path))

    def read_cells(self, documents: list[DocumentRecord]) -> dict[str, Cells]:
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
            held = open_segments(self.folder.segments, [segment_id]).to_table(
                columns=["table_id", "text", "column", "value"], filter=pc.field("document_id").isin(ids)
            )
            for table_id, text, column, value in zip(*(one.to_pylist() for one in held.columns), strict=True):
                if (cells := found.get(table_id)) is None:
                    cells = found[table_id] = Cells([], [], [])
                cells.texts.append(text)
                cells.columns.append(column)
                cells.values.append(value)
        return found


def _fits_checksum(data: bytes) -> bool:
    """Whether a file of tantivy has the checksum that its footer says: JSON, its length, and a number of its own."""
    try:
        length, magic = struct.unpack("<II", data[-8:])
        said = json.loads(data[-8 - length : -8])["crc"]
    except (struct.error, ValueError, KeyError, TypeError):
        return False
    return bool(magic == _MAGIC and zlib.crc32(data[: -8 - length]) == said)


def describe_entry(
    document: DocumentRecord, table: TableRecord, held: Cells, labels: Sequence[str] = ()
) -> dict[str, object]:
    """The entry of a table: its words by where they stand, and what it can be narrowed down by.

    `labels`: those before its rows, where the details do not have all.
    """
    from tabellion.library.joins.sketch import pack_sketch, sketch_table, tokens

    details, language = table.unpack(), document.language
    affiliated = details.metadata.affiliated
    cells, numbers = _cell_terms(held.texts, language)
    caption = _joined([table.caption or table.title or ""], language)
    sketch = sketch_table(details, held, caption or _joined([document.title or ""], language))
    name = PurePath(document.source).name
    about = [document.title or "", name, " ".join(json.loads(document.authors)), table.sheet or ""]
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
