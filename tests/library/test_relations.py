"""Relations: rows are told apart wherever the source tells them apart, and columns by what differs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from shelving import shelve_texts

from tabellion.learn.corpora import corpus_folder
from tabellion.library import open_library
from tabellion.library.library import Library
from tabellion.library.naming import name_columns
from tabellion.library.relations import quoted

SAMPLE = {"troy200": 12, "saus-lines": 12}  # every so many files
GROUPED = """Smokers,1990,1991
White,,
Male,1,2
Female,3,4
Black,,
Male,5,6
Female,7,8
"""
YEARS = """Country,Wheat,Rye
Austria,,
2001,1,2
2002,3,4
Belgium,,
2001,5,6
2002,7,8
"""


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with shelve_texts(tmp_path, {"smokers": GROUPED, "harvest": YEARS}) as library:
        yield library


def test_a_label_that_stands_twice_has_what_stands_above_it_beside_it(library: Library) -> None:
    rows = library.query("select * from smokers").to_pylist()
    assert [(row["smokers_1"], row["smokers_2"], row["1990"]) for row in rows] == [
        ("White", "Male", 1), ("White", "Female", 3), ("Black", "Male", 5), ("Black", "Female", 7),
    ]  # fmt: skip


def test_the_tidy_relation_has_the_same_levels(library: Library) -> None:
    rows = library.query("select smokers_1, smokers_2, top_1, value from smokers_tidy where address = 'C6'").to_pylist()
    assert rows == [{"smokers_1": "Black", "smokers_2": "Male", "top_1": "1991", "value": 6}]


def test_years_under_countries_are_not_called_countries(library: Library) -> None:
    found = library.query("select country, year, rye from harvest where year = '2002'").to_pylist()
    assert found == [
        {"country": "Austria", "year": "2002", "rye": 4},
        {"country": "Belgium", "year": "2002", "rye": 8},
    ]


def test_a_key_beside_one_column_of_values_shows_each_row_once(tmp_path: Path) -> None:
    rows = "".join(
        f"<tr><td>{town}</td><td>{people}</td></tr>" for town, people in (("York", 12), ("Hull", 15), ("Ripon", 9))
    )
    page = tmp_path / "towns.html"
    page.write_text(f"<html><body><table><tr><th>Town:</th><th>People</th></tr>{rows}</table></body></html>", "utf-8")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(page)
        assert library.query("select town, people from towns order by people").to_pylist() == [
            {"town": "Ripon", "people": 9}, {"town": "York", "people": 12}, {"town": "Hull", "people": 15},
        ]  # fmt: skip


def test_columns_are_named_by_the_levels_that_differ() -> None:
    long = "Percent of gross wage earnings that a single worker without any child has to pay as taxes"
    assert name_columns([(long, "2001"), (long, "2002")]) == ["2001", "2002"]
    assert name_columns([("Share",), ("Men", "2001"), ("Men", "2002")]) == ["share", "men_2001", "men_2002"]
    assert name_columns([("Wages", "Total")]) == ["wages_total"]


def test_long_names_keep_the_words_that_tell_them_apart() -> None:
    long = "Percent of gross wage earnings that a single worker without any child has to pay"
    names = name_columns([(f"{long} {year}",) for year in (2001, 2002, 2003)])
    assert [name[-5:] for name in names] == ["_2001", "_2002", "_2003"]
    assert all(name.startswith("percent_of_gross_wage") and len(name) <= 60 for name in names)


def test_rows_are_told_apart_in_a_sample_of_the_corpora(tmp_path: Path) -> None:
    """bench/relations.py looks at all of them."""
    sources = [
        path
        for name, step in SAMPLE.items()
        if (folder := corpus_folder(name))
        for path in sorted((folder / "inputs").iterdir())[::step]
    ]
    if not sources:
        pytest.skip("the corpora are not at hand")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(*sources)
        assert untold_tables(library) == []


def untold_tables(library: Library) -> list[str]:
    """The tables whose relation has other rows than the source, or tells fewer of them apart by its stub."""
    found = []
    for table in library.query("select table_id, name from tables").to_pylist():
        asked = "select name from columns where table_id = '{table_id}' and role = 'stub'"
        stub = [quoted(one["name"]) for one in library.query(asked.format(**table)).to_pylist()]
        asked = (
            'select count(distinct "left") paths, count(distinct "row") n from tuples where table_id = \'{table_id}\''
        )
        (source,) = library.query(asked.format(**table)).to_pylist()
        told = f"count(distinct ({', '.join(stub)}, 0))" if stub else "least(count(*), 1)"
        (shown,) = library.query(f"select {told} paths, count(*) n from {quoted(table['name'])}").to_pylist()  # noqa: S608
        if shown != source:
            found.append(table["name"])
    return found
