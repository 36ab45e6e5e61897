"""Joins: tables that belong together are found however their labels are written, and the SQL brings them together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shelving import shelve_texts

from tabellion.errors import LibraryError
from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.joins.partners import Partner, find_partners
from tabellion.library.library import Library

DOCUMENTS = {
    "wages": "State,Wage 1990,Wage 1991\nAlabama,11,12\nNew York,21,22\nOregon,31,32\nUtah,41,42\nWyoming,51,52\n",
    "rents": "State,Rent,Heating\nUTAH *,4.1,9\nN.Y.,2.1,8\nWyo.,5.1,7\nOregon (2),3.1,6\nala.,1.1,5\n",
    "harvest": "Crop,Spring,Summer,Autumn\nRye,1,2,3\nOats,14,5,6\nHops,7,8,9\n",
    "harvest_north": "Crop,SPRING,Autumn [a],summer\nFlax,31,12,53\nHemp,14,15,16\nMaize,17,18,19\n",
    "storms": "Season,Gales,Floods\nSpring,1,0\nSummer,2,1\nAutumn,5,4\n",
    "schools_2001": "School,Pupils\nNorth,\nMale,1\nFemale,2\nSouth,\nMale,3\nFemale,4\nWest,\nMale,5\nFemale,6\n",
    "schools_2002": "School,Teachers\nNorth,\nMale,11\nFemale,12\nSouth,\nMale,13\nFemale,14\nWest,\nMale,15\n",
    "visits": "Visitor,Crop grown,Days\nAda,Rye,3\nBert,Rye,4\nCora,Oats,5\nDora,Oats,6\nEmil,Hops,7\nFritz,Hops,8\n",
    "planets": "Planet,Mass,Moons\nVenus,4.87,0\nMars,0.64,2\nJupiter,1898,95\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with shelve_texts(tmp_path_factory.mktemp("joins"), DOCUMENTS) as library:
        yield library


def partner(library: Library, table: str, name: str) -> Partner:
    return next(one for one in find_partners(library, table) if one.name == name)


def test_the_same_rows_are_found_under_other_names(library: Library) -> None:
    best = find_partners(library, "wages")[0]
    assert (best.name, best.way, best.shared) == ("rents", "rows", 5)
    assert (best.coverage, best.theirs) == (1.0, 1.0)


def test_the_sql_joins_rows_whose_labels_are_written_otherwise(library: Library) -> None:
    rows = library.query(find_partners(library, "wages")[0].sql).to_pylist()
    assert sorted((row["wage_1990"], row["rent"]) for row in rows) == [
        (11, 1.1), (21, 2.1), (31, 3.1), (41, 4.1), (51, 5.1),
    ]  # fmt: skip


def test_the_same_columns_become_one_table(library: Library) -> None:
    found = partner(library, "harvest", "harvest_north")
    assert found.way == "columns"
    rows = library.query(found.sql).to_pylist()
    assert [(row["crop"], row["spring"], row["summer"], row["autumn"]) for row in rows] == [
        ("Rye", 1, 2, 3), ("Oats", 14, 5, 6), ("Hops", 7, 8, 9), ("Flax", 31, 53, 12), ("Hemp", 14, 16, 15),
        ("Maize", 17, 19, 18),
    ]  # fmt: skip


def test_rows_of_one_that_are_columns_of_the_other(library: Library) -> None:
    found = partner(library, "storms", "harvest")
    assert found.way == "across"
    rows = library.query(found.sql).to_pylist()
    assert {(row["season"], row["gales"], row["value"]) for row in rows} >= {("Spring", 1, 14), ("Autumn", 5, 9)}
    assert len(rows) == 9


def test_rows_are_joined_by_their_whole_path(library: Library) -> None:
    found = partner(library, "schools_2001", "schools_2002")
    assert found.on == [("school_1", "school_1"), ("school_2", "school_2")]
    rows = library.query(found.sql).to_pylist()
    assert [(row["pupils"], row["teachers"]) for row in rows] == [(n, n + 10) for n in range(1, 6)]
    assert (found.rows, found.matched, found.unmatched, found.repeats) == (5, 5, 1, False)


def test_what_a_statement_gives_is_said(library: Library) -> None:
    for table in DOCUMENTS:
        for found in find_partners(library, table):
            rows = library.query(found.sql).num_rows
            assert rows == found.rows > 0
            assert found.repeats or found.way == "columns" or rows == found.matched == found.matched_theirs


def test_a_row_that_meets_several_is_said(library: Library) -> None:
    found = partner(library, "harvest", "visits")
    assert (found.rows, found.matched, found.matched_theirs, found.repeats) == (6, 3, 6, True)


def test_few_labels_in_common_come_after_many(library: Library) -> None:
    for table in DOCUMENTS:
        weak = [found.weak for found in find_partners(library, table)]
        assert weak == sorted(weak)


def test_a_table_that_shares_nothing_is_no_partner(library: Library) -> None:
    assert find_partners(library, "planets") == []


def test_a_table_is_named_by_name_or_id(library: Library) -> None:
    by_name = find_partners(library, "wages")
    table = library.search("wage").hits[0].table
    assert find_partners(library, table) == by_name
    with pytest.raises(LibraryError, match="no such table"):
        find_partners(library, "nowhere")


def test_partners_follow_what_is_added_and_removed(tmp_path: Path) -> None:
    paths = {name: tmp_path / f"{name}.csv" for name in ("wages", "rents")}
    for name, path in paths.items():
        path.write_text(DOCUMENTS[name], encoding="utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(paths["wages"])
        assert find_partners(library, "wages") == []
        library.add(paths["rents"])
        assert [one.name for one in find_partners(library, "wages")] == ["rents"]
        library.remove(str(paths["rents"]))
        assert find_partners(library, "wages") == []


def test_every_join_offered_gives_what_it_says_in_a_sample_of_the_corpora(tmp_path: Path) -> None:
    """bench/joins_offered.py looks at all of them."""
    sources = [
        path
        for name in ("troy200", "saus-lines")
        if (folder := corpus_folder(name))
        for path in sorted((folder / "inputs").iterdir())[::12]
    ]
    if not sources:
        pytest.skip("the corpora are not at hand")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        names = [one["name"] for one in library.query("select name from tables order by name").to_pylist()]
        offered, untrue = find_untrue_joins(library, names[::3])
    assert offered and untrue == []


def find_untrue_joins(library: Library, names: list[str], limit: int = 5) -> tuple[int, list[str]]:
    """How many joins are offered, and those that give no row, other rows than they say, or more without saying so."""
    untrue = []
    offered = 0
    for name in names:
        for one in library.joins(name, limit):
            offered += 1
            rows = library.query(f"select count(*) n from ({one.sql})").column("n")[0].as_py()  # noqa: S608
            mine, theirs = one.matched + one.unmatched, one.matched_theirs + one.unmatched_theirs
            if not rows or rows != one.rows:
                untrue.append(f"{name} with {one.name}: {rows} rows instead of {one.rows}")
            elif one.way != "columns" and rows > max(mine, theirs) and not one.repeats:
                untrue.append(f"{name} with {one.name}: {rows} rows of {mine} and {theirs}, and says nothing of it")
    return offered, untrue
