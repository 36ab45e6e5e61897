r"""Tuples as CSV: one line per value, paths joined by " | ".

In: an extraction. Out: bytes, some thousand lines a piece, or as a whole. The columns are the same for every document,
so that many documents go under one head. A bar inside a label is written `\|`, so that the lines can be read back.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Literal

from tabellion.export.typed import SPREAD, value_boxes, value_kinds, value_pages
from tabellion.model.place import address
from tabellion.model.table import Table
from tabellion.patterns import lazy_pattern
from tabellion.pipeline import Extraction

COLUMNS = (
    "source", "sheet", "table", "address", "text", "value", "unit", "left", "top", "notes", "confidence",
    "type", "left_cells", "top_cells", "page", "box", "path", *SPREAD,
)  # fmt: skip
SEPARATOR = " | "
PIECE = 10_000  # lines a piece
_FORMULA = frozenset("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")  # signs that begin a formula, the wide ones too
_NUMBER = lazy_pattern(r"[+-][\d.,\s\u00a0\u202f]{1,40}%?")


def to_csv(extraction: Extraction, *, head: bool = True) -> bytes:
    """All tuples of a document; without `head` for documents after the first."""
    return b"".join((csv_head() if head else b"", *csv_pieces(extraction)))


def csv_head() -> bytes:
    """The line that names the columns.

    >>> csv_head().decode().split(",")[:6]
    ['source', 'sheet', 'table', 'address', 'text', 'value']
    """
    return f"{','.join(COLUMNS)}\n".encode()


def csv_pieces(extraction: Extraction, *, safe: bool = False) -> Iterator[bytes]:
    """The tuples of a document without the head, piece by piece; with `safe`, no cell is a formula to a spreadsheet."""
    lines = (line for table in extraction.tables for line in _lines(table, extraction.document.source))
    if safe:
        lines = (tuple(disarm(cell) if isinstance(cell, str) else cell for cell in line) for line in lines)
    while some := list(islice(lines, PIECE)):
        text = _written(some, csv.QUOTE_MINIMAL)
        if "\r" in text:  # the module leaves it bare, and its reader then sees the end of a line
            text = _written(some, csv.QUOTE_ALL)
        yield text.encode("utf-8", "replace")


def _written(lines: list[tuple[object, ...]], quoting: Literal[0, 1]) -> str:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(lines)
    return file.getvalue()


def disarm(cell: str) -> str:
    """A text that a spreadsheet takes for text: one that would begin a formula gets an apostrophe before it.

    >>> disarm("=1+1"), disarm("-12.5"), disarm("-A1"), disarm("Total")
    ("'=1+1", '-12.5', "'-A1", 'Total')
    """
    return f"'{cell}" if cell[:1] in _FORMULA and not _NUMBER.fullmatch(cell) else cell


def join_path(labels: Iterable[str]) -> str:
    r"""The labels of a path as one text.

    >>> join_path(["Male", "White | other"])
    'Male | White \\| other'
    """
    return SEPARATOR.join(label.replace("|", "\\|") for label in labels)


def _lines(table: Table, source: str) -> Iterator[tuple[object, ...]]:
    sheet = table.place.sheet or ""
    kinds, places = value_kinds(table.tuples), zip(value_pages(table), value_boxes(table), strict=True)
    for one, kind, (page, box) in zip(table.tuples, kinds, places, strict=True):
        yield (
            source,
            sheet,
            table.id,
            one.address,
            one.text,
            "" if one.value is None else one.value,
            one.unit or "",
            join_path(one.left),
            join_path(one.top),
            join_path(one.notes),
            one.confidence,
            kind,
            _addresses(one.left_cells),
            _addresses(one.top_cells),
            page or "",
            " ".join(f"{edge:g}" for edge in box) if box else "",
            table.place.path or "",
            *("" if held is None else held for held in (one.low, one.high, one.error, one.bound)),
        )


def _addresses(cells: Iterable[tuple[int, int]]) -> str:
    return SEPARATOR.join(address(*cell) for cell in cells)
