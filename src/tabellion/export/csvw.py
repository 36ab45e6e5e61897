"""Tables as CSV on the Web: one CSV file per table, and `csv-metadata.json` that says what their columns mean.

In: extractions. Out: files in a folder. A row is a value; each level of the paths is a column, and a row's address in
RDF is that of the same value in the other forms of RDF. Vocabulary: W3C Metadata Vocabulary for Tabular Data (2015).
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath
from typing import Any

from tabellion.errors import UsageError
from tabellion.export.csv import SEPARATOR, join_path
from tabellion.export.dimensions import document_name, table_name
from tabellion.export.typed import SPREAD, value_kinds
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.rdf.facts import BASE, PREFIXES

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
