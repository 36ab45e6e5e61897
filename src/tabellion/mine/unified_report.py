"""Things over sites as JSON, as relations, and as RDF with classes, domains, ranges and equivalences.

In: the schemas of kinds, their things, and which things are one. Out: objects of the output contract; one relation for
each kind, with the sites as a column; descriptions for `tabellion.rdf`. A schema can be written to a file, corrected by
a person (`fixed`), and read back.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from tabellion.errors import UnreadableError
from tabellion.mine.attributes import Attribute
from tabellion.mine.instances import ConceptInstance, Instance
from tabellion.mine.linking import SameThing, write_whole
from tabellion.mine.ontology import Concept, Ontology
from tabellion.mine.report import BETWEEN, Relation
from tabellion.mine.slots import SlotKey
from tabellion.mine.template import bare_value
from tabellion.mine.things import NAME, KindSchema, Thing
from tabellion.model.grid import iso_date
from tabellion.rdf import SYNTAXES, Description, Fact
from tabellion.rdf.facts import Literal, plain
from tabellion.values.date import read_date
from tabellion.values.number import read_number

RANGES = {"money": "xsd:decimal", "number": "xsd:decimal", "date": "xsd:date", "web": "xsd:anyURI"}
_MOST_COLUMNS = 60
_ADDRESS = re.compile(r"https?://[^\s<>\"{}|\\^`]+")
_Place = tuple[str, str]  # a kind and one of its attributes


def thing_json(thing: Thing, same: Mapping[str, Sequence[SameThing]] = {}) -> dict[str, Any]:
    """A thing as the output contract says, with the keys of the same thing on other sites."""
    told: dict[str, Any] = msgspec.to_builtins(thing)
    linked = [
        {"key": each.other if each.one == thing.key else each.one, "probability": each.probability,
         "evidence": list(each.evidence)}
        for each in same.get(thing.key, ())
    ]  # fmt: skip
    return {**told, "same": linked}


def links_by_key(links: Iterable[SameThing]) -> dict[str, list[SameThing]]:
    """The links of each thing."""
    found: dict[str, list[SameThing]] = {}
    for link in links:
        found.setdefault(link.one, []).append(link)
        found.setdefault(link.other, []).append(link)
    return found


def thing_relations(schemas: Sequence[KindSchema], things: Sequence[Thing]) -> Iterator[Relation]:
    """One relation for each kind: name, site and the unified attributes of most things; a row is a thing."""
    for schema in schemas:
        rows = [thing for thing in things if thing.kind == schema.kind]
        told = [_values(thing) for thing in rows]
        names = [attribute.name for attribute in schema.attributes if any(attribute.name in each for each in told)]
        names.sort(key=lambda name: -sum(name in each for each in told))
        names = names[:_MOST_COLUMNS]
        columns = (("name",), ("site",), *((name,) for name in names))
        made = tuple(
            (thing.key, (thing.name or "", thing.site, *(BETWEEN.join(each.get(name, ())) for name in names)))
            for thing, each in zip(rows, told, strict=True)
        )
        yield Relation(schema.kind, columns, made)


def _values(thing: Thing) -> dict[str, list[str]]:
    """The values of a thing by unified attribute, without a label that stands in the text itself."""
    found: dict[str, dict[str, None]] = {}
    for attribute in thing.attributes:
        if attribute.unified and attribute.unified != NAME:
            found.setdefault(attribute.unified, {})[bare_value(attribute.value, attribute.label)] = None
    return {name: list(values) for name, values in found.items()}


def typed_value(text: str, kind: str) -> Literal | None:
    """A value of an attribute of a kind (money, number, date, web) as RDF types it; None where it does not say one.

    >>> typed_value("$11,100", "money"), typed_value("December 18, 2009", "date"), typed_value("on request", "money")
    (Literal(text='11100.0', datatype='xsd:decimal'), Literal(text='2009-12-18', datatype='xsd:date'), None)
    """
    if kind in ("money", "number"):
        found = read_number(text)
        return (
            Literal(f"{found.value:.12g}" if found.value % 1 else f"{found.value:.1f}", RANGES[kind]) if found else None
        )
    if kind == "date":
        day = read_date(text)
        return Literal(iso_date(math.floor(day)), RANGES[kind]) if day is not None and math.isfinite(day) else None
    if kind == "web":
        return Literal(text, RANGES[kind]) if _ADDRESS.fullmatch(text) else None
    return plain(text)


def _ranges(schemas: Sequence[KindSchema], told: Sequence[tuple[Thing, dict[str, list[str]]]]) -> dict[_Place, str]:
    """By kind and attribute the kind of value that all things have there; text where one has another."""
    kinds = {(schema.kind, each.name): each.type for schema in schemas for each in schema.attributes}
    for thing, values in told:
        for name, texts in values.items():
            kind = kinds.get((thing.kind, name), "text")
            if any(typed_value(text, kind) is None for text in texts):
                kinds[thing.kind, name] = "text"
    return kinds


def describe_things(
    schemas: Sequence[KindSchema], things: Iterable[Thing], links: Mapping[str, Sequence[SameThing]] = {}
) -> Iterator[Description]:
    """Classes, properties with domain and range, the sites' own properties as their equivalents, and the things.

    A range other than text is that of all values; a value is written in its range.
    """
    told_things = [(thing, _values(thing)) for thing in things]
    kinds = _ranges(schemas, told_things)
    for schema in schemas:
        kind = _iri("kind", schema.kind)
        yield Description(kind, [("rdf:type", "owl:Class"), ("rdfs:label", plain(schema.kind))])
        for attribute in schema.attributes:
            whole = _iri("attribute", schema.kind, attribute.name)
            facts: list[Fact] = [
                ("rdf:type", "owl:DatatypeProperty"),
                ("rdfs:label", plain(attribute.name)),
                ("rdfs:domain", kind),
                ("rdfs:range", RANGES.get(kinds[schema.kind, attribute.name], "xsd:string")),
            ]
            yield Description(whole, facts)
            for site, label in dict.fromkeys((member.site, member.label) for member in attribute.members):
                own = _iri("site", site, label or attribute.name)
                told: list[Fact] = [("rdf:type", "owl:DatatypeProperty"), ("owl:equivalentProperty", whole)]
                yield Description(own, [*told, ("rdfs:label", plain(label or attribute.name))])
    for thing, held in told_things:
        facts = [("rdf:type", _iri("kind", thing.kind)), ("prov:wasDerivedFrom", plain(thing.source))]
        if thing.name:
            facts.append(("rdfs:label", plain(thing.name)))
        for name, values in held.items():
            place, kind_of = _iri("attribute", thing.kind, name), kinds.get((thing.kind, name), "text")
            facts += [(place, typed_value(value, kind_of) or plain(value)) for value in values]
        for link in links.get(thing.key, ()):
            facts.append(("owl:sameAs", _iri("thing", link.other if link.one == thing.key else link.one)))
        yield Description(_iri("thing", thing.key), facts)


def _iri(*parts: str) -> str:
    return ":" + "-".join(quote(part.replace(" ", "_"), safe="_").replace("%", "_").replace(".", "_") for part in parts)


def write_things(
    syntax: str, schemas: Sequence[KindSchema], things: Iterable[Thing], links: Mapping[str, Sequence[SameThing]]
) -> bytes:
    """The same as text of a syntax: turtle, jsonld or rdfxml."""
    return SYNTAXES[syntax].write(describe_things(schemas, things, links))


def write_schema(path: Path, schemas: Sequence[KindSchema]) -> None:
    """Write schemas to a file that a person can correct."""
    write_whole(path, {"schemas": schemas})


def read_schema(path: Path) -> dict[tuple[str, SlotKey], str]:
    """What a person fixed in a schema: the members marked `fixed`, by site and slot, with their attribute's name."""
    if not path.exists():
        return {}
    try:
        told = msgspec.json.decode(path.read_bytes(), type=dict[str, list[KindSchema]])
    except (msgspec.DecodeError, OSError) as error:
        raise UnreadableError(f"{path}: is no schema that `mine --schema` wrote ({error})") from error
    return {
        (member.site, member.slot): attribute.name
        for schema in told.get("schemas", [])
        for attribute in schema.attributes
        for member in attribute.members
        if member.fixed
    }


def things_ontology(schemas: Sequence[KindSchema], things: Sequence[Thing]) -> Ontology:
    """Kinds as concepts and things as their instances, with the facts under their unified names."""
    numbers = {schema.kind: f"k{number}" for number, schema in enumerate(schemas, start=1)}
    concepts = tuple(
        Concept(numbers[each.kind], each.kind, (each.kind,), None, len(each.sites), each.sites, ()) for each in schemas
    )
    instances = [
        ConceptInstance(thing.key, numbers.get(thing.kind), Instance(thing.source, tuple(_own_facts(thing))))
        for thing in things
    ]
    sites = Counter(thing.site for thing in things)
    return Ontology(concepts, instances, tuple(sites.items()))


def _own_facts(thing: Thing) -> Iterator[Attribute]:
    for each in thing.attributes:
        if each.main:
            label = (each.unified,) if each.unified else each.label
            yield Attribute(label, bare_value(each.value, each.label), each.path)
