"""An ontology as RDF: Turtle, JSON-LD or RDF/XML.

In: an ontology. Out: text. Concepts are SKOS concepts with all labels and their broader concept; a concept with
instances is an OWL class too; an instance has its values under properties of its own, named by their labels, and says
by PROV where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from tabellion.mine.ontology import Ontology
from tabellion.rdf import SYNTAXES, Description, Fact
from tabellion.rdf.facts import plain


def describe_ontology(ontology: Ontology) -> Iterator[Description]:
    """What is said of each concept, instance and property."""
    populated = {each.concept for each in ontology.instances if each.concept}
    for concept in ontology.concepts:
        facts: list[Fact] = [("rdf:type", "skos:Concept")]
        if concept.id in populated:
            facts.append(("rdf:type", "owl:Class"))
        facts.append(("skos:prefLabel", plain(concept.label)))
        facts += [("skos:altLabel", plain(label)) for label in concept.labels if label != concept.label]
        if concept.parent:
            facts.append(("skos:broader", f":{concept.parent}"))
        facts += [("schema:url", plain(url)) for url in concept.urls]
        yield Description(f":{concept.id}", facts)
    properties: dict[tuple[str, ...], str] = {}
    for each in ontology.instances:
        facts = [("rdf:type", f":{each.concept}" if each.concept else "schema:Thing")]
        facts.append(("prov:wasDerivedFrom", plain(each.instance.source)))
        for attribute in each.instance.attributes:
            predicate = (
                properties.setdefault(attribute.label, f":p{len(properties)}") if attribute.label else "rdf:value"
            )
            facts.append((predicate, plain(attribute.value)))
        yield Description(f":{quote(each.id, safe='-_')}", facts)
    for path, name in properties.items():
        label = " / ".join(part.rstrip(" :") for part in path)
        yield Description(name, [("rdf:type", "owl:DatatypeProperty"), ("rdfs:label", plain(label))])


def to_turtle(ontology: Ontology) -> str:
    """The ontology in Turtle."""
    return SYNTAXES["turtle"].write(describe_ontology(ontology)).decode()


def to_json_ld(ontology: Ontology) -> str:
    """The ontology in JSON-LD."""
    return SYNTAXES["jsonld"].write(describe_ontology(ontology)).decode()


def to_rdf_xml(ontology: Ontology) -> str:
    """The ontology in RDF/XML."""
    return SYNTAXES["rdfxml"].write(describe_ontology(ontology)).decode()
