"""The words and signs of units and scales, each under the one spelling that tabellion uses.

Patterns are matched without regard to case. English, and the usual German, French and Spanish words.

Signs of physical units and rates that a header has in brackets: "kg/ha", "mg/L", "µg m-3", "EUR/t", "g/100 g". In: what
stands in the brackets. Out: the unit in one spelling, or None. Case counts, since "mW" is no "MW". One letter alone is
a unit only where it is hardly ever a note or a name. Fails on signs that are also words: "in", "min" alone.
"""

from __future__ import annotations

import re

from tabellion.patterns import lazy_pattern

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
_RATE = lazy_pattern(
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
_LONGEST = 40  # letters


def read_sign(text: str) -> str | None:
    """The unit that a sign stands for, in one spelling.

    >>> read_sign("kg / ha"), read_sign("μg m-3"), read_sign("EUR/t"), read_sign("g/100 g"), read_sign("mm")
    ('kg/ha', 'µg m⁻³', '€/t', 'g/100 g', 'mm')
    >>> read_sign("N"), read_sign("min"), read_sign("and/or"), read_sign("M/F")
    (None, None, None, None)
    """
    if len(text) > _LONGEST:
        return None
    text = _PER.sub("/", " ".join(text.replace("μ", "µ").replace("◦", "°").split()))
    if text in _SPELLED:
        return _SPELLED[text]
    if _ALONE.fullmatch(text):
        return text
    if _RATE.fullmatch(text) or (_PRODUCT.fullmatch(text) and _NEGATIVE.search(text)):
        shown = re.sub(r"\s?([/·*×⋅])\s?", r"\1", text)
        shown = _SHOWN_POWER.sub(lambda match: match[1].translate(_RAISED), shown)
        return re.sub("EUR|USD|GBP", lambda match: _MONEY[match[0]], shown)
    return None


SCALES = {
    1e2: r"hundreds?|hunderte?|100s",
    1e3: r"thousands?|thous\.?|thsd\.?|tsd\.?|tausend|milliers?|miles(?= de\b)|(?<=en )miles|1[,. ’']?000|['’]?000s?",
    1e6: r"millions?|millionen|millones|mill?\.|mio\.?|mln\.?|mn|1[,. ’']?000[,. ’']?000",
    1e9: r"billions?|bil\.|bn|milliards?|milliarden|mrd\.?|mia\.?|mil millones|1[,. ’']?000[,. ’']?000[,. ’']?000",
    1e12: r"trillions?|tril\.|billionen",
}
SCALE_WORDS = {1e2: "hundred", 1e3: "thousand", 1e6: "million", 1e9: "billion", 1e12: "trillion"}
SYMBOLS = {
    "%": r"%|％|percent(?:age)?s?|per cent|pct\.?|prozent|pour ?cent|por ?ciento|v\. ?h\.|p\. ?c\.",
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
