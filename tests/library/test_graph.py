"""A library is asked in SPARQL, and its graph follows what is added, changed and removed."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from tabellion.errors import LibraryError, QueryError
from tabellion.library import open_library
from tabellion.library.files import locked
from tabellion.library.library import Library

pytest.importorskip("pyoxigraph")
EXAMPLES = Path(__file__).parents[2] / "examples"
TITLES = "SELECT ?title WHERE { ?table a qb:DataSet ; rdfs:label ?title } ORDER BY ?title"


def ask(library: Library, query: str) -> list[str]:
    """The first column of the answer."""
    from tabellion.library.graph import answer_query, open_graph

    file = io.BytesIO()
    with open_graph(library) as store:
        answer_query(store, query, file, "json")
    rows = json.loads(file.getvalue())["results"]["bindings"]
    return [next(iter(row.values()))["value"] for row in rows]


def test_the_graph_follows_the_library(tmp_path: Path) -> None:
    first, second, copy = (tmp_path / name for name in ("a.xlsx", "b.xlsx", "c.xlsx"))
    shutil.copy(EXAMPLES / "pilots.xlsx", first)
    shutil.copy(EXAMPLES / "stacked.xlsx", second)
    shutil.copy(EXAMPLES / "stacked.xlsx", copy)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(first, second, copy)
        assert len(ask(library, TITLES)) == 3
        values = (
            'SELECT ?v WHERE { ?o tab:cell "B6" ; sdmx-measure:obsValue ?v ; ?side ?h . ?h skos:prefLabel "Alabama" }'
        )
        assert ask(library, values) == ["7262"]
        library.remove(str(second))
        assert len(ask(library, TITLES)) == 3, "another document has the same bytes"
        library.remove(str(copy))
        assert len(ask(library, TITLES)) == 1
        shutil.copy(EXAMPLES / "smoking.xlsx", first)
        library.add(first)
        assert ask(library, TITLES) == ["Adults who smoke cigarettes, by sex, race and age: 1990 to 2000"]


def test_what_is_forgotten_is_not_in_the_graph(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "pilots.xlsx")
        assert len(ask(library, TITLES)) == 1
        library.remove(str(EXAMPLES / "pilots.xlsx"), forget=True)
        assert not library.folder.graph.exists()
        assert ask(library, TITLES) == []


def test_each_table_is_a_named_graph(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "pilots.xlsx")
        named = ask(library, "SELECT ?g WHERE { GRAPH ?g { ?g a qb:DataSet } }")
        assert named == ["urn:tabellion:t742d84a3e645c379dc9f"]


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT * WHERE { SERVICE <http://localhost:9/> { ?s ?p ?o } }", "SERVICE is not allowed"),
        (r"SELECT * WHERE { ex:a\'b ?p ?o . SERVICE <http://localhost:9/> { ?s ?p ?o } }", "SERVICE is not allowed"),
        (r"SELECT * WHERE { \u0053ervice SILENT <http://localhost:9/> { ?s ?p ?o } }", "SERVICE is not allowed"),
        ("SELECT * WHER", "expected"),
        ("DELETE WHERE { ?s ?p ?o }", "expected"),
        ("INSERT DATA { <a:b> <a:b> <a:b> }", "expected"),
    ],
)
def test_a_query_can_only_read_what_is_here(tmp_path: Path, query: str, reason: str) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library, pytest.raises(QueryError, match=reason):
        ask(library, query)


def test_the_word_service_in_a_text_is_a_word(tmp_path: Path) -> None:
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        query = "SELECT ?s WHERE { ?s rdfs:label 'service', \"a service\" . # service\n ?s ?p <http://a/service> }"
        assert ask(library, query) == []


def test_facts_that_were_written_beforehand_are_those_of_the_document(tmp_path: Path) -> None:
    from tabellion.library.originals import ENDING
    from tabellion.library.prepared import QUADS

    whole = "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } FILTER (?g != tab:holds) }"
    said = []
    for name, beforehand in (("a", True), ("b", False)):
        with open_library(str(tmp_path / name), create=True) as library:
            library.add(*(EXAMPLES / one for one in ("pilots.xlsx", "report.pdf", "flat.csv")))
            files = sorted(library.folder.segments.glob(f"*{QUADS}"))
            assert files
            assert all(file.with_suffix(ENDING).exists() for file in files)
            for file in () if beforehand else files:
                file.unlink()
            told: list[str] = []
            said.append((triples(library, whole, told), len(told)))
    assert said[0][0] == said[1][0] and len(said[0][0]) > 1_000
    assert (said[0][1], said[1][1]) == (0, 3), "only what has no facts beforehand is read again"


def test_who_asks_while_files_of_the_graph_are_merged_asks_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tabellion.library import graph

    real, tries = graph._opened, []

    def gone(place: Path) -> object:
        tries.append(place)
        if len(tries) < 3:
            raise LibraryError("the graph cannot be read (No such file or directory)")
        with locked(library.folder.graph_lock) as mine:
            assert not mine, "at last nobody may write"
        return real(place)

    monkeypatch.setattr(graph, "_opened", gone)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "pilots.xlsx")
        assert b"title" in library.sparql(TITLES, "csv")
    assert len(tries) == 3


def test_after_a_stroke_facts_are_those_of_the_repaired_table(tmp_path: Path) -> None:
    whole = "CONSTRUCT { ?s ?p ?o } WHERE { GRAPH ?g { ?s ?p ?o } FILTER (?g != tab:holds) }"
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx")
        before = triples(library, whole, [])
        library.repair("smoking").move_header("A8", under="A6")
        told: list[str] = []
        after = triples(library, whole, told)
        assert len(told) == 1, "a stroke does not wait for facts: the document is read when they are asked for"
        assert after != before
        library.repair("smoking").undo()
        assert triples(library, whole, []) == before


def triples(library: Library, query: str, told: list[str]) -> list[bytes]:
    from tabellion.library.graph import answer_query, open_graph

    file = io.BytesIO()
    with open_graph(library, told.append) as store:
        answer_query(store, query, file, "nquads")
    return sorted(file.getvalue().splitlines())
