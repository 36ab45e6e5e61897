"""Tables as RDF: a Data Cube for each table, SKOS for its header trees, PROV for where it comes from.

In: an extraction. Out: descriptions, one thing after the other, so that a table of a million values is never held as
RDF. Each table is a graph of its own. The measure is what the cell says. Vocabularies: W3C Data Cube (2014), SKOS
(2009), PROV-O (2013).

A dimension is a side of the table (or a column of its stub), its codes are the headers. A level that only some lines
have is an attribute. Where the headers of two lines are the same, or there are none, the number of the line is a
dimension too, so that no two observations have the same.

Names of documents and tables are the same whenever and wherever the same bytes are read: a document is named by the
hash of its bytes, a table by that and its place. Paths, times and the order of reading do not count.
"""

from __future__ import annotations

import hashlib
import json
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path, PurePath

import msgspec

from tabellion.export.columns import SPREAD, shown_values
from tabellion.model.document import Document
from tabellion.model.frame import HeaderTree
from tabellion.model.place import column_letters
from tabellion.model.table import Table
from tabellion.pipeline import Extraction
from tabellion.rdf.facts import Description, Fact, Literal, number, plain

_LETTERS = 20  # of a hash: 80 bits, so that two of a billion tables hardly ever meet


def document_name(document: Document) -> str:
    """The local name of a document.

    >>> document_name(Document("a.csv", "spreadsheet", "csv", "ab" * 32, ()))
    'dabababababababababab'
    """
    return f"d{document.sha256[:_LETTERS]}"


def table_name(document: Document, table: Table) -> str:
    """The local name of a table."""
    place, rect = table.place, table.grid.source_rect(table.frame.rect)
    box = [round(side) for side in place.box] if place.box else None
    facts = [document.sha256, place.sheet, place.page, place.path, place.table_index, box, list(rect)]
    return f"t{hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:_LETTERS]}"


Side = typing.Literal["top", "left"]


class Component(msgspec.Struct, frozen=True):
    """One dimension or attribute of a side: the header of each line that has one."""

    name: str
    headers: dict[int, int]  # line of the grid -> node of the tree


class Axis(msgspec.Struct, frozen=True):
    """One side of a table; `numbered`: the number of the line is a dimension."""

    side: Side
    dimensions: tuple[Component, ...]
    attributes: tuple[Component, ...]
    numbered: bool


def table_axes(table: Table) -> tuple[Axis, Axis]:
    """The two sides of a table: columns under their headers, rows after theirs."""
    nested, tuples = table.nested, table.tuples
    rows, columns = set(tuples.rows.tolist()), set(tuples.columns.tolist())
    top = {line: _ranked(nodes) for line, nodes in nested.column_nodes.items() if line in columns}
    left = {line: _by_column(table, nodes) for line, nodes in nested.row_nodes.items() if line in rows}
    return _axis("top", columns, top), _axis("left", rows, left)


def concept_names(side: Side, tree: HeaderTree, table: Table) -> list[str]:
    """A name for each header within its table: its side and the cell that it stands in.

    Should two stand in one cell, the later one has its number in the tree too.
    """
    names: dict[str, None] = {}
    for node in tree.nodes:
        place = table.grid.address(*node.cells[0]) if node.cells else "none"
        name = f"{side}-{place}"
        names[f"{name}-{node.id}" if name in names else name] = None
    return list(names)


def _axis(side: Side, lines: set[int], headers: Mapping[int, Mapping[str, int]]) -> Axis:
    found: dict[str, dict[int, int]] = {}
    for line in sorted(headers):
        for name, node in headers[line].items():
            found.setdefault(name, {})[line] = node
    whole = tuple(Component(name, found[name]) for name in sorted(found) if len(found[name]) == len(lines))
    partly = tuple(Component(name, found[name]) for name in sorted(found) if len(found[name]) < len(lines))
    keys = {tuple(component.headers[line] for component in whole) for line in lines}
    return Axis(side, whole, partly, numbered=len(keys) < len(lines))


def _ranked(nodes: Iterable[int]) -> dict[str, int]:
    return {str(rank): node for rank, node in enumerate(nodes, 1)}


def _by_column(table: Table, nodes: Iterable[int]) -> dict[str, int]:
    """The headers of a row by the column that they stand in."""
    found: dict[str, int] = {}
    for node in nodes:
        cells = table.left.nodes[node].cells
        name = column_letters(int(table.grid.column_of[cells[0][1]])) if cells else "none"
        while name in found:
            name += "-next"
        found[name] = node
    return found


