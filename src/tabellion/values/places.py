"""Countries and their states by the names, abbreviations and codes that labels use.

In: a label. Out: the place with its ISO 3166 code: `DE`, `US-CA`. The names are those of `places.txt`: countries in
English with their usual variants, states of the United States, Canada, Australia, Germany, the United Kingdom and
Japan. Fails on names in other languages, on counties and cities, and on a code of two letters that is both a state and
a country, which the labels beside it must decide (`CA`).
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

import msgspec

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
