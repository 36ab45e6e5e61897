"""What number formats say of a cell, and how numbers, percentages and days are shown."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

from tabellion.read.spreadsheet.sheets import (
    BUILT_IN,
    Shown,
    date_text,
    number_text,
    percent_text,
    understand_format,
)
from tabellion.read.spreadsheet.shown_text import number_writer


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


@pytest.mark.parametrize(
    ("code", "number", "text"),
    [
        ("0.0", 2.25, "2.3"),
        ("0.00", 1.005, "1.01"),  # a hair below in binary; programs round what is written
        ("0.00", 123456789012345.0, "123456789012345.00"),
        ("#,##0", 1234567.5, "1,234,568"),
        ("#,##0_);(#,##0)", -500, "(500)"),
        ("#,##0.0;[Red]-#,##0.0", -12.34, "-12.3"),
        ("[Red]-0.00", 1.005, "-1.01"),
        ("0%", 0.125, "13%"),
        ("0.00%", 0.01234, "1.23%"),
        ('"$"#,##0.00', -5, "-$5.00"),
        ("#,##0.00 [$€-407]", 12.5, "12.50 €"),
        ("#,##0,", 1234567, "1,235"),
        ('0.0,,"M"', 12345678, "12.3M"),
        ('_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)', 0, "-"),
        ("# ?/?", 0.5, "1/2"),
        ("# ?/?", 3, "3"),
        ("# ??/16", 2.25, "2 4/16"),
        ("?/?", 2.5, "5/2"),
        ("0.00E+00", 0.000123, "1.23E-04"),
        ("##0.0E+0", 12345, "12.3E+3"),
        ("0.0E+0", 9.99, "1.0E+1"),
        ("00000", 123, "00123"),
        ("000-00-0000", 123456789, "123-45-6789"),
        ("#.##", 0.5, ".5"),
        ("0.0#", 2, "2.0"),
        ('[>=1000]#,##0,"k";0', 2500, "3k"),
        ('[>=1000]#,##0,"k";0', 12, "12"),
        ('0" days"', 3, "3 days"),
        ('General" km"', 12.5, "12.5 km"),
        ("General", 1 / 3, "0.333333333"),
        ("General", 9780306406157.0, "9780306406157"),
        ("@", 5, "5"),
        (";;;", 7, "7"),  # shown as nothing: the number is still told
        ("mmm-yy", 33000, "May-90"),
        ("yyyy", 33000, "1990"),
        ("m/d/yy h:mm", 45000.5, "3/15/23 12:00"),
        ("dddd, mmmm d", 45000, "Wednesday, March 15"),
        ("[$-409]d-mmm-yy;@", 45000, "15-Mar-23"),
        ("h:mm AM/PM", 0.75, "6:00 PM"),
        ("[h]:mm:ss", 1.5, "36:00:00"),
        ("mm:ss.0", 0.0007, "01:00.5"),
        ("d.m.yyyy", 1, "1.1.1900"),
    ],
)
def test_a_number_is_shown_by_its_format(code: str, number: float, text: str) -> None:
    assert number_writer(code)(number) == text


@given(st.text(alphabet='0#?.,%/E+-;"_*\\[]hmsdy @$>1', max_size=12), st.floats(allow_nan=False, allow_infinity=False))
def test_no_format_fails(code: str, number: float) -> None:
    assert number_writer(code)(number)
