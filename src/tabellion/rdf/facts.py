"""Facts of RDF: names with a prefix, literals, and what is said of one thing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

BASE = "urn:tabellion:"
PREFIXES: Mapping[str, str] = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "prov": "http://www.w3.org/ns/prov#",
    "qb": "http://purl.org/linked-data/cube#",
    "dcterms": "http://purl.org/dc/terms/",
    "schema": "https://schema.org/",
    "sdmx-attribute": "http://purl.org/linked-data/sdmx/2009/attribute#",
    "sdmx-measure": "http://purl.org/linked-data/sdmx/2009/measure#",
    "tab": "urn:tabellion:terms:",
}
_UNSPEAKABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


class Literal(NamedTuple):
    """A text, or the text of a value with the name of its type."""

    text: str
    datatype: str | None = None


Fact: TypeAlias = tuple[str, "str | Literal"]  # a predicate, and the name of a thing or a literal


class Description(NamedTuple):
    """What is said of one thing, in the graph of that name. A name without letters before its colon is one of ours."""

    subject: str
    facts: list[Fact]
    graph: str = ""


def plain(text: str) -> Literal:
    r"""A text that every form can hold: control characters, which XML forbids, are replaced.

    >>> plain("a\x01").text == "a\ufffd"
    True
    """
    return Literal(_UNSPEAKABLE.sub("\ufffd", text))


def number(value: float) -> Literal:
    """A number.

    >>> number(3), number(2.5), number(float("inf"))
    (Literal(text='3', datatype='xsd:integer'), Literal(text='2.5', datatype='xsd:double'), ...)
    """
    if isinstance(value, int):
        return Literal(str(value), "xsd:integer")
    return Literal(repr(value).upper() if value in (float("inf"), float("-inf")) else repr(value), "xsd:double")


def expand_name(name: str, base: str = BASE) -> str:
    """A name with a prefix as a whole address.

    >>> expand_name("skos:Concept"), expand_name(":c1")
    ('http://www.w3.org/2004/02/skos/core#Concept', 'urn:tabellion:c1')
    """
    prefix, _, rest = name.partition(":")
    return (PREFIXES[prefix] if prefix else base) + rest
