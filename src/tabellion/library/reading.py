"""What the library keeps of a document: facts for the catalogue, and tuples.

A `Reading` can be sent from one process to another; it has the details of each table as they lie in the catalogue.

From a document that was read to what the library keeps of it. In: bytes of a document and where they came from, or an
extraction. Out: a `Reading`. A document is always read from its bytes, so that reading it again from the stored
original gives the same.

The tuples of a document are one Arrow table: one row per value, under the columns that every segment has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec
import pyarrow as pa

from tabellion.errors import TabellionError
from tabellion.export.arrow import FIELDS, PLACES, SPREADS, LinePaths, place_columns, spread_columns, tuple_columns
from tabellion.library.holdings import (
    WORDS_KEPT,
    Details,
    Rendered,
    document_id,
    name_source,
)
from tabellion.library.naming import relation_columns
from tabellion.library.prepared import Quads, are_few, are_wanted, describe_quads, is_large, pack_view
from tabellion.library.terms import guess_language
from tabellion.model.correction import Correction
from tabellion.model.table import Metadata, Table
from tabellion.pipeline import Extraction, Settings
from tabellion.read.limits import UNNAMED
from tabellion.repair.replay import Editions, extract_repaired

_PLACES = pa.list_(pa.int32())
SCHEMA = pa.schema(
    [
        ("table_id", pa.string()),
        ("document_id", pa.string()),
        *FIELDS,
        ("left_columns", _PLACES),  # where each label of `left` stands: for the layout, not for views
        ("sheet", pa.string()),
        *PLACES,
        *SPREADS,
    ]
)


def tidy_tables(document_id: str, tables: Sequence[Table]) -> bytes:
    """All tuples of a document."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, SCHEMA) as stream:
        for table in tables:
            if len(table.tuples):
                stream.write_table(_tidy(f"{document_id}-{table.id}", document_id, table))
    found: bytes = sink.getvalue().to_pybytes()
    return found


def arrow_table(stream: bytes) -> pa.Table:
    """The Arrow table of a stream."""
    return pa.ipc.open_stream(stream).read_all()


def _tidy(table_id: str, document_id: str, table: Table) -> pa.Table:
    tuples = table.tuples
    left, top = LinePaths(tuples.row_paths, tuples.rows), LinePaths(tuples.column_paths, tuples.columns)
    columns = {
        "table_id": pa.repeat(table_id, len(tuples)),
        "document_id": pa.repeat(document_id, len(tuples)),
        **tuple_columns(tuples, left, top),
        "left_columns": left.columns,
        "sheet": pa.repeat(pa.scalar(table.place.sheet, pa.string()), len(tuples)),
        **place_columns(table),
        **spread_columns(tuples),
    }
    return pa.table([columns[name] for name in SCHEMA.names], schema=SCHEMA)


class TableReading(msgspec.Struct, frozen=True):
    """A table for the catalogue; `id` is its own within the document."""

    id: str
    title: str | None
    caption: str | None
    orientation: str
    rows: int
    columns: int
    genuine: float
    confidence: float
    kind: str | None
    tuples: int
    details: Details


class Reading(msgspec.Struct, frozen=True):
    """A document that was read; `tuples` is an Arrow table as a stream of bytes."""

    document_id: str
    address: str
    source: str
    medium: str
    kind: str
    sha256: str
    size: int
    title: str | None
    authors: tuple[str, ...]
    language: str
    issues: tuple[str, ...]
    tables: tuple[TableReading, ...]
    tuples: bytes
    corrections: int = 0  # how many entries of the log it was read with
    rendered: Rendered | None = None  # how a web page was drawn before it was read
    quads: Quads | None = None  # its facts for SPARQL, where they are made beforehand
    view: bytes | None = None  # a large document as it is looked at
    others: dict[str, int] = {}  # what was judged to be no table, by what it seems to be


_unpack = msgspec.msgpack.Decoder(Reading).decode


def pack_reading(reading: Reading) -> bytes:
    """A reading as it goes from a worker to its parent."""
    return msgspec.msgpack.encode(reading)


def unpack_reading(packed: bytes) -> Reading:
    return _unpack(packed)


_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")


def read_for_library(
    source: str,
    address: str,
    data: bytes,
    settings: Settings,
    log: Sequence[Correction] = (),
    editions: Editions = lambda _: None,
) -> Reading:
    """Read a document from its bytes, with the corrections that were made of it, and take what is kept."""
    with naming(source):
        extraction = extract_repaired(data, settings, log, editions)
    rendered = settings.render if settings.render != "never" and extraction.document.medium == "html" else None
    reading = reading_of(extraction, source, address, len(data))
    return msgspec.structs.replace(reading, corrections=len(log), rendered=rendered)


