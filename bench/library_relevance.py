"""How well search finds a table that is known to be there, against plain BM25 over all text in one field.

    python bench/library_relevance.py [LIBRARY] [--questions N]

Questions are made from the tables of a library (without one, from the dev corpora): some words of a caption, or some
of headers and stub, with noise as people make it: a word too few, a word that is not there, another ending. The table
they were made from must be found; tables that say the same in caption and headers count as that table. Reported: the
mean reciprocal rank and nDCG over the first ten, by kind of question.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import tantivy

from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.entries import read_cells
from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.joins.sketch import Cells
from tabellion.library.library import Library
from tabellion.library.records import list_documents, tables_of

CORPORA = ("saus-lines", "troy200", "hitab-top", "senbazuru-left")
DEPTH = 10  # places that count
_WORD = re.compile(r"[^\W\d_]{3,}")
_DULL = frozenset(
    {
        "the",
        "and",
        "for",
        "from",
        "with",
        "that",
        "this",
        "are",
        "was",
        "per",
        "not",
        "all",
        "its",
        "total",
        "number",
        "table",
        "other",
        "year",
        "years",
    }
)


class Question(NamedTuple):
    """What is asked, how it was made, and the tables that answer it."""

    text: str
    kind: str
    wanted: frozenset[str]


class Entry(NamedTuple):
    """A table with its document and the texts of its values."""

    document: DocumentRecord
    table: TableRecord
    texts: list[str]

    @property
    def caption(self) -> str:
        return self.table.caption or self.table.title or ""

    def labels(self) -> list[str]:
        details = self.table.unpack()
        return [*details.header_words, *details.stub_words]


def read_entries(library: Library) -> list[Entry]:
    with library.catalogue.reading() as connection:
        documents = list_documents(connection)
        tables = tables_of(connection, [document.document_id for document in documents])
    by_id = {document.document_id: document for document in documents}
    cells = read_cells(library.folder.segments, documents)
    return [Entry(by_id[table.document_id], table, cells.get(table.table_id, Cells()).texts) for table in tables]


def make_questions(entries: list[Entry], count: int, seed: int = 5) -> list[Question]:
    """Known-item questions, half of captions and half of headers and stubs."""
    choose = random.Random(seed)  # noqa: S311 - the same questions every time
    alike: dict[tuple[str, ...], set[str]] = {}
    for entry in entries:
        alike.setdefault(_sameness(entry), set()).add(entry.table.table_id)
    vocabulary = sorted({word for entry in entries for word in _words(entry.caption)})
    found: list[Question] = []
    for entry in choose.sample(entries, len(entries)):
        wanted = frozenset(alike[_sameness(entry)])
        for kind, words in (("caption", _words(entry.caption)), ("headers", _words(" ".join(entry.labels())))):
            if len(words) >= 3:
                text = " ".join(_noisy(choose, words, vocabulary, 4 if kind == "caption" else 5))
                found.append(Question(text, kind, wanted))
        if len(found) >= count:
            break
    return found


def _noisy(choose: random.Random, words: list[str], vocabulary: list[str], most: int) -> Iterator[str]:
    """Some of the words in another order, one of them perhaps with another ending, and perhaps a foreign one."""
    picked = choose.sample(words, min(most, max(2, len(words) - 1)))
    ending = choose.randrange(len(picked)) if choose.random() < 0.5 else -1
    for number, word in enumerate(picked):
        yield _other_ending(word) if number == ending else word
    if choose.random() < 0.5:
        yield choose.choice(vocabulary)


def _other_ending(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else f"{word}s"


def _words(text: str) -> list[str]:
    return sorted({word for word in _WORD.findall(text.lower()) if word not in _DULL})


def _sameness(entry: Entry) -> tuple[str, ...]:
    return (entry.caption.lower(), *entry.table.unpack().header_words)


def plain_bm25(entries: list[Entry], folder: Path) -> Callable[[str], list[str]]:
    """All text of a table in one field, as it is: the peer."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    builder.add_text_field("all", tokenizer_name="default")
    index = tantivy.Index(builder.build(), path=str(folder))
    writer = index.writer(64 * 2**20, 1)
    for entry in entries:
        affiliated = entry.table.unpack().metadata.affiliated
        said = [entry.caption, *entry.labels(), *affiliated.footnotes, *affiliated.references, *entry.texts]
        said += [entry.document.title or "", Path(entry.document.source).name, entry.table.sheet or ""]
        writer.add_document(tantivy.Document(id=entry.table.table_id, all=" ".join(said)))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()

    def search(text: str) -> list[str]:
        searcher = index.searcher()
        query = index.parse_query(text, ["all"])
        return [searcher.doc(at)["id"][0] for _, at in searcher.search(query, DEPTH).hits]

    return search


def fielded(library: Library) -> Callable[[str], list[str]]:
    return lambda text: [hit.table for hit in library.search(text, limit=DEPTH, facets=False).hits]


def measure(search: Callable[[str], list[str]], questions: list[Question]) -> tuple[float, float]:
    """Mean reciprocal rank and nDCG over the first places."""
    reciprocal = gain = 0.0
    for question in questions:
        ranks = [rank for rank, table in enumerate(search(question.text), 1) if table in question.wanted]
        if ranks:
            reciprocal += 1 / ranks[0]
            ideal = sum(1 / math.log2(1 + rank) for rank in range(1, min(len(question.wanted), DEPTH) + 1))
            gain += sum(1 / math.log2(1 + rank) for rank in ranks) / ideal
    return reciprocal / len(questions), gain / len(questions)


def corpora_library(folder: Path, corpora: Iterable[str] = CORPORA) -> Library:
    """Some dev corpora as a library."""
    library = open_library(str(folder), create=True)
    sources = [path for name in corpora if (f := corpus_folder(name)) for path in sorted(f.rglob("*.xlsx"))]
    if not sources:
        sys.exit("no corpora found (docs/corpora.md)")
    library.add(*sources)
    return library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("library", nargs="?")
    parser.add_argument("--questions", type=int, default=1_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = open_library(given.library) if given.library else corpora_library(Path(folder) / "library")
        entries = read_entries(library)
        questions = make_questions(entries, given.questions)
        (Path(folder) / "plain").mkdir()
        peers = {"plain BM25": plain_bm25(entries, Path(folder) / "plain"), "tabellion": fielded(library)}
        print(f"{len(entries):,} tables, {len(questions):,} questions")
        print(f"{'':12} {'questions':10} {'MRR':>6} {'nDCG':>6}")
        for name, search in peers.items():
            for kind in ("caption", "headers", "all"):
                asked = [question for question in questions if kind in (question.kind, "all")]
                rank, gain = measure(search, asked)
                print(f"{name:12} {kind:10} {rank:6.3f} {gain:6.3f}")


if __name__ == "__main__":
    main()
