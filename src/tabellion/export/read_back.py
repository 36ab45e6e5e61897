"""Exports read back: the same tables with the same tuples. Start with `read_export`.

In: a file that `tabellion export` wrote, as CSV, Parquet, JSON, XML, xlsx or HTML; its kind is told by its bytes. Out:
tables with their tuples. A workbook or a page is read as any other document is.

What reading an export back gives: tables with their tuples. It is what all forms can hold, so cells and header trees
are not among it.

The XML of this package read back, element by element. In: bytes. Out: tables with their tuples. A document type
declaration is refused, so no entity is ever expanded, and nothing outside the file is looked at.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.parsers import expat

import msgspec

from tabellion.errors import HostileError, MalformedError, SourceMissingError, UnknownFormatError
from tabellion.export.csv import COLUMNS, SEPARATOR, csv_head
from tabellion.export.typed import SPREAD
from tabellion.export.xml import SPACE
from tabellion.model.place import cell_at
from tabellion.model.table import Tuple


class ExportedTable(msgspec.Struct, frozen=True):
    """A table of an export: the document it is from, its sheet, its id there, and its tuples."""

    source: str
    sheet: str | None
    id: str
    tuples: tuple[Tuple, ...]


def parse_value(kind: str, text: str | None) -> float | int | str | None:
    """A value from its text: a number where it is one, whole where it is written so.

    >>> parse_value("number", "12"), parse_value("number", "2.5"), parse_value("date", "1990-01-01")
    (12, 2.5, '1990-01-01')
    """
    if text is None or kind == "missing":
        return None
    if kind != "number":
        return text
    return int(text) if text.lstrip("-").isdecimal() else float(text)


_CODED = re.compile(r"\\u([0-9a-f]{4})")
_BETWEEN = " "  # between namespace and name, as expat gives them


class _Label(NamedTuple):
    """A header of the nest: where it stands, and the nearest one around it."""

    cell: tuple[int, int] | None
    parent: str | None


def read_xml(data: bytes, name: str) -> list[ExportedTable]:
    """The tables of a file written by `to_xml`; `name` is for messages."""
    reader = _Reader(name)
    parser = expat.ParserCreate(namespace_separator=_BETWEEN)
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.characters
    parser.StartDoctypeDeclHandler = reader.refuse
    parser.buffer_text = True
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, KeyError) as error:
        raise MalformedError(f"{name}: not the XML of tables ({error})") from error
    return reader.tables


class _Reader:
    """Takes elements as they come; what is open at the time is all that it holds beside the tables."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tables: list[ExportedTable] = []
        self.source = ""
        self.table: dict[str, str] = {}
        self.labels: dict[str, _Label] = {}
        self.texts: dict[str, str] = {}
        self.around: list[str] = []
        self.tuple: dict[str, str] | None = None
        self.notes: list[str] = []
        self.found: list[Tuple] = []
        self.text = ""
        self.value_text = ""

    def refuse(self, *_: object) -> None:
        raise HostileError(f"{self.name}: a document type declaration, which the XML of tables never has")

    def characters(self, text: str) -> None:
        self.text += text

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        space, _, element = tag.rpartition(_BETWEEN)
        if space != SPACE:
            raise MalformedError(f"{self.name}: not the XML of tables (an element {element} of {space or 'no space'})")
        given = {name: _decode(value) for name, value in attributes.items()}
        self.text = ""
        if element == "document":
            self.source = given["source"]
        elif element == "table":
            self.table, self.labels, self.texts, self.found = given, {}, {}, []
        elif element == "label":
            cells = given.get("cells", "").split()
            parent = self.around[-1] if self.around else None
            self.labels[given["id"]] = _Label(cell_at(cells[0]) if cells else None, parent)
            self.around.append(given["id"])
        elif element == "tuple":
            self.tuple, self.notes = given, []

    def end(self, tag: str) -> None:
        element = tag.rpartition(_BETWEEN)[2]
        text, self.text = _decode(self.text), ""
        if element == "text" and self.tuple is not None:
            self.value_text = text
        elif element == "text":
            self.texts[self.around[-1]] = text
        elif element == "note":
            self.notes.append(text)
        elif element == "label":
            self.around.pop()
        elif element == "tuple":
            self.found.append(self._tuple(self.tuple or {}))
            self.tuple = None
        elif element == "table":
            self.tables.append(ExportedTable(self.source, self.table.get("sheet"), self.table["id"], tuple(self.found)))

    def _tuple(self, given: dict[str, str]) -> Tuple:
        nearest = given.get("labels", "").split()
        top, left = (self._path([one for one in nearest if one.startswith(side)]) for side in ("top", "left"))
        row, column = cell_at(given["cell"])
        return Tuple(
            row=row,
            column=column,
            address=given["cell"],
            text=self.value_text,
            value=parse_value(given["type"], given.get("value")),
            unit=given.get("unit"),
            top=tuple(self.texts[label] for label in top),
            left=tuple(self.texts[label] for label in left),
            notes=tuple(self.notes),
            confidence=float(self.table["confidence"]),
            top_cells=self._cells(top),
            left_cells=self._cells(left),
            **_spread(given),
        )

    def _path(self, nearest: list[str]) -> list[str]:
        """The nearest labels and those around them, each once, outermost first."""
        found: dict[str, None] = {}
        for label in nearest:
            branch: list[str] = []
            at: str | None = label
            while at is not None:
                branch.append(at)
                at = self.labels[at].parent
            found.update(dict.fromkeys(reversed(branch)))
        return list(found)

    def _cells(self, path: list[str]) -> tuple[tuple[int, int], ...]:
        cells = (self.labels[label].cell for label in path)
        return tuple(cell for cell in cells if cell is not None)


def _decode(text: str) -> str:
    return _CODED.sub(lambda found: chr(int(found[1], 16)), text) if "\\u" in text else text


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
        from tabellion.export.arrow import read_parquet

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
    """The tables of the output contract: one object, a list of them, or one per line."""
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
        **_spread(given),
    )


def _spread(given: Mapping[str, str]) -> dict[str, Any]:
    """How far a value can be off; files of older form do not say it."""
    held = ((name, given.get(name)) for name in SPREAD)
    return {name: said if name == "bound" else float(said) for name, said in held if said}


def _read_document(data: bytes, name: str) -> list[ExportedTable]:
    from tabellion.pipeline import extract_document

    found = extract_document(data)
    return [ExportedTable(name, table.place.sheet, table.id, tuple(table.tuples)) for table in found.tables]
