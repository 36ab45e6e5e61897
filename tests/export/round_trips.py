"""What must hold of every export of a document, as counts by what was looked at: a table, a file, or a constraint.

`round_trips(extraction)` writes a document in all forms, reads it back, and says of each whether it holds.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pyoxigraph
import pyshacl
import rdflib
from lxml import etree
from tests.export.cube_constraints import CONSTRAINTS, NORMALISE, PREFIXES, constraint

from tabellion import read_export
from tabellion.export.csv import METADATA, write_csvw
from tabellion.export.cube import SHAPES, describe_extraction
from tabellion.export.forms import FormName, schema_of, write_export
from tabellion.model.frame import HeaderTree
from tabellion.model.table import Table, Tuple
from tabellion.pipeline import Extraction, extract_document
from tabellion.rdf import SYNTAXES

TUPLE_FORMS: tuple[FormName, ...] = ("csv", "parquet", "json", "xml", "xlsx")
LAYOUTS: tuple[FormName, ...] = ("xlsx", "html")
_MANY = 300  # observations from which the pairs of IC-12 are too many; then equal dimensions are counted instead
_CSVW = "http://www.w3.org/ns/csvw#"
CSVW_CONTEXT = {  # the terms of http://www.w3.org/ns/csvw that are used, so that nothing is fetched
    "@vocab": _CSVW,
    "dc": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "tables": {"@id": _CSVW + "table", "@type": "@id"},
    "columns": {"@id": _CSVW + "column", "@type": "@id", "@container": "@list"},
}


class Held(NamedTuple):
    """One thing that was looked at."""

    what: str
    holds: bool


def round_trips(extraction: Extraction) -> Iterator[Held]:
    """Every export of a document and what came of it."""
    if extraction.tables:
        yield from read_back(extraction)
        yield from same_layout(extraction)
        yield from sound_rdf(extraction)


def written(form: FormName, *extractions: Extraction) -> bytes:
    file = io.BytesIO()
    write_export(form, extractions, file)
    return file.getvalue()


def read_back(extraction: Extraction) -> Iterator[Held]:
    """The tuples of each table from each form, all fields; of a workbook all but confidence, its reader's own."""
    tables = [table for table in extraction.tables if len(table.tuples)]
    for form in TUPLE_FORMS:
        data = written(form, extraction)
        if form == "xml":
            yield Held("xml is valid", _schema().validate(etree.fromstring(data)))
        found = [table for table in read_export(data) if table.tuples]
        for number, table in enumerate(tables):
            given, got = tuple(table.tuples), found[number].tuples if number < len(found) else ()
            if form == "xlsx":
                given, got = tuple(map(_sure, given)), tuple(map(_sure, got))
            yield Held(f"{form}: same tuples", got == given)


def same_layout(extraction: Extraction) -> Iterator[Held]:
    """The trees and tuples of each table from a workbook and a page."""
    tables = [table for table in extraction.tables if len(table.tuples)]
    for form in LAYOUTS:
        found = [table for table in extract_document(written(form, extraction)).tables if len(table.tuples)]
        for number, table in enumerate(tables):
            again = found[number] if number < len(found) else None
            yield Held(f"{form}: same trees", again is not None and _trees(again) == _trees(table))
            yield Held(f"{form}: same values and paths", again is not None and _said(again) == _said(table))


def sound_rdf(extraction: Extraction) -> Iterator[Held]:
    """Four forms that say the same, shapes, and the constraints of the cube."""
    data = {form: syntax.write(describe_extraction(extraction)) for form, syntax in SYNTAXES.items()}
    graphs = {form: parse(form, text) for form, text in data.items()}
    facts = set(graphs["turtle"])
    # there are no blank nodes, so graphs are isomorphic just where they are equal
    yield Held("rdf: forms are isomorphic", all(set(graph) == facts for graph in graphs.values()))
    yield Held("rdf: the same again", data["nquads"] == SYNTAXES["nquads"].write(describe_extraction(extraction)))
    yield Held("data cube, skos, prov: shapes", conforms(graphs["turtle"]))
    yield Held("csvw: shapes", conforms(_csvw(extraction)))
    store = pyoxigraph.Store()
    store.load(data["turtle"], format=pyoxigraph.RdfFormat.TURTLE)
    store.update(PREFIXES + NORMALISE)
    many = max(len(table.tuples) for table in extraction.tables) > _MANY
    for name in CONSTRAINTS:
        if name.startswith("IC-12") and many:
            yield Held(f"cube: {name}", _all_differ(extraction))
        else:
            yield Held(f"cube: {name}", not store.query(constraint(name)))


def parse(form: str, data: bytes) -> Any:
    """RDF as rdflib reads it; the graphs of N-Quads together."""
    graph = rdflib.Graph()
    if form == "nquads":
        for subject, predicate, thing, _ in rdflib.Dataset().parse(data=data, format="nquads").quads():
            graph.add((subject, predicate, thing))
        return graph
    return graph.parse(data=data, format={"rdfxml": "xml", "jsonld": "json-ld"}.get(form, form))


def conforms(graph: Any) -> bool:
    """Whether a graph conforms to the shapes that are shipped."""
    return bool(pyshacl.validate(graph, shacl_graph=_shapes())[0])


def _csvw(extraction: Extraction) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        write_csvw([extraction], Path(folder))
        metadata = json.loads((Path(folder) / METADATA).read_text(encoding="utf-8"))
    return parse("jsonld", json.dumps({**metadata, "@context": CSVW_CONTEXT}).encode())


def _all_differ(extraction: Extraction) -> bool:
    """IC-12 counted: no two observations of a table have the same dimensions."""
    for table in extraction.tables:
        one = Extraction(extraction.document, (table,))
        seen: Counter[tuple[object, ...]] = Counter()
        for description in describe_extraction(one):
            if ("rdf:type", "qb:Observation") in description.facts:
                sides = (p for p in description.facts if "-dimension-" in p[0] or p[0] in ("tab:row", "tab:column"))
                seen[tuple(sides)] += 1
        if seen and max(seen.values()) > 1:
            return False
    return True


def _sure(one: Tuple) -> Tuple:
    return msgspec.structs.replace(one, confidence=1.0)


def _trees(table: Table) -> list[Counter[tuple[str, ...]]]:
    return [_paths(table.top), _paths(table.left)]


def _paths(tree: HeaderTree) -> Counter[tuple[str, ...]]:
    return Counter(tuple(one.text for one in tree.path(node.id)) for node in tree.nodes)


def _said(table: Table) -> list[tuple[object, ...]]:
    """What tuples say wherever they stand; a page knows no hard blanks."""
    return [(one.text.replace("\xa0", " "), one.value, one.unit, one.top, one.left, one.notes) for one in table.tuples]


@cache
def _schema() -> Any:
    return etree.XMLSchema(etree.fromstring(schema_of("xml") or b""))


@cache
def _shapes() -> Any:
    return rdflib.Graph().parse(SHAPES)
