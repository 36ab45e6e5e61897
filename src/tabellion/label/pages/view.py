"""Web and printed tables as plain arrays, from which the features of headers are computed.

In: grids. Out: a `WebView` of each, of the rows and columns that hold something, with what a span says repeated in all
its cells (OntoMiner 2005, section 4.2.2: the data table cleaner). Rows that one cell fills from side to side are told
apart: titles at the top, notes at the bottom, groups between. The slots of all tables stand in the same arrays
(`WebViews`), so that the tables of a page cost little more calls than one.

What the texts of a web table are like: their kinds, shapes, and the words that headers are made of. In: the text of a
cell. Out: a few numbers and its shape, computed once for each distinct text. Fails on headers in languages whose words
are not among those listed: they are told by the rest alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark
from tabellion.model.grid import Content, Grid
from tabellion.values.date import may_be_years
from tabellion.values.vocabulary import words_for

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

HEADER_WORDS = frozenset(words_for("head"))


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


Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_ROWS = 30  # rows and columns that are looked at: the head and the first rows of the body tell it all
MOST_COLUMNS = 24
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
_MARKS = np.array([Mark.HEADING, Mark.IN_HEAD, Mark.LINK], dtype=np.uint8)


class WebView(msgspec.Struct, frozen=True, eq=False):
    """Rows × columns of a grid that hold something; `rows` and `columns` are the grid's numbers of them.

    Arrays are of the first rows × columns. `home` numbers the cells, equal where one cell spans several slots.
    """

    grid: Grid
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    titles: NDArray[np.intp]  # rows of the grid above the rest that one cell fills
    groups: NDArray[np.intp]  # rows of the grid between or below the rest that one cell fills
    shown: Bools  # slots of the grid, all of them, that hold something
    home: Ints
    kind: Ints
    traits: Floats  # rows × columns × TRAITS
    codes: Ints  # SHAPE, FILL, ALIGN, SAID × rows × columns

    def trait(self, name: str) -> Floats:
        """One trait of every cell."""
        return np.asarray(self.traits[..., TRAITS.index(name)])


class WebViews(msgspec.Struct, frozen=True, eq=False):
    """Several tables, and their slots one after the other, row by row: what the views of the tables are parts of."""

    tables: tuple[WebView, ...]
    shapes: Ints  # rows and columns of the tables that have slots at all
    home: Ints
    kind: Ints
    traits: Floats  # slots × TRAITS
    codes: Ints  # SHAPE, FILL, ALIGN, SAID × slots
    number: Floats


class _Parts(msgspec.Struct, frozen=True, eq=False):
    """The lines of a grid that hold something, and the first cells of the spans in the slots that are looked at."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    titles: NDArray[np.intp]
    groups: NDArray[np.intp]
    home: NDArray[np.int32]
    shown: Bools


def view_tables(grids: Sequence[Grid]) -> WebViews:
    """The parts of grids that hold something."""
    parts = [_find_parts(grid) for grid in grids]
    shapes = np.array([part.home.shape for part in parts], dtype=np.int64).reshape(-1, 2)
    sizes = shapes.prod(axis=1)
    ends = sizes.cumsum()
    table = np.repeat(np.arange(len(grids)), sizes)

    def gather(name: str) -> NDArray[Any]:
        held = [getattr(grid, name).ravel()[part.home].ravel() for grid, part in zip(grids, parts, strict=True)]
        return np.concatenate(held)

    number, said = gather("number"), _facts(gather("label").tolist())
    kind = _kinds(gather("content"), number, said[:, 5].astype(np.int64))
    styles = np.array([len(grid.styles) for grid in grids])
    look = _looks(grids)[gather("style") + (styles.cumsum() - styles)[table]]
    codes = np.stack([said[:, 6], look[:, 4], look[:, 5], said[:, 7]]).astype(np.int64)
    below = (np.arange(len(table)) - (ends - sizes)[table] >= shapes[table, 1]) & (kind != EMPTY)
    traits = np.empty((len(table), len(TRAITS)))
    traits[:, :3] = (gather("marks")[:, None] & _MARKS) > 0
    traits[:, 3:7] = look[:, :4]
    traits[:, 7:12] = said[:, :5]
    traits[:, 12] = gather("indent")
    traits[:, 13:] = (codes[_LOOKS] != _usual(codes[_LOOKS], table, below, len(grids))[:, table]).T
    home = np.concatenate([part.home.ravel() for part in parts]).astype(np.int64)
    views = tuple(
        WebView(
            grid=grid,
            rows=part.rows,
            columns=part.columns,
            titles=part.titles,
            groups=part.groups,
            shown=part.shown,
            home=home[start:end].reshape(part.home.shape),
            kind=kind[start:end].reshape(part.home.shape),
            traits=traits[start:end].reshape(*part.home.shape, len(TRAITS)),
            codes=codes[:, start:end].reshape(len(codes), *part.home.shape),
        )
        for grid, part, start, end in zip(grids, parts, (ends - sizes).tolist(), ends.tolist(), strict=True)
    )
    return WebViews(views, shapes[sizes > 0], home, kind, traits, codes, number)


