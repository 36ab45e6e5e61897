"""Which cells of a grid the network looks at.

In: a grid. Out: its filled cells without what repeats: of a long run of rows alike in form, the first and the last
ones and the labels of the others; of a very long one no more than its ends; of a block of numbers, its rim. So cost
grows with what differs, and a sheet of a million cells stays at some hundred tokens. A row that is left out is read
like the kept row above it.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.model.grid import DATE, EMPTY, MISSING, NUMBER, Grid

Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]


class TokenSettings(msgspec.Struct, frozen=True):
    """How much is kept; the network is trained with the same numbers."""

    most: int = 3_000  # tokens of a grid, beyond which more is left out
    labels: int = 600  # tokens up to which the labels of rows alike in form stay
    more: float = 1.5  # or so many times the tokens that there are without them
    leading: int = 2  # texts at the beginning of a row that count as its labels
    block: int = 260  # tokens from which the inner cells of blocks of numbers are left out
    first: int = 4  # rows kept of a run of rows alike in form: at its beginning
    last: int = 2  # and at its end
    deep: int = 5  # rows and columns of a block that stay when much is left out


SETTINGS = TokenSettings()

PLAIN_KIND, DATE_KIND, TEXT_KIND = 1, 2, 3
"""Coarse kinds of cells: numbers and marks for missing ones; dates; texts."""


class Tokens(msgspec.Struct, frozen=True, eq=False):
    """The lines of a grid that hold something, and the cells of them that are looked at.

    `rows` and `columns` are the grid's lines that hold something; all else counts in these. `at` gives for each token
    its row and column; `kept` says which rows have a token, `kin` which kept row each row is read like.
    """

    rows: Ints
    columns: Ints
    filled: Bools
    kind: NDArray[np.uint8]
    look: NDArray[np.int64]
    indent: NDArray[np.float32]
    row_gaps: Ints
    column_gaps: Ints
    at: tuple[Ints, Ints]
    kept: Bools
    kin: Ints

    def __len__(self) -> int:
        return len(self.at[0])


def select_tokens(grid: Grid, settings: TokenSettings = SETTINGS) -> Tokens:
    """The tokens of a grid, in reading order."""
    all_filled = grid.filled & ~grid.covered
    rows, columns = np.flatnonzero(all_filled.any(axis=1)), np.flatnonzero(all_filled.any(axis=0))
    inside = np.ix_(rows, columns)
    filled = all_filled[inside]
    kind = _coarse_kind(grid.content[inside])
    look = look_codes(grid)[grid.style[inside]]
    indent = np.where(filled & (kind == TEXT_KIND), grid.indent[inside], np.float32(0))
    row_gaps = np.diff(grid.row_of[rows], prepend=grid.row_of[rows][:1] - 1).astype(np.intp) - 1
    column_gaps = np.diff(grid.column_of[columns], prepend=grid.column_of[columns][:1] - 1).astype(np.intp) - 1
    form = np.where(filled, kind | look << 2 | np.minimum(indent * 4, 255).astype(np.int64) << 12, 0)
    apart = (row_gaps > 0) | np.append(True, np.diff(grid.hidden_rows[rows].astype(np.int8)) != 0)
    kept, keep = _keep(form, filled, apart, settings)
    lines = np.arange(len(rows))
    kin = np.maximum.accumulate(np.where(kept, lines, 0)) if len(rows) else lines
    return Tokens(
        rows=rows,
        columns=columns,
        filled=filled,
        kind=kind,
        look=look,
        indent=indent,
        row_gaps=row_gaps,
        column_gaps=column_gaps,
        at=(np.nonzero(keep)[0], np.nonzero(keep)[1]),
        kept=kept,
        kin=kin,
    )


def look_codes(grid: Grid) -> NDArray[np.int64]:
    """One number for the look of each of a grid's styles; equal numbers look alike."""
    codes = [
        int(style.bold)
        | int(style.italic) << 1
        | {"center": 1, "right": 2}.get(style.align or "", 0) << 2
        | int(style.across) << 4
        | int(is_filled(style.fill)) << 5
        | int(style.size) % 32 << 6
        for style in grid.styles
    ]
    return np.array(codes or [0], dtype=np.int64)


