"""Search: fields, phrases, numbers, conditions, facets, highlights, stems by language."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from shelving import write_documents

from tabellion.errors import QueryError
from tabellion.library import index, open_library
from tabellion.library.library import Library
from tabellion.library.search import Found
from tabellion.library.verify import verify_library

EXAMPLES = Path(__file__).parents[2] / "examples"
GERMAN = """Bevölkerung nach Alter und Geschlecht und nach den Ländern
Land,Männer,Frauen,Insgesamt
Bayern,"6.412,5","6.630,1","13.042,6"
Hessen,"3.101,2","3.190,4","6.291,6"
Häuser der Stadt und des Landes,1,2,3
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("search")
    (folder / "laender.csv").write_text(GERMAN, encoding="utf-8")
    (folder / "people.csv").write_text(
        'Name,Trade,Town,Wage 1901\nAda Hill,Baker,York,"1,234.5"\nBen Wood,Smith,Ripon,900.25\n', encoding="utf-8"
    )
    with open_library(str(folder / "shelf"), create=True) as library:
        files = [path for path in EXAMPLES.iterdir() if path.suffix in (".xlsx", ".ods", ".csv")]
        library.add(*sorted(files), folder / "laender.csv", folder / "people.csv")
        yield library


def names(library: Library, question: str) -> list[str]:
    return [hit.name for hit in library.search(question).hits]


def test_the_best_table_comes_first_whatever_the_ending(library: Library) -> None:
    assert names(library, "smokers")[0] == "smoking"
    assert names(library, "cigarette by race")[0] == "smoking"


def test_a_field_narrows_where_a_word_may_stand(library: Library) -> None:
    assert names(library, "caption:pilots") == ["pilots"]
    assert names(library, "header:pilots smoking") != ["smoking"]
    assert names(library, "stub:hill cell:baker") in (["people"], [])
    assert names(library, "document:smoking.xlsx")[0] == "smoking"


def test_a_phrase_must_stand_as_it_is(library: Library) -> None:
    assert names(library, '"by sex, race"') == ["smoking"]
    assert names(library, '"race by sex"') == []


@pytest.mark.parametrize("written", ["1,234.5", "1234.5", "1.234,5"])
def test_a_number_is_found_however_it_is_written(library: Library, written: str) -> None:
    assert names(library, written) == ["people"]


def test_words_are_stemmed_in_their_own_language(library: Library) -> None:
    assert names(library, "Haus")[:1] == ["laender"]
    assert names(library, "bevolkerung")[:1] == ["laender"]


def test_conditions_narrow_down(library: Library) -> None:
    everything = library.search("", limit=100)
    assert everything.total == len(everything.hits)
    assert library.search("medium:pdf").total == 0
    assert library.search("medium:spreadsheet").total == everything.total
    assert "smoking" in names(library, "year:1991..1996")
    assert names(library, "smoking year:1850") == []
    assert all(hit.tuples < 30 for hit in library.search("size:small").hits)
    assert library.search("-medium:spreadsheet").total == 0


def test_without_a_word(library: Library) -> None:
    assert "smoking" in names(library, "race")
    assert "smoking" not in names(library, "race -cigarettes")


def test_facets_count_what_was_found(library: Library) -> None:
    found = library.search("", limit=1)
    assert sum(found.facets["medium"].values()) == found.total
    assert sum(found.facets["size"].values()) == found.total
    assert set(found.facets) == {"medium", "document", "kind", "size", "year"}


def test_highlights_show_the_words_where_they_stand(library: Library) -> None:
    hit = library.search("smoking white").hits[0]
    assert any("«smoke»" in piece for piece in hit.highlights["caption"])
    assert any("«White»" in piece for piece in hit.highlights["stub"])
    assert any("«1,234.5»" in piece for piece in library.search("1234.5").hits[0].highlights["cell"])


@pytest.mark.parametrize(
    "odd", ["", "   ", '"', "caption:", "::", "AND OR NOT", "(((", "a:b:c", "year:abc", "*", "\\", "-", "¶"]
)
def test_nothing_that_can_be_typed_is_an_error(library: Library, odd: str) -> None:
    library.search(odd)


def test_a_lost_index_is_made_again(tmp_path: Path) -> None:
    import shutil

    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(EXAMPLES / "smoking.xlsx")
        shutil.rmtree(library.folder.index)
    with open_library(str(tmp_path / "shelf")) as library:
        assert names(library, "smoking") == ["smoking"]


