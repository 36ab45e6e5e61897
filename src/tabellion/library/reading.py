"""What the library keeps of a document that was read: facts for the catalogue, and the tuples as one Arrow table.

In: nothing; `take` makes these values. Out: a `Reading`, which can be sent from one process to another, and the details
of a table as they lie in the catalogue.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Literal

import msgspec

from tabellion.model.metadata import Metadata
from tabellion.model.place import Place

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


class ColumnFacts(msgspec.Struct, frozen=True):
    """One column of a table as it is laid out: its place in the source, its name for SQL, its labels."""

    column: int
    name: str
    path: tuple[str, ...] = ()
    number: bool = False
    unit: str | None = None


class Details(msgspec.Struct, frozen=True):
    """What is kept of a table beside the fields that are asked for all the time."""

    place: Place
    stub: tuple[ColumnFacts, ...]
    columns: tuple[ColumnFacts, ...]
    metadata: Metadata
    left_depth: int = 0
    years: tuple[int, ...] = ()
    stub_words: tuple[str, ...] = ()

    @property
    def header_words(self) -> tuple[str, ...]:
        """The labels over the columns, each once."""
        return tuple(dict.fromkeys(label for column in self.columns for label in column.path))


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
