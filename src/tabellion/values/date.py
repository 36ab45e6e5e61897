"""Dates as people write them.

In: a text and the conventions of its grid. Out: the Excel serial day (1900 epoch), NaN for a date that names no day
("Dec. 2009", "2009-Q1"), or None where the text is no date. Fails on two-digit years before 1930, and on "03/04/2020"
where no other date of the grid settles which is the month: then a slash is read month first, a dot day first.
"""

from __future__ import annotations

import math
from datetime import date, datetime

import numpy as np
from numpy.typing import NDArray

from tabellion.patterns import lazy_pattern
from tabellion.values.number import ENGLISH, Conventions

_EPOCH = date(1899, 12, 30).toordinal()
FIRST_YEAR, LAST_YEAR = 1700, 2100  # what a plain number may be a year between
_TURN = 30  # two-digit years below this are of the 2000s, as spreadsheets have it
MONTHS = {
    name: month
    for month, names in enumerate(
        """
        jan january januar janvier janv enero ene gennaio gen januari janeiro
        feb february februar februari février fevrier févr fevr febrero febbraio fevereiro fev
        mar march mär märz maerz mars marzo maart março marco
        apr april avril avr abril abr aprile
        may mai mayo maggio mag mei maio
        jun june juni juin junio giugno giu junho
        jul july juli juillet juil julio luglio lug julho
        aug august août aout agosto ago augustus
        sep sept september septembre septiembre settembre set setembro
        oct october okt oktober octobre octubre ottobre ott outubro out
        nov november novembre noviembre novembro
        dec december dez dezember décembre decembre déc diciembre dic dicembre december dezembro
        """.strip().splitlines(),
        1,
    )
    for name in names.split()
}
_NAME = r"(?P<name>[^\W\d_]{3,10})\.?"
_HALF = r"(?P<half>[AaPp]\.?[Mm]\.?)?"
_CLOCK = (
    r"(?:[T\s]+(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:\.\d+)?)?"
    rf"\s*{_HALF}(?:Z|[+-]\d\d:?\d\d)?)?"
)
_YEAR = r"(?P<year>(?:1[5-9]|20|21)\d\d)"
_FORMS = tuple(
    lazy_pattern(form)
    for form in (
        rf"{_YEAR}(?P<sep>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=sep)(?P<day>0?[1-9]|[12]\d|3[01]){_CLOCK}",
        rf"(?P<one>\d{{1,2}})(?P<sep>[-/.])\s?(?P<two>\d{{1,2}})(?P=sep)\s?(?P<year>(?:1[5-9]|20|21)\d\d|\d\d){_CLOCK}",
        rf"(?:[^\W\d_]{{2,10}}\.?,?\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?[\s-]*(?:de\s+|of\s+)?{_NAME}[\s,-]*(?:de\s+)?(?P<year>(?:1[5-9]|20|21)\d\d|(?<=-)\d\d){_CLOCK}",
        rf"(?:[^\W\d_]{{2,10}}\.?,?\s+)?{_NAME}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+{_YEAR}{_CLOCK}",
        rf"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?\s*{_HALF}",
    )
)
_PERIODS = tuple(
    lazy_pattern(form)
    for form in (
        rf"{_NAME}[\s,-]+(?:de\s+)?(?P<year>(?:1[5-9]|20|21)\d\d|(?<=-)\d\d|['’]\d\d)",
        rf"{_YEAR}[\s,-]+{_NAME}",
        rf"{_YEAR}[-/](?:0[1-9]|1[0-2])",
        rf"{_YEAR}[\s:/-]*(?:[QT][1-4]|I|II|III|IV)",
        rf"(?:[QT][1-4]|[1-4][QT])[\s:/-]*{_YEAR}",
    )
)
_LONGEST = 40
_DIGIT = lazy_pattern(r"\d")
_FIRST_WORD = lazy_pattern(r"[^\W\d_]+")
_WEEKDAYS = frozenset(
    """
    q t mon tue tues wed thu thur thurs fri sat sun monday tuesday wednesday thursday friday saturday sunday
    mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonntag
    lundi mardi mercredi jeudi vendredi samedi dimanche
    """.strip().split()
)


def may_be_years(numbers: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which of some numbers may be years: whole, and neither long past nor far off. NaN is none.

    >>> may_be_years(np.array([1969, 2020.5, 3000, 1066, np.nan])).tolist()
    [True, False, False, False, False]
    """
    with np.errstate(invalid="ignore"):
        return np.asarray((numbers >= FIRST_YEAR) & (numbers <= LAST_YEAR) & (numbers == np.floor(numbers)))


def read_date(text: str, conventions: Conventions = ENGLISH) -> float | None:
    """The serial day that a trimmed text says, NaN where it names a longer period, None where it is no date.

    >>> read_date("15 March 2023"), read_date("2023-03-15"), read_date("Dec. 2009"), read_date("18-24")
    (45000.0, 45000.0, nan, None)
    """
    if len(text) > _LONGEST or not _DIGIT.search(text):
        return None
    first = _FIRST_WORD.match(text)
    if first and first[0].lower() not in MONTHS and first[0].lower() not in _WEEKDAYS:
        return None
    for form in _FORMS:
        match = form.fullmatch(text)
        if match:
            return _serial(match.groupdict(), conventions)
    for period in _PERIODS:
        match = period.fullmatch(text)
        if match and match.groupdict().get("name", "jan").lower() in MONTHS:
            return math.nan
    return None


def read_iso(moment: date | datetime) -> float:
    """A date or a moment as an Excel serial day.

    >>> read_iso(date(2023, 3, 15))
    45000.0
    """
    day = float(moment.toordinal() - _EPOCH)
    if isinstance(moment, datetime):
        day += (moment.hour * 3600 + moment.minute * 60 + moment.second) / 86400
    return day


def _serial(parts: dict[str, str | None], conventions: Conventions) -> float | None:
    clock = _clock(parts)
    if not parts.get("year"):
        return clock
    year = int(parts["year"] or 0)
    year += 0 if year > 99 else 2000 if year < _TURN else 1900
    if parts.get("one"):
        one, two = int(parts["one"] or 0), int(parts["two"] or 0)
        day_first = conventions.day_first if conventions.day_first is not None else parts["sep"] != "/"
        if one > 12 or two > 12:
            day_first = one > 12
        day, month = (one, two) if day_first else (two, one)
    else:
        day = int(parts["day"] or 0)
        month = int(parts["month"] or 0) if parts.get("month") else MONTHS.get((parts["name"] or "").lower(), 0)
    try:
        return float(date(year, month, day).toordinal() - _EPOCH) + clock
    except ValueError:
        return None


def _clock(parts: dict[str, str | None]) -> float:
    hour = int(parts.get("hour") or 0)
    half = (parts.get("half") or "").lower()
    if half.startswith("p") and hour < 12:
        hour += 12
    elif half.startswith("a") and hour == 12:
        hour = 0
    return (hour * 3600 + int(parts.get("minute") or 0) * 60 + int(parts.get("second") or 0)) / 86400
