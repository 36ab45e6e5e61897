"""Sites of one domain give its concepts and how they nest; boilerplate falls without any list of words."""

from __future__ import annotations

import json

from tabellion.mine.attributes import Attribute
from tabellion.mine.instances import ConceptInstance, Instance, Spool
from tabellion.mine.labels import LabelSettings, group_labels, plain_letters, stems_of
from tabellion.mine.ontology import MineSettings, Ontology, SitePages, find_synonyms, mine_sites
from tabellion.mine.site import Link
from tabellion.mine.taxonomy import choose_parents, frequent_pairs
from tabellion.read.web.page_tree import parse_page_tree

HOME = """<html lang=en><nav><ul><li><a href=/>Start</a><li><a href=/sport/>{sport}</a>
<ul><li><a href=/sport/tennis/>Tennis</a>
<li><a href=/sport/golf/>Golf</a></ul><li><a href=/world/>World</a></ul></nav>
<main>{stories}</main><footer><a href=/imprint>Imprint</a> <a href=/login>Log in</a>
<a href=https://shop.example/>Shop</a></footer>"""


def site(name: str, sport: str = "Sport") -> SitePages:
    stories = "".join(
        f"<h3><a href=/{part}/the-long-story-number-{n}{n}{n}{n}{n}>The long story of number {n}</a></h3>"
        for part in ("sport", "world", "sport/tennis", "sport/golf")
        for n in range(4)
    )
    own = "".join(f"<a href=/own/{name}-{n}>Special {name} {n}</a> " for n in range(20))
    markup = HOME.format(sport=sport, stories=stories + own)
    return SitePages(name, ("index.html",), lambda _: parse_page_tree(markup, f"https://{name}/"))


def mined() -> Ontology:
    return mine_sites([site("a.example"), site("b.example", "Sports"), site("c.example")])


def test_concepts_nest_as_sites_nest_them() -> None:
    concepts = {concept.label: concept for concept in mined().concepts}
    assert set(concepts) == {"Sport", "Tennis", "Golf", "World"}
    assert concepts["Tennis"].parent == concepts["Golf"].parent == concepts["Sport"].id
    assert concepts["Sport"].parent is None


def test_labels_of_one_stem_are_one_concept() -> None:
    sport = next(concept for concept in mined().concepts if concept.label == "Sport")
    assert set(sport.labels) == {"Sport", "Sports"}
    assert sport.support == 3


def test_the_json_is_what_the_contract_says() -> None:
    made = mined().as_json()
    assert set(made) == {"concepts", "instances", "sites", "issues"}
    assert set(made["concepts"][0]) == {"id", "label", "labels", "parent", "support", "sites", "urls"}
    assert made["sites"] == [{"site": f"{name}.example", "pages": 1} for name in "abc"]


def test_labels_are_grouped_by_stem_and_by_shared_words() -> None:
    assert group_labels(["League", "2. League", "Car", "Cars"], "en") == [
        ["League"],
        ["2. League"],
        ["Car", "Cars"],
    ]
    assert stems_of("Running shoes", "en") == stems_of("shoe run", "en")
    assert stems_of("語 学", None) == {"語", "学"}


def test_pairs_far_apart_count_with_near_ones_as_in_the_paper() -> None:
    assert frequent_pairs({(0, 1): {"x": 1, "y": 2}}, 2) == {(0, 1): 2}


def test_parents_make_no_circle() -> None:
    pairs = {(0, 1): {"x": 1, "y": 1}, (1, 2): {"x": 1, "y": 1}, (2, 0): {"x": 1, "y": 1}}
    parents = choose_parents(3, pairs, 2)
    assert parents.count(None) == 1


def test_sites_of_one_house_are_one_witness() -> None:
    pairs = {(0, 1): {"x": 1, "y": 1}}
    assert choose_parents(2, pairs, 2, {"x": "x", "y": "x"}) == [None, None]


def test_addresses_spell_letters_without_marks() -> None:
    assert plain_letters("Übergröße") == "uebergroesse"


def test_json_written_an_instance_at_a_time_is_the_same() -> None:
    ontology = mine_sites([site("a.example"), site("b.example")])
    assert json.loads(b"".join(ontology.json_parts())) == json.loads(json.dumps(ontology.as_json()))


def test_instances_are_read_back_from_their_spool_as_they_were_mined() -> None:
    spool = Spool()
    for number in range(3):
        told = (Attribute(("Facts", "Size"), f"{number} m", "td"),)
        spool.append(ConceptInstance(f"i{number}", None, Instance(f"{number}.html", told)))
    assert [each.id for each in spool] == ["i0", "i1", "i2"]
    assert spool[-1].instance.attributes[0].value == "2 m"
    assert [each.id for each in spool[1:]] == ["i1", "i2"]


def test_a_pair_that_most_sites_with_both_concepts_do_not_state_is_none() -> None:
    pairs = {(0, 1): {"x": 1, "y": 1}}
    some, many = ["x", "y", "z"], ["x", "y", "z", "u", "v", "w"]
    assert choose_parents(2, pairs, 2, None, [some, many]) == [None, 0]
    assert choose_parents(2, pairs, 2, None, [many, many]) == [None, None]


def link(path: str) -> Link:
    return Link("Text", "a", path, 0, 0)


def test_two_names_of_one_place_are_synonyms_unless_a_site_keeps_them_apart() -> None:
    here = {"a": [link("/money")], "b": [link("/money")]}
    assert list(find_synonyms([here, dict(here)], {})) == [(0, 1)]
    apart = {"a": [link("/money")], "b": [link("/economy")]}
    assert list(find_synonyms([here, apart], {})) == []


def test_two_names_with_the_same_children_on_different_sites_are_synonyms() -> None:
    pairs = {(upper, lower): {"a": 1} for upper in (0, 1) for lower in (2, 3, 4)}
    links = [{"a": [link("/world")]}, {"b": [link("/international")]}, {}, {}, {}]
    assert list(find_synonyms(links, pairs)) == [(0, 1)]


def test_siblings_of_frequent_labels_are_concepts_where_asked_for() -> None:
    sites = [site("a.example"), site("b.example"), site("c.example")]
    more = HOME.replace("Golf</a></ul>", "Golf</a><li><a href=/sport/chess/>Chess</a></ul>")
    stories = "".join(
        f"<h3><a href=/{part}/the-long-story-number-{n}{n}{n}{n}{n}>The long story of number {n}</a></h3>"
        for part in ("sport/tennis", "sport/golf", "sport/chess", "world")
        for n in range(4)
    )
    page = parse_page_tree(more.format(sport="Sport", stories=stories), "https://d.example/")
    sites.append(SitePages("d.example", ("index.html",), lambda _: page))
    plain = {concept.label for concept in mine_sites(sites).concepts}
    labels = LabelSettings(siblings=True, strong=0.5, company=3)
    wide = {concept.label for concept in mine_sites(sites, MineSettings(labels=labels)).concepts}
    assert "Chess" not in plain
    assert "Chess" in wide


def test_a_concept_does_not_hang_below_one_that_most_sites_show_beside_it() -> None:
    pairs = {(0, 1): {"a": 1, "b": 1}}
    having = [["a", "b", "c", "d", "e"], ["a", "b", "c", "d", "e"]]
    assert choose_parents(2, pairs, 2, having=having) == [None, 0]
    assert choose_parents(2, pairs, 2, having=having, beside={(0, 1): ["a", "c", "d", "e"]}) == [None, None]
