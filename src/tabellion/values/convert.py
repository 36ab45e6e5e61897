"""Numbers brought from one unit to another: scales, physical units, rates and shares; currencies are kept apart.

In: a number, its unit as tabellion spells it (`thousand $`, `kg/ha`, `per 100,000`) and the unit that is wanted. Out:
the number in that unit, or None where the two measure different things: no rate of exchange is known, `$` is not `US$`,
and what is counted (`persons`, `head`) is only ever itself. Written by hand since a registry of units takes a second to
load and knows neither these spellings nor that currencies differ; tests compare it with Pint. Fails on `tons` that are
short tons but do not say so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from tabellion.errors import UsageError
from tabellion.values.unit import MONEY, SCALE_WORDS

_SCALES = {word: scale for scale, word in SCALE_WORDS.items()}
_PREFIXES = {
    "": 1.0, "da": 1e1, "h": 1e2, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
    "d": 1e-1, "c": 1e-2, "m": 1e-3, "µ": 1e-6, "n": 1e-9, "p": 1e-12,
}  # fmt: skip
Dimensions = tuple[tuple[str, int], ...]
_LENGTH, _MASS, _TIME = {"m": 1}, {"kg": 1}, {"s": 1}
_AREA, _VOLUME, _ENERGY = {"m": 2}, {"m": 3}, {"kg": 1, "m": 2, "s": -2}
_PREFIXED: dict[str, tuple[float, Mapping[str, int]]] = {
    "m": (1.0, _LENGTH), "g": (1e-3, _MASS), "s": (1.0, _TIME), "l": (1e-3, _VOLUME), "L": (1e-3, _VOLUME),
    "W": (1.0, {"kg": 1, "m": 2, "s": -3}), "J": (1.0, _ENERGY), "Wh": (3600.0, _ENERGY), "cal": (4.184, _ENERGY),
    "Pa": (1.0, {"kg": 1, "m": -1, "s": -2}), "bar": (1e5, {"kg": 1, "m": -1, "s": -2}), "Hz": (1.0, {"s": -1}),
    "A": (1.0, {"A": 1}), "V": (1.0, {"kg": 1, "m": 2, "s": -3, "A": -1}), "mol": (1.0, {"mol": 1}),
    "t": (1e3, _MASS), "Bq": (1.0, {"Bq": 1}), "Sv": (1.0, {"Sv": 1}), "B": (1.0, {"B": 1}),
}  # fmt: skip
_PLAIN: dict[str, tuple[float, Mapping[str, int]]] = {
    "short tons": (907.18474, _MASS), "lb": (0.45359237, _MASS), "lbs": (0.45359237, _MASS),
    "oz": (0.028349523125, _MASS), "mi": (1609.344, _LENGTH), "ft": (0.3048, _LENGTH), "in": (0.0254, _LENGTH),
    "yd": (0.9144, _LENGTH), "sq. mi.": (1609.344**2, _AREA), "sq. ft.": (0.3048**2, _AREA), "ha": (1e4, _AREA),
    "acres": (4046.8564224, _AREA), "ac": (4046.8564224, _AREA), "acre": (4046.8564224, _AREA),
    "gallons": (3.785411784e-3, _VOLUME), "gal": (3.785411784e-3, _VOLUME), "bushels": (35.23907016688e-3, _VOLUME),
    "bu": (35.23907016688e-3, _VOLUME), "barrels": (158.987294928e-3, _VOLUME), "bbl": (158.987294928e-3, _VOLUME),
    "Btu": (1055.05585262, _ENERGY), "min": (60.0, _TIME), "h": (3600.0, _TIME), "hr": (3600.0, _TIME),
    "hours": (3600.0, _TIME), "hour": (3600.0, _TIME), "d": (86400.0, _TIME), "day": (86400.0, _TIME),
    "days": (86400.0, _TIME), "years": (31557600.0, _TIME), "year": (31557600.0, _TIME), "a": (31557600.0, _TIME),
    "%": (1e-2, {"share": 1}), "‰": (1e-3, {"share": 1}), "ppm": (1e-6, {"share": 1}), "ppb": (1e-9, {"share": 1}),
}  # fmt: skip
_DEGREES = {"°C": (1.0, 273.15), "°F": (5 / 9, 459.67 * 5 / 9), "K": (1.0, 0.0)}  # factor and zero, in kelvin
_SHARE = re.compile(r"per (?P<base>\d[\d,. ]*)")
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−–", "0123456789---")
_FACTOR = re.compile(r"(?P<sign>\D*?[^\d^-])\^?(?P<power>-?[1-4])?")
_COUNT = re.compile(r"(?P<count>\d{1,6})\s?(?P<rest>\D.*)")


class Measure(msgspec.Struct, frozen=True):
    """A unit as a factor of base units; `zero` is where a scale of degrees begins."""

    factor: float
    dimensions: Dimensions
    zero: float = 0.0


def convert(value: float, unit: str, wanted: str) -> float | None:
    """A number in another unit; None where the units measure different things.

    >>> convert(2.5, "million $", "thousand $"), convert(3, "t", "kg"), convert(1, "€", "US$")
    (2500.0, 3000.0, None)
    >>> convert(12, "per 1,000", "%"), round(convert(20, "°C", "°F"), 6), convert(5, "kg/ha", "t/km²")
    (1.2, 68.0, 0.5)
    """
    work = converter(unit, wanted)
    return work(value) if work else None


@lru_cache(maxsize=4096)
def converter(unit: str, wanted: str) -> Callable[[float], float] | None:
    """What brings numbers of one unit to another."""
    if unit == wanted:
        return float
    one, other = read_measure(unit), read_measure(wanted)
    if one is None or other is None or one.dimensions != other.dimensions:
        return None
    factor, zero, divisor = one.factor, one.zero - other.zero, other.factor
    return lambda value: float(f"{(value * factor + zero) / divisor:.15g}")  # 1.2, not 1.2000000000000002


def check_unit(unit: str) -> None:
    """Refuse what is no unit that anything can be brought to."""
    if read_measure(unit) is None:
        raise UsageError(f"{unit!r} is no unit to convert to; units are spelt as in `unit`: million $, kg, per 1,000")


def are_convertible(unit: str | None, other: str | None) -> bool:
    """Whether numbers of two units can be compared once converted."""
    return unit == other or (unit is not None and other is not None and convert(1.0, unit, other) is not None)


@lru_cache(maxsize=4096)
def read_measure(unit: str) -> Measure | None:
    """What a unit says; None where it is none that can be converted, such as an index.

    >>> read_measure("thousand t") == read_measure("million kg"), read_measure("2000=100")
    (True, None)
    """
    unit = " ".join(unit.split())
    first, _, rest = unit.partition(" ")
    if first in _SCALES:
        measure = read_measure(rest) if rest else Measure(1.0, (("number", 1),))
        scaled = _SCALES[first] * measure.factor if measure else 0.0
        return Measure(scaled, measure.dimensions) if measure and not measure.zero else None
    if not unit:
        return Measure(1.0, (("number", 1),))
    if unit in _DEGREES:
        factor, zero = _DEGREES[unit]
        return Measure(factor, (("K", 1),), zero)
    share = _SHARE.fullmatch(unit)
    if share:
        return Measure(1 / float(re.sub(r"[,. ]", "", share["base"])), (("share", 1),))
    if "=" in unit:
        return None
    if unit in _PLAIN:
        factor, held = _PLAIN[unit]
        return Measure(factor, tuple(sorted(held.items())))
    return _read_product(unit)


def _read_product(unit: str) -> Measure | None:
    """A product or a rate of signs, such as kg/ha, or $ per hour."""
    over, *under = re.split(r"\s?/\s?| per ", unit)
    total, held = 1.0, dict[str, int]()
    for side, parts in ((1, [over]), (-1, under)):
        for factor in (one for part in parts for one in re.split(r"\s?[·*×⋅]\s?", part)):
            found = _read_factor(factor)
            if found is None:
                return None
            power, (size, dimensions) = found
            total *= size ** (power * side)
            for name, count in dimensions.items():
                held[name] = held.get(name, 0) + count * power * side
    return Measure(total, tuple(sorted((name, count) for name, count in held.items() if count)))


def _read_factor(text: str) -> tuple[int, tuple[float, Mapping[str, int]]] | None:
    """One sign with its power: what it is worth in base units."""
    counted = _COUNT.fullmatch(text)
    if counted:  # the 100 of g/100 g
        rest = _read_factor(counted["rest"])
        return (rest[0], (rest[1][0] * float(counted["count"]), rest[1][1])) if rest else None
    if text in MONEY or text in _PLAIN:
        return 1, _PLAIN.get(text, (1.0, {text: 1}))
    match = _FACTOR.fullmatch(text.translate(_POWERS))
    if not match:
        return None
    sign, power = match["sign"].strip(), int(match["power"] or 1)
    if sign in _PLAIN:
        return power, _PLAIN[sign]
    for prefix, size in _PREFIXES.items():
        if sign.startswith(prefix) and sign[len(prefix) :] in _PREFIXED:
            base, dimensions = _PREFIXED[sign[len(prefix) :]]
            return power, (size * base, dimensions)
    return power, (1.0, {sign.casefold(): 1})  # what is counted is only ever itself
