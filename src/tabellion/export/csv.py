r"""Tuples as CSV: one line per value, paths joined by " | ".

In: an extraction. Out: bytes, some thousand lines a piece, or as a whole. The columns are the same for every document,
so that many documents go under one head. A bar inside a label is written `\|`, so that the lines can be read back.

CSV on the Web: one CSV file per table, and `csv-metadata.json` that says what their columns mean.

In: extractions. Out: files in a folder. A row is a value; each level of the paths is a column, and a row's address in
RDF is that of the same value in the other forms of RDF. Vocabulary: W3C Metadata Vocabulary for Tabular Data (2015).
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path, PurePath
from typing import Any, Literal

from tabellion.errors import UsageError
from tabellion.export.columns import SPREAD, value_boxes, value_kinds, value_pages
from tabellion.export.cube import document_name, table_name
from tabellion.model.place import address
from tabellion.model.table import Table
from tabellion.patterns import lazy_pattern
from tabellion.pipeline import Extraction
from tabellion.rdf.facts import BASE, PREFIXES

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


METADATA = "csv-metadata.json"  # where readers of CSV on the Web look for it
CONTEXT = "http://www.w3.org/ns/csvw"


def write_csvw(extractions: Iterable[Extraction], folder: Path, base: str = BASE) -> None:
    """All tables of some documents; the folder is made where there is none, and must hold nothing of that name."""
    if (folder / METADATA).exists() or folder.is_file():
        raise UsageError(f"{folder}: holds something already; name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    described: list[dict[str, Any]] = []
    taken: set[str] = set()
    for extraction in extractions:
        for table in extraction.tables:
            name = _file_name(extraction, table, taken)
            with (folder / name).open("w", encoding="utf-8", errors="replace", newline="") as file:
                writer = csv.writer(file, lineterminator="\r\n")
                writer.writerow(column["name"] for column in _columns(table))
                writer.writerows(_rows(table))
            described.append(describe_csv(extraction, table, name, base))
    metadata = {"@context": CONTEXT, "@type": "TableGroup", "tables": described}
    (folder / METADATA).write_text(json.dumps(metadata, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def describe_csv(extraction: Extraction, table: Table, name: str, base: str) -> dict[str, Any]:
    """What the metadata says of one table."""
    document = extraction.document
    identity = base + table_name(document, table)
    found: dict[str, Any] = {
        "@id": identity,
        "@type": "Table",
        "url": name,
        "dc:title": table.title or table.id,
        "dc:source": document.source if "://" in document.source else PurePath(document.source).name,
        "prov:wasDerivedFrom": {"@id": base + document_name(document)},
    }
    if table.metadata.affiliated.caption:
        found["dc:description"] = table.metadata.affiliated.caption
    found["tableSchema"] = {
        "@type": "Schema",
        "columns": _columns(table),
        "primaryKey": "cell",
        "aboutUrl": f"{identity}-{{cell}}",
    }
    return found


def _columns(table: Table) -> list[dict[str, Any]]:
    """The columns in their order, with types; what is not always there is not required."""
    left, top = _depths(table)
    numbers = set(value_kinds(table.tuples)) <= {"number"}
    measure = PREFIXES["sdmx-measure"] + "obsValue"
    unit = PREFIXES["sdmx-attribute"] + "unitMeasure"
    return [
        _column("cell", "Cell", required=True, propertyUrl=PREFIXES["tab"] + "cell"),
        *(_column(f"left_{level}", f"Row label, level {level}") for level in range(1, left + 1)),
        *(_column(f"top_{level}", f"Column label, level {level}") for level in range(1, top + 1)),
        _column("value", "Value", "number" if numbers else "string", propertyUrl=measure),
        _column("text", "Text as shown", required=True, propertyUrl=PREFIXES["tab"] + "text"),
        _column("unit", "Unit", propertyUrl=unit),
        _column("notes", "Notes", separator=SEPARATOR, propertyUrl=PREFIXES["tab"] + "note"),
        *(
            _column(name, title, "string" if name == "bound" else "number", propertyUrl=PREFIXES["tab"] + name)
            for name, title in _SPREAD_TITLES.items()
        ),
    ]


_SPREAD_TITLES = dict(zip(SPREAD, ("Lower end", "Upper end", "Error, plus or minus", "Sign of a bound"), strict=True))


def _column(name: str, title: str, datatype: str = "string", **more: object) -> dict[str, Any]:
    return {"@type": "Column", "name": name, "titles": name, "dc:description": title, "datatype": datatype, **more}


def _rows(table: Table) -> Iterator[list[object]]:
    left, top = _depths(table)
    for one in table.tuples:
        yield [
            one.address,
            *one.left,
            *[""] * (left - len(one.left)),
            *one.top,
            *[""] * (top - len(one.top)),
            "" if one.value is None else one.value,
            one.text,
            one.unit or "",
            join_path(one.notes),
            *("" if held is None else held for held in (one.low, one.high, one.error, one.bound)),
        ]


def _depths(table: Table) -> tuple[int, int]:
    """How many levels the paths of the values have."""
    tuples = table.tuples
    sides = ((tuples.row_paths, tuples.rows), (tuples.column_paths, tuples.columns))
    left, top = (
        max((len(paths[line].labels) for line in set(lines.tolist()) if line in paths), default=0)
        for paths, lines in sides
    )
    return left, top


def _file_name(extraction: Extraction, table: Table, taken: set[str]) -> str:
    """A name that can be an address as it is, each once."""
    stem = "".join(c if c.isascii() and c.isalnum() else "-" for c in PurePath(extraction.document.source).stem)
    name, number = f"{stem.strip('-') or 'table'}-{table.id}.csv", 2
    while name in taken:
        name, number = f"{stem.strip('-') or 'table'}-{table.id}-{number}.csv", number + 1
    taken.add(name)
    return name
