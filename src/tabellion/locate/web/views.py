"""The candidates of a page as plain arrays, from which all features of genuine tables are computed.

The kind of thing that each cell holds, told at one look at its text: far cheaper than reading the values, since nearly
all candidates of a page are layout and are never read. Fails on numbers with units in front and on dates in rare
languages.

In: a page and which of its candidates are wanted. Out: a `CandidateView`, with lines (rows, columns) numbered over all
wanted candidates, so that one call sums up all rows of all tables. Cells that span several rows count in each.

`CellSums`: of each fact that a feature asks for, its sum and its mean over all cells of a candidate, or over those of
some part of it (the first row, what is below it, ...). A page has a few dozen candidates of a few cells each, so that
the number of calls is what costs time. Fails to stay small on huge pages: facts × cells are held at once, so callers
ask for some candidates at a time.

`LineViews`: how alike the cells of each row or column are, and how its first cells differ. Rows that hold nothing, and
rows with one cell over the full width (titles, notes), are no lines here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.document import Mark
from tabellion.model.markup import Candidate, MarkupCells, MarkupPage
from tabellion.patterns import short_pattern


class Kind(IntEnum):
    """What a text is by its shape."""

    EMPTY = 0
    NUMBER = 1
    DATE = 2
    LABEL = 3  # a few words, without digits
    MIXED = 4  # words and digits
    PROSE = 5  # a sentence or more
    SIGN = 6  # neither letters nor digits


_MONTH = (
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|janv|févr|avr|juin|juil|août|déc|ene|abr|ago|"
    r"dic|gen|mag|giu|lug|set|ott|янв|фев|мар|апр|мая|июн|июл|авг|сен|окт|ноя|дек)[^\W\d_]{0,7}\.?"
)
_FIGURE = short_pattern(
    rf"""
    (?P<number>[(\[<>~≈+±−–-]*\s*(?:[$£€¥₹]|US\$|USD|EUR|GBP|Rs\.?)?\s*[(+−–-]?\s*\d[\d.,'’\s]*
        (?:\s*(?:%|‰|°[CF]?|[$£€¥₹]|[kKMGTµ]?[BbgmLlWwVAhsxX]|mm|cm|km|kg|mg|ml|GB|MB|kB|Mio|Mrd|bn|mn|pts?|st|nd|rd|th|EUR|
        USD|zł|Kč|kr|руб|sq\.?\s?(?:ft|m)|in|ft|lbs?|oz|min|sec|hrs?|kcal|kJ|p)\.?)?\s*[)\]*†]*)
    |(?P<date>\d{{1,4}}[./-]\d{{1,2}}[./-](?:\d{{2}}|\d{{4}})(?:[\sT,]+\d{{1,2}}:\d\d(?::\d\d)?)?|\d{{1,2}}:\d\d(?::\d\d)?
        (?:\s*[ap]\.?m\.?|\s*(?:Uhr|h|GMT|ET|EST|EDT|PST|UTC))?|(?:\w{{2,9}}\.?,?\s+)?{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?
        (?:,?\s+\d{{4}})?|(?:\w{{2,9}}\.?,?\s+)?\d{{1,2}}(?:st|nd|rd|th|\.)?\s+{_MONTH}(?:,?\s+\d{{2,4}})?|{_MONTH}\s+\d{{4}})
    """,
    re.X | re.I,
)
_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[^\W_]")
_SENTENCE = re.compile(r"[^\W\d_]{3,}[.!?…](?:\s|$)")
_LONG = 80  # letters that make a text prose by length alone
_WORDY = 45  # letters from which a full stop makes it prose
_KEPT = 1 << 15  # short texts whose kind is kept: the pages of a site say the same again and again
_SHORT = 60  # longer texts are no number and no date


def tell_kind(text: str) -> Kind:
    """The kind of one text.

    >>> tell_kind("$ 1,234.50").name, tell_kind("12 May 2003").name, tell_kind("Net income").name, tell_kind("»").name
    ('NUMBER', 'DATE', 'LABEL', 'SIGN')
    """
    text = text.strip()
    return Kind.PROSE if len(text) > _LONG else _tell_short(text)


@lru_cache(maxsize=_KEPT)
def _tell_short(text: str) -> Kind:
    if not text:
        return Kind.EMPTY
    size = len(text)
    digit = _DIGIT.search(text)
    if size <= _SHORT:
        if not digit and not _LETTER.search(text):
            return Kind.SIGN
        if digit and (match := _FIGURE.fullmatch(text)):
            return Kind.NUMBER if match["number"] else Kind.DATE
    if size > _WORDY and _SENTENCE.search(text):
        return Kind.PROSE
    return Kind.MIXED if digit else Kind.LABEL


def tell_kinds(texts: Sequence[str]) -> NDArray[np.uint8]:
    """The kind of each text."""
    known = {text: int(tell_kind(text)) for text in set(texts)}
    return np.fromiter((known[text] for text in texts), np.uint8, len(texts))


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Made = TypeVar("Made")

_HEADING = int(Mark.HEADING)
_WIDEST = 1000  # lines that a span takes at most, here
MOST_CELLS = 20_000  # cells of a candidate that are looked at: more rows of the same do not change the judgement


class CandidateView(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The wanted candidates of a page, numbered from 0; each has some cells."""

    page: MarkupPage
    wanted: list[int]
    of: Ints  # the candidate of each cell
    starts: Ints  # the first cell of each candidate
    count: Floats  # how many cells each has
    cells: MarkupCells  # those of the wanted candidates
    kind: NDArray[np.uint8]
    filled: Bools  # cells that show something: text, a picture, a field
    spanning: Bools
    heading: Bools
    rows: Ints  # how many each candidate has
    columns: Ints
    row_line: Ints  # the number of each cell's first row among the rows of all candidates
    column_line: Ints
    row_owner: Ints  # the candidate of each row
    column_owner: Ints

    def __len__(self) -> int:
        return len(self.wanted)

    @property
    def candidates(self) -> list[Candidate]:
        return [self.page.candidates[number] for number in self.wanted]

    def once(self, name: str, compute: Callable[[], Made]) -> Made:
        """Compute a thing once for this view."""
        memory: dict[str, Made] = self.__dict__
        try:
            return memory[name]
        except KeyError:
            memory[name] = made = compute()
            return made

    def by_row(self, values: NDArray[Any]) -> Floats:
        """The sum over the cells of each row, by the row they begin in."""
        return _sums(self.row_line, values, len(self.row_owner))

    def by_column(self, values: NDArray[Any]) -> Floats:
        return _sums(self.column_line, values, len(self.column_owner))

    def of_rows(self, values: NDArray[Any]) -> Floats:
        """The sum over the rows of each candidate."""
        return _sums(self.row_owner, values, len(self))

    def of_columns(self, values: NDArray[Any]) -> Floats:
        return _sums(self.column_owner, values, len(self))


def view_candidates(page: MarkupPage, wanted: list[int]) -> CandidateView:
    """A view of some candidates of a page."""
    chosen = [page.candidates[number] for number in wanted]
    sizes = np.array([min(each.last - each.first, MOST_CELLS) for each in chosen], dtype=np.int64)
    firsts = np.array([each.first for each in chosen], dtype=np.int64)
    starts = sizes.cumsum() - sizes
    each = np.arange(len(chosen))
    of = np.repeat(each, sizes)
    cells = page.cells.take((firsts - starts)[of] + np.arange(len(of)))
    kind = tell_kinds(cells.text.tolist())
    rows = np.maximum.reduceat(cells.row + np.minimum(cells.row_span, _WIDEST), starts).astype(np.int64)
    columns = np.maximum.reduceat(cells.column + np.minimum(cells.column_span, _WIDEST), starts).astype(np.int64)
    return CandidateView(
        page=page,
        wanted=wanted,
        of=of,
        starts=starts,
        count=sizes.astype(np.float64),
        cells=cells,
        kind=kind,
        filled=(kind > 0) | (cells.images + cells.forms + cells.nested > 0),
        spanning=(cells.row_span > 1) | (cells.column_span > 1),
        heading=(cells.marks & _HEADING) > 0,
        rows=rows,
        columns=columns,
        row_line=(rows.cumsum() - rows)[of] + cells.row,
        column_line=(columns.cumsum() - columns)[of] + cells.column,
        row_owner=np.repeat(each, rows),
        column_owner=np.repeat(each, columns),
    )


def _sums(groups: Ints, values: NDArray[Any], count: int) -> Floats:
    return np.bincount(groups, weights=values, minlength=count).astype(np.float64, copy=False)


KINDS = len(Kind)
_BEYOND = 2**30  # more rows than any table has
CONTENTS = KINDS + 3  # the kinds of text; links, pictures and fields of forms besides
COLUMNS_BELOW, ROWS_BESIDE, COLUMNS, ROWS = range(4)
"""The lines that are told of: columns below the first row, rows beside the first column, and all of both."""


class Alike(msgspec.Struct, frozen=True, eq=False):
    """How alike the cells of the lines of each candidate are; the first axis is COLUMNS_BELOW, ROWS_BESIDE, ..."""

    agreement: Floats  # how large the share of the commonest content is in a line of two or more cells, on average
    spread: Floats  # how much the lengths within such a line vary beside their mean, on average
    mostly: Floats  # wanted × ...: the share of such lines in which most cells are wanted ones


class LineViews(msgspec.Struct, frozen=True, eq=False):
    """What the features of lines need: which cells count, their contents, and which of them are in first lines.

    The first row of a candidate is the first with two or more cells that count; the first column has one.
    """

    view: CandidateView
    content: Ints
    counts: Bools  # cells that show something and do not take the full width
    in_first_column: Bools
    top: Bools  # cells that count in the first row
    below: Bools
    left: Bools  # cells that count in the first column
    beside: Bools

    def tell_alike(self, wanted: NDArray[np.bool_]) -> Alike:
        """How alike the cells of lines are; `wanted`, sets × cells, are those that `mostly` asks for."""
        view, tables = self.view, len(self.view)
        rows, columns = (view.row_line, view.row_owner), (view.column_line, view.column_owner)
        cells, lines, owners, before = [], [], [], 0
        for place, (part, (line, owner)) in enumerate(
            zip((self.below, self.beside, self.counts, self.counts), (columns, rows, columns, rows), strict=True)
        ):
            cells.append(part.nonzero()[0])
            lines.append(line[cells[-1]] + before)
            owners.append(owner + place * tables)
            before += len(owner)
        cell, at, owner = np.concatenate(cells), np.concatenate(lines), np.concatenate(owners)
        total = np.bincount(at, minlength=before)
        some, long = np.maximum(1, total), total > 1
        weights = np.sqrt(total) * long

        def over_lines(values: NDArray[Any]) -> Floats:
            """The sums over the lines of each candidate."""
            return np.asarray(np.bincount(owner, values, 4 * tables).reshape(4, tables), dtype=np.float64)

        by_content = np.bincount(at * CONTENTS + self.content[cell], minlength=before * CONTENTS)
        common = by_content.reshape(before, CONTENTS).max(axis=1)
        length = view.cells.length[cell].astype(np.float64)
        middle, square = np.bincount(at, length, before) / some, np.bincount(at, length * length, before) / some
        deviation = np.sqrt(np.maximum(0, square - middle * middle)) / (middle + 3)
        hits = [np.bincount(at[each], minlength=before) > 0.6 * total for each in wanted[:, cell]]
        longs = np.maximum(1, over_lines(long))
        return Alike(
            agreement=over_lines(common / some * weights) / np.maximum(1e-9, over_lines(weights)),
            spread=over_lines(deviation * long) / longs,
            mostly=np.array([over_lines(each & long) for each in hits]) / longs,
        )


def view_lines(view: CandidateView) -> LineViews:
    """The lines of all candidates of a view."""
    wide = view.cells.column_span >= np.maximum(2, view.columns)[view.of]
    counts: Bools = view.filled & ~wide
    length = view.cells.length
    content = view.kind.astype(np.int64)
    content[(view.cells.linked * 2 > length) & (length > 0)] = KINDS
    content[(view.cells.images > 0) & (length == 0)] = KINDS + 1
    content[view.cells.forms > 0] = KINDS + 2
    pairs = np.bincount(view.row_line[counts], minlength=len(view.row_owner))[view.row_line] > 1
    in_first_row = view.cells.row == _least(view, view.cells.row, counts & pairs)
    in_first_column = view.cells.column == _least(view, view.cells.column, counts)
    return LineViews(
        view=view,
        content=content,
        counts=counts,
        in_first_column=in_first_column,
        top=counts & in_first_row,
        below=counts & ~in_first_row,
        left=counts & in_first_column,
        beside=counts & ~in_first_column,
    )


def _least(view: CandidateView, values: NDArray[np.int32], among: Bools) -> Ints:
    """For each cell the least value among some cells of its candidate."""
    least = np.minimum.reduceat(np.where(among, values, _BEYOND), view.starts)
    least[least == _BEYOND] = 0
    return np.asarray(least[view.of])


EVERY = "every"  # the part that has all cells
Pair = tuple[str, str]  # a fact, and the part over which it is summed up
Tell = Callable[[CandidateView, LineViews], NDArray[np.generic]]


def _styled(number: int) -> Tell:
    """A fact of the style of each cell."""
    return lambda view, _: view.once("styled", lambda: _tell_styles(view))[number]


def _tell_styles(view: CandidateView) -> NDArray[np.bool_]:
    """Of the style of each cell: bold, filled, set at the right, set at the top, bordered; facts × cells."""
    told = [
        (s.bold, s.fill is not None, s.align == "right", s.valign == "top", s.border_bottom or s.border_top)
        for s in view.page.styles
    ]
    return np.asarray(np.array(told, dtype=bool)[view.cells.style].T)


def _line_counts(view: CandidateView) -> NDArray[np.generic]:
    texts = view.cells.text.tolist()
    if not any("\n" in text for text in texts):
        return np.ones(len(texts))
    return np.array([text.count("\n") + 1 for text in texts])


def is_figure(view: CandidateView) -> NDArray[np.bool_]:
    """Whether each cell is a number or a date."""
    return view.once("figure", lambda: (view.kind == int(Kind.NUMBER)) | (view.kind == int(Kind.DATE)))


FACTS: dict[str, Tell] = {
    EVERY: lambda v, _: np.ones(len(v.of)),
    "filled": lambda v, _: v.filled,
    "counts": lambda _, n: n.counts,
    "top": lambda _, n: n.top,
    "below": lambda _, n: n.below,
    "left": lambda _, n: n.left,
    "beside": lambda _, n: n.beside,
    "corner": lambda _, n: n.top & n.in_first_column,
    "full width": lambda v, n: v.filled & ~n.counts,
    "spanning": lambda v, _: v.spanning,
    "heading": lambda v, _: v.heading,
    "nested": lambda v, _: v.cells.nested,
    "length": lambda v, _: v.cells.length,
    "left length": lambda v, n: v.cells.length * n.left,
    "top length": lambda v, n: v.cells.length * n.top,
    "prose length": lambda v, _: v.cells.length * (v.kind == int(Kind.PROSE)),
    "linked": lambda v, _: v.cells.linked,
    "links": lambda v, _: v.cells.links,
    "has links": lambda v, _: v.cells.links > 0,
    "many links": lambda v, _: v.cells.links > 2,
    "images": lambda v, _: v.cells.images,
    "has images": lambda v, _: v.cells.images > 0,
    "forms": lambda v, _: v.cells.forms,
    "items": lambda v, _: v.cells.items,
    "lines": lambda v, _: _line_counts(v),
    "figure": lambda v, _: is_figure(v),
    "label": lambda v, _: v.kind == int(Kind.LABEL),
    "bold": _styled(0),
    "fill": _styled(1),
    "right": _styled(2),
    "set at the top": _styled(3),
    "bordered": _styled(4),
}


class CellSums(msgspec.Struct, frozen=True, eq=False):
    """Sums of facts over the cells of each candidate."""

    rows: dict[Pair, int]
    sums: Floats  # pairs × candidates
    means: Floats  # over parts, in the order of the plan; nought where a part has no cells

    def sum(self, fact: str) -> Floats:
        """The sum over all cells."""
        return np.asarray(self.sums[self.rows[fact, EVERY]])


class SumPlan:
    """Which means over parts and which sums over all cells are wanted; drawn up once."""

    def __init__(self, means: tuple[Pair, ...], sums: tuple[str, ...]) -> None:
        parts = dict.fromkeys(part for _, part in means)
        pairs = dict.fromkeys([*means, *((name, EVERY) for name in (*parts, *sums))])
        facts = list(dict.fromkeys(name for pair in pairs for name in pair))
        self._rows = {pair: row for row, pair in enumerate(pairs)}
        self._tell = [FACTS[name] for name in facts]
        self._facts, self._parts = np.array([[facts.index(name) for name in pair] for pair in pairs]).T
        self._means = np.array([self._rows[pair] for pair in means])
        self._sizes = np.array([self._rows[part, EVERY] for _, part in means])

    def sum_up(self, view: CandidateView, lines: LineViews) -> CellSums:
        told = np.empty((len(self._tell), len(view.of)))
        for row, tell in zip(told, self._tell, strict=True):
            row[:] = tell(view, lines)
        sums = np.add.reduceat(told[self._facts] * told[self._parts], view.starts, axis=1)
        return CellSums(self._rows, sums, sums[self._means] / np.maximum(1e-9, sums[self._sizes]))