SHAPES = Path(__file__).with_name("shapes.ttl")
MEASURE, UNIT = "sdmx-measure:obsValue", "sdmx-attribute:unitMeasure"
_TRUE, _FALSE = Literal("true", "xsd:boolean"), Literal("false", "xsd:boolean")
_TERMS = "tab:vocabulary"
_LINE = {"top": "tab:column", "left": "tab:row"}
_ATTRIBUTES = (
    ("tab:text", True),
    ("tab:cell", True),
    (UNIT, False),
    ("tab:note", False),
    *((f"tab:{name}", False) for name in SPREAD),
)
_XSD = {10: "xsd:date", 8: "xsd:time", 19: "xsd:dateTime"}  # by the letters of an ISO date


def describe_extraction(extraction: Extraction) -> Iterator[Description]:
    """All that is said of a document and its tables."""
    document = extraction.document
    yield from _describe_document(document)
    for table in extraction.tables:
        yield from describe_table(table, document)


def describe_table(table: Table, document: Document) -> Iterator[Description]:
    """A table as a cube: the data set, its structure, its headers, its observations."""
    name, graph = f":{table_name(document, table)}", f":{table_name(document, table)}"
    axes = table_axes(table)
    facts: list[Fact] = [
        ("rdf:type", "qb:DataSet"),
        ("rdf:type", "prov:Entity"),
        ("rdfs:label", plain(table.title or table.id)),
        ("qb:structure", f"{name}-structure"),
        ("prov:wasDerivedFrom", f":{document_name(document)}"),
        ("prov:wasGeneratedBy", f":{document_name(document)}-reading"),
        *_place_facts(table),
    ]
    yield Description(name, facts, graph)
    yield from _describe_structure(name, axes)
    for axis in axes:
        for component in (*axis.dimensions, *axis.attributes):
            yield _describe_component(name, axis, component, dimension=component in axis.dimensions)
    yield from _describe_headers(name, "top", table.top, table)
    yield from _describe_headers(name, "left", table.left, table)
    yield from _observations(name, table, axes)


def _describe_document(document: Document) -> Iterator[Description]:
    name, graph = f":{document_name(document)}", f":{document_name(document)}"
    address = document.source if "://" in document.source else PurePath(document.source).name
    facts: list[Fact] = [
        ("rdf:type", "prov:Entity"),
        ("dcterms:identifier", plain(address)),
        ("dcterms:format", plain(document.kind)),
        ("tab:sha256", plain(document.sha256)),
    ]
    facts += [("dcterms:title", plain(document.title))] if document.title else []
    facts += [("dcterms:creator", plain(author)) for author in document.authors]
    yield Description(name, facts, graph)
    reading: list[Fact] = [
        ("rdf:type", "prov:Activity"),
        ("prov:used", name),
        ("prov:wasAssociatedWith", "tab:tabellion"),
    ]
    yield Description(f"{name}-reading", reading, graph)
    yield from _describe_terms()


def _describe_terms() -> Iterator[Description]:
    """What all documents share, in a graph of its own."""
    agent: list[Fact] = [("rdf:type", "prov:SoftwareAgent"), ("rdfs:label", plain(f"tabellion {_version()}"))]
    yield Description("tab:tabellion", agent, _TERMS)
    for term, _ in _ATTRIBUTES:
        yield Description(term, [("rdf:type", "qb:AttributeProperty")], _TERMS)
    yield Description(MEASURE, [("rdf:type", "qb:MeasureProperty")], _TERMS)
    for term in _LINE.values():
        yield Description(term, [("rdf:type", "qb:DimensionProperty"), ("rdfs:range", "xsd:integer")], _TERMS)


@cache
def _version() -> str:
    return version("tabellion")


def _place_facts(table: Table) -> Iterator[Fact]:
    place, about = table.place, table.metadata.affiliated
    said = {
        "tab:sheet": place.sheet,
        "tab:range": place.range,
        "tab:path": place.path,
        "dcterms:description": about.caption,
    }
    for predicate, text in said.items():
        if text:
            yield predicate, plain(text)
    if place.page is not None:
        yield "tab:page", number(place.page)
    yield "tab:confidence", number(float(table.confidence))
    for note in dict.fromkeys(about.footnotes):
        yield "tab:footnote", plain(note)


