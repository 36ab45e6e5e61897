"""Mined instances are tables of the library: searched, queried, replaced, and read again from what is kept."""

from __future__ import annotations

from pathlib import Path

from tabellion.library import open_library
from tabellion.library.mined import add_ontology
from tabellion.mine.attributes import Attribute
from tabellion.mine.instances import ConceptInstance, Instance
from tabellion.mine.ontology import Concept, Ontology
from tabellion.mine.report import ontology_relations, relation_markup
from tabellion.pipeline import extract_document


def film(number: int, concept: str | None, *, country: bool = True) -> ConceptInstance:
    told = [
        Attribute((), f"Film {number}", "h1"),
        Attribute(("Facts", "Director:"), f"Director <{number}>", "td"),
        Attribute(("Facts", "Cast"), f"Player {number}", "td"),
        Attribute(("Facts", "Cast"), f"Player {number + 1}", "td"),
        Attribute(("Year",), str(1990 + number), "td"),
    ]
    if country:
        told.append(Attribute(("Facts", "Country"), "UK", "td"))
    return ConceptInstance(f"i{number}-films.example", concept, Instance(f"films/{number}.html", tuple(told)))


def ontology(count: int = 5) -> Ontology:
    concepts = (Concept("c1", "Drama", ("Drama",), None, 1, ("films.example",), ()),)
    instances = [film(n, "c1", country=n != 2) for n in range(count)] + [film(9, None), film(8, None)]
    return Ontology(concepts, tuple(instances), (("films.example", count + 2),))


def test_a_concept_is_a_relation_with_a_row_an_instance(tmp_path: Path) -> None:
    with open_library(str(tmp_path), create=True) as library:
        kept = add_ontology(library, ontology(), "films")
        assert [(one.source, one.status) for one in kept] == [
            ("mined://films/Drama.html", "added"),
            ("mined://films/films.example.html", "added"),
        ]
        rows = library.query('SELECT source, facts_director, facts_cast, year FROM drama ORDER BY "year"').to_pylist()
        assert rows[1] == {
            "source": "films/1.html",
            "facts_director": "Director <1>",
            "facts_cast": "Player 1; Player 2",
            "year": 1991.0,
        }
        missing = library.query("SELECT source FROM drama WHERE facts_country IS NULL").to_pylist()
        assert missing == [{"source": "films/2.html"}]
        assert library.search("director").hits[0].source.startswith("mined://films/")


def test_an_ontology_mined_again_replaces_what_it_was(tmp_path: Path) -> None:
    with open_library(str(tmp_path), create=True) as library:
        add_ontology(library, ontology(), "films")
        assert {one.status for one in add_ontology(library, ontology(), "films")} == {"unchanged"}
        smaller = Ontology(ontology().concepts, ontology().instances[:3], (("films.example", 3),))
        add_ontology(library, smaller, "films")
        assert [document.source for document in library.documents()] == ["mined://films/Drama.html"]
        assert library.query("SELECT count(*) AS n FROM drama").to_pylist() == [{"n": 3}]


def test_nested_labels_are_nested_headers() -> None:
    drama = next(iter(ontology_relations(ontology())))
    [table] = extract_document(relation_markup(drama).encode()).tables
    told = {(one.left, one.top): one.text for one in table.tuples}
    assert told[("films/3.html",), ("Facts", "Director")] == "Director <3>"
    assert told[("films/3.html",), ("Year",)] == "1993"
    assert told[("films/3.html",), ("text",)] == "Film 3"
