"""Facts of RDF, and the four forms that they are written in.

Facts of RDF: names with a prefix, literals, and what is said of one thing.

The four forms of RDF, each as what stands first, a piece for each description, and what stands last. In: descriptions.
Out: bytes. Descriptions of one thing may come apart; every form allows that.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from tabellion.patterns import lazy_pattern

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
_UNSPEAKABLE = lazy_pattern("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


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


PIECE = 2_000  # descriptions a piece
_PLAIN = lazy_pattern(r"[a-z-]*:[A-Za-z_][\w-]*", re.ASCII)
_UNSAFE = lazy_pattern(r'[\x00-\x20<>"{}|^`\\]')
_RETURN = {"\r": "&#13;"}
_quote = json.JSONEncoder(ensure_ascii=False).encode  # one for all: to make one takes longer than to use it


class Syntax(NamedTuple):
    """A form of RDF. `describe` writes one description; `between` stands between two."""

    head: Callable[[str], str]
    describe: Callable[[Description, str], str]
    between: str = ""
    tail: str = ""

    def pieces(self, descriptions: Iterable[Description], base: str = BASE) -> Iterator[bytes]:
        """Descriptions without head and tail, some thousand per piece."""
        todo, first = iter(descriptions), True
        while some := list(islice(todo, PIECE)):
            text = self.between.join(self.describe(one, base) for one in some)
            yield (text if first else self.between + text).encode("utf-8", "replace")
            first = False

    def write(self, descriptions: Iterable[Description], base: str = BASE) -> bytes:
        """Descriptions as a whole file."""
        return b"".join((self.head(base).encode(), *self.pieces(descriptions, base), self.tail.encode()))


def _turtle_head(base: str) -> str:
    return "".join(f"@prefix {prefix}: <{address}> .\n" for prefix, address in (*PREFIXES.items(), ("", base)))


def _turtle(description: Description, base: str) -> str:
    facts = " ;\n  ".join(
        f"{_short(predicate, base)} {_short(thing, base) if isinstance(thing, str) else _turtle_literal(thing)}"
        for predicate, thing in description.facts
    )
    return f"\n{_short(description.subject, base)}\n  {facts} .\n"


def _turtle_literal(literal: Literal) -> str:
    text = _quote(literal.text)
    return f"{text}^^{literal.datatype}" if literal.datatype else text


def _quads(description: Description, base: str) -> str:
    subject, graph = _whole(description.subject, base), description.graph
    ending = f" {_whole(graph, base)} .\n" if graph else " .\n"
    return "".join(
        f"{subject} {_whole(predicate, base)} "
        f"{_whole(thing, base) if isinstance(thing, str) else _quad_literal(thing)}{ending}"
        for predicate, thing in description.facts
    )


def _quad_literal(literal: Literal) -> str:
    text = _quote(literal.text)
    return f"{text}^^{_whole(literal.datatype, BASE)}" if literal.datatype else text


def _xml_head(base: str) -> str:
    from xml.sax.saxutils import quoteattr  # brings half of the network with it

    spaces = " ".join(f"xmlns:{prefix}={quoteattr(address)}" for prefix, address in (*PREFIXES.items(), ("it", base)))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rdf:RDF {spaces}>\n'


def _xml(description: Description, base: str) -> str:
    from xml.sax.saxutils import escape, quoteattr

    lines = [f"<rdf:Description rdf:about={quoteattr(expand_name(description.subject, base))}>"]
    for predicate, thing in description.facts:
        tag = f"it{predicate}" if predicate.startswith(":") else predicate
        if isinstance(thing, str):
            lines.append(f"<{tag} rdf:resource={quoteattr(expand_name(thing, base))}/>")
            continue
        datatype = f" rdf:datatype={quoteattr(expand_name(thing.datatype))}" if thing.datatype else ""
        lines.append(f"<{tag}{datatype}>{escape(thing.text, _RETURN)}</{tag}>")
    lines.append("</rdf:Description>\n")
    return "\n".join(lines)


def _json(description: Description, base: str) -> str:
    node: dict[str, Any] = {"@id": expand_name(description.subject, base)}
    for predicate, thing in description.facts:
        if predicate == "rdf:type":
            node.setdefault("@type", []).append(expand_name(str(thing), base))
            continue
        value = {"@id": expand_name(thing, base)} if isinstance(thing, str) else {"@value": thing.text}
        if isinstance(thing, Literal) and thing.datatype:
            value["@type"] = expand_name(thing.datatype)
        node.setdefault(expand_name(predicate, base), []).append(value)
    return json.dumps(node, ensure_ascii=False)


@lru_cache(maxsize=4096)
def _short(name: str, base: str) -> str:
    """A name as Turtle writes it: with its prefix where that is plain, else as a whole address."""
    return name if _PLAIN.fullmatch(name) else _whole(name, base)


@lru_cache(maxsize=4096)
@lru_cache(maxsize=4096)  # predicates and headers come again with every value
def _whole(name: str, base: str) -> str:
    address = _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", expand_name(name, base))
    return f"<{address}>"


SYNTAXES = {
    "turtle": Syntax(_turtle_head, _turtle),
    "nquads": Syntax(lambda _: "", _quads),
    "rdfxml": Syntax(_xml_head, _xml, tail="</rdf:RDF>\n"),
    "jsonld": Syntax(lambda _: '{"@graph": [\n', _json, between=",\n", tail="\n]}\n"),
}
