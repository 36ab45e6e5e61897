"""What the lines of a printed table hold, column by column.

Goes in: the strip, its columns and the phrases of each line. Comes out: which columns each line fills, with numbers or
texts, the steps and rulings from line to line, the room that a text had to go on, and which rows are numbered.
"""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.text import Strip

BLANK = 0.25  # type sizes between two words
WIDE = 0.5  # of the table's width: a level ruling this long parts rows
_FEWEST_COUNTED, _COUNTED = 4, 0.8  # so many rows, and such a share of them, must count on
_STUB_OVER = 2  # columns that a text of the stub may run over
_HEAD_LINES = 8  # lines from the top under which the rule of the head is looked for
_UNRULED_HEAD = 3  # lines that may be of the head where no rule stands under it
_LONGEST_SERIAL = 5  # digits of a number that counts rows


class LineFacts(msgspec.Struct, frozen=True, eq=False):
    """What the lines of a strip hold, column by column."""

    filled: NDArray[np.bool_]  # (lines, columns)
    numeric: NDArray[np.bool_]
    left: NDArray[np.float32]
    right: NDArray[np.float32]
    first: list[dict[int, int]]  # line -> column -> first word
    last: list[dict[int, int]]
    spans: NDArray[np.int32]  # phrases over several columns
    block: NDArray[np.int32]  # lines between the same two wide rulings
    ruled: NDArray[np.float64]  # share of the width that is ruled between a line and the next
    steps: NDArray[np.float64]
    room: NDArray[np.float64]  # (lines - 1, columns): white left for the first word of the next line; NaN where none is
    serial: NDArray[np.bool_]  # whether the first text of a line counts on from that of the line before
    numbered: NDArray[np.bool_]  # lines that open with a number, in a table whose rows are numbered
    spanned: NDArray[np.bool_]  # lines but the first that hold several texts under one that spans their columns
    under: NDArray[np.int32]  # for each line the nearest above it with a text that spans several of its own, or -1
    figures: NDArray[np.int32]  # (lines + 1, columns): how many whole numbers stand in the lines before each
    wrapped: NDArray[np.bool_]  # lines but the last whose heads say the same side by side and go on in the next line


_FIGURE = re.compile(r"[<>~≤≥+−–-]?\d[\d.]*(?:,\d[\d.]*)*(?: ?± ?[\d.]+)?[a-z*†‡%]{0,4}")  # nothing is left to say
_STACKED = 2  # columns with numbers under numbers: a row of them is two


def stacks_figures(facts: LineFacts, first: int, last: int) -> bool:
    """Whether numbers stand under numbers in several columns of some lines, which are then no single row."""
    return bool(((facts.figures[last + 1] - facts.figures[first]) > 1).sum() >= _STACKED)


def line_facts(strip: Strip, columns: Columns, phrases: list[list[Phrase]]) -> LineFacts:
    """Columns filled, numbers, edges, rulings between: for every line."""
    count, width = len(strip), len(columns.columns)
    filled = np.zeros((count, width), dtype=bool)
    numeric = np.zeros((count, width), dtype=bool)
    left = np.full((count, width), np.inf, dtype=np.float32)
    right = np.full((count, width), -np.inf, dtype=np.float32)
    first: list[dict[int, int]] = [{} for _ in range(count)]
    last: list[dict[int, int]] = [{} for _ in range(count)]
    spans = np.zeros(count, dtype=np.int32)
    figures = np.zeros((count + 1, width), dtype=np.int32)
    for k, line in enumerate(phrases):
        for phrase in line:
            words = list(phrase.words)
            covered = slice(phrase.first, phrase.last + 1)
            filled[k, covered] = True
            numeric[k, covered] = strip.numeric[words[0]]
            left[k, covered] = float(strip.box[words, 0].min())
            right[k, covered] = float(strip.box[words, 2].max())
            spans[k] += phrase.last > phrase.first
            if numeric[k, phrase.first] and phrase.first == phrase.last:
                figures[k + 1, phrase.first] = _FIGURE.fullmatch(_said(strip, phrase)) is not None
            for c in range(phrase.first, phrase.last + 1):
                first[k].setdefault(c, words[0])
                last[k][c] = words[-1]
    ruled = ruled_between(strip)
    wide = ruled > WIDE
    head = count_head_lines(strip, phrases, ruled)
    block = np.concatenate(([0], np.cumsum(wide | (np.diff(strip.part) != 0)))) if count else np.zeros(0)
    return LineFacts(
        filled, numeric, left, right, first, last, spans, block.astype(np.int32), ruled,
        np.diff(strip.line_base).astype(np.float64), _room(strip, columns, filled, left, right, first),
        *_serials(strip, first), np.array([_is_spanned(a, b) for a, b in pairwise(phrases)], dtype=bool),
        np.array([_nearest_span(phrases, k, head) for k in range(count)], dtype=np.int32), figures.cumsum(axis=0),
        _wrapped_heads(strip, phrases[:head], count),
    )  # fmt: skip


