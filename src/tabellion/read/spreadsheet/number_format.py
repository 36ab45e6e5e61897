"""What a spreadsheet number format says: is it a date, a percentage, a plain number, and how is a value shown.

In: a format code such as `0.0%` or `yyyy-mm-dd`, or the number of a built-in one. Out: a `NumberFormat`, which shows
a number as text; `shown_text.py` writes a number as the whole code says. The built-in days 14 and 22 follow the country
of the reader; they are given as in the United States.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from enum import IntEnum
from functools import lru_cache

import msgspec

from tabellion.patterns import short_pattern

BUILT_IN = {
    0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: '"$"#,##0_);("$"#,##0)',
    6: '"$"#,##0_);[Red]("$"#,##0)', 7: '"$"#,##0.00_);("$"#,##0.00)', 8: '"$"#,##0.00_);[Red]("$"#,##0.00)',
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "m/d/yyyy", 15: "d-mmm-yy", 16: "d-mmm",
    17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss", 22: "m/d/yyyy h:mm",
    27: "yyyy-mm", 28: "mm-dd", 29: "mm-dd", 30: "m-d-yy", 31: "yyyy-mm-dd", 32: "h:mm", 33: "h:mm:ss",
    34: "h:mm", 35: "h:mm:ss", 36: "yyyy-mm", 37: "#,##0_);(#,##0)", 38: "#,##0_);[Red](#,##0)",
    39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);[Red](#,##0.00)", 41: '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
    42: '_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)', 43: '_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)',
    44: '_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)', 45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0",
    48: "##0.0E+0", 49: "@", 50: "yyyy-mm", 51: "mm-dd", 52: "yyyy-mm", 53: "mm-dd", 54: "mm-dd", 55: "yyyy-mm",
    56: "mm-dd", 57: "yyyy-mm", 58: "mm-dd",
}  # fmt: skip

_LITERAL = short_pattern(r'"[^"]*"?|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', re.I)
_DATE = re.compile(r"[dy]|am/pm|a/p|h|s|(?<![a-z])m+(?![a-z])|e(?![+-])|g{1,3}(?!e)", re.I)
LONGEST = 255  # letters of a code; spreadsheets take 255, and a longer one is made to cost time
_MOST_PLACES = 15  # a number has no more digits than that
_LAST_DAY = 2_958_466  # the day after 9999-12-31
_PLACES = re.compile(r"[0#?]\.([0#?]+)")


class Shown(IntEnum):
    """What kind of value a format shows."""

    NUMBER = 0
    PERCENT = 1
    DATE = 2  # a day, with or without a time
    TIME = 3  # a time of day or a span of time, without a day
    TEXT = 4


class NumberFormat(msgspec.Struct, frozen=True):
    """A format code as it was understood; `places` is the number of decimals of a percentage."""

    shown: Shown
    places: int = 0


@lru_cache(maxsize=4096)
def understand_format(code: str | None) -> NumberFormat:
    """What a format code shows.

    >>> understand_format("0.0%").shown.name, understand_format("d-mmm-yy").shown.name
    ('PERCENT', 'DATE')
    >>> understand_format('#,##0" days"').shown.name
    'NUMBER'
    """
    if not code or len(code) > LONGEST or code.lower() == "general":
        return NumberFormat(Shown.NUMBER)
    bare = _LITERAL.sub("", code.split(";", 1)[0] if not code.startswith(";") else code)
    if "general" in bare.lower():
        return NumberFormat(Shown.NUMBER)
    if bare.strip() == "@":
        return NumberFormat(Shown.TEXT)
    if "%" in bare:
        places = _PLACES.search(bare)
        return NumberFormat(Shown.PERCENT, min(len(places[1]), _MOST_PLACES) if places else 0)
    if not re.search(r"[0#?]", re.sub(r"(?<=s\b)\.0+|(?<=s\])\.0+", "", bare, flags=re.I)) and _DATE.search(bare):
        dated = re.search(r"[dyeg]", bare, re.I) or (re.search("m", bare, re.I) and not re.search("[hs]", bare, re.I))
        return NumberFormat(Shown.DATE if dated else Shown.TIME)
    return NumberFormat(Shown.NUMBER)


def number_text(number: float) -> str:
    """The shortest form of a number in at most 15 digits, all that a spreadsheet program ever shows.

    >>> number_text(1896.0), number_text(0.1), number_text(1112.7179999999998)
    ('1896', '0.1', '1112.718')
    """
    return f"{number:.15g}" if abs(number) < 1e15 or not number.is_integer() else str(int(number))


def percent_text(number: float, places: int) -> str:
    """A fraction as the percentage a reader sees.

    >>> percent_text(0.125, 1)
    '12.5%'
    """
    return f"{number * 100:.{places}f}%"


def is_day(serial: float) -> bool:
    """Whether a number is within the days that a spreadsheet knows: 1900 to 9999."""
    return 0 <= serial < _LAST_DAY


def date_text(serial: float, shown: Shown) -> str:
    """An Excel serial day (1900 epoch) in ISO form; a span of time as hours, minutes and seconds.

    A number that is no day is shown as a number.

    >>> date_text(45000.5, Shown.DATE), date_text(0.25, Shown.TIME), date_text(1.5, Shown.TIME)
    ('2023-03-15T12:00:00', '06:00:00', '36:00:00')
    """
    if not is_day(serial):
        return number_text(serial)
    seconds = round(serial * 86400)
    if shown is Shown.TIME:
        hours, rest = divmod(seconds, 3600)
        return f"{hours:02d}:{rest // 60:02d}:{rest % 60:02d}"
    # Excel counts a 29 February 1900 that never was: days before it are one later
    moment = datetime(1899, 12, 31 if serial < 60 else 30) + timedelta(seconds=min(seconds, _LAST_DAY * 86400 - 1))
    if seconds % 86400 == 0:
        return moment.date().isoformat()
    return moment.isoformat(timespec="seconds")
