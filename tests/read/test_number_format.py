"""What number formats say of a cell, and how numbers, percentages and days are shown."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

from tabellion.read.spreadsheet.number_format import (
    BUILT_IN,
    Shown,
    date_text,
    number_text,
    percent_text,
    understand_format,
)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (None, Shown.NUMBER),
        ("General", Shown.NUMBER),
        ("#,##0.00", Shown.NUMBER),
        ('#,##0" days"', Shown.NUMBER),
        ('0 "h"', Shown.NUMBER),
        ("[Red]-#,##0", Shown.NUMBER),
        ("0.00E+00", Shown.NUMBER),
        ("#,##0 [$€-407]", Shown.NUMBER),
        ('_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)', Shown.NUMBER),
        ("0%", Shown.PERCENT),
        ("#,##0.0%;-#,##0.0%", Shown.PERCENT),
        ("@", Shown.TEXT),
        ("yyyy-mm-dd", Shown.DATE),
        ("[$-409]d-mmm-yy;@", Shown.DATE),
        ("mmmm", Shown.DATE),
        ('yyyy"年"m"月"', Shown.DATE),
        ("m/d/yy h:mm", Shown.DATE),
        ("h:mm AM/PM", Shown.TIME),
        ("[h]:mm:ss", Shown.TIME),
        ("mm:ss.0", Shown.TIME),
        ("mm:ss.000", Shown.TIME),
    ],
)
def test_a_format_is_told_from_its_code(code: str | None, shown: Shown) -> None:
    assert understand_format(code).shown is shown


def test_built_in_formats_are_dates_where_openpyxl_says_so() -> None:
    for number, code in BUILTIN_FORMATS.items():
        is_date = understand_format(BUILT_IN[number]).shown in (Shown.DATE, Shown.TIME)
        assert is_date == is_date_format(code), code


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_is_the_number_to_15_digits(number: float) -> None:
    text = number_text(number)
    assert float(text) == pytest.approx(number, rel=1e-14, abs=0)
    assert not text.endswith(".0")


@given(st.integers(-(10**15) + 1, 10**15 - 1))
def test_whole_numbers_are_shown_whole(number: int) -> None:
    assert number_text(float(number)) == str(number)


def test_percentages_keep_the_places_of_their_format() -> None:
    assert percent_text(0.125, 1) == "12.5%"
    assert percent_text(-1, 0) == "-100%"
    assert understand_format("0.00%").places == 2


@given(st.datetimes(datetime(1900, 3, 1), datetime(9999, 12, 30)).map(lambda moment: moment.replace(microsecond=0)))
def test_a_day_is_shown_in_iso_form(moment: datetime) -> None:
    serial = (moment - datetime(1899, 12, 30)) / timedelta(days=1)
    shown = date_text(serial, Shown.DATE)
    assert datetime.fromisoformat(shown) == moment


def test_days_before_march_1900_follow_the_calendar_of_spreadsheets() -> None:
    assert [date_text(day, Shown.DATE) for day in (1, 59, 61)] == ["1900-01-01", "1900-02-28", "1900-03-01"]


@pytest.mark.parametrize("serial", [-1.0, 2_958_466.0, 1e300])
def test_a_number_that_is_no_day_is_shown_as_a_number(serial: float) -> None:
    assert date_text(serial, Shown.DATE) == number_text(serial)
