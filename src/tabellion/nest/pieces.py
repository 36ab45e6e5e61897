"""Labels that are broken over several rows, in the head and in the stub.

In: a frame and its header rows. Out: the pieces, each with the cell that its phrase begins in. Two cells are pieces
where one stands right below the other, as wide as it, and (1) the head is ruled inside but no line is drawn between
the two, or (2) the words run on ("Number of full-" / "time students"), or (3) the two rows say the same in two
scripts. A unit, a mark ("(A)", "B-A") or a number below a header is a label of its own.
Fails where a publisher rules spanning headers only and writes single columns over two levels.

The same in a stub. In: the rows and columns of a strand's labels. Out: which of them go on with the label before. Such
a row follows at once; it or the row before has no values; it begins with a small letter in a stub that does not usually
do so, or the row before ends in a comma or a small word. "Of which:" and a unit in brackets below a row without values
go on as well. Fails where a broken line begins with a capital letter.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.frame import Frame
from tabellion.model.grid import TEXT, Grid
from tabellion.nest.wording import Wording, read_wording, read_wordings
from tabellion.patterns import lazy_pattern
from tabellion.values.unit import find_unit
from tabellion.values.vocabulary import lexicon

Cell = tuple[int, int]
USUAL = 0.3  # where more headers than this begin with a small letter, that says nothing
_IN_BRACKETS = lazy_pattern(r"[(\[].*[)\]]")
_MARK = lazy_pattern(r"(?:[^\w]|\b[A-Za-z]\b|\d)+")  # single letters, digits and signs


class _Stacked(msgspec.Struct, frozen=True):
    """A header cell and the next one below it in the same columns."""

    upper: Cell
    lower: Cell
    width: int


def find_pieces(frame: Frame, rows: Sequence[int]) -> dict[Cell, Cell]:
    """Pieces of phrases among the header cells: piece -> the first cell of its phrase."""
    grid = frame.grid
    if len(rows) < 2 or grid.medium != "spreadsheet":
        return {}
    named = {cell for pair in frame.fixes.top.items() for cell in pair if cell}
    stacked = [pair for pair in _stacked(frame, rows) if not named & {pair.upper, pair.lower}]
    ruled, small_is_rare = _is_ruled(frame, rows), _small_is_rare(grid, stacked)
    translated = _translated(grid, stacked)
    first: dict[Cell, Cell] = {}
    for pair in stacked:
        upper, lower = str(grid.label[pair.upper]), str(grid.label[pair.lower])
        if _is_own_label(grid, pair) or _line_between(grid, pair):
            continue
        words = read_wording(upper)
        runs_on = words.open_ended or (small_is_rare and read_wording(lower).lower and not words.colon)
        boxed = ruled and not _is_level(frame, stacked, pair)
        if boxed or runs_on or (pair.upper[0], pair.lower[0]) in translated:
            first[pair.lower] = first.get(pair.upper, pair.upper)
    return first


def join_texts(texts: Sequence[str]) -> str:
    """The texts of a phrase as one: a hyphen at the end of a line and scripts without blanks need no blank.

    >>> join_texts(["Number of full-", "time students"])
    'Number of full-time students'
    """
    joined = texts[0]
    for text in texts[1:]:
        close = joined.endswith("-") or (_is_wide(joined[-1:]) and _is_wide(text[:1]))
        joined = f"{joined}{'' if close else ' '}{text}"
    return joined


def _is_wide(sign: str) -> bool:
    return bool(sign) and unicodedata.east_asian_width(sign) in "WF"


def _stacked(frame: Frame, rows: Sequence[int]) -> Iterator[_Stacked]:
    """Cells over the values with the next one below them, where both have the same columns and no neighbour."""
    grid = frame.grid
    for column in frame.value_columns:
        above: Cell | None = None
        for row in sorted(rows):
            if grid.covered[row, column]:
                home = divmod(int(grid.home[row, column]), grid.shape[1])
                above = home if home[1] == column else None
            elif grid.filled[row, column]:
                width = _width(grid, (row, column))
                if above and _width(grid, above) == width and (width > 1 or _stands_alone(frame, above, (row, column))):
                    yield _Stacked(above, (row, column), width)
                above = (row, column)


def _width(grid: Grid, cell: Cell) -> int:
    return grid.span_at.get(cell, (1, 1))[1]


def _stands_alone(frame: Frame, upper: Cell, lower: Cell) -> bool:
    """Whether a header that is not merged reaches over no neighbour that has a header in the lower row only."""
    grid, row = frame.grid, upper[0]
    for column, side, other in (
        (upper[1] - 1, "border_left", "border_right"),
        (upper[1] + 1, "border_right", "border_left"),
    ):
        free = column in frame.value_columns and not grid.filled.ravel()[grid.home[row, column]]
        parted = _drawn(grid, upper, side) or (free and _drawn(grid, (row, column), other))
        if free and not parted and grid.filled[lower[0], column]:
            return False
    return True


def _drawn(grid: Grid, cell: Cell, side: str) -> bool:
    return bool(getattr(grid.styles[grid.style[cell]], side))


def _line_between(grid: Grid, pair: _Stacked) -> bool:
    """Whether a line is drawn between two cells, below the upper or above the lower or any row between."""
    (start, column), (end, _) = pair.upper, pair.lower
    edges = range(start + grid.span_at.get(pair.upper, (1, 1))[0] - 1, end)
    return any(
        _drawn(grid, (row, column), "border_bottom") or _drawn(grid, (row + 1, column), "border_top") for row in edges
    )


def _is_ruled(frame: Frame, rows: Sequence[int]) -> bool:
    """Whether lines part levels of the head: between headers of one column, merged ones included."""
    grid, inside = frame.grid, sorted(rows)[:-1]
    values = np.asarray(frame.value_columns, dtype=np.intp)
    if not len(values):
        return False
    below, above = grid.by_style("border_bottom"), grid.by_style("border_top")
    said = grid.filled.ravel()[grid.home][:, values]
    first, last = min(rows), max(rows) + 1
    return any(
        bool(
            (below[grid.style[row, values]] | above[grid.style[row + 1, values]])[
                said[first : row + 1].any(axis=0) & said[row + 1 : last].any(axis=0)
            ].any()
        )
        for row in inside
    )


def _is_own_label(grid: Grid, pair: _Stacked) -> bool:
    """Whether the lower cell is a label under the upper one for what it says: a number, a unit, a mark in brackets."""
    if grid.content[pair.lower] != TEXT:
        return True
    text = unicodedata.normalize("NFKC", str(grid.label[pair.lower])).strip()
    return bool(_IN_BRACKETS.fullmatch(text) or _MARK.fullmatch(text)) or find_unit(text) is not None


def _is_level(frame: Frame, stacked: Sequence[_Stacked], pair: _Stacked) -> bool:
    """Whether the lower cell says what another of its row says under a wider header, or the upper is a number."""
    grid, (row, column) = frame.grid, pair.lower
    if grid.content[pair.upper] != TEXT:
        return True
    single = {one.lower for one in stacked}
    same = [c for c in frame.value_columns if c != column and grid.label[row, c] == grid.label[row, column]]
    return any((row, c) not in single for c in same)


def _small_is_rare(grid: Grid, stacked: Sequence[_Stacked]) -> bool:
    lowers = {pair.lower for pair in stacked}
    first = [read_wording(str(grid.label[pair.upper])) for pair in stacked if pair.upper not in lowers]
    return bool(first) and sum(words.lower for words in first) < USUAL * len(first)


def _translated(grid: Grid, stacked: Sequence[_Stacked]) -> set[tuple[int, int]]:
    """Pairs of rows all of whose stacked cells change between Latin and another script, two columns or more."""
    told: dict[tuple[int, int], list[bool]] = {}
    for pair in stacked:
        latin = [_latin(str(grid.label[cell])) for cell in (pair.upper, pair.lower)]
        told.setdefault((pair.upper[0], pair.lower[0]), []).append(None not in latin and latin[0] != latin[1])
    return {rows for rows, changed in told.items() if len(changed) > 1 and all(changed)}


def _latin(text: str) -> bool | None:
    """Whether the letters of a text are Latin; None where they are mixed or there are none."""
    kinds = {unicodedata.name(sign, "").startswith("LATIN") for sign in text if sign.isalpha()}
    return kinds.pop() if len(kinds) == 1 else None


_MOST_LINES = 12  # of one label: what seems to go on for longer are labels of their own


def find_continued(frame: Frame, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.bool_]:
    """For each label whether it goes on with the one before."""
    result = np.zeros(len(rows), dtype=bool)
    if len(rows) < 2:
        return result
    grid = frame.grid
    values = np.asarray(frame.value_columns, dtype=np.intp)
    filled = grid.filled[rows[:, None], values] & (values != columns[:, None])
    empty = ~filled.any(axis=1)
    follows = (rows[1:] - rows[:-1] == 1) & (columns[1:] == columns[:-1])
    places = np.flatnonzero(follows & (empty[1:] | empty[:-1])) + 1
    if len(places):
        labels = _Labels(
            [text.strip() for text in grid.label[rows, columns].tolist()], empty, grid.indent[rows, columns]
        )
        lines = 1
        for here in places.tolist():
            lines = lines + 1 if result[here - 1] else 2
            result[here] = lines <= _MOST_LINES and labels.goes_on(here)
    return result


class _Labels:
    """The labels of a strand, each of which may go on with the one before."""

    def __init__(self, texts: list[str], empty: NDArray[np.bool_], indent: NDArray[np.float32]) -> None:
        self.texts, self.empty, self.indent = texts, empty.tolist(), indent.tolist()

    @cached_property
    def _wordings(self) -> tuple[list[Wording], list[int]]:
        distinct, which = read_wordings(self.texts)
        return distinct, which.tolist()

    def wording(self, here: int) -> Wording:
        distinct, which = self._wordings
        return distinct[which[here]]

    @cached_property
    def small_is_rare(self) -> bool:
        return sum(self.wording(here).lower for here in range(len(self.texts))) / len(self.texts) < USUAL

    def goes_on(self, here: int) -> bool:
        """Whether a label that follows at once, it or the one before without values, goes on with the one before."""
        text, indent, empty, after_empty = self.texts[here], self.indent, self.empty[here], self.empty[here - 1]
        if empty and (says_of_which(text) or (after_empty and _IN_BRACKETS.fullmatch(text))):
            return True
        if indent[here] < indent[here - 1]:
            return False
        before = self.wording(here - 1)
        begins_small = self.wording(here).lower and self.small_is_rare
        step = indent[here + 1] - indent[here] if here + 1 < len(indent) else None
        if not empty:
            alone = step is None or step < 0
            return before.open_ended or (begins_small and alone and not before.colon)
        heads = step is not None and step > 0
        if not heads and (begins_small or (before.open_ended and not after_empty)):
            return True
        return after_empty and begins_small and not before.colon


def says_of_which(text: str) -> bool:
    """Whether a label says only that parts follow.

    >>> says_of_which("Of which:"), says_of_which("Of which women")
    (True, False)
    """
    return lexicon("of which").fills(text)
