"""A web table as plain arrays, which the features of its header rows and columns are computed from.

In: a `Grid`. Out: a `WebView` of the rows and columns that hold something, with what a span says repeated in all its
cells (OntoMiner 2005, section 4.2.2: the data table cleaner). Rows that one cell fills from side to side are told
apart: titles at the top, notes at the bottom, groups between.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark
from tabellion.model.grid import Content, Grid

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

EMPTY, NUMBER, DATE, YEAR, LABEL, MIXED, LONG, IMAGE, FORM, SIGN = range(10)
KINDS = 10
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"[^\W\d_]{2,}")
_CAPITALS, _SMALL, _DIGITS = re.compile(r"[A-ZÀ-ÖØ-Þ]+"), re.compile(r"[^\W\d_A-ZÀ-ÖØ-Þ]+"), re.compile(r"\d+")
_LONG = 60  # letters from which a text is prose rather than a label
MOST_ROWS = 30  # rows and columns that are looked at: the head and the first rows of the body tell it all
MOST_COLUMNS = 24

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
    text: NDArray[np.object_]
    length: Floats
    heading: Bools
    in_head: Bools
    bold: Bools
    italic: Bools
    size: Floats
    fill: NDArray[np.int64]
    align: NDArray[np.int64]
    under: Bools
    linked: Bools
    indent: Floats
    colon: Bools
    capital: Bools
    upper: Bools
    header_words: Floats
    said: NDArray[np.int64]  # equal numbers for equal texts
    shape: NDArray[np.int64]  # equal numbers for texts of one shape: Aaa, 99.9, AAA-99
    number: Floats


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
    styles = grid.style.ravel()[at]
    looks = grid.styles
    marks = grid.marks.ravel()[at]
    text = grid.label.ravel()[at] if at.size else np.empty(at.shape, dtype=object)
    words: list[str] = text.ravel().tolist()
    told = {word: _tell(word) for word in set(words)}
    numbers = np.array([told[word] for word in words], dtype=np.float64).reshape(*at.shape, 5)
    return WebView(
        grid=grid,
        rows=rows,
        columns=columns,
        titles=lone[lone < first],
        groups=lone[lone > first],
        home=at,
        kind=_kinds(grid, at, text),
        text=text,
        length=numbers[..., 0],
        heading=(marks & Mark.HEADING) > 0,
        in_head=(marks & Mark.IN_HEAD) > 0,
        bold=np.array([style.bold for style in looks])[styles],
        italic=np.array([style.italic for style in looks])[styles],
        size=np.array([style.size for style in looks])[styles],
        fill=_numbered([style.fill for style in looks])[styles],
        align=_numbered([style.align for style in looks])[styles],
        under=np.array([style.border_bottom for style in looks])[styles],
        linked=(marks & Mark.LINK) > 0,
        indent=grid.indent.ravel()[at].astype(np.float64),
        colon=numbers[..., 1] > 0,
        capital=numbers[..., 2] > 0,
        upper=numbers[..., 3] > 0,
        header_words=numbers[..., 4],
        said=_numbered(words).reshape(at.shape),
        shape=_numbered([_shape(word) for word in words]).reshape(at.shape),
        number=grid.number.ravel()[at],
    )


def _tell(text: str) -> tuple[float, float, float, float, float]:
    """Length, whether it ends with a colon, begins with a capital, is all capitals, and the share of header words."""
    if not text:
        return 0.0, 0.0, 0.0, 0.0, 0.0
    return len(text), text.endswith(":"), text[0].isupper(), text.isupper(), header_words(text)


def _shape(text: str) -> str:
    """The look of a text: runs of capitals, small letters and digits as one sign each."""
    return _DIGITS.sub("9", _SMALL.sub("a", _CAPITALS.sub("A", text[:24])))


def _filled_by_one(home: NDArray[np.int32], shown: Bools, columns: NDArray[np.intp]) -> Bools:
    """Rows in which one cell alone stands, from side to side."""
    if len(columns) < 2:
        return np.zeros(len(home), dtype=bool)
    goes_on = np.zeros(home.shape, dtype=bool)
    goes_on[:, 1:] = shown[:, 1:] & shown[:, :-1] & (home[:, 1:] == home[:, :-1])
    runs = (shown & ~goes_on).sum(axis=1)
    return np.asarray((runs == 1) & shown[:, columns[0]] & shown[:, columns[-1]])


def _kinds(grid: Grid, at: NDArray[np.int64], text: NDArray[np.object_]) -> NDArray[np.int64]:
    content = grid.content.ravel()[at]
    number = grid.number.ravel()[at]
    kind = np.zeros(at.shape, dtype=np.int64)
    kind[content == Content.NUMBER] = NUMBER
    whole = (content == Content.NUMBER) & (number >= 1800) & (number <= 2100) & (number == np.floor(number))
    kind[whole] = YEAR
    kind[content == Content.DATE] = DATE
    kind[content == Content.MISSING] = SIGN
    kind[content == Content.IMAGE] = IMAGE
    kind[content == Content.FORM] = FORM
    for row, column in np.argwhere((content == Content.TEXT) | (content == Content.LINK)).tolist():
        word = text[row, column]
        if len(word) > _LONG:
            kind[row, column] = LONG
        elif _DIGIT.search(word):
            kind[row, column] = MIXED
        else:
            kind[row, column] = LABEL if _WORD.search(word) or word.isalpha() else SIGN
    return kind


def _numbered(values: Sequence[str | None]) -> NDArray[np.int64]:
    """Equal values as equal numbers, 0 for none."""
    known: dict[str | None, int] = {None: 0}
    return np.array([known.setdefault(value, len(known)) for value in values], dtype=np.int64)


def header_words(text: str) -> float:
    """The share of the words of a text that often stand in headers."""
    words = _WORD.findall(text.lower())
    return sum(word in HEADER_WORDS for word in words) / len(words) if words else 0.0
