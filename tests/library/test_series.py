"""Editions of a table: recognised, lined up as one relation, and compared."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tabellion.library import open_library
from tabellion.library.library import Library

DOCUMENTS = {
    "museums_2017": ("2017", "Visitors (thousand)", ["North,10,1", "South,20,2", "West *,30,3", "Old quarter,5,1"]),
    "museums_2018": ("2018", "Visitors (thousand)", ["North,11,1", "South,20,2", "West,31,3", "New quarter,5,1"]),
    "museums_2019": ("2019", "Visitors (million)", ["North,0.012,1", "South,0.02,3", "West,0.033,3", "East,1,1"]),
}
OTHERS = {
    "theatres_2018": "Visitors of theatres by stage 2018,,\nStage,Seats,Plays\nOpera,1,2\nDrama,3,4\nPuppets,5,6\n",
    "museums_prices": "Prices of museums,,\nRegion,Adults,Children\nNorth,4,2\nSouth,5,3\nWest,6,3\nEast,7,1\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("series")
    for name, (year, head, rows) in DOCUMENTS.items():
        lines = [f'"Visitors of museums by region, {year}",,', f"Region,{head},Museums", *rows]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, text in OTHERS.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    (folder / "tables_2018.csv").write_text(_time_columns(2018), encoding="utf-8")
    (folder / "tables_2020.csv").write_text(_time_columns(2020), encoding="utf-8")
    with open_library(str(folder / "shelf"), create=True) as library:
        library.add(*sorted(folder.glob("*.csv")))
        yield library


def _time_columns(year: int) -> str:
    rows = "".join(f"{name},{year % 100 + number},{year % 100 + 2 * number}\n" for number, name in enumerate(NAMES))
    return f"Harvest of grain by crop {year},,\nCrop,{year - 1},{year}\n{rows}"


NAMES = ("Rye", "Oats", "Wheat", "Barley")


def test_editions_are_found_and_others_are_not(library: Library) -> None:
    found = library.series("museums_2018")
    assert [(one.edition, one.name) for one in found.editions] == [
        ("2017", "museums_2017"), ("2018", "museums_2018"), ("2019", "museums_2019"),
    ]  # fmt: skip
    assert [one.name for one in library.series("museums_prices").editions] == ["museums_prices"]


def test_any_edition_leads_to_the_same_series(library: Library) -> None:
    assert library.series("museums_2017").sql == library.series("museums_2019").sql


def test_one_relation_has_the_edition_as_a_column_and_one_unit(library: Library) -> None:
    found = library.series("museums_2019")
    visitors = next(column for column in found.columns if "visitors" in column.name)
    assert visitors.unit == "million"
    assert visitors.converted == {"2017": "thousand", "2018": "thousand"}
    rows = library.query(found.sql).to_pylist()
    assert len(rows) == found.rows == 12
    north = {row["edition"]: row[visitors.name] for row in rows if row["region"] == "North"}
    assert north == {"2017": 0.01, "2018": 0.011, "2019": 0.012}
    assert {row["edition"] for row in rows if row["region"] == "West"} == {"2017", "2018", "2019"}


def test_columns_as_far_from_the_editions_own_time_are_one(library: Library) -> None:
    found = library.series("tables_2018")
    assert [one.edition for one in found.editions] == ["2018", "2020"]
    names = {column.name: column for column in found.columns}
    assert set(names) == {"now", "12_months_before"}
    assert all(column.shifted for column in names.values())
    rows = [row for row in library.query(found.sql).to_pylist() if row["crop"] == "Rye"]
    assert [(row["12_months_before"], row["now"]) for row in rows] == [(18, 18), (20, 20)]


def test_compare_tells_values_labels_and_structure_apart(library: Library) -> None:
    found = library.compare("museums_2017", "museums_2018")
    assert [(change.left[-1], change.text, change.other_text) for change in found.changed] == [
        ("North", "10", "11"), ("West", "30", "31"),
    ]  # fmt: skip
    assert found.changed[0].share == 0.1
    assert found.rows.renamed == [] or found.rows.renamed == [(["Old quarter"], ["New quarter"])]
    assert found.rows.same == 3
    assert [facet.what for facet in found.structure][:1] == ["title"]


def test_compare_converts_units_before_it_compares(library: Library) -> None:
    found = library.compare("museums_2018", "museums_2019")
    changed = {(change.left[-1], change.top[-1].split()[0]): change.difference for change in found.changed}
    assert changed[("North", "Visitors")] == 1.0
    assert ("South", "Visitors") not in changed
    assert any(facet.what == "units" for facet in found.structure)
    assert found.rows.only_second == [["East"]]


def test_a_table_is_the_same_as_itself(library: Library) -> None:
    found = library.compare("museums_2018", "museums_2018")
    assert (found.changed, found.structure, found.rows.renamed) == ([], [], [])
    assert found.unchanged == found.compared == 8


def test_sheets_of_one_workbook_are_editions_where_only_their_year_differs(tmp_path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for year, title in (("2001", "Loans by place"), ("2002", "Loans by place"), ("Loans 2003", "Lessons by place")):
        sheet = book.create_sheet(year)
        for row in ([title], ["Place", "Adults", "Children"], *([name, 1, 2] for name in NAMES)):
            sheet.append(row)
    book.remove(book.active)
    book.save(tmp_path / "book.xlsx")
    with open_library(str(tmp_path / "shelf"), create=True) as library:
        library.add(tmp_path / "book.xlsx")
        assert [one.edition for one in library.series("book_2001").editions] == ["2001", "2002"]
