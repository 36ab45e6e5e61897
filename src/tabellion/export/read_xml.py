"""The XML of this package read back, element by element.

In: bytes. Out: tables with their tuples. A document type declaration is refused, so no entity is ever expanded, and
nothing outside the file is looked at.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from xml.parsers import expat

from tabellion.errors import HostileError, MalformedError
from tabellion.export.exported import ExportedTable, parse_value
from tabellion.export.xml import SPACE
from tabellion.model.place import cell_at
from tabellion.model.table import Tuple

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
