"""Times and places that labels name, and what all the labels of a column are: years, quarters, months, days, countries,
states.

Times. In: a label, or all labels of a column. Out: the period in the spelling of ISO 8601 (`2009`, `2009-Q1`,
`2009-03`, `2009-03-15`, `2001/2002`) with its first and last day; for a column the one kind that its labels have. A
column has a kind only where it is certain: nine of ten labels besides totals, and at least two, are of it. Fails on
calendars other than the Gregorian and the Japanese eras, and on years of two digits without an apostrophe; `2001-02` is
two years.

Places. In: a label. Out: the place with its ISO 3166 code: `DE`, `US-CA`. The names are those of `places.txt`:
countries in English with their usual variants, states of the United States, Canada, Australia, Germany, the United
Kingdom and Japan. Fails on names in other languages, on counties and cities, and on a code of two letters that is both
a state and a country, which the labels beside it must decide (`CA`).
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections import Counter
from collections.abc import Iterable
from datetime import date, timedelta
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

import msgspec

from tabellion.patterns import lazy_pattern
from tabellion.values.date import MONTHS, read_date
from tabellion.values.texts import split_marks
from tabellion.values.vocabulary import lexicon

PlaceKind = Literal["country", "state", "region"]
_NOT_WORD = re.compile(r"[\W_]+")
_DOTTED = re.compile(r"(?:[a-z]\.\s?)+[a-z]?\.?")
_CODE = re.compile(r"(?P<code>[A-Z]{2}-[A-Z0-9]{2,3}|[A-Z]{2}|\d{3}) (?P<names>.+)")


class PlaceName(msgspec.Struct, frozen=True):
    """A place: its code, the name that stands for all, and what it is."""

    code: str
    name: str
    kind: PlaceKind


@lru_cache(20_000)
def find_places(label: str) -> tuple[PlaceName, ...]:
    """The places that a label can mean; mostly one.

    >>> [place.code for place in find_places("Calif.")], [place.code for place in find_places("Georgia")]
    (['US-CA'], ['US-GA', 'GE'])
    """
    found = known_places().get(" ".join(plain_words(label)), ())
    return tuple(dict.fromkeys((*found, *_by_code().get(label.strip(), ()))))


def plain_words(text: str) -> list[str]:
    """The words of a label without case, accents and punctuation.

    >>> plain_words("Côte d'Ivoire"), plain_words("U.S.")
    (['cote', 'd', 'ivoire'], ['us'])
    """
    flat = unicodedata.normalize("NFKD", text.casefold().replace("&", " and "))
    letters = "".join(letter for letter in flat if not unicodedata.combining(letter))
    return _NOT_WORD.sub(" ", letters.replace(".", "") if _DOTTED.fullmatch(letters.strip()) else letters).split()


@cache
def known_places() -> dict[str, tuple[PlaceName, ...]]:
    """Every name of a place in plain words, and the places that it can mean, the first the more usual."""
    found: dict[str, tuple[PlaceName, ...]] = {}
    for place, names in _listed():
        for name in dict.fromkeys(" ".join(plain_words(name)) for name in names):
            found[name] = (*found.get(name, ()), place)
    return found


@cache
def _by_code() -> dict[str, tuple[PlaceName, ...]]:
    """Places by their codes, whole and without the country, which labels in capitals may be."""
    found: dict[str, tuple[PlaceName, ...]] = {}
    for place, _ in _listed():
        for code in {place.code, place.code.rpartition("-")[2]}:
            found[code] = (*found.get(code, ()), place)
    return found


@cache
def _listed() -> list[tuple[PlaceName, list[str]]]:
    found: list[tuple[PlaceName, list[str]]] = []
    for line in files("tabellion.values").joinpath("places.txt").read_text(encoding="utf-8").splitlines():
        match = _CODE.fullmatch(line)
        if match:
            names = [name.strip() for name in match["names"].split(";")]
            found.append((PlaceName(match["code"], names[0], _kind(match["code"])), names))
    return found


def _kind(code: str) -> PlaceKind:
    return "region" if code in ("EU", "001") else "state" if "-" in code else "country"


PeriodKind = Literal["year", "quarter", "month", "date"]
ThingKind = Literal["year", "quarter", "month", "date", "country", "state"]
CERTAIN = 0.9  # share of the labels of a column that must be of a kind: one in ten may be a stray
_CENTURY = 40  # '39 is 2039, '40 is 1940
_LONGEST = 40
_EPOCH = date(1899, 12, 30)
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_AROUND = r"(?:fiscal year|calendar year|school year|financial year|year|fy|cy|ay|yr|anno|année|jahr|año)"
_YEARS = lazy_pattern(
    rf"(?:{_AROUND}s?(?: ended| ending)?\s*)?(?P<first>{_YEAR}|['’‘`]\d\d)"
    rf"(?:\s?(?:[-–—/]|to|through|bis|à)\s?(?P<last>{_YEAR}|\d\d))?(?:年度?|\s?\(?(?:est|prel|proj|p|r|e)\.?\)?)?",
    re.IGNORECASE,
)
_ERA = lazy_pattern(r"(?P<era>明治|大正|昭和|平成|令和)\s?(?P<count>\d{1,2}|元)(?:年度?)?")
_ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018}
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "i": 1, "ii": 2, "iii": 3, "iv": 4}
_COUNT = r"(?:(?P<number>[1-4])(?:st|nd|rd|th|er|e|ème|\.|º)?|(?P<word>first|second|third|fourth|iv|i{1,3}))"
_QUARTER_WORD = r"(?:quarters?|qtr\.?|quartal|trimestre|trim\.?|四半期)"
_QUARTERS = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"(?:(?P<year>{_YEAR})[\s:,/_-]*)?[qt]\s?(?P<number>[1-4])",
        rf"[qt]\s?(?P<number>[1-4])(?:[\s:,/_-]*(?P<year>{_YEAR}))?",
        rf"(?P<number>[1-4])[qt](?:[\s:,/_-]*(?P<year>{_YEAR}))?",
        rf"{_COUNT}\s?{_QUARTER_WORD}(?:[\s,:]*(?:of\s|de\s)?(?P<year>{_YEAR}))?",
        rf"(?P<year>{_YEAR})[\s,:]*{_COUNT}\s?{_QUARTER_WORD}",
        rf"(?P<year>{_YEAR})[\s:/-]+(?P<word>iv|i{{1,3}})",
    )
)
_MONTHS = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"(?P<name>[^\W\d_]{{3,10}})\.?(?:[\s,/_-]*(?:de\s)?(?P<year>{_YEAR}|(?<=-)\d\d|['’]\d\d))?",
        rf"(?P<year>{_YEAR})[\s,/_-]*(?P<name>[^\W\d_]{{3,10}})\.?",
        rf"(?P<year>{_YEAR})(?:[-/]|\s?m\s?)(?P<number>0[1-9]|1[0-2])",
        rf"(?P<year>{_YEAR})年\s?(?P<number>0?[1-9]|1[0-2])月",
    )
)


_ARABIC = (
    *("يناير", "فبراير", "مارس", "أبريل", "مايو", "يونيو", "يوليو"),
    *("أغسطس", "سبتمبر", "أكتوبر", "نوفمبر", "ديسمبر"),
)
_NAMES = {**MONTHS, **{name: month for month, name in enumerate(_ARABIC, 1)}}
_MONTH_NAME = "|".join(sorted(map(re.escape, _NAMES), key=len, reverse=True))
_BEGIN, _END = r"(?<![\d.,])", r"(?!\d|[.,]\d|\s?=\s?100)"  # not within a number, nor the base of an index
_WITHIN = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"\b[qt][1-4][\s:,/-]*{_YEAR}{_END}",
        rf"{_BEGIN}{_YEAR}[\s:,/-]*[qt][1-4]\b",
        rf"\b(?:first|second|third|fourth|[1-4](?:st|nd|rd|th|er|e|ème|\.))\s?{_QUARTER_WORD}\s(?:of\s|de\s)?{_YEAR}{_END}",
        rf"\b(?:{_MONTH_NAME})\.?[\s,/-]*{_YEAR}{_END}",
        rf"{_BEGIN}{_YEAR}[\s,-]*m(?P<month>\d{{1,2}})\b(?:\s(?:{_MONTH_NAME})\b)?",
        rf"{_BEGIN}{_YEAR}年\s?(?:0?[1-9]|1[0-2])月",
        rf"{_BEGIN}(?:19|20)\d{{4}}{_END}",
        rf"{_BEGIN}{_YEAR}\s?[-–/]\s?(?:{_YEAR}|\d\d){_END}",
        r"(?:明治|大正|昭和|平成|令和)\s?(?:\d{1,2}|元)(?:年度?)?",
        rf"{_BEGIN}{_YEAR}{_END}(?:年度?)?",
        rf"(?<![^\W\d_])(?:{'|'.join(_ARABIC)})(?![^\W\d_])",
    )
)


class Period(msgspec.Struct, frozen=True):
    """A stretch of time that a label names; without a year it has no days."""

    kind: PeriodKind
    code: str  # ISO 8601; a month without its year is --03, a quarter Q1
    start: date | None = None
    end: date | None = None


@lru_cache(maxsize=100_000)
def read_period(text: str) -> Period | None:
    """The time that a label names; None where it names none.

    >>> [read_period(text).code for text in ("FY 2001", "2001/02", "Q1 2009", "3rd quarter 2010", "Sept. 2009", "May")]
    ['2001', '2001/2002', '2009-Q1', '2010-Q3', '2009-09', '--05']
    >>> read_period("15 March 2023").code, read_period("平成25年").code, read_period("18-24")
    ('2023-03-15', '2013', None)
    """
    label = split_marks(text.strip())[0].strip().rstrip(":")
    if not label or len(label) > _LONGEST:
        return None
    return _read_years(label) or _read_quarter(label) or _read_month(label) or _read_day(label)


@lru_cache(maxsize=20_000)
def part_periods(text: str) -> tuple[str, tuple[Period, ...]]:
    """A running text or the name of a file without the times that it names, and those times.

    >>> rest, found = part_periods("Prices_Q4-2020 (2014=100), November 2020")
    >>> rest, [period.code for period in found]
    ('Prices (2014=100),', ['2020-Q4', '2020-11'])
    >>> [period.code for name in ("do001_202006", "ft_2017_m7_jul") for period in part_periods(name)[1]]
    ['2020-06', '2017-07']
    """
    rest, found = text.replace("_", " "), list[Period]()
    for form in _WITHIN:
        for match in form.finditer(rest):
            period = _read_within(match)
            if period:
                found.append(period)
                blank = " " * (match.end() - match.start())
                rest = rest[: match.start()] + blank + rest[match.end() :]
    return " ".join(rest.split()), tuple(dict.fromkeys(found))


def _read_within(match: re.Match[str]) -> Period | None:
    said = " ".join(match[0].split())
    month = match.groupdict().get("month")
    if month:
        return read_period(f"{said[:4]}-{int(month):02}") if 1 <= int(month) <= 12 else None
    if re.fullmatch(r"\d{6}", said):
        return read_period(f"{said[:4]}M{said[4:]}") or read_period(f"{said[:4]}/{said[4:]}")
    return read_period(re.sub(r"(?<=[^\W\d])(?=\d{4}$)", " ", said))


def thing_kind(labels: Iterable[str]) -> ThingKind | None:
    r"""What the labels of a column are, where that is certain.

    >>> thing_kind(["Total", "1990", "1991 \\1"]), thing_kind(["CA", "IN", "NY"]), thing_kind(["CA", "IN"])
    ('year', 'state', None)
    >>> thing_kind(["France", "Germany", "World"]), thing_kind(["North", "South"])
    ('country', None)
    """
    total = lexicon("total")
    told = [label for label in dict.fromkeys(one.strip() for one in labels) if label and not total.fills(label)]
    counted: Counter[ThingKind] = Counter()
    countries: Counter[str] = Counter()
    larger = 0
    for label in told:
        if period := read_period(label):
            counted[period.kind] += 1
            continue
        places = find_places(split_marks(label)[0])
        counted["country"] += any(place.kind == "country" for place in places)
        countries.update({place.code.partition("-")[0] for place in places if place.kind == "state"})
        larger += any(place.kind == "region" for place in places)
    if countries:
        counted["state"] = countries.most_common(1)[0][1]
    if counted["state"] and _is_whole_of(told, countries.most_common(1)[0][0]):
        counted["state"] += 1  # the country itself stands over its states
    counted["country"] += larger if counted["country"] else 0
    found = [kind for kind, count in counted.items() if count > 1 and count >= CERTAIN * len(told)]
    return found[0] if len(found) == 1 else None


def place_code(label: str, kind: ThingKind | None = None) -> str | None:
    """The ISO 3166 code of a place where it is certain; `kind` says what the labels beside it are.

    >>> place_code("Germany"), place_code("Georgia"), place_code("Georgia", "country"), place_code("CA", "state")
    ('DE', None, 'GE', 'US-CA')
    """
    places = [place for place in find_places(split_marks(label.strip())[0]) if kind in (None, place.kind)]
    return places[0].code if len(places) == 1 else None


def _is_whole_of(labels: Iterable[str], country: str) -> bool:
    return any(place.code == country for label in labels for place in find_places(label))


def _read_years(label: str) -> Period | None:
    era = _ERA.fullmatch(label)
    if era:
        return _years(_ERAS[era["era"]] + (1 if era["count"] == "元" else int(era["count"])))
    match = _YEARS.fullmatch(label)
    if not match:
        return None
    first = _full_year(match["first"])
    if not match["last"]:
        return _years(first)
    short = len(match["last"]) == 2
    last = first - first % 100 + int(match["last"]) if short else int(match["last"])
    last += 100 if short and first % 100 == 99 and last < first else 0
    if short and "-" in label and last % 100 <= 12 and last != first + 1:
        return None  # 2005-10 is a month
    return _years(first, last) if last > first else None


def _years(first: int, last: int | None = None) -> Period:
    code = f"{first}/{last}" if last else str(first)
    return Period("year", code, date(first, 1, 1), date(last or first, 12, 31))


def _read_quarter(label: str) -> Period | None:
    for form in _QUARTERS:
        match = form.fullmatch(label)
        if match:
            said = match.groupdict()
            number = int(said["number"]) if said.get("number") else _ORDINALS[said["word"].lower()]
            if not said.get("year"):
                return Period("quarter", f"Q{number}")
            year = int(said["year"])
            return Period("quarter", f"{year}-Q{number}", date(year, 3 * number - 2, 1), _last_day(year, 3 * number))
    return None


def _read_month(label: str) -> Period | None:
    for form in _MONTHS:
        match = form.fullmatch(label)
        said = match.groupdict() if match else {}
        month = int(said["number"]) if said.get("number") else _NAMES.get((said.get("name") or "").lower())
        if month:
            if not said.get("year"):
                return Period("month", f"--{month:02}")
            year = _full_year(said["year"] or "")
            return Period("month", f"{year}-{month:02}", date(year, month, 1), _last_day(year, month))
    return None


def _read_day(label: str) -> Period | None:
    serial = read_date(label)
    if serial is None or serial != serial or serial < 1:
        return None
    day = _EPOCH + timedelta(days=int(serial))
    return Period("date", day.isoformat(), day, day)


def _last_day(year: int, month: int) -> date:
    return date(year, month, monthrange(year, month)[1])


def _full_year(text: str) -> int:
    digits = text.lstrip("'’‘`")
    if len(digits) > 2:
        return int(digits)
    return int(digits) + (2000 if int(digits) < _CENTURY else 1900)
