"""What the texts of a web table are like: their kinds, shapes, and the words that headers are made of.

In: the text of a cell. Out: a few numbers and its shape, computed once for each distinct text. Fails on headers in
languages whose words are not among those listed: they are told by the rest alone.
"""

from __future__ import annotations

import re
from functools import lru_cache

EMPTY, NUMBER, DATE, YEAR, LABEL, MIXED, LONG, IMAGE, FORM, SIGN, MEASURE = range(11)
KINDS = 11
KIND_NAMES = (
    "numbers",
    "dates",
    "years",
    "labels",
    "mixed",
    "long",
    "images",
    "forms",
    "signs",
    "measures",
)  # but the empty one
_MEASURE = re.compile(r"[^\w\s]{0,3}\s?\d[\d.,/:–-]*\s?[^\W\d]{0,12}\W?(?:\s|$)")  # a number with its unit
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CAPITALS, _SMALL, _DIGITS = re.compile(r"[A-ZÀ-ÖØ-Þ]+"), re.compile(r"[^\W\d_A-ZÀ-ÖØ-Þ]+"), re.compile(r"\d+")
_LONG = 60  # letters from which a text is prose rather than a label
KEPT = 10_000  # texts whose facts are kept: the tables of a page say the same again and again

_HEADER_WORDS = """
    name names title date year years month day time type kind size price cost amount total number no nr num id code
    rank pos position place location address city state country region area population phone fax email website url
    description desc notes note comment comments remarks status category class group team player score result results
    points pts games wins losses won lost played goals for against average avg min max mean median rate ratio percent
    percentage change value values unit units quantity qty weight height length width volume color colour model brand
    manufacturer product item items part version release released author authors artist album publisher genre language
    format duration season episode director producer network channel event venue opponent attendance winner votes
    party candidate district county province capital currency symbol company organization institution school
    university department course credits grade level age sex gender nationality club from to start end begin opened
    closed built completed floors source reference ref refs references link links image photo picture file download
    views replies topic posts datum jahr monat tag zeit preis betrag anzahl gesamt summe beschreibung bezeichnung typ
    art größe farbe stadt land ort platz verein spiele punkte tore ergebnis bemerkung wert einheit menge gewicht länge
    breite höhe nummer titel nom prénom année mois jour heure lieu ville pays région prix montant nombre taille
    couleur poids largeur hauteur rang fecha año mes hora lugar ciudad país precio cantidad tamaño peso equipo puntos
    resultado título autor nome data anno mese luogo città paese prezzo quantità squadra punti titolo autore nazwa rok
    miejsce cena liczba trainer owner breeder horse purpose command option function method parameter argument field
    property attribute feature details detail info information specification specifications spec member members role
    job occupation birth death born died nickname abbreviation airport station route line stop departure arrival
    street zip postal latitude longitude elevation depth temperature speed distance frequency power voltage capacity
    material stock availability rating review reviews sales revenue profit budget gross income expenses assets
    liabilities shares dividend yield interest balance round race driver car laps grid crew rider jockey conference
    division record overall home away pct
"""
HEADER_WORDS = frozenset(_HEADER_WORDS.split())


@lru_cache(maxsize=KEPT)
def tell_text(text: str) -> tuple[tuple[float, float, float, float, float, int], str]:
    """Length, whether it ends with a colon, begins with a capital, is all capitals, header words, kind; its shape."""
    if not text:
        return (0.0, 0.0, 0.0, 0.0, 0.0, SIGN), ""
    if len(text) > _LONG:
        kind = LONG
    elif _DIGIT.search(text):
        kind = MEASURE if _MEASURE.match(text) else MIXED
    else:
        kind = LABEL if _WORD.search(text) or text.isalpha() else SIGN
    facts = (len(text), text.endswith(":"), text[0].isupper(), text.isupper(), header_words(text), kind)
    return facts, _shape(text)


def _shape(text: str) -> str:
    """The look of a text: runs of capitals, small letters and digits as one sign each."""
    return _DIGITS.sub("9", _SMALL.sub("a", _CAPITALS.sub("A", text[:24])))


def header_words(text: str) -> float:
    """The share of the words of a text that often stand in headers."""
    words = _WORD.findall(text.lower())
    return sum(word in HEADER_WORDS for word in words) / len(words) if words else 0.0
