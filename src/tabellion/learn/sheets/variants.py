"""Sheets made from real ones, to learn from variety: never to be measured on.

In: grids of the corpora and where their tables lie. Out: grids with the same tables laid out anew, by chance but always
the same: stacked with their own heads, side by side, three with blank bands between, with titles and notes, without
formatting, with lines of notes between, with blank rows inside a table and remarks beside one; and where the tables lie
there. A row of a relation, with what its heads call it, becomes a form. A single sheet is varied too: without its blank
rows, with its titles merged over all columns.
One office always leaves a line free below a title, another never does; what is learned must not lean on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import Content, Grid
from tabellion.model.place import Rect
from tabellion.model.stated import UNMARKED
from tabellion.model.style import PLAIN

MOST_ROWS = 40  # of a table that are pasted
TITLES = ("Table {n}", "Table {n}. {word}", "{word}", "{word}, by kind, last year")
NOTES = ("Source: {word}", "Note: figures are provisional.", "1 {word}", "* {word}")
REMARKS = ("see note", "checked", "provisional", "Please do not add rows", "n.b.")
REMARKED, BANDED = 0.15, 0.3  # how many sheets have a remark at the right, blank rows inside tables
LEAST_FIELDS, MOST_FIELDS = 3, 25  # of a form
LEAST_BAND = 3  # rows of a table above and below blank ones inside it


class Piece(msgspec.Struct, frozen=True, eq=False):
    """A table of a grid, and the corpus that it is of."""

    grid: Grid
    rect: Rect
    corpus: str

    @property
    def height(self) -> int:
        return min(self.rect.bottom - self.rect.top + 1, MOST_ROWS)

    @property
    def width(self) -> int:
        return self.rect.right - self.rect.left + 1


class Made(msgspec.Struct, frozen=True, eq=False):
    """A made grid and the tables on it."""

    grid: Grid
    tables: tuple[Rect, ...]


def plain(grid: Grid) -> Grid:
    """The grid as delimited text shows it: no looks, no indents, no merged areas."""
    return msgspec.structs.replace(
        grid,
        style=np.zeros_like(grid.style),
        styles=(PLAIN,),
        indent=np.zeros_like(grid.indent),
        spans=np.zeros((0, 4), dtype=np.int32),
        marks=np.zeros_like(grid.marks),
    )


def closed(grid: Grid) -> tuple[Grid, NDArray[np.intp]]:
    """The grid without its blank rows, and which rows of it stay."""
    kept = np.flatnonzero((grid.content.ravel()[grid.home] != Content.EMPTY).any(axis=1))
    return _laid(grid, kept), kept


def merge_titles(grid: Grid, rows: Sequence[int]) -> Grid:
    """The grid with lone texts at its left, in some rows, merged over all columns."""
    spans = [(row, left, 1, right - left + 1) for row, left, right in _lone_texts(grid, rows)]
    added = np.array([*grid.spans.tolist(), *spans], dtype=np.int32).reshape(-1, 4)
    return msgspec.structs.replace(grid, spans=added[np.lexsort((added[:, 1], added[:, 0]))])


def _lone_texts(grid: Grid, rows: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Rows that say one thing, in the first column that is used and in no span, with the first and last such column."""
    columns = np.flatnonzero(grid.filled.any(axis=0))
    for row in rows:
        said = np.flatnonzero(grid.filled[row])
        if len(said) == 1 and said[0] == columns[0] and (row, int(said[0])) not in grid.span_at and len(columns) > 1:
            yield row, int(columns[0]), int(columns[-1])


def _laid(grid: Grid, source: NDArray[np.intp]) -> Grid:
    """The grid with other rows: those of it that `source` names, blank ones at -1; merged areas keep what is left."""
    at = {int(row): place for place, row in enumerate(source) if row >= 0}
    empty: dict[str, object] = {"text": "", "label": "", "number": np.nan}
    arrays = {}
    for name in ("text", "label", "content", "number", "style", "indent", "marks"):
        array = getattr(grid, name)[source]
        array[source < 0] = empty.get(name, 0)
        arrays[name] = array
    spans = [
        (at[row], column, sum(row + step in at for step in range(down)), across)
        for row, column, down, across in grid.spans.tolist()
        if row in at
    ]
    return msgspec.structs.replace(
        grid,
        **arrays,
        spans=np.array(spans, dtype=np.int32).reshape(-1, 4),
        row_of=np.arange(len(source), dtype=np.int32),
        hidden_rows=np.zeros(len(source), dtype=bool),
        notes={},
        marked=UNMARKED,
    )


def make_sheet(pieces: Sequence[Piece], chance: Random) -> Made:
    """Two or three tables on one sheet: stacked, or side by side, with what stands around tables."""
    placed: list[tuple[Piece, int, int]] = []
    texts: list[tuple[int, int, str]] = []
    beside = chance.random() < 0.5
    row = column = 0
    if chance.random() < 0.5:
        texts.append((0, 0, _words(TITLES, pieces[0], chance, 1)))
        row = chance.choice((1, 2))
    top, lowest = row, row
    for number, piece in enumerate(pieces, 1):
        at = top if beside else row
        if chance.random() < 0.4:
            texts.append((at, column, _words(TITLES, piece, chance, number)))
            at += chance.choice((1, 2))
        placed.append((piece, at, column))
        row = at + piece.height
        if chance.random() < 0.3 and not beside:
            texts.append((row + chance.choice((0, 1)), column, _words(NOTES, piece, chance, number)))
            row += 2
        lowest = max(lowest, row)
        row += chance.choice((1, 1, 2, 3))
        column += piece.width + chance.choice((1, 1, 2)) if beside else 0
    if chance.random() < REMARKED:
        last, at, across = placed[-1]
        texts.append((at + chance.randrange(last.height), across + last.width + 1, chance.choice(REMARKS)))
    grid = _paste(placed, texts)
    rects = tuple(_filled_rect(grid, at, across, piece) for piece, at, across in placed)
    made = Made(plain(grid) if chance.random() < 0.5 else grid, rects)
    return _banded(made, chance) if chance.random() < BANDED else made


