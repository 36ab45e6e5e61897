"""Gold tables laid over the words of a printed document.

The PDF corpora say which text stands in which row and column, not where it is printed. Goes in: the pages of a
document and its gold tables (cells with row, column, spans, text; the pages they are on). Comes out: for each gold
cell the words that print it. A cell's text is looked for from word to word, along the line and into the lines
below; of several finds the one is taken that fits the cells of its row and column that were found only once.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from copy import copy
from statistics import median
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.place import Box
from tabellion.model.printed import PrintedPage

_LONGEST_WORD = 200  # letters
_MOST_STEPS = 400  # of one search
_PAGE_STEP = 10_000.0  # what the top of the next page adds to a height
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−─"), "-")


class GoldCell(msgspec.Struct, frozen=True):
    """A cell as the gold has it."""

    row: int
    column: int
    row_span: int
    column_span: int
    text: str


class Laid(msgspec.Struct, frozen=True, eq=False):
    """Where a cell is printed: the view (index into the views searched) and its words."""

    view: int
    words: tuple[int, ...]


class GoldTable(msgspec.Struct, frozen=True, eq=False):
    """A gold table with the places of its cells; `found` is the share of its text that was found."""

    gold: dict[str, Any]
    cells: tuple[GoldCell, ...]
    places: tuple[Laid | None, ...]
    found: float

    def words_of(self, view: int) -> dict[int, int]:
        """Word -> cell, for one view."""
        return {w: k for k, place in enumerate(self.places) if place and place.view == view for w in place.words}


class _View:
    """The words of a view as they are searched."""

    def __init__(self, page: PrintedPage) -> None:
        words = page.words
        self.box = words.box
        self.base, self.size = words.baseline, words.size
        self.number = page.number
        self.token = [fold(t) for t in words.text]
        self.order = page.pieces.order.tolist()
        self.at = {w: k for k, w in enumerate(self.order)}
        x, y = (self.box[:, 0] + self.box[:, 2]) / 2, (self.box[:, 1] + self.box[:, 3]) / 2
        self.allowed = np.ones(len(words), dtype=bool)
        self.x, self.y = x, y
        self.starts: dict[str, list[int]] = {}
        for k, token in enumerate(self.token):
            self.starts.setdefault(token, []).append(k)

    def within(self, inside: Box) -> _View:
        """The same view, searched in a box only."""
        part = copy(self)
        part.allowed = (self.x >= inside[0]) & (self.x <= inside[2]) & (self.y >= inside[1]) & (self.y <= inside[3])
        return part

    def openings(self, text: str) -> Iterator[int]:
        """The words that a text may begin with, in their order."""
        found = (self.starts.get(text[:length], ()) for length in range(1, min(len(text), _LONGEST_WORD) + 1))
        return iter(sorted(start for starts in found for start in starts))


def fold(text: str) -> str:
    """A text as it is compared: letters and digits, lower case; where it has none, its signs.

    >>> fold("12.5 ± 0.3"), fold(" – ")
    ('12503', '-')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(c for c in plain if c.isalnum())
    return letters or "".join(plain.translate(_DASHES).split())


def lay_tables(
    views: Sequence[PrintedPage], tables: Sequence[dict[str, Any]], insides: Sequence[dict[int, Box] | None]
) -> list[GoldTable]:
    """Each gold table over the views it may be on; `insides` limits the search to a box a view, where known."""
    taken = [np.zeros(len(v.words), dtype=bool) for v in views]
    searched = [_View(view) for view in views]
    return [_lay(searched, table, inside, taken) for table, inside in zip(tables, insides, strict=True)]


def _lay(
    searched: Sequence[_View],
    table: dict[str, Any],
    inside: dict[int, Box] | None,
    taken: list[NDArray[np.bool_]],
) -> GoldTable:
    views = dict(enumerate(searched)) if inside is None else {k: searched[k].within(box) for k, box in inside.items()}
    cells = tuple(
        GoldCell(c["row"], c["column"], c.get("row_span") or 1, c.get("column_span") or 1, c["text"])
        for c in table["cells"]
        if c["text"].strip()
    )
    finds = [_finds(views, fold(c.text), taken) for c in cells]
    chosen: list[Laid | None] = [None] * len(cells)
    for _ in range(4):
        chosen = _choose(cells, finds, chosen, views)
    used: set[tuple[int, int]] = set()
    for k, place in enumerate(chosen):
        if place and any((place.view, w) in used for w in place.words):
            chosen[k] = None
        elif place:
            used.update((place.view, w) for w in place.words)
    for view, word in used:
        taken[view][word] = True
    total = sum(len(c.text) for c in cells)
    got = sum(len(c.text) for c, p in zip(cells, chosen, strict=True) if p)
    return GoldTable(table, cells, tuple(chosen), got / total if total else 0.0)


