"""Numbers as people write them.

In: a text and the conventions of its grid. Out: the number with its unit and its note marks, or None. Signs, brackets
for negatives, currencies, percent, exponents and thousands by comma, blank, dot or apostrophe are read; ranges,
fractions, ordinals and codes with leading zeros are not numbers. Fails where one grid mixes decimal signs so that
"1,234" means both.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tabellion.patterns import lazy_pattern
from tabellion.values.conventions import ENGLISH, Conventions

_MINUS = "-−–—‐‑‒﹣－"
_CURRENCY = (
    r"US\$|A\$|C\$|CA\$|AU\$|NZ\$|HK\$|NT\$|R\$|S\$|RMB|USD|EUR|GBP|CHF|JPY|CAD|AUD|CNY|SEK|NOK|DKK|[$€£¥￥₹₽₩₺₴₪฿¢]"
)
_SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉᶠᵖʳ"
_PLAIN = str.maketrans(_SUPERSCRIPT, "0123456789abcdefpr")
_NUMBER = lazy_pattern(
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
_SIMPLE = lazy_pattern(r"\d*[.,]?\d+")
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
        return float(f"{whole.replace(',', '').replace('.', '')}.{rest}") if grouped and rest.isdigit() else None
    if commas + dots > 1:
        grouped = (_COMMAS if commas else _DOTS).fullmatch(body)
        return float(body.replace(",", "").replace(".", "")) if grouped else None
    whole, sign, rest = body.partition("," if commas else ".")
    if not (rest.isdigit() and rest.isascii() and (whole.isdigit() or not whole)):
        return None
    if len(rest) == 3 and sign != decimal and 1 <= len(whole) <= 3 and whole[0] != "0":
        return float(whole + rest)
    return None if whole[:1] == "0" and len(whole) > 1 else float(f"{whole or 0}.{rest}")