@contextmanager
def naming(source: str) -> Iterator[None]:
    """While a document is read from its bytes: what is said of them is said of the source that they came from."""
    try:
        yield
    except TabellionError as error:
        raise type(error)(str(error).replace(UNNAMED, source, 1)) from error


def as_stored(settings: Settings, rendered: Rendered | None) -> Settings:
    """How a document of the library is read again: a page that was rendered once is rendered from then on."""
    if rendered is None or settings.render != "never":
        return settings
    return msgspec.structs.replace(settings, render=rendered)


def reading_of(extraction: Extraction, source: str, address: str, size: int, *, facts: bool = True) -> Reading:
    """What is kept of an extraction; with `facts`, those for SPARQL are made beforehand."""
    document = extraction.document
    identity = document_id(address)
    tables = tuple(_table_reading(table, source) for table in extraction.tables)
    described = facts and are_wanted() and are_few(sum(table.tuples for table in tables))
    return Reading(
        document_id=identity,
        address=address,
        source=source,
        medium=document.medium,
        kind=document.kind,
        sha256=document.sha256,
        size=size,
        title=document.title,
        authors=document.authors,
        language=guess_language(" ".join(_spoken(document.title, tables))),
        issues=tuple(f"{issue.stage}: {issue.note}" for issue in extraction.issues),
        tables=tables,
        tuples=tidy_tables(identity, extraction.tables),
        quads=describe_quads(under_name(extraction, source)) if described and tables else None,
        view=pack_view(extraction, source) if tables and is_large(extraction) else None,
        others=dict(Counter(one.kind for one in extraction.rejected)),
    )


def under_name(extraction: Extraction, source: str) -> Extraction:
    """A document that was read from its bytes, under the name that it was added by."""
    tables = tuple(table.with_metadata(name_source(table.metadata, source)) for table in extraction.tables)
    document = msgspec.structs.replace(extraction.document, source=source)
    return msgspec.structs.replace(extraction, document=document, tables=tables)


def _table_reading(table: Table, source: str) -> TableReading:
    stub, columns = relation_columns(table)
    grid, tuples = table.grid, table.tuples
    tops = [path.labels for path in tuples.column_paths.values()]
    lefts = [path.labels for path in tuples.row_paths.values()]
    headers = list(dict.fromkeys(label for path in tops for label in path))
    stubs = list(dict.fromkeys(label for path in lefts for label in path))
    caption = table.metadata.affiliated.caption
    said = " ".join(filter(None, (table.title, caption, *headers, *stubs)))
    return TableReading(
        id=table.id,
        title=table.title,
        caption=caption,
        orientation=table.orientation,
        rows=grid.shape[0],
        columns=grid.shape[1],
        genuine=float(table.genuine),
        confidence=float(table.confidence),
        kind=table.metadata.type.kind,
        tuples=len(tuples),
        details=Details(
            place=table.place,
            stub=stub,
            columns=columns,
            metadata=_trim(table.metadata, source),
            left_depth=max(map(len, lefts), default=0),
            years=tuple(sorted({int(year) for year in _YEAR.findall(said)})),
            stub_words=_at_most(stubs),
            rows_are_tuples=len(columns) == 1 and len(set(tuples.columns.tolist())) == 1,
        ),
    )


def _trim(metadata: Metadata, source: str) -> Metadata:
    """Without what the segment and the facts say already, and with the document's own name."""
    layout = msgspec.structs.replace(
        metadata.layout, column_headers=(), row_headers=(), column_widths=None, row_heights=None
    )
    return msgspec.structs.replace(
        name_source(metadata, source),
        layout=layout,
        affiliated=msgspec.structs.replace(metadata.affiliated, caption=None),  # the table's own field says it
    )


def _at_most(labels: list[str]) -> tuple[str, ...]:
    kept, letters = [], 0
    for label in labels:
        letters += len(label)
        if letters > WORDS_KEPT:
            break
        kept.append(label)
    return tuple(kept)


def _spoken(title: str | None, tables: tuple[TableReading, ...]) -> list[str]:
    found = [title or ""]
    for table in tables[:5]:
        details = table.details
        found += [table.caption or "", *details.metadata.affiliated.footnotes, *details.header_words[:20]]
        found += details.stub_words[:40]
    return found
