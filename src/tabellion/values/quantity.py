"""Numbers that are not plain: with an error, a range or a bound, as a power of ten, as a fraction.

In: the texts of one column of values that are no plain numbers, and the conventions of their grid. Out: a `Quantity`
for each that says one. `32.5 ± 0.6` has an error, `12–15` and `12 to 15` are ranges whose ends go up, `12 (10–15)` is a
number within its interval, `<0.05` and `≥ 3` are bounds, `1.2×10³` and `1 1/2` are numbers. What a column says decides:
where one pair of it goes down (`3–1`, `2010-11`), a dash makes no ranges there, and where one slash is no fraction
(`17/4`), none is. Fails on scores and codes whose pairs all go up.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from tabellion.model.table import Bound, Quantity
from tabellion.patterns import lazy_pattern
from tabellion.values.conventions import ENGLISH, Conventions
from tabellion.values.number import read_number

_SIGNS: dict[str, Bound] = {"<": "<", "≤": "≤", "<=": "≤", "⩽": "≤", ">": ">", "≥": "≥", ">=": "≥", "⩾": "≥"}
_LONGEST = 48  # letters; a longer text is prose
_DASH = "-‐‑‒–—−~"
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED = str.maketrans(f"{_SUPERSCRIPT}⁻⁺−–", "0123456789-+--")
_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 8, 10, 12, 16, 32, 64, 100))  # 17/365 is a count of a count
_SUSPECT = lazy_pattern(
    rf"[±<>≤≥⩽⩾{_VULGAR}]|\+/[-−]|\d\s?[/⁄]\s?\d|\d\s?(?:[×xX·⋅∙*]\s?10|[(\[])|(?<!\d)10\s?(?:\^|[⁻⁺{_SUPERSCRIPT}])"
    rf"|\d\s?%?\s?(?:[{_DASH}]|\bto\b|\bbis\b)\s?[$€£+\-−]?\s?[\d.]"
)
_BOUND = lazy_pattern(r"(<=|>=|[<>≤≥⩽⩾])\s*(\S.*)")
_ERROR = lazy_pattern(r"([^±()]*\d[^±()]*?)\s*\(?\s*(?:±|\+/[-−])\s*([^±()]*\d[^±()]*?)\s*\)?")
_INTERVAL = lazy_pattern(
    r"([^()\[\]]*\d[^()\[\]]*?)\s*[(\[]\s*(?:\d\d(?:\.\d)?\s?%\s*(?:[CUc][a-zA-Z]*I)?\s*[:,;]?\s*)?([^()\[\]]+?)\s*[)\]]"
)
_FIRST = r"[-−+]?\s?[$€£]?\s?\d[\d.,\s]*?\s?[%‰]?"
_RANGE = lazy_pattern(
    rf"({_FIRST})\s*(?:[{_DASH}]|(?<=[\s%‰])(?:to|bis)(?=\s))\s*([$€£]?\s?\d.*)|({_FIRST})\s+(?:to|bis)\s+([-−+]\s?\d.*)"
)
_PAIR = lazy_pattern(rf"({_FIRST})\s*[,;]\s+([-−+]?\s?[$€£]?\s?\d.*)|{_RANGE.pattern}")
_POWER = lazy_pattern(
    rf"(?:([-−–+]?\s?\d[\d.,]*)\s?[×xX·⋅∙*]\s?)?10\s?(?:\^\s?[({{]?([-−–+]?\d{{1,2}})[)}}]?|([⁻⁺−–-]?[{_SUPERSCRIPT}]{{1,2}}|[−–-]\d{{1,2}}))"
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