def _find_parts(grid: Grid) -> _Parts:
    home = grid.home
    shown: Bools = np.asarray(grid.content.ravel()[home] > 0)
    columns, filled_rows = np.flatnonzero(shown.any(axis=0)), np.flatnonzero(shown.any(axis=1))
    single = _filled_by_one(home[filled_rows], shown[filled_rows], columns)
    several = filled_rows[~single]
    rows = several if len(several) else filled_rows
    first = rows[0] if len(rows) else 0
    lone = filled_rows[single] if len(several) else filled_rows[:0]
    seen = home[rows[:MOST_ROWS, None], columns[:MOST_COLUMNS]]
    return _Parts(rows, columns, lone[lone < first], lone[lone > first], seen, shown)


def _filled_by_one(home: NDArray[np.int32], shown: Bools, columns: NDArray[np.intp]) -> Bools:
    """Rows in which one cell alone stands, from side to side; above all others, at the left is enough."""
    if len(columns) < 2:
        return np.zeros(len(home), dtype=bool)
    begins = shown.copy()
    begins[:, 1:] &= ~shown[:, :-1] | (home[:, 1:] != home[:, :-1])
    alone = (begins.sum(axis=1) == 1) & shown[:, columns[0]]
    leading = np.logical_and.accumulate(alone)
    return np.asarray(alone & (shown[:, columns[-1]] | leading))


def _facts(words: list[str]) -> Floats:
    """Of each text what `tell_text` says, a number for its shape and one for itself."""
    told: list[tuple[float, ...]] = []
    numbers: dict[str, int] = {}
    shapes: dict[str, int] = {}
    for word in dict.fromkeys(words):
        facts, shape = tell_text(word)
        numbers[word] = len(told)
        told.append((*facts, shapes.setdefault(shape, len(shapes)), len(told)))
    return np.array(told, dtype=np.float64).reshape(-1, 8)[[numbers[word] for word in words]]


def _looks(grids: Sequence[Grid]) -> Floats:
    """Of each style of each grid: bold, italic, size, a line below, and numbers for its fill and alignment."""
    found: list[tuple[float, ...]] = []
    for grid in grids:
        fills: dict[str | None, int] = {None: 0}
        aligns: dict[str | None, int] = {None: 0}
        for style in grid.styles:
            fill = fills.setdefault(style.fill, len(fills))
            align = aligns.setdefault(style.align, len(aligns))
            found.append((style.bold, style.italic, style.size, style.border_bottom, fill, align))
    return np.array(found, dtype=np.float64)


def _usual(codes: Ints, table: Ints, among: Bools, tables: int) -> Ints:
    """The commonest of each table's codes, among some slots; of several the lowest, nought where there are none."""
    most = int(codes.max(initial=0)) + 1
    keys = table[among] * most + codes[:, among]
    counts = [np.bincount(key, minlength=tables * most).reshape(tables, most) for key in keys]
    return np.asarray(np.array(counts).argmax(axis=2))


_LOOKS = [FILL, ALIGN]
_KIND_OF = np.zeros(8, dtype=np.int64)  # by content; texts go by their words
_KIND_OF[[Content.NUMBER, Content.DATE, Content.MISSING, Content.IMAGE, Content.FORM]] = NUMBER, DATE, SIGN, IMAGE, FORM
_IS_WORDS = np.isin(np.arange(len(Content)), (Content.TEXT, Content.LINK))


def _kinds(content: NDArray[np.uint8], number: Floats, by_words: Ints) -> Ints:
    kind = np.where(_IS_WORDS[content], by_words, _KIND_OF[content])
    return np.where((kind == NUMBER) & may_be_years(number), YEAR, kind)
