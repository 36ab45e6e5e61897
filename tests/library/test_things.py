"""Places, times and units are known as such: columns have kinds, and SQL asks for codes, days and other units."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import pytest
from shelving import shelve_texts

from tabellion.errors import QueryError
from tabellion.library.joins.partners import find_partners
from tabellion.library.library import Library

DOCUMENTS = {
    "harvest": "State,Year,Crop (t),Sold (thousand $)\nCalif.,1990,12,3\nIowa,1991,4,4\nUtah,1992,6,5\nOhio,1993,1,2\n",
    "sales": "Quarter,Sales\n1st quarter 2009,10\n2nd quarter 2009,20\n3rd quarter 2009,30\n4th quarter 2009,40\n",
    "staff": "Period,Staff\n2009-Q1,1\n2009-Q2,2\n2009-Q3,3\n2009-Q4,4\n",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with shelve_texts(tmp_path_factory.mktemp("things"), DOCUMENTS) as library:
        yield library


def test_columns_say_what_their_labels_are(library: Library) -> None:
    asked = "select c.name, c.kind from columns c join tables t using (table_id) where t.name = 'harvest'"
    kinds = {row["name"]: row["kind"] for row in library.query(asked).to_pylist()}
    assert kinds["state"] == "state"
    assert kinds["year"] == "year"
    assert {kind for name, kind in kinds.items() if name not in ("state", "year")} == {None}


def test_sql_asks_for_codes_and_days(library: Library) -> None:
    rows = library.query("select place_code(state) as code from harvest order by code").column("code").to_pylist()
    assert rows == ["US-CA", "US-IA", "US-OH", "US-UT"]
    found = library.query("select period(quarter) p, period_start(quarter) s, period_end(quarter) e from sales limit 1")
    assert found.to_pylist() == [{"p": "2009-Q1", "s": date(2009, 1, 1), "e": date(2009, 3, 31)}]


def test_sql_converts_units_and_changes_nothing_by_itself(library: Library) -> None:
    asked = "select value, unit, in_unit(value, unit, 'kg') kg, in_unit(value, unit, '$') usd from harvest_tidy"
    rows = [row for row in library.query(asked).to_pylist() if row["unit"]]
    assert {(row["value"], row["kg"], row["usd"]) for row in rows} >= {(12.0, 12_000.0, None), (3.0, None, 3_000.0)}


def test_a_unit_that_is_none_is_said(library: Library) -> None:
    with pytest.raises(QueryError, match="no unit to convert to"):
        library.query("select in_unit(1, 'kg', '2000=100')")


def test_tables_join_on_the_same_quarters_however_they_are_written(library: Library) -> None:
    best = find_partners(library, "sales")[0]
    assert (best.name, best.matched) == ("staff", 4)
    assert library.query(best.sql).num_rows == 4