def test_an_unknown_medium_is_said(library: Library) -> None:
    with pytest.raises(QueryError, match="medium:film: there is no such medium, only spreadsheet, html, pdf"):
        library.search("medium:film")


QUICKLY = """
import json, sys
from tabellion.cli.search import search_quickly
found = search_quickly(sys.argv[1], sys.argv[2], {"medium": None, "year": sys.argv[3] or None}, 10, 0)
loaded = {"sqlalchemy", "pyarrow", "duckdb", "tabellion.library.library"} & set(sys.modules)
import msgspec
print(json.dumps([msgspec.to_builtins(found), sorted(loaded)]))
"""


def test_a_fresh_search_opens_no_more_than_it_needs_and_finds_the_same(tmp_path: Path) -> None:
    (tmp_path / "ships.csv").write_text("Ships of the line,1800\nVictory,100\nTemeraire,98\n", encoding="utf-8")
    (tmp_path / "bread.csv").write_text("Price of bread,1801\nYork,3\nHull,4\n", encoding="utf-8")
    place = str(tmp_path / "shelf")

    def quickly(question: str, year: str = "") -> list[Any]:
        command = [sys.executable, "-c", QUICKLY, place, question, year]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return list(json.loads(done.stdout))

    with open_library(place, create=True) as library:
        library.add(tmp_path / "ships.csv", tmp_path / "bread.csv")
        for question in ("victory ships", "price", '"price of bread"', "stub:york", "1801", "nothing"):
            assert quickly(question) == [msgspec.to_builtins(library.search(question)), []]
        assert quickly("", "1801")[0]["total"] == 1
        library.folder.applied.unlink()
        assert quickly("victory") == [None, []]  # an index that is behind is brought up to date by the whole library
    assert quickly("victory")[0] is None
    with open_library(place) as library:
        assert library.search("victory").total == 1
    assert quickly("victory")[0]["total"] == 1


def test_an_index_in_shards_answers_like_one(tmp_path: Path) -> None:
    sources = write_documents(tmp_path / "documents", 24)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        questions = ("harbour", "visitors 1990", '"Mill 3"', "stub:abbey", "-harbour", "year:1980..2000", "")
        table = library.documents()[0].tables[0]

        def told() -> list[Any]:
            found = [library.search(question, limit=100) for question in questions]
            joins = [msgspec.to_builtins(one) for one in library.joins(table)]
            facets = [{name: sorted(counts.values()) for name, counts in one.facets.items()} for one in found]
            return [*zip([one.total for one in found], map(held, found), facets, strict=True), *joins]

        def held(found: Found) -> list[str]:
            return sorted(hit.table for hit in found.hits)

        alone = told()
        library.index.rebuild(shards=4)
        assert len(list(library.folder.index.glob("*/meta.json"))) == 4
        assert told() == alone
        pages = [library.search("harbour", limit=2, offset=at) for at in range(0, alone[0][0], 2)]
        together = [hit for page in pages for hit in page.hits]
        assert sorted(hit.table for hit in together) == alone[0][1]
        assert [hit.score for hit in together] == sorted((hit.score for hit in together), reverse=True)
        assert list(verify_library(library)) == []
        library.remove(library.documents()[0].id)
        library.add(*write_documents(tmp_path / "more", 3, seed=2))
        assert library.search("").total == 26
        assert list(verify_library(library)) == []
        victim = max(library.folder.index.glob("*/*.store"), key=lambda path: path.stat().st_size)
        data = bytearray(victim.read_bytes())
        data[len(data) // 2] ^= 1
        victim.write_bytes(bytes(data))
        (fault,) = [one for one in verify_library(library) if victim.name in one]
        assert "rebuild --index" in fault
        library.index.rebuild()
        assert library.search("").total == 26
        assert list(verify_library(library)) == []


def test_a_library_that_outgrows_its_shards_gets_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "_DOCUMENTS", 3)
    sources = write_documents(tmp_path / "documents", 14)
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources[:4])
        assert len(library.index.rooms()) == 2
        library.add(*sources[:7])  # would be 4: not worth the work yet
        assert len(library.index.rooms()) == 2
        library.add(*sources)
        assert len(library.index.rooms()) == 8
        assert library.search("").total == 14
        assert list(verify_library(library)) == []