def _room(
    strip: Strip,
    columns: Columns,
    filled: NDArray[np.bool_],
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    first: list[dict[int, int]],
) -> NDArray[np.float64]:
    """By how much the first word of a line would have fitted on the line above, column by column, in type sizes.

    A text is wrapped where there is no room: what would have fitted is another row.
    """
    room = np.full((max(len(filled) - 1, 0), filled.shape[1]), np.nan)
    widths = [c.last - c.first for c in columns.columns]
    for k, c in np.argwhere(filled[:-1] & filled[1:]).tolist():
        word = first[k + 1][c]
        wanted = float(strip.box[word, 2] - strip.box[word, 0]) + BLANK * strip.em
        room[k, c] = (widths[c] - float(right[k, c] - left[k, c]) - wanted) / strip.em
    return np.asarray(np.clip(room, -9, 9))


def _is_spanned(upper: list[Phrase], lower: list[Phrase]) -> bool:
    """Whether several texts stand under one that spans their columns; texts of the stub may run over their column."""
    spans = [p for p in upper if p.last > p.first and (p.first or p.last > _STUB_OVER)]
    return any(sum(s.first <= p.first and p.last <= s.last for p in lower) > 1 for s in spans)


def count_head_lines(strip: Strip, phrases: list[list[Phrase]], ruled: NDArray[np.float64]) -> int:
    """How many lines stand above the rule under the head: the last wide one among the first lines, above all numbers.

    Where there is none, the first few lines above all numbers.
    """
    numbers = (k for k, line in enumerate(phrases) if sum(bool(strip.numeric[p.words[0]]) for p in line[1:]) > 1)
    most = min(next(numbers, len(phrases)), _HEAD_LINES)
    wide = np.flatnonzero(ruled[:most] > WIDE)
    return int(wide[-1]) + 1 if len(wide) else min(most, _UNRULED_HEAD)


def _nearest_span(phrases: list[list[Phrase]], line: int, head: int) -> int:
    """The nearest line above one of the head that has a text over several of its own, or -1."""
    above = range(line - 1, -1, -1) if line < head else ()
    return next((k for k in above if _is_spanned(phrases[k], phrases[line])), -1)


def _wrapped_heads(strip: Strip, head: list[list[Phrase]], count: int) -> NDArray[np.bool_]:
    """Lines of the head in which neighbours say the same, and the line below goes on with each of them differently.

    "LD vs | LD vs" over "CK | MD" are two heads of two lines: a head over both would be printed once.
    """
    found = np.zeros(max(count - 1, 0), dtype=bool)
    for k, upper in enumerate(head):
        for one, other in pairwise(p for p in upper if p.first == p.last > 0):
            said = _said(strip, one)
            if other.first != one.first + 1 or said != _said(strip, other) or not any(c.isalpha() for c in said):
                continue
            places = one.first, other.first
            lines = (n for n in range(k + 1, len(head)) if any(p.first in places for p in head[n]))
            lower = next(lines, k)
            below = {p.first: _said(strip, p) for p in head[lower] if p.first == p.last}
            ends = [below.get(place) for place in places]
            if lower > k and None not in ends and ends[0] != ends[1]:
                found[k:lower] = True
    return found


def _said(strip: Strip, phrase: Phrase) -> str:
    return " ".join(strip.text[w] for w in phrase.words)


def _serials(strip: Strip, first: list[dict[int, int]]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Lines whose first text is a number one above that of the line before; and all that are numbered, if rows are."""
    numbers = []
    for line in first:
        text = strip.text[line[0]].strip(".)(") if 0 in line else ""
        numbers.append(int(text) if text.isdecimal() and len(text) < _LONGEST_SERIAL else -9)
    serial = np.array([b == a + 1 and a >= 0 for a, b in pairwise(numbers)], dtype=bool)
    told = np.array(numbers) >= 0
    counted = [b == a + 1 for a, b in pairwise(n for n in numbers if n >= 0)]
    sure = len(counted) >= _FEWEST_COUNTED and sum(counted) >= _COUNTED * len(counted)
    return serial, told if sure else np.zeros(len(told), dtype=bool)


def ruled_between(strip: Strip) -> NDArray[np.float64]:
    """How much of the table's width is ruled between each line and the next."""
    count = len(strip)
    result = np.zeros(max(count - 1, 0))
    if not len(strip.across):
        return result
    table_left, table_right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    width = max(table_right - table_left, 1.0)
    middle = (strip.across[:, 1] + strip.across[:, 3]) / 2
    long = np.minimum(strip.across[:, 2], table_right) - np.maximum(strip.across[:, 0], table_left)
    for k in range(count - 1):
        # a ruling close under the baseline of the upper line is below it; one through the lower line's words is above
        upper = float(strip.line_base[k]) - 0.1 * strip.em
        lower = float(strip.line_base[k + 1]) - 0.35 * strip.em
        between = (middle > upper) & (middle < lower) & (long > 0)
        if between.any():
            result[k] = min(1.0, _union_length(strip.across[between], table_left, table_right) / width)
    return result


def _union_length(boxes: NDArray[np.float32], low: float, high: float) -> float:
    total, reach = 0.0, low
    for a, b in sorted((float(x[0]), float(x[2])) for x in boxes):
        a, b = max(a, reach), min(b, high)
        if b > a:
            total += b - a
            reach = b
    return total
