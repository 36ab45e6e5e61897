"""Times and places that labels name, and what the labels of a column are."""

from __future__ import annotations

import pytest

from tabellion.values.periods import find_places, place_code, read_period, thing_kind


@pytest.mark.parametrize(
    ("label", "code"),
    [
        ("1990", "1990"), ("FY 2001", "2001"), ("'07", "2007"), ("1999/00", "1999/2000"), ("1995-1998", "1995/1998"),
        ("2005-10", "2005-10"), ("2001-02", "2001/2002"), ("2010Q3", "2010-Q3"), ("4th quarter 2008", "2008-Q4"),
        ("1er trimestre 2012", "2012-Q1"), ("2. Quartal 2012", "2012-Q2"), ("III", None), ("Q2", "Q2"),
        ("Januar 2013", "2013-01"), ("déc. 2013", "2013-12"), ("Mar-09", "2009-03"), ("2012M07", "2012-07"),
        ("2012年3月", "2012-03"), ("平成25年度", "2013"), ("31/12/2010", "2010-12-31"), ("August", "--08"),
        ("18-24", None), ("12345", None), ("Marketing", None), ("2000=100", None),
    ],
)  # fmt: skip
def test_a_time_is_read_in_iso_spelling(label: str, code: str | None) -> None:
    found = read_period(label)
    assert (found.code if found else None) == code


def test_a_period_has_its_first_and_last_day() -> None:
    found = read_period("Feb. 2012")
    assert found is not None
    assert (str(found.start), str(found.end)) == ("2012-02-01", "2012-02-29")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["Total", "1990", "1995", "2000 1/"], "year"),
        (["2009 Q1", "2009 Q2"], "quarter"),
        (["Jan.", "Feb.", "March", "Year total"], None),
        (["United States", "Alabama", "Calif.", "N.Y."], "state"),
        (["NSW", "Vic", "Qld"], "state"),
        (["北海道", "青森県", "岩手県"], "state"),
        (["Georgia", "Armenia", "Azerbaijan"], "country"),
        (["Georgia", "Florida"], "state"),
        (["World", "Korea, Rep.", "United Kingdom"], "country"),
        (["Male", "Female"], None),
        (["1990"], None),
        ([], None),
    ],
)
def test_a_column_has_a_kind_where_nearly_all_its_labels_have(labels: list[str], kind: str | None) -> None:
    assert thing_kind(labels) == kind


def test_a_code_is_given_only_where_it_is_certain() -> None:
    assert place_code("CA") is None
    assert place_code("CA", "country") == "CA"
    assert place_code("CA", "state") == "US-CA"
    assert place_code("Atlantis") is None


def test_every_place_is_found_by_its_own_name_and_no_code_comes_twice() -> None:
    from tabellion.values.periods import known_places

    places = {place for found in known_places().values() for place in found}
    assert len({place.code for place in places}) == len(places) > 340
    assert all(place in find_places(place.name) for place in places)