def _describe_structure(name: str, axes: tuple[Axis, ...]) -> Iterator[Description]:
    components: list[list[Fact]] = []
    for axis in axes:
        components += [[("qb:dimension", _property(name, axis, one))] for one in axis.dimensions]
        components += [[("qb:dimension", _LINE[axis.side])]] if axis.numbered else []
    components.append([("qb:measure", MEASURE)])
    for axis in axes:
        components += [
            [("qb:attribute", _property(name, axis, one)), ("qb:componentRequired", _FALSE)] for one in axis.attributes
        ]
    for term, required in _ATTRIBUTES:
        components.append([("qb:attribute", term), ("qb:componentRequired", _TRUE if required else _FALSE)])
    named = [f"{name}-component-{order}" for order in range(1, len(components) + 1)]
    structure: list[Fact] = [("rdf:type", "qb:DataStructureDefinition")]
    yield Description(f"{name}-structure", structure + [("qb:component", one) for one in named], name)
    for order, (one, facts) in enumerate(zip(named, components, strict=True), 1):
        yield Description(one, [("rdf:type", "qb:ComponentSpecification"), ("qb:order", number(order)), *facts], name)


def _describe_component(name: str, axis: Axis, component: Component, *, dimension: bool) -> Description:
    facts: list[Fact] = [
        ("rdf:type", "qb:DimensionProperty" if dimension else "qb:AttributeProperty"),
        ("rdf:type", "qb:CodedProperty"),
        ("rdfs:subPropertyOf", f"tab:{axis.side}"),
        ("rdfs:range", "skos:Concept"),
        ("qb:codeList", f"{name}-{axis.side}-headers"),
    ]
    return Description(_property(name, axis, component), facts, name)


def _describe_headers(name: str, side: str, tree: HeaderTree, table: Table) -> Iterator[Description]:
    """One side's header tree as a concept scheme."""
    if not tree.nodes:
        return
    scheme = f"{name}-{side}-headers"
    concepts = [f"{name}-{one}" for one in concept_names("top" if side == "top" else "left", tree, table)]
    roots: list[Fact] = [("skos:hasTopConcept", concepts[node.id]) for node in tree.nodes if node.parent is None]
    label = ("rdfs:label", plain(f"{table.title or table.id}: {side} headers"))
    yield Description(scheme, [("rdf:type", "skos:ConceptScheme"), label, *roots], name)
    for node in tree.nodes:
        facts: list[Fact] = [
            ("rdf:type", "skos:Concept"),
            ("skos:prefLabel", plain(node.text)),
            ("skos:inScheme", scheme),
            ("skos:topConceptOf", scheme) if node.parent is None else ("skos:broader", concepts[node.parent]),
        ]
        facts += [("tab:cell", plain(table.grid.address(*cell))) for cell in node.cells]
        yield Description(concepts[node.id], facts, name)


def _observations(name: str, table: Table, axes: tuple[Axis, Axis]) -> Iterator[Description]:
    above, before = (_line_facts(name, table, axis) for axis in axes)
    common: list[Fact] = [("rdf:type", "qb:Observation"), ("qb:dataSet", name)]
    tuples = table.tuples
    paths = chain(tuples.row_paths.values(), tuples.column_paths.values())
    noted = bool(table.grid.notes) or any(path.notes for path in paths)
    for one in shown_values(tuples):
        facts: list[Fact] = [
            *common,
            *above(one.column),
            *before(one.row),
            (MEASURE, _value(one.value, one.kind)),
            ("tab:text", plain(one.text)),
            ("tab:cell", Literal(one.address)),
        ]
        facts += [(f"tab:{said}", _value(held, "text")) for said, held in one.spread.items() if held is not None]
        if one.unit:
            facts.append((UNIT, plain(one.unit)))
        if noted:
            facts += [("tab:note", plain(note)) for note in tuples.notes_of(one.row, one.column)]
        yield Description(f"{name}-{one.address}", facts, name)


def _line_facts(name: str, table: Table, axis: Axis) -> Callable[[int], list[Fact]]:
    """What all observations of a row or a column share, made when a line is come to."""
    tree, source = (table.top, table.grid.column_of) if axis.side == "top" else (table.left, table.grid.row_of)
    concepts = concept_names(axis.side, tree, table)

    @lru_cache(maxsize=4096)
    def facts_of(line: int) -> list[Fact]:
        held = ((one, one.headers.get(line)) for one in (*axis.dimensions, *axis.attributes))
        found: list[Fact] = [
            (_property(name, axis, one), f"{name}-{concepts[node]}") for one, node in held if node is not None
        ]
        return [*found, (_LINE[axis.side], number(int(source[line])))] if axis.numbered else found

    return facts_of


def _property(name: str, axis: Axis, component: Component) -> str:
    return f"{name}-{axis.side}-dimension-{component.name}"


def _value(value: float | str | None, kind: str) -> Literal:
    if isinstance(value, (int, float)):
        return number(value)
    if kind == "date" and value and len(value) in _XSD and value[:1].isdigit():
        return Literal(value, _XSD[len(value)])
    return plain(value or "")
