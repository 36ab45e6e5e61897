"""What leads from a number back to its document: a citation of one value of a table.

In: a table of the library and the address of a value. Out: the value with its labels, the document with its edition
(the SHA-256 of its bytes), and the place: sheet and address, page and box, or CSS path. Fails on the box of a value
that was kept by an older tabellion, until `tabellion rebuild`.
"""

from __future__ import annotations

import msgspec
import pyarrow.compute as pc

from tabellion.errors import LibraryError
from tabellion.library.library import Library
from tabellion.library.originals import open_segments
from tabellion.library.records import documents_by_id, table_called

_SHORT = 12  # letters of a SHA-256 that tell editions apart


class Citation(msgspec.Struct, frozen=True):
    """One value, and all that leads back to it."""

    text: str  # the citation in one line
    table: str
    name: str
    title: str | None
    document: str
    source: str
    document_title: str | None
    sha256: str
    added: str
    address: str
    sheet: str | None
    page: int | None
    box: list[float] | None
    path: str | None
    said: str  # the value as it is written
    value: float | None
    unit: str | None
    top: list[str]
    left: list[str]
    notes: list[str]
    confidence: float


def cite_value(library: Library, name: str, address: str) -> Citation:
    """The citation of the value at an address of a table."""
    with library.catalogue.reading() as connection:
        table = table_called(connection, name)
        document = documents_by_id(connection, [table.document_id])[table.document_id]
    wanted = address.strip().replace("$", "").upper()
    here = (pc.field("table_id") == table.table_id) & (pc.field("address") == wanted)
    segments = [document.segment_id] if document.segment_id else []
    rows = open_segments(library.folder.segments, segments).to_table(filter=here).to_pylist() if segments else []
    if not rows:
        raise LibraryError(f"{address}: no value of {table.name} stands there{_range(table.unpack().place.range)}")
    one = rows[0]
    place = table.unpack().place
    page = one["page"] if one["page"] is not None else table.page
    title = table.title or table.caption
    said = [
        " / ".join([*one["left"], *one["top"]]) + f": {one['text']}" + (f" {one['unit']}" if one["unit"] else ""),
        title or table.name,
        document.title or "",
        document.source,
        _spot(wanted, one["box"], table.sheet, page, place.path),
        f"edition sha256:{document.sha256[:_SHORT]}",
        f"read {document.added[:10]}, confidence {one['confidence']:.2f}",
    ]
    return Citation(
        text=". ".join(dict.fromkeys(part.strip().rstrip(".") for part in said if part)) + ".",
        table=table.table_id,
        name=table.name,
        title=title,
        document=document.document_id,
        source=document.source,
        document_title=document.title,
        sha256=document.sha256,
        added=document.added,
        address=wanted,
        sheet=table.sheet,
        page=page,
        path=place.path,
        box=one["box"],
        said=one["text"],
        value=one["value"],
        unit=one["unit"],
        top=one["top"],
        left=one["left"],
        notes=one["notes"],
        confidence=one["confidence"],
    )


def _spot(address: str, box: list[float] | None, sheet: str | None, page: int | None, path: str | None) -> str:
    """Where a value stands, in words."""
    if sheet is not None:
        return f"sheet {sheet}, cell {address}"
    place = [f"page {page}"] if page is not None else []
    if box:
        place.append("box " + " ".join(f"{edge:g}" for edge in box))
    if path:
        place.append(f"element {path}")
    return ", ".join([*place, f"cell {address} of the table"])


def _range(known: str | None) -> str:
    return f"; it lies in {known}" if known else ""