def is_filled(colour: str | None) -> bool:
    """Whether a fill differs from paper."""
    return bool(colour) and str(colour).lower().lstrip("#")[-6:] not in ("ffffff", "")


def _coarse_kind(content: NDArray[np.uint8]) -> NDArray[np.uint8]:
    kind = np.full(content.shape, TEXT_KIND, dtype=np.uint8)
    kind[(content == NUMBER) | (content == MISSING)] = PLAIN_KIND
    kind[content == DATE] = DATE_KIND
    kind[content == EMPTY] = 0
    return kind


def _keep(form: NDArray[np.int64], filled: Bools, apart: Bools, settings: TokenSettings) -> tuple[Bools, Bools]:
    """The rows and the cells that are kept; what is alike in form goes first, then in kind, then in being filled."""
    kept = _collapsed(form, apart, settings.first, settings.last)
    keep = filled & kept[:, None]
    labels = _leading_texts(form, settings.leading)
    if not kept.all() and (keep | labels).sum() <= max(settings.labels, settings.more * keep.sum()):
        keep = keep | labels
        kept = np.asarray(keep.any(axis=1))
    if keep.sum() > settings.block:
        keep &= ~_inner(form, kept)
    for coarse in (form & 3, filled.astype(np.int64)):
        if keep.sum() > settings.most:
            kept &= _collapsed(coarse, apart, settings.first - 1, settings.last - 1)
            keep &= kept[:, None]
    if keep.sum() > settings.most:
        rank = np.cumsum(filled, axis=1)
        since = np.arange(len(form)) - np.maximum.accumulate(np.where(apart, np.arange(len(form)), 0))
        plain = (form & 3) == PLAIN_KIND
        below = np.zeros_like(plain)
        below[1:] = plain[:-1]
        keep &= ~(plain & below & (rank > settings.deep) & (since[:, None] > settings.deep))
    if keep.sum() > settings.most:
        flat = np.flatnonzero(keep)
        keep.ravel()[flat[settings.most * 3 // 4 : len(flat) - settings.most // 4]] = False
    kept &= keep.any(axis=1)
    return kept, keep


def _leading_texts(form: NDArray[np.int64], most: int) -> Bools:
    """The texts at the beginning of each row, before its first number."""
    kind = form & 3
    filled = np.cumsum(kind > 0, axis=1)
    text = kind == TEXT_KIND
    before = np.cumsum((kind > 0) & ~text, axis=1) == 0
    return np.asarray(text & before & (filled <= most))


def _collapsed(form: NDArray[np.int64], apart: Bools, first: int, last: int) -> Bools:
    """Which rows stay where of each run of rows alike only the first and the last ones do."""
    count = len(form)
    begins = apart.copy()
    begins[1:] |= (form[1:] != form[:-1]).any(axis=1)
    starts = np.flatnonzero(begins)
    ends = np.append(starts[1:], count)
    run = np.cumsum(begins) - 1
    lines = np.arange(count)
    long = (ends - starts)[run] > first + last + 1
    return np.asarray(~(long & (lines - starts[run] >= first) & (ends[run] - lines > last)))


def _inner(form: NDArray[np.int64], kept: Bools) -> Bools:
    """Numbers with cells like them above, below, twice at the left and at the right."""
    inner = np.zeros(form.shape, dtype=bool)
    lines = form[kept]
    left = np.zeros(lines.shape, dtype=bool)
    left[:, 1:] = lines[:, 1:] == lines[:, :-1]
    twice = left.copy()
    twice[:, 1:] &= left[:, :-1]
    right = np.zeros_like(left)
    right[:, :-1] = left[:, 1:]
    above = np.zeros_like(left)
    above[1:] = lines[1:] == lines[:-1]
    below = np.zeros_like(left)
    below[:-1] = above[1:]
    inner[kept] = twice & right & above & below & ((lines & 3) == PLAIN_KIND)
    return inner
