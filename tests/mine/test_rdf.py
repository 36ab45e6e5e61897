"""An ontology is written as RDF that other tools read, as a picture and as a page."""

from __future__ import annotations

import json
from xml.etree import ElementTree

from tabellion.mine.attributes import Attribute
from tabellion.mine.instances import ConceptInstance, Instance
from tabellion.mine.ontology import Concept, Ontology
from tabellion.mine.report import to_html, to_json_ld, to_rdf_xml, to_svg, to_turtle
from tabellion.rdf.facts import PREFIXES

ONTOLOGY = Ontology(
    concepts=(
        Concept("c1", "Sport & Spiel", ("Sport & Spiel", "Sports"), None, 3, ("a", "b"), ("https://a/sport/",)),
        Concept("c2", 'The "Open"', ('The "Open"',), "c1", 2, ("a", "b"), ()),
    ),
    instances=(
        ConceptInstance("i1-a", "c2", Instance("a/1.html", (Attribute(("Facts", "Height:"), "<2 m>\x01", "body"),))),
        ConceptInstance("i2-a", None, Instance("a/2.html", (Attribute((), "Title", "body"),))),
    ),
    sites=(("a", 2), ("b", 1)),
)


def test_rdf_xml_is_well_formed_and_names_the_broader_concept() -> None:
    root = ElementTree.fromstring(to_rdf_xml(ONTOLOGY))  # noqa: S314
    assert len(root) == 5
    assert root.find(f".//{{{PREFIXES['skos']}}}broader") is not None
    assert any("<2 m>" in (element.text or "") for element in root.iter())


def test_json_ld_has_types_and_labels() -> None:
    graph = {node["@id"]: node for node in json.loads(to_json_ld(ONTOLOGY))["@graph"]}
    assert graph["urn:tabellion:c2"]["@type"] == [PREFIXES["skos"] + "Concept", PREFIXES["owl"] + "Class"]
    assert graph["urn:tabellion:c1"][PREFIXES["skos"] + "altLabel"] == [{"@value": "Sports"}]


def test_turtle_escapes_texts() -> None:
    turtle = to_turtle(ONTOLOGY)
    assert 'skos:prefLabel "The \\"Open\\""' in turtle
    assert ":c2\n  rdf:type skos:Concept ;" in turtle


def test_the_picture_and_the_page_are_whole() -> None:
    assert "Sport &amp; Spiel" in "".join(ElementTree.tostring(ElementTree.fromstring(to_svg(ONTOLOGY)), "unicode"))  # noqa: S314
    page = to_html(ONTOLOGY)
    assert "&lt;2 m&gt;" in page
    assert "<script" not in page
    assert '<a href="#c1">Sport &amp; Spiel</a>' in page
    assert page.count("<ul>") == page.count("</ul>")
