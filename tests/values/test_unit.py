"""Units and scales that headers, titles and number formats say."""

from __future__ import annotations

import pytest

from tabellion.values.unit import Unit, find_format_unit, find_stated_unit, find_unit


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("(1,000)", "thousand"),
        ("Number on farms (1,000)", "thousand"),
        ("Value ($1,000)", "thousand $"),
        ("Total (mil. dol.)", "million $"),
        ("Population (mil.)", "million"),
        ("N.S. $ millions", "million $"),
        ("2008 millions of chained (2002) dollars", "million $"),
        ("2007 (unadjusted $ thousands)", "thousand $"),
        ("Both sexes %", "%"),
        ("Percent change", "%"),
        ("Mean, €", "€"),
        ("Length km", "km"),
        ("Rate per 1,000 women", "per 1,000"),
        ("2005 (2002=100)", "2002=100"),
        ("Oil imports (1,000 barrels per day)", "thousand barrels per day"),
        ("in Mio. EUR", "million €"),
        ("in Tsd.", "thousand"),
        ("en millions d'euros", "million €"),
        ("en miles de euros", "thousand €"),
        ("$'000", "thousand $"),
        ("Miles", "mi"),
        ("2009 (Balance sheet $ millions)", "million $"),
        ("4th quarter 2009 (thousand head)", "thousand head"),
        ("Trade (Current $, billions)", "billion $"),
        ("3rd quarter 2009 % change", "%"),
        ("Taken (euro)", "€"),
        ("Revenue (EUR million)", "million €"),
        ("Sales (000s)", "thousand"),
        ("Staff (thousands)", "thousand"),
        ("Cost (in millions)", "million"),
        ("Sales (US$ m)", "million US$"),
        ("Sales (€m)", "million €"),
        ("Sales (£k)", "thousand £"),
        ("Umsatz (TEUR)", "thousand €"),
        ("Ventes (k€)", "thousand €"),
        ("Revenue (RMB million)", "million CNY"),
        ("売上 (百万円)", "million ¥"),
        ("Yield (kg/ha)", "kg/ha"),
        ("Speed (km / h)", "km/h"),
        ("Price (EUR/t)", "€/t"),
        ("Particles (μg m-3)", "µg m⁻³"),
        ("Density (persons per km2)", "persons/km²"),
        ("TBARS (nmol/mg of protein)", "nmol/mg of protein"),
        ("Output (1,000 t/yr)", "thousand t/yr"),
        ("Salt [g/100 g]", "g/100 g"),
        ("Height (cm)", "cm"),
        ("Weight (Kg)", "kg"),
        ("Time (s)", "s"),
        ("Change (pp)", "percentage points"),
    ],
)
def test_headers_say_units(text: str, unit: str) -> None:
    assert str(find_unit(text)) == unit


@pytest.mark.parametrize(
    "text",
    [
        "Total",
        "1990",
        "1,000 to 1,999",
        "Less than $10,000",
        "Under 1,000",
        "18 to 24 years",
        "In the United States",
        "MI",
        "Male (M)",
        "Course(s)",
        "Men (N = 20)",
        "Temperature (min)",
        "Sex (M/F)",
        "Cases (a)",
        "Parents and/or guardians",
        "2010 (revised)",
        "20 to 60 kilograms",
        "University of Miami",
        "Less than $100 million",
    ],
)
def test_headers_without_a_unit_say_none(text: str) -> None:
    assert find_unit(text) is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("[In thousands (12,345 represents 12,345,000), except percent]", "thousand"),
        ("[In millions of dollars. Prior to 1990, excludes Alaska]", "million $"),
        ("[In percent. Prior to 1990 ...]", "%"),
        ("[145,873 represents 145,873,000. Based on a survey]", "thousand"),
        ("Table 3. Sales by region, in thousands", "thousand"),
        ("Plastic waste by treatment. 1995-1997. Per cent", "%"),
        ("Imports of services, 2002-2008, mill. euro", "million €"),
    ],
)
def test_titles_state_units(text: str, unit: str) -> None:
    assert str(find_stated_unit(text)) == unit


@pytest.mark.parametrize(
    ("number_format", "unit"),
    [
        ("0.0%", "%"),
        ('"$"#,##0;("$"#,##0)', "$"),
        ("_($* #,##0_)", "$"),
        ("[$€-407] #,##0", "€"),
        ('#,##0" kg"', "kg"),
        ("[$-409]mmm yyyy", None),
        ("General", None),
        ("#,##0", None),
    ],
)
def test_number_formats_say_units(number_format: str, unit: str | None) -> None:
    found = find_format_unit(number_format)
    assert (str(found) if found else None) == unit


def test_a_unit_is_completed_by_what_is_said_further_out() -> None:
    thousands = Unit(scale=1000.0)
    assert str(Unit("$").within(thousands)) == "thousand $"
    assert str(thousands.within(Unit("$"))) == "thousand $"
    assert str(Unit("%").within(thousands)) == "%"
    assert str(Unit("€", 1e6).within(Unit("$", 1e3))) == "million €"


def test_an_amount_in_a_title_is_no_unit_of_the_table() -> None:
    assert find_stated_unit("Reference Area = 1370. sqft") is None
