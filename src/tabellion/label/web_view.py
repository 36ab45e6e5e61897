"""A web table as plain arrays, which the features of its header rows and columns are computed from.

In: a `Grid`. Out: a `WebView` of the rows and columns that hold something, with what a span says repeated in all its
cells (OntoMiner 2005, section 4.2.2: the data table cleaner). Rows that one cell fills from side to side are told
apart: titles at the top, notes at the bottom, groups between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark
from tabellion.model.grid import Content, Grid
from tabellion.model.style import Style

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

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
MOST_ROWS = 30  # rows and columns that are looked at: the head and the first rows of the body tell it all
MOST_COLUMNS = 24
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


TRAITS = (
    "heading",
    "in head",
    "linked",
    "bold",
    "italic",
    "size",
    "under",
    "length",
    "colon",
    "capital",
    "upper",
    "header words",
    "indent",
    "fill",
    "align",
)
"""What is held of each cell in `WebView.traits`; fill and align say whether they are not the usual ones."""
SHAPE, FILL, ALIGN, SAID = range(4)  # codes: equal numbers for equal shapes (Aaa, 99.9), fills, alignments and texts


class WebView(msgspec.Struct, frozen=True, eq=False):
    """Rows × columns of a grid that hold something; `rows` and `columns` are the grid's numbers of them.

    Arrays are of the first rows × columns. `home` numbers the cells, equal where one cell spans several slots.
    """

    grid: Grid
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    titles: NDArray[np.intp]  # rows of the grid above the rest that one cell fills
    groups: NDArray[np.intp]  # rows of the grid between or below the rest that one cell fills
    home: NDArray[np.int64]
    kind: NDArray[np.int64]
    traits: Floats  # rows × columns × TRAITS
    codes: NDArray[np.int64]  # SHAPE, FILL, ALIGN, SAID × rows × columns
    number: Floats

    def trait(self, name: str) -> Floats:
        """One trait of every cell."""
        return np.asarray(self.traits[..., TRAITS.index(name)])


def view_web(grid: Grid) -> WebView:
    """The parts of a grid that hold something."""
    home = grid.home
    shown = grid.content.ravel()[home] != Content.EMPTY
    columns = np.flatnonzero(shown.any(axis=0))
    filled_rows = np.flatnonzero(shown.any(axis=1))
    single = _filled_by_one(home[filled_rows], shown[filled_rows], columns)
    several = filled_rows[~single]
    rows = several if len(several) else filled_rows
    first = rows[0] if len(rows) else 0
    lone = filled_rows[single] if len(several) else filled_rows[:0]
    at = home[np.ix_(rows[:MOST_ROWS], columns[:MOST_COLUMNS])].astype(np.int64)
    words: list[str] = grid.label.ravel()[at].ravel().tolist()
    told: dict[str, tuple[float, ...]] = {}
    shapes: dict[str, int] = {}
    for word in dict.fromkeys(words):
        facts, shape = _tell(word)
        told[word] = (*facts, shapes.setdefault(shape, len(shapes)), len(told))
    said = np.array([told[word] for word in words], dtype=np.float64).reshape(*at.shape, 8)
    kind = _kinds(grid, at, said[..., 5].astype(np.int64))
    look = _look_table(grid.styles)[grid.style.ravel()[at]]
    codes = np.stack([said[..., 6], look[..., 4], look[..., 5], said[..., 7]]).astype(np.int64)
    marks = grid.marks.ravel()[at]
    filled = kind[1:] != EMPTY
    usual = [_usual(codes[code][1:][filled]) for code in (FILL, ALIGN)]
    traits = np.empty((*at.shape, len(TRAITS)))
    for number, mark in enumerate((Mark.HEADING, Mark.IN_HEAD, Mark.LINK)):
        traits[..., number] = (marks & mark) > 0
    traits[..., 3:7] = look[..., :4]
    traits[..., 7:12] = said[..., :5]
    traits[..., 12] = grid.indent.ravel()[at]
    traits[..., 13], traits[..., 14] = codes[FILL] != usual[0], codes[ALIGN] != usual[1]
    return WebView(
        grid=grid,
        rows=rows,
        columns=columns,
        titles=lone[lone < first],
        groups=lone[lone > first],
        home=at,
        kind=kind,
        traits=traits,
        codes=codes,
        number=grid.number.ravel()[at],
    )


def _look_table(styles: Sequence[Style]) -> Floats:
    """Of each style: bold, italic, size, a line below, and numbers for its fill and alignment."""
    fills: dict[str | None, int] = {None: 0}
    aligns: dict[str | None, int] = {None: 0}
    return np.array(
        [
            (
                style.bold,
                style.italic,
                style.size,
                style.border_bottom,
                fills.setdefault(style.fill, len(fills)),
                aligns.setdefault(style.align, len(aligns)),
            )
            for style in styles
        ],
        dtype=np.float64,
    )


def _usual(codes: NDArray[np.int64]) -> int:
    return int(np.bincount(codes).argmax()) if len(codes) else 0


@lru_cache(maxsize=KEPT)
def _tell(text: str) -> tuple[tuple[float, float, float, float, float, int], str]:
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


def _filled_by_one(home: NDArray[np.int32], shown: Bools, columns: NDArray[np.intp]) -> Bools:
    """Rows in which one cell alone stands, from side to side; above all others, at the left is enough."""
    if len(columns) < 2:
        return np.zeros(len(home), dtype=bool)
    goes_on = np.zeros(home.shape, dtype=bool)
    goes_on[:, 1:] = shown[:, 1:] & shown[:, :-1] & (home[:, 1:] == home[:, :-1])
    alone = ((shown & ~goes_on).sum(axis=1) == 1) & shown[:, columns[0]]
    leading = np.logical_and.accumulate(alone)
    return np.asarray(alone & (shown[:, columns[-1]] | leading))


_KIND_OF = np.zeros(8, dtype=np.int64)  # by content; texts go by their words
_KIND_OF[[Content.NUMBER, Content.DATE, Content.MISSING, Content.IMAGE, Content.FORM]] = NUMBER, DATE, SIGN, IMAGE, FORM


def _kinds(grid: Grid, at: NDArray[np.int64], by_words: NDArray[np.int64]) -> NDArray[np.int64]:
    content = grid.content.ravel()[at]
    number = grid.number.ravel()[at]
    kind = np.where((content == Content.TEXT) | (content == Content.LINK), by_words, _KIND_OF[content])
    year = (kind == NUMBER) & (number >= 1800) & (number <= 2100) & (number == np.floor(number))
    return np.where(year, YEAR, kind)


def header_words(text: str) -> float:
    """The share of the words of a text that often stand in headers."""
    words = _WORD.findall(text.lower())
    return sum(word in HEADER_WORDS for word in words) / len(words) if words else 0.0
