"""From a document that was read to what the library keeps of it.

In: bytes of a document and where they came from, or an extraction. Out: a `Reading`. A document is always read from
its bytes, so that reading it again from the stored original gives the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath
from typing import Any

import msgspec

from tabellion.errors import TabellionError
from tabellion.export.laid_out import lay_out
from tabellion.library.language import guess_language
from tabellion.library.naming import once_each, plain_name
from tabellion.library.reading import ColumnFacts, Details, Reading, Rendered, TableReading, document_id
from tabellion.library.tidy import tidy_tables
from tabellion.model.correction import Correction
from tabellion.model.grid import Content
from tabellion.model.metadata import Metadata
from tabellion.model.table import Table
from tabellion.pipeline import Extraction, Settings
from tabellion.read.fetch import UNNAMED
from tabellion.repair.replay import Editions, extract_repaired

_YEAR = re.compile(r"(?<![\d.,])(?:1[5-9]|20)\d\d(?![\d.,]\d|\d)")
_WORDS_KEPT = 4_000  # letters of stub words kept for search and highlights; the rest is in the segment


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
    reading = take_reading(extraction, source, address, len(data))
    return msgspec.structs.replace(reading, corrections=len(log), rendered=rendered)


@contextmanager
def naming(source: str) -> Iterator[None]:
    """While a document is read from its bytes: what is said of them is said of the source that they came from."""
    try:
        yield
    except TabellionError as error:
        raise type(error)(str(error).replace(UNNAMED, source, 1)) from error


def as_kept(settings: Settings, rendered: Rendered | None) -> Settings:
    """How a document of the library is read again: a page that was rendered once is rendered from then on."""
    if rendered is None or settings.render != "never":
        return settings
    return msgspec.structs.replace(settings, render=rendered)


def take_reading(extraction: Extraction, source: str, address: str, size: int) -> Reading:
    """What is kept of an extraction."""
    document = extraction.document
    identity = document_id(address)
    tables = tuple(_take_table(table, source) for table in extraction.tables)
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
    )


def _take_table(table: Table, source: str) -> TableReading:
    laid = lay_out(table, groups=False)
    grid, tuples = table.grid, table.tuples
    tops = [path.labels for path in tuples.column_paths.values()]
    lefts = [path.labels for path in tuples.row_paths.values()]
    headers = list(dict.fromkeys(label for path in tops for label in path))
    stubs = list(dict.fromkeys(label for path in lefts for label in path))
    stub_names = once_each(
        plain_name(head) or ("label" if len(laid.stub_columns) == 1 else f"label_{number}")
        for number, head in enumerate(laid.stub_heads, 1)
    )
    names = once_each([*stub_names, *(_column_name(path, n) for n, path in enumerate(laid.column_paths, 1))])
    stub = tuple(
        ColumnFacts(int(grid.column_of[column]), name, (head,) if head else ())
        for column, name, head in zip(laid.stub_columns, names, laid.stub_heads, strict=False)
    )
    columns = tuple(
        ColumnFacts(int(grid.column_of[column]), name, path, _is_number(table, column), _unit(table, column))
        for column, name, path in zip(laid.columns, names[len(stub) :], laid.column_paths, strict=True)
    )
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
        ),
    )


def _column_name(path: tuple[str, ...], number: int) -> str:
    """The labels from the outermost on, or the nearest alone where all would be too long."""
    whole = plain_name(" ".join(path), 60)
    nearest = plain_name(path[-1], 60) if path else ""
    return (whole if whole.endswith(nearest) else nearest) or f"column_{number}"


def _is_number(table: Table, column: int) -> bool:
    """Whether every value that the column says is a number."""
    grid, tuples = table.grid, table.tuples
    content = grid.content[tuples.rows[tuples.columns == column], column]
    said = content[(content != Content.EMPTY) & (content != Content.MISSING)]
    return bool(len(said)) and bool((said == Content.NUMBER).all())


def _unit(table: Table, column: int) -> str | None:
    tuples = table.tuples
    units = {tuples.units[i] for i in set(tuples.unit_ids[tuples.columns == column].tolist())}
    return units.pop() if len(units) == 1 else None


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
