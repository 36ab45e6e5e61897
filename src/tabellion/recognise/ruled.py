"""Cells that rulings show to span several rows.

Goes in: a strip and its columns. Comes out: blocks: the words of one column between two rules of its own, where the
columns beside it have rules in between. Such words form one cell over all rows of the block and do not tell rows;
they are taken out of the lines before rows are told, and come back as cells.
"""

from __future__ import annotations

from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.columns import Columns
from tabellion.recognise.printed_text import Strip

_COVERED = 0.7  # of a column's width: a rule this long parts its cells
_BESIDE = 0.5  # share of the other columns that must be ruled inside a block
_SAME_RULE = 2.5  # points: rules closer than this are one
_LEADING = 1.75  # type sizes between two lines of one cell
_MATCHED = 0.6  # share of a block's lines that stand on lines of other columns where it is no single cell


class Block(msgspec.Struct, frozen=True):
    """A cell over several rows: its column, its upper and lower edge, its words line by line."""

    column: int
    top: float
    bottom: float
    lines: tuple[tuple[int, ...], ...]


def find_blocks(strip: Strip, columns: Columns) -> list[Block]:
    """The cells that span rows, as rulings show them."""
    width = len(columns.columns)
    if width < 2 or not len(strip.across):
        return []
    heights, covered = _rules_by_column(strip, columns)
    found: list[Block] = []
    column_of = np.array(
        [columns.at(float(a + b) / 2) for a, b in zip(strip.box[:, 0], strip.box[:, 2], strict=True)], dtype=np.intp
    )
    middle = (strip.box[:, 1] + strip.box[:, 3]) / 2
    for hull in strip.hulls:
        inside = (heights > hull.top - strip.em) & (heights < hull.bottom + strip.em)
        ys, over = heights[inside], covered[inside]
        for column in range(width):
            own = ys[over[:, column]].tolist()
            edges = [hull.top - strip.em, *own, hull.bottom + strip.em]
            for top, bottom in pairwise(edges):
                between = (ys > top + 1) & (ys < bottom - 1)
                others = np.delete(over[between], column, axis=1)
                if not len(others) or others.mean(axis=1).max() < _BESIDE:
                    continue
                words = np.flatnonzero((column_of == column) & (middle > top) & (middle < bottom))
                lines = _lines_of(strip, words)
                beside = np.flatnonzero(over[between].any(axis=0))
                if lines and _is_one_cell(strip, lines, np.isin(column_of, beside)):
                    found.append(Block(column, float(top), float(bottom), lines))
    return found


def _rules_by_column(strip: Strip, columns: Columns) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """The heights of level rules, and for each which columns it runs under."""
    y = (strip.across[:, 1] + strip.across[:, 3]) / 2
    order = np.argsort(y)
    groups = np.split(order, np.flatnonzero(np.diff(y[order]) > _SAME_RULE) + 1)
    bounds = [float(strip.box[:, 0].min()), *columns.separators, float(strip.box[:, 2].max())]
    heights = np.array([float(y[g].mean()) for g in groups])
    covered = np.zeros((len(groups), len(bounds) - 1), dtype=bool)
    for k, group in enumerate(groups):
        for c, (a, b) in enumerate(pairwise(bounds)):
            over = np.minimum(strip.across[group, 2], b) - np.maximum(strip.across[group, 0], a)
            covered[k, c] = over.clip(0).sum() >= _COVERED * (b - a)
    return heights, covered


def _lines_of(strip: Strip, words: NDArray[np.intp]) -> tuple[tuple[int, ...], ...]:
    lines: dict[int, list[int]] = {}
    for w in words.tolist():
        lines.setdefault(int(strip.line_of[w]), []).append(w)
    return tuple(tuple(sorted(lines[k], key=lambda w: float(strip.box[w, 0]))) for k in sorted(lines))


def _is_one_cell(strip: Strip, lines: tuple[tuple[int, ...], ...], beside: NDArray[np.bool_]) -> bool:
    """Whether lines are set closely, as those of one cell, and not each on a line of the cells beside it."""
    bases = [float(strip.base[line[0]]) for line in lines]
    if any(b - a > _LEADING * strip.em for a, b in pairwise(bases)):
        return False
    if len(lines) == 1:
        return True
    if sum(bool(strip.numeric[line[0]]) for line in lines) > 1:
        return False
    others = strip.base[beside]
    matched = sum(bool((np.abs(others - b) < 0.2 * strip.em).any()) for b in bases)
    return matched < _MATCHED * len(bases)


def without_words(strip: Strip, words: set[int]) -> Strip:
    """The strip with some words taken out of its lines; lines that are left empty are gone."""
    kept = [(k, tuple(w for w in line if w not in words)) for k, line in enumerate(strip.lines)]
    kept = [(k, line) for k, line in kept if line]
    at = [k for k, _ in kept]
    line_of = np.full(len(strip.line_of), -1, dtype=np.int32)
    line_box = strip.line_box[at].copy()
    for n, (_, line) in enumerate(kept):
        line_of[list(line)] = n
        line_box[n, 0], line_box[n, 2] = strip.box[list(line), 0].min(), strip.box[list(line), 2].max()
    return msgspec.structs.replace(
        strip,
        lines=tuple(line for _, line in kept),
        line_of=line_of,
        line_box=line_box,
        line_base=strip.line_base[at],
        part=strip.part[at],
    )
