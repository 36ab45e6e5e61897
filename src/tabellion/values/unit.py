"""Units and scales that a header, a title or a number format says, each under the one spelling that tabellion uses.

In: a label ("Revenue ($1,000)"), a title ("[In thousands, except percent]") or a spreadsheet format code. Out: a `Unit`
in one spelling whatever the source's: "thousand $", "%", "per 100,000". Words are English, and the usual German, French
and Spanish ones, whatever their case. Fails where a unit is named without a sign of being one: "Acres harvested" has
none.

Signs of physical units and rates that a header has in brackets: "kg/ha", "mg/L", "µg m-3", "EUR/t", "g/100 g". Case
counts, since "mW" is no "MW". One letter alone is a unit only where it is hardly ever a note or a name. Fails on signs
that are also words: "in", "min" alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache, reduce

import msgspec

from tabellion.patterns import lazy_pattern, short_pattern
from tabellion.values.vocabulary import either_of

_PREFIX = r"(?:da|[GMkhdcmµnpTPE])?"
_SIGNS = (
    rf"{_PREFIX}(?:mol|Wh|Pa|Hz|cal|bar|Bq|Sv|eq|[mgslLWJVtA])"
    r"|ha|min|h|hr|d|a|yr|y|sec|ppm|ppb|IU|U|[KMGT]B|°C|°F|°|K|%|in|ft|yd|mi|lb|lbs|oz|bu|bbl|gal|ac|rpm|dB|mmHg"
    r"|bw|Kg|KG|Mbps|kbps"
)
_COUNTED = (
    r"persons?|people|capita|inhabitants?|head|household|unit|units|cells?|day|week|month|year|hour|hectare|acre|litre|liter"
    r"|tonne|ton|kilogram|animal|plant|passengers?"
)
_MONEY = {"EUR": "€", "USD": "US$", "GBP": "£"}
_CURRENCY = r"US\$|[A-Z]{0,2}\$|€|£|¥|₹|EUR|USD|GBP|CHF|JPY|CNY|INR|cents?|ct|¢"
_POWER = r"(?:[²³]|\^?[2-4](?![0-9])|\^?[-−–][1-4](?![0-9])|⁻[¹²³])?"
_FACTOR = rf"(?:(?:{_SIGNS}){_POWER}|{_CURRENCY})(?![A-Za-z0-9µ])"
_BELOW = rf"(?:[0-9]{{1,6}}\s?)?(?:{_FACTOR}|(?:{_COUNTED})(?![A-Za-z0-9]))"
_SIGNS_OF_RATE = lazy_pattern(
    rf"(?:{_FACTOR}|(?:{_COUNTED}))(?:\s?[·*×⋅]\s?{_FACTOR}){{0,2}}(?:\s?/\s?{_BELOW}){{1,3}}(?:\s(?:of\s)?[a-z]{{3,12}}){{0,2}}"
)
_PRODUCT = lazy_pattern(rf"(?:{_FACTOR})(?:\s?[·*×⋅ ]\s?{_FACTOR}){{1,3}}")
_NEGATIVE = lazy_pattern(r"[-−–⁻]\s?[1-4¹²³]")
_ALONE = lazy_pattern(
    r"(?:[GMkhdcmµnpT]?(?:mol|Wh|Pa|Hz|cal)|[GMTkmµ]?(?:W|J|V)|[cmµnk]m|[mµnk]g|[kMG]t|[mµdh][lL]|ms|sec|[gs]|ppm|ppb|dB"
    r"|mmHg|mbar|[KMGT]B|°C|°F|bps?|pp|Kg|KG|rpm|ft|kbps|Mbps)"
)
_SPELLED = {"Kg": "kg", "KG": "kg", "sec": "s", "pp": "percentage points", "p.p.": "percentage points", "bps": "bp"}
_RAISED = str.maketrans("1234-−–", "¹²³⁴⁻⁻⁻")
_SHOWN_POWER = lazy_pattern(r"(?<=[A-Za-z])\^?([-−–]?[1-4])(?![0-9])")
_PER = lazy_pattern(r"\s(?:per|pro|par|por)\s")
_LONGEST_SIGN = 40  # letters


def read_sign(text: str) -> str | None:
    """The unit that a sign stands for, in one spelling.

    >>> read_sign("kg / ha"), read_sign("μg m-3"), read_sign("EUR/t"), read_sign("g/100 g"), read_sign("mm")
    ('kg/ha', 'µg m⁻³', '€/t', 'g/100 g', 'mm')
    >>> read_sign("N"), read_sign("min"), read_sign("and/or"), read_sign("M/F")
    (None, None, None, None)
    """
    if len(text) > _LONGEST_SIGN:
        return None
    text = _PER.sub("/", " ".join(text.replace("μ", "µ").replace("◦", "°").split()))
    if text in _SPELLED:
        return _SPELLED[text]
    if _ALONE.fullmatch(text):
        return text
    if _SIGNS_OF_RATE.fullmatch(text) or (_PRODUCT.fullmatch(text) and _NEGATIVE.search(text)):
        shown = re.sub(r"\s?([/·*×⋅])\s?", r"\1", text)
        shown = _SHOWN_POWER.sub(lambda match: match[1].translate(_RAISED), shown)
        return re.sub("EUR|USD|GBP", lambda match: _MONEY[match[0]], shown)
    return None


SCALES = {
    1e2: r"hundreds?|hunderte?|100s",
    1e3: r"thousands?|thous\.?|thsd\.?|tsd\.?|tausend|milliers?|miles(?= de\b)|(?<=en )miles|milhares|migliaia"
    r"|duizend|tusen|tys\.|tis\.|1[,. ’']?000|['’]?000s?",
    1e6: r"millions?|millionen|millones|milhões|milioni|miljoen|miljoner|mill?\.|mio\.?|mln\.?|mn"
    r"|1[,. ’']?000[,. ’']?000",
    1e9: r"billions?|bil\.|bn|milliards?|milliarden|miliardi|miljard(?:er)?|mrd\.?|mia\.?|mil millones"
    r"|1[,. ’']?000[,. ’']?000[,. ’']?000",
    1e12: r"trillions?|tril\.|billionen",
}
SCALE_WORDS = {1e2: "hundred", 1e3: "thousand", 1e6: "million", 1e9: "billion", 1e12: "trillion"}
SYMBOLS = {
    "%": r"%|％|percent(?:age)?s?|per cent|pct\.?|prozent|procent|pour ?cent|por ?ciento|por ?cento|per ?cento"
    r"|v\. ?h\.|p\. ?c\.",
    "percentage points": r"percentage points?|%[- ]points?|prozentpunkte?|points de pourcentage",
    "‰": r"‰|per mille?|promille",
    "$": r"\$|(?:current |constant |chained )*(?:\(?\d{4}\)? ?)?(?:constant )?dollars?|dol\.?|dólares",
    "US$": r"us ?\$|usd|(?:(?:current|constant|chained) )*(?:\(?\d{4}\)? ?)?u\.?s\.? ?dol(?:lars?|\.)|us-dollar",
    "CA$": r"ca?\$|cad|canadian dollars",
    "AU$": r"au?\$|aud|australian dollars",
    "NZ$": r"nz\$|nzd",
    "€": r"€|eur|euros?",
    "£": r"£|gbp|pounds? sterling",
    "¥": r"¥|￥|yen|jpy|円",
    "CNY": r"cny|rmb|renminbi|yuan",
    "INR": r"inr|₹|rupees?",
    "KRW": r"krw|₩",
    "BRL": r"brl|r\$|reais",
    "ZAR": r"zar",
    "RUB": r"rub|₽|rou?bles?",
    "PLN": r"pln|zł|zlotys?",
    "CZK": r"czk",
    "HUF": r"huf",
    "MXN": r"mxn",
    "SGD": r"sgd|s\$",
    "HKD": r"hkd|hk\$",
    "SAR": r"sar",
    "CHF": r"chf|swiss francs?|franken",
    "NOK": r"nok",
    "SEK": r"sek",
    "DKK": r"dkk",
    "¢": r"¢|cents?",
    "persons": r"persons|people|personen|personnes|personas",
    "kg": r"kg|kilograms?|kilogrammes?",
    "short tons": r"short tons",
    "t": r"t|tons?|tonnes?|metric tons?|tonnen",
    "lb": r"lbs?\.?|pounds?",
    "m": r"m|met(?:er|re)s?",
    "km": r"km|kilomet(?:er|re)s?",
    "km²": r"km2|km²|sq\.? ?km|square kilomet(?:er|re)s?",
    "m²": r"m2|m²|sq\.? ?m|square met(?:er|re)s?",
    "m³": r"m3|m³|cubic met(?:er|re)s?",
    "mi": r"mi\.?|(?:statute )?miles",
    "sq. mi.": r"sq\.? ?mi\.?|square miles?",
    "sq. ft.": r"sq\.? ?f(?:ee)?t\.?|square feet",
    "ha": r"ha|hectares?|hektar",
    "acres": r"acres?",
    "l": r"l|lit(?:er|re)s?",
    "gallons": r"gal\.?|gallons?",
    "bushels": r"bu\.?|bushels?",
    "barrels": r"bbl\.?|barrels?",
    "kW": r"kw|kilowatts?",
    "MW": r"mw|megawatts?",
    "GW": r"gw|gigawatts?",
    "kWh": r"kwh|kilowatt[- ]?hours?",
    "MWh": r"mwh|megawatt[- ]?hours?",
    "GWh": r"gwh|gigawatt[- ]?hours?",
    "TJ": r"tj|terajoules?",
    "PJ": r"pj|petajoules?",
    "Btu": r"btu|british thermal units?",
    "°C": r"°c|degrees celsius",
    "°F": r"°f|degrees fahrenheit",
    "years": r"years|jahre|années|años",
    "hours": r"hours?|hrs?\.?|stunden|heures",
    "days": r"days|tage|jours",
}
MONEY = (
    *("US$", "CA$", "AU$", "NZ$", "HKD", "SGD", "BRL", "$", "€", "£", "¥", "CHF", "NOK", "SEK", "DKK"),
    *("CNY", "INR", "KRW", "ZAR", "RUB", "PLN", "CZK", "HUF", "MXN", "SAR"),
)
WHOLE = {"千円": ("¥", 1e3), "百万円": ("¥", 1e6), "千人": ("persons", 1e3)}  # written as one word


_NAMES, _LEVELS = tuple(SYMBOLS), tuple(SCALES)
_COMPLETE = frozenset({"%", "‰", "percentage points", "¢"})
# Symbols that are everyday words or single letters: a unit only in brackets, with a scale, or as a whole label.
_WEAK = frozenset({"m", "t", "l", "mi", "ha", "persons", "years", "hours", "days", "acres", "lb"})
_ONE = frozenset({"acre", "hectare", "hour", "pound", "ton", "tonne", "meter", "metre", "liter", "litre"})  # one alone
_LONGEST = 60  # letters of a phrase that is a unit
_LOOKED_AT = 300  # letters of a text that may name one


def _choice(prefix: str, patterns: Iterable[str]) -> str:
    return "|".join(f"(?P<{prefix}{number}>{pattern})" for number, pattern in enumerate(patterns))


_WORD_ENDS = r"(?:(?<=[^\W\d])(?![^\W\d])|(?<![^\W\d]))"  # "Mia." is a scale, "Miami" is not
_SCALE = rf"(?:{_choice('scale', SCALES.values())}){_WORD_ENDS}(?![\w,.]*\d)\s*(?:(?:of|d[ei]|d['’])\s*)?"
_PHRASE = lazy_pattern(
    rf"(?:(?:(?:all )?figures |values |angaben |données )?(?:in|e[nm])\s+|units?:?\s*|{either_of('unit')}\s?[:：]\s*)?"
    r"(?:(?:seasonally |not )*(?:un)?adjusted |current |constant )?"
    rf"(?:(?:{_choice('money', (SYMBOLS[name] for name in MONEY))})[\s.]*(?:in\s+|(?P<letter>[kmb])(?!\w))?)?"
    rf"(?:{_SCALE})?"
    rf"(?:(?:{_choice('symbol', SYMBOLS.values())})(?!\w)(?:\s(?P<per>per [^\W\d]+(?: [^\W\d]+)?))?)?",
    re.IGNORECASE,
)
_SCALED_NOUN = lazy_pattern(rf"(?:in\s+)?{_SCALE}(?P<noun>[^\W\d][\w .-]{{1,28}})", re.IGNORECASE)
_SCALED_SIGN = lazy_pattern(rf"(?:in\s+)?{_SCALE}(?P<sign>\S.{{0,38}})", re.IGNORECASE)
_SHORT = lazy_pattern(r"(?P<letter>k|T|M|Mio|Mrd|Bn|bn)\.?\s?(?P<money>€|EUR|US\$|USD|\$|£|GBP|CHF)")
_LETTERS = {"k": 1e3, "t": 1e3, "m": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "mrd": 1e9}
_RATE = lazy_pattern(
    r"\bper (?P<base>1[,. ]?000(?:[,. ]?000)?|10[,. ]?000|100[,. ]?000|100|capita)\b(?![,.]?\d)", re.IGNORECASE
)
_INDEX = lazy_pattern(r"\(?\b((?:1[89]|20)\d\d(?:[-/–]\d{2,4})?\s?=\s?100)\b")
_BRACKETS = lazy_pattern(r"[(\[]([^()\[\]]+)")
_SAID_IN = lazy_pattern(r"(?:^|[\s(\[,;])(in|en|em)\s+(?=\S)", re.IGNORECASE)
_PERCENT = lazy_pattern(
    r"(?<!\d)(?<!\d )(?:%|\b(?:percent(?:age)?|per cent|pct|prozent)\b)(?! points?)|% change", re.IGNORECASE
)
_REPRESENTS = short_pattern(r"\b[\d.,]+ represents [\d.,]+?,(?P<zeros>000(?:,000)*)\b", re.IGNORECASE)
_AMOUNT = lazy_pattern(r"=\s?[\d.,]+$")  # "Area = 1370. sqft"
_DIGITS_ONLY = lazy_pattern(r"[$€£]?\d[\d,. ’']*")
_YEAR = lazy_pattern(r"\b(?:1[89]|20)\d\d$")
_CLAUSES = lazy_pattern(r"(?:(?<!\s)\s+)?[;:]\s*|(?:(?<!\s)\s+)?,\s(?=\D)|\.\s")
_LOCALE_CURRENCY = short_pattern(r"\[\$([^\]\-]*)(?:-[^\]]*)?\]")
_LITERAL = lazy_pattern(r'"([^"]*)"|\\(.)')


class Unit(msgspec.Struct, frozen=True):
    """What a number counts, and by how much it is scaled.

    >>> str(Unit("$", 1000.0)), str(Unit(scale=1e6)), str(Unit("%"))
    ('thousand $', 'million', '%')
    """

    symbol: str | None = None
    scale: float = 1.0

    def __str__(self) -> str:
        words = (SCALE_WORDS.get(self.scale), self.symbol)
        return " ".join(word for word in words if word)

    def within(self, wider: Unit | None) -> Unit:
        """This unit, completed by one that was said further out: "$" within "in thousands" is "thousand $"."""
        if wider is None or self.symbol in _COMPLETE or (self.symbol and self.scale != 1.0):
            return self
        if self.symbol is None:
            return Unit(wider.symbol, self.scale) if wider.symbol not in _COMPLETE else self
        return Unit(self.symbol, wider.scale) if self.symbol in MONEY and wider.symbol in (None, self.symbol) else self


@lru_cache(maxsize=4096)
def find_unit(text: str) -> Unit | None:
    """The unit that a header says, or None.

    >>> str(find_unit("Revenue ($1,000)")), str(find_unit("Milch in Mio. EUR")), str(find_unit("Deaths per 100,000"))
    ('thousand $', 'million €', 'per 100,000')
    """
    text = " ".join(text[:_LOOKED_AT].split())
    said = _stated(text)
    if said:
        return said
    for tail in _tails(text.split(" ")):
        unit = _read_phrase(tail)
        if unit and _holds(unit, tail, text[: -len(tail)].rstrip()):
            return unit
    return Unit("%") if _PERCENT.search(text) else None


@lru_cache(maxsize=4096)
def find_stated_unit(text: str) -> Unit | None:
    """The unit that a title states: in brackets, after "in", by an example of its scale, or as its last clause.

    >>> str(find_stated_unit("[In thousands (1,234 represents 1,234,000), except percent]"))
    'thousand'
    >>> str(find_stated_unit("Waste by material. 1993-2005. 1 000 tonnes"))
    'thousand t'
    """
    text = " ".join(text[:_LOOKED_AT].split())
    said = _stated(text)
    if said:
        return said
    if len({unit for clause in _CLAUSES.split(text) if (unit := _read_phrase(clause))}) > 1:
        return None  # the title lists the units of its columns
    for mark in (", ", ". ", ": "):
        before, _, clause = text.rpartition(mark)
        unit = None if _AMOUNT.search(before) else _read_phrase(clause)
        if unit and (unit.scale != 1 or unit.symbol not in _WEAK):
            return unit
        if _PERCENT.match(clause) and len(clause) < _LONGEST:
            return Unit("%")
    return None


@lru_cache(maxsize=4096)
def find_format_unit(number_format: str) -> Unit | None:
    """The unit of a spreadsheet format code: percent, a currency, a literal unit.

    >>> find_format_unit("0.0%").symbol, find_format_unit("[$€-407] #,##0").symbol, find_format_unit("#,##0")
    ('%', '€', None)
    """
    section = number_format.partition(";")[0]
    literal = "".join(one or other for one, other in _LITERAL.findall(section))
    local = _LOCALE_CURRENCY.search(section)
    bare = _LITERAL.sub("", _LOCALE_CURRENCY.sub("", section))
    if "%" in bare:
        return Unit("%")
    said = (local[1] if local else "", literal, *(sign for sign in "$£€¥" if sign in bare))
    return next((unit for unit in map(_read_phrase, (one.strip() for one in said)) if unit), None)


@lru_cache(maxsize=4096)
def read_unit(text: str) -> Unit | None:
    """The unit that a text is, where it stands in a column of units: a name that is not known is one all the same.

    >>> str(read_unit("kg/MW")), str(read_unit("Mio. EUR")), str(read_unit("EJ/yr")), str(read_unit("pers. / km2"))
    ('kg/MW', 'million €', 'EJ/yr', 'pers. / km2')
    """
    text = " ".join(text[:_LOOKED_AT].split())
    said = _read_bracket(text) if text else None
    return said or (Unit(text) if 0 < len(text) <= _LONGEST else None)


def _stated(text: str) -> Unit | None:
    """What a text says plainly, wherever in it."""
    whole = _read_phrase(text)
    if whole and _holds(whole, text, ""):
        return whole
    rate, index = _RATE.search(text), _INDEX.search(text)
    if rate:
        return Unit(f"per {rate['base'].lower()}")
    if index:
        return Unit(index[1])
    for bracket in _BRACKETS.finditer(text):
        inside = bracket[1].strip()
        plural = len(inside) == 1 and text[: bracket.start()][-1:].isalpha()  # "course(s)"
        unit = None if plural else _read_bracket(inside)
        if unit:
            return unit
    for said in _SAID_IN.finditer(text):
        match = _PHRASE.match(text, said.start(1))
        unit = _unit_of(match) if match else None
        if unit and (unit.scale != 1 or unit.symbol not in _WEAK | {"¢"}):
            return unit
    represents = _REPRESENTS.search(text)
    return Unit(scale=1000.0 ** (1 + represents["zeros"].count(","))) if represents else None


def _read_bracket(inside: str) -> Unit | None:
    """A unit in brackets: as a whole, in parts ("Current $, billions"), or a scale with any noun ("thousand head")."""
    short = _SHORT.fullmatch(inside)
    if short:
        money = _read_phrase(short["money"])
        return Unit(money.symbol if money else None, _LETTERS[short["letter"].lower()])
    unit, sign = _read_phrase(inside) or _read_phrase(inside.strip(" .")), read_sign(inside)
    if unit and (inside in SYMBOLS or inside in WHOLE or len(inside) > 2 or not inside.isalpha()):
        return unit
    if unit or sign:
        return Unit(sign) if sign else None
    if _PERCENT.match(inside):
        return Unit("%")
    scaled = _SCALED_SIGN.fullmatch(inside)
    sign = read_sign(scaled["sign"]) if scaled else None
    if scaled and sign:
        return Unit(sign, _scale_of(scaled))
    parts = [unit for part in _CLAUSES.split(inside) if (unit := _read_phrase(part) or _read_phrase(part.strip(" .")))]
    if parts:
        return reduce(_merge, parts)
    for tail in _tails(inside.split(" ")):
        unit = _read_phrase(tail)
        if unit and unit.scale != 1.0:
            return unit
    noun = _SCALED_NOUN.fullmatch(inside)
    return Unit(noun["noun"].strip(), _scale_of(noun)) if noun else None


def _merge(one: Unit, other: Unit) -> Unit:
    if one.symbol and other.symbol is None and one.scale == 1.0 and one.symbol not in _COMPLETE:
        return Unit(one.symbol, other.scale)
    return one


def _tails(words: list[str]) -> Iterator[str]:
    """The last words, longest first."""
    return (" ".join(words[-count:]) for count in range(min(6, len(words)), 0, -1))


def _holds(unit: Unit, said: str, before: str) -> bool:
    """Whether words at the end of a label, or a whole label, are a unit and not part of a name or a range."""
    if not before and said.casefold() in _ONE:
        return False  # "Acre" is a state
    if _DIGITS_ONLY.fullmatch(said) or (said.isalpha() and len(said) <= 2 and said not in SYMBOLS):
        return False
    if said[0].isalpha() and before[-1:].isdigit() and not _YEAR.search(before) and unit.symbol not in _COMPLETE:
        return False  # "Less than $100 million" is an amount
    if unit.scale != 1.0 or unit.symbol in _COMPLETE or unit.symbol in MONEY:
        return True
    return not before or (unit.symbol not in _WEAK and not before[-1].isdigit())


@lru_cache(maxsize=4096)
def _read_phrase(text: str) -> Unit | None:
    if not text.isascii() and (said := text.rpartition("：")[2].strip()) in WHOLE:
        return Unit(*WHOLE[said])
    match = _PHRASE.fullmatch(text) if 0 < len(text) <= _LONGEST else None
    return _unit_of(match) if match else None


def _unit_of(match: re.Match[str]) -> Unit | None:
    found = {name: text for name, text in match.groupdict().items() if text}
    symbol = next((_NAMES[int(name[6:])] for name in found if name.startswith("symbol")), None)
    money = next((MONEY[int(name[5:])] for name in found if name.startswith("money")), None)
    scale = _LETTERS[found["letter"].lower()] if "letter" in found else _scale_of(match)
    if symbol is None and money is None and scale == 1.0:
        return None
    if "per" in found:
        return Unit(f"{money or symbol} {found['per'].lower()}", scale)
    return Unit(money or symbol, scale)


def _scale_of(match: re.Match[str]) -> float:
    named = (name for name, text in match.groupdict().items() if text and name.startswith("scale"))
    return next((_LEVELS[int(name[5:])] for name in named), 1.0)
