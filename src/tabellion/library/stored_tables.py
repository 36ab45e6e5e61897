"""Documents of a library read again with their corrections: whole tables taken out, and single values cited.

Tables taken out whole, with header trees and cells, to be published. In: names of tables or documents. Out: extractions
with the tables asked for, made from the stored originals, one document at a time. Places of corrections are found again
by the texts of the edition that they were made in, which is kept as an original. Fails where a document is read
otherwise now than when it was added: `tabellion rebuild` mends that.

A citation. In: a table of the library and the address of a value. Out: the value with its labels, the document with its
edition (the SHA-256 of its bytes), and the place: sheet and address, page and box, or CSS path. Fails on the box of a
value that was kept by an older tabellion, until `tabellion rebuild`.

A picture of the spot. In: a table of the library and the address of a value. Out: a drawing of the rows and columns
that its labels stand in and of those next to it, with the value and its labels marked. It is drawn from the document as
it was kept, so that it shows the edition that a citation names. Fails to show how the source looks: fonts, colours and
pictures are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from tabellion.errors import LibraryError
from tabellion.library.holdings import DocumentRecord
from tabellion.library.library import Library
from tabellion.library.originals import load_original, open_segments
from tabellion.library.reading import as_stored, naming, under_name
from tabellion.library.records import documents_by_id, list_documents, table_called, tables_by_id, tables_by_name
from tabellion.model.grid import Grid
from tabellion.model.printed import DrawnBox, DrawnLine, DrawnText, Scene
from tabellion.model.table import Table, Tuple
from tabellion.pipeline import Extraction, Settings, read_source
from tabellion.repair.editions import Edition
from tabellion.repair.replay import Editions, extract_repaired
from tabellion.repair.rereading import Rereading
from tabellion.weights import Weights

if TYPE_CHECKING:
    from tabellion.library.library import Library


def editions_of(originals: Path, settings: Settings) -> Editions:
    """The texts of editions by their hash, as far as their originals are kept."""

    @cache
    def edition(sha256: str) -> Edition | None:
        try:
            data = load_original(originals, sha256)
        except LibraryError:
            return None
        return Rereading(read_source(data, settings, Weights(settings.weights)), settings).edition()

    return edition


def stored_extractions(
    library: Library, names: Sequence[str] = (), settings: Settings = Settings()
) -> Iterator[Extraction]:
    """The tables of these names or ids, or all of these documents; without a name, everything."""
    if not names:
        with library.catalogue.reading() as connection:
            everything = list_documents(connection)
        for record in everything:
            yield extract_stored(library, record, settings)
        return
    for record, wanted in named_documents(library, names):
        extraction = extract_stored(library, record, settings)
        if wanted is not None:
            extraction = _choose(extraction, record, wanted)
        yield extraction


def knows(library: Library, name: str) -> bool:
    """Whether a name is that of a table or a document of the library."""
    try:
        return bool(named_documents(library, [name]))
    except LibraryError:
        return False


def extract_stored(library: Library, record: DocumentRecord, settings: Settings = Settings()) -> Extraction:
    """A document of the library read from its original, with its corrections, under the name it was added by."""
    settings, originals = as_stored(library.settle(settings), record.rendered), library.folder.originals
    log = library.corrections([record.document_id]).get(record.document_id, ())
    data = load_original(originals, record.sha256)
    with naming(record.source):
        found = extract_repaired(data, settings, log, editions_of(originals, settings))
    return under_name(found, record.source)


def named_documents(library: Library, names: Sequence[str]) -> list[tuple[DocumentRecord, set[str] | None]]:
    """The documents that the names mean, each once, with the tables asked for; None: all of them."""
    found: dict[str, tuple[DocumentRecord, set[str] | None]] = {}
    with library.catalogue.reading() as connection:
        tables = {**tables_by_id(connection, names), **tables_by_name(connection, names)}
        records = documents_by_id(connection, {table.document_id for table in tables.values()})
    for name in names:
        if name not in tables:
            record = library.find(name)
            found[record.document_id] = (record, None)
            continue
        table = tables[name]
        _, chosen = found.setdefault(table.document_id, (records[table.document_id], set()))
        if chosen is not None:
            chosen.add(table.table_id)
    return list(found.values())


def _choose(extraction: Extraction, record: DocumentRecord, wanted: set[str]) -> Extraction:
    tables = {f"{record.document_id}-{table.id}": table for table in extraction.tables}
    if missing := sorted(wanted - set(tables)):
        raise LibraryError(f"{', '.join(missing)}: the stored document is read otherwise now; run `tabellion rebuild`")
    return msgspec.structs.replace(extraction, tables=tuple(tables[one] for one in tables if one in wanted))


_AROUND = 2  # rows and columns shown on each side of the value
_SIZE, _HIGH, _LETTER = 11.0, 20.0, 0.55  # of letters: points; of a row: points; how wide a letter is by its size
_LONGEST = 34  # letters of a cell
_MARGIN, _HEAD = 12.0, 58.0  # points around the drawing, and over the cells
_VALUE, _LABEL, _LINE, _QUIET = "#ffe08a", "#dbe9ff", "#c4c9d0", "#5f6670"


def draw_spot(library: Library, name: str, address: str) -> Scene:
    """The spot where the value at an address of a table stands."""
    cited = cite_value(library, name, address)
    tables = [table for found in stored_extractions(library, [cited.table]) for table in found.tables]
    value = tables[0].tuples.at(cited.address) if tables else None
    if value is None:
        raise LibraryError(f"{address}: the stored document is read otherwise now; run `tabellion rebuild`")
    said = f"{cited.source}, {cited.sheet or (f'page {cited.page}' if cited.page else '')} {cited.address}".strip()
    edition = f"edition sha256:{cited.sha256[:12]}, confidence {cited.confidence:.2f}"
    return _draw(tables[0], value, (cited.title or cited.name, said, edition))


def _draw(table: Table, value: Tuple, heads: tuple[str, str, str]) -> Scene:
    grid = table.grid
    labels = {(int(row), int(column)) for row, column in (*value.top_cells, *value.left_cells)}
    rows = _near(grid.row_of, value.row, (row for row, _ in labels))
    columns = _near(grid.column_of, value.column, (column for _, column in labels))
    marked = {(value.row, value.column): _VALUE, **dict.fromkeys(labels, _LABEL)}
    widths = [_width(grid, rows, column) for column in columns]
    edges = [_MARGIN, *(_MARGIN + width for width in np.cumsum(widths).tolist())]
    sizes = ((heads[0], 13.0), (heads[1], _SIZE), (heads[2], _SIZE))
    wide = max(edges[-1], *(_MARGIN + len(text) * size * _LETTER for text, size in sizes)) + _MARGIN
    parts: list[DrawnBox | DrawnLine | DrawnText] = [DrawnText(_MARGIN, 22, heads[0], 13.0, bold=True)]
    parts += [DrawnText(_MARGIN, 22 + 14 * at, text, 10.0, colour=_QUIET) for at, text in enumerate(heads[1:], 1)]
    for at, row in enumerate(rows):
        top = _HEAD + at * _HIGH
        for left, width, column in zip(edges, widths, columns, strict=False):
            if grid.covered[row, column]:
                continue
            colour = marked.get((int(grid.row_of[row]), int(grid.column_of[column])))
            if colour:
                parts.append(DrawnBox(left, top, width, _HIGH, colour))
            parts.append(DrawnText(left + 4, top + 14, _short(grid, row, column), _SIZE, bold=colour == _VALUE))
        parts.append(DrawnLine(((_MARGIN, top), (edges[-1], top)), _LINE, 0.6))
    bottom = _HEAD + len(rows) * _HIGH
    parts.append(DrawnLine(((_MARGIN, bottom), (edges[-1], bottom)), _LINE, 0.6))
    return Scene(wide, bottom + _MARGIN, tuple(parts))


def _near(source: NDArray[np.int32], line: int, labelled: Iterable[int]) -> list[int]:
    """The lines of a grid next to one of the source, and those that labels stand in."""
    at = int(np.searchsorted(source, line))
    wanted = set(range(max(at - _AROUND, 0), min(at + _AROUND + 1, len(source))))
    return sorted(wanted | {int(np.searchsorted(source, one)) for one in labelled})


def _width(grid: Grid, rows: Iterable[int], column: int) -> float:
    longest = max((len(_short(grid, row, column)) for row in rows if (row, column) not in grid.span_at), default=0)
    return max(longest, 4) * _SIZE * _LETTER + 10


def _short(grid: Grid, row: int, column: int) -> str:
    text = " ".join(str(grid.text[row, column]).split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


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
        raise LibraryError(f"{address}: {table.name} has no value there{_range(table.unpack().place.range)}")
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
