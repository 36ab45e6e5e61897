"""Numbers in other units: what can be compared is brought together, what differs is kept apart."""

from __future__ import annotations

import pint
import pytest

from tabellion.errors import UsageError
from tabellion.values.convert import are_convertible, check_unit, convert

ORACLE = {  # our spelling: Pint's
    "kg": "kg", "t": "t", "short tons": "short_ton", "lb": "lb", "km": "km", "mi": "mile", "km²": "km**2",
    "sq. mi.": "mile**2", "ha": "hectare", "acres": "acre" , "m³": "m**3", "l": "liter",
    "gallons": "gallon", "bushels": "bushel", "barrels": "oil_barrel", "kWh": "kWh", "GWh": "GWh", "TJ": "TJ",
    "PJ": "PJ", "Btu": "Btu_it", "MW": "MW", "kW": "kW", "hours": "hour", "days": "day", "years": "year",
    "kg/ha": "kg/hectare", "mg/L": "mg/liter", "µg/m³": "ug/m**3", "kWh/m²": "kWh/m**2",
    "°C": "degC", "°F": "degF", "sq. ft.": "foot**2", "m/s": "m/s", "km/h": "km/hour", "cm²": "cm**2",
}  # fmt: skip


def test_every_pair_of_units_is_converted_as_pint_does() -> None:
    registry = pint.UnitRegistry()
    units = {ours: registry.parse_units(theirs) for ours, theirs in ORACLE.items()}
    compared = 0
    for one, its in units.items():
        for other, theirs in units.items():
            found = convert(12.5, one, other)
            if its.dimensionality != theirs.dimensionality:
                assert found is None, (one, other)
                continue
            wanted = registry.Quantity(12.5, its).to(theirs).magnitude
            assert found == pytest.approx(wanted, rel=1e-5), (one, other)
            compared += one != other
    assert compared > 60


@pytest.mark.parametrize(
    ("value", "unit", "wanted", "found"),
    [
        (3, "thousand $", "million $", 0.003),
        (7, "million", "thousand", 7000),
        (45, "%", "‰", 450),
        (12, "per 100,000", "per 1,000", 0.12),
        (2, "thousand persons", "persons", 2000),
        (10, "€/t", "€/kg", 0.01),
        (2, "million short tons", "thousand t", 1814.36948),
    ],
)
def test_scales_shares_and_rates_are_converted(value: float, unit: str, wanted: str, found: float) -> None:
    assert convert(value, unit, wanted) == pytest.approx(found)


@pytest.mark.parametrize(
    ("unit", "wanted"),
    [("€", "US$"), ("$", "CA$"), ("thousand $", "thousand €"), ("persons", "head"), ("%", "percentage points"),
     ("2000=100", "1990=100"), ("kg", "km"), ("million", "million persons"), ("€/t", "$/t")],
)  # fmt: skip
def test_what_measures_other_things_is_kept_apart(unit: str, wanted: str) -> None:
    assert convert(1.0, unit, wanted) is None
    assert not are_convertible(unit, wanted)


def test_an_index_is_no_unit_to_convert_to() -> None:
    with pytest.raises(UsageError, match="is no unit"):
        check_unit("2000=100")
