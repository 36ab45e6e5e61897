"""Records that a page lists are told apart, and a field that a record lacks does not shift the others."""

from __future__ import annotations

from tabellion.mine.instances import list_records, read_records
from tabellion.mine.ontology import SitePages, mine_sites
from tabellion.mine.sources import find_tables
from tabellion.read.web.page_tree import parse_page_tree

OFFER = """<div class=offer><h3><a href=/lamp/{n}>Lamp {n}</a></h3>{price}
<p class=maker><span>Maker:</span> <span class=name>House {n}</span></p></div>"""
MENU = "<ul><li><a href=/>Home</a><li><a href=/lamps>Lamps</a><li><a href=/help>Help</a></ul>"


def offers(number: int = 5, without: int = 2) -> str:
    prices = ["" if n == without else f"<p class=price>{10 + n} EUR</p>" for n in range(number)]
    found = "".join(OFFER.format(n=n, price=price) for n, price in enumerate(prices))
    return f"<html lang=en>{MENU}<h1>Lamps</h1><section>{found}</section>{MENU}"


def fields(markup: str) -> list[dict[str, str]]:
    [found] = read_records(parse_page_tree(markup))
    return [{(each.label or (each.field,))[-1]: each.value for each in record} for record in found.records]


def test_each_thing_of_a_list_is_a_record_with_its_fields() -> None:
    first = fields(offers())[0]
    assert first == {"div.offer/h3/a": "Lamp 0", "div.offer/p.price": "10 EUR", "Maker:": "House 0"}


def test_a_missing_field_is_missing_and_the_others_stay() -> None:
    records = fields(offers())
    assert records[2] == {"div.offer/h3/a": "Lamp 2", "Maker:": "House 2"}
    assert len(records) == 5


def test_records_without_a_box_of_their_own_begin_at_each_title() -> None:
    run = "".join(f"<h3>Story {n}</h3><p>It tells of {n}.</p>" + "<i>new</i>" * (n == 1) for n in range(4))
    records = fields(f"<section>{run}</section>")
    assert [record["h3"] for record in records] == ["Story 0", "Story 1", "Story 2", "Story 3"]
    assert ["i" in record for record in records] == [False, True, False, False]


def test_menus_and_facts_of_one_thing_are_no_records() -> None:
    facts = "".join(f"<div><b>{name}:</b> <span>{name} of it</span></div>" for name in ("Size", "Age", "Kind", "Home"))
    assert read_records(parse_page_tree(MENU + f"<section>{facts}</section>")) == []


def test_rows_of_a_data_table_are_records_under_their_headers() -> None:
    rows = "".join(f"<tr><td>Player {n}<td>{70 + n}<td>{500 + 7 * n}" for n in range(5))
    markup = f"<h2>Season</h2><table><tr><th>Name<th>Games<th>Points{rows}</table>"
    [found] = read_records(find_tables(parse_page_tree(markup), markup.encode()))
    told = [{each.label: each.value for each in record} for record in found.records]
    assert told[3][("Games",)] == "73"
    assert told[3][("Points",)] == "521"


def test_what_a_concepts_own_page_lists_are_instances_of_the_concept() -> None:
    stories = "".join(f"<a href=/lamps/the-long-story-no-{n}{n}{n}{n}{n}>The long story of {n}</a> " for n in range(4))

    def site(name: str) -> SitePages:
        own = "".join(f"<a href=/{name}/{n}>Own {name} {n}</a> " for n in range(9))
        pages = {"": f"<html lang=en>{MENU}{stories}{own}", "lamps": offers()}
        return SitePages(name, tuple(pages), lambda path: parse_page_tree(pages[path], f"https://{name}/{path}"))

    ontology = mine_sites([site("a.example"), site("b.example")])
    [lamps] = [concept for concept in ontology.concepts if concept.label == "Lamps"]
    assert [each.concept for each in ontology.instances] == [lamps.id] * 10


def test_a_page_that_cannot_be_read_gives_an_instance_without_attributes() -> None:
    assert [each.attributes for each in list_records(["a.html"], lambda _: None)] == [()]
