"""Exports read back: the same tables with the same tuples. `read_export` enters here.

In: a file that `tabellion export` wrote, as CSV, Parquet, JSON, XML, xlsx or HTML; its kind is told by its bytes. Out:
tables with their tuples. A workbook or a page is read as any other document is.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tabellion.errors import MalformedError, SourceMissingError, UnknownFormatError
from tabellion.export.csv import COLUMNS, SEPARATOR, csv_head
from tabellion.export.exported import ExportedTable, parse_value
from tabellion.export.read_xml import read_xml
from tabellion.model.place import cell_at
from tabellion.model.table import Tuple


class _JsonPlace(msgspec.Struct):
    sheet: str | None = None


class _JsonTable(msgspec.Struct):
    id: str
    place: _JsonPlace
    tuples: tuple[Tuple, ...]


class _JsonDocument(msgspec.Struct):
    source: str
    tables: list[_JsonTable]


def read_export(source: str | Path | bytes) -> list[ExportedTable]:
    """The tables of an export, in their order."""
    name = "<bytes>" if isinstance(source, bytes) else str(source)
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
    except OSError as error:
        raise SourceMissingError(f"{name}: cannot be read ({error.strerror})") from error
    start = data[:2000].lstrip()
    if data.startswith(b"PAR1"):
        from tabellion.export.parquet import read_parquet

        return read_parquet(data)
    if data.startswith(csv_head().rstrip()):
        return read_csv(data)
    if start.startswith((b"{", b"[")):
        return read_json(data, name)
    if start.startswith(b"<?xml"):
        return read_xml(data, name)
    if data.startswith(b"PK") or start[:9].lower() == b"<!doctype":
        return _read_document(data, name)
    raise UnknownFormatError(f"{name}: not a file that tabellion export writes")


def read_csv(data: bytes) -> list[ExportedTable]:
    """The tables of `to_csv`."""
    found: dict[tuple[str, str | None, str], list[Tuple]] = {}
    lines = csv.reader(io.StringIO(data.decode(), newline=""))
    next(lines)
    for line in lines:
        given = dict(zip(COLUMNS, line, strict=True))
        found.setdefault((given["source"], given["sheet"] or None, given["table"]), []).append(_csv_tuple(given))
    return [ExportedTable(*key, tuple(tuples)) for key, tuples in found.items()]


def split_path(text: str) -> tuple[str, ...]:
    r"""The labels of a path that was joined.

    >>> split_path("Male | White \\| other"), split_path("")
    (('Male', 'White | other'), ())
    """
    return tuple(label.replace("\\|", "|") for label in text.split(SEPARATOR)) if text else ()


def read_json(data: bytes, name: str) -> list[ExportedTable]:
    """The tables of the output contract: one object, a list of them, or one a line."""
    try:
        if data.lstrip().startswith(b"["):
            documents = msgspec.json.decode(data, type=list[_JsonDocument])
        else:
            documents = msgspec.json.Decoder(_JsonDocument).decode_lines(data)
    except msgspec.MsgspecError as error:
        raise MalformedError(f"{name}: not the JSON of tables ({error})") from error
    return [
        ExportedTable(document.source, table.place.sheet, table.id, table.tuples)
        for document in documents
        for table in document.tables
    ]


def _csv_tuple(given: Mapping[str, str]) -> Tuple:
    row, column = cell_at(given["address"])
    sides: dict[str, Any] = {}
    for side in ("top", "left"):
        cells = tuple(map(cell_at, split_path(given[f"{side}_cells"])))
        sides[f"{side}_cells"] = cells
        sides[side] = split_path(given[side]) or ("",) * len(cells)
    return Tuple(
        row=row,
        column=column,
        address=given["address"],
        text=given["text"],
        value=parse_value(given["type"], given["value"]),
        unit=given["unit"] or None,
        notes=split_path(given["notes"]),
        confidence=float(given["confidence"]),
        **sides,
    )


def _read_document(data: bytes, name: str) -> list[ExportedTable]:
    from tabellion.pipeline import extract_document

    found = extract_document(data)
    return [ExportedTable(name, table.place.sheet, table.id, tuple(table.tuples)) for table in found.tables]