def form_of(piece: Piece, chance: Random) -> Piece | None:
    """One row of a relation as a form: what its heads say, one below the other, with what the row says beside it.

    None where the first row has no heads that differ, or no row fills all columns with words and other things.
    """
    grid, rect = piece.grid, piece.rect
    columns = list(range(rect.left, rect.right + 1))
    labels = [str(label) for label in grid.label[rect.top, columns]]
    if not LEAST_FIELDS <= len(columns) <= MOST_FIELDS or len(set(labels)) < len(labels):
        return None
    if not (grid.content[rect.top, columns] == Content.TEXT).all():
        return None
    body = grid.content[rect.top + 1 : rect.top + piece.height, columns]
    mixed = (
        (body == Content.TEXT).any(axis=1) & (body != Content.TEXT).any(axis=1) & (body != Content.EMPTY).all(axis=1)
    )
    rows = (np.flatnonzero(mixed) + rect.top + 1).tolist()
    if not rows:
        return None
    pair = [rect.top, chance.choice(rows)]
    arrays = {
        name: getattr(grid, name)[np.ix_(pair, columns)].T.copy()
        for name in ("text", "label", "content", "number", "style", "indent", "marks")
    }
    size = {"row_of": len(columns), "column_of": 2}
    lines = {name: np.arange(count, dtype=np.int32) for name, count in size.items()}
    hidden = {"hidden_rows": np.zeros(len(columns), dtype=bool), "hidden_columns": np.zeros(2, dtype=bool)}
    spans = np.zeros((0, 4), dtype=np.int32)
    turned = msgspec.structs.replace(grid, **arrays, **lines, **hidden, spans=spans, notes={}, marked=UNMARKED)
    return Piece(turned, Rect(0, 0, len(columns) - 1, 1), piece.corpus)


def _banded(made: Made, chance: Random) -> Made:
    """The sheet with blank rows inside its tables, where no merged area stands in the way: each stays one table."""
    tied = {row + step for row, _, down, _ in made.grid.spans.tolist() for step in range(1, down)}
    inside = {row for rect in made.tables for row in range(rect.top + LEAST_BAND, rect.bottom - LEAST_BAND + 2)} - tied
    blank_before = sorted(chance.sample(sorted(inside), min(len(inside), chance.choice((1, 2, 4)))))
    if not blank_before:
        return made
    source = np.insert(np.arange(made.grid.shape[0]), blank_before, -1)
    at = {int(row): place for place, row in enumerate(source) if row >= 0}
    tables = tuple(Rect(at[top], left, at[bottom], right) for top, left, bottom, right in made.tables)
    return Made(_laid(made.grid, source), tables)


def _words(patterns: Sequence[str], piece: Piece, chance: Random, number: int) -> str:
    words = [str(text) for text in piece.grid.label[piece.rect.top].tolist() if text] or ["Values"]
    return chance.choice(patterns).format(n=number, word=words[0])


def _paste(placed: Sequence[tuple[Piece, int, int]], texts: Sequence[tuple[int, int, str]]) -> Grid:
    """One grid with tables and texts at their places."""
    height = max([at + piece.height for piece, at, _ in placed] + [row + 1 for row, _, _ in texts])
    width = max([across + piece.width for piece, _, across in placed] + [column + 1 for _, column, _ in texts])
    first = placed[0][0].grid
    arrays = {
        name: np.full((height, width), empty, dtype=getattr(first, name).dtype)
        for name, empty in (("text", ""), ("label", ""), ("content", 0), ("number", np.nan), ("style", 0))
    } | {name: np.zeros((height, width), dtype=getattr(first, name).dtype) for name in ("indent", "marks")}
    styles, spans = [PLAIN], []
    for piece, at, across in placed:
        rect, down, right = piece.rect, piece.height, piece.width
        source = (slice(rect.top, rect.top + down), slice(rect.left, rect.left + right))
        for name, array in arrays.items():
            part = getattr(piece.grid, name)[source]
            array[at : at + down, across : across + right] = part + len(styles) if name == "style" else part
        styles += piece.grid.styles
        for row, column, rows, columns in piece.grid.spans.tolist():
            inside = rect.top <= row and row + rows <= rect.top + down and rect.left <= column <= rect.right
            if inside and column + columns - 1 <= rect.right:
                spans.append((row - rect.top + at, column - rect.left + across, rows, columns))
    for row, column, text in texts:
        arrays["text"][row, column] = arrays["label"][row, column] = text
        arrays["content"][row, column] = Content.TEXT
    return msgspec.structs.replace(
        first,
        **arrays,
        styles=tuple(styles),
        spans=np.array(sorted(spans), dtype=np.int32).reshape(-1, 4),
        notes={},
        row_of=np.arange(height, dtype=np.int32),
        column_of=np.arange(width, dtype=np.int32),
        hidden_rows=np.zeros(height, dtype=bool),
        hidden_columns=np.zeros(width, dtype=bool),
        stated=(),
        marked=UNMARKED,
    )


def _filled_rect(grid: Grid, at: int, across: int, piece: Piece) -> Rect:
    """Where a pasted table lies, trimmed to what is filled."""
    filled = grid.filled[at : at + piece.height, across : across + piece.width]
    rows, columns = np.flatnonzero(filled.any(axis=1)), np.flatnonzero(filled.any(axis=0))
    return Rect(at + int(rows[0]), across + int(columns[0]), at + int(rows[-1]), across + int(columns[-1]))
