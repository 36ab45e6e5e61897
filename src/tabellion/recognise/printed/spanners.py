"""Spanning headers: how many columns a text stands over, beyond those it is printed over.

Goes in: the phrases of each line. Comes out: the same, widened where upright rules bound a wider cell around a phrase,
where a rule of its own runs under it, or where it is centred over columns that are filled below it and empty beside
it. Fails on a spanner that is set flush left over its columns without any rule.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tabellion.recognise.printed.columns import Columns
from tabellion.recognise.printed.line_facts import count_head_lines, ruled_between
from tabellion.recognise.printed.phrases import Phrase
from tabellion.recognise.printed.rows import Block
from tabellion.recognise.printed.text import Strip

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
