"""Things over sites: names, kinds, keys, facts told from trimmings, one schema."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from tabellion.mine.hierarchy import segment_page
from tabellion.mine.linking import link_things
from tabellion.mine.ontology import SitePages
from tabellion.mine.site import read_links
from tabellion.mine.template import bare_value
from tabellion.mine.things import Thing, UnifiedSites, thing_key, unify_sites
from tabellion.mine.unified_report import (
    describe_things,
    links_by_key,
    read_schema,
    thing_json,
    thing_relations,
    write_schema,
)
from tabellion.read.limits import DEFAULT
from tabellion.read.web.page_tree import parse_page_tree, read_page_tree

MAKES = ("Audi A4", "Fiat Panda", "Honda Fit", "Mazda Six", "Opel Corsa", "Saab Ninety", "Skoda Fabia", "Volvo Amazon")
CITIES = ("Bern", "Oslo", "Rome", "Lyon", "Cork", "Graz", "Bonn", "Nice")
LEFT = """<title>{name} - Car shop</title><ul><li><a href=/>Home</a><li><a href=/new>New cars</a></ul><h1>{name}</h1>
<table><tr><td>Engine:</td><td>{engine}</td></tr><tr><td>Price:</td><td>{price}</td></tr>
<tr><td>Mileage:</td><td>{mileage}</td></tr></table>
<h2>Others also looked at</h2><ul>{others}</ul><p><a href=/imprint>Imprint</a></p>"""
RIGHT = """<title>Wheels | {name}</title><div class=menu><a href=/a>Search</a> <a href=/b>Dealers</a></div>
<div class=head><h1>{name}</h1></div><dl><dt>Engine type<dd>{engine}<dt>MSRP<dd>{price}<dt>Gas mileage<dd>{mileage}</dl>
<div class=more><h3>More offers</h3>{others}</div><div class=foot>Copyright</div>"""


def pages(template: str, shift: int) -> dict[str, str]:
    made = {}
    for number, name in enumerate(MAKES):
        near = [(MAKES[(number + n) % 8], CITIES[(3 * number + n * n) % 8]) for n in range(1, 8)]
        others = "".join(f"<li><a href=/{make}>Used {make} in {city}</a><p>by a dealer</li>" for make, city in near)
        made[f"{number}.html"] = template.format(
            name=name,
            engine=f"{1 + number / 10:.1f}L V{4 + number % 3}, {90 + 7 * number + shift} hp",
            price=f"${11 + number},{100 + 31 * number + shift}",
            mileage=f"{20 + number} mpg city / {30 + number} mpg highway",
            others=others,
        )
    return made


def site(name: str, template: str, shift: int = 0) -> SitePages:
    made = pages(template, shift)
    return SitePages(name, tuple(made), lambda source: parse_page_tree(made[source]))


@pytest.fixture(scope="module")
def mined() -> tuple[UnifiedSites, list[Thing]]:
    unified = unify_sites([site("left", LEFT), site("right", RIGHT, 5)])
    return unified, list(unified.things())


def test_each_page_is_a_thing_with_its_own_name(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    assert [thing.name for thing in mined[1]] == [*MAKES, *MAKES]


def test_facts_are_main_and_nothing_that_changes_is_lost(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    for thing in mined[1]:
        main = {attribute.value for attribute in thing.attributes if attribute.main}
        every = {attribute.value for attribute in thing.attributes}
        assert any("mpg" in value for value in main)
        assert any("$" in value for value in main)
        assert sum(" in " in value for value in every) == 7
        assert main.isdisjoint({"Dealers", "Imprint", "Copyright"})


def test_attributes_that_mean_the_same_have_one_name_on_both_sites(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    named: dict[str, dict[str, set[str | None]]] = {}
    for thing in mined[1]:
        for attribute in thing.attributes:
            for sign in ("mpg", " hp", "$"):
                if sign in attribute.value:
                    named.setdefault(sign, {}).setdefault(thing.site, set()).add(attribute.unified)
    for by_site in named.values():
        assert by_site["left"] == by_site["right"]
        assert len(by_site["left"]) == 1
        assert None not in by_site["left"]
    assert len({name for by_site in named.values() for name in by_site["left"]}) == 3


def test_members_of_an_attribute_say_how_sure_and_why(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    (schema,) = mined[0].schemas
    shared = [each for each in schema.attributes if len({member.site for member in each.members}) == 2]
    assert len(shared) >= 3
    for attribute in shared:
        assert all(0 < member.probability <= 1 and member.evidence for member in attribute.members)


def test_a_thing_prints_as_the_contract_says(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    told = json.loads(msgspec.json.encode(thing_json(mined[1][0])))
    assert {"source", "site", "kind", "name", "key", "attributes"} <= set(told)
    assert {"label", "value", "path", "as", "main"} <= set(told["attributes"][0])


def test_what_a_person_fixed_stays(mined: tuple[UnifiedSites, list[Thing]], tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    write_schema(file, mined[0].schemas)
    told = json.loads(file.read_text(encoding="utf-8"))
    attributes = told["schemas"][0]["attributes"]
    moved = next(member for each in attributes for member in each["members"] if member["label"] == "MSRP")
    for each in attributes:
        each["members"] = [member for member in each["members"] if member is not moved]
    attributes.append({"name": "List price", "type": "money", "members": [{**moved, "fixed": True}]})
    file.write_text(json.dumps(told), encoding="utf-8")
    again = unify_sites([site("left", LEFT), site("right", RIGHT, 5)], read_schema(file))
    found = {a.unified for thing in again.things() for a in thing.attributes if a.label[-1:] == ("MSRP",) and a.main}
    assert found == {"List price"}


def test_the_same_thing_on_two_sites_is_linked(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    links = link_things(mined[1])
    assert len(links) == len(MAKES)
    names = {thing.key: thing.name for thing in mined[1]}
    assert all(names[link.one] == names[link.other] for link in links)


def test_one_relation_per_kind_has_all_sites_and_their_origin(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    (relation,) = thing_relations(mined[0].schemas, mined[1])
    assert relation.columns[:2] == (("name",), ("site",))
    assert {texts[1] for _, texts in relation.rows} == {"left", "right"}
    assert len(relation.rows) == 2 * len(MAKES)


def test_rdf_has_domains_ranges_and_equivalences(mined: tuple[UnifiedSites, list[Thing]]) -> None:
    told = list(describe_things(mined[0].schemas, mined[1], links_by_key(link_things(mined[1]))))
    facts = {predicate for description in told for predicate, _ in description.facts}
    assert {"rdfs:domain", "rdfs:range", "owl:equivalentProperty", "owl:sameAs"} <= facts


def test_a_key_stays_when_the_page_is_fetched_again() -> None:
    one = thing_key("shop", "https://www.example.org/car?id=7&sid=abc", whole=True)
    assert one == thing_key("shop", "http://example.org/car?sid=xyz&id=7#photos", whole=True)


def test_an_address_that_is_none_costs_a_page_nothing() -> None:
    page = read_page_tree(b'<base href="//["><p><a href="x">Go on</a>', None, "http://a.example/", DEFAULT)
    (link,) = read_links(segment_page(page), page.address)
    assert link.address == "http://a.example/x"
    assert thing_key("shop", "http://[/x", whole=True) == "http://[/x"


def test_a_value_in_a_relation_is_without_its_label() -> None:
    assert bare_value("Cuisine: Thai", ("Cuisine",)) == "Thai"
    assert bare_value("Rated: R", ("Cuisine",)) == "Rated: R"
