"""What a reader sees of a number: its text by the number format of its cell (ECMA-376, part 1, 18.8.30 and 18.8.31).

In: a format code such as `#,##0.0_);(#,##0.0)` or `mmm-yy`. Out: a function from numbers to texts. Sections by sign and
by condition, literals, grouping, scaling by commas, percent, exponents, fractions, days, times and spans of time are
written as the code says, rounded half up in 15 digits, as spreadsheet programs do. Known gaps: names of months and days
are English, eras are not counted, and colours and widths are not shown. Where a format shows nothing at all, the number
itself is the text, so that no value is lost.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from fractions import Fraction
from functools import lru_cache
from math import floor, log10
from typing import NamedTuple

from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.read.spreadsheet.sheets import LONGEST, Shown, is_day, number_text, understand_format

Writer = Callable[[float], str]

_GENERAL_DIGITS = 10  # of a number without format, those before the point counted
_SMALL = 1e-4  # below it such a number is written with an exponent
_NUDGE, _EXACT = 1 + 1e-15, 1e14  # 1.005 is stored a hair too small and shown as 1.01; digits beyond are left alone
_MOST_PLACES = 15  # digits after the point: a number has no more
_TOKEN = lazy_pattern(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<general>General)'
    r"|(?P<half>AM/PM|A/P)|(?P<date>y+|m+|d+|h+|s+|e(?![+-])|b+|g+)|(?P<power>E[+-])|(?P<digit>[0#?])|(?P<other>.)",
    re.I | re.S,
)
_SECTION_END = short_pattern(r'"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]|(;)', re.S)
_CONDITION = lazy_pattern(r"(<=|>=|<>|<|>|=)\s*(-?\d+(?:\.\d+)?)")
_CURRENCY = lazy_pattern(r"\$([^-]*)(?:-.*)?", re.S)
_ELAPSED = lazy_pattern(r"(h+|m+|s+)", re.I)
_MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
]  # fmt: skip
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_TESTS: dict[str, Callable[[float, float], bool]] = {
    "<": float.__lt__, "<=": float.__le__, ">": float.__gt__, ">=": float.__ge__, "=": float.__eq__, "<>": float.__ne__,
}  # fmt: skip


class _Token(NamedTuple):
    """A piece of a section: `literal`, `digit`, `date`, `elapsed`, `half`, `power`, `general`, or a sign by itself."""

    kind: str
    text: str


class _Section(NamedTuple):
    """One section of a format: when it holds, and how it writes a number without its sign."""

    test: str | None
    limit: float
    write: Writer


@lru_cache(maxsize=4096)
def number_writer(code: str | None) -> Writer:
    """How a format shows numbers; days and times are given as serial days of the 1900 epoch.

    >>> number_writer("#,##0.0_);(#,##0.0)")(-1234.56), number_writer("mmm-yy")(33000), number_writer("0.0%")(0.1375)
    ('(1,234.6)', 'May-90', '13.8%')
    >>> number_writer("# ?/?")(2.25), number_writer("0.00E+00")(12345), number_writer("[Red]-0.00")(1.005)
    ('2 1/4', '1.23E+04', '-1.01')
    """
    if not code or code == "@" or len(code) > LONGEST or code.lower() == "general":
        return general_text
    try:
        sections = [_read_section(part) for part in _split(code)[:3]]
    except (ValueError, IndexError):  # not a format that any program would take
        return number_text
    dated = understand_format(code).shown in (Shown.DATE, Shown.TIME)

    def write(number: float) -> str:
        if dated and not is_day(number):
            return number_text(number)
        section, signed = _choose(sections, number)
        try:
            text = section.write(abs(number)).strip()
        except (ArithmeticError, ValueError):  # beyond what a number can hold once it is scaled
            return number_text(number)
        return f"-{text}" if text and signed else text or number_text(number)

    return write


def general_text(number: float) -> str:
    """A number without a format, as wide as a cell shows it; whole numbers in full.

    >>> general_text(1 / 3), general_text(1896.0), general_text(0.00001234), general_text(1112.7179999999998)
    ('0.333333333', '1896', '1.234E-05', '1112.718')
    """
    size = abs(number)
    if number == floor(number) or size >= 10.0**_GENERAL_DIGITS:
        return number_text(number)
    if size < _SMALL:
        return f"{number:.6g}".upper()
    places = _GENERAL_DIGITS - len(f"{size:.0f}")
    text = f"{number:.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if places > 0 else text


def _split(code: str) -> list[str]:
    """The sections of a code, which semicolons part."""
    ends = [match.start() for match in _SECTION_END.finditer(code) if match[1]]
    return [code[start:end] for start, end in zip([0, *(end + 1 for end in ends)], [*ends, len(code)], strict=True)]


def _choose(sections: Sequence[_Section], number: float) -> tuple[_Section, bool]:
    """The section that shows a number, and whether its sign is shown before it."""
    negative = number < 0
    if any(section.test for section in sections):
        for section in sections:
            if section.test is None or _TESTS[section.test](float(number), section.limit):
                return section, negative and not (section.test in ("<", "<=") and section.limit <= 0)
        return sections[-1], negative
    if negative and len(sections) > 1:
        return sections[1], False
    if number == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], negative


def _read_section(code: str) -> _Section:
    tokens: list[_Token] = []
    test, limit = None, 0.0
    for match in _TOKEN.finditer(code):
        kind, text = match.lastgroup or "quoted", match[match.lastgroup or "quoted"]
        if kind == "bracket":
            if condition := _CONDITION.fullmatch(text):
                test, limit = condition[1], float(condition[2])
            elif currency := _CURRENCY.fullmatch(text):
                tokens.append(_Token("literal", currency[1]))
            elif _ELAPSED.fullmatch(text):
                tokens.append(_Token("elapsed", text.lower()))
        elif kind in ("quoted", "escaped"):
            tokens.append(_Token("literal", text))
        elif kind == "blank":
            tokens.append(_Token("literal", " "))
        elif kind in ("date", "half", "power", "digit", "general"):
            tokens.append(_Token(kind, text if kind in ("half", "power", "digit") else text.lower()))
        elif kind == "other":
            tokens.append(_Token(text if text in ".,%/" else "literal", text))
    return _Section(test, limit, _writer_of(tokens))


def _writer_of(tokens: list[_Token]) -> Writer:
    kinds = {token.kind for token in tokens}
    if kinds & {"date", "elapsed"} and not ("digit" in kinds and not kinds & {"elapsed"} and "s" not in _parts(tokens)):
        return _date_writer(tokens)
    if "general" in kinds:
        before, after = _around(tokens, "general")
        return lambda number: f"{before}{general_text(number)}{after}"
    if "digit" not in kinds:
        said = "".join(token.text for token in tokens)
        return lambda _: said
    if "/" in kinds and _is_fraction(tokens):
        return _fraction_writer(tokens)
    return _power_writer(tokens) if "power" in kinds else _decimal_writer(tokens)


def _parts(tokens: list[_Token]) -> str:
    return "".join(token.text for token in tokens if token.kind in ("date", "elapsed"))


def _around(tokens: list[_Token], kind: str) -> tuple[str, str]:
    """What is written before the first and after the last piece of a kind."""
    at = [number for number, token in enumerate(tokens) if token.kind == kind]
    return _literals(tokens[: at[0]]), _literals(tokens[at[-1] + 1 :])


def _literals(tokens: Sequence[_Token]) -> str:
    return "".join(token.text for token in tokens if token.kind not in (",", "digit", "."))


def _decimal_writer(tokens: list[_Token]) -> Writer:
    """Digits with a point, grouping and scaling; literals between digits stay where they are."""
    last = max(number for number, token in enumerate(tokens) if token.kind == "digit")
    point = next((number for number, token in enumerate(tokens) if token.kind == "."), None)
    whole = tokens[:point] if point is not None else tokens[: last + 1]
    rest = tokens[point + 1 :] if point is not None else tokens[last + 1 :]
    first = next((number for number, token in enumerate(whole) if token.kind == "digit"), len(whole))
    scaled = 0
    for token in tokens[last + 1 :]:
        if token.kind != ",":
            break
        scaled += 1
    scale = 100.0 ** sum(token.kind == "%" for token in tokens) / 1000.0**scaled
    grouped = any(token.kind == "," for token in whole[first:])
    places = [token.text for token in rest if token.kind == "digit"][:_MOST_PLACES] if point is not None else []
    kept = max((number for number, sign in enumerate(places, 1) if sign != "#"), default=0)
    least = sum(token.text == "0" for token in whole[first:] if token.kind == "digit")
    before, after = _literals(whole[:first]), _literals(rest)
    between = [token for token in whole[first:] if token.kind in ("digit", "literal")]
    dotted = point is not None
    comma = "," if grouped else ""

    limit = _EXACT / 10.0 ** len(places) / scale

    def rounded(number: float) -> float:
        return number * scale * _NUDGE if number < limit else number * scale

    def write(number: float) -> str:
        digits, _, decimals = f"{rounded(number):.{len(places)}f}".partition(".")
        decimals = decimals[:kept] + decimals[kept:].rstrip("0")
        digits = "" if digits == "0" and least == 0 else digits.rjust(least, "0")
        if any(token.kind == "literal" for token in between):
            digits = _fill(digits, between)
        elif comma and len(digits) > 3:
            digits = f"{int(digits):,}".rjust(least, "0")
        return f"{before}{digits}{'.' if dotted else ''}{decimals}{after}"

    if least == 1 and kept == len(places) and not any(token.kind == "literal" for token in between):
        spec = f"{comma}.{kept}f"
        return lambda number: f"{before}{rounded(number):{spec}}{after}"
    return write


def _fill(digits: str, pieces: Sequence[_Token]) -> str:
    """Digits put into their places from the right, what stands between them kept: `000-00-0000`."""
    left, found = list(digits), list[str]()
    places = sum(piece.kind == "digit" for piece in pieces)
    for piece in reversed(pieces):
        if piece.kind == "literal":
            found.append(piece.text if left or "0" in (one.text for one in pieces) else "")
            continue
        places -= 1
        held = left.pop() if left else "0" if piece.text == "0" else ""
        found.append("".join([*left, held]) if places == 0 else held)
    return "".join(reversed(found))


def _power_writer(tokens: list[_Token]) -> Writer:
    at = next(number for number, token in enumerate(tokens) if token.kind == "power")
    mantissa, exponent = tokens[:at], tokens[at + 1 :]
    point = next((number for number, token in enumerate(mantissa) if token.kind == "."), len(mantissa))
    step = max(1, sum(token.kind == "digit" for token in mantissa[:point]))
    places = sum(token.kind == "digit" for token in mantissa[point:])
    width = sum(token.kind == "digit" for token in exponent)
    plus = "+" if tokens[at].text.endswith("+") else ""
    before, after = _around(mantissa, "digit")[0], _literals(exponent)

    def write(number: float) -> str:
        power = floor(log10(number)) if number else 0
        power -= power % step if step > 1 else 0
        shown = f"{number / 10.0**power * _NUDGE:.{places}f}"
        if float(shown) >= 10.0**step:
            power += step
            shown = f"{number / 10.0**power * _NUDGE:.{places}f}"
        return f"{before}{shown}E{'-' if power < 0 else plus}{abs(power):0{width}d}{after}"

    return write


def _is_fraction(tokens: list[_Token]) -> bool:
    at = next(number for number, token in enumerate(tokens) if token.kind == "/")
    near = (tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None)
    return all(token is not None and (token.kind == "digit" or token.text.isdigit()) for token in near)


def _fraction_writer(tokens: list[_Token]) -> Writer:
    at = next(number for number, token in enumerate(tokens) if token.kind == "/")
    start = at
    while start and tokens[start - 1].kind == "digit":
        start -= 1
    end = at + 1
    while end < len(tokens) and (tokens[end].kind == "digit" or tokens[end].text.isdigit()):
        end += 1
    below = "".join(token.text for token in tokens[at + 1 : end])
    whole = any(token.kind == "digit" for token in tokens[:start])
    before = _literals(tokens[: next(n for n, token in enumerate(tokens) if token.kind == "digit")])
    after = _literals(tokens[end:])

    def write(number: float) -> str:
        units, rest = (floor(number), number - floor(number)) if whole else (0, number)
        if below.isdigit() and below.strip("0"):
            above, under = round(rest * int(below)), int(below)
        else:
            part = Fraction(rest).limit_denominator(10 ** len(below) - 1)
            above, under = part.numerator, part.denominator
        if whole and above == under:
            units, above = units + 1, 0
        shown = [str(units)] if whole and (units or not above) else []
        shown += [f"{above}/{under}"] if above or not whole else []
        return f"{before}{' '.join(shown)}{after}"

    return write


def _date_writer(tokens: list[_Token]) -> Writer:
    halves = any(token.kind == "half" for token in tokens)
    seconds = max((number for number, token in enumerate(tokens) if token.text[:1] == "s"), default=-1)
    places = 0
    if 0 <= seconds < len(tokens) - 1 and tokens[seconds + 1].kind == ".":
        following = tokens[seconds + 2 :]
        places = next((n for n, token in enumerate(following) if token.kind != "digit"), len(following))
    told = [_date_piece(tokens, number) for number, token in enumerate(tokens) if token.kind != "digit"]
    elapsed = any(token.kind == "elapsed" for token in tokens)

    def write(serial: float) -> str:
        passed = round(serial * 86400, places)
        # a 29 February 1900 is counted that never was: days before it are one later
        start = datetime(1899, 12, 31 if serial < 60 and not elapsed else 30)
        moment = start + timedelta(seconds=passed)
        part = f"{passed % 1:.{places}f}"[1:] if places else ""
        return "".join(_write_piece(piece, moment, passed, halves, part) for piece in told)

    return write


def _date_piece(tokens: list[_Token], at: int) -> _Token:
    """A piece of a date; `m` is minutes after hours and before seconds, and a point may lead the parts of a second."""
    token = tokens[at]
    if token.kind == "." and not (at + 1 < len(tokens) and tokens[at + 1].kind == "digit"):
        return _Token("literal", token.text)
    if token.kind == "date" and token.text[0] == "m" and len(token.text) < 3:
        dates = [number for number, one in enumerate(tokens) if one.kind in ("date", "elapsed")]
        here = dates.index(at)
        before = tokens[dates[here - 1]].text[0] if here else ""
        after = tokens[dates[here + 1]].text[0] if here + 1 < len(dates) else ""
        return _Token("date", f"minute{len(token.text)}") if before == "h" or after == "s" else token
    return token


def _write_piece(piece: _Token, moment: datetime, passed: float, halves: bool, part: str) -> str:
    if piece.kind == "half":
        short = len(piece.text) < 5
        return ("A" if moment.hour < 12 else "P") if short else ("AM" if moment.hour < 12 else "PM")
    if piece.kind == "elapsed":
        whole = int(passed) // {"h": 3600, "m": 60, "s": 1}[piece.text[0]]
        return f"{whole:0{len(piece.text)}d}"
    if piece.kind == ".":
        return part
    if piece.kind != "date":
        return piece.text
    hour = (moment.hour % 12 or 12) if halves else moment.hour
    month, day = _MONTHS[moment.month - 1], _DAYS[moment.weekday()]
    shown = {
        "y": f"{moment.year % 100:02d}", "yy": f"{moment.year % 100:02d}", "m": str(moment.month),
        "mm": f"{moment.month:02d}", "mmm": month[:3], "mmmm": month, "mmmmm": month[0], "d": str(moment.day),
        "dd": f"{moment.day:02d}", "ddd": day[:3], "dddd": day, "h": str(hour), "hh": f"{hour:02d}",
        "minute1": str(moment.minute), "minute2": f"{moment.minute:02d}", "s": str(moment.second),
        "ss": f"{moment.second:02d}", "e": str(moment.year), "b": f"{(moment.year + 543) % 100:02d}",
        "bb": f"{(moment.year + 543) % 100:02d}",
    }  # fmt: skip
    if piece.text[0] == "g":
        return ""
    longest = {"y": str(moment.year), "b": str(moment.year + 543), "m": month, "d": day}
    return shown.get(piece.text) or longest.get(piece.text[0]) or shown[piece.text[0] * 2]
