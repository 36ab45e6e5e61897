"""Units and scales that a header, a title or a number format says.

In: a label ("Revenue ($1,000)"), a title ("[In thousands, except percent]") or a spreadsheet format code. Out: a `Unit`
in one spelling whatever the source's: "thousand $", "%", "per 100,000". English, and the usual German, French and
Spanish words. Fails where a unit is named without a sign of being one: "Acres harvested" has none.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

_SCALES = {
    1e2: r"hundreds?|hunderte?|100s",
    1e3: r"thousands?|thous\.?|thsd\.?|tsd\.?|tausend|milliers?|miles(?= de\b)|(?<=en )miles|1[,. ’']?000|['’]?000s?",
    1e6: r"millions?|millionen|millones|mill?\.|mio\.?|mln\.?|mn|1[,. ’']?000[,. ’']?000",
    1e9: r"billions?|bil\.|bn|milliards?|milliarden|mrd\.?|mia\.?|mil millones|1[,. ’']?000[,. ’']?000[,. ’']?000",
    1e12: r"trillions?|tril\.|billionen",
}
_SCALE_WORDS = {1e2: "hundred", 1e3: "thousand", 1e6: "million", 1e9: "billion", 1e12: "trillion"}
_SYMBOLS = {
    "%": r"%|％|percent(?:age)?s?|per cent|pct\.?|prozent|pour ?cent|por ?ciento|v\. ?h\.|p\. ?c\.",
    "percentage points": r"percentage points?|%[- ]points?|prozentpunkte?|points de pourcentage",
    "‰": r"‰|per mille?|promille",
    "$": r"\$|(?:current |constant |chained )*(?:\(?\d{4}\)? ?)?(?:constant )?dollars?|dol\.?|dólares",
    "US$": r"us ?\$|usd|u\.?s\.? ?dol(?:lars?|\.)|us-dollar",
    "CA$": r"ca?\$|cad|canadian dollars",
    "AU$": r"au?\$|aud|australian dollars",
    "NZ$": r"nz\$|nzd",
    "€": r"€|eur|euros?",
    "£": r"£|gbp|pounds? sterling",
    "¥": r"¥|￥|yen|jpy|円",
    "CHF": r"chf|swiss francs?|franken",
    "NOK": r"nok",
    "SEK": r"sek",
    "DKK": r"dkk",
    "¢": r"¢|cents?",
    "persons": r"persons?|people|personen|personnes|personas",
    "kg": r"kg|kilograms?|kilogrammes?",
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
_SHORT = frozenset({"m", "t", "l", "mi", "ha", "persons", "years", "hours", "days", "acres", "lb"})
_NAMES = tuple(_SYMBOLS)
_LEVELS = tuple(_SCALES)


def _choice(prefix: str, patterns: tuple[str, ...]) -> str:
    return "|".join(f"(?P<{prefix}{number}>{pattern})" for number, pattern in enumerate(patterns))


_CURRENCIES = tuple(
    _SYMBOLS[name] for name in ("US$", "CA$", "AU$", "NZ$", "$", "€", "£", "¥", "CHF", "NOK", "SEK", "DKK")
)
_CURRENCY_NAMES = ("US$", "CA$", "AU$", "NZ$", "$", "€", "£", "¥", "CHF", "NOK", "SEK", "DKK")
_PHRASE = re.compile(
    r"(?:(?:all figures |figures |values |angaben |données )?(?:in|en)\s+|units?:?\s*|unité\s?:\s*|einheit:\s*)?"
    r"(?:(?:seasonally |not )*(?:un)?adjusted |current |constant )?"
    rf"(?:(?:{_choice('money', _CURRENCIES)})[\s.]*(?:in\s+)?)?"
    rf"(?:(?:{_choice('scale', tuple(_SCALES.values()))})(?![\w,.]*\d)\s*(?:(?:of|de|d['’])\s*)?)?"
    rf"(?:(?:{_choice('symbol', tuple(_SYMBOLS.values()))})(?!\w)(?:\s(?P<per>per [^\W\d]+(?: [^\W\d]+)?))?)?",
    re.IGNORECASE,
)
_RATE = re.compile(
    r"\bper (?P<base>1[,. ]?000(?:[,. ]?000)?|10[,. ]?000|100[,. ]?000|100|capita)\b(?![,.]?\d)", re.IGNORECASE
)
_INDEX = re.compile(r"\(?\b((?:1[89]|20)\d\d(?:[-/–]\d{2,4})?\s?=\s?100)\b")
_BRACKETS = re.compile(r"[(\[]([^()\[\]]+)")
_SAID_IN = re.compile(r"(?:^|[\s(\[,;])(in|en)\s+(?=\S)", re.IGNORECASE)
_PERCENT_FIRST = re.compile(r"(?:percent(?:age)?|per cent|pct\.?|%|prozent)\b(?! points?)|%", re.IGNORECASE)
_REPRESENTS = re.compile(r"\b[\d.,]+ represents [\d.,]+?,(?P<zeros>000(?:,000)*)\b", re.IGNORECASE)
_DIGITS_ONLY = re.compile(r"[$€£]?\d[\d,. ’']*")
_LOCALE_CURRENCY = re.compile(r"\[\$([^\]\-]*)(?:-[^\]]*)?\]")
_LITERAL = re.compile(r'"([^"]*)"|\\(.)')


class Unit(msgspec.Struct, frozen=True):
    """What a number counts, and by how much it is scaled.

    >>> str(Unit("$", 1000.0)), str(Unit(scale=1e6)), str(Unit("%"))
    ('thousand $', 'million', '%')
    """

    symbol: str | None = None
    scale: float = 1.0

    def __str__(self) -> str:
        words = (_SCALE_WORDS.get(self.scale), self.symbol)
        return " ".join(word for word in words if word)

    def within(self, wider: Unit | None) -> Unit:
        """This unit, completed by one that was said further out: "$" within "in thousands" is "thousand $"."""
        if wider is None or self.symbol in _COMPLETE or (self.symbol and self.scale != 1.0):
            return self
        if self.symbol is None:
            return Unit(wider.symbol, self.scale) if wider.symbol not in _COMPLETE else self
        return Unit(self.symbol, wider.scale) if self.symbol in _MONEY and wider.symbol in (None, self.symbol) else self


_MONEY = frozenset(_CURRENCY_NAMES)
_COMPLETE = frozenset({"%", "‰", "percentage points", "¢"})


@lru_cache(maxsize=4096)
def find_unit(text: str) -> Unit | None:
    """The unit that a header says, or None.

    >>> str(find_unit("Revenue ($1,000)")), str(find_unit("Milch in Mio. EUR")), str(find_unit("Deaths per 100,000"))
    ('thousand $', 'million €', 'per 100,000')
    """
    text = " ".join(text.split())
    said = find_stated_unit(text)
    if said:
        return said
    if _PERCENT_FIRST.match(text):
        return Unit("%")
    for tail in _tails(text):
        unit = _read_phrase(tail)
        if unit and not _DIGITS_ONLY.fullmatch(tail) and (unit.symbol not in _SHORT or unit.scale != 1 or tail == text):
            return unit
    return None


@lru_cache(maxsize=4096)
def find_stated_unit(text: str) -> Unit | None:
    """The unit that a title or a longer text states: in brackets, after "in", or by an example of its scale.

    >>> str(find_stated_unit("[In thousands (1,234 represents 1,234,000), except percent]"))
    'thousand'
    """
    text = " ".join(text.split())
    whole = _read_phrase(text)
    if whole and not _DIGITS_ONLY.fullmatch(text):
        return whole
    rate, index = _RATE.search(text), _INDEX.search(text)
    if rate:
        return Unit(f"per {rate['base'].lower()}")
    if index:
        return Unit(index[1])
    for bracket in _BRACKETS.finditer(text):
        inside = bracket[1].strip()
        for part in (inside, *re.split(r"\s*[;:]\s*|\s*,\s(?=\D)|\.\s", inside)):
            unit = _read_phrase(part) or _read_phrase(part.strip(" ."))
            if unit:
                return unit
    for said in _SAID_IN.finditer(text):
        match = _PHRASE.match(text, said.start(1))
        unit = _unit_of(match) if match else None
        if unit and unit.symbol not in _SHORT | {"¢"}:
            return unit
    represents = _REPRESENTS.search(text)
    return Unit(scale=1000.0 ** (1 + represents["zeros"].count(","))) if represents else None


@lru_cache(maxsize=4096)
def find_format_unit(number_format: str) -> Unit | None:
    """The unit of a spreadsheet format code: percent, a currency, a literal unit.

    >>> find_format_unit("0.0%").symbol, find_format_unit("[$€-407] #,##0").symbol, find_format_unit("#,##0")
    ('%', '€', None)
    """
    section = number_format.partition(";")[0]
    literal = "".join(one or other for one, other in _LITERAL.findall(section)).strip()
    local = _LOCALE_CURRENCY.search(section)
    bare = _LITERAL.sub("", _LOCALE_CURRENCY.sub("", section))
    if "%" in bare:
        return Unit("%")
    for said in (
        local[1] if local else "",
        literal,
        "$" if "$" in bare else "",
        "£" if "£" in bare else "",
        "€" if "€" in bare else "",
    ):
        unit = _read_phrase(said.strip()) if said.strip() else None
        if unit:
            return unit
    return None


def _tails(text: str) -> list[str]:
    """The last part after a comma or colon, then the last words, longest first."""
    words = text.split(" ")
    return [
        re.split(r"[,:]\s+", text)[-1],
        *(" ".join(words[-count:]) for count in range(6, 0, -1) if count <= len(words)),
    ]


def _read_phrase(text: str) -> Unit | None:
    match = _PHRASE.fullmatch(text) if 0 < len(text) <= 60 else None
    return _unit_of(match) if match else None


def _unit_of(match: re.Match[str]) -> Unit | None:
    found = {name: text for name, text in match.groupdict().items() if text}
    symbol = next((_NAMES[int(name[6:])] for name in found if name.startswith("symbol")), None)
    money = next((_CURRENCY_NAMES[int(name[5:])] for name in found if name.startswith("money")), None)
    scale = next((_LEVELS[int(name[5:])] for name in found if name.startswith("scale")), 1.0)
    if symbol is None and money is None and scale == 1.0:
        return None
    if "per" in found:
        symbol = f"{money or symbol} {found['per'].lower()}"
    return Unit(symbol if "per" in found else money or symbol, scale)
