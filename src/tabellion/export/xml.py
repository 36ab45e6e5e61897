"""Tables as XML with nested labels (Gatterbauer and others 2007, section 5.2, after Wohlberg's Hypertables).

In: an extraction. Out: bytes, piece by piece. Each header tree is a nest of `label` elements; a tuple names its nearest
labels, and what stands around those in the nest is its path. No entry is given a category: what a label means is left
to whoever integrates the tables. `tables.xsd` beside this module describes the form.

`read_xml` reads it back, element by element. A document type declaration is refused, so no entity is ever expanded, and
nothing outside the file is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from tabellion.errors import HostileError, MalformedError
from tabellion.export.columns import shown_values
from tabellion.export.forms import ExportedTable, parse_value, spread_of
from tabellion.model.frame import HeaderTree
from tabellion.model.grid import Grid
from tabellion.model.place import address, cell_at
from tabellion.model.table import Table, Tuple
from tabellion.pipeline import Extraction

SPACE = "urn:tabellion:tables:1"
SCHEMA = Path(__file__).with_name("tables.xsd")
XML_HEAD = f'<?xml version="1.0" encoding="UTF-8"?>\n<tables xmlns="{SPACE}">\n'.encode()
XML_TAIL = b"</tables>\n"
PIECE = 4_000  # lines per piece
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]|\\\\(?=u)")
_SIGNS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})
_QUOTED = str.maketrans({'"': "&quot;", "\n": "&#10;", "\t": "&#9;"})


def to_xml(extraction: Extraction) -> bytes:
    """One document as a whole file."""
    return b"".join((XML_HEAD, *xml_pieces(extraction), XML_TAIL))


def xml_pieces(extraction: Extraction) -> Iterator[bytes]:
    """One document as a `document` element, piece by piece."""
    lines = _document(extraction)
    while some := list(islice(lines, PIECE)):
        yield ("\n".join(some) + "\n").encode()


def xml_text(text: str) -> str:
    r"""A text as XML holds it; what XML cannot hold at all is written `\uXXXX`.

    >>> xml_text("a < b\x01"), xml_text("\\u")
    ('a &lt; b\\u0001', '\\u005cu')
    """
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text).translate(_SIGNS)


def xml_attributes(given: Mapping[str, object]) -> str:
    """Attributes, those without a value left out.

    >>> xml_attributes({"id": "t1", "sheet": None, "page": 2})
    ' id="t1" page="2"'
    """
    said = ((name, xml_text(str(value)).translate(_QUOTED)) for name, value in given.items() if value is not None)
    return "".join(f' {name}="{value}"' for name, value in said)


def _document(extraction: Extraction) -> Iterator[str]:
    document = extraction.document
    facts = {"source": document.source, "medium": document.medium, "sha256": document.sha256}
    yield f"<document{xml_attributes(facts)}>"
    yield from _elements("title", [document.title] if document.title else [])
    yield from _elements("author", document.authors)
    for table in extraction.tables:
        yield from _table(table)
    yield "</document>"


def _table(table: Table) -> Iterator[str]:
    place, about = table.place, table.metadata.affiliated
    facts = {
        "id": table.id,
        "sheet": place.sheet,
        "range": place.range,
        "page": place.page,
        "path": place.path,
        "box": " ".join(f"{side:g}" for side in place.box) if place.box else None,
        "orientation": table.orientation,
        "genuine": float(table.genuine),
        "confidence": float(table.tuples.confidence),
    }
    yield f"<table{xml_attributes(facts)}>"
    yield from _elements("title", [table.title] if table.title else [])
    yield from _elements("caption", [about.caption] if about.caption else [])
    yield from _elements("footnote", about.footnotes)
    for side, tree in (("top", table.top), ("left", table.left)):
        yield f'<labels side="{side}">'
        yield from _labels(side, tree, table.grid)
        yield "</labels>"
    yield "<tuples>"
    yield from _tuples(table)
    yield "</tuples>"
    yield "</table>"


def _labels(side: str, tree: HeaderTree, grid: Grid) -> Iterator[str]:
    """The labels of one side, each inside its parent."""
    below: dict[int | None, list[int]] = {}
    for node in tree.nodes:
        below.setdefault(node.parent, []).append(node.id)
    todo: list[int | None] = list(reversed(below.get(None, [])))
    while todo:
        number = todo.pop()
        if number is None:
            yield "</label>"
            continue
        node = tree.nodes[number]
        cells = " ".join(address(int(grid.row_of[row]), int(grid.column_of[column])) for row, column in node.cells)
        opened = f"<label{xml_attributes({'id': f'{side}{number}', 'cells': cells or None})}>"
        opened += f"<text>{xml_text(node.text)}</text>"
        if number not in below:
            yield f"{opened}</label>"
            continue
        yield opened
        todo += [None, *reversed(below[number])]


def _tuples(table: Table) -> Iterator[str]:
    tuples, nested = table.tuples, table.nested
    tops = {column: _names("top", nodes) for column, nodes in nested.column_nodes.items()}
    last, left = -1, ""
    for one in shown_values(tuples):
        if one.row != last:
            last, left = one.row, _names("left", nested.row_nodes.get(one.row, ()))
        labels = f"{tops.get(one.column, '')} {left}".strip()
        facts = {
            "cell": one.address,
            "type": one.kind,
            "value": one.value,
            "unit": one.unit,
            **one.spread,
            "labels": labels or None,
        }
        notes = "".join(_elements("note", tuples.notes_of(one.row, one.column)))
        yield f"<tuple{xml_attributes(facts)}><text>{xml_text(one.text)}</text>{notes}</tuple>"


def _names(side: str, nodes: Iterable[int]) -> str:
    return " ".join(f"{side}{node}" for node in nodes)


def _elements(name: str, texts: Iterable[str]) -> Iterator[str]:
    return (f"<{name}>{xml_text(text)}</{name}>" for text in texts)


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
            **spread_of(given),
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
