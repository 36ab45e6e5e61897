"""Header cells that are pieces of one phrase, written over several rows of the head.

In: a frame and its header rows. Out: the pieces, each with the cell that its phrase begins in. Two cells are pieces
where one stands right below the other, as wide as it, and (1) the head is ruled inside but no line is drawn between
the two, or (2) the words run on ("Number of full-" / "time students"), or (3) the two rows say the same in two
scripts. A unit, a mark ("(A)", "B-A") or a number below a header is a label of its own.
Fails where a publisher rules spanning headers only and writes single columns over two levels.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from tabellion.model.frame import Frame
from tabellion.model.grid import Content, Grid
from tabellion.nest.wording import read_wording
from tabellion.patterns import lazy_pattern
from tabellion.values.unit import find_unit

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
    if grid.content[pair.lower] != Content.TEXT:
        return True
    text = unicodedata.normalize("NFKC", str(grid.label[pair.lower])).strip()
    return bool(_IN_BRACKETS.fullmatch(text) or _MARK.fullmatch(text)) or find_unit(text) is not None


def _is_level(frame: Frame, stacked: Sequence[_Stacked], pair: _Stacked) -> bool:
    """Whether the lower cell says what another of its row says under a wider header, or the upper is a number."""
    grid, (row, column) = frame.grid, pair.lower
    if grid.content[pair.upper] != Content.TEXT:
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
