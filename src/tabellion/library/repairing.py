"""Tables of a library under repair: each stroke is kept with the reading that it gives, in one transaction.

In: a library and a table's id or name. Out: a `Repair`. The document is read from its original; earlier editions, by
which places are found again, are originals as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from tabellion.errors import LibraryError
from tabellion.isolated import read_in
from tabellion.library.catalogue import Catalogue
from tabellion.library.files import Folder
from tabellion.library.holdings import DocumentRecord, TableRecord
from tabellion.library.originals import load_original
from tabellion.library.reading import as_stored, naming, reading_of
from tabellion.library.records import documents_by_id, list_documents, read_logs, table_called, tables_of
from tabellion.library.stored_tables import editions_of
from tabellion.library.verify import writing_mark
from tabellion.library.writing import LogGrown, write_readings
from tabellion.model.correction import Correction
from tabellion.pipeline import Settings, read_source
from tabellion.read.limits import one_deadline
from tabellion.repair.lookalikes import Proposal
from tabellion.repair.replay import Editions, Replayed
from tabellion.repair.rereading import Rereading
from tabellion.repair.session import Keep, Overtaken, Repair
from tabellion.weights import Weights
from tabellion.workers import Crew


class Elsewhere(msgspec.Struct, frozen=True):
    """What is proposed for another document: `repair.accept(proposals)` keeps it."""

    source: str
    repair: Repair
    proposals: list[Proposal]


def find_table(catalogue: Catalogue, name: str) -> tuple[DocumentRecord, TableRecord]:
    """A table by its id or its name, with its document."""
    with catalogue.reading() as connection:
        table = table_called(connection, name)
        return documents_by_id(connection, [table.document_id])[table.document_id], table


class Bench(msgspec.Struct, frozen=True, eq=False):
    """A document of the library, read once, for any number of repairs."""

    document: DocumentRecord
    rereading: Rereading
    editions: Editions
    keep: Keep

    def repair(
        self,
        table: str | None,
        log: Sequence[Correction],
        author: str | None = None,
        keep: Keep | None = None,
        replayed: Replayed | None = None,
    ) -> Repair:
        """One of its tables under repair, by its id or the number in it; None: the document as a whole.

        Strokes go to the library, or to another keeper. `replayed` is its reading with this log, where it is at hand.
        """
        number = None if table is None else table.rpartition("-")[2]
        return Repair(self.rereading, number, log, self.editions, keep or self.keep, author, replayed)


def open_bench(
    folder: Folder, catalogue: Catalogue, document: DocumentRecord, settings: Settings, crew: Crew | None = None
) -> Bench:
    """Read a document from its original, to be repaired; with `crew` in one of its workers, under the limits."""
    settings = as_stored(settings, document.rendered)
    data = load_original(folder.originals, document.sha256)
    name = document.source
    rereading = read_in(crew, _lay_open, name, data, settings, limits=settings.limits, name=name)
    writer = _CorrectionWriter(folder, catalogue, document, len(data))
    return Bench(document, rereading, editions_of(folder.originals, settings), writer.write)


def _lay_open(name: str, data: bytes, settings: Settings) -> Rereading:
    """A document whose tables are found and read once."""
    with naming(name), one_deadline(settings.limits):
        rereading = Rereading(read_source(data, settings, Weights(settings.weights)), settings)
        rereading.read()
    return rereading


def repair_table(
    folder: Folder,
    catalogue: Catalogue,
    name: str,
    author: str | None = None,
    settings: Settings = Settings(),
    crew: Crew | None = None,
) -> Repair:
    """A table under repair; with `crew` its document is read in one of its workers."""
    document, table = find_table(catalogue, name)
    with catalogue.reading() as connection:
        log = read_logs(connection, [document.document_id]).get(document.document_id, [])
    return open_bench(folder, catalogue, document, settings, crew).repair(table.table_id, log, author)


def find_alike_elsewhere(
    folder: Folder,
    catalogue: Catalogue,
    repair: Repair,
    document_id: str,
    correction: str | None,
    settings: Settings,
    crew: Crew | None = None,
) -> Iterator[Elsewhere]:
    """The like of a correction in the other documents of a library, a document at a time."""
    example = repair.example(correction)
    if example is None:
        return
    with catalogue.reading() as connection:
        documents = list_documents(connection)
        first = {
            table.document_id: table for table in reversed(tables_of(connection, [d.document_id for d in documents]))
        }
    for document in documents:
        if document.document_id != document_id and document.document_id in first:
            table = first[document.document_id].table_id
            other = repair_table(folder, catalogue, table, repair.author, settings, crew)
            if proposals := other.alike_to(example):
                yield Elsewhere(document.source, other, proposals)


class _CorrectionWriter:
    """Keeps the strokes of one document."""

    def __init__(self, folder: Folder, catalogue: Catalogue, document: DocumentRecord, size: int) -> None:
        self.folder, self.catalogue, self.document, self.size = folder, catalogue, document, size

    def write(self, corrections: Sequence[Correction], replayed: Replayed) -> None:
        """Append the corrections and show the reading that they give."""
        document = self.document
        # facts for SPARQL cost as much as all the rest of a stroke: they are made when somebody asks
        reading = reading_of(replayed.extraction, document.source, document.address, self.size, facts=False)
        reading = msgspec.structs.replace(reading, corrections=len(replayed.standings), rendered=document.rendered)
        with writing_mark(self.folder):
            try:
                results = write_readings(
                    self.folder, self.catalogue, [reading], again=True, said={document.document_id: corrections}
                )
            except LogGrown:
                with self.catalogue.reading() as connection:
                    log = read_logs(connection, [document.document_id]).get(document.document_id, [])
                raise Overtaken(log) from None
        if results[0].status == "unchanged":
            raise LibraryError(f"{document.source}: was replaced or removed in the meantime; repair it as it is now")