def _finds(views: dict[int, _View], text: str, taken: list[NDArray[np.bool_]]) -> list[Laid]:
    """All places where a text is printed."""
    result: list[Laid] = []
    for k, view in views.items():
        for start in view.openings(text):
            if not view.allowed[start] or taken[k][start]:
                continue
            words = _follow(view, start, text)
            if words:
                result.append(Laid(k, tuple(words)))
    return result


def _follow(view: _View, start: int, text: str) -> list[int] | None:
    """The words that spell a text from a first word on, or None."""
    steps = 0

    def walk(words: list[int], rest: str) -> list[int] | None:
        nonlocal steps
        if not rest:
            return words
        steps += 1
        if steps > _MOST_STEPS:
            return None
        for following in _next_words(view, words):
            token = view.token[following]
            if token and rest.startswith(token) and following not in words:
                done = walk([*words, following], rest[len(token) :])
                if done:
                    return done
        return None

    return walk([start], text[len(view.token[start]) :])


def _next_words(view: _View, words: list[int]) -> Iterator[int]:
    """Words that may go on a cell: the next of the line, those nearby at the right, those below."""
    last = words[-1]
    place = view.at[last]
    for k in range(place + 1, min(place + 4, len(view.order))):
        following = view.order[k]
        if abs(view.base[following] - view.base[last]) > view.size[last]:
            break
        if view.box[following, 0] - view.box[last, 2] > 4 * view.size[last]:
            break
        if view.allowed[following]:
            yield following
            if view.token[following].isalnum():
                break
    size = float(view.size[last])
    drop = view.base - view.base[last]
    hull = view.box[words]
    left, right = hull[:, 0].min(), hull[:, 2].max()
    beside = (np.abs(drop) < 0.8 * size) & (view.box[:, 0] > view.box[last, 2] - 0.2 * size)
    beside &= view.box[:, 0] - view.box[last, 2] < 3 * size
    below = (drop > 0.5 * size) & (drop < 2.6 * size)
    below &= (view.box[:, 2] > left - 3 * size) & (view.box[:, 0] < right + 3 * size)
    yield from np.flatnonzero(beside & view.allowed).tolist()
    candidates = np.flatnonzero(below & view.allowed)
    yield from candidates[np.lexsort((view.box[candidates, 0], np.round(drop[candidates] / size)))].tolist()


def _choose(
    cells: tuple[GoldCell, ...], finds: list[list[Laid]], before: list[Laid | None], views: dict[int, _View]
) -> list[Laid | None]:
    """For each cell the find nearest to where its row and its column are, as far as that is known."""
    rows: dict[int, list[float]] = {}
    columns: dict[int, list[float]] = {}
    for cell, found, old in zip(cells, finds, before, strict=True):
        sure = found[0] if len(found) == 1 else old
        if sure is None:
            continue
        view = views[sure.view]
        words = list(sure.words)
        height = view.number * _PAGE_STEP + float(view.y[words].mean())
        if cell.row_span == 1:
            rows.setdefault(cell.row, []).append(height)
        if cell.column_span == 1:
            columns.setdefault(cell.column, []).append(float(view.x[words].mean()))
    row_at = {r: median(v) for r, v in rows.items()}
    column_at = {c: median(v) for c, v in columns.items()}
    known_rows = sorted(row_at)
    result: list[Laid | None] = []
    for cell, found in zip(cells, finds, strict=True):
        wanted_y = _height_of(cell.row, row_at, known_rows)
        wanted_x = column_at.get(cell.column) if cell.column_span == 1 else None
        best, least = None, float("inf")
        for find in found:
            view, words = views[find.view], list(find.words)
            y = view.number * _PAGE_STEP + float(view.y[words].mean())
            x = float(view.x[words].mean())
            cost = (abs(y - wanted_y) if wanted_y is not None else 0.0) + (
                0.7 * abs(x - wanted_x) if wanted_x is not None else 0.0
            )
            if cost < least:
                best, least = find, cost
        result.append(best)
    return result


def _height_of(row: int, row_at: dict[int, float], known: list[int]) -> float | None:
    """Where a row is, between the rows whose height is known."""
    if row in row_at:
        return row_at[row]
    above = [r for r in known if r < row]
    below = [r for r in known if r > row]
    if above and below:
        a, b = above[-1], below[0]
        return row_at[a] + (row_at[b] - row_at[a]) * (row - a) / (b - a)
    if above:
        return row_at[above[-1]] + 12.0 * (row - above[-1])
    if below:
        return row_at[below[0]] - 12.0 * (below[0] - row)
    return None
