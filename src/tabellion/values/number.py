"""Numbers as people write them, plain or not, and how one grid writes them.

Conventions: decimal sign, order of dates, brackets for negatives, numbered notes. In: all texts of a grid. Out: its
conventions, each settled by those texts that leave no doubt. A grid that gives no evidence is read as English: "1,234"
is a thousand.

In: a text and the conventions of its grid. Out: the number with its unit and its note marks, or None. Signs, brackets
for negatives, currencies, percent, exponents and thousands by comma, blank, dot or apostrophe are read; ranges,
fractions, ordinals and codes with leading zeros are not numbers. Fails where one grid mixes decimal signs so that
"1,234" means both.

Numbers that are not plain: with an error, a range or a bound, as a power of ten, as a fraction. In: the texts of one
column of values that are no plain numbers, and the conventions of their grid. Out: a `Quantity` for each that says one.
`32.5 ± 0.6` has an error, `12–15` and `12 to 15` are ranges whose ends go up, `12 (10–15)` is a number within its
interval, `<0.05` and `≥ 3` are bounds, `1.2×10³` and `1 1/2` are numbers. What a column says decides: where one pair of
it goes down (`3–1`, `2010-11`), a dash makes no ranges there, and where one slash is no fraction (`17/4`), none is.
Fails on scores and codes whose pairs all go up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

import msgspec

from tabellion.model.table import Bound, Quantity
from tabellion.patterns import lazy_pattern, short_pattern

LOOKED_AT = 20_000  # distinct texts are enough evidence; more would only cost time
_RARE = 0.1  # "12,5" beside many "1,234": below this share it is a slip, not the custom
_KEPT = 1 << 15  # short texts whose evidence is kept: the tables of a site say the same again and again
_LONGEST_TELLING = 24  # no number that settles anything is longer

_ANY_DIGIT = lazy_pattern(r"\d")
_COMMA_DECIMAL = lazy_pattern(
    r"(?:\d{1,3}(?:[\s.]\d{3})*|\d+),(?:\d{1,2}|\d{4,})|0,\d+|\d{4,},\d+|\d{1,3}(?:[\s.]\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}"
)
_DOT_DECIMAL = lazy_pattern(
    r"(?:\d{1,3}(?:[\s,]\d{3})*|\d*)\.(?:\d{1,2}|\d{4,})|0\.\d+|\d{4,}\.\d+|\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:,\d{3}){2,}"
)
_COMMA_THOUSAND = lazy_pattern(r"[1-9]\d{0,2},\d{3}")
_BRACKETED = short_pattern(r"\(\s*[$€£]?\s*(\d[\d.,\s]*)\)")
_SCALE = lazy_pattern(r"\d{1,2}|(?:1[6-9]|20)\d\d|10{2,}|1(?:[,.\s]0{3})+")
_TRIM = short_pattern(r"^[\s$€£+\-−–—(]+|[\s%€£)*rpeE]+$")
_SLASHED_DAY = lazy_pattern(r"\s*(\d{1,2})[/.\-](\d{1,2})[/.\-](?:\d{4}|\d\d)\b")
_NOTE = lazy_pattern(r"\s*+[(\[\\/]?\s*+(\d{1,2})\s?[)\]\\./:]*+\s*+(?=[^\W\d]).{12,}", re.DOTALL)
_NOTE_NUMBER = lazy_pattern(r"\s*(?:(\d{1,2})\s?[.)/\\]\s*|(\d{1,2})\s+)")


class Conventions(msgspec.Struct, frozen=True):
    """How the texts of one grid are written. `day_first` is None where no date settles it."""

    decimal: Literal[".", ","] = "."
    brackets: bool = False  # "(5)" is -5 here
    day_first: bool | None = None
    numbered: frozenset[str] = frozenset()  # numbers that notes of the grid begin with


ENGLISH = Conventions()


def settle_conventions(texts: Iterable[str]) -> Conventions:
    """What the texts of a grid agree on.

    >>> settle_conventions(["1,234", "0,5", "12,7"]).decimal
    ','
    """
    comma = dot = thousand = day = month = 0
    brackets = False
    numbered = set[str]()
    for found in filter(None, map(_find_evidence, islice(texts, LOOKED_AT))):
        comma += found.comma
        dot += found.dot
        thousand += found.thousand
        day += found.day
        month += found.month
        brackets = brackets or found.brackets
        if found.note:
            numbered.add(found.note)
    return Conventions(
        decimal="," if comma > max(dot, _RARE * thousand) else ".",
        brackets=brackets,
        day_first=None if day == month else day > month,
        numbered=frozenset(numbered),
    )


class _Evidence(msgspec.Struct, frozen=True, gc=False):
    """What one text tells of the conventions of its grid."""

    comma: bool = False
    dot: bool = False
    thousand: bool = False
    brackets: bool = False
    day: bool = False
    month: bool = False
    note: str | None = None  # the number of the note that it begins or names


def _find_evidence(text: str) -> _Evidence | None:
    if len(text) <= _LONGEST_TELLING:
        return _read_evidence(text)
    note = _NOTE.match(text)
    return _Evidence(note=note[1]) if note else None


@lru_cache(maxsize=_KEPT)
def _read_evidence(text: str) -> _Evidence | None:
    """The evidence of a short text."""
    if not _ANY_DIGIT.search(text):
        return None
    digits = _TRIM.sub("", text) if "," in text or "." in text else ""
    bracketed = _BRACKETED.fullmatch(text.strip()) if "(" in text else None
    dated = _SLASHED_DAY.match(text)
    note = _NOTE_NUMBER.fullmatch(text) or _NOTE.match(text)
    found = _Evidence(
        comma=bool(_COMMA_DECIMAL.fullmatch(digits)),
        dot=bool(_DOT_DECIMAL.fullmatch(digits)),
        thousand=bool(_COMMA_THOUSAND.fullmatch(digits)),
        brackets=bool(bracketed and not _SCALE.fullmatch(bracketed[1].strip())),
        day=bool(dated and int(dated[1]) > 12),
        month=bool(dated and int(dated[2]) > 12),
        note=next(group for group in note.groups() if group) if note else None,
    )
    return found if found != _NOTHING else None


_NOTHING = _Evidence()


_MINUS = "-−–—‐‑‒﹣－"
_CURRENCY = (
    r"US\$|A\$|C\$|CA\$|AU\$|NZ\$|HK\$|NT\$|R\$|S\$|RMB|USD|EUR|GBP|CHF|JPY|CAD|AUD|CNY|SEK|NOK|DKK|[$€£¥￥₹₽₩₺₴₪฿¢]"
)
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ"
_PLAIN = str.maketrans(_SUPERSCRIPT, "0123456789abcdefpr")
_NUMBER = short_pattern(
    rf"""
    (?P<before>(?:\\\w{{1,2}}\\?\s*,?\s+|\\\w{{1,2}}\\(?=\d)|[*†‡]++\s*+|\([a-z]\)\s*|\[[a-z\d]\]\s+|[rpeRPE]\s+|[rpe](?=\d[\d,]*[.,]\d)){{0,3}})
    (?P<open>\()?\s*
    (?P<spread>\+/-|±)?\s*
    (?P<early>{_CURRENCY})?\s*(?P<sign>[{_MINUS}+△▲])?\s*(?P<inner>{_CURRENCY})?\s*(?P<late>\()?
    (?P<body>\d[\d.,'’´\s]*|[.,·]\d+)(?P<power>[eE][+-]?\d{{1,3}})?
    \s*(?P<unit>[%％‰]|°\s?[CFK]?|{_CURRENCY}|percent|per\scent|pct\.?|Prozent)?(?(late)\))\s*(?(open)\))\s*(?P<outer>[%％])?
    (?P<after>(?:\s*\\\w{{1,2}}\\?,?|\s*[*∗†‡§¶]++|\s*[{_SUPERSCRIPT}]++|\s*\([A-Za-z]\)|\s*\(\d{{1,2}}\)|\s*\[[A-Za-z\d]{{1,2}}\]
        |\s+\d{{1,2}}[/)]|\s+/\d{{1,2}}|\s+[rpebcufnzERPq]/?(?![\w.])|[rpeE]/?(?![\w.])|(?<=[.,]\d)[a-z](?!\w)|(?<=[.,]\d\d)[a-z](?!\w)){{0,4}})
    """,
    re.VERBOSE,
)
_DIGIT = lazy_pattern(r"[0-9]")
_MARK = lazy_pattern(rf"[*∗†‡§¶]+|[{_SUPERSCRIPT}]+|\w+")
_SPACED = lazy_pattern(r"\d{1,3}(?:[\s'’´]\d{3})+(?P<rest>[.,]\d+)?")
_COMMAS = lazy_pattern(r"[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3}")
_DOTS = lazy_pattern(r"[1-9]\d{0,2}(?:\.\d{3})+")
_SIMPLE = lazy_pattern(r"\d++(?:[.,]\d+)?|[.,]\d+")
_MANTISSA = lazy_pattern(r"\d|\d*[.,]\d+")
_GAPS = lazy_pattern(r"[\s'’´]")
_YEAR_OR_SCALE = lazy_pattern(r"\d{1,2}|(?:1[6-9]|20)\d\d|10{2,}|1(?:[,. ]0{3})+")


class Number(NamedTuple):
    """A number with what is written around it; `core` is the text without the notes."""

    value: float
    core: str
    unit: str | None
    notes: tuple[str, ...]


def read_number(text: str, conventions: Conventions = ENGLISH) -> Number | None:
    r"""The number that a trimmed text says, or None.

    >>> read_number(r"\2 16.2")
    Number(value=16.2, core='16.2', unit=None, notes=('2',))
    >>> read_number("(1,234)").value, read_number("€ 1.234,50").value, read_number("18-24")
    (-1234.0, 1234.5, None)
    """
    match = _NUMBER.fullmatch(text) if _DIGIT.search(text) else None
    if not match:
        return None
    body = match["body"].rstrip()
    value = read_digits(body, conventions.decimal)
    if value is None or (match["before"] and not match["before"].strip()):
        return None
    bracketed = bool(match["open"] or match["late"])
    unit = match["early"] or match["inner"] or match["unit"] or match["outer"]
    if bracketed and not (conventions.brackets or unit or match["sign"]) and _YEAR_OR_SCALE.fullmatch(body):
        return None
    if bracketed and unit and unit not in "%％" and _YEAR_OR_SCALE.fullmatch(body) and not conventions.brackets:
        return None
    if match["power"]:
        if not _MANTISSA.fullmatch(body) and match["power"][1] not in "+-":
            return None  # "12E3" is a code
        if not _SIMPLE.fullmatch(body):
            return None
        value = float(f"{body.replace(',', '.')}{match['power']}")
    if match["sign"] not in (None, "+") or (bracketed and not match["sign"]):
        value = -value
    notes = [mark.translate(_PLAIN) for part in (match["before"], match["after"]) for mark in _MARK.findall(part)]
    if match["spread"]:
        notes.append("±")
    core = text[len(match["before"]) : len(text) - len(match["after"])].strip()
    return Number(value, core, "%" if unit == "％" else unit, tuple(notes))


def read_digits(body: str, decimal: str = ".") -> float | None:
    """Digits with their separators as a number, or None; `decimal` settles "1,234" and "1.234".

    >>> read_digits("1 234,5"), read_digits("1,234"), read_digits("1,234", ","), read_digits("007")
    (1234.5, 1234.0, 1.234, None)
    """
    if body.isdigit():
        return float(body) if body.isascii() and (body[0] != "0" or len(body) == 1) else None
    spaced = _SPACED.fullmatch(body)
    if spaced:
        return None if body[0] == "0" else float(_GAPS.sub("", body).replace(",", "."))
    commas, dots = body.count(","), body.count(".")
    if commas and dots:
        whole, sign, rest = body.rpartition("." if body.rfind(".") > body.rfind(",") else ",")
        grouped = (_COMMAS if sign == "." else _DOTS).fullmatch(whole)
        return float(f"{whole.replace(',', '').replace('.', '')}.{rest}") if grouped and rest.isdecimal() else None
    if commas + dots > 1:
        grouped = (_COMMAS if commas else _DOTS).fullmatch(body)
        return float(body.replace(",", "").replace(".", "")) if grouped else None
    whole, sign, rest = body.partition("," if commas else ".")
    if not (rest.isdigit() and rest.isascii() and (whole.isdigit() or not whole)):
        return None
    if len(rest) == 3 and sign != decimal and 1 <= len(whole) <= 3 and whole[0] != "0":
        return float(whole + rest)
    return None if whole[:1] == "0" and len(whole) > 1 else float(f"{whole or 0}.{rest}")


_SIGNS: dict[str, Bound] = {"<": "<", "≤": "≤", "<=": "≤", "⩽": "≤", ">": ">", "≥": "≥", ">=": "≥", "⩾": "≥"}
_LONGEST = 48  # letters; a longer text is prose
_DASH = "-‐‑‒–—−~"
_POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans(f"{_POWERS}⁻⁺−–", "0123456789-+--")
_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100))  # 17/365 is a count of a count
_SUSPECT = lazy_pattern(
    rf"[±<>≤≥⩽⩾{_VULGAR}]|\+/[-−]|\d\s?[/⁄]\s?\d|\d\s?(?:[×xX·⋅∙*]\s?10|[(\[])|(?<!\d)10\s?(?:\^|[⁻⁺{_POWERS}])"
    rf"|\d\s?%?\s?(?:[{_DASH}]|\bto\b|\bbis\b)\s?[$€£+\-−]?\s?[\d.]"
)
_BOUND = lazy_pattern(r"(<=|>=|[<>≤≥⩽⩾])\s*(\S.*)")
_ERROR = short_pattern(r"([^±()]*\d[^±()]*?)\s*\(?\s*(?:±|\+/[-−])\s*([^±()]*\d[^±()]*?)\s*\)?")
_INTERVAL = short_pattern(
    r"([^()\[\]]*\d[^()\[\]]*?)\s*[(\[]\s*(?:\d\d(?:\.\d)?\s?%\s*(?:[CUc][a-zA-Z]*I)?\s*[:,;]?\s*)?([^()\[\]]+?)\s*[)\]]"
)
_FIRST = r"[-−+]?\s?[$€£]?\s?\d[\d.,\s]*?\s?[%‰]?"
_RANGE = short_pattern(
    rf"({_FIRST})\s*(?:[{_DASH}]|(?<=[\s%‰])(?:to|bis)(?=\s))\s*([$€£]?\s?\d.*)|({_FIRST})\s+(?:to|bis)\s+([-−+]\s?\d.*)"
)
_PAIR = short_pattern(rf"({_FIRST})\s*[,;]\s+([-−+]?\s?[$€£]?\s?\d.*)|{_RANGE.pattern}")
_POWER = lazy_pattern(
    rf"(?:([-−–+]?\s?\d[\d.,]*)\s?[×xX·⋅∙*]\s?)?10\s?(?:\^\s?[({{]?([-−–+]?\d{{1,2}})[)}}]?|([⁻⁺−–-]?[{_POWERS}]{{1,2}}|[−–-]\d{{1,2}}))"
)
_FRACTION = lazy_pattern(r"([-−]?)(?:(\d{1,4})[\s-])?(\d{1,2})\s?[/⁄]\s?(\d{1,3})")
_VULGAR_FRACTION = lazy_pattern(rf"([-−]?)(\d{{1,4}})?\s?([{_VULGAR}])")
_SLASHED = lazy_pattern(r"[^/⁄]*\d\s?[/⁄]\s?\d[^/⁄]*")


def read_quantities(texts: Iterable[str], conventions: Conventions = ENGLISH) -> dict[str, Quantity]:
    """What the texts of one column say that are no plain numbers; nothing for those that say nothing of the kind.

    >>> read_quantities(["12–15", "3-5"]).keys(), read_quantities(["3-1", "0-2"])
    (dict_keys(['12–15', '3-5']), {})
    """
    found: dict[str, Quantity] = {}
    goes_down = no_fraction = False
    ranges, fractions = [], []
    for text in dict.fromkeys(texts):
        said = " ".join(text.split())
        if not suspects_quantity(said):
            continue
        made = read_quantity(said, conventions)
        if made is not None:
            found[text] = made
        if _RANGE.fullmatch(said):
            ranges.append(text)
            goes_down = goes_down or (made is None and _is_pair(said, conventions))
        elif _SLASHED.fullmatch(said):
            fractions.append(text)
            no_fraction = no_fraction or made is None
    for text in (*(ranges if goes_down else ()), *(fractions if no_fraction else ())):
        found.pop(text, None)
    return found


def suspects_quantity(text: str) -> bool:
    """Whether a text may be a number that is not plain: one look that spares most texts the rest."""
    return len(text) <= _LONGEST and _SUSPECT.search(text) is not None


def read_quantity(text: str, conventions: Conventions = ENGLISH) -> Quantity | None:
    """The number with its error, range or bound; None where the text says nothing of the kind.

    >>> read_quantity("32.5 ± 0.6")
    Quantity(value=32.5, low=None, high=None, error=0.6, bound=None)
    >>> read_quantity("12–15")[:3], read_quantity("12 (10–15)")[:3], read_quantity("15-12"), read_quantity("n = 5")
    ((None, 12.0, 15.0), (12.0, 10.0, 15.0), None, None)
    >>> read_quantity("<0.05")[::4], read_quantity("1.2×10³")[0], read_quantity("1 1/2")[0]
    ((0.05, '<'), 1200.0, 1.5)
    """
    said = text.strip()
    if bound := _BOUND.fullmatch(said):
        number = _number(bound[2], conventions)
        return None if number is None else Quantity(number, bound=_SIGNS[bound[1]])
    if error := _ERROR.fullmatch(said):
        number, off = _number(error[1], conventions), _number(error[2], conventions)
        return None if number is None or off is None or off < 0 else Quantity(number, error=off)
    if interval := _INTERVAL.fullmatch(said):
        number, ends = _number(interval[1], conventions), _pair(_PAIR.fullmatch(interval[2]), conventions)
        return Quantity(number, *ends) if number is not None and ends and ends[0] <= number <= ends[1] else None
    if ends := _pair(_RANGE.fullmatch(said), conventions):
        return Quantity(None, *ends) if ends[0] < ends[1] else None
    number = _power(said, conventions)
    number = _fraction(said) if number is None else number
    return None if number is None else Quantity(number)


def _is_pair(text: str, conventions: Conventions) -> bool:
    return _pair(_RANGE.fullmatch(text), conventions) is not None


def _pair(match: re.Match[str] | None, conventions: Conventions) -> tuple[float, float] | None:
    """The two numbers of a pair, as they stand."""
    if match is None:
        return None
    first, second = [group for group in match.groups() if group]
    low, high = _number(first, conventions), _number(second, conventions)
    return None if low is None or high is None else (low, high)


def _number(text: str, conventions: Conventions) -> float | None:
    """A number, plain or as a power of ten."""
    number = read_number(text.strip(), conventions)
    return number.value if number else _power(text.strip(), conventions)


def _power(text: str, conventions: Conventions) -> float | None:
    match = _POWER.fullmatch(text)
    if not match:
        return None
    mantissa = read_number(match[1].strip(), conventions) if match[1] else None
    if match[1] and not mantissa:
        return None
    return float(f"{mantissa.value if mantissa else 1.0!r}e{(match[2] or match[3]).translate(_RAISED)}")


def _fraction(text: str) -> float | None:
    if match := _FRACTION.fullmatch(text):
        whole, above, below = int(match[2] or 0), int(match[3]), int(match[4])
        part = above / below if below in _DENOMINATORS and 0 < above < below else None
    elif match := _VULGAR_FRACTION.fullmatch(text):
        whole, part = int(match[2] or 0), round(unicodedata.numeric(match[3]), 15)
    else:
        return None
    return None if part is None else (whole + part) * (-1 if match[1] else 1)
