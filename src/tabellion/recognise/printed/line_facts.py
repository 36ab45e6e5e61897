"""Lines of a printed table: what each holds, column by column, and how far its headings span.

In: the strip, its columns and the phrases of each line. Out: which columns each line fills, with numbers or texts, the
steps and rulings from line to line, the room that a text had to go on, and which rows are numbered.

Spanning headers stand over more columns than they are printed over. In: the phrases of each line. Out: the same,
widened where upright rules bound a wider cell around a phrase, where a rule of its own runs under it, or where it is
centred over columns that are filled below it and empty beside it. Fails on a spanner that is set flush left over its
columns without any rule.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec
import numpy as np
from numpy.typing import NDArray

from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.text import Strip

if TYPE_CHECKING:
    from tabellion.recognise.printed.rows import Block


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


_UNDER = 1.3  # type sizes below the baseline in which a spanner's rule lies
_OWN = 0.85  # of the table's width: longer rules are no spanner's own
_MIDDLE_OFF = 0.55  # type sizes that a spanner may be off the middle of its columns
_EXTENT_OFF = 0.45  # the same, off the middle of all that stands in them
_SOON = 3  # lines under a spanner in which what it spans begins
_COLUMN_OFF = 0.9  # type sizes that it must be off the middle of its own column
_FEW = 2  # columns
_COVERED = 0.6  # of a column's texts that a rule must run under


def widen_phrases(
    strip: Strip, columns: Columns, phrases: list[list[Phrase]], blocks: Sequence[Block]
) -> list[list[Phrase]]:
    """Phrases with the columns they stand over, as far as no block stands there."""
    if len(columns.columns) < 2:
        return phrases
    body = _first_body_line(strip, phrases)
    head = count_head_lines(strip, phrases, ruled_between(strip))
    result: list[list[Phrase]] = []
    for k, line in enumerate(phrases):
        taken = {b.column for b in blocks if b.top < strip.line_base[k] < b.bottom}
        result.append(
            [
                _widened(strip, columns, phrases, k, n, (k < body) + (k < min(head, body)), taken)
                for n in range(len(line))
            ]
        )
    return result


def _first_body_line(strip: Strip, phrases: list[list[Phrase]]) -> int:
    """The first line that holds two numbers or more, not counting years: the header lies above it."""
    for k, line in enumerate(phrases):
        numbers = [p for p in line[1:] if strip.numeric[p.words[0]] and not _is_year(strip.text[p.words[0]])]
        if len(numbers) >= 2 or (len(line) == 2 and numbers):
            return k
    return len(phrases)


def _is_year(text: str) -> bool:
    digits = text.strip("*()[]abc.,")[:4]
    return digits.isdigit() and len(digits) == 4 and digits[:2] in ("18", "19", "20")


def _widened(
    strip: Strip, columns: Columns, phrases: list[list[Phrase]], k: int, n: int, in_header: int, taken: set[int]
) -> Phrase:
    """A phrase with the columns it stands over; it may be above all numbers (1), and above the rule of the head (2)."""
    line = phrases[k]
    phrase = line[n]
    least = max([line[n - 1].last if n else -1, *(c for c in taken if c < phrase.first)]) + 1
    following = line[n + 1].first if n + 1 < len(line) else len(columns.columns)
    most = min([following, *(c for c in taken if c > phrase.last)]) - 1
    if least > phrase.first or most < phrase.last or (least == phrase.first and most == phrase.last):
        return phrase
    words = list(phrase.words)
    left, right = float(strip.box[words, 0].min()), float(strip.box[words, 2].max())
    y = float(strip.box[words, 1].min() + strip.box[words, 3].max()) / 2
    bounds = _cell_bounds(strip, left, right, y)
    if bounds is None and in_header:
        bounds = _own_rule(strip, left, right, float(strip.line_base[k]))
    if bounds is not None and _stands_alone(strip, line, n, bounds):
        over = _columns_over(columns, *bounds)
        if over and over[0] <= phrase.first and over[1] >= phrase.last:
            return Phrase(phrase.words, max(over[0], least), min(over[1], most))
        return phrase
    if not in_header and not taken and len(line) == 1 and _is_centred(strip, columns, phrase, (left + right) / 2):
        return Phrase(phrase.words, 0, len(columns.columns) - 1)
    if in_header and k + 1 < len(phrases):
        return _centred(strip, columns, phrases, k, phrase, (least, most), (left + right) / 2, in_header > 1)
    return phrase


def _stands_alone(strip: Strip, line: list[Phrase], n: int, bounds: tuple[float, float]) -> bool:
    """Whether no other text of a line stands between two places: rules bound a cell where they bound one text."""
    others = [w for k, phrase in enumerate(line) if k != n for w in phrase.words]
    middle = (strip.box[others, 0] + strip.box[others, 2]) / 2
    return not bool(((middle > bounds[0]) & (middle < bounds[1])).any())


def _is_centred(strip: Strip, columns: Columns, phrase: Phrase, middle: float) -> bool:
    """Whether a text that stands alone in its line is centred in the table rather than in its column."""
    whole = (float(strip.box[:, 0].min()) + float(strip.box[:, 2].max())) / 2
    own = columns.columns[phrase.first]
    beyond = phrase.last > phrase.first or abs(middle - (own.first + own.last) / 2) > _COLUMN_OFF * strip.em
    return len(columns.columns) > _FEW and beyond and abs(middle - whole) < strip.em and phrase.first > 0


def _cell_bounds(strip: Strip, left: float, right: float, y: float) -> tuple[float, float] | None:
    """The upright rules next to a text at its height, where there is one on both sides."""
    if not len(strip.down):
        return None
    x = (strip.down[:, 0] + strip.down[:, 2]) / 2
    beside = (strip.down[:, 1] < y) & (strip.down[:, 3] > y)
    before, after = x[beside & (x < left + 2)], x[beside & (x > right - 2)]
    edge_left, edge_right = float(strip.box[:, 0].min()), float(strip.box[:, 2].max())
    inner = beside & (x > edge_left + 2) & (x < edge_right - 2)
    if not inner.any():
        return None
    low = float(before.max()) if len(before) else edge_left
    high = float(after.min()) if len(after) else edge_right
    return low, high


def _own_rule(strip: Strip, left: float, right: float, base: float) -> tuple[float, float] | None:
    """The rule right under a text, where it is not the whole table's."""
    if not len(strip.across):
        return None
    width = float(strip.box[:, 2].max() - strip.box[:, 0].min())
    y = (strip.across[:, 1] + strip.across[:, 3]) / 2
    near = (y > base - 0.1 * strip.em) & (y < base + _UNDER * strip.em)
    under = near & (strip.across[:, 0] <= left + strip.em) & (strip.across[:, 2] >= right - strip.em)
    own = strip.across[under & (strip.across[:, 2] - strip.across[:, 0] < _OWN * width)]
    if not len(own):
        return None
    first = own[np.argmin((own[:, 1] + own[:, 3]) / 2 - base)]
    return float(first[0]), float(first[2])


