"""An ontology as RDF: Turtle, JSON-LD or RDF/XML.

In: an ontology. Out: text. Concepts are SKOS concepts with all labels and their broader concept; a concept with
instances is an OWL class too; an instance has its values under properties of its own, named by their labels, and says
by PROV where it comes from. Written by hand, as three flat forms of a few dozen lines need no library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote
from xml.sax.saxutils import escape, quoteattr

from tabellion.mine.ontology import Ontology

PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "prov": "http://www.w3.org/ns/prov#",
    "schema": "https://schema.org/",
    "": "urn:tabellion:",
}


class Triple(NamedTuple):
    """A statement; `literal` says whether the object is a text. Names are written with a prefix."""

    subject: str
    predicate: str
    object: str
    literal: bool = False


def ontology_triples(ontology: Ontology) -> Iterator[Triple]:
    """The statements of an ontology, those of one subject together."""
    populated = {each.concept for each in ontology.instances if each.concept}
    for concept in ontology.concepts:
        name = f":{concept.id}"
        yield Triple(name, "rdf:type", "skos:Concept")
        if concept.id in populated:
            yield Triple(name, "rdf:type", "owl:Class")
        yield Triple(name, "skos:prefLabel", concept.label, literal=True)
        for label in concept.labels:
            if label != concept.label:
                yield Triple(name, "skos:altLabel", label, literal=True)
        if concept.parent:
            yield Triple(name, "skos:broader", f":{concept.parent}")
        for url in concept.urls:
            yield Triple(name, "schema:url", url, literal=True)
    properties: dict[tuple[str, ...], str] = {}
    for each in ontology.instances:
        name = f":{quote(each.id, safe='-_')}"
        yield Triple(name, "rdf:type", f":{each.concept}" if each.concept else "schema:Thing")
        yield Triple(name, "prov:wasDerivedFrom", each.instance.source, literal=True)
        for attribute in each.instance.attributes:
            predicate = (
                properties.setdefault(attribute.label, f":p{len(properties)}") if attribute.label else "rdf:value"
            )
            yield Triple(name, predicate, attribute.value, literal=True)
    for path, name in properties.items():
        yield Triple(name, "rdf:type", "owl:DatatypeProperty")
        yield Triple(name, "rdfs:label", " / ".join(part.rstrip(" :") for part in path), literal=True)


def to_turtle(ontology: Ontology) -> str:
    """The ontology in Turtle."""
    lines = [f"@prefix {prefix}: <{address}> ." for prefix, address in PREFIXES.items()]
    subject = ""
    for triple in ontology_triples(ontology):
        thing = json.dumps(triple.object, ensure_ascii=False) if triple.literal else _turtle_name(triple.object)
        if triple.subject == subject:
            lines[-1] = lines[-1][:-1] + ";"
            lines.append(f"  {_turtle_name(triple.predicate)} {thing} .")
        else:
            lines += ["", f"{_turtle_name(triple.subject)} {_turtle_name(triple.predicate)} {thing} ."]
        subject = triple.subject
    return "\n".join(lines) + "\n"


def to_json_ld(ontology: Ontology) -> str:
    """The ontology in JSON-LD."""
    nodes: dict[str, dict[str, Any]] = {}
    for triple in ontology_triples(ontology):
        node = nodes.setdefault(triple.subject, {"@id": expand_name(triple.subject)})
        if triple.predicate == "rdf:type":
            node.setdefault("@type", []).append(expand_name(triple.object))
        else:
            value = {"@value": triple.object} if triple.literal else {"@id": expand_name(triple.object)}
            node.setdefault(expand_name(triple.predicate), []).append(value)
    return json.dumps({"@graph": list(nodes.values())}, ensure_ascii=False, indent=1) + "\n"


def to_rdf_xml(ontology: Ontology) -> str:
    """The ontology in RDF/XML."""
    spaces = " ".join(f"xmlns:{prefix or 'it'}={quoteattr(address)}" for prefix, address in PREFIXES.items())
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<rdf:RDF {spaces}>"]
    subject = ""
    for triple in ontology_triples(ontology):
        if triple.subject != subject:
            lines += ["</rdf:Description>"] if subject else []
            lines.append(f"<rdf:Description rdf:about={quoteattr(expand_name(triple.subject))}>")
            subject = triple.subject
        tag = f"it{triple.predicate}" if triple.predicate.startswith(":") else triple.predicate
        if triple.literal:
            lines.append(f"  <{tag}>{escape(_plain(triple.object))}</{tag}>")
        else:
            lines.append(f"  <{tag} rdf:resource={quoteattr(expand_name(triple.object))}/>")
    lines += ["</rdf:Description>"] if subject else []
    return "\n".join([*lines, "</rdf:RDF>"]) + "\n"


def expand_name(name: str) -> str:
    """A name with a prefix as a whole address.

    >>> expand_name("skos:Concept"), expand_name(":c1")
    ('http://www.w3.org/2004/02/skos/core#Concept', 'urn:tabellion:c1')
    """
    prefix, _, rest = name.partition(":")
    return PREFIXES[prefix] + rest


def _turtle_name(name: str) -> str:
    """A name as Turtle writes it: with its prefix where that is plain, else as a whole address."""
    plain = name.partition(":")[2].replace("-", "").replace("_", "").isalnum()
    return name if plain else f"<{expand_name(name)}>"


def _plain(text: str) -> str:
    """A text without the control characters that XML forbids."""
    return "".join(letter for letter in text if letter >= " " or letter in "\t\n\r")
