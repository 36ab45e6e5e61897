"""Tuples as CSV: one line a value, paths joined by " | ".

The columns are the same for every document, so that many documents go under one head.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from tabellion.model.table import Table
from tabellion.pipeline import Extraction

COLUMNS = ("source", "sheet", "table", "address", "text", "value", "unit", "left", "top", "notes", "confidence")
SEPARATOR = " | "


def to_csv(extraction: Extraction, *, head: bool = True) -> bytes:
    """All tuples of a document; without `head` for documents after the first."""
    return write_csv(extraction.tables, extraction.document.source, head=head)


def csv_head() -> bytes:
    r"""The line that names the columns.

    >>> csv_head()
    b'source,sheet,table,address,text,value,unit,left,top,notes,confidence\n'
    """
    return f"{','.join(COLUMNS)}\n".encode()


def write_csv(tables: Iterable[Table], source: str, *, head: bool = True) -> bytes:
    """The tuples of some tables."""
    file = io.StringIO(newline="")
    write = csv.writer(file, lineterminator="\n").writerow
    if head:
        write(COLUMNS)
    for table in tables:
        for one in table.tuples:
            write(
                (
                    source,
                    table.place.sheet or "",
                    table.id,
                    one.address,
                    one.text,
                    "" if one.value is None else one.value,
                    one.unit or "",
                    SEPARATOR.join(one.left),
                    SEPARATOR.join(one.top),
                    SEPARATOR.join(one.notes),
                    one.confidence,
                )
            )
    return file.getvalue().encode()