def _columns_over(columns: Columns, low: float, high: float) -> tuple[int, int] | None:
    """First and last column whose texts lie mostly between two places."""
    inside = []
    for c, column in enumerate(columns.columns):
        over = min(column.last, high) - max(column.first, low)
        if over >= _COVERED * max(column.last - column.first, 1.0):
            inside.append(c)
    return (inside[0], inside[-1]) if inside else None


def _centred(
    strip: Strip,
    columns: Columns,
    phrases: list[list[Phrase]],
    k: int,
    phrase: Phrase,
    room: tuple[int, int],
    middle: float,
    head: bool,
) -> Phrase:
    """A phrase over the columns it is centred on: those that the line below fills one by one, or the most that are."""
    own = columns.columns[phrase.first]
    if phrase.first == phrase.last and abs(middle - (own.first + own.last) / 2) < _COLUMN_OFF * strip.em:
        return phrase
    below = {p.first for p in phrases[k + 1] if p.first == p.last}
    nearest: list[tuple[float, int, int]] = []
    widest: list[tuple[int, float, int, int]] = []
    for first in range(room[0], phrase.first + 1):
        for last in range(phrase.last, room[1] + 1):
            if first == last:
                continue
            center = (columns.columns[first].first + columns.columns[last].last) / 2
            off = abs(center - middle) / strip.em
            if head and off < _EXTENT_OFF and last - first >= _FEW and _parts(phrases, k, first, last):
                widest.append((first - last, off, first, last))
            if all(c in below for c in range(first, last + 1)):
                center = (_left_edge(strip, phrases[k + 1], first) + _right_edge(strip, phrases[k + 1], last)) / 2
                off = abs(center - middle) / strip.em
                if off < _MIDDLE_OFF:
                    nearest.append((off, first, last))
    found = min(widest)[2:] if widest else min(nearest)[1:] if nearest else None
    return Phrase(phrase.words, *found) if found else phrase


def _parts(phrases: list[list[Phrase]], k: int, first: int, last: int) -> bool:
    """Whether a line soon below one has texts in the first and in the last of some columns."""
    return any({first, last} <= {c for p in line for c in (p.first, p.last)} for line in phrases[k + 1 : k + 1 + _SOON])


def _left_edge(strip: Strip, line: list[Phrase], column: int) -> float:
    return min(float(strip.box[w, 0]) for p in line if p.first == column for w in p.words)


def _right_edge(strip: Strip, line: list[Phrase], column: int) -> float:
    return max(float(strip.box[w, 2]) for p in line if p.first == column for w in p.words)
