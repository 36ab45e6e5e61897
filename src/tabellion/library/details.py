"""What the catalogue holds of a table beside the fields that are asked for all the time, and how it is packed there.

In and out: `Details`. Nothing here needs more than to be read, so that a search answers at once.
"""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from tabellion.model.place import Place
from tabellion.model.table import Metadata

if TYPE_CHECKING:
    from tabellion.values.periods import ThingKind
else:
    ThingKind = str  # whose words need much that a search does not

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
WORDS_KEPT = 4_000  # letters of stub words kept for search and highlights; the rest is in the segment


class ColumnFacts(msgspec.Struct, frozen=True, omit_defaults=True):
    """One column of a table as it is laid out: its place in the source, its name for SQL, its labels.

    Of a column of the stub `level` says which label it holds of those that a row has in that place, from 1 on;
    0, in libraries of older form: the nearest.
    """

    column: int
    name: str
    path: tuple[str, ...] = ()
    number: bool = False
    unit: str | None = None
    level: int = 0
    kind: ThingKind | None = None  # what its labels are, where that is certain


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
        return sum(map(len, self.stub_words)) > WORDS_KEPT // 2


def document_address(source: str) -> str:
    """What makes a document the same one next time: its URL, or its absolute path."""
    return source if "://" in source else str(Path(source).absolute().resolve())


def document_id(address: str) -> str:
    """A short name of a document that depends on nothing but its address."""
    return hashlib.sha256(address.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def pack_details(details: Details) -> bytes:
    """Details as they lie in the catalogue: JSON, packed with what all details have in common left out."""
    packer = zlib.compressobj(9, zdict=_COMMON)
    return packer.compress(msgspec.json.encode(details)) + packer.flush()


def unpack_details(packed: bytes) -> Details:
    unpacker = zlib.decompressobj(zdict=_COMMON)
    return msgspec.json.decode(unpacker.decompress(packed) + unpacker.flush(), type=Details)


def name_source(metadata: Metadata, source: str) -> Metadata:
    """With the name of a document that was read from its bytes."""
    name: dict[str, Any] = {"document_address": source, "document_name": PurePath(source).name or None}
    return msgspec.structs.replace(metadata, environment=msgspec.structs.replace(metadata.environment, **name))
