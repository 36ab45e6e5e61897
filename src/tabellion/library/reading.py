"""What the library keeps of a document: facts for the catalogue, and tuples.

A `Reading` can be sent from one process to another; it has the details of each table as they lie in the catalogue.

From a document that was read to what the library keeps of it. In: bytes of a document and where they came from, or an
extraction. Out: a `Reading`. A document is always read from its bytes, so that reading it again from the stored
original gives the same.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Any, Literal

import msgspec

from tabellion.errors import TabellionError
from tabellion.library.columns import ColumnFacts, relation_columns
from tabellion.library.quads import Quads, are_few, are_wanted, describe_quads
from tabellion.library.terms import guess_language
from tabellion.library.tidy import tidy_tables
from tabellion.model.correction import Correction
from tabellion.model.metadata import Metadata
from tabellion.model.place import Place
from tabellion.model.table import Table
from tabellion.pipeline import Extraction, Settings
from tabellion.read.fetch import UNNAMED
from tabellion.repair.replay import Editions, extract_repaired

# how details mostly look: with it a small table takes half the room. Libraries depend on every letter of it
_COMMON = (
    b'years":[1990,1995,1998,1999,2000,2001,2002,2003,2004,2005,2006,2007,2008,2009,2010,2011,2012],"stub_words":['
    b'"Total","Male","Female","Other","All","Number","Percent","United States","Year"'
    b'{"column":1,"name":"total","path":["Total"],"number":true,"unit":"%"},{"column":2,"name":"number_percent","path":['
    b'"Number","Percent"],"number":true,"unit":null},{"column":0,"name":"label","path":[],"number":false,"unit":null},'
    b'{"place":{"sheet":"Sheet1","range":"A1:F20"},"stub":[{"column":0,"name":"label","path":[],"number":false,"unit":'
    b'null}],"columns":[],"metadata":{"environment":{"document_type":"xlsx","document_address":"","document_name":'
    b'".xlsx","document_authors":[],"page_number":null,"page_columns":null,"start":"A1"},"frame":{"outer_ruling":"none"'
    b'},"affiliated":{"index_number":"Table 1","caption":null,"caption_position":"above","footnotes":[],"references":['
    b']},"layout":{"width":null,"length":null,"rows":10,"columns":5,"stub_separator":"none","boxhead_separator":"none",'
    b'"column_widths":null,"row_heights":null,"column_headers":[],"row_headers":[],"alignment":["left","right","right",'
    b'"right","right","center"]},"content":{"cells":100,"filled":100},"type":{"kind":"numerical"}},"left_depth":1,"'
)


Rendered = Literal["always", "auto"]
_WORDS_KEPT = 4_000  # letters of stub words kept for search and highlights; the rest is in the segment


class Details(msgspec.Struct, frozen=True):
    """What is kept of a table beside the fields that are asked for all the time."""

    place: Place
    stub: tuple[ColumnFacts, ...]
    columns: tuple[ColumnFacts, ...]
    metadata: Metadata
    left_depth: int = 0
    years: tuple[int, ...] = ()
    stub_words: tuple[str, ...] = ()
    rows_are_tuples: bool = False  # whether no row holds two tuples: one column of values, and no key among the values

    @property
    def header_words(self) -> tuple[str, ...]:
        """The labels over the columns, each once."""
        return tuple(dict.fromkeys(label for column in self.columns for label in column.path))

    @property
    def all_heads(self) -> tuple[str, ...]:
        """The same with the heads of the stub."""
        return tuple(dict.fromkeys((*(label for one in self.stub for label in one.path), *self.header_words)))

    @property
    def is_cut(self) -> bool:
        """Whether there may be more labels before the rows than `stub_words` has."""
        return sum(map(len, self.stub_words)) > _WORDS_KEPT // 2


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


_unpack = msgspec.msgpack.Decoder(Reading).decode


def document_address(source: str) -> str:
    """What makes a document the same one next time: its URL, or its absolute path."""
    return source if "://" in source else str(Path(source).absolute().resolve())


def document_id(address: str) -> str:
    """A short name of a document that depends on nothing but its address."""
    return hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def pack_reading(reading: Reading) -> bytes:
    """A reading as it goes from a worker to its parent."""
    return msgspec.msgpack.encode(reading)


def unpack_reading(packed: bytes) -> Reading:
    return _unpack(packed)


def pack_details(details: Details) -> bytes:
    """Details as they lie in the catalogue: JSON, packed with what all details have in common left out."""
    packer = zlib.compressobj(9, zdict=_COMMON)
    return packer.compress(msgspec.json.encode(details)) + packer.flush()


def unpack_details(packed: bytes) -> Details:
    unpacker = zlib.decompressobj(zdict=_COMMON)
    return msgspec.json.decode(unpacker.decompress(packed) + unpacker.flush(), type=Details)


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


def reading_of(extraction: Extraction, source: str, address: str, size: int) -> Reading:
    """What is kept of an extraction."""
    document = extraction.document
    identity = document_id(address)
    tables = tuple(_table_reading(table, source) for table in extraction.tables)
    described = are_wanted() and are_few(sum(table.tuples for table in tables))
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


def name_source(metadata: Metadata, source: str) -> Metadata:
    """With the name of a document that was read from its bytes."""
    name: dict[str, Any] = {"document_address": source, "document_name": PurePath(source).name or None}
    return msgspec.structs.replace(metadata, environment=msgspec.structs.replace(metadata.environment, **name))


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
        if letters > _WORDS_KEPT:
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
